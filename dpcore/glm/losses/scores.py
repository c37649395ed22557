"""How predictions are judged: scores of many predictors xᵀθ at once against the targets."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special


@dataclass(frozen=True)
class PredictionScore:
    """One way to judge predictions.

    Parameters
    ----------
    name, title : in code and on the screen
    higher_is_better : direction
    measure : predictors (draws, n_samples) and targets (n_samples,) to scores (draws,)
    share : whether it is a share of the rows, which people read in per cent
    expected : mean score where the predictor of each row is normal, from means, variances and targets (n_samples,); None
        where only draws give it
    """

    name: str
    title: str
    higher_is_better: bool
    measure: Callable[[np.ndarray, np.ndarray], np.ndarray]
    share: bool = False
    expected: Callable[[np.ndarray, np.ndarray, np.ndarray], float] | None = None


def _accuracy(u: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Share of rows whose predictor has the sign of the label; 0 counts as −1."""
    return ((u > 0) == (y > 0)).mean(axis=1)


def _expected_accuracy(mean: np.ndarray, variance: np.ndarray, y: np.ndarray) -> float:
    """Mean of Φ(±m/s), the sign that of the label."""
    with np.errstate(divide="ignore", invalid="ignore"):
        right = special.ndtr(np.where(y > 0, mean, -mean) / np.sqrt(variance))
    return float(np.where(variance > 0, right, (mean > 0) == (y > 0)).mean())


def _auc(u: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Probability that a positive row has the larger predictor; nan where all labels are equal."""
    positive = y > 0
    ones, zeros = int(positive.sum()), int((~positive).sum())
    if not ones or not zeros:
        return np.full(len(u), np.nan)
    from scipy import stats

    ranks = stats.rankdata(u, axis=1)
    return (ranks[:, positive].sum(axis=1) - ones * (ones + 1) / 2) / (ones * zeros)


def _mse(u: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.square(u - y).mean(axis=1)


def _expected_mse(mean: np.ndarray, variance: np.ndarray, y: np.ndarray) -> float:
    return float((np.square(mean - y) + variance).mean())


ACCURACY = PredictionScore("accuracy", "accuracy", True, _accuracy, share=True, expected=_expected_accuracy)
AUC = PredictionScore("auc", "area under the ROC curve", True, _auc)
MSE = PredictionScore("mse", "mean squared error", False, _mse, expected=_expected_mse)
