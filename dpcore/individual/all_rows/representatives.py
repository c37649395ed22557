"""Rows that stand for all: the most visible ones, and of the others every so many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Most and least visible rows that stand for themselves; doubled, others stand for more rows each.
_MOST, _LEAST = 50, 20


@dataclass(frozen=True, eq=False)
class Representatives:
    """Positions of rows, and how many rows each of them stands for; the numbers add up to that of all rows.

    Parameters
    ----------
    rows : positions (n_sampled,)
    weights : whole numbers (n_sampled,), None where all rows are in it
    """

    rows: np.ndarray
    weights: np.ndarray | None

    @classmethod
    def of(cls, visibility: np.ndarray, size: int) -> Representatives:
        """At most `size` rows (at least 100), ordered by how visible they are (n_samples,), about: the most and the least
        visible ones, and of the others the middle one of each of equally many."""
        n, size = visibility.size, max(size, _MOST + _LEAST + 30)
        if n <= size:
            return cls(np.arange(n), None)
        order = np.argsort(-visibility, kind="stable")
        most, rest, least = order[:_MOST], order[_MOST : n - _LEAST], order[n - _LEAST :]
        ends = np.linspace(0, rest.size, size - _MOST - _LEAST + 1).astype(np.intp)
        middle = rest[(ends[:-1] + ends[1:]) // 2]
        alone = np.ones(_MOST, dtype=np.intp), np.ones(_LEAST, dtype=np.intp)
        return cls(np.concatenate([most, middle, least]), np.concatenate([alone[0], np.diff(ends), alone[1]]))
