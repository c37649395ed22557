"""Algorithm 1: solve, renew the weights from the solution, solve again; with finitely many rows or in the limit."""

from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.glm import Problem, solve
from dpcore.learners.napp.augment import augmented_rows
from dpcore.learners.napp.weights import SMALLEST, Weighting

_NEGLIGIBLE = 1e-9  # share of the largest coefficient up to which a coefficient counts as zero in the end


@dataclass(frozen=True, eq=False)
class Trace:
    """All iterations of a run, and whether it settled.

    Parameters
    ----------
    paths : array (T, n_features), θ of every iteration
    losses : array (T,), of the data and the rows, as the source traces it (in the limit: with Σmθ² + bᵀθ)
    converged : whether the last change of every coefficient is within the tolerance
    """

    paths: np.ndarray
    losses: np.ndarray
    converged: bool

    @property
    def percentage_change(self) -> np.ndarray:
        """Change of the loss from one iteration to the next in per cent of its size, shape (T − 1,)."""
        return 100.0 * np.abs(np.diff(self.losses)) / np.maximum(np.abs(self.losses[:-1]), SMALLEST)

    @property
    def oscillating(self) -> np.ndarray:
        """Coefficients that change sign in each of the last three iterations, bool (n_features,): they circle around 0."""
        signs = np.sign(self.paths[-4:])
        return (signs[1:] * signs[:-1] < 0).all(axis=0) & (len(signs) == 4)

    @property
    def theta(self) -> np.ndarray:
        """Last iterate, with 0 for coefficients that vanish or flip their sign to the end."""
        last = self.paths[-1]
        gone = np.abs(last) <= _NEGLIGIBLE * np.abs(last).max(initial=0.0)
        return np.where(self.oscillating | gone, 0.0, last)


def run(
    problem: Problem, weighting: Weighting, *, rows: int | None = None, flip: bool = False, limit: int = 80,
    rng: int | np.random.Generator = 0, tol: float = 1e-8, tolerance: float = 1e-8,
) -> Trace:  # fmt: skip
    """Algorithm 1 until every coefficient moves by at most `tolerance` (limit only) or T is reached.

    Parameters
    ----------
    problem : Problem of the data, with the noise b as its linear term; its own penalty is kept on top
    weighting : Weighting
    rows : n_e, a multiple of 4; None for the limit n_e → ∞, a re-weighted ridge
    flip : whether b_j takes the sign of the last θ_j from t = 2 on (NAPP-VS)
    limit : T ≥ 1, iterations at most
    rng : draws the rows, anew in each iteration; not read in the limit
    tol : gradient norm of each solve
    tolerance : float > 0
        With finitely many rows the iterates keep fluctuating, so that all T iterations are run.

    Raises
    ------
    ParameterError, ConvergenceError
    """
    tolerance, limit = validation.positive("tolerance", tolerance), validation.at_least_one("limit", limit)
    if not isinstance(problem, Problem):
        raise ParameterError(f"problem must be a Problem, got {problem!r}")
    generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    weights, signed, alive = weighting.first(problem.n_features), problem.linear, None
    paths: list[np.ndarray] = []
    losses, change = [], np.inf
    for _ in range(limit):
        theta, loss = solve_step(problem, weights, signed, rows, generator, tol, alive)
        change = float(np.abs(theta - paths[-1]).max()) if paths else np.inf
        paths.append(theta)
        losses.append(loss)
        if change <= tolerance and rows is None:
            break
        weights, alive = weighting.after(theta), np.abs(theta) > SMALLEST
        signed = problem.linear * np.sign(theta) if flip else problem.linear
    return Trace(np.array(paths), np.array(losses), change <= tolerance or weighting.fixed)


def solve_step(
    problem: Problem, weights: np.ndarray, linear: np.ndarray, rows: int | None, rng: np.random.Generator, tol: float = 1e-8,
    alive: np.ndarray | None = None,
) -> tuple[np.ndarray, float]:  # fmt: skip
    """θ and the loss of one iteration; columns that have vanished are left out, as their weights are infinite.

    Parameters
    ----------
    problem, rows, rng, tol : as in `run`; the problem's own linear term is not read
    weights, linear : m and b of this iteration, arrays (n_features,)
    alive : which columns are left, bool (n_features,); None for all
    """
    alive = np.ones(problem.n_features, bool) if alive is None else alive
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
