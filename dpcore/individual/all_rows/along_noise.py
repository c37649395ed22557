"""Exposure of every row, of the most exposed record and in the worst case at many levels of noise, or penalties."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.errors import or_reason
from dpcore.individual import reasons
from dpcore.individual.all_rows.between import SPACING, at_every_position
from dpcore.individual.all_rows.representatives import representatives
from dpcore.individual.exposure import Exposures, analysis_of
from dpcore.individual.fit.third import MOST_FEATURES, bends_matter
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.result import individual_privacy
from dpcore.mechanisms.releases import GlmRelease

# Seconds of processor time that all rows may take, about; doubled, so many more of them are followed, for twice as long.
_PATIENCE = 1.2
# At which each row is computed, about, and rows beyond which more tell no more; doubled, half or twice as many are followed.
_LEVELS, _MANY_ROWS = 25.0, 4_000
# Worst cases computed, times the effort of a row, as both are dear together; doubled, the line is closer and takes twice as long.
_WORST = 1e-3
# Seconds that all fits may take, about, and rows between two looks for a newer run; doubled, one waits twice as long.
_FITTING, _BREATH = 2.2, 0.04
# Seconds of a fit, for each row and for each product of two of its cells; doubled, half as many fits are made.
_PER_FIT, _PER_ROW, _PER_PRODUCT = 5e-3, 5e-7, 8e-10
# Of a third moment against a second one; doubled, fewer fits are made where third derivatives matter.
_THIRD = 0.2
# Fits too few to tell how the rows change, and as many as tell all; doubled, the first leave more data without a slider.
_FEWEST_FITS, MOST_FITS = 8, 120

_Lines = tuple[float | None, float | None]


@dataclass(frozen=True, eq=False)
class AtLevel:
    """The rows at one position of a slider, and ε of the most exposed record of the domain and in the worst case, if known.

    Parameters
    ----------
    epsilon : of the rows, or of those that stand for them, nats
    weights : how many rows each of those stands for, None where they are all rows
    method : what `epsilon` is
    for_all, worst_case : ε, or None
    """

    epsilon: np.ndarray
    weights: np.ndarray | None
    method: EpsilonMethod
    for_all: float | None
    worst_case: float | None

    def quantiles(self, q: float) -> float:
        """A quantile of ε over the rows, nats."""
        if self.weights is None:
            return float(reasons.quantiles(self.epsilon, q))
        return float(np.quantile(self.epsilon, q, weights=self.weights, method="inverted_cdf"))


def along_noise(
    dataset: Dataset, mechanism: GlmRelease, delta: float, levels: Sequence[float], guaranteed: bool = True
) -> Iterator[AtLevel | None]:
    """What `individual_privacy` says at levels of noise, one after the other, and None wherever it can be interrupted.

    Of linear regression with not too many rows every level is computed, else see `at_every_position`; the other lines are within
    3 % unless they vanish. Many rows are represented by some (`representatives`). Where ε is an expansion, the most exposed record
    takes a search of its own at each level: it is left out.

    Parameters
    ----------
    dataset, mechanism, delta : as `individual_privacy` takes them
    levels : of the parameter that is the level of its noise, increasing
    guaranteed : whether anything is to be said about other records than the rows

    Raises
    ------
    ParameterError, UnsupportedError
        If ε is no expansion, and no domain is known or the mechanism has no worst-case guarantee.
    """
    noises, log_delta = np.asarray(levels, dtype=float), float(np.log(delta))
    analysis, n = analysis_of(mechanism), dataset.n_samples
    known = yield from (_at_noises(dataset, mechanism, delta, noises) if guaranteed else _no_lines(noises))
    fit = analysis.fit(mechanism, dataset)
    sample, weights = representatives(fit.visibility, _affordable(analysis.effort))
    exposures = analysis.of_rows(mechanism, dataset, fit).take(sample)
    yield None
    shares = _shares(mechanism, noises)

    def compute(place: int, rows: np.ndarray, near: np.ndarray | None) -> np.ndarray:
        some = exposures.take(rows).with_noise(float(shares[place]))
        return some.epsilon(log_delta) if near is None else some.epsilon_near(log_delta, near)

    exactly = analysis.method is EpsilonMethod.EXACT and n * noises.size * analysis.effort < _PATIENCE
    spacing = 1 if exactly else SPACING
    together = _in_one_go(analysis.effort)
    epsilon = yield from at_every_position(np.log(noises), compute, sample.size, spacing, together=together)
    for one, (for_all, worst) in zip(epsilon, known, strict=True):
        yield AtLevel(one, weights, analysis.method, for_all, worst)


def along_penalty(
    dataset: Dataset, mechanism: GlmRelease, delta: float, penalties: Sequence[float], guaranteed: bool = True
) -> Iterator[AtLevel | None]:
    """What `individual_privacy` says at penalties > 0, one after the other, and None wherever it can be interrupted.

    See `along_noise`; rows are represented by those that are visible at the mechanism's own penalty.

    Parameters
    ----------
    dataset, mechanism, delta : as `individual_privacy` takes them
    penalties : increasing
    guaranteed : whether anything is to be said about other records than the rows

    Raises
    ------
    ParameterError, UnsupportedError
        If ε is no expansion, and no domain is known or the mechanism has no worst-case guarantee.
    """
    lams, log_delta, analysis = np.asarray(penalties, dtype=float), float(np.log(delta)), analysis_of(mechanism)
    sample, weights = representatives(analysis.fit(mechanism, dataset).visibility, _affordable(analysis.effort))
    yield None
    count = sample.size
    beside = guaranteed and analysis.method is EpsilonMethod.EXACT
    fitted: dict[int, Exposures] = {}  # at one penalty

    def compute(place: int, rows: np.ndarray, near: np.ndarray | None) -> np.ndarray:
        there = mechanism.with_penalty(float(lams[place]))
        if beside and rows[-1] >= count:  # the lines are the last two
            result = individual_privacy(dataset, there, delta)
            lines = np.array([result.for_all.known, result.worst_case_epsilon])
            return np.append(result.epsilon[sample], lines)[rows]
        if place not in fitted:
            fitted.clear()
            fitted[place] = analysis.of_rows(there, dataset, analysis.fit(there, dataset)).take(sample)
        some = fitted[place].take(rows)
        return some.epsilon(log_delta) if near is None else some.epsilon_near(log_delta, near)

    most, together = fits_affordable(dataset, mechanism), None if beside else _in_one_go(analysis.effort)
    found = yield from at_every_position(np.log(lams), compute, count + 2 * beside, most=most, together=together)
    if beside:
        known: list[_Lines] = [(float(one[count]), float(one[count + 1])) for one in found]
    elif guaranteed:
        known = yield from _worst([mechanism.with_penalty(float(lam)) for lam in lams], dataset, delta, lams)
    else:
        known = yield from _no_lines(lams)
    for one, (for_all, worst) in zip(found, known, strict=True):
        yield AtLevel(one[:count], weights, analysis.method, for_all, worst)


def fits_affordable(dataset: Dataset, mechanism: GlmRelease) -> int:
    """Fits of a release that can be made before patience runs out, 0 where those are too few to tell how the rows change."""
    n, d = dataset.n_samples, dataset.n_features
    third = n * d**3 if d <= MOST_FEATURES and bends_matter(mechanism) and not mechanism.is_linear else 0
    seconds = _PER_FIT + _PER_ROW * n + _PER_PRODUCT * (n * d**2 + _THIRD * third)
    fits = int(_FITTING / seconds)
    return min(fits, MOST_FITS) if fits >= _FEWEST_FITS else 0


def rows_followed(dataset: Dataset, mechanism: GlmRelease) -> int:
    """Rows that are followed along noise or penalty, standing for all where they are fewer."""
    return min(dataset.n_samples, _affordable(analysis_of(mechanism).effort))


def _in_one_go(effort: float) -> int:
    """Rows whose ε takes so long that one wants to be interrupted."""
    return max(1, int(_BREATH / effort))


def _affordable(effort: float) -> int:
    """Rows that can be followed where ε of one at one level takes this long."""
    return min(int(_PATIENCE / (_LEVELS * effort)), _MANY_ROWS)


def _shares(mechanism: GlmRelease, noises: np.ndarray) -> np.ndarray:
    """Levels of noise as shares of the mechanism's own."""
    part = mechanism.noise
    return np.asarray((noises / getattr(mechanism, part.name)) ** (1 / part.noise))


def _no_lines(values: np.ndarray) -> Generator[None, None, list[_Lines]]:
    yield
    return [(None, None)] * values.size


def _at_noises(
    dataset: Dataset, mechanism: GlmRelease, delta: float, noises: np.ndarray
) -> Generator[None, None, list[_Lines]]:
    """ε of the most exposed record and in the worst case at levels of noise."""
    if not mechanism.is_linear:
        return (yield from _worst([mechanism.at_noise(float(noise)) for noise in noises], dataset, delta, noises))
    result = individual_privacy(dataset, mechanism, delta)
    yield
    shares = _shares(mechanism, noises)

    def compute(place: int, which: np.ndarray, near: Any) -> np.ndarray:
        at = result.with_noise(float(shares[place]))
        return np.array([at.for_all.known, at.worst_case_epsilon])[which]

    found = yield from at_every_position(np.log(noises), compute, 2)
    return [(float(for_all), float(worst)) for for_all, worst in found]


def _worst(
    mechanisms: list[Any], dataset: Dataset, delta: float, values: np.ndarray
) -> Generator[None, None, list[_Lines]]:
    """ε in the worst case of each mechanism, None where there is no guarantee."""

    if dataset.domain is None:
        return (yield from _no_lines(values))

    def compute(place: int, which: np.ndarray, near: Any) -> np.ndarray:
        worst = or_reason(lambda: mechanisms[place].worst_case(dataset.domain, dataset.n_samples))[0]
        return np.array([np.inf if worst is None else float(worst.epsilon(delta))])

    most = int(_WORST / analysis_of(mechanisms[0]).effort)
    found = yield from at_every_position(np.log(values), compute, 1, most=most)
    return [(None, None if np.isinf(value) else float(value)) for value in found[:, 0]]
