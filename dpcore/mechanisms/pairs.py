"""Output laws of a mechanism on two neighbouring data sets: what an audit runs and a cross-check integrates."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore.numerics import NEGLIGIBLE, log_normal

Sampler = Callable[[int, np.random.Generator], np.ndarray]
Score = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Densities:
    """Output densities on the line, or masses on the integers, which can be integrated or summed instead of sampled.

    Parameters
    ----------
    log_absent, log_present : θ → log density or log mass, each broadcasting
    breaks : increasing points from one end of the integration to the other, kinks of the densities among them
    discrete : whether these are masses on the integers from the first break to the last
    """

    log_absent: Score
    log_present: Score
    breaks: tuple[float, ...]
    discrete: bool = False


@dataclass(frozen=True)
class Pair:
    """Output laws of one mechanism on two neighbouring data sets.

    Parameters
    ----------
    absent, present : functions (count, rng) → outputs of shape (count, d), record out and record in
    log_ratio : outputs → log p_present − log p_absent, where the densities are known
    statistic : outputs → a number that tends to be larger with the record, for a threshold attack
    densities : for one-dimensional outputs, where known
    note : what the two data sets are, in a few words

    References: redberg-koskela-wang-2023 (Definition 2.5).
    """

    absent: Sampler
    present: Sampler
    log_ratio: Score | None = None
    statistic: Score | None = None
    densities: Densities | None = None
    note: str = ""


@dataclass(frozen=True)
class Family:
    """Pairs indexed by one number, for a guarantee over a class in which no pair is the hardest at every ε.

    Parameters
    ----------
    member : number → Pair
    low, high : range of the number
    words : what the members are, in the plural
    """

    member: Callable[[float], Pair]
    low: float
    high: float
    words: str


def on_line(
    standard: Score,
    draw: Callable[[np.random.Generator, tuple[int, int]], np.ndarray],
    width: float,
    shift: float,
) -> Pair:
    """Noise of one width around 0 without the record, around `shift` with it.

    Parameters
    ----------
    standard : log density at width 1
    draw : function (rng, size) → standard noise
    width, shift : in the same units
    """

    def law(centre: float) -> tuple[Sampler, Score]:
        return (
            lambda count, rng: centre + width * draw(rng, (count, 1)),
            lambda x: standard((x - centre) / width) - np.log(width),
        )

    (absent, log_absent), (present, log_present) = law(0.0), law(shift)
    reach = NEGLIGIBLE * width  # beyond, every law used here is negligible: the slowest falls like e^{−|x|/width}
    densities = Densities(log_absent, log_present, (-reach, 0.0, shift, shift + reach))
    return Pair(
        absent,
        present,
        lambda x: log_present(x[:, 0]) - log_absent(x[:, 0]),
        lambda x: x[:, 0],
        densities,
        "a query that the record moves by its full sensitivity",
    )


def normal_on_line(width: float, shift: float) -> Pair:
    """`on_line` with normal noise."""
    return on_line(log_normal, lambda rng, size: rng.standard_normal(size), width, shift)


def on_outcomes(absent: np.ndarray, present: np.ndarray, statistic: Score, note: str) -> Pair:
    """Finitely many outcomes 0, 1, …, by their probabilities without and with the record."""
    log_absent, log_present = np.log(absent), np.log(present)
    log_odds = log_present - log_absent
    densities = Densities(
        lambda x: log_absent[np.asarray(x, dtype=int)],
        lambda x: log_present[np.asarray(x, dtype=int)],
        (0.0, len(absent) - 1.0),
        discrete=True,
    )
    return Pair(_draw(absent), _draw(present), lambda x: log_odds[x[:, 0].astype(int)], statistic, densities, note)


def sampled(base: Pair, rate: float) -> Pair:
    """The record enters with probability `rate`: the law with it becomes a mixture of both."""
    unsampled = np.log1p(-rate) if rate < 1 else -np.inf

    def present(count: int, rng: np.random.Generator) -> np.ndarray:
        return np.where(rng.random((count, 1)) < rate, base.present(count, rng), base.absent(count, rng))

    log_ratio: Score | None = None
    if (ratio := base.log_ratio) is not None:

        def log_ratio(x: np.ndarray) -> np.ndarray:
            return np.logaddexp(unsampled, np.log(rate) + ratio(x))

    densities = None
    if (known := base.densities) is not None:
        absent, mixed = known.log_absent, known.log_present
        densities = Densities(
            absent,
            lambda x: np.logaddexp(unsampled + absent(x), np.log(rate) + mixed(x)),
            known.breaks,
            known.discrete,
        )
    note = base.note + ", which enters with the sampling rate"
    return Pair(base.absent, present, log_ratio, base.statistic, densities, note)


def _draw(probabilities: np.ndarray) -> Sampler:
    return lambda count, rng: rng.choice(len(probabilities), (count, 1), p=probabilities).astype(float)
