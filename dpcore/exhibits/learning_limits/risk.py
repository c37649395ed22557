"""What private learning costs on a finite class: bounds on the excess risk, and the excess measured by simulation."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpcore.learners.finite_class import FiniteClass
from dpcore.mechanisms.selection import selection_probabilities
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

FINITE_CARD = formula_card(__file__, "finite")


@dataclass(frozen=True)
class RiskBound:
    """A bound on the excess risk, split into what sampling costs and what privacy adds."""

    statistical: float
    privacy: float

    @property
    def total(self) -> float:
        """The bound, at most 1."""
        return min(1.0, self.statistical + self.privacy)


def risk_bound(size: int, n: int, epsilon: float, beta: float, setting: str = "agnostic") -> RiskBound:
    r"""A bound that the excess risk of the exponential mechanism exceeds with probability at most β.

    .. math:: \sqrt{2\log(2|H|/β)/n} + \log(2|H|/β)/(nε) \quad\text{or}\quad \log(|H|/β)/n \, (1 + 1/ε)

    Parameters
    ----------
    size : |H| ≥ 1
    n : int ≥ 1
    epsilon : float > 0, nats
    beta : float in (0, 1)
    setting : "agnostic" or "realisable" (some hypothesis is never wrong)

    References: lecture-10 (Agnostic bound, rate, Realisable bound).
    """
    if setting == "realisable":
        one = math.log(size / beta) / n
        return RiskBound(one, one / epsilon)
    logarithm = math.log(2 * size / beta)
    return RiskBound(math.sqrt(2 * logarithm / n), logarithm / (n * epsilon))


def measured_excess(size: int, n: int, epsilon: float, beta: float, noise: float, *, repeats: int = 40) -> float:
    """The (1 − β)-quantile of the true excess risk of the exponential mechanism on thresholds, over random data sets.

    Records are uniform on [−1, 1] with the label of a threshold of the class, a share `noise` of them flipped. Each data
    set's output law is exact; only the data sets are simulated.

    Parameters
    ----------
    size, n, epsilon, beta : as for `risk_bound`
    noise : float in [0, 1/2]
    repeats : number of data sets, int ≥ 1
    """
    excess, errors = _simulated(size, n, noise, repeats)
    law = np.zeros(len(excess))
    for counts in errors:
        law += selection_probabilities(counts, epsilon) / len(errors)
    order = np.argsort(excess)
    return float(excess[order][np.searchsorted(np.cumsum(law[order]), 1 - beta)])


@lru_cache(maxsize=64)
def _simulated(size: int, n: int, noise: float, repeats: int) -> tuple[np.ndarray, np.ndarray]:
    """True excess risk of each threshold (size,), and its errors on each simulated data set (repeats, size)."""
    hypotheses = FiniteClass.of("thresholds", 1, size, 1.0)
    thresholds = hypotheses.parameters[:, 1]
    best = thresholds[int(0.6 * size)]
    rng = np.random.default_rng(0)
    errors = np.empty((repeats, size))
    for counts in errors:
        x = rng.uniform(-1, 1, n)
        y = np.where(x >= best, 1.0, -1.0) * np.where(rng.random(n) < noise, -1.0, 1.0)
        counts[:] = hypotheses.errors(x[:, None], y)
    return (1 - 2 * noise) * np.abs(thresholds - best) / 2, errors


def finite_class_risks(size: int, epsilon: float, beta: float, noise: float, counts: np.ndarray) -> list[Curve]:
    """Bound, its two parts and the measured quantile against n; the realisable bound if there is no noise.

    Parameters
    ----------
    size : number of hypotheses
    epsilon : budget, nats
    beta : probability of failure
    noise : share of labels flipped
    counts : numbers of records n
    """
    setting = "agnostic" if noise > 0 else "realisable"
    counts = np.asarray(counts, dtype=float)
    bounds = [risk_bound(size, int(n), epsilon, beta, setting) for n in counts]
    total, first, second = np.array([(bound.total, bound.statistical, bound.privacy) for bound in bounds]).T
    measured = np.array([measured_excess(size, int(n), epsilon, beta, noise) for n in counts])
    seen = np.where(measured > 0, measured, np.nan)
    return [
        Curve("Bound", counts, total, Bound.UPPER),
        Curve("Uniform convergence", counts, first, Bound.UPPER, "its first part"),
        Curve("Privacy", counts, second, Bound.UPPER, "its second part"),
        Curve("Measured", counts, seen, Bound.ESTIMATE, "simulated data, exact law"),
    ]
