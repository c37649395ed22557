"""Ridge fits without one row by orthogonal factors, for the few rows that decide the fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from dpcore.data.dataset import Dataset
from dpcore.errors import DataError

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, eq=False, repr=False)
class Refits:
    """Fits without one row each: leverage μ, residual r (k,) and direction H⁻¹x (k, n_features) of `rows` (k,)."""

    rows: np.ndarray
    leverage: np.ndarray
    residual: np.ndarray
    directions: np.ndarray

    @classmethod
    def none(cls, features: int) -> Refits:
        """Of no row."""
        return cls(np.empty(0, dtype=np.intp), np.empty(0), np.empty(0), np.empty((0, features)))


def rows_per_chunk(width: int) -> int:
    """Rows of `width` float64 columns in about one megabyte, which fits the cache."""
    return max(64, _CHUNK_BYTES // (8 * width))


def refit(dataset: Dataset, rows: np.ndarray, lam: float) -> Refits:
    """Leave each of `rows` out and fit the others; at most about n_features rows can need it.

    Raises
    ------
    DataError
        If the other rows do not determine the fit.
    """
    common = _stacked(dataset, lam, rows) if len(rows) else np.empty((0, dataset.n_features + 1))
    return refit_each(common, dataset.X[rows], dataset.y[rows], rows, dataset.row_labels[rows], lam)


def refit_each(
    common: np.ndarray, X: np.ndarray, y: np.ndarray, rows: np.ndarray, labels: np.ndarray, lam: float
) -> Refits:
    """Leave each of some rows out: X (k, n_features), y (k,); `common` is the triangular factor of all other rows.

    Parameters
    ----------
    common : triangular factor of all other rows
    X, y : the rows to leave out, (k, n_features) and (k,)
    rows, labels : their positions and their numbers in the file
    lam : ridge penalty λ
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


def triangular(dataset: Dataset, lam: float) -> tuple[np.ndarray | None, np.ndarray]:
    """Upper R with RᵀR = XᵀX + λI, and R⁻ᵀXᵀy; None for R where it is singular to working precision."""
    return solved(_stacked(dataset, lam, np.empty(0, dtype=np.intp)))


def _stacked(dataset: Dataset, lam: float, without: np.ndarray) -> np.ndarray:
    """Triangular factor of [X | y] stacked on [√λ I | 0], one chunk of rows at a time; `without` is sorted."""
    factor = penalty(dataset.n_features, lam)
    chunk = rows_per_chunk(dataset.n_features + 1)
    for start in range(0, dataset.n_samples, chunk):
        rows = slice(start, start + chunk)
        block = np.column_stack([dataset.X[rows], dataset.y[rows]])
        first, last = np.searchsorted(without, [start, start + chunk])
        block = np.delete(block, without[first:last] - start, axis=0)
        factor = reduced(factor, block)
    return factor


def penalty(features: int, lam: float) -> np.ndarray:
    """[√λ I | 0], the rows that stand for the penalty."""
    return np.column_stack([np.sqrt(lam) * np.eye(features), np.zeros(features)])


def reduced(factor: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Triangular factor of two blocks of rows, the longest rows first: small rows survive beside huge ones."""
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
