"""How batches were drawn, and what that is worth: each way is bounded from both sides, none is taken for another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.errors import DataError
from dpcore.mechanisms import Gaussian, Subsampled
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.runs.run import Sides, remark, whole_of

# Thresholds on the largest step. Doubled, the attack misses half as little of the best threshold, and takes twice as long.
_THRESHOLDS = 1000
_TAIL = 9.0  # standard deviations beyond which no threshold lies. Doubled, the same thresholds stand half as close
# Relative margin on sums of probabilities, more than their round-off. Doubled, a lower side is lower by it.
_SAFE = 1e-13


@lru_cache(maxsize=32)
def _cells(sigma: float, batches: int, others: float) -> tuple[np.ndarray, np.ndarray]:
    """Losses of an epoch between neighbouring thresholds in rising order, and the masses there under P and under Q."""
    shifts = np.array([(others + 1) / sigma, others / sigma])
    cuts = np.linspace(-_TAIL, _TAIL + shifts[0], _THRESHOLDS)
    log_below = (batches - 1) * special.log_ndtr(cuts) + special.log_ndtr(cuts - shifts[:, None])
    below, above = np.exp(log_below), -np.expm1(log_below)
    left, right = np.diff(below, prepend=0.0, append=1.0), -np.diff(above, prepend=1.0, append=0.0)
    mass = np.where(np.append(below[1], 1.0) < 0.5, left, right)  # each from the side that loses no digits
    mass = mass[:, (mass > 0).all(axis=0)]
    loss = np.log(mass[0]) - np.log(mass[1])
    order = np.argsort(loss)
    return loss[order], mass[:, order]


@dataclass(frozen=True)
class ShuffledEpoch(PrivacyProfile):
    r"""One epoch of shuffled batches, attacked through its largest step. Lower bound.

    The record's gradient has the clipping norm, its neighbour's is zero, and all others point the other way (`others` = 1)
    or are zero. In units of that norm, and up to what is known, the T steps are

    .. math:: P = \frac1T \sum_t N((b + 1)\, e_t, σ²I_T), \quad Q = \frac1T \sum_t N(b\, e_t, σ²I_T), \quad b = \text{others}

    and the largest is at most c with probability Φ(c/σ)^{T−1} Φ((c − b − 1)/σ) under P. It is read between finitely many
    thresholds, which loses information and so stays a lower bound, composed too.

    Parameters
    ----------
    sigma : float > 0, noise over clipping norm
    batches : int ≥ 1, steps T of an epoch
    others : 1 or 0

    References: chua-et-al-2024.
    """

    sigma: float
    batches: int
    others: float = 1.0

    bound: ClassVar[Bound] = Bound.LOWER
    symmetric: ClassVar[bool] = False

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        loss, mass = _cells(self.sigma, self.batches, self.others)
        if direction == "add":
            loss, mass = -loss[::-1], mass[::-1, ::-1]
        more, less = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
        beyond = np.searchsorted(loss, epsilon, side="right")
        more, less = (np.append(tail, 0.0)[beyond] for tail in (more, less))
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return np.log(
                np.maximum(np.where(more > 0, more * (1 - _SAFE) - np.exp(epsilon) * less * (1 + _SAFE), 0.0), 0.0)
            )


@dataclass(frozen=True)
class OppositeRecords(PrivacyProfile):
    r"""A sampled record of gradient +C replaced by one of gradient −C, all others without gradient. Lower bound.

    .. math:: P = (1−q)N(0, 1) + qN(s, 1), \quad Q = (1−q)N(0, 1) + qN(−s, 1), \quad s = 1/σ

    Their ratio rises, so the best test is a threshold t: with y = e^{st} and b = q e^{−s²/2},

    .. math:: b y² − (1−q)(e^ε − 1) y − b e^ε = 0

    Parameters
    ----------
    sigma : float > 0, noise over clipping norm
    rate : float in (0, 1], q

    References: balle-barthe-gaboardi-2018.
    """

    sigma: float
    rate: float

    bound: ClassVar[Bound] = Bound.LOWER
    symmetric: ClassVar[bool] = True

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        shift, rest = 1 / self.sigma, 1 - self.rate
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            half = np.exp(-epsilon / 2)  # y is e^{ε/2} times the root of b z² − (1−q) 2 sinh(ε/2) z − b = 0
            log_b = np.log(self.rate) - shift**2 / 2
            slope = np.exp(np.log(rest) - log_b + epsilon / 2) * (1 - half**2) / 2 if rest else 0.0 * epsilon
            cut = (epsilon / 2 + np.arcsinh(slope)) / shift
            more = rest * special.ndtr(-cut) + self.rate * special.ndtr(shift - cut)
            log_less = epsilon + np.logaddexp(
                np.log(rest) + special.log_ndtr(-cut), np.log(self.rate) + special.log_ndtr(-shift - cut)
            )
            value = more * (1 - _SAFE) - np.exp(log_less) * (1 + _SAFE)
            return np.log(np.where(np.isfinite(value), np.maximum(value, 0.0), 0.0))


@dataclass(frozen=True)
class EitherOf(PrivacyProfile):
    r"""One of two mechanisms, drawn without looking at the record: δ(ε) = (1 − τ) δ_often(ε) + τ δ_rare(ε).

    Parameters
    ----------
    often, rare : the two
    chance : float in [0, 1], τ
    """

    often: PrivacyProfile
    rare: PrivacyProfile
    chance: float

    bound: ClassVar[Bound] = Bound.UPPER
    symmetric: ClassVar[bool] = False

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        often, rare = (np.asarray(one.log_delta(epsilon, direction=direction)) for one in (self.often, self.rare))
        with np.errstate(divide="ignore"):
            return np.logaddexp(np.log1p(-self.chance) + often, np.log(self.chance) + rare)


def on_sample(base: PrivacyProfile, rate: float) -> PrivacyProfile:
    """A mechanism on a Poisson sample; at rate 1 the mechanism itself."""
    return base if rate == 1 else Subsampled(base, rate)


def poisson(sigma: float, rate: float, steps: int) -> Sides:
    """Gaussian steps on Poisson samples. Exact."""
    return Sides.exact(on_sample(Gaussian(sigma), rate), steps)


def half_noise_above(sigma: float, rate: float, steps: int = 1, *, below: float | None = None) -> Sides:
    r"""Gaussian steps on a sample in which one record is replaced by another one.

    With probability q the sum moves, by at most 2C, so Poisson sampling with half of the noise bounds them from above. Two
    opposite records bound them from below. Without sampling both are exact.

    Parameters
    ----------
    sigma : noise over clipping norm
    rate : q, or an upper bound of it
    steps : how often
    below : a lower bound of q, if q is not known

    References: balle-barthe-gaboardi-2018.
    """
    above, least = on_sample(Gaussian(sigma / 2), rate), rate if below is None else below
    lower = above if least == 1 else OppositeRecords(sigma, least)
    return Sides(((above, steps),), ((lower, steps),))


def once_an_epoch(sigma: float, rate: float, steps: int) -> Sides:
    """Batches in any order, each record in one batch of every epoch; from below, an attack on a random order.

    An epoch has 1/rate batches. Rounded down, as where the last one is dropped, there are more epochs: above. Rounded up,
    there are fewer of more batches: below.
    """
    fewest, most = math.floor(1 / rate + 1e-9), math.ceil(1 / rate - 1e-9)
    below = ((ShuffledEpoch(sigma, most), steps // most),) if steps >= most else ()
    return Sides(((Gaussian(sigma), math.ceil(steps / fewest)),), below)


def cut_to(size: int, records: int, sigma: float, rate: float, steps: int) -> Sides:
    """Poisson batches of at most `size` records out of `records`.

    As long as the batch without the record is not full, this is Poisson sampling. In a full batch the record is kept with a
    probability below the rate, and then drives another one out, which moves the sum by up to 2C. Below, full batches tell
    nothing.

    Parameters
    ----------
    size : records a batch may have
    records : of the data set
    sigma : noise over clipping norm
    rate : of the Poisson sample
    steps : how often
    """
    full = float(special.bdtrc(size - 1, max(records - 1, 1), rate))
    above, moved = (on_sample(Gaussian(noise), rate) for noise in (sigma, sigma / 2))
    below = on_sample(Gaussian(sigma), max(rate * (1 - full), np.finfo(float).tiny))
    return Sides(((EitherOf(above, moved, full) if full > 0 else above, steps),), ((below, steps),))


def rates(content: Mapping[str, Any], rate: float) -> tuple[float, float, tuple[str, ...]]:
    """The sample rate from below and above, where the content also says sizes, and sentences on them.

    Parameters
    ----------
    content : with `dataset_size` beside `expected_batch_size` (rounded down) or `batch_size`, if it says them
    rate : as it was accounted for
    """
    if "dataset_size" not in content:
        return rate, rate, ()
    records = whole_of(content, "dataset_size")
    if "batch_size" in content and (share := whole_of(content, "batch_size") / records) > rate * (1 + 1e-9):
        return rate, min(share, 1.0), (remark("batch_share", above=share, rate=rate),)
    if "expected_batch_size" in content:
        size = whole_of(content, "expected_batch_size")
        if math.isclose(size / records, rate, rel_tol=1e-9):
            above = min((size + 1) / records, 1.0)
            return rate, above, (remark("rounded_down", rate=rate, records=records, above=above),)
        return rate, rate, (remark("divides_only", size=size, rate=rate, records=records),)
    return rate, rate, ()


def is_replaced(content: Mapping[str, Any]) -> bool:
    """Whether neighbours replace one record, as the content says it (`adjacency`); by default one is added or removed."""
    given = str(content.get("adjacency", "add_remove")).lower().replace("-", "_").replace("or_", "")
    known = {"add_remove": False, "add_remove_one": False, "replace_one": True, "replace": True}
    if given not in known:
        raise DataError(f"adjacency must be add_remove or replace_one, got {given!r:.60}")
    return known[given]


def is_poisson(content: Mapping[str, Any]) -> bool | None:
    """Whether batches are Poisson samples, as the content says it (`poisson_sampling`); None if it does not."""
    given = content.get("poisson_sampling")
    if given is not None and not isinstance(given, bool):
        raise DataError(f"poisson_sampling must be true or false, got {given!r:.60}")
    return given


def gaussian_steps(
    content: Mapping[str, Any], tool: str, sigma: float, rate: float, steps: int
) -> tuple[Sides, tuple[str, ...]]:
    """Steps of DP-SGD under all that the content says on batches and neighbours, and sentences on it.

    Parameters
    ----------
    content : what may say `poisson_sampling`, `adjacency`, and sizes
    tool : its name
    sigma : noise over clipping norm
    rate : sample rate
    steps : how many

    Raises
    ------
    DataError
        If shuffled batches are combined with replaced records: one statement at a time.
    """
    validation.probability("sample rate", rate, allow_zero=False)
    replaced, drawn = is_replaced(content), is_poisson(content)
    if drawn is False and rate < 1:
        if replaced:
            raise DataError("shuffled batches are bounded for a neighbour without gradient: leave adjacency out")
        sides = once_an_epoch(sigma, rate, steps)
        return sides, (remark("shuffled", epochs=sides.above[0][1]),)
    low, high, said = rates(content, rate)
    if drawn is None and rate < 1:
        said = (*said, remark("assumed_poisson", tool=tool))
    if replaced:
        return half_noise_above(sigma, high, steps, below=low if low < high else None), (*said, remark("replaced"))
    return Sides(poisson(sigma, high, steps).above, poisson(sigma, low, steps).below), said
