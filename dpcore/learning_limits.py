"""What private learning costs on finite classes, and why some classes cannot be learned privately at all."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special, stats

from dpcore import validation
from dpcore.curves import Curve
from dpcore.errors import ParameterError
from dpcore.learners.finite_class import FiniteClass
from dpcore.profiles import Bound
from dpcore.references import FormulaCard
from dpcore.selection import selection_probabilities

SUCCESS = 0.9  # probability of landing in the right interval that an error below 0.45 requires
SETTINGS = {"agnostic": "Agnostic", "realisable": "Realisable"}

FINITE_CARD = FormulaCard(
    title="Excess risk of the exponential mechanism on a finite class",
    latex=(
        r"R(\hat h)-R(h^*)\le\sqrt{\frac{2\log(2|H|/\beta)}{n}}+\frac{\log(2|H|/\beta)}{n\varepsilon}\quad\text{(agnostic)}",
        r"R(\hat h)\le\frac{\log(|H|/\beta)}{n\,(1-e^{-\varepsilon})}\le\frac{\log(|H|/\beta)}{n}"
        r"\left(1+\frac1\varepsilon\right)\quad\text{(realisable)}",
    ),
    symbols={
        r"|H|": "number of hypotheses",
        r"\beta": "probability that the bound fails",
        "R": "share of future records that a hypothesis gets wrong",
    },
    assumptions=("records are independent draws", "P(h) ∝ exp(−ε·#errors), records added or removed"),
    references=("lecture-10",),
    code="dpcore.learning_limits.risk_bound",
)
PACKING_CARD = FormulaCard(
    title="Packing lower bound for thresholds",
    latex=(
        r"P\left[A(Z_1)\in I_i\right]\ge e^{-\varepsilon m}\,P\left[A(Z_i)\in I_i\right],\qquad m=2n",
        r"1\ge\sum_{i=1}^{k}P\left[A(Z_1)\in I_i\right]\ge s\left(1+(k-1)e^{-\varepsilon m}\right)",
        r"s\le\frac{1}{1+(k-1)\,e^{-\varepsilon m}}\xrightarrow[k\to\infty]{}0",
    ),
    symbols={
        "A": "any ε-DP learner",
        "I_i": "the middle of bin i, the only outputs that are right on data set Z_i",
        "s": "least probability of success over all k data sets",
        "m": "edits between two data sets: n under replace-one, 2n when records are added and removed",
    },
    assumptions=("the k intervals do not overlap", "every data set has n records, all inside its own bin"),
    references=("lecture-10",),
    code="dpcore.learning_limits.Packing",
)
CONVEXITY_CARD = FormulaCard(
    title="Convex, strongly convex, smooth, Lipschitz",
    latex=(
        r"f(y)\ge f(x)+f'(x)(y-x)+\tfrac{\lambda}{2}(y-x)^2\quad(\lambda\text{-strongly convex})",
        r"f(y)\le f(x)+f'(x)(y-x)+\tfrac{\beta}{2}(y-x)^2\quad(\beta\text{-smooth})",
        r"|f(y)-f(x)|\le L\,|y-x|\quad(L\text{-Lipschitz})",
    ),
    symbols={r"\lambda": "least curvature", r"\beta": "largest curvature", "L": "largest slope"},
    assumptions=("the inequalities hold for every pair x, y of the interval",),
    references=("lecture-10",),
    code="dpcore.convexity.sandwich",
)


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
    r"""Excess risk that the exponential mechanism exceeds with probability at most β.

    .. math:: \sqrt{2\log(2|H|/β)/n} + \log(2|H|/β)/(nε) \quad\text{or}\quad \log(|H|/β)/n \, (1 + 1/ε)

    Parameters
    ----------
    size : |H| ≥ 1
    n : int ≥ 1
    epsilon : float > 0, nats
    beta : float in (0, 1)
    setting : "agnostic" or "realisable" (some hypothesis is never wrong)

    References: lecture-10.
    """
    size, n = validation.integer("size", size, minimum=1), validation.integer("n", n, minimum=1)
    epsilon = validation.positive("epsilon", epsilon)
    beta = validation.probability("beta", beta, allow_zero=False, allow_one=False)
    if validation.choice("setting", setting, SETTINGS) == "realisable":
        one = math.log(size / beta) / n
        return RiskBound(one, one / epsilon)
    logarithm = math.log(2 * size / beta)
    return RiskBound(math.sqrt(2 * logarithm / n), logarithm / (n * epsilon))


def realisable_bound(size: int, n: int, epsilon: float, beta: float) -> float:
    r"""log(|H|/β)/(n(1 − e^{−ε})), at most 1: the sharper form, E e^{−ε·errors} = (1 − r(1 − e^{−ε}))ⁿ.

    Parameters
    ----------
    size, n, epsilon, beta : as for `risk_bound`

    References: lecture-10.
    """
    return min(1.0, risk_bound(size, n, 1.0, beta, "realisable").statistical / -math.expm1(-epsilon))


def measured_excess(
    size: int, n: int, epsilon: float, beta: float, noise: float, *, repeats: int = 40, seed: int = 0
) -> float:
    """The (1 − β)-quantile of the true excess risk of the exponential mechanism on thresholds, over random data sets.

    Records are uniform on [−1, 1] with the label of a threshold of the class, a share `noise` of them flipped. Each data
    set's output law is exact; only the data sets are simulated.

    Parameters
    ----------
    size, n, epsilon, beta : as for `risk_bound`
    noise : float in [0, 1/2]
    repeats : number of data sets, int ≥ 1
    seed : int ≥ 0
    """
    excess, errors = _simulated(
        validation.integer("size", size, minimum=1), validation.integer("n", n, minimum=1), float(noise),
        validation.integer("repeats", repeats, minimum=1), seed,
    )  # fmt: skip
    law = np.zeros(len(excess))
    for counts in errors:
        law += selection_probabilities(counts, epsilon) / len(errors)
    order = np.argsort(excess)
    return float(excess[order][np.searchsorted(np.cumsum(law[order]), 1 - beta)])


@lru_cache(maxsize=64)
def _simulated(size: int, n: int, noise: float, repeats: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """True excess risk of each threshold (size,), and its errors on each simulated data set (repeats, size)."""
    hypotheses = FiniteClass.of("thresholds", 1, size, 1.0)
    thresholds = hypotheses.parameters[:, 1]
    best = thresholds[int(0.6 * size)]
    rng = np.random.default_rng(seed)
    errors = np.empty((repeats, size))
    for counts in errors:
        x = rng.uniform(-1, 1, n)
        y = np.where(x >= best, 1.0, -1.0) * np.where(rng.random(n) < noise, -1.0, 1.0)
        counts[:] = hypotheses.errors(x[:, None], y)
    return (1 - 2 * noise) * np.abs(thresholds - best) / 2, errors


def risk_curves(size: int, epsilon: float, beta: float, noise: float, counts: np.ndarray) -> list[Curve]:
    """Bound, its two parts and the measured quantile against n; realisable where there is no noise."""
    setting = "agnostic" if noise > 0 else "realisable"
    counts = np.asarray(counts, dtype=float)
    bounds = [risk_bound(size, int(n), epsilon, beta, setting) for n in counts]
    measured = np.array([measured_excess(size, int(n), epsilon, beta, noise) for n in counts])
    return [
        Curve("Bound", counts, np.array([bound.total for bound in bounds]), Bound.UPPER),
        Curve(
            "Uniform convergence",
            counts,
            np.array([bound.statistical for bound in bounds]),
            Bound.UPPER,
            "its first part",
        ),
        Curve("Privacy", counts, np.array([bound.privacy for bound in bounds]), Bound.UPPER, "its second part"),
        Curve(
            "Measured", counts, np.where(measured > 0, measured, np.nan), Bound.ESTIMATE, "simulated data, exact law"
        ),
    ]


@dataclass(frozen=True)
class Packing:
    """k bins of [0, 1] and one data set inside each, all pairwise far apart and yet close enough for group privacy.

    Parameters
    ----------
    bins : k ≥ 2
    n : records of each data set, even, ≥ 2
    epsilon : float > 0, nats
    edits : edits that replace one record: 1 under replace-one, 2 where records are added and removed
    """

    bins: int
    n: int
    epsilon: float
    edits: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "bins", validation.integer("bins", self.bins, minimum=2))
        object.__setattr__(self, "n", validation.integer("n", self.n, minimum=2))
        object.__setattr__(self, "epsilon", validation.positive("epsilon", self.epsilon))
        object.__setattr__(self, "edits", validation.integer("edits", self.edits, minimum=1))
        if self.n % 2:
            raise ParameterError(f"n must be even, so that half of the records lie on either side, got {self.n}")

    @property
    def centres(self) -> np.ndarray:
        """The threshold that is right on each data set (bins,)."""
        return (np.arange(self.bins) + 0.5) / self.bins

    @property
    def intervals(self) -> np.ndarray:
        """Ends of I_i = [h_i − η/3, h_i + η/3], (bins, 2): outside, half of the records are misclassified."""
        return self.centres[:, None] + np.array([-1, 1]) / (3 * self.bins)

    def data(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Records x (n,) and labels ±1 of data set i: half below its threshold and negative, half above and positive."""
        half = (np.arange(self.n // 2) + 0.5) / (self.n // 2) / (3 * self.bins)
        x = self.centres[validation.integer("i", i, minimum=0)] + np.concatenate([-half[::-1], half])
        return x, np.repeat([-1.0, 1.0], self.n // 2)

    @property
    def log_leak(self) -> float:
        """log e^{−εm}: the share of its probability that an event must keep when all records are exchanged."""
        return -self.epsilon * self.edits * self.n

    @property
    def forced_outside(self) -> float:
        """Probability that success 0.9 on every other data set forces outside I_1 on the first: 0.9(k − 1)e^{−εm}."""
        return SUCCESS * (self.bins - 1) * math.exp(self.log_leak)

    @property
    def forced(self) -> np.ndarray:
        """0.9e^{−εm}: what success on data set i forces into I_i on the first one, (bins,)."""
        return np.full(self.bins, SUCCESS * math.exp(max(self.log_leak, -700.0)))

    @property
    def lowest(self) -> float:
        """A probability below everything else in the picture, where the records are drawn."""
        return min(1e-3, float(self.forced[0])) / 3

    @property
    def contradiction(self) -> bool:
        """Whether no ε-DP learner can succeed with probability 0.9 on all k data sets."""
        return SUCCESS + self.forced_outside > 1

    @property
    def bins_needed(self) -> float:
        """Fewest bins for which the contradiction appears, inf beyond the largest float."""
        return (
            math.inf if -self.log_leak > 700 else math.floor(1 + (1 - SUCCESS) / SUCCESS * math.exp(-self.log_leak)) + 1
        )

    @property
    def limit(self) -> float:
        """Largest worst-case success of any ε-DP learner, 1/(1 + (k − 1)e^{−εm})."""
        return float(special.expit(-(math.log(self.bins - 1) + self.log_leak)))


def exponential_law(packing: Packing, i: int) -> np.ndarray:
    """Law over bins (bins,) of the exponential mechanism with one threshold per bin, on data set i."""
    return selection_probabilities(_errors(packing, i), packing.epsilon)


def permute_and_flip_law(packing: Packing, i: int) -> np.ndarray:
    """Law over bins (bins,) of permute and flip with one threshold per bin, on data set i."""
    return selection_probabilities(_errors(packing, i), packing.epsilon, "permute_and_flip")


def laplace_law(packing: Packing, i: int) -> np.ndarray:
    """Probability of each interval I_j (bins,) for the best threshold plus Laplace noise of scale 1/ε, clipped to [0, 1]."""
    x, y = packing.data(i)
    estimate = (x[y < 0].max() + x[y > 0].min()) / 2
    return np.diff(stats.laplace.cdf(packing.intervals, estimate, 1 / packing.epsilon), axis=1)[:, 0]


def search_law(packing: Packing, i: int) -> np.ndarray:
    """Law over bins (bins,) of a binary search, each of its steps a count of both sides with Laplace noise.

    A step goes right where (records right of the middle) − (records left) plus noise of scale depth/ε is positive.
    """
    x, _ = packing.data(i)
    depth = max(1, math.ceil(math.log2(packing.bins)))
    low, high, mass = np.array([0]), np.array([packing.bins]), np.array([1.0])
    while (high - low > 1).any():
        split = high - low > 1
        middle = (low + high) // 2
        balance = len(x) - 2 * np.searchsorted(x, middle / packing.bins)
        tail = 0.5 * np.exp(-np.abs(balance) * packing.epsilon / depth)
        right = np.where(balance > 0, 1 - tail, tail)
        low, high, mass = (
            np.concatenate([low, middle[split]]),
            np.concatenate([np.where(split, middle, high), high[split]]),
            np.concatenate([np.where(split, mass * (1 - right), mass), (mass * right)[split]]),
        )
    law = np.zeros(packing.bins)
    law[low] = mass
    return law


def constant_law(packing: Packing, i: int) -> np.ndarray:
    """Law over bins (bins,) of the answer 1/2, whatever the data: perfectly private."""
    low, high = packing.intervals.T
    return ((low <= 0.5) & (high >= 0.5)).astype(float)


LEARNERS: dict[str, tuple[str, Callable[[Packing, int], np.ndarray]]] = {
    "exponential": ("Exponential mechanism", exponential_law),
    "permute_and_flip": ("Permute and flip", permute_and_flip_law),
    "search": ("Noisy binary search", search_law),
    "laplace": ("Laplace noise", laplace_law),
    "constant": ("Always 1/2", constant_law),
}


def worst_success(packing: Packing, learner: str) -> float:
    """Least probability of success of an ε-DP learner in `LEARNERS` on the first, the middle and the last data set."""
    law = LEARNERS[validation.choice("learner", learner, LEARNERS)][1]
    return float(min(law(packing, i)[i] for i in {0, packing.bins // 2, packing.bins - 1}))


def law_on_first(packing: Packing, learner: str) -> np.ndarray:
    """Probability of each bin (bins,) that a learner in `LEARNERS` answers on the first data set; nan where it is 0."""
    law = LEARNERS[validation.choice("learner", learner, LEARNERS)][1](packing, 0)
    return np.where(law > 0, law, np.nan)


def success_curves(bins: int, epsilon: float, counts: np.ndarray, edits: int = 2) -> list[Curve]:
    """Worst-case success against n: the limit of the packing argument, and every learner in `LEARNERS`."""
    counts = np.asarray(counts, dtype=float)
    packings = [Packing(bins, int(n), epsilon, edits) for n in counts]
    curves = [Curve("Limit for every learner", counts, np.array([one.limit for one in packings]), Bound.UPPER)]
    for key, (name, _) in LEARNERS.items():
        curves.append(Curve(name, counts, np.array([worst_success(one, key) for one in packings])))
    return curves


def _errors(packing: Packing, i: int) -> np.ndarray:
    x, y = packing.data(i)
    hypotheses = FiniteClass(np.column_stack([np.zeros(packing.bins), packing.centres, np.ones(packing.bins)]))
    return hypotheses.errors(x[:, None], y)
