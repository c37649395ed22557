"""Damped Newton method with Cholesky factors that are kept for as long as they serve."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import lapack

from dpcore import validation
from dpcore.glm.secant import SecantMemory
from dpcore.glm.solver import Path, Solver, norm

_KEEP_FACTOR = 0.3  # a step must bring the gradient norm below this share for the next one to reuse the factor
_KEEP_CHEAP_FACTOR = 0.01  # the same where a Hessian costs little more than a gradient
_CHEAP = 1 << 20  # effort of such a Hessian in multiplications, at most: some 50 microseconds
ENOUGH = 0.5  # a step to this share of the smallest gradient norm so far is taken without a look at J
_BACKTRACKS = 60  # how often a step may be shortened
_STRIDE = 8  # a start from θ = 0 first solves on each eighth record, under the next two conditions
_SAMPLE_CELLS = 1 << 17  # X has at least as many numbers, so that passes over it cost more than the calls
_SAMPLE_ROWS = 16  # the sample has at least as many records for each column, so that its minimiser is near that of all
_SAMPLE_TOL = 0.01  # gradient norm, relative to the first, to which the sample is solved
ARMIJO = 1e-4  # J must fall by at least this share of the fall that its slope predicts
_PATIENCE = 20  # iterations without a smaller gradient norm before asking whether rounding is the cause
_AT_ROUND_OFF = 100.0  # multiple of the typical rounding error below which a gradient norm may be due to rounding


@dataclass(frozen=True)
class Newton(Solver):
    r"""Newton's method with line search; a Hessian is factorised again only when the last one has stopped helping.

    .. math:: θ ← θ − tH^{-1}∇J(θ), \qquad H = ∇²J \text{ at an earlier θ, with secant corrections since}

    The corrections survive a new Hessian after a shortened step: they know of the kinks of a loss that it does not see.
    A step is taken if it halves the smallest ‖∇J‖ so far, or stays short of the minimiser along its direction, or lowers J enough.

    Parameters
    ----------
    max_iterations : int ≥ 1
    """

    max_iterations: int = 500

    title: ClassVar[str] = "Newton"

    def __post_init__(self) -> None:
        validation.at_least_one("max_iterations", self.max_iterations)

    def run(self, path: Path, tol: float, rng: np.random.Generator) -> None:
        r"""One iteration: a direction from the factor at hand, a length along it, and what is kept for the next.

        .. math:: d = −(H + \text{secants})^{-1}∇J, \qquad ‖∇J(θ + td)‖ ≤ \tfrac12\min_{\text{so far}}‖∇J‖
                  \ \text{or}\ ∇J(θ + td)^⊤d ≤ 0\ \text{or}\ J\ \text{falls enough}

        A full step that shrinks ‖∇J‖ enough, to `share` of the last, shows that H still serves. The next iteration
        reuses H and pays for a gradient only. After a full step that does not, H is computed anew and all corrections
        are dropped. A shortened step met a kink, which the corrections know and a new H would not; so they are kept. If
        no step along a corrected direction is good, the corrections are dropped. If none along the plain direction is,
        rounding has been reached.
        """
        if worth_a_sample(path):
            self._start_from_a_sample(path, rng)
        gradient = path.gradient(path.theta)
        size = path.record(norm(gradient))
        best, best_theta, since = size, path.theta, 0
        memory, kept = SecantMemory(), False
        effort = path.problem.hessian_effort
        share = _KEEP_FACTOR if effort > _CHEAP else _KEEP_CHEAP_FACTOR if effort else 0.0
        for _ in range(self.max_iterations):
            if not size > tol:
                break
            path.iterations += 1
            if not kept:
                memory.solve = inverse(path.hessian(path.theta))
            plain = not kept and not memory.pairs
            backtracks = 0 if kept else _BACKTRACKS
            found = _search(path, gradient, ENOUGH * best, memory.direction(gradient), backtracks)
            if found is None and plain:
                path.reason = "no step along the Newton direction lowers the objective"
                break
            if found is None:
                memory.forget()
                kept = False
                continue
            theta, renewed, after, scale = found
            memory.learn(theta - path.theta, renewed - gradient)
            path.theta, gradient = theta, renewed
            previous, size = size, path.record(after)
            kept = size <= share * previous and scale == 1
            if not kept and scale == 1:
                memory.forget()
            since = 0 if size < best else since + 1
            if size < best:
                best, best_theta = size, path.theta
            elif since % _PATIENCE == 0 and best < _AT_ROUND_OFF * path.problem.gradient_round_off(best_theta):
                break
        path.theta = best_theta

    def _start_from_a_sample(self, path: Path, rng: np.random.Generator) -> None:
        """Solve on each eighth record first: it has about the same minimiser, at an eighth of the cost."""
        sample = Path(path.problem.every(_STRIDE), path.theta)
        first = norm(sample.gradient(sample.theta))
        self.run(sample, _SAMPLE_TOL * first, rng)
        path.evaluations += sample.evaluations
        path.hessians += sample.hessians
        path.iterations += sample.iterations
        if np.isfinite(sample.theta).all():
            path.theta = sample.theta


def worth_a_sample(path: Path) -> bool:
    """Whether a cold start on many records of a smooth, strongly convex problem should look at some of them first."""
    problem = path.problem
    many = problem.cells >= _SAMPLE_CELLS and problem.n_samples >= _STRIDE * _SAMPLE_ROWS * problem.n_features
    return many and problem.clip is None and problem.strong_convexity > 0 and not path.theta.any()


def inverse(hessian: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """g ↦ H⁻¹g along the last axis, from a Cholesky factor.

    Where rounding leaves H without one, the smallest tried multiple of its size is added to the diagonal first.
    """
    size = float(np.max(np.diag(hessian)))
    shift = 0.0
    factor, failed = lapack.dpotrf(hessian, lower=True)
    while failed and np.isfinite(size):
        shift = max(100 * shift, np.finfo(float).eps * max(size, np.finfo(float).tiny))
        factor, failed = lapack.dpotrf(hessian + shift * np.eye(len(hessian)), lower=True)
    return lambda gradient: lapack.dpotrs(factor, gradient.T, lower=True)[0].T


def _search(
    path: Path, gradient: np.ndarray, enough: float, step: np.ndarray, backtracks: int
) -> tuple[np.ndarray, np.ndarray, float, float] | None:
    r"""θ + t·step, its gradient, the norm of that, and t, for the first good t ≤ 1; None if there is none.

    With φ(t) = J(θ + t·step), convex and φ'(0) < 0, a t with φ'(t) ≤ 0 has not passed the minimum and is good. Beyond it, the
    next t is where the line through φ'(0) and φ'(t) is 0, kept within a tenth and a half of the last:

    .. math:: t ← t\,\frac{φ'(0)}{φ'(0) − φ'(t)}

    Parameters
    ----------
    path : where the solver is, and where evaluations are counted
    gradient : ∇J(θ)
    enough : gradient norm that is good whatever the slope
    step : direction of descent
    backtracks : how often t may shrink; with 0 the objective itself is not looked at
    """
    descent = float(gradient @ step)
    scale, value = 1.0, np.nan
    for _ in range(backtracks + 1):
        theta = path.theta + scale * step
        candidate = path.gradient(theta)
        slope, after = float(candidate @ step), norm(candidate)
        if np.isfinite(slope):
            if after <= enough or descent <= slope <= 0:
                return theta, candidate, after, scale
            if slope > 0 and backtracks:
                value = path.problem.value(path.theta) if np.isnan(value) else value
                if path.problem.value(theta) <= value + ARMIJO * scale * descent:
                    return theta, candidate, after, scale
            scale *= float(np.clip(descent / (descent - slope), 0.1, 0.5))
        else:
            scale *= 0.1
    return None
