"""What a released ridge regression is worth on its rows: expected squared error, exact for each mechanism."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.individual.fit.leverage import Leverage
from dpcore.mechanisms.releases import GlmRelease


@dataclass(frozen=True)
class Accuracy:
    """Root of the expected mean squared error of the released model on the rows, in units of the target as in the file.

    fit : the same of the model before noise; signs : share of rows whose side of 0 the model before noise finds, None
    where the target has more than two levels.
    """

    rmse: float
    fit: float
    signs: float | None


def accuracy(mechanism: GlmRelease, leverage: Leverage, X: np.ndarray, y: np.ndarray, unit: float = 1.0) -> Accuracy:
    r"""Accuracy of one release on rows X (n_samples, n_features), y (n_samples,).

    .. math:: \frac1n E‖y − Xθ‖² = \frac1n ‖y − X\hat θ‖² + \frac1n \mathrm{tr}(X^⊤X\,\mathrm{Cov}\,θ)

    Parameters
    ----------
    mechanism : one of those with a per-instance analysis
    leverage : the fit that is released
    unit : what one unit of y is worth in units of the file
    X, y : rows it is used on
    """
    fitted = X @ leverage.theta
    misfit = float(np.mean(np.square(y - fitted)))
    noise = mechanism.noise_error(leverage, X.T @ X) / len(y)
    low, high = float(y.min()), float(y.max())
    two_levels = low < 0 < high and bool(np.all((y == low) | (y == high)))
    signs = float(np.mean((fitted > 0) == (y > 0))) if two_levels else None
    return Accuracy(unit * float(np.sqrt(misfit + noise)), unit * float(np.sqrt(misfit)), signs)


def target_unit(dataset: Dataset) -> float:
    """What one unit of y is worth in units of the target in the file; 1 where it was not mapped by a range."""
    ends, domain = dataset.encoder.target_range, dataset.encoder.domain
    if ends is None or domain is None:
        return 1.0
    return (ends[1] - ends[0]) / (2 * domain.target_bound)
