"""How well coefficients predict, for many coefficient vectors at once."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from dpcore.glm.losses import Logistic, Loss, Poisson, SmoothedHinge

SCORE_TITLES = {
    "accuracy": "accuracy",
    "auc": "area under the ROC curve",
    "mse": "mean squared error",
    "deviance": "mean Poisson deviance",
}
HIGHER_IS_BETTER = {"accuracy": True, "auc": True, "mse": False, "deviance": False}


def score_names(loss: Loss) -> tuple[str, ...]:
    """The scores that suit a loss, the most usual first."""
    if isinstance(loss, Logistic | SmoothedHinge):
        return ("accuracy", "auc")
    return ("deviance",) if isinstance(loss, Poisson) else ("mse",)


def scores(loss: Loss, thetas: np.ndarray, X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Each score of each row of `thetas`, shape (draws, n_features), on the rows X, y.

    Returns
    -------
    dict of arrays (draws,)
        The AUC is nan where all labels are equal; a predictor of exactly 0 counts as the label −1.
    """
    u = np.atleast_2d(thetas) @ X.T
    found = {}
    for name in score_names(loss):
        with np.errstate(over="ignore", invalid="ignore"):
            found[name] = _SCORES[name](u, y)
    return found


def _accuracy(u: np.ndarray, y: np.ndarray) -> np.ndarray:
    return ((u > 0) == (y > 0)).mean(axis=1)


def _auc(u: np.ndarray, y: np.ndarray) -> np.ndarray:
    positive = y > 0
    ones, zeros = int(positive.sum()), int((~positive).sum())
    if not ones or not zeros:
        return np.full(len(u), np.nan)
    ranks = stats.rankdata(u, axis=1)
    return (ranks[:, positive].sum(axis=1) - ones * (ones + 1) / 2) / (ones * zeros)


def _mse(u: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.square(u - y).mean(axis=1)


def _deviance(u: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 2 * (special.xlogy(y, y) - y - y * u + np.exp(u)).mean(axis=1)


_SCORES = {"accuracy": _accuracy, "auc": _auc, "mse": _mse, "deviance": _deviance}
