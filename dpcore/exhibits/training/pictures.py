"""Summaries of live draws and studies, for pictures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.exhibits.training.noise_draws import LiveResult
from dpcore.exhibits.training.study import Series
from dpcore.glm.losses import PredictionScore

_LEVELS = (0.05, 0.5, 0.95)
CLAIMED = ("DP-SGD, dishonest",)


def in_bars(values: Sequence[float], bars: int) -> tuple[np.ndarray, np.ndarray]:
    """The number of finite values in each of some bars of one width from the least to the largest, and the bars' edges."""
    finite = np.array(values)[np.isfinite(values)]
    return np.histogram(finite, bars, (finite.min(), finite.max() if np.ptp(finite) else finite.min() + bars))


@dataclass(frozen=True, eq=False)
class CoefficientSpread:
    """The ranges of the coefficients over the draws, largest coefficient first.

    Parameters
    ----------
    names : columns
    centre : array, the minimiser without noise
    low, high : arrays, 5 % and 95 % quantiles of the draws
    """

    names: tuple[str, ...]
    centre: np.ndarray
    low: np.ndarray
    high: np.ndarray


def coefficient_spread(result: LiveResult, most: int = 40) -> CoefficientSpread:
    """The ranges of the coefficients that are largest without noise."""
    order = np.argsort(-np.abs(result.centre), kind="stable")[:most]
    low, _, high = np.quantile(result.theta[:, order], _LEVELS, axis=0)
    return CoefficientSpread(tuple(result.names[i] for i in order), result.centre[order], low, high)


@dataclass(frozen=True)
class ScoreSummary:
    """5 %, 50 % and 95 % quantiles of one score over the draws."""

    low: float
    median: float
    high: float


def summary(values: np.ndarray) -> ScoreSummary:
    """Quantiles of the finite values; nan if there are none."""
    finite = np.asarray(values)[np.isfinite(values)]
    return ScoreSummary(*(np.quantile(finite, _LEVELS) if finite.size else (np.nan,) * 3))


def baseline(series: Iterable[Series], score: str) -> float:
    """Mean score of the learner without a target; nan if it has not run."""
    found = [entry.mean[0] for entry in series if entry.score == score and np.isnan(entry.epsilon).all()]
    return float(found[0]) if found else float("nan")


def of_score(series: Iterable[Series], score: str) -> list[Series]:
    """The series of one score whose learners have a target ε."""
    return [entry for entry in series if entry.score == score and np.isfinite(entry.epsilon).all()]


def nearest_to_one(series: Iterable[Series], score: PredictionScore | None) -> tuple[str, float, float] | None:
    """Learner, ε and mean of the best series at the ε nearest to 1, without claims that are no guarantee; else None."""
    held = [entry for entry in series if entry.name not in CLAIMED]
    if not held or score is None:
        return None
    epsilon = min((one for entry in held for one in entry.epsilon.tolist()), key=lambda one: abs(np.log(one)))
    at = [
        (float(entry.mean[list(entry.epsilon).index(epsilon)]), entry.name)
        for entry in held
        if epsilon in entry.epsilon
    ]
    best, name = max(at) if score.higher_is_better else min(at)
    return name, float(epsilon), best
