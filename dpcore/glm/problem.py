"""The objective every solver works on: a sum of losses, a ridge penalty and a linear term."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.data.arrays import check_sizes, finite_array
from dpcore.errors import ParameterError
from dpcore.glm import losses
from dpcore.glm.losses import Clipped, ClippedMean, Loss
from dpcore.glm.threads import BLOCK_BYTES, over_blocks

_READING = 8  # effort of reading one number, in multiplications of a matrix product
_COLUMN_BYTES = 1 << 19  # bytes of a block's predictors when many θ share a pass, so that temporaries stay in the cache


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    r"""Regularised, linearly perturbed empirical risk of a generalised linear model, in sum form.

    .. math:: J(θ) = \sum_{i=1}^n f(x_i^⊤θ; y_i) + \frac λ2 \sum_j w_j θ_j² + b^⊤θ

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    X : array (n_samples, n_features)
    y : array (n_samples,)
    lam : float ≥ 0
        λ, sum form. With 0 a minimiser need not exist.
    linear : array (n_features,), optional
        b, by default 0; the noise of objective perturbation.
    weights : array (n_features,) ≥ 0, optional
        w, by default 1.
    clip : float > 0, optional
        C: every record's loss is replaced by the convex one whose gradient is clipped to norm C.

    X and y are used in place where they are float arrays already; do not change them afterwards.

    Raises
    ------
    ParameterError
        If lam, linear, weights or clip is outside its range.
    DataError
        If X or y is not a regular, finite array, or y does not suit the loss.

    References: redberg-koskela-wang-2023 (Algorithm 1).
    """

    loss: Any
    X: np.ndarray
    y: np.ndarray
    lam: float = 1.0
    linear: Any = None
    weights: Any = None
    clip: float | None = None
    penalty: np.ndarray = field(init=False)  # λ w
    _limit: np.ndarray | None = field(init=False)

    def __post_init__(self) -> None:
        X, y = finite_array("X", self.X, 2), finite_array("y", self.y, 1)
        check_sizes(X, y)
        loss = losses.find(self.loss)
        loss.check_target(y)
        limit = None
        if self.clip is not None:
            norms = np.sqrt(np.einsum("ij,ij->i", X, X))
            with np.errstate(divide="ignore"):
                limit = validation.positive("clip", self.clip) / norms
        self._set(loss=loss, X=X, y=y, _limit=limit)
        self._set_terms(self.lam, self.linear, self.weights)

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _set_terms(self, lam: Any, linear: Any, weights: Any) -> None:
        lam = validation.non_negative("lam", lam)
        linear = np.zeros(self.n_features) if linear is None else self.vector("linear", linear)
        weights = np.ones(self.n_features) if weights is None else self.vector("weights", weights)
        if weights.min() < 0:
            raise ParameterError(f"weights must be >= 0, got {weights.min():g}")
        self._set(lam=lam, linear=linear, weights=weights, penalty=lam * weights)

    def __repr__(self) -> str:
        clip = "" if self.clip is None else f", clip={self.clip!r}"
        return (
            f"Problem({self.loss!r}, n_samples={self.n_samples}, n_features={self.n_features}, lam={self.lam!r}{clip})"
        )

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.X.shape[1]

    @property
    def strong_convexity(self) -> float:
        """λ min w: ‖∇J(θ)‖ ≤ τ puts θ within τ/(λ min w) of the minimiser."""
        return float(self.penalty.min())

    @property
    def cells(self) -> int:
        """Numbers in X."""
        return self.X.size

    @property
    def hessian_effort(self) -> float:
        """Cost of one Hessian, in multiplications of a matrix product; 0 where it comes with the gradient."""
        return self.cells * (self.n_features / 2 + _READING)

    def record_curvatures(self) -> np.ndarray:
        """β_f‖x‖² of each row (n_samples,), the largest curvature its loss can have; inf where it has no bound."""
        bound = self._loss(slice(None)).curvature_bound(np.abs(self.y))
        with np.errstate(invalid="ignore"):
            return np.nan_to_num(bound * np.einsum("ij,ij->i", self.X, self.X), nan=0.0, posinf=np.inf)

    def kinks(self) -> np.ndarray:
        """Predictors at which f'' of each row jumps (count, n_samples); ±inf where there is none."""
        return np.reshape(self._loss(slice(None)).kinks(self.y), (-1, self.n_samples))

    def curvatures(self, theta: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        """f'' of rows at θ (n_features,), or at several (n_thetas, n_features)."""
        return self._loss(rows).second_derivative(theta @ self.X[rows].T, self.y[rows])

    def clipped_mean(self) -> ClippedMean | None:
        """The derivative of every row's loss in the form compiled code reads; None where it has none."""
        return self._loss(slice(None)).clipped_mean(self.y)

    def replace(self, **terms: Any) -> Problem:
        """The same data and loss with another `lam`, `linear` or `weights`; the data are not checked again."""
        result = copy.copy(self)
        result._set_terms(**{"lam": self.lam, "linear": self.linear, "weights": self.weights, **terms})
        return result

    def extended(self, X: np.ndarray, y: np.ndarray) -> Problem:
        """The same problem with more rows. They are not records, so their gradients are not clipped."""
        result = Problem(
            self.loss, np.vstack([self.X, X]), np.concatenate([self.y, y]), self.lam, self.linear, self.weights
        )
        limit = None if self._limit is None else np.concatenate([self._limit, np.full(len(y), np.inf)])
        result._set(clip=self.clip, _limit=limit)
        return result

    def columns(self, kept: np.ndarray) -> Problem:
        """The same problem where the other coefficients are 0; clipping stays that of whole records."""
        result = copy.copy(self)
        result._set(X=np.ascontiguousarray(self.X[:, kept]))
        result._set_terms(self.lam, self.linear[kept], self.weights[kept])
        return result

    def unclipped(self) -> Problem:
        """The same problem without gradient clipping."""
        result = copy.copy(self)
        result._set(clip=None, _limit=None)
        return result

    def every(self, stride: int) -> Problem:
        """Each stride-th record, with λ and b divided by the stride: about J over the stride, and much cheaper."""
        result = copy.copy(self)
        result._set(
            X=np.ascontiguousarray(self.X[::stride]), y=self.y[::stride].copy(), lam=self.lam / stride,
            linear=self.linear / stride, penalty=self.penalty / stride,
            _limit=None if self._limit is None else self._limit[::stride].copy(),
        )  # fmt: skip
        return result

    def value(self, theta: np.ndarray) -> float:
        """J(θ)."""
        return self.value_and_gradient(theta)[0]

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """∇J(θ), shape (n_features,)."""
        return self._slopes(theta) + self.penalty * theta + self.linear

    def gradients(self, thetas: np.ndarray, linear: np.ndarray) -> np.ndarray:
        """∇J at each row of `thetas` with the row of `linear` as b; all (draws, n_features), from one pass."""
        return self._slopes(np.ascontiguousarray(thetas.T)) + self.penalty * thetas + linear

    def values(self, thetas: np.ndarray) -> np.ndarray:
        """J at each row of `thetas` (draws, n_features), shape (draws,), from one pass."""

        def work(blocks: list[slice]) -> np.ndarray:
            total = np.zeros(len(thetas))
            for rows in blocks:
                u = self.X[rows] @ thetas.T
                total += self._loss(rows, column=True).value(u, self.y[rows, None]).sum(axis=0)
            return total

        width = max(self.n_features, len(thetas) * BLOCK_BYTES // _COLUMN_BYTES)
        total = sum(self._over_rows(work, width, self.X.size * max(2 * len(thetas), _READING)))
        return total + 0.5 * np.square(thetas) @ self.penalty + thetas @ self.linear

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """J(θ) and ∇J(θ) from one pass."""

        def work(blocks: list[slice]) -> tuple[float, np.ndarray]:
            value, total = 0.0, np.zeros(self.n_features)
            for rows in blocks:
                X, loss = self.X[rows], self._loss(rows)
                u = X @ theta
                value += float(np.sum(loss.value(u, self.y[rows])))
                total += loss.derivative(u, self.y[rows]) @ X
            return value, total

        parts = self._over_rows(work, self.n_features, _READING * self.X.size)
        value = sum(part[0] for part in parts) + float((self.penalty * theta / 2 + self.linear) @ theta)
        return value, sum(part[1] for part in parts) + self.penalty * theta + self.linear

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """∇²J(θ), shape (n_features, n_features)."""
        features = self.n_features

        def work(blocks: list[slice]) -> np.ndarray:
            total = np.zeros((features, features))
            buffer = np.empty((blocks[0].stop - blocks[0].start, features))
            for rows in blocks:
                X = self.X[rows]
                root = np.sqrt(self._loss(rows).second_derivative(X @ theta, self.y[rows]))
                scaled = np.multiply(X, root[:, None], out=buffer[: len(X)])
                total += scaled.T @ scaled
            return total

        parts = self._over_rows(work, features, self.hessian_effort)
        hessian = sum(parts)
        hessian[np.diag_indices(features)] += self.penalty
        return hessian

    def hessians(self, thetas: np.ndarray) -> np.ndarray:
        """∇²J at each row of `thetas` (draws, n_features), shape (draws, n_features, n_features); all rows of X at once."""
        loss = self._loss(slice(None), column=True)
        bent = loss.second_derivative(self.X @ thetas.T, self.y[:, None])
        return np.einsum("nk,ni,nj->kij", bent, self.X, self.X, optimize=True) + np.diag(self.penalty)

    def largest_move(self, step: np.ndarray) -> float:
        """Largest |xᵀ step| of a row."""
        return float(np.abs(self.X @ step).max())

    def gradient_round_off(self, theta: np.ndarray) -> float:
        """Size of the rounding errors in ‖∇J(θ)‖: machine precision times the terms that cancel in it."""
        magnitude = np.abs(self.penalty * theta) + np.abs(self.linear)
        block = max(1, BLOCK_BYTES // (8 * self.n_features))
        for start in range(0, self.n_samples, block):
            rows = slice(start, start + block)
            size, loss, u = np.abs(self.X[rows]), self._loss(rows), self.X[rows] @ theta
            moved = loss.second_derivative(u, self.y[rows]) * (size @ np.abs(theta))
            magnitude = magnitude + (np.abs(loss.derivative(u, self.y[rows])) + moved) @ size
        return float(np.finfo(float).eps * np.linalg.norm(magnitude))

    def vector(self, name: str, value: Any) -> np.ndarray:
        """A finite array with one number per column.

        Raises
        ------
        ParameterError
        """
        array = validation.real_array(name, value)
        if array.shape != (self.n_features,):
            raise ParameterError(f"{name} must have the shape ({self.n_features},), got {array.shape}")
        if not np.isfinite(array).all():
            raise ParameterError(f"{name} must be finite")
        return array.copy()

    def _loss(self, rows: slice, *, column: bool = False) -> Loss:
        if self._limit is None:
            return self.loss
        return Clipped(self.loss, self._limit[rows, None] if column else self._limit[rows])

    def _slopes(self, columns: np.ndarray) -> np.ndarray:
        """Σ f'(xᵀθ; y) x for θ (n_features,), or for each column of an array (n_features, draws)."""
        many = columns.ndim == 2
        y = self.y[:, None] if many else self.y
        shape = columns.shape[::-1]

        def work(blocks: list[slice]) -> np.ndarray:
            total = np.zeros(shape)
            for rows in blocks:
                X = self.X[rows]
                total += self._loss(rows, column=many).derivative(X @ columns, y[rows]).T @ X
            return total

        draws = shape[0] if many else 1
        width = max(self.n_features, draws * BLOCK_BYTES // _COLUMN_BYTES) if many else self.n_features
        return sum(self._over_rows(work, width, self.X.size * max(2 * draws, _READING)))

    def _over_rows(self, work: Callable[[list[slice]], Any], width: int, effort: float) -> list[Any]:
        rows = max(BLOCK_BYTES // (8 * width), 64)
        return over_blocks(work, self.n_samples, rows, effort)
