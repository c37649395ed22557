"""A sample of rows that represents all: the most and least visible ones, and some of the others at even steps."""

from __future__ import annotations

import numpy as np

# How many of the most visible rows, and of the least visible ones, represent only themselves. Doubled, each other row of
# the sample represents more rows.
_ALONE = 50


def representatives(visibility: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Positions of rows that represent all rows, and how many rows each of them represents.

    At most `size` positions (or 150, if that is more) are returned, in decreasing order of `visibility` (n_samples,).
    They are the most and the least visible rows; the others are cut into groups of about equal size, and the middle row
    of each represents its group. The numbers of rows add up to all rows. If there are no more than `size` rows, all
    positions are returned in their own order, and None for the numbers.
    """
    n, size = visibility.size, max(size, 3 * _ALONE)
    if n <= size:
        return np.arange(n), None
    order = np.argsort(-visibility, kind="stable")
    ends = np.linspace(_ALONE, n - _ALONE, size - 2 * _ALONE + 1).astype(np.intp)
    ends = np.concatenate([np.arange(_ALONE), ends, np.arange(n - _ALONE + 1, n + 1)])
    return order[(ends[:-1] + ends[1:]) // 2], np.diff(ends)
