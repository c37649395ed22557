"""One run of the chosen variant, the budget the source says it leaves over, and Algorithm 2."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.glm import Problem
from dpcore.learners.napp.augment import vector
from dpcore.learners.napp.exact import stationary_point
from dpcore.learners.napp.iterate import run
from dpcore.learners.napp.noise import Noise
from dpcore.learners.napp.weights import Weighting

SELECTIONS = {"none": "bᵀθ (general NAPP)", "vs": "bᵀ|θ| (VS)", "vs_plus": "bᵀ|θ|, b ≥ 0 (VS+)"}
_BRIDGE_LIMIT = 2000  # largest number of iterations for a bridge where no limit is given
_WORTH = 1e-6  # share of the budget below which another round of recycling changes nothing


def draw_noise(noise: Noise, selection: str, size: int, rng: np.random.Generator, cut: float = -np.inf) -> np.ndarray:
    """b of a variant, shape (size,): whole for "none", above the cut for "vs", above 0 for "vs_plus".

    Parameters
    ----------
    noise : law of b
    selection : name in `SELECTIONS`
    size : number of columns
    rng : random generator
    cut : where the noise of "vs" is truncated, ≤ 0

    References: li-liu-napp (Eqs. 9 and 10).
    """
    if validation.choice("selection", selection, SELECTIONS) == "none":
        return noise.sample(size, rng)
    return noise.truncated(size, rng, cut if selection == "vs" else 0.0)


@dataclass(frozen=True, eq=False)
class Settled:
    """Where one run ended.

    Parameters
    ----------
    theta : array (n_features,)
    weights : m at theta, array (n_features,)
    """

    theta: np.ndarray
    weights: np.ndarray


def settle(
    problem: Problem, weighting: Weighting, noise: np.ndarray, *, selection: str = "none", rows: int | None = None,
    limit: int | None = None, rng: int | np.random.Generator = 0, tol: float = 1e-9,
) -> Settled:  # fmt: skip
    """Run one variant on one b.

    Parameters
    ----------
    problem : Problem of the data, without a linear term
    weighting : Weighting
    noise : b, array (n_features,); b ≥ 0 for "vs_plus"
    selection : "none" (bᵀθ), "vs" or "vs_plus" (bᵀ|θ|)
    rows : n_e, or None for the limit n_e → ∞
    limit : T, or None for the point the iteration converges to (needs rows=None)
    rng : draws the rows
    tol : on the optimality conditions, or the gradient norm of each iteration

    Raises
    ------
    ParameterError, ConvergenceError
    """
    validation.choice("selection", selection, SELECTIONS)
    signed = selection != "none"
    for name, value, kind in (("problem", problem, Problem), ("weighting", weighting, Weighting)):
        if not isinstance(value, kind):
            raise ParameterError(f"{name} must be a {kind.__name__}, got {value!r}")
    if limit is None and rows is not None:
        raise ParameterError("with finitely many rows the iteration never stands still: give a limit T")
    if limit is None and weighting.regularizer.kind != "bridge":
        linear, selecting = (None, noise) if signed else (noise, None)
        theta = stationary_point(problem.replace(linear=linear), weighting, selection=selecting, tol=tol).theta
    else:
        limit = limit or _BRIDGE_LIMIT
        theta = run(
            problem.replace(linear=noise), weighting, rows=rows, flip=signed, limit=limit, rng=rng, tol=tol
        ).theta  # fmt: skip
    return Settled(theta, weighting.after(theta))


def retrievable(jacobian_budget: float, floor: float, weights: np.ndarray) -> float:
    r"""What the source says can be had back of the budget set aside for the Jacobian.

    .. math:: Δ_ε = \max\Big\{0, (1−r)ε\Big(1 − \frac{Λ_0}{\min_j m_j}\Big)\Big\}, \qquad n_e ℓ'' V_j = 2m_j

    (printed with min, and without the 2). The amount is read off the data: returning it is itself a release.

    Parameters
    ----------
    jacobian_budget : (1−r)ε ≥ 0, nats
    floor : Λ₀ > 0
    weights : m, array (n_features,)

    References: li-liu-napp (Proposition 6, refuted).
    """
    budget = validation.non_negative("jacobian_budget", jacobian_budget)
    smallest = float(vector("weights", weights).min())
    if smallest <= 0:
        raise ParameterError(f"weights must be > 0, got {smallest:g}")
    return budget * max(0.0, 1.0 - validation.positive("floor", floor) / smallest)


@dataclass(frozen=True, eq=False)
class Recycled:
    """Result of Algorithm 2. It is confidential, except for what is released of it.

    Parameters
    ----------
    settled : the last run
    retrieved : Δ of each round, nats; their sum is what was taken from the Jacobian's budget
    noise : the b of the last run
    weighting : that of the last run, its floor raised
    """

    settled: Settled
    retrieved: tuple[float, ...]
    noise: np.ndarray
    weighting: Weighting


def recycle(
    problem: Problem, weighting: Weighting, noise: np.ndarray, *, noise_budget: float, jacobian_budget: float, rounds: int = 1,
    first: Settled | None = None, **options: Any,
) -> Recycled:  # fmt: skip
    """Algorithm 2: run, shrink b by what is retrieved, raise Λ₀ to the modulus reached, run again.

    Parameters
    ----------
    problem, weighting, noise, options : as in `settle`
    noise_budget : rε, the share b was scaled for
    jacobian_budget : (1−r)ε
    rounds : re-runs at most; 0 only reports what is retrievable
    first : the first run, where it is known already

    References: li-liu-napp (Algorithm 2, corrected).
    """
    noise_budget = validation.positive("noise_budget", noise_budget)
    settled = settle(problem, weighting, noise, **options) if first is None else first
    retrieved = [retrievable(jacobian_budget, weighting.floor, settled.weights)]
    current, scaled = weighting, noise
    for _ in range(validation.integer("rounds", rounds, minimum=0)):
        if retrieved[-1] <= _WORTH * jacobian_budget:
            break
        total = sum(retrieved)
        scaled = noise * (noise_budget / (noise_budget + total))
        floor = float(settled.weights.min())
        if not floor < 1e100:  # every coefficient is zero: less noise leaves them there
            break
        current = replace(current, floor=floor)
        settled = settle(problem, current, scaled, **options)
        retrieved.append(retrievable(max(jacobian_budget - total, 0.0), floor, settled.weights))
    return Recycled(settled, tuple(retrieved), scaled, current)
