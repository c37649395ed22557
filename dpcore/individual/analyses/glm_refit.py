"""Fits of a generalised linear model without one row, to the digits that a difference of two fits would lose."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from dpcore.glm import Problem, solve
from dpcore.individual.fit.glm import clipped, factor_of, tolerance_of
from dpcore.numerics import LAST_DIGITS


def change_without(problem: Problem, theta: np.ndarray, row: int, start: np.ndarray, label: str) -> np.ndarray:
    """θ̂_{−i} − θ̂ (n_features,) by a fit without the row, with the digits that a difference of two fits would lose.

    Parameters
    ----------
    problem : the objective of all rows
    theta : θ̂, its minimiser to round-off
    row : position i
    start : where the search for θ̂_{−i} begins
    label : label of the row, for messages

    Raises
    ------
    DataError, ConvergenceError
    """
    text = f"Without row {label} the coefficients are"
    keep = np.delete(np.arange(problem.n_samples), row)
    if not keep.size and problem.lam > 0:
        return -theta  # the penalty alone is smallest at 0
    if problem.lam == 0:
        factor_of(problem.X[keep].T @ problem.X[keep], 0.0, text)
    rest = Problem(problem.loss, problem.X[keep], problem.y[keep], lam=problem.lam, clip=problem.clip)
    u = problem.X @ theta
    slope = clipped(problem.loss, problem.clip, problem.X).derivative(u, problem.y)
    step = solve(rest, tolerance_of(problem), start=start).theta - theta
    return _displacement(rest, u[keep], slope[keep], slope[row] * problem.X[row], step, text)


def polished(problem: Problem, theta: np.ndarray) -> np.ndarray:
    """The minimiser to round-off, from `theta`, which is it to the tolerance of a solver."""
    gradient = problem.gradient(theta)
    while True:  # Newton steps; they end where round-off begins
        better = theta - linalg.cho_solve((factor_of(problem.hessian(theta), problem.lam), True), gradient)
        after = problem.gradient(better)
        if not np.linalg.norm(after) < np.linalg.norm(gradient):
            break
        theta, gradient = better, after
    return theta


def _displacement(
    rest: Problem, u: np.ndarray, slope: np.ndarray, pull: np.ndarray, step: np.ndarray, text: str
) -> np.ndarray:
    r"""d = θ̂_{−i} − θ̂ as the root of one equation; it keeps the digits that a difference of the two fits would lose.

    .. math:: \sum_{j≠i}\left(f'(u_j + x_j^⊤d) − f'(u_j)\right)x_j + λd = f'_i x_i, \quad u = Xθ̂

    Parameters
    ----------
    u, slope : predictors and f' of the other rows at θ̂
    pull : f'_i x_i (n_features,)
    step : d, to the tolerance of a solver
    """
    best, loss = np.inf, clipped(rest.loss, rest.clip, rest.X)
    while True:  # Newton steps; they end where round-off begins
        at = u + rest.X @ step
        missing = (loss.derivative(at, rest.y) - slope) @ rest.X + rest.penalty * step - pull
        bend = loss.second_derivative(at, rest.y)
        hessian = (rest.X.T * bend) @ rest.X + np.diag(rest.penalty)
        correction = linalg.cho_solve((factor_of(hessian, rest.lam, text), True), missing)
        size = float(np.linalg.norm(correction))
        if not size < best:
            break
        step, best = step - correction, size
        if size <= LAST_DIGITS * np.linalg.norm(step):
            break
    return step
