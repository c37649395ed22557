"""Noise and penalty over the whole file: the share of rows under a chosen ε against what the released model is worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import DPError
from dpcore.individual.analyses.accuracy import Accuracy, accuracy, target_unit
from dpcore.individual.exposure import Exposures, analysis_of
from dpcore.mechanisms.releases import GlmRelease

NOISES = np.geomspace(0.03, 30.0, 13)
PENALTIES = np.geomspace(0.01, 100.0, 5)
_TAIL, _BODY = 150, 150  # most exposed rows, all of them looked at, and evenly spaced others


@dataclass(frozen=True)
class SettingPoint:
    """One setting of a release: its share of rows with ε at most the target, and its accuracy."""

    mechanism: GlmRelease
    share: float
    accuracy: Accuracy


@dataclass(frozen=True)
class SettingSweep:
    """Settings of one mechanism, and the one in use.

    Parameters
    ----------
    target, delta : ε and δ
    points : from little noise to much, one penalty after another
    now : the setting in use
    sampled : whether the shares count the most exposed rows and a sample of the others, and so are near the truth only
    """

    target: float
    delta: float
    points: tuple[SettingPoint, ...]
    now: SettingPoint
    sampled: bool = False

    def frontier(self) -> tuple[SettingPoint, ...]:
        """Settings that no other beats in both, by their share."""
        found: list[SettingPoint] = []
        for point in sorted((*self.points, self.now), key=lambda point: (-point.share, point.accuracy.cost)):
            if not found or point.accuracy.cost < found[-1].accuracy.cost:
                found.append(point)
        return tuple(found[::-1])

    def best(self, share: float) -> SettingPoint | None:
        """The most accurate setting with at least this share of the rows under the target."""
        fitting = [point for point in (*self.points, self.now) if point.share >= share]
        return min(fitting, key=lambda point: point.accuracy.cost) if fitting else None


def sweep_settings(
    dataset: Dataset,
    mechanism: GlmRelease,
    delta: float,
    target: float,
    progress: Callable[[float], None] = lambda share: None,
) -> SettingSweep:
    """Thirteen levels of noise at five penalties around those of a release, all of it on one data set.

    Of more than 300 rows the share counts the 150 most exposed, each as itself, and 150 others, which stand for the rest.

    Parameters
    ----------
    dataset : the rows
    mechanism : the release in use
    delta : probability
    target : ε > 0, nats
    progress : called with the share of the work that is done

    Raises
    ------
    ParameterError, DataError, UnsupportedError
    """
    target = validation.positive("target", target)
    log_delta = float(np.log(validation.probability("delta", delta, allow_zero=False, allow_one=False)))
    analysis, unit = analysis_of(mechanism), target_unit(dataset)
    fit = analysis.fit(mechanism, dataset)
    exposures = analysis.of_rows(mechanism, dataset, fit)
    rows, weights = _stratified(exposures.epsilon(log_delta))
    under = exposures.take(rows).log_delta(np.array(target)) <= log_delta
    price = accuracy(mechanism, fit, dataset.X, dataset.y, unit)
    now, points = SettingPoint(mechanism, float(weights @ under), price), []
    penalties = PENALTIES if mechanism.lam > 0 else np.ones(1)
    for step, factor in enumerate(penalties):
        progress(step / len(penalties))
        other = mechanism.with_penalty(mechanism.lam * float(factor))
        try:
            fit = analysis.fit(other, dataset)
            known = analysis.of_rows(other, dataset, fit).take(rows)
        except DPError:
            continue  # too small a penalty for these rows
        for share, noise in zip(_shares(known, weights, target, log_delta), NOISES, strict=True):
            changed = other.with_noise(float(noise))
            points.append(SettingPoint(changed, share, accuracy(changed, fit, dataset.X, dataset.y, unit)))
    return SettingSweep(target, delta, tuple(points), now, sampled=rows.size < dataset.n_samples)


def _shares(known: Exposures, weights: np.ndarray, target: float, log_delta: float) -> list[float]:
    """Share of the rows under the target at each level of noise; a row that is under it stays so with more noise."""
    above, found = np.arange(len(weights)), []
    for noise in NOISES:
        if above.size:
            under = known.take(above).with_noise(float(noise)).log_delta(np.array(target)) <= log_delta
            above = above[~under]
        found.append(float(1 - weights[above].sum()) if above.size else 1.0)
    return found


def _stratified(epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows looked at and the share of all rows that each stands for."""
    order = np.argsort(-epsilon, kind="stable")
    if epsilon.size <= _TAIL + _BODY:
        return order, np.full(epsilon.size, 1 / epsilon.size)
    body = order[np.linspace(_TAIL, epsilon.size - 1, _BODY).astype(np.intp)]
    weights = np.append(np.ones(_TAIL), np.full(_BODY, (epsilon.size - _TAIL) / _BODY)) / epsilon.size
    return np.append(order[:_TAIL], body), weights
