"""How well coefficients predict, for many coefficient vectors at once."""

from collections.abc import Collection

import numpy as np

from dpcore.glm.losses import LOSSES, Loss, PredictionScore

SCORES: dict[str, PredictionScore] = {score.name: score for loss in LOSSES.values() for score in loss.scores}


def scores(
    loss: Loss, thetas: np.ndarray, X: np.ndarray, y: np.ndarray, names: Collection[str] | None = None
) -> dict[str, np.ndarray]:
    """Each score of each row of `thetas`, shape (draws, n_features), on the rows X, y.

    Parameters
    ----------
    loss : says which scores there are
    thetas, X, y : coefficients, and the rows they predict
    names : of the scores wanted; all if not given

    Returns
    -------
    dict of arrays (draws,)
        By the names of `loss.scores`. The AUC is nan where all labels are equal; a predictor of exactly 0 counts as the
        label −1.
    """
    u = np.atleast_2d(thetas) @ X.T
    with np.errstate(over="ignore", invalid="ignore"):
        return {score.name: score.measure(u, y) for score in loss.scores if names is None or score.name in names}
