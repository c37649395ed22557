"""Runs of noisy gradient descent: the excess risk on invented data, with the bound and the rate of the theorem."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import optimize

from dpcore.glm.losses import LOSSES
from dpcore.glm.threads import SINGLE_THREADED_BLAS
from dpcore.mechanisms.regularized_exponential import gaussian_shift
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

_LOSS = LOSSES["logistic"]
_REPEATS = 16
# Length of the random part that is added to one common unit vector in invented rows, and the share of wrong labels.
_ASIDE, _WRONG = 0.5, 0.1
_SEEN = 40  # most steps at which the path is measured

DESCENT_CARD = formula_card(__file__, "descent")


@dataclass(frozen=True)
class DescentPlan:
    """Noise per step σ, step length η, and the bound on the mean excess; G = 1 and D = 2."""

    sigma: float
    step: float
    bound: float
    limit: float


def plan_descent(n: int, d: int, epsilon: float, delta: float, steps: int) -> DescentPlan:
    r"""Noise that uses exactly (ε, δ) over all steps, the step length that minimises the bound, and the bound.

    .. math:: σ = \frac{2\sqrt T}{nΔ^*}, \quad η = \frac{D}{\sqrt{T(1 + dσ²)}}, \quad \text{bound} = D\sqrt{(1 + dσ²)/T}

    `limit` is the bound as T → ∞, 2D√d/(nΔ*).

    Parameters
    ----------
    n, d, steps : ints ≥ 1, records, dimension and T
    epsilon : float > 0, nats
    delta : float in (0, 1)

    References: lecture-12 (Rates of section 2, rate).
    """
    shift = gaussian_shift(epsilon, delta)
    sigma = 2 * math.sqrt(steps) / (n * shift)
    size = math.sqrt(1 + d * sigma**2)
    root = math.sqrt(steps)
    return DescentPlan(sigma, 2 / (root * size), 2 * size / root, 4 * math.sqrt(d) / (n * shift))


def rate(n: Any, d: int, epsilon: float, delta: float) -> Any:
    """GD√(d log(1/δ))/(nε) at each n, the lecture's rate without its constant.

    References: lecture-12 (Rates of section 2, rate).
    """
    return 2 * math.sqrt(d * math.log(1 / delta)) / (n * epsilon)


@dataclass(frozen=True, eq=False)
class DescentRun:
    """Excess of f at the mean iterate in each run (repeats,), and its mean over runs after some of the steps."""

    plan: DescentPlan
    excess: np.ndarray
    path: Curve

    @property
    def mean(self) -> float:
        """Mean excess over the runs."""
        return float(self.excess.mean())

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return float(self.excess.std(ddof=1) / math.sqrt(len(self.excess)))


def run_descent(n: int, d: int, epsilon: float, delta: float, steps: int, *, seen: int = _SEEN) -> DescentRun:
    """Sixteen runs from the centre of the unit ball: logistic loss, n invented rows on the unit sphere.

    Parameters
    ----------
    n, d, epsilon, delta, steps : as for `plan_descent`
    seen : most steps at which the path is measured; the last step is one of them
    """
    plan = plan_descent(n, d, epsilon, delta, steps)
    with SINGLE_THREADED_BLAS:
        return _run(plan, n, d, np.unique(np.linspace(steps, 1, min(steps, seen)).round().astype(int)))


def _run(plan: DescentPlan, n: int, d: int, seen: np.ndarray) -> DescentRun:
    rows, least = _invented(n, d)
    rng = np.random.default_rng(0)
    x, mean = np.zeros((_REPEATS, d)), np.zeros((_REPEATS, d))
    path = []
    for t in range(1, int(seen[-1]) + 1):
        mean += (x - mean) / t
        if t in seen:
            path.append(_risk(rows, mean) - least)
        gradient = _LOSS.derivative(x @ rows.T, np.ones(n)) @ rows / n
        x = x - plan.step * (gradient + plan.sigma * rng.standard_normal(x.shape))
        x /= np.maximum(1.0, np.linalg.norm(x, axis=1, keepdims=True))
    means = np.array([excess.mean() for excess in path])
    return DescentRun(plan, path[-1], Curve("Measured", seen.astype(float), means, Bound.ESTIMATE))


def _risk(rows: np.ndarray, x: np.ndarray) -> np.ndarray:
    return _LOSS.value(x @ rows.T, np.ones(len(rows))).mean(axis=-1)


@lru_cache(maxsize=32)
def _invented(n: int, d: int) -> tuple[np.ndarray, float]:
    """Rows yz with ‖z‖ = 1 (n, d), and the minimum of the mean loss on the unit ball."""
    rng = np.random.default_rng(n * 100_003 + d)
    z = rng.standard_normal((n, d))
    z *= _ASIDE / np.linalg.norm(z, axis=1, keepdims=True)
    z += 1 / math.sqrt(d)
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    rows = z * np.where(rng.random(n) < _WRONG, -1.0, 1.0)[:, None]

    def risk(x: np.ndarray) -> tuple[float, np.ndarray]:
        return float(_risk(rows, x)), _LOSS.derivative(x @ rows.T, np.ones(n)) @ rows / n

    inside = {"type": "ineq", "fun": lambda x: 1 - x @ x, "jac": lambda x: -2 * x}
    found = optimize.minimize(
        risk, np.zeros(d), jac=True, method="SLSQP", constraints=[inside], options={"ftol": 1e-12}
    )
    return rows, float(found.fun)


def descent_curves(counts: tuple[int, ...], d: int, epsilon: float, delta: float, steps: int) -> list[Curve]:
    """Mean excess against n: measured, bounds at T steps and T → ∞, the lecture's rate, and the bound of ε-DP sampling.

    Parameters
    ----------
    counts : numbers of records
    d, epsilon, delta, steps : as for `plan_descent`
    """
    n = np.asarray(counts, dtype=float)
    runs = [run_descent(count, d, epsilon, delta, steps, seen=1) for count in counts]
    mean, bound, limit = np.array([(run.mean, run.plan.bound, run.plan.limit) for run in runs]).T
    return [
        Curve("Measured", n, mean, Bound.ESTIMATE, "mean of 16 runs"),
        Curve("Bound at T steps", n, bound, Bound.UPPER),
        Curve("Bound, T → ∞", n, limit, Bound.UPPER, "of ever more steps, not of T"),
        Curve("Rate of the lecture", n, rate(n, d, epsilon, delta), Bound.ESTIMATE, "constant left out"),
        Curve("Sampling, ε-DP", n, 4 * d / (n * epsilon), Bound.UPPER, "d/k"),
    ]
