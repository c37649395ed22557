"""Passes over the rows for a publication, one for each sum that it releases with noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcore.individual.fit.refits import rows_per_chunk


@dataclass(frozen=True)
class Passes:
    """How to pass over all rows.

    n_features : number of columns of X; over : function that adds every row to a sum, in any pieces
    """

    n_features: int
    over: Callable[[Any], Any]

    @classmethod
    def in_memory(cls, rows: Any) -> Passes:
        """All rows as one piece."""

        def over(total: Any) -> Any:
            total.add(rows)
            return total

        return cls(rows.X.shape[1], over)


@dataclass
class GridMoments:
    """The upper triangle of XᵀX, and Xᵀy, in whole numbers of a step.

    Each row is rounded before it is added, so that the sums do not depend on the order of the rows.

    Parameters
    ----------
    step : width of the grid
    weight : weight of each entry of the triangle, 1 on the diagonal and √2 beside it
    scale : weight of Xᵀy
    total : both sums, one after the other
    """

    step: float
    weight: np.ndarray
    scale: float
    total: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.total = np.zeros(self.weight.size + self._features)

    @property
    def _features(self) -> int:
        return int(np.sqrt(2 * self.weight.size))

    def add(self, rows: Any) -> None:
        """Add some rows."""
        first, second = np.triu_indices(self._features)
        chunk = rows_per_chunk(self.total.size)
        for start in range(0, len(rows.X), chunk):
            x, y = rows.X[start : start + chunk], rows.y[start : start + chunk, None]
            self.total[: first.size] += np.rint(x[:, first] * x[:, second] * (self.weight / self.step)).sum(axis=0)
            self.total[first.size :] += np.rint(x * (y * (self.scale / self.step))).sum(axis=0)


@dataclass
class BinCounts:
    """Number of rows whose value is in each bin; these counts must not be published without noise.

    value : function of rows X, y; cuts : ends between the bins; count : counts so far, (n_bins,)
    """

    value: Callable[[np.ndarray, np.ndarray], np.ndarray]
    cuts: np.ndarray
    count: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.count = np.zeros(self.cuts.size + 1, dtype=np.int64)

    def add(self, rows: Any) -> None:
        """Add some rows."""
        self.count += np.bincount(np.searchsorted(self.cuts, self.value(rows.X, rows.y)), minlength=self.count.size)
