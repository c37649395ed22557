"""Algorithm 1: solve, renew the weights from the solution, solve again; with finitely many rows or in the limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.glm import Problem, solve
from dpcore.learners.napp.augment import augmented_rows, scheme
from dpcore.learners.napp.weights import SMALLEST, Weighting

_NEGLIGIBLE = 1e-9  # of the largest coefficient: below, one that keeps falling counts as zero


@dataclass(frozen=True)
class Step:
    """One iteration.

    Parameters
    ----------
    t : 1, 2, …
    theta : array (n_features,), solution of this iteration
    weights : m used in this iteration, array (n_features,)
    loss : loss of the data and the rows at theta, as the source traces it (in the limit: with Σmθ² + bᵀθ)
    change : largest change of a coefficient since the last iteration; inf at t = 1
    """

    t: int
    theta: np.ndarray
    weights: np.ndarray
    loss: float
    change: float


@dataclass(frozen=True, eq=False)
class Trace:
    """All iterations of a run, and whether it settled.

    Parameters
    ----------
    steps : tuple of Step
    converged : whether the last change of every coefficient is within the tolerance
    oscillating : array (n_features,) of bool, coefficients whose sign flips until the end
    """

    steps: tuple[Step, ...]
    converged: bool
    oscillating: np.ndarray

    @property
    def paths(self) -> np.ndarray:
        """θ of every iteration, shape (T, n_features)."""
        return np.array([step.theta for step in self.steps])

    @property
    def losses(self) -> np.ndarray:
        """Loss of every iteration, shape (T,)."""
        return np.array([step.loss for step in self.steps])

    @property
    def percentage_change(self) -> np.ndarray:
        """Change of the loss from one iteration to the next in per cent of its size, shape (T − 1,)."""
        losses = self.losses
        return 100.0 * np.abs(np.diff(losses)) / np.maximum(np.abs(losses[:-1]), SMALLEST)

    @property
    def weights(self) -> np.ndarray:
        """m of the last iteration."""
        return self.steps[-1].weights

    @property
    def theta(self) -> np.ndarray:
        """Last iterate, with 0 for coefficients that vanish or flip their sign to the end."""
        last = self.steps[-1].theta
        gone = np.abs(last) <= _NEGLIGIBLE * np.abs(last).max(initial=0.0)
        return np.where(self.oscillating | gone, 0.0, last)


def iterations(
    problem: Problem,
    weighting: Weighting,
    *,
    rows: int | None = None,
    flip: bool = False,
    limit: int = 80,
    rng: int | np.random.Generator = 0,
    tol: float = 1e-8,
) -> Iterator[Step]:
    """The iterations of Algorithm 1, one at a time, so that a caller can show and stop them.

    Parameters
    ----------
    problem : Problem of the data, with the noise b as its linear term; its own penalty is kept on top
    weighting : Weighting
    rows : n_e, a multiple of 4; None for the limit n_e → ∞, a re-weighted ridge
    flip : whether b_j takes the sign of the last θ_j from t = 2 on (NAPP-VS)
    limit : T ≥ 1, iterations at most
    rng : draws the rows, anew in each iteration; not read in the limit
    tol : gradient norm of each solve

    Raises
    ------
    ParameterError, ConvergenceError
    """
    limit = validation.integer("limit", limit, minimum=1)
    if not isinstance(problem, Problem):
        raise ParameterError(f"problem must be a Problem, got {problem!r}")
    if rows is not None:
        scheme(problem.loss)
    generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    theta, noise = None, problem.linear
    for t in range(1, limit + 1):
        weights = weighting.first(problem.n_features) if theta is None else weighting.after(theta)
        signed = noise * np.sign(theta) if flip and theta is not None else noise
        alive = np.ones(problem.n_features, bool) if theta is None else np.abs(theta) > SMALLEST
        step = _solve(problem, weights, signed, alive, rows, generator, tol)
        change = np.inf if theta is None else float(np.abs(step[0] - theta).max())
        theta = step[0]
        yield Step(t, theta, weights, step[1], change)


def run(problem: Problem, weighting: Weighting, *, tolerance: float = 1e-8, **options: Any) -> Trace:
    """Algorithm 1 until every coefficient moves by at most `tolerance` (limit only) or T is reached.

    Parameters
    ----------
    problem, weighting, options : as in `iterations`
    tolerance : float > 0
        With finitely many rows the iterates keep fluctuating, so that all T iterations are run.
    """
    tolerance = validation.positive("tolerance", tolerance)
    steps: list[Step] = []
    for step in iterations(problem, weighting, **options):
        steps.append(step)
        if step.change <= tolerance and options.get("rows") is None:
            break
    return Trace(tuple(steps), steps[-1].change <= tolerance or weighting.fixed, flipping([s.theta for s in steps]))


def flipping(paths: list[np.ndarray]) -> np.ndarray:
    """Which coefficients change sign in each of the last three iterations: they circle around 0."""
    if len(paths) < 4:
        return np.zeros(paths[-1].size, dtype=bool)
    signs = np.sign(np.array(paths[-4:]))
    return (signs[1:] * signs[:-1] < 0).all(axis=0)


def _solve(
    problem: Problem,
    weights: np.ndarray,
    linear: np.ndarray,
    alive: np.ndarray,
    rows: int | None,
    rng: np.random.Generator,
    tol: float,
) -> tuple[np.ndarray, float]:
    """θ and the loss of one iteration; columns that have vanished are left out, as their weights are infinite."""
    theta = np.zeros(problem.n_features)
    if not alive.any():
        return theta, float(problem.value(theta))
    inner, kept = problem if alive.all() else problem.columns(alive), linear[alive]
    if rows is None:
        inner = inner.replace(lam=1.0, linear=kept, weights=inner.penalty + 2.0 * weights[alive])
    else:
        extra = augmented_rows(problem.loss, weights[alive], kept, rows, rng)
        inner = inner.extended(extra.X, extra.y).replace(linear=None)
    floor = inner.gradient_round_off(np.zeros(inner.n_features))
    theta[alive] = solve(inner, max(tol, 100 * floor)).theta
    return theta, float(inner.value(theta[alive]))
