"""What a released model is worth on its rows: the expected score of its loss, noise included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.glm.losses import find
from dpcore.glm.losses.scores import MSE
from dpcore.individual.fit.leverage import Leverage
from dpcore.mechanisms.releases import GlmRelease

_DRAWS, _ROWS = 64, 4_000


@dataclass(frozen=True)
class Accuracy:
    """An expected score of the released model on the rows.

    Parameters
    ----------
    name : of the score
    value : its mean over releases; a root mean squared error in units of the target as in the file
    fit : the same of the model before noise
    higher_is_better : direction
    share : whether it is a share of the rows
    beside : another score, by name, or None
    """

    name: str
    value: float
    fit: float
    higher_is_better: bool = False
    share: bool = False
    beside: tuple[str, float] | None = None

    @property
    def cost(self) -> float:
        """The score, turned so that less is better."""
        return -self.value if self.higher_is_better else self.value


def accuracy(mechanism: GlmRelease, leverage: Leverage, X: np.ndarray, y: np.ndarray, unit: float = 1.0) -> Accuracy:
    r"""Accuracy of one release on rows X (n_samples, n_features), y (n_samples,), by the first score of its loss.

    Of losses judged by the squared error, with the covariance of the law around θ̂ (`GlmRelease.nearby`):

    .. math:: \frac1n E‖y − Xθ‖² = \frac1n ‖y − X\hat θ‖² + \frac1n \mathrm{tr}(X^⊤X\,\mathrm{Cov}\,θ)

    Of others the mean over 64 draws from that law, always the same ones, on at most 4 000 evenly spaced rows.

    Parameters
    ----------
    mechanism : one of those with a per-instance analysis
    leverage : the fit that is released
    unit : what one unit of y is worth in units of the file
    X, y : rows it is used on
    """
    if MSE in find(mechanism.loss).scores:
        return _squared(mechanism, leverage, X, y, unit)
    some = np.unique(np.linspace(0, len(y) - 1, _ROWS).astype(np.intp)) if len(y) > _ROWS else slice(None)
    X, y = X[some], y[some]
    noise = np.random.default_rng(0).standard_normal((leverage.theta.size, _DRAWS))
    predictors = X @ np.column_stack([leverage.theta, leverage.theta[:, None] + mechanism.nearby(leverage, noise)])
    first, *others = find(mechanism.loss).scores
    with np.errstate(over="ignore"):
        values = first.measure(predictors.T, y)
        beside = [(score.title, float(score.measure(predictors.T[1:], y).mean())) for score in others[:1]]
    return Accuracy(
        first.title, float(values[1:].mean()), float(values[0]), first.higher_is_better, first.share,
        beside[0] if beside else None,
    )  # fmt: skip


def _squared(mechanism: GlmRelease, leverage: Leverage, X: np.ndarray, y: np.ndarray, unit: float) -> Accuracy:
    fitted = X @ leverage.theta
    misfit = float(np.mean(np.square(y - fitted)))
    noise = mechanism.noise_error(leverage, X.T @ X) / len(y)
    low, high = float(y.min()), float(y.max())
    two_levels = low < 0 < high and bool(np.all((y == low) | (y == high)))
    signs = ("right signs", float(np.mean((fitted > 0) == (y > 0)))) if two_levels else None
    return Accuracy("RMSE", unit * float(np.sqrt(misfit + noise)), unit * float(np.sqrt(misfit)), beside=signs)


def target_unit(dataset: Dataset) -> float:
    """What one unit of y is worth in units of the target in the file; 1 where it was not mapped by a range."""
    ends, domain = dataset.encoder.target_range, dataset.encoder.domain
    if ends is None or domain is None:
        return 1.0
    return (ends[1] - ends[0]) / (2 * domain.target_bound)
