"""Ridge fits without one row by orthogonal factors, for the few rows that alone determine a direction of the fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from dpcore.errors import DataError
from dpcore.glm.threads import BLOCK_BYTES


@dataclass(frozen=True, eq=False, repr=False)
class Refits:
    """Fits without one row each: leverage μ, residual r (k,) and direction H⁻¹x (k, n_features) of `rows` (k,)."""

    rows: np.ndarray
    leverage: np.ndarray
    residual: np.ndarray
    directions: np.ndarray


def rows_per_chunk(width: int) -> int:
    """Rows of `width` float64 columns in about one megabyte, which fits the cache."""
    return max(64, BLOCK_BYTES // (16 * width))


@np.errstate(all="ignore")
def refit(common: np.ndarray, X: np.ndarray, y: np.ndarray, rows: np.ndarray, labels: np.ndarray, lam: float) -> Refits:
    """Leave each of some rows out and fit the others; at most about n_features rows can need it.

    Parameters
    ----------
    common : triangular factor of all other rows
    X, y : the rows to leave out, (k, n_features) and (k,)
    rows, labels : their positions and their numbers in the file
    lam : ridge penalty λ

    Raises
    ------
    DataError
        If the other rows do not determine the fit.
    """
    leverage, residual = np.empty(len(rows)), np.empty(len(rows))
    directions = np.empty(X.shape)
    own = np.column_stack([X, y])
    for k, x in enumerate(X):
        upper, target = solved(reduced(common, np.delete(own, k, axis=0)))
        if upper is None:
            raise DataError(
                f"Without row {labels[k]} the coefficients are not determined with lam = {lam:g}, so its "
                "privacy loss has no meaning: use a larger lam."
            )
        whitened = linalg.solve_triangular(upper, x, trans="T")
        leverage[k] = whitened @ whitened
        residual[k] = y[k] - x @ linalg.solve_triangular(upper, target)
        directions[k] = linalg.solve_triangular(upper, whitened)
    return Refits(rows, leverage, residual, directions)


@dataclass
class Triangle:
    """Triangular factor of [X | y] over the rows added so far, by orthogonal transformations.

    factor : the triangle; without : numbers of the rows that are left out
    """

    factor: np.ndarray
    without: frozenset[int] = frozenset()

    @classmethod
    def of_penalty(cls, features: int, lam: float, without: frozenset[int] = frozenset()) -> Triangle:
        """[√λ I | 0] and no rows yet."""
        return cls(np.column_stack([np.sqrt(lam) * np.eye(features), np.zeros(features)]), without)

    def empty(self) -> Triangle:
        """No penalty and no rows yet."""
        return Triangle(np.empty((0, self.factor.shape[1])), self.without)

    def merge(self, other: Triangle) -> None:
        """Add the rows of another part, whose factor holds no penalty."""
        self.factor = reduced(self.factor, other.factor)

    def add(self, block: Any) -> None:
        """Add the rows of a block."""
        self.add_rows(block.X, block.y, block.rows)

    def add_rows(self, X: np.ndarray, y: np.ndarray, numbers: np.ndarray) -> None:
        """Add rows of these numbers, one chunk at a time."""
        step = rows_per_chunk(self.factor.shape[1])
        for start in range(0, len(y), step):
            part = slice(start, start + step)
            rows = np.column_stack([X[part], y[part]])
            if self.without:
                rows = rows[~np.isin(numbers[part], list(self.without))]
            self.factor = reduced(self.factor, rows)


def triangle(X: np.ndarray, y: np.ndarray, lam: float, without: Iterable[int] = ()) -> np.ndarray:
    """Triangular factor of [X | y] stacked on [√λ I | 0], without the rows at some positions."""
    total = Triangle.of_penalty(X.shape[1], lam, frozenset(without))
    total.add_rows(X, y, np.arange(len(y)))
    return total.factor


def reduced(factor: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Triangular factor of two blocks of rows; the longest rows come first, so that small ones keep their digits."""
    rows = np.vstack([factor, block])
    longest_first = rows[np.argsort(-np.square(rows[:, :-1]).sum(axis=1))]
    return np.asarray(np.linalg.qr(longest_first, mode="r"))


def solved(factor: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Split a triangular factor of [X | y] into R with positive diagonal and Qᵀy."""
    features = factor.shape[1] - 1
    upper, target = factor[:features, :features], factor[:features, features]
    if len(upper) < features:
        return None, target
    length = np.linalg.norm(upper, axis=0)
    singular = np.linalg.svd(upper / np.where(length > 0, length, 1.0), compute_uv=False)
    if singular[-1] <= 100 * features * np.finfo(float).eps * singular[0]:
        return None, target
    sign = np.where(np.diag(upper) < 0, -1.0, 1.0)
    return sign[:, None] * upper, sign * target
