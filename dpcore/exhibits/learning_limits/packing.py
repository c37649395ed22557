"""Why some classes cannot be learned privately at all: the packing argument, compared with real learners."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import special, stats

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.learners.finite_class import FiniteClass
from dpcore.mechanisms.selection import selection_probabilities
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

SUCCESS = 0.1  # an error below 0.45 requires that the right interval has more than this probability, see `Packing`

PACKING_CARD = formula_card(__file__, "packing")


@dataclass(frozen=True)
class Packing:
    r"""k bins of [0, 1] with one data set inside each; all are at most n edits from one reference data set.

    A threshold outside I_i misclassifies half of data set i; the one at the centre of I_i classifies all of it rightly.
    With s = P[A(Z_i) ∈ I_i]

    .. math:: E\,\text{error} ≥ \tfrac12 (1 − s), \quad\text{so that}\quad E\,\text{error} < 0.45 ⟹ s > 1 − 2·0.45 = 0.1,

    and a learner that names the centre with s > 0.1 has such an error. (The lecture asks for s > 0.9.) By group privacy
    over n edits each interval has at least the probability e^{−εn}s on the reference data set. This is the data set
    without records if records are added and removed, and the first data set if they are replaced. There the intervals
    together hold s·k·e^{−εn}, or s(1 + (k − 1)e^{−εn}) if records are replaced. For s > 0.1 this is more than 1 from k
    = 10e^{εn} on, or from k = 9e^{εn} + 1 on.

    Parameters
    ----------
    bins : k ≥ 2
    n : records of each data set, even, ≥ 2
    epsilon : float > 0, nats
    edits : edits that replace one record: 1 if one edit replaces a record, 2 if records are added and removed

    References: lecture-10 (Packing bound, corrected).
    """

    bins: int
    n: int
    epsilon: float
    edits: int = 2

    def __post_init__(self) -> None:
        several = partial(validation.integer, minimum=2)
        validation.set_checked(self, bins=several, n=several, epsilon=validation.positive)
        if self.edits not in (1, 2):
            raise ParameterError(f"edits must be 1 or 2, got {self.edits}")
        if self.n % 2:
            raise ParameterError(f"n must be even, so that half of the records lie on either side, got {self.n}")

    @property
    def centres(self) -> np.ndarray:
        """The threshold that classifies each data set rightly, (bins,)."""
        return (np.arange(self.bins) + 0.5) / self.bins

    @property
    def intervals(self) -> np.ndarray:
        """Ends of I_i = [h_i − η/3, h_i + η/3], (bins, 2): outside, half of the records are misclassified."""
        return self.centres[:, None] + np.array([-1, 1]) / (3 * self.bins)

    def data(self, i: int | None) -> tuple[np.ndarray, np.ndarray]:
        """Records x (n,) and labels ±1 of data set i: half below its threshold and negative, half above and positive."""
        if i is None:
            return np.zeros(0), np.zeros(0)
        half = (np.arange(self.n // 2) + 0.5) / (self.n // 2) / (3 * self.bins)
        x = self.centres[validation.integer("i", i, minimum=0)] + np.concatenate([-half[::-1], half])
        return x, np.repeat([-1.0, 1.0], self.n // 2)

    @property
    def reference(self) -> int | None:
        """The data set that is n edits from all others: the first one (0), or the one without records (None)."""
        return 0 if self.edits == 1 else None

    @property
    def log_leak(self) -> float:
        """log e^{−εn}: an event keeps at least this share of its probability if all records are replaced or removed."""
        return -self.epsilon * self.n

    @property
    def forced(self) -> np.ndarray:
        """Probability of each interval on the reference that success 0.1 on every data set forces, (bins,)."""
        held = np.full(self.bins, SUCCESS * math.exp(max(self.log_leak, -700.0)))
        held[: self.reference == 0] = SUCCESS
        return held

    @property
    def held(self) -> float:
        """Probability forced into all k intervals together; more than 1 is a contradiction."""
        return float(self.forced[0] + (self.bins - 1) * self.forced[1])

    @property
    def lowest(self) -> float:
        """A probability below all others in the picture; the records are drawn at this height."""
        return min(1e-3, float(self.forced[1])) / 3

    @property
    def contradiction(self) -> bool:
        """Whether no ε-DP learner can have an expected error below 0.45 on all k data sets, by this argument."""
        return self.held > 1

    @property
    def bins_needed(self) -> float:
        """Fewest bins for which the contradiction appears, inf beyond the largest float."""
        if -self.log_leak > 700:
            return math.inf
        own = int(self.reference == 0)
        return math.floor((1 - SUCCESS * own) / float(self.forced[1])) + own + 1

    @property
    def limit(self) -> float:
        """A limit on the worst-case success of every ε-DP learner.

        It comes from group privacy over the edits·n edits between two data sets. If records are added and removed, the
        packing argument may give a smaller limit.
        """
        between = float(special.expit(-self.edits * self.log_leak - math.log(self.bins - 1)))
        return (
            between if self.reference == 0 else min(between, math.exp(min(0.0, -self.log_leak - math.log(self.bins))))
        )


def selection_law(packing: Packing, i: int | None, method: str = "exponential") -> np.ndarray:
    """Law over bins (bins,) of the selection of one threshold, among one per bin, on data set i."""
    x, y = packing.data(i)
    hypotheses = FiniteClass(np.column_stack([np.zeros(packing.bins), packing.centres, np.ones(packing.bins)]))
    return selection_probabilities(hypotheses.errors(x[:, None], y), packing.epsilon, method)


def laplace_law(packing: Packing, i: int | None) -> np.ndarray:
    """Probability of each interval I_j (bins,) for the best threshold plus Laplace noise of scale 1/ε, clipped to [0, 1]."""
    x, y = packing.data(i)
    estimate = (x[y < 0].max() + x[y > 0].min()) / 2 if len(x) else 0.5
    return np.diff(stats.laplace.cdf(packing.intervals, estimate, 1 / packing.epsilon), axis=1)[:, 0]


def search_law(packing: Packing, i: int | None) -> np.ndarray:
    """Law over bins (bins,) of a binary search. Each step compares noisy counts on both sides of the middle.

    A step goes right if (records right of the middle) − (records left), plus Laplace noise of scale depth/ε, is
    positive.
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


def constant_law(packing: Packing, i: int | None) -> np.ndarray:
    """Law over bins (bins,) of the learner that always answers 1/2, which is perfectly private."""
    low, high = packing.intervals.T
    return ((low <= 0.5) & (high >= 0.5)).astype(float)


PACKING_LEARNERS: dict[str, tuple[str, Callable[[Packing, int | None], np.ndarray]]] = {
    "exponential": ("Exponential mechanism", selection_law),
    "permute_and_flip": ("Permute and flip", partial(selection_law, method="permute_and_flip")),
    "search": ("Noisy binary search", search_law),
    "laplace": ("Laplace noise", laplace_law),
    "constant": ("Always 1/2", constant_law),
}


def worst_success(packing: Packing, learner: str) -> float:
    """Smallest probability of success of a learner in `PACKING_LEARNERS` on the first, the middle and the last data."""
    law = PACKING_LEARNERS[validation.choice("learner", learner, PACKING_LEARNERS)][1]
    return float(min(law(packing, i)[i] for i in {0, packing.bins // 2, packing.bins - 1}))


def law_on_reference(packing: Packing, learner: str) -> np.ndarray:
    """Law over bins (bins,) of a learner in `PACKING_LEARNERS` on the reference; nan where it is 0."""
    law = PACKING_LEARNERS[validation.choice("learner", learner, PACKING_LEARNERS)][1](packing, packing.reference)
    return np.where(law > 0, law, np.nan)


def success_curves(bins: int, epsilon: float, counts: np.ndarray, edits: int = 2) -> list[Curve]:
    """Worst-case success against n: the limit of the packing argument, and every learner in `PACKING_LEARNERS`."""
    counts = np.asarray(counts, dtype=float)
    packings = [Packing(bins, int(n), epsilon, edits) for n in counts]
    curves = [Curve("Limit for all", counts, np.array([one.limit for one in packings]), Bound.UPPER)]
    for key, (name, _) in PACKING_LEARNERS.items():
        curves.append(Curve(name, counts, np.array([worst_success(one, key) for one in packings])))
    return curves


_COLUMNS = 64  # most columns in which bins are drawn


@dataclass(frozen=True)
class Filling:
    """Bins in order (several in one column if there are many), and the probability all bins so far must hold.

    Attributes
    ----------
    first, last : number of the first and last bin of each column, from 1, (columns,)
    top : probability held by all bins up to the last one of the column, (columns,)
    total : probability of all k bins
    overflowing : number of the first bin with which the sum exceeds 1; None if there is none
    """

    first: np.ndarray
    last: np.ndarray
    top: np.ndarray
    total: float
    overflowing: int | None


def bins_filled(packing: Packing) -> Filling:
    """The probabilities of `Packing.forced`, added up bin by bin.

    The first bin has its own column. Of the others several share one column if there are many.
    """
    own, each = (float(share) for share in packing.forced[:2])
    size = math.ceil((packing.bins - 1) / (_COLUMNS - 1))
    first = np.concatenate([[1], np.arange(2, packing.bins + 1, size)])
    last = np.append(first[1:] - 1, packing.bins)
    top = own + each * (last - 1)
    overflowing = int(packing.bins_needed) if packing.contradiction else None
    return Filling(first, last, top, packing.held, overflowing)
