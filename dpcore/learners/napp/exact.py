"""The point the iteration converges to, found directly and checked: loss + bᵀθ (or bᵀ|θ|) + the realised regulariser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ConvergenceError, ParameterError, UnsupportedError
from dpcore.glm import Problem
from dpcore.glm.newton import ARMIJO
from dpcore.learners.napp.weights import Weighting

# Largest numbers of Newton steps, of sweeps in one coordinate descent, of halvings of a step, and of rounds in which
# the signs of coefficients may change.
_STEPS, _SWEEPS, _HALVINGS, _ROUNDS = 200, 100, 50, 60
# How often coordinate descent may be followed by a linear solve; alone it crawls where columns are nearly collinear.
_POLISHES = 200
# Number of rounding errors of b and s by which the optimality conditions may be off, where that exceeds the tolerance.
_ROUNDING = 100
_SINGULAR = 1e-13  # share of the largest singular value below which a combination of columns counts as redundant


@dataclass(frozen=True, eq=False)
class Stationary:
    """A verified stationary point.

    Parameters
    ----------
    theta : array (n_features,), with exact zeros
    residual : largest violation of the optimality conditions, in units of the gradient
    objective : value of the minimised function, concave parts replaced by their tangents
    """

    theta: np.ndarray
    residual: float
    objective: float


def stationary_point(problem: Problem, weighting: Weighting, *, selection: Any = None, tol: float = 1e-9) -> Stationary:
    r"""Minimise Σf + bᵀθ + (λ/2)Σwθ² + Σ r(θ_j) + Σ s_j|θ_j|, r the regulariser a `Weighting` realises.

    Proximal Newton steps with coordinate descent inside. Where s_j is so negative that the penalty falls away from 0, its
    concave part follows the sign of θ_j, as in the source, until the signs stay: a local minimum.

    Parameters
    ----------
    problem : Problem, with b as its linear term
    weighting : ridge, lasso or elastic net
    selection : array (n_features,), s: the noise of NAPP-VS, weighting |θ_j|; negative entries leave a local minimum
    tol : float > 0, on the optimality conditions; no less than rounding of b and s allows

    Raises
    ------
    UnsupportedError
        For a bridge, whose stationary points are not unique: iterate instead.
    ConvergenceError
    """
    if not isinstance(problem, Problem):
        raise ParameterError(f"problem must be a Problem, got {problem!r}")
    if weighting.regularizer.kind == "bridge":
        raise UnsupportedError("a bridge has no unique stationary point: run the iteration instead")
    tol = validation.positive("tol", tol)
    size = problem.n_features
    linear = np.zeros(size) if selection is None else problem.vector("selection", selection)
    concave = np.minimum(linear + weighting.slope, 0.0)
    penalty = _Penalty(weighting, linear - concave)
    found = _minimise(problem, penalty, np.zeros(size), tol)
    if not concave.any():
        return found
    signs = np.zeros(size)
    for _ in range(_ROUNDS):
        theta, downhill = found.theta, -problem.gradient(found.theta)
        renewed = np.where(concave < 0, np.sign(np.where(theta == 0, downhill, theta)), 0.0)
        if np.array_equal(renewed, signs):
            return found
        signs = renewed
        found = _minimise(problem.replace(linear=problem.linear + concave * signs), penalty, theta, tol)
    raise ConvergenceError(
        f"the signs of the coefficients did not settle in {_ROUNDS} rounds: use a stronger regulariser"
    )


def _minimise(problem: Problem, penalty: _Penalty, theta: np.ndarray, tol: float) -> Stationary:
    """The convex problem, by proximal Newton steps."""
    noise = float(np.linalg.norm(problem.linear) + np.linalg.norm(penalty.linear))
    tol = max(tol, _ROUNDING * np.finfo(float).eps * noise)
    with np.errstate(over="ignore", invalid="ignore"):
        value, gradient = problem.value_and_gradient(theta)
        objective, residual = value + penalty.value(theta), penalty.residual(theta, gradient)
        for _ in range(_STEPS):
            if residual <= tol:
                break
            hessian = problem.hessian(theta)
            goal = _goal(hessian, gradient, theta, penalty, tol / 10)
            if not np.isfinite(goal).all():  # the loss is flat here, as it is clipped or has a column of zeros
                if not problem.X[:, ~np.isfinite(goal)].any():
                    raise ConvergenceError(
                        "the objective has no minimiser: a column of zeros is pulled harder than the regulariser holds it; use a "
                        "floor Λ₀ > 0 or a stronger regulariser"
                    )
                damping = np.abs(gradient).max() / max(1.0, np.abs(theta).max())
                goal = _goal(hessian + damping * np.eye(theta.size), gradient, theta, penalty, tol / 10)
            found = _advance(problem, penalty, theta, goal - theta, gradient, objective)
            if found is None:
                break
            theta, gradient, objective = found
            residual = penalty.residual(theta, gradient)
    if residual <= tol:
        return Stationary(theta, residual, objective)
    raise ConvergenceError(
        f"the optimality conditions are met only to {residual:.3g}, above tol = {tol:.3g}: use a larger tol or a stronger regulariser"
    )


def _goal(hessian: np.ndarray, gradient: np.ndarray, theta: np.ndarray, penalty: _Penalty, tol: float) -> np.ndarray:
    """Minimiser of the quadratic model plus the penalty: sweeps over the coordinates, each followed by a linear solve."""
    from dpcore.learners.napp.descent import minimise_quadratic

    found, least = theta, np.inf
    for _ in range(_POLISHES):
        slope = gradient + hessian @ (found - theta)
        of = penalty.weighting
        found = minimise_quadratic(hessian, slope, found, penalty.linear, of.slope, of.square, of.least, tol, _SWEEPS)
        slope = gradient + hessian @ (found - theta)
        residual = penalty.residual(found, slope)
        solved = _solved(hessian, slope, found, penalty) if residual > tol else found
        better = penalty.residual(solved, gradient + hessian @ (solved - theta))
        found, reached = (solved, better) if better < residual else (found, residual)
        if not reached > tol or reached >= least:  # no progress: rounding, or a crawl that the next model may end
            break
        least = reached
    return found


def _solved(hessian: np.ndarray, slope: np.ndarray, theta: np.ndarray, penalty: _Penalty) -> np.ndarray:
    """One linear solve for the coefficients that are not 0, up to the first that would change its sign."""
    free = np.flatnonzero(theta)
    if not free.size:
        return theta
    system = hessian[np.ix_(free, free)] + np.diag(penalty.weighting.curvature(theta[free]))
    target = -(slope[free] + penalty.push(theta)[free] * np.sign(theta[free]))
    step = np.linalg.lstsq(system, target, rcond=_SINGULAR)[0]
    crossing = -theta[free] / np.where(step == 0, 1.0, step)
    inside = crossing[(step != 0) & (crossing > 0)]
    length = min(1.0, float(inside.min(initial=1.0)))
    moved = theta.copy()
    moved[free] = np.where((crossing == length) & (length < 1), 0.0, theta[free] + length * step)
    return moved


def _advance(
    problem: Problem, penalty: _Penalty, theta: np.ndarray, step: np.ndarray, gradient: np.ndarray, objective: float
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """θ + t·step that lowers the objective enough, its gradient and objective; None if no t does."""
    expected = float(gradient @ step) + penalty.value(theta + step) - penalty.value(theta)
    scale, slack = 1.0, 64 * np.finfo(float).eps * abs(objective)
    for _ in range(_HALVINGS):
        trial = theta + scale * step
        value, renewed = problem.value_and_gradient(trial)
        total = value + penalty.value(trial)
        if total <= objective + ARMIJO * scale * min(expected, 0.0) + slack:
            return trial, renewed, total
        scale /= 2
    return None


@dataclass(frozen=True, eq=False)
class _Penalty:
    """r(θ) + Σ s_j|θ_j| of a weighting and s = linear ≥ −r'(0+)."""

    weighting: Weighting
    linear: np.ndarray

    def value(self, theta: np.ndarray) -> float:
        return float(np.sum(self.linear * np.abs(theta) + self.weighting.realised(theta)))

    def push(self, theta: np.ndarray) -> np.ndarray:
        """Its slope at |θ_j|, at 0 from above."""
        return self.linear + self.weighting.pull(np.abs(theta))

    def residual(self, theta: np.ndarray, gradient: np.ndarray) -> float:
        push = self.push(theta)
        at_zero = np.maximum(np.abs(gradient) - push, 0.0)
        return float(np.abs(np.where(theta == 0, at_zero, gradient + push * np.sign(theta))).max())
