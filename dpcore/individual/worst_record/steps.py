"""Progress of work whose number of steps is about known."""

from __future__ import annotations

from collections.abc import Callable

_TOLD = 50  # times


def stepping(progress: Callable[[float], None], expected: int) -> Callable[[], None]:
    """To be called at every step: tells the share of about `expected` steps that is done, at most 1, some fifty times."""
    done, every = 0, max(1, expected // _TOLD)

    def step() -> None:
        nonlocal done
        if done % every == 0:
            progress(min(1.0, done / expected))
        done += 1

    return step
