"""The privacy loss of k runs of a pipeline: its mean grows like k, its width like √k, and its weighted tail is δ."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.accountants.methods import compose
from dpcore.accountants.parts import Parts, in_closed_form
from dpcore.accountants.repeated import RepeatedLoss
from dpcore.profiles import DIRECTIONS, Bound
from dpcore.profiles.curves import Curve

GROWING = tuple(i * i for i in range(1, 11))
_BINS = 120
_VISIBLE = 1e-4  # probability that the picture leaves out on either side
_REST = 2e-4  # share of δ that the picture leaves out on the right
LEAST_SEEN = 1e-9  # with a smaller δ no tail can be seen
_ROUGH = 1e-2  # relative width of the bracket of δ that is enough for a picture


@dataclass(frozen=True)
class DrawnLoss:
    """Privacy loss of a pipeline run k times, in bins.

    Attributes
    ----------
    times : k
    losses : middle of each bin, nats, (bins,)
    density : probability per nat of each bin, (bins,)
    tail : the density, with every loss ω counted with weight (1 − e^(ε−ω))₊, (bins,)
    delta : δ(ε), the area of the tail plus the probability of an infinite loss
    infinite : probability of an infinite loss
    mean : mean of the finite losses
    """

    times: int
    losses: np.ndarray
    density: np.ndarray
    tail: np.ndarray
    delta: float
    infinite: float
    mean: float


def drift(parts: Parts, epsilon: float, direction: str, times: Sequence[int]) -> list[DrawnLoss]:
    r"""The law of the loss after k runs for each k of `times`, and its tail beyond ε with the weight that makes it δ.

    .. math:: δ_k(ε) = P[ω = ∞] + E\left[(1 − e^{ε−ω})_+\right]

    Every law comes from a power of one Fourier transform. The relative error of δ is mostly below 1e-3, and larger if
    one rare large loss decides.

    Parameters
    ----------
    parts : ((mechanism, count), …)
    epsilon : where the tail begins
    direction : "add" or "remove"
    times : how often the pipeline is run
    """
    validation.choice("direction", direction, DIRECTIONS)
    epsilon = validation.non_negative("epsilon", epsilon)
    repeats = RepeatedLoss(in_closed_form(parts), direction, max(times))
    return [_binned(k, repeats, epsilon) for k in times]


def _binned(k: int, repeats: RepeatedLoss, epsilon: float) -> DrawnLoss:
    x, mass = repeats.law(k)
    infinite = repeats.infinite(k)
    mass = mass * (1 - infinite)
    weighted = mass * -np.expm1(np.minimum(epsilon - x, 0.0))
    delta = min(max(float(weighted.sum()), 0.0), 1.0)
    below = np.cumsum(mass)
    first = int(np.argmax(below > _VISIBLE))
    last = int(np.argmax(below > below[-1] - _VISIBLE))
    if delta > LEAST_SEEN:
        last = max(last, int(np.argmax(np.cumsum(weighted) > (1 - _REST) * delta)))
    last = min(last + 1, x.size - 1)
    size = int(np.ceil((last - first + 1) / _BINS))
    last = min(first + size * int(np.ceil((last - first + 1) / size)), x.size)
    starts = np.arange(first, last, size)
    width = size * float(x[1] - x[0])
    density, tail = (np.maximum(np.add.reduceat(values[:last], starts), 0.0) / width for values in (mass, weighted))
    losses = x[starts] + 0.5 * (size - 1) * (x[1] - x[0])
    mean = float((mass * x).sum() / mass.sum())
    return DrawnLoss(k, losses, density, tail, min(delta + infinite, 1.0), infinite, mean)


def growth_of_repeats(name: str, parts: Parts, delta: float, *, times: Sequence[int] = GROWING) -> Curve:
    """ε at δ after k runs, for each k of `times`, in the worse direction: an estimate to three digits, not a bound."""
    delta = validation.open_probability("delta", delta)
    brackets = [compose([(mechanism, k * count) for mechanism, count in parts], width=_ROUGH) for k in times]
    epsilon = np.mean([bracket.epsilon(delta) for bracket in brackets], axis=1)
    return Curve(name, np.array(times, dtype=float), np.where(np.isfinite(epsilon), epsilon, np.nan), Bound.ESTIMATE)
