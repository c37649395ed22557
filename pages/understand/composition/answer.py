"""What a pipeline costs, as two certified numbers, and how both are written."""

import math
from dataclasses import dataclass

import dpcore as dp
from dpcore.exhibits import composition
from pages.components.say import md
from pages.components.words import number

_DIGITS = 7  # of both ends, that fit below a number on a card


@dataclass(frozen=True)
class Answer:
    """ε at the target δ and log δ at ε, each between two certified sides."""

    epsilon: tuple[float, float]
    log_delta: tuple[float, float]

    @property
    def width(self) -> float:
        """Of ε, relative to its upper side."""
        low, high = self.epsilon
        return (high - low) / high if 0 < high < math.inf else 0.0


def answer_of(bracket: dp.Bracket, epsilon: float, delta: float) -> Answer:
    """What a bracket says."""
    low, high = (float(side) for side in bracket.epsilon(delta))
    log_low, log_high = (float(side) for side in bracket.log_delta(epsilon))
    return Answer((low, high), (log_low, log_high))


def certified_answer(parts: tuple, epsilon: float, delta: float) -> Answer:
    """As narrow as a long transform makes it, which may take a while."""
    return answer_of(dp.compose(composition.in_closed_form(parts)), epsilon, delta)


def interval(low: float, high: float) -> str:
    """[low, high] with as many digits as tell them apart; where they are too many for a card, how far apart they are."""
    if not math.isfinite(high) or high <= 0 or low == high:
        return md("[{}, {}]", number(low, 4), number(high, 4))
    digits = min(max(1, math.ceil(-math.log10(max((high - low) / high, 1e-12))) + 1), 12)
    if digits > _DIGITS:
        return f"lower side {number(high - low, 2)} less"
    places = max(digits - 1 - math.floor(math.log10(high)), 0)
    scale = 10.0**places
    return md("[{:.{}f}, {:.{}f}]", math.floor(low * scale) / scale, places, math.ceil(high * scale) / scale, places)
