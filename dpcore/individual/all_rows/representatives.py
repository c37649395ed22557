"""Rows that stand for all: the most visible ones, and of the others every so many."""

from __future__ import annotations

import numpy as np

# Most and least visible rows that stand for themselves; doubled, others stand for more rows each.
_MOST, _LEAST = 50, 20


def representatives(visibility: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Positions of at most `size` rows (at least 100), ordered by how visible they are (n_samples,), about: the most and the
    least visible ones, and of the others the middle one of each of equally many. Then how many rows each of them stands for,
    which add up to all rows; None where all rows are in it."""
    n, size = visibility.size, max(size, _MOST + _LEAST + 30)
    if n <= size:
        return np.arange(n), None
    order = np.argsort(-visibility, kind="stable")
    ends = np.linspace(_MOST, n - _LEAST, size - _MOST - _LEAST + 1).astype(np.intp)
    ends = np.concatenate([np.arange(_MOST), ends, np.arange(n - _LEAST + 1, n + 1)])
    return order[(ends[:-1] + ends[1:]) // 2], np.diff(ends)
