"""Random splits into rows to train on and rows to test on."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.data import Dataset
from dpcore.errors import DataError, ParameterError
from dpcore.glm.losses import LOSSES, Loss, PredictionScore


@dataclass(frozen=True, eq=False)
class Split:
    """Training rows as a data set, and test rows as arrays."""

    train: Dataset
    X_test: np.ndarray
    y_test: np.ndarray


def split(dataset: Dataset, test_share: float = 0.2, repeat: int = 0, seed: int = 0, rows: int | None = None) -> Split:
    """A random split: the same arguments give the same rows, another `repeat` or `seed` gives another split.

    Parameters
    ----------
    dataset : Dataset with a public domain
    test_share : in (0, 1)
    repeat, seed : whole numbers ≥ 0
    rows : number of training rows to keep; by default all

    Raises
    ------
    ParameterError, DataError
    """
    share = validation.open_probability("test_share", test_share)
    order = np.random.default_rng([seed, repeat]).permutation(dataset.n_samples)
    count = max(1, round(share * dataset.n_samples))
    train, test = order[count:], order[:count]
    if not train.size:
        raise DataError(f"{dataset.n_samples} rows cannot be split into training and test rows: use more rows.")
    if rows is not None:
        rows = validation.at_least_one("rows", rows)
        if rows > train.size:
            raise ParameterError(f"rows must be <= {train.size}, the rows left for training, got {rows}")
        train = train[:rows]
    part = Dataset(dataset.X[train], dataset.y[train], dataset.names, dataset.target, dataset.domain)
    return Split(part, dataset.X[test], dataset.y[test])


SCORES: dict[str, PredictionScore] = {score.name: score for loss in LOSSES.values() for score in loss.scores}


def scores(
    loss: Loss, thetas: np.ndarray, X: np.ndarray, y: np.ndarray, names: Collection[str] | None = None
) -> dict[str, np.ndarray]:
    """Each score of each row of `thetas`, shape (draws, n_features), on the rows X, y.

    Parameters
    ----------
    loss : the loss, which defines the scores
    thetas, X, y : coefficients, and the rows they predict
    names : names of the scores wanted; by default all

    Returns
    -------
    dict of arrays (draws,)
        The keys are the names of `loss.scores`. The AUC is nan if all labels are equal; a predictor of exactly 0 counts
        as the label −1.
    """
    u = np.atleast_2d(thetas) @ X.T
    with np.errstate(over="ignore", invalid="ignore"):
        return {score.name: score.measure(u, y) for score in loss.scores if names is None or score.name in names}
