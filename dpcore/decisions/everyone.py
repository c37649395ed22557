"""ε of everyone in a file: of each row that is a person by itself, and of each person with several rows together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcore.data.names import grouped
from dpcore.errors import UnsupportedError
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.group_privacy import joint_epsilon, together

# Rows of the file times rows of persons with several, each of which takes a fit of its own. Doubled, the longest wait
# is twice as long.
MOST_WORK = 4_000_000


def is_affordable(n_samples: int, groups: Sequence[np.ndarray]) -> bool:
    """Whether ε of every person can be computed."""
    return n_samples * sum(rows.size for rows in groups) <= MOST_WORK


def everyone(result: IndividualPrivacy, groups: Sequence[np.ndarray] = ()) -> np.ndarray:
    """ε of everyone, nats: of the rows that are in no group, then of each group by group privacy; (n_persons,).

    Parameters
    ----------
    result : ε of every row
    groups : positions of the rows of each person with several

    Raises
    ------
    DataError, UnsupportedError
        If a person has nearly all rows, or the persons have too many.
    """
    if not is_affordable(result.epsilon.size, groups):
        raise UnsupportedError(
            f"ε per person is too much work for {grouped(len(groups))} persons with several of {grouped(result.epsilon.size)} "
            "rows: keep one row of each person, or take a sample of the persons"
        )
    alone = np.ones(result.epsilon.size, dtype=bool)
    for rows in groups:
        alone[rows] = False
    return np.append(result.epsilon[alone], [_of_person(result, rows) for rows in groups])


def _of_person(result: IndividualPrivacy, rows: np.ndarray) -> float:
    joint = joint_epsilon(result, rows)
    found = together(result, rows).epsilon if joint is None else joint
    return max(found, float(result.epsilon[rows].max()))  # a bound on all together may fall below ε of one
