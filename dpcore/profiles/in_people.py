"""A privacy curve in words that people understand: how many of 100 an attacker recognises, and how often he is right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.profiles.bracket import Bracket
from dpcore.profiles.profile import Bound, PrivacyProfile

_SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)  # numbers of people spoken of; one more, and nobody can picture it
# Two numbers that differ are told apart by at least this many people, of up to 10 000. Doubled, more is said of 1 000.
_APART, _APART_UP_TO = 2, 10_000
_HALF = np.geomspace(1e-4, 700.0, 48)
_STARTS = np.concatenate([-_HALF[::-1], [0.0], _HALF])  # ε around which the least of δ(ε) + e^ε α is looked for
_XATOL = 1e-11  # nats; doubled, a detection is at most twice as far above the least
_MARKS = {
    Bound.EXACT: "about", Bound.ESTIMATE: "about", Bound.UPPER: "at most", Bound.LOWER: "at least",
    Bound.CLAIMED: "as is claimed, at most",
}  # fmt: skip


@dataclass(frozen=True)
class InPeople:
    """What an attacker who says "in" or "out" of people can reach, made by `in_people`.

    Parameters
    ----------
    false_alarms : α, the share of those not in the data of whom he says "in"
    detected : the largest share of those in the data of whom he then says "in"
    prior : the share of people who are in the data
    posterior : the share of those of whom he says "in" who are in the data; the prior if he says it of nobody
    guess : how often his best guess is right if in and out are equally likely
    bound : whether these numbers are the truth or a side of it
    """

    false_alarms: float
    detected: float
    prior: float
    posterior: float
    guess: float
    bound: Bound = Bound.EXACT

    @property
    def said(self) -> str:
        """The numbers in sentences, as whole numbers of people."""
        return self.told("people")

    def told(self, who: str) -> str:
        """The same of other people than "people", such as "people like row 77"."""
        found, wrongly, size = self._of(self.detected, self.false_alarms)
        told = (
            f"An attacker who wrongly accuses {wrongly} of {size} {who} whose record is not in the data recognises {found} of "
            f"{size} whose record is; without the release, {wrongly}."
        )
        if self.detected == 0:
            told += " The attacker then accuses nobody."
        else:
            later, before, size = self._of(self.posterior, self.prior)
            told += f" If {before} of {size} were in, {later} of {size} the attacker accuses would be."
        right, coin, size = self._of(self.guess, 0.5)
        return f"{told} Made to guess, in and out equally likely, the attacker is right {right} of {size} times; a coin, {coin}."

    def _of(self, value: float, beside: float) -> tuple[str, str, str]:
        """Two shares as whole numbers of equally many people: one of these numbers with its mark, one given exactly."""
        size = next((size for size in _SIZES if _tells(value, beside, size)), _SIZES[-1])
        return _count(value, size, self.bound), _count(beside, size), _grouped(size)


def in_people(profile: Any, false_alarms: float = 0.05, prior: float = 0.5) -> InPeople:
    r"""What the best attacker can say of a person: in the data, or not.

    .. math:: D(α) = 1 − T(α) = \min_ε \; δ_\text{remove}(ε) + e^ε α, \quad \frac{πD}{πD + (1−π)α}, \quad \frac{1 + δ(0)}{2}

    are the largest share of those in the data who are recognised if a share α of the others is accused wrongly, the share
    of the accused who are in the data if a share π of all people is, and the share of right guesses where π = ½. All
    are computed from the whole curve. Every ε gives an upper bound of D, so no error of the search makes D too small.

    Parameters
    ----------
    profile : PrivacyProfile; a Bracket, of which the upper side is taken; or a pair (ε, δ). Of a pair these are the largest
        values that any (ε, δ)-DP mechanism has
    false_alarms : α in [0, 1]
    prior : π in [0, 1]

    Raises
    ------
    ParameterError

    References: dong-roth-su-2022, nanayakkara-et-al-2023.
    """
    alpha, prior = validation.probability("false_alarms", false_alarms), validation.probability("prior", prior)
    profile = profile.upper if isinstance(profile, Bracket) else profile
    if isinstance(profile, PrivacyProfile):
        detected, guess, bound = _detected(profile, alpha), (1 + float(profile.delta(0.0))) / 2, profile.bound
    elif isinstance(profile, tuple) and len(profile) == 2:
        (detected, guess), bound = map(float, implied(*profile, alpha)), Bound.UPPER
    else:
        raise ParameterError(
            f"profile must be a privacy profile, a bracket or a pair (epsilon, delta), got {profile!r}"
        )
    accused = prior * detected + (1 - prior) * alpha
    return InPeople(alpha, detected, prior, prior * detected / accused if accused > 0 else prior, guess, bound)


def implied(epsilon: Any, delta: Any, false_alarms: float) -> tuple[Any, Any]:
    r"""The largest detection and share of right guesses that (ε, δ)-DP alone allows; arrays in, arrays out.

    .. math:: \min(1, \; δ + e^ε α, \; 1 − e^{−ε}(1 − δ − α)), \quad \frac{1}{2} + \frac{e^ε − 1 + 2δ}{2(e^ε + 1)}

    Raises
    ------
    ParameterError

    References: dong-roth-su-2022.
    """
    epsilon = validation.real_array("epsilon", epsilon, low=0.0)
    delta = validation.real_array("delta", delta, low=0.0, high=1.0)
    finite = np.where(np.isinf(epsilon), 0.0, epsilon)
    with np.errstate(over="ignore"):
        steep = delta + (np.exp(finite) * false_alarms if false_alarms > 0 else 0.0)
    flat = -np.expm1(-finite) + np.exp(-finite) * (delta + false_alarms)
    detected = np.minimum(np.minimum(steep, flat), 1.0)
    guess = (1 + np.tanh(finite / 2) + delta * (1 - np.tanh(finite / 2))) / 2
    return np.where(np.isinf(epsilon), 1.0, detected)[()], np.where(np.isinf(epsilon), 1.0, guess)[()]


def _detected(profile: PrivacyProfile, alpha: float) -> float:
    """The least of δ(ε) + e^ε α over all ε, in logarithms, since it may be tiny."""
    if alpha in (0.0, 1.0):
        return alpha or float(profile.delta(math.inf, direction="remove"))

    def log_value(epsilon: Any) -> Any:
        return np.logaddexp(profile.log_delta(epsilon, direction="remove"), epsilon + math.log(alpha))

    values = log_value(_STARTS)
    best = int(values.argmin())
    ends = _STARTS[max(best - 1, 0)], _STARTS[min(best + 1, len(_STARTS) - 1)]
    found = optimize.minimize_scalar(log_value, bounds=ends, method="bounded", options={"xatol": _XATOL})
    return float(min(max(math.exp(min(values[best], found.fun)), alpha), 1.0))


def _tells(value: float, beside: float, size: int) -> bool:
    """Whether so many people are enough to say both shares: neither is nobody unless it is 0."""
    seen = all(share == 0 or share * size >= 1 - 1e-9 for share in (value, beside))
    same = math.isclose(value, beside, rel_tol=1e-9)
    return seen and (same or size >= _APART_UP_TO or abs(value - beside) * size >= _APART)


def _count(share: float, size: int, bound: Bound | None = None) -> str:
    """A share as a whole number of people, rounded to the side that the bound is on, with its mark."""
    people, above = share * size, bound in (Bound.UPPER, Bound.CLAIMED)
    if 0 < people < 1 - 1e-9:
        return "more than 0" if bound is Bound.LOWER else "fewer than 1"
    whole = math.ceil(people - 1e-9) if above else math.floor(people + 1e-9) if bound is Bound.LOWER else round(people)
    if whole == size and share < 1 and not above:
        return f"more than {_grouped(size - 1)}"
    return f"{_MARKS[bound]} {_grouped(whole)}" if bound else _grouped(whole)


def of_people(share: float) -> str:
    """A share as a whole number of people, such as "5 of 100"."""
    size = next((size for size in _SIZES if _tells(share, share, size)), _SIZES[-1])
    return f"{_count(share, size)} of {_grouped(size)}"


def _grouped(count: int) -> str:
    return f"{count:,}".replace(",", "\u202f")
