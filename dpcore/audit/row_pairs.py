"""The membership game against a per-instance claim: one row of one data set, released once."""

import numpy as np

from dpcore.audit.game import Game
from dpcore.audit.learner_pairs import checked_row
from dpcore.audit.ridge_law import RidgeLaw
from dpcore.data import Dataset
from dpcore.individual import IndividualPrivacy
from dpcore.mechanisms.pairs import Pair


def row_game(dataset: Dataset, result: IndividualPrivacy, row: int) -> Game:
    """Is this row in the data behind one released linear regression? The claim is the row's own exact profile.

    Parameters
    ----------
    dataset : the data set `result` was computed for
    result : exposures of its rows under a release
    row : index of the row

    Raises
    ------
    DataError
        If the row does not exist.
    """
    row, mechanism = checked_row(dataset, row), result.mechanism
    keep = np.arange(dataset.n_samples) != row
    gram = dataset.X.T @ dataset.X
    absent = RidgeLaw.of(mechanism, dataset.X[keep], dataset.y[keep], gram).density()
    present = RidgeLaw.of(mechanism, dataset.X, dataset.y, gram).density()
    x, y = dataset.X[row], dataset.y[row]
    pair = Pair(
        absent.sample,
        present.sample,
        lambda outputs: present.log_density(outputs) - absent.log_density(outputs),
        lambda outputs: -((y - outputs @ x) ** 2),
    )
    return Game(f"R{dataset.row_name(row)[1:]}", pair, result.profile(row), "one row of the data, out and in")
