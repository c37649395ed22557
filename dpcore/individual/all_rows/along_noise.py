"""ε of every row, of the most exposed record and in the worst case, at many levels of noise or many penalties."""

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

# Seconds of processor time for ε of all followed rows at all levels, about. Doubled, twice as many rows are followed,
# and that takes twice as long.
_PATIENCE = 1.2
# Largest number of rows followed, as more rows add no information. Doubled, up to twice as many rows are followed.
_MANY_ROWS = 4_000
# Number of worst cases computed, times the seconds that ε of a row takes: if rows are slow, worst cases are too.
# Doubled, the line of the worst case is more accurate and takes twice as long.
_WORST = 1e-3
# _FITTING: seconds that all fits may take, about. _BREATH: seconds of computing rows between two checks for a newer
# run. Doubled, one waits twice as long.
_FITTING, _BREATH = 2.2, 0.04
# Seconds of a fit for each row, and for each product of two cells of a row. With both doubled, half as many fits are
# made.
_PER_ROW, _PER_PRODUCT = 5e-7, 8e-10
# Time of one product in the third moments, relative to one in the second moments. Doubled, fewer fits are made in
# analyses that use third derivatives.
_THIRD = 0.2
# _FEWEST_FITS: with fewer fits one cannot tell how ε of the rows changes, and there is no slider. MOST_FITS: more fits
# are never made, as they add no information. With the first doubled, more data sets have no slider.
_FEWEST_FITS, MOST_FITS = 8, 120

_Lines = tuple[float | None, float | None]


@dataclass(frozen=True, eq=False)
class AtLevel:
    """ε of the rows at one position of a slider, of the most exposed record of the domain, and in the worst case.

    Parameters
    ----------
    epsilon : ε of all rows, or of the rows that represent them, nats
    weights : how many rows each of these represents; None if they are all rows
    method : what `epsilon` is
    for_all, worst_case : ε of the most exposed record and in the worst case, or None if unknown
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
    """What `individual_privacy` says at each level of noise in turn; also None, wherever it can be interrupted.

    For linear regression with not too many rows, every level is computed; otherwise levels are interpolated
    (`at_every_position`). The lines of the most exposed record and of the worst case are within 3 % of the truth,
    unless they are near 0. If there are many rows, some represent all (`representatives`). If ε is an expansion, the
    most exposed record would take a search at each level, so it is left out.

    Parameters
    ----------
    dataset, mechanism, delta : as `individual_privacy` takes them
    levels : values of the mechanism's parameter that sets the level of noise, increasing
    guaranteed : whether anything is to be said about records other than the rows

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

    def compute(place: int, rows: np.ndarray) -> np.ndarray:
        return exposures.take(rows).with_noise(float(shares[place])).epsilon(log_delta)

    exactly = analysis.method is EpsilonMethod.EXACT and n * noises.size * analysis.effort < _PATIENCE
    spacing = 1 if exactly else SPACING
    together = _in_one_go(analysis.effort)
    epsilon = yield from at_every_position(np.log(noises), compute, sample.size, spacing, together=together)
    for one, (for_all, worst) in zip(epsilon, known, strict=True):
        yield AtLevel(one, weights, analysis.method, for_all, worst)


def along_penalty(
    dataset: Dataset, mechanism: GlmRelease, delta: float, penalties: Sequence[float], guaranteed: bool = True
) -> Iterator[AtLevel | None]:
    """What `individual_privacy` says at each penalty > 0 in turn; also None, wherever it can be interrupted.

    See `along_noise`. The rows that represent all are chosen by their visibility at the mechanism's own penalty.

    Parameters
    ----------
    dataset, mechanism, delta : as `individual_privacy` takes them
    penalties : penalties λ, increasing
    guaranteed : whether anything is to be said about records other than the rows

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
    fitted: dict[int, Exposures] = {}  # it holds only the penalty that was used last

    def compute(place: int, rows: np.ndarray) -> np.ndarray:
        there = mechanism.with_penalty(float(lams[place]))
        if beside and rows[-1] >= count:  # the last two "rows" are the two lines
            result = individual_privacy(dataset, there, delta)
            lines = np.array([result.for_all.known, result.worst_case_epsilon])
            return np.append(result.epsilon[sample], lines)[rows]
        if place not in fitted:
            fitted.clear()
            fitted[place] = analysis.of_rows(there, dataset, analysis.fit(there, dataset)).take(sample)
        return fitted[place].take(rows).epsilon(log_delta)

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
    """Number of fits that can be made in the time allowed; 0 if these are too few to tell how ε of the rows changes."""
    n, d = dataset.n_samples, dataset.n_features
    third = n * d**3 if d <= MOST_FEATURES and bends_matter(mechanism) and not mechanism.is_linear else 0
    seconds = _PER_ROW * n + _PER_PRODUCT * (n * d**2 + _THIRD * third)
    fits = int(_FITTING / seconds)
    return min(fits, MOST_FITS) if fits >= _FEWEST_FITS else 0


def rows_followed(dataset: Dataset, mechanism: GlmRelease) -> int:
    """Number of rows that are followed along noise or penalty; if this is not all of them, they represent all."""
    return min(dataset.n_samples, _affordable(analysis_of(mechanism).effort))


def _in_one_go(effort: float) -> int:
    """Number of rows that are computed before the next chance to interrupt."""
    return max(1, int(_BREATH / effort))


def _affordable(effort: float) -> int:
    """Number of rows that can be followed, if ε of one row at one level takes `effort` seconds; at about 24 levels."""
    return min(int(_PATIENCE / (SPACING * effort)), _MANY_ROWS)


def _shares(mechanism: GlmRelease, noises: np.ndarray) -> np.ndarray:
    """The factor by which all noise of the mechanism is multiplied at each level."""
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

    def compute(place: int, which: np.ndarray) -> np.ndarray:
        at = result.with_noise(float(shares[place]))
        return np.array([at.for_all.known, at.worst_case_epsilon])[which]

    found = yield from at_every_position(np.log(noises), compute, 2)
    return [(float(for_all), float(worst)) for for_all, worst in found]


def _worst(
    mechanisms: list[Any], dataset: Dataset, delta: float, values: np.ndarray
) -> Generator[None, None, list[_Lines]]:
    """ε in the worst case of each mechanism, None for those without a guarantee."""

    if dataset.domain is None:
        return (yield from _no_lines(values))

    def compute(place: int, which: np.ndarray) -> np.ndarray:
        worst = or_reason(lambda: mechanisms[place].worst_case(dataset.domain, dataset.n_samples))[0]
        return np.array([np.inf if worst is None else float(worst.epsilon(delta))])

    most = int(_WORST / analysis_of(mechanisms[0]).effort)
    found = yield from at_every_position(np.log(values), compute, 1, most=most)
    return [(None, None if np.isinf(value) else float(value)) for value in found[:, 0]]
