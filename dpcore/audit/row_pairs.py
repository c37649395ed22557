"""The membership game against a per-instance claim: one row of one data set, released by a posterior sample."""

from __future__ import annotations

import numpy as np

from dpcore import validation
from dpcore.audit.game import Game
from dpcore.data import Dataset
from dpcore.errors import DataError
from dpcore.individual import IndividualPrivacy
from dpcore.learners.laws import GaussianLaw
from dpcore.mechanisms import PosteriorSampling
from dpcore.mechanisms.pairs import Pair


def row_game(dataset: Dataset, result: IndividualPrivacy, row: int) -> Game:
    """Is this row in the data behind one posterior sample? The claim is the row's own exact profile.

    Parameters
    ----------
    dataset : the data set `result` was computed for
    result : exposures of its rows under a `PosteriorSampling` mechanism
    row : index of the row

    Raises
    ------
    DataError
        If the row does not exist or the result belongs to another mechanism.
    """
    row = validation.integer("row", row, minimum=0)
    mechanism = result.mechanism
    if not isinstance(mechanism, PosteriorSampling):
        raise DataError("The exposures were not computed for a posterior sample; compute them for one first.")
    if row >= dataset.n_samples:
        raise DataError(f"There is no row at index {row}: the data set has {dataset.n_samples} rows.")
    keep = np.arange(dataset.n_samples) != row
    absent, present = _law(dataset.X[keep], dataset.y[keep], mechanism), _law(dataset.X, dataset.y, mechanism)
    x, y = dataset.X[row], dataset.y[row]
    pair = Pair(
        absent.sample,
        present.sample,
        lambda outputs: present.log_density(outputs) - absent.log_density(outputs),
        lambda outputs: -((y - outputs @ x) ** 2),
    )
    return Game(f"R{dataset.row_name(row)[1:]}", pair, result.profile(row), "one row of the data, out and in")


def _law(X: np.ndarray, y: np.ndarray, mechanism: PosteriorSampling) -> GaussianLaw:
    hessian = X.T @ X + mechanism.lam * np.eye(X.shape[1])
    return GaussianLaw(np.linalg.solve(hessian, X.T @ y), np.linalg.cholesky(mechanism.gamma * hessian))
