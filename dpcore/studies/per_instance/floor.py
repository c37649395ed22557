"""What remains of ε when a posterior sample gets infinitely hot: the covariance alone shows a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.errors import UnsupportedError
from dpcore.individual.analyses.posterior_sampling import PosteriorSample
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.reasons import position
from dpcore.mechanisms.posterior_sampling import PosteriorSampling


@dataclass(frozen=True, eq=False)
class Floor:
    """ε against γ of one row and of the median row, nats, and the floors both fall to as γ → 0."""

    gamma: np.ndarray
    row: np.ndarray
    median: np.ndarray
    row_floor: float
    median_floor: float


def floors(result: IndividualPrivacy) -> np.ndarray:
    """lim ε of every row as γ → 0, nats, shape (n_samples,): the laws N(0, μ) and N(0, μ/(1+μ)).

    Raises
    ------
    UnsupportedError
        If the mechanism is not a posterior sample.
    """
    if not isinstance(result.mechanism, PosteriorSampling):
        raise UnsupportedError(
            "only the covariance of a posterior sample depends on the rows in a way that γ cannot hide"
        )
    return result.exposures.with_noise(np.inf).epsilon(float(np.log(result.delta)))


def floor_curve(result: IndividualPrivacy, index: int, points: int = 60) -> Floor:
    """ε of one row and the median over the rows for γ from 1e-6 to 1e3 around the data.

    Raises
    ------
    UnsupportedError
    """
    index = position(index, result.epsilon.size)
    lowest = floors(result)
    gamma = np.geomspace(1e-6, 1e3, points)
    mu, residual = result.exposures.mu, np.abs(result.leverage.loo_residual)
    log_delta = float(np.log(result.delta))
    shown = np.unique(np.append(np.linspace(0, mu.size - 1, min(mu.size, 500)).astype(int), index))
    values = np.array([PosteriorSample(mu[shown], np.sqrt(g) * residual[shown]).epsilon(log_delta) for g in gamma])
    row = values[:, int(np.searchsorted(shown, index))]
    return Floor(gamma, row, np.median(values, axis=1), float(lowest[index]), float(np.median(lowest[shown])))
