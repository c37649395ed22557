"""The score of a model that knows no features."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from dpcore.glm.losses import Loss, find
from dpcore.glm.losses.scores import MSE

_FARTHEST = 30.0  # largest predictor of the trivial model; doubled, no score changes in its first twelve digits


def trivial_score(loss: Loss | None, y: np.ndarray, unit: float = 1.0) -> float:
    r"""Score of the best constant predictor on targets y (n_samples,).

    .. math:: \hat c = \arg\min_c \sum_i f(c; y_i)

    Parameters
    ----------
    loss : f
    y : targets
    unit : how many units of the file one unit of y is; a root mean squared error is in units of the file
    """
    found = find(loss)
    if MSE in found.scores:
        return unit * float(y.std())
    constant = minimize_scalar(
        lambda c: float(np.mean(found.value(np.full(y.shape, c), y))), bounds=(-_FARTHEST, _FARTHEST), method="bounded"
    ).x
    return float(found.scores[0].measure(np.full((1, y.size), constant), y)[0])
