"""How good a released model is on its rows: the expected score of its loss, noise included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.glm.losses import find
from dpcore.glm.losses.scores import MSE, PredictionScore
from dpcore.individual.analyses.normal_law import centred, predictors
from dpcore.individual.fit.leverage import Leverage
from dpcore.mechanisms.releases import GlmRelease

# Number of draws of θ, and largest number of rows, over which a score is averaged. With either doubled, this takes
# twice as long and the error is smaller by a factor √2.
_DRAWS, _ROWS = 64, 4_000


@dataclass(frozen=True)
class Accuracy:
    """An expected score of the released model on the rows.

    Parameters
    ----------
    name : name of the score
    value : its mean over releases; a root mean squared error is in units of the target as in the file
    fit : the score of the model before noise
    higher_is_better : whether a larger score is better
    share : whether the score is a share of the rows
    beside : name and value of a second score, or None
    """

    name: str
    value: float
    fit: float
    higher_is_better: bool = False
    share: bool = False
    beside: tuple[str, float] | None = None

    @property
    def cost(self) -> float:
        """The score, with its sign changed if a larger score is better: a smaller cost is always better."""
        return -self.value if self.higher_is_better else self.value


def accuracy(
    mechanism: GlmRelease, leverage: Leverage, X: np.ndarray, y: np.ndarray, unit: float = 1.0, *, beside: bool = True
) -> Accuracy:
    r"""Accuracy of one release on rows X (n_samples, n_features), y (n_samples,), by the first score of its loss.

    The release is taken as normal, N(μ, C). This is exact for output perturbation and in linear regression; otherwise
    it is the nearest normal law (`centred`). For losses that are judged by the squared error,

    .. math:: \frac1n E‖y − Xθ‖² = \frac1n ‖y − Xμ‖² + \frac1n \mathrm{tr}(X^⊤XC)

    For other losses, the score is averaged over the normal law of each predictor. If that average has no closed form,
    it is taken over 64 draws, always the same ones. For models other than linear regression, at most 4 000 evenly
    spaced rows are used.

    Parameters
    ----------
    mechanism : one of those with a per-instance analysis
    leverage : the fit that is released
    X, y : the rows on which it is judged, those of the fit or nearly so
    unit : how many units of the file one unit of y is
    beside : whether a second score is wanted too, if the loss has one
    """
    squared = MSE in find(mechanism.loss).scores
    if len(y) > _ROWS and not mechanism.is_linear:
        some = np.unique(np.linspace(0, len(y) - 1, _ROWS).astype(np.intp))
        X, y = X[some], y[some]
    law = centred(mechanism, leverage, X, y)
    if squared:
        return _squared(mechanism, leverage, law, X, y, unit)
    first, *others = find(mechanism.loss).scores
    known = float(first.measure((X @ leverage.theta)[None], y)[0])
    names = [score for score in others[:1] if beside]
    values: tuple[float, ...] = ()
    if names or first.expected is None:
        values = _drawn(mechanism, law, X, y, [first, *names])
    mean = values[0] if first.expected is None else first.expected(*predictors(mechanism, law, X), y)
    second = (names[0].title, values[1]) if names else None
    return Accuracy(first.title, mean, known, first.higher_is_better, first.share, second)


def _drawn(
    mechanism: GlmRelease, law: Leverage, X: np.ndarray, y: np.ndarray, scores: list[PredictionScore]
) -> tuple[float, ...]:
    """Means of scores over draws from a normal law."""
    noise = np.random.default_rng(0).standard_normal((law.theta.size, _DRAWS))
    thetas = law.theta[:, None] + mechanism.nearby(law, noise)
    with np.errstate(over="ignore"):
        return tuple(float(score.measure((X @ thetas).T, y).mean()) for score in scores)


def _squared(
    mechanism: GlmRelease, leverage: Leverage, law: Leverage, X: np.ndarray, y: np.ndarray, unit: float
) -> Accuracy:
    fitted = X @ leverage.theta
    misfit = np.mean(np.square(y - fitted))
    noise = mechanism.noise_error(law, X.T @ X) / len(y)
    expected = np.mean(np.square(y - X @ law.theta)) + noise
    low, high = float(y.min()), float(y.max())
    two_levels = low < 0 < high and bool(np.all((y == low) | (y == high)))
    signs = ("right signs", float(np.mean((fitted > 0) == (y > 0)))) if two_levels else None
    return Accuracy("RMSE", unit * float(np.sqrt(expected)), unit * float(np.sqrt(misfit)), beside=signs)


def target_unit(dataset: Dataset) -> float:
    """How many units of the target in the file one unit of y is; 1 if the target was not mapped by a range."""
    ends, domain = dataset.encoder.target_range, dataset.encoder.domain
    if ends is None or domain is None:
        return 1.0
    return (ends[1] - ends[0]) / (2 * domain.target_bound)


def targets_in(dataset: Dataset, ends: tuple[float, float] | None) -> tuple[np.ndarray, float]:
    r"""The targets (n_samples,) of a data set as if (low, high) were mapped to [−B, B], but not cut, and their unit.

    Parameters
    ----------
    dataset : whose own range of the target is another one
    ends : (low, high) in units of the file; None for the own range
    """
    was, domain = dataset.encoder.target_range, dataset.encoder.domain
    if ends is None or was is None or domain is None:
        return dataset.y, target_unit(dataset)
    (low, high), (new_low, new_high), bound = was, ends, domain.target_bound
    y = ((low + high) + dataset.y * (high - low) / bound - (new_low + new_high)) * bound / (new_high - new_low)
    return y, (new_high - new_low) / (2 * bound)
