"""The ε that remains when γ of a posterior sample tends to 0: the covariance alone reveals a row."""

from dataclasses import dataclass

import numpy as np

from dpcore.errors import UnsupportedError
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy


@dataclass(frozen=True, eq=False)
class Floor:
    """ε of one row and median ε against γ, nats, and the floors to which both fall as γ → 0."""

    gamma: np.ndarray
    row: np.ndarray
    median: np.ndarray
    row_floor: float
    median_floor: float


def floors(result: IndividualPrivacy) -> np.ndarray:
    """Limit of ε of every row for infinite noise, nats, shape (n_samples,): what the shape of the noise reveals."""
    return result.exposures.with_noise(np.inf).epsilon(float(np.log(result.delta)))


def floor_curve(result: IndividualPrivacy, index: int) -> Floor:
    """ε of one row and the median over the rows, for γ from 1e-6 to 1e3.

    Raises
    ------
    UnsupportedError
        If the mechanism is not a posterior sample.
    """
    now = result.mechanism.inverse_temperature
    if now is None:
        raise UnsupportedError(
            "only the covariance of a posterior sample depends on the rows in a way that γ cannot hide"
        )
    n = result.epsilon.size
    index = position(index, n)
    lowest = floors(result)
    gamma = np.geomspace(1e-6, 1e3, 60)
    log_delta = float(np.log(result.delta))
    rows = np.unique(np.append(np.linspace(0, n - 1, min(n, 500)).astype(int), index))
    shown = result.exposures.take(rows)
    values = np.array([shown.with_noise(share).epsilon(log_delta) for share in np.sqrt(now / gamma)])
    row = values[:, int(np.searchsorted(rows, index))]
    return Floor(gamma, row, np.median(values, axis=1), float(lowest[index]), float(np.median(lowest[rows])))
