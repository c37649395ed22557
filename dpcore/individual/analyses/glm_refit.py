"""Output perturbation of any GLM: every row by one Newton step, the most exposed rows by an exact refit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import DataError, ParameterError
from dpcore.glm import Problem, solve
from dpcore.individual.analyses.output_perturbation import GaussianOutput
from dpcore.individual.fit.glm import clipped
from dpcore.mechanisms.output_perturbation import GaussianShift

if TYPE_CHECKING:
    import pandas as pd

_TOL = 1e-10  # gradient norm of a refit, relative to that of the data at θ = 0
_MOST_ROUNDS = 20
_POLISHING, _SETTLED = 8, 1e-14  # Newton steps after a solver, until one is this small relative to what it improves
_ALL = "The coefficients are"
_SINGULAR = 1e-13  # reciprocal condition of a Hessian scaled to unit diagonal below which a fit is not determined


@dataclass(frozen=True, eq=False, repr=False)
class GlmExposure:
    r"""Per-instance ε of θ̂ + N(0, σ²I), θ̂ the minimiser of Σf + (λ/2)‖θ‖², shapes (n_samples,).

    A refit without the row gives ‖θ̂ − θ̂_{−i}‖ exactly; for the other rows one Newton step from θ̂ stands in,

    .. math:: θ̂_{−i} − θ̂ ≈ \frac{f'_i}{1 − f''_i h_i} H^{-1}x_i, \quad h_i = x_i^⊤H^{-1}x_i

    Parameters
    ----------
    sigma, delta, theta : noise σ, δ and θ̂ (n_features,)
    epsilon : nats at `delta`
    moved : ‖θ̂ − θ̂_{−i}‖, exact where `refitted`
    one_step : the same by one step, for every row
    leverage, slope : f''h and f' of every row at θ̂
    dataset : the rows
    """

    sigma: float
    delta: float
    theta: np.ndarray
    epsilon: np.ndarray
    moved: np.ndarray
    one_step: np.ndarray
    refitted: np.ndarray
    leverage: np.ndarray
    slope: np.ndarray
    dataset: Dataset = field(repr=False)

    def __repr__(self) -> str:
        return f"GlmExposure(n_samples={self.epsilon.size}, refitted={int(self.refitted.sum())}, delta={self.delta!r})"

    @property
    def step_error(self) -> float:
        """Largest relative error of one step among the refitted rows: measured, not a bound for the others."""
        rows = self.refitted & (self.moved > 0)
        return float(np.max(np.abs(self.one_step[rows] / self.moved[rows] - 1), initial=0.0))

    def profile(self, index: int) -> GaussianShift:
        """The profile of one row as a curve: exact for a refitted row."""
        return GaussianShift(float(self.moved[index] / self.sigma))

    def frame(self) -> pd.DataFrame:
        """One line per row: row label, epsilon, moved, one_step, refitted, leverage, slope."""
        import pandas as pd

        columns = {
            name: getattr(self, name) for name in ("epsilon", "moved", "one_step", "refitted", "leverage", "slope")
        }
        return pd.DataFrame({"row": self.dataset.row_labels, **columns})


def glm_exposure(
    dataset: Dataset,
    *,
    sigma: float,
    lam: float,
    loss: Any = "logistic",
    delta: float = 1e-6,
    exact: int = 20,
    rows: Any = (),
) -> GlmExposure:
    """Exposure of every row when a regularised GLM is released with Gaussian noise.

    The `exact` most exposed rows are refitted without being asked for: rows are refitted until the most exposed ones,
    as then known, all are. So are the rows listed.

    Parameters
    ----------
    dataset : Dataset
    sigma : noise > 0
    lam : penalty ≥ 0; with 0 the fit must be determined without each row refitted
    loss : name in `LOSSES` (logistic, poisson, …), or a `Loss`
    delta : probability
    exact : int ≥ 0, number of most exposed rows to refit
    rows : positions of further rows to refit

    Raises
    ------
    ParameterError, DataError, ConvergenceError

    References: wang-2019.
    """
    sigma = validation.positive("sigma", sigma)
    delta = validation.probability("delta", delta, allow_zero=False, allow_one=False)
    exact = min(validation.integer("exact", exact, minimum=0), dataset.n_samples)
    problem = Problem(loss, dataset.X, dataset.y, lam=validation.non_negative("lam", lam))
    if problem.lam == 0:
        _factor(problem.X.T @ problem.X, _ALL, 0.0)
    theta = polished(problem, solve(problem, _tolerance(problem)).theta)
    u = dataset.X @ theta
    slope, bend = problem.loss.derivative(u, dataset.y), problem.loss.second_derivative(u, dataset.y)
    hessian = _factor(problem.hessian(theta), _ALL, problem.lam)
    directions = linalg.cho_solve((hessian, True), dataset.X.T).T
    leverage = bend * np.einsum("ij,ij->i", directions, dataset.X)
    one_step = np.abs(slope) * np.linalg.norm(directions, axis=1) / np.maximum(1 - leverage, np.finfo(float).eps)
    moved, refitted = one_step.copy(), np.zeros(dataset.n_samples, dtype=bool)

    def refit(wanted: np.ndarray) -> None:
        for row in wanted[~refitted[wanted]]:
            start = theta + slope[row] * directions[row] / max(1 - leverage[row], 1e-3)
            moved[row] = np.linalg.norm(change_without(problem, theta, row, start, str(dataset.row_labels[row])))
            refitted[row] = True

    refit(_positions(rows, dataset.n_samples))
    for _ in range(_MOST_ROUNDS):
        top = np.argsort(-moved, kind="stable")[:exact]
        if refitted[top].all():
            break
        refit(top)
    epsilon = GaussianOutput(moved / sigma).epsilon(float(np.log(delta)))
    return GlmExposure(sigma, delta, theta, epsilon, moved, one_step, refitted, leverage, slope, dataset)


def change_without(problem: Problem, theta: np.ndarray, row: int, start: np.ndarray, label: str) -> np.ndarray:
    """θ̂_{−i} − θ̂ (n_features,) by a fit without the row, with the digits that a difference of two fits would lose.

    Parameters
    ----------
    problem : the objective of all rows
    theta : θ̂, its minimiser to round-off
    row : position i
    start : where the search for θ̂_{−i} begins
    label : of the row, for messages

    Raises
    ------
    DataError, ConvergenceError
    """
    text = f"Without row {label} the coefficients are"
    keep = np.delete(np.arange(problem.n_samples), row)
    if not keep.size and problem.lam > 0:
        return -theta  # the penalty alone is smallest at 0
    if problem.lam == 0:
        _factor(problem.X[keep].T @ problem.X[keep], text, 0.0)
    rest = Problem(problem.loss, problem.X[keep], problem.y[keep], lam=problem.lam, clip=problem.clip)
    u = problem.X @ theta
    slope = clipped(problem.loss, problem.clip, problem.X).derivative(u, problem.y)
    step = solve(rest, _tolerance(problem), start=start).theta - theta
    return _displacement(rest, u[keep], slope[keep], slope[row] * problem.X[row], step, text)


def _tolerance(problem: Problem) -> float:
    return _TOL * max(1.0, float(np.linalg.norm(problem.gradient(np.zeros(problem.n_features)))))


def polished(problem: Problem, theta: np.ndarray) -> np.ndarray:
    """The minimiser to round-off, from one to the tolerance of a solver."""
    gradient = problem.gradient(theta)
    for _ in range(_POLISHING):
        better = theta - linalg.cho_solve((_factor(problem.hessian(theta), _ALL, problem.lam), True), gradient)
        after = problem.gradient(better)
        if not np.linalg.norm(after) < np.linalg.norm(gradient):
            break
        theta, gradient = better, after
    return theta


def _displacement(
    rest: Problem, u: np.ndarray, slope: np.ndarray, pull: np.ndarray, step: np.ndarray, text: str
) -> np.ndarray:
    r"""d = θ̂_{−i} − θ̂ itself, to the last digits that a difference of the two fits would lose.

    .. math:: \sum_{j≠i}\left(f'(u_j + x_j^⊤d) − f'(u_j)\right)x_j + λd = f'_i x_i, \quad u = Xθ̂

    Parameters
    ----------
    u, slope : predictors and f' of the other rows at θ̂
    pull : f'_i x_i (n_features,)
    step : d to the tolerance of a solver
    """
    best, loss = np.inf, clipped(rest.loss, rest.clip, rest.X)
    for _ in range(_POLISHING):
        at = u + rest.X @ step
        missing = (loss.derivative(at, rest.y) - slope) @ rest.X + rest.penalty * step - pull
        bend = loss.second_derivative(at, rest.y)
        hessian = (rest.X.T * bend) @ rest.X + np.diag(rest.penalty)
        correction = linalg.cho_solve((_factor(hessian, text, rest.lam), True), missing)
        size = float(np.linalg.norm(correction))
        if size >= best:
            break
        step, best = step - correction, size
        if size <= _SETTLED * np.linalg.norm(step):
            break
    return step


def _factor(hessian: np.ndarray, text: str, lam: float) -> np.ndarray:
    """Lower Cholesky factor.

    Raises
    ------
    DataError
        If the matrix is singular to working precision.
    """
    scale = np.sqrt(np.maximum(np.diag(hessian), np.finfo(float).tiny))
    scaled = hessian / np.outer(scale, scale)
    lower, failed = lapack.dpotrf(scaled, lower=True, clean=True)
    if failed or lapack.dpocon(lower, np.linalg.norm(scaled, 1), uplo="L")[0] <= _SINGULAR:
        raise DataError(f"{text} not determined with lam = {lam:g}: remove redundant columns, or use a larger lam.")
    return scale[:, None] * lower


def _positions(rows: Any, n: int) -> np.ndarray:
    wanted = np.atleast_1d(np.asarray(rows))
    if wanted.size == 0:
        return np.empty(0, dtype=np.intp)
    if wanted.dtype.kind not in "iu" or wanted.min() < 0 or wanted.max() >= n:
        raise ParameterError(f"rows must be whole numbers from 0 to {n - 1}, got {rows!r}")
    return wanted.astype(np.intp)
