"""Solve a problem to a gradient norm that is checked, or refuse."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from dpcore import validation
from dpcore.errors import ConvergenceError, ParameterError
from dpcore.glm.first_order import AcceleratedGradient, GradientDescent
from dpcore.glm.lbfgs import LBFGS
from dpcore.glm.newton import Newton
from dpcore.glm.problem import Problem
from dpcore.glm.sag import SAG
from dpcore.glm.solver import Path, Solver
from dpcore.glm.threads import SINGLE_THREADED_BLAS

SOLVERS: dict[str, Solver] = {
    "newton": Newton(),
    "lbfgs": LBFGS(),
    "sag": SAG(),
    "sag_shuffled": SAG(sampling="shuffled"),
    "gradient_descent": GradientDescent(),
    "accelerated_gradient": AcceleratedGradient(),
}
# Largest number of columns for Newton's method by default; beyond, one Hessian costs more than a whole L-BFGS run.
NEWTON_UP_TO = 600
_ROUND_OFF = 10.0  # multiple of the typical rounding error below which no tolerance can be promised
_ROUGHLY = 1e-5  # gradient norm, relative to the first, to which the problem without clipping is solved for a start
# Largest move of any predictor by one more Newton step that still shows that a minimiser is near.
_LAST_STEP = 0.25


@dataclass(frozen=True, eq=False)
class Fit:
    """A θ with ‖∇J(θ)‖ ≤ tol, recomputed on the problem itself.

    Parameters
    ----------
    theta : array (n_features,)
    gradient_norm : ‖∇J(θ)‖
    converged : always True: a solver that does not converge raises instead
    evaluations : gradients of one record's loss computed, by whatever solver
    hessians : Hessians computed, not counted as evaluations
    iterations : steps of the solver
    history : array (n, 2) of evaluations so far and the gradient norm known then
    solver : name of the solver
    error_bound : upper bound of ‖θ − argmin J‖, gradient norm over strong convexity; inf if lam = 0
    """

    theta: np.ndarray
    gradient_norm: float
    converged: bool
    evaluations: int
    hessians: int
    iterations: int
    history: np.ndarray
    solver: str
    error_bound: float


def solve(
    problem: Problem,
    tol: float = 1e-6,
    solver: str | Solver | None = None,
    *,
    start: Any = None,
    rng: int | np.random.Generator = 0,
) -> Fit:
    """Minimise a problem until ‖∇J(θ)‖ ≤ tol.

    Parameters
    ----------
    problem : Problem
    tol : float > 0
        In sum form, the units of J per unit of θ.
    solver : name in `SOLVERS`, or a `Solver` with its options
        By default "newton" up to 600 columns and "lbfgs" beyond.
    start : array (n_features,), optional
        First θ, by default 0.
    rng : random generator or seed ≥ 0
        Read by the stochastic solvers only; it moves the path, not the guarantee.

    Raises
    ------
    ConvergenceError
        If ‖∇J‖ ≤ tol was not reached, or the objective (with lam = 0) has no unique minimiser.
    UnsupportedError
        If the solver needs a constant the loss does not have.

    References: redberg-koskela-wang-2023 (Algorithm 1, step 4).
    """
    if not isinstance(problem, Problem):
        raise ParameterError(f"problem must be a Problem, got {problem!r}")
    tol = validation.positive("tol", tol)
    by_default = solver is None
    if by_default:
        solver = "newton" if problem.n_features <= NEWTON_UP_TO else "lbfgs"
    if not isinstance(solver, Solver):
        solver = SOLVERS[validation.choice("solver", solver, SOLVERS)]
    if not isinstance(rng, np.random.Generator):
        rng = np.random.default_rng(validation.integer("rng", rng, minimum=0))
    theta = np.zeros(problem.n_features) if start is None else problem.vector("start", start)
    path = Path(problem, theta)
    with SINGLE_THREADED_BLAS, np.errstate(over="ignore", invalid="ignore"):
        if by_default and start is None and problem.clip is not None and problem.strong_convexity:
            _approach(path, solver, tol, rng)
        solver.run(path, tol, rng)
        norm = verified(path, tol, solver.title)
    return Fit(
        theta=path.theta,
        gradient_norm=norm,
        converged=True,
        evaluations=path.evaluations,
        hessians=path.hessians,
        iterations=path.iterations,
        history=np.array(path.history),
        solver=solver.title,
        error_bound=norm / problem.strong_convexity if problem.strong_convexity else np.inf,
    )


def verified(path: Path, tol: float, title: str) -> float:
    """‖∇J‖ where a solver has ended, if that is a minimiser.

    Raises
    ------
    ConvergenceError
    """
    norm = float(np.linalg.norm(path.problem.gradient(path.theta)))
    if not norm <= tol:
        raise ConvergenceError(_why_not(path, norm, tol, title))
    if path.problem.strong_convexity == 0:
        _require_minimiser(path.problem, path.theta)
    return norm


def _approach(path: Path, solver: Solver, tol: float, rng: np.random.Generator) -> None:
    """Start from a rough minimiser of the problem without clipping, where that lowers J.

    That problem has no kinks, and its minimiser is close.
    """
    smooth = Path(path.problem.unclipped(), path.theta)
    solver.run(smooth, max(tol, _ROUGHLY * float(np.linalg.norm(smooth.problem.gradient(path.theta)))), rng)
    path.evaluations += smooth.evaluations + smooth.problem.n_samples
    path.hessians += smooth.hessians
    path.iterations += smooth.iterations
    if path.value_and_gradient(smooth.theta)[0] < path.value_and_gradient(path.theta)[0]:
        path.theta = smooth.theta


def _why_not(path: Path, norm: float, tol: float, title: str) -> str:
    text = f"the {title} solver stopped at a gradient norm of {norm:.3g}, above tol = {tol:.3g}: "
    floor = _ROUND_OFF * path.problem.gradient_round_off(path.theta)
    if tol < floor and norm < _ROUND_OFF * floor:
        return (
            text
            + f"double precision resolves this gradient only to about {floor:.1g}; use a larger tol or a larger lam"
        )
    reason = path.reason or f"it used up its {path.iterations} iterations"
    return text + reason + "; use a larger lam, a larger tol or another solver"


def _require_minimiser(problem: Problem, theta: np.ndarray) -> None:
    """Without a strongly convex penalty a small gradient does not show that a minimiser exists: look one step ahead."""
    factor, failed = lapack.dpotrf(problem.hessian(theta), lower=True)
    moved = np.inf
    if not failed:
        step = lapack.dpotrs(factor, problem.gradient(theta), lower=True)[0]
        moved = problem.largest_move(step)
    if not moved <= _LAST_STEP:
        raise ConvergenceError(
            "with lam = 0 (or a weight of 0) these data have no unique minimiser: the columns are collinear, or the "
            "classes can be separated and the coefficients grow without end; use lam > 0"
        )
