"""What a pipeline costs, as two certified numbers that a thread computes while the page stays usable.

Each session computes one thing at a time; next comes what was asked for last.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import dpcore as dp
from dpcore.exhibits import composition
from pages.components import cache, say
from pages.components.say import md
from pages.components.words import number

# Most digits for each end of an interval below a number on a card. Doubled, the interval would not fit there.
_DIGITS = 7


@dataclass(frozen=True)
class Answer:
    """ε at the target δ and log δ at ε, each between two certified sides."""

    epsilon: tuple[float, float]
    log_delta: tuple[float, float]

    @property
    def width(self) -> float:
        """Width of the interval of ε, relative to its upper side (0 if that is 0 or ∞)."""
        low, high = self.epsilon
        return (high - low) / high if 0 < high < math.inf else 0.0


def answer_of(bracket: dp.Bracket, epsilon: float, delta: float) -> Answer:
    """ε at this δ and log δ at this ε, from a computed bracket."""
    low, high = (float(side) for side in bracket.epsilon(delta))
    log_low, log_high = (float(side) for side in bracket.log_delta(epsilon))
    return Answer((low, high), (log_low, log_high))


def certified_answer(parts: tuple, epsilon: float, delta: float) -> Answer:
    """The narrow answer from a long transform, which may take a while."""
    return answer_of(dp.compose(composition.in_closed_form(parts)), epsilon, delta)


def interval(low: float, high: float) -> str:
    """[low, high] with enough digits to tell the ends apart; if a card has no room for these, their difference."""
    if not math.isfinite(high) or high <= 0 or low == high:
        return md("[{}, {}]", number(low, 4), number(high, 4))
    digits = min(max(1, math.ceil(-math.log10(max((high - low) / high, 1e-12))) + 1), 12)
    if digits > _DIGITS:
        return f"lower side {number(high - low, 2)} less"
    places = max(digits - 1 - math.floor(math.log10(high)), 0)
    scale = 10.0**places
    return md("[{:.{}f}, {:.{}f}]", math.floor(low * scale) / scale, places, math.ceil(high * scale) / scale, places)


# Number of answers that a session keeps. Doubled, they take twice the memory.
_KEPT = 64

# Seconds between two looks whether an answer is there. Doubled, it may appear that much later.
_LOOK = 0.1


class Workshop:
    """The computations of one session, which use public parameters only.

    One runs at a time. A new request replaces a waiting one, which is then never begun.
    """

    def __init__(self) -> None:
        self._lock, self._pool = threading.Lock(), ThreadPoolExecutor(max_workers=1)
        self._answers: dict[str, Future] = {}

    def ask(self, key: str, compute: Callable[[], Any]) -> Future:
        """The answer under this key. Work on it begins now or after the current work; other waiting work is dropped."""
        with self._lock:
            for other in [one for one in self._answers if one != key]:
                if self._answers[other].cancel():  # it has not begun
                    del self._answers[other]
            if key not in self._answers:
                self._answers[key] = self._pool.submit(compute)
                while len(self._answers) > _KEPT:
                    del self._answers[next(iter(self._answers))]
            return self._answers[key]


def ask(function: Callable[..., Any], *args: Any) -> Future:
    """`function(*args)`, computed in a thread. The arguments must be public parameters, never private data."""
    key = "|".join([f"{function.__module__}.{function.__qualname__}", *(cache.value_key(arg) for arg in args)])
    return cache.kept(Workshop).ask(key, lambda: function(*args))


def wait(answer: Future, text: str, on: Any) -> Any:
    """The answer. A slow progress bar is shown until it is there; a moved control ends the wait at any time."""
    started = time.monotonic()
    while not answer.done():
        passed = time.monotonic() - started
        say.progress(passed / (passed + 3.0), text, on=on)
        time.sleep(_LOOK)
    on.empty()
    return answer.result()
