"""Leverage and leave-one-out residuals of every row from one factorisation and two passes over the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import DataError
from dpcore.glm.losses import Squared
from dpcore.glm.threads import SINGLE_THREADED_BLAS, over_blocks
from dpcore.individual.fit.refits import Refits, refit, rows_per_chunk, solved, triangle

# Reciprocal condition above which Cholesky keeps nine digits. Doubled, more data sets are fitted by orthogonal factors,
# which are slower.
_WELL_CONDITIONED = 1e-6
# Smallest length of a column whose square is still a normal number. Doubled, a column counts as zero a little sooner.
_SMALLEST_SCALE = np.sqrt(np.finfo(float).tiny)
# If 1 − μ' of a row is below this, r'/(1−μ') would lose digits, so the fit without the row is computed. Doubled, this
# is done for up to twice as many rows.
NEARLY_DECISIVE = 1e-4


@dataclass(frozen=True, eq=False, repr=False)
class Leverage:
    r"""Ridge fit of all rows and the influence of each, shapes (n_samples,).

    .. math:: μ' = xᵀH'^{-1}x, \quad μ = \frac{μ'}{1−μ'}, \quad r' = y − xᵀθ̂', \quad r = \frac{r'}{1−μ'},
              \quad H' = XᵀX + λI \text{ over all rows}

    Parameters
    ----------
    lam : ridge penalty λ, sum form
    theta : θ̂' (n_features,)
    factor : lower Cholesky factor of H' (n_features, n_features)
    gram : XᵀX (n_features, n_features)
    in_sample, out_of_sample : leverage μ' of a row within all rows, and μ against the other rows
    residual, loo_residual : residual r' of the fit to all rows, and r of the fit to the other rows
    refits : the rows whose influence was found by a fit without them
    """

    lam: float
    theta: np.ndarray
    factor: np.ndarray
    gram: np.ndarray
    in_sample: np.ndarray
    out_of_sample: np.ndarray
    residual: np.ndarray
    loo_residual: np.ndarray
    refits: Refits

    def __repr__(self) -> str:
        return f"Leverage(n_samples={self.in_sample.size}, n_features={self.theta.size}, lam={self.lam!r})"

    @classmethod
    def of_no_rows(cls, lam: float, theta: np.ndarray, factor: np.ndarray, gram: np.ndarray, **more: Any) -> Self:
        """A fit that holds no rows, for questions about records that are not in the data.

        Parameters
        ----------
        lam, theta, factor, gram : as in the class
        more : further fields of a subclass
        """
        none = np.empty(0)
        refits = Refits(none.astype(np.intp), none, none, np.empty((0, theta.size)))
        return cls(lam, theta, factor, gram, none, none, none, none, refits, **more)

    def of_rows(self, X: np.ndarray, y: np.ndarray, rows: np.ndarray | None = None) -> Leverage:
        """The same fit with the influence of each of some of its rows X (n_rows, n_features), y (n_rows,).

        `rows` are the numbers of these rows in `refits`, by default their positions.
        """
        with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
            inverse = linalg.solve_triangular(self.factor, np.eye(self.theta.size), lower=True).T
            in_sample, residual = project(X, np.column_stack([inverse, self.theta]), y)
            rest, known = 1 - in_sample, self.refits
            decisive = np.flatnonzero(rest < NEARLY_DECISIVE)
            numbers = decisive if rows is None else rows[decisive]
            _, here, place = np.intersect1d(numbers, known.rows, return_indices=True)
            at = decisive[here]
            refits = Refits(at, known.leverage[place], known.residual[place], known.directions[place])
            rest[at] = 1 / (1 + refits.leverage)
            in_sample[at] = refits.leverage * rest[at]
            residual[at] = refits.residual * rest[at]
            arrays = in_sample, in_sample / rest, residual, np.divide(residual, rest, out=rest)
        for array in arrays:
            array.setflags(write=False)
        return Leverage(self.lam, self.theta, self.factor, self.gram, *arrays, refits)

    @property
    def undecided(self) -> np.ndarray:
        """Positions of the rows that alone determine a direction of the fit and are not among its refits."""
        return np.setdiff1d(np.flatnonzero(1 - self.in_sample < NEARLY_DECISIVE), self.refits.rows)

    @property
    def residual_name(self) -> str:
        """The name of −f'."""
        return Squared.residual

    def aside(self, index: int) -> str:
        """Further sentences on a row; empty if there are none."""
        return ""

    def clipping(self, labels: np.ndarray) -> str:
        """A sentence on which rows (by `labels`) a gradient clip cuts; empty if it cuts none."""
        return ""

    @cached_property
    def medians(self) -> tuple[float, float]:
        """Medians over the rows of the leverage μ and of the size of the residual r."""
        return float(np.median(self.out_of_sample)), float(np.median(np.abs(self.loo_residual)))

    @property
    def visibility(self) -> np.ndarray:
        """|r|√h (n_samples,): in about this order rows are exposed."""
        return np.asarray(np.abs(self.loo_residual) * np.sqrt(self.out_of_sample))

    def step_without(self, x: np.ndarray, index: int) -> np.ndarray:
        """θ̂ without the row x at this position, after one Newton step, (n_features,): the start of a search for it."""
        share = self.residual[index] / max(1 - self.in_sample[index], NEARLY_DECISIVE)
        return self.theta - share * linalg.cho_solve((self.factor, True), x)

    def influence(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Out-of-sample leverage μ and residual r of records X (n_records, n_features), y (n_records,) that are no rows."""
        with SINGLE_THREADED_BLAS:
            whitened = linalg.solve_triangular(self.factor, X.T, lower=True)
            return np.square(whitened).sum(axis=0), y - X @ self.theta

    def moved(self, X: np.ndarray, root: np.ndarray) -> np.ndarray:
        """‖B H'⁻¹x‖ for each row of X (n_samples, n_features) the leverage was computed from, B = root."""
        with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
            result = np.sqrt(project(X, np.ascontiguousarray(linalg.cho_solve((self.factor, True), root.T)))[0])
            for row, direction in zip(self.refits.rows, self.refits.directions, strict=True):
                result[row] = np.linalg.norm(root @ direction) / (1 + self.out_of_sample[row])
        return result


def leverage(dataset: Dataset, lam: float = 1.0) -> Leverage:
    """Leverage, residual and leave-one-out residual of every row, as if each had been left out in turn.

    Parameters
    ----------
    dataset : Dataset
    lam : float ≥ 0
        Ridge penalty λ in sum form: θ̂ minimises ‖y − Xθ‖² + λ‖θ‖².

    Raises
    ------
    ParameterError
        If lam is negative or not finite.
    DataError
        If XᵀX + λI is singular to working precision, with all rows or without one of them.

    References: wang-2019 (Lemmas 19, 20).
    """
    lam = validation.non_negative("lam", lam)
    X, y = dataset.X, dataset.y
    fit = ridge_fit(dataset.names, *moments(X, y), lam, lambda: triangle(X, y, lam))
    found = fit.of_rows(X, y)
    if len(rows := found.undecided):
        refits = refit(triangle(X, y, lam, rows.tolist()), X[rows], y[rows], rows, dataset.row_labels[rows], lam)
        found = replace(fit, refits=refits).of_rows(X, y)
    check_range(found.out_of_sample, found.loo_residual)
    return found


def moments(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """XᵀX and Xᵀy."""

    def work(slices: list[slice]) -> tuple[np.ndarray, np.ndarray]:
        gram, moment = np.zeros((X.shape[1], X.shape[1])), np.zeros(X.shape[1])
        for rows in slices:
            block = X[rows]
            gram += block.T @ block
            moment += y[rows] @ block
        return gram, moment

    parts = over_blocks(work, len(X), rows_per_chunk(X.shape[1]), X.size * X.shape[1])
    gram, moment = (np.sum([part[place] for part in parts], axis=0) for place in (0, 1))
    check_range(gram, moment)
    return gram, moment


def orthogonal_length(x: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Length of the part of v that is orthogonal to x, v = `moved`; vectors along the last axis."""
    square = np.square(x).sum(axis=-1)
    along = np.divide((x * moved).sum(axis=-1), square, out=np.zeros_like(square), where=square > 0)
    return np.linalg.norm(moved - along[..., None] * x, axis=-1)


def check_range(*arrays: np.ndarray) -> None:
    if not all(np.isfinite(array).all() for array in arrays):
        raise DataError("The numbers are so large that their squares overflow: rescale the columns and the target.")


def project(X: np.ndarray, matrix: np.ndarray, y: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """‖xᵀM‖² for each row of X (n_samples, n_features); given y, also y − xᵀv, where the matrix is [M | v]."""
    squares, residual = np.empty(len(X)), np.empty(0 if y is None else len(X))
    chunk, width = rows_per_chunk(matrix.shape[1]), matrix.shape[1] - (y is not None)

    def work(slices: list[slice]) -> None:
        buffer = np.empty((chunk, matrix.shape[1]))
        for rows in slices:
            product = np.matmul(X[rows], matrix, out=buffer[: rows.stop - rows.start])
            np.einsum("ij,ij->i", product[:, :width], product[:, :width], out=squares[rows])
            if y is not None:
                np.subtract(y[rows], product[:, width], out=residual[rows])

    over_blocks(work, len(X), chunk, X.size * matrix.shape[1])
    return squares, residual


def ridge_fit(
    names: Sequence[str], gram: np.ndarray, moment: np.ndarray, lam: float, rows: Callable[[], np.ndarray]
) -> Leverage:
    """A fit that holds no rows, from XᵀX and Xᵀy, or from orthogonal factors of the rows if these are ill-conditioned.

    Parameters
    ----------
    names : column names, for messages
    gram, moment : XᵀX and Xᵀy
    lam : ridge penalty λ
    rows : function that gives the triangular factor of the rows and the penalty, if the Gram matrix does not suffice

    Raises
    ------
    DataError
        If XᵀX + λI is singular to working precision.
    """
    hessian = gram + lam * np.eye(len(gram))
    scale = np.sqrt(np.diag(hessian))
    if scale.min() < _SMALLEST_SCALE:
        name = names[int(scale.argmin())]
        raise DataError(
            f"Column {name!r} is zero in every row (or all but zero), so with lam = {lam:g} its coefficient is not "
            "determined: remove the column or use a larger lam."
        )
    with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
        factor, reciprocal = cholesky(hessian, scale)
        if reciprocal > _WELL_CONDITIONED:
            factor = np.ascontiguousarray(factor)
            theta = linalg.cho_solve((factor, True), moment)
        else:
            factor, theta = _orthogonal(rows(), lam)
    for array in (theta, factor, gram):
        array.setflags(write=False)
    return Leverage.of_no_rows(lam, theta, factor, gram)


def cholesky(matrix: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, float]:
    """Lower factor of a matrix, and its reciprocal condition after scaling by `scale`; 0 if not positive definite."""
    scaled = matrix / np.outer(scale, scale)
    lower, failed = lapack.dpotrf(scaled, lower=True, clean=True)
    reciprocal = 0.0 if failed else lapack.dpocon(lower, np.linalg.norm(scaled, 1), uplo="L")[0]
    return scale[:, None] * lower, reciprocal


def _orthogonal(triangular: np.ndarray, lam: float) -> tuple[np.ndarray, np.ndarray]:
    upper, target = solved(triangular)
    if upper is None:
        raise DataError(
            "The columns are collinear, or there are fewer rows than columns, so the coefficients are not determined to "
            f"working precision with lam = {lam:g}: remove redundant columns or use a larger lam."
        )
    return np.ascontiguousarray(upper.T), linalg.solve_triangular(upper, target)
