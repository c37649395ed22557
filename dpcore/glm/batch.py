"""One data set, many noise draws: all draws move together through shared passes over the rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.glm.fit import Fit, solve
from dpcore.glm.newton import ENOUGH, inverse
from dpcore.glm.problem import Problem
from dpcore.glm.secant import SecantMemory
from dpcore.glm.threads import SINGLE_THREADED_BLAS

_TOGETHER = 256  # number of draws that share a pass; more would only enlarge the working memory
# Largest number of shared passes. A draw that is not done after them is solved on its own. A shared pass costs, for
# each draw, a tenth of a pass for one draw alone. Doubled, fewer draws are solved alone.
_PASSES = 60
# Gradient norm to which the common start is solved, as a share of the smallest ‖b‖: the draws move further anyway.
_NEAR = 0.3


@dataclass(frozen=True, eq=False)
class BatchFit:
    """Solutions for many linear terms, each with ‖∇J‖ ≤ tol computed at exactly this θ.

    Parameters
    ----------
    theta : array (draws, n_features)
    gradient_norm : array (draws,)
    centre : fit without a linear term
    evaluations : gradients of one record's loss computed, over all draws
    alone : array (draws,) of bool, draws that were finished on their own by Newton's method
    """

    theta: np.ndarray
    gradient_norm: np.ndarray
    centre: Fit
    evaluations: int
    alone: np.ndarray


def solve_batch(problem: Problem, linear: Any, tol: float = 1e-6) -> BatchFit:
    r"""Minimise the same risk for every row b of `linear`, in place of the problem's own linear term.

    The Hessian is factorised once, near the minimiser for b = 0; every draw, and b = 0 itself, then takes quasi-Newton
    steps around it, and the gradients of all draws come from one pass over the data.

    Parameters
    ----------
    problem : Problem
    linear : array (draws, n_features)
    tol : float > 0

    Raises
    ------
    ConvergenceError
        If any draw does not reach ‖∇J‖ ≤ tol.
    """
    if not isinstance(problem, Problem):
        raise ParameterError(f"problem must be a Problem, got {problem!r}")
    tol = validation.positive("tol", tol)
    draws = validation.real_array("linear", linear)
    if draws.ndim != 2 or draws.shape[1] != problem.n_features or not np.isfinite(draws).all():
        raise ParameterError(
            f"linear must be a finite array of the shape (draws, {problem.n_features}), got {draws.shape}"
        )
    if problem.strong_convexity == 0:
        raise ParameterError("solve_batch needs lam > 0 and weights > 0: without them a draw need not have a minimiser")
    free = problem.replace(linear=None)
    linear = np.vstack([np.zeros(problem.n_features), draws])
    theta, norms = np.empty(linear.shape), np.empty(len(linear))
    alone = np.zeros(len(linear), dtype=bool)
    with SINGLE_THREADED_BLAS, np.errstate(over="ignore", invalid="ignore"):
        near = max(tol, _NEAR * float(np.linalg.norm(draws, axis=1).min())) if len(draws) else tol
        start = solve(free, near)
        shared = inverse(problem.hessian(start.theta))
        evaluations = start.evaluations
        for first in range(0, len(linear), _TOGETHER):
            part = slice(first, first + _TOGETHER)
            theta[part], norms[part], spent = _advance(problem, linear[part], tol, start.theta, SecantMemory(shared))
            for row in first + np.flatnonzero(~(norms[part] <= tol)):
                fit = solve(problem.replace(linear=linear[row]), tol, "newton", start=theta[row])
                theta[row], norms[row], alone[row] = fit.theta, fit.gradient_norm, True
                spent += fit.evaluations
            evaluations += spent
        centre = solve(free, tol, "newton", start=theta[0])
    return BatchFit(theta[1:], norms[1:], centre, evaluations + centre.evaluations, alone[1:])


def _advance(
    problem: Problem, linear: np.ndarray, tol: float, start: np.ndarray, memory: SecantMemory
) -> tuple[np.ndarray, np.ndarray, int]:
    """θ of each draw after the shared passes, the gradient norm computed there, and the evaluations spent.

    Every draw b has its own J_b(θ) = J(θ) + bᵀθ but the same Hessian: one factor and one pass over the rows serve all.
    Each draw keeps its own secants and step length t. A step along d is good if it halves ‖∇J_b‖, or if the new slope
    along d lies between −|∇J_bᵀd| and ½|∇J_bᵀd|. Else t shrinks as in a line search and θ stays. A draw leaves when it
    is done.

    Parameters
    ----------
    problem : the rows and the penalty; its own linear term is not used
    linear : b of each draw (draws, n_features)
    tol : gradient norm
    start : θ that all draws start from
    memory : the factor they share, and their secants
    """
    evaluations = problem.n_samples
    final = np.tile(start, (len(linear), 1))
    gradient = problem.gradient(start) - problem.linear + linear
    norms = np.linalg.norm(gradient, axis=1)
    active = np.flatnonzero(norms > tol)
    theta, gradient, scale = final[active], gradient[active], np.ones(active.size)
    for _ in range(_PASSES if active.size else 0):
        direction = memory.direction(gradient)
        trial = theta + scale[:, None] * direction
        renewed = problem.gradients(trial, linear[active])
        evaluations += active.size * problem.n_samples
        before, after = norms[active], np.linalg.norm(renewed, axis=1)
        descent, slope = np.vecdot(gradient, direction), np.vecdot(renewed, direction)
        good = (after <= ENOUGH * before) | ((descent <= slope) & (slope <= -ENOUGH * descent))
        overshot = np.where(good | ~np.isfinite(slope), -np.inf, slope / descent)
        scale = np.where(good, 1.0, scale * np.clip(1 / (1 - overshot), 0.1, 0.5))
        trial, renewed = np.where(good[:, None], trial, theta), np.where(good[:, None], renewed, gradient)
        memory.learn(trial - theta, renewed - gradient)
        theta, gradient = trial, renewed
        final[active], norms[active] = theta, np.where(good, after, before)
        rest = np.flatnonzero(norms[active] > tol)
        if not rest.size:
            break
        active, theta, gradient, scale = active[rest], theta[rest], gradient[rest], scale[rest]
        memory.keep(rest)
    return final, norms, evaluations
