"""Newton steps towards the smallest ε at which δ is met, kept inside a bracket."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# Distance from log δ (nats), and relative step of ε, at which a root is accepted, and excess of log δ that is allowed in
# the other direction. Doubled, errors may be twice as large.
SETTLED = 1e-10
# Relative step after which the next one is below `SETTLED`, as it is about the square of this one.
LAST_STEP = np.sqrt(SETTLED)
# Largest number of steps. Doubled, a record that never settles takes twice as long.
MOST_STEPS = 80

LogDelta = Callable[[np.ndarray, np.ndarray, str], tuple[np.ndarray, np.ndarray]]


def next_epsilon(
    at: np.ndarray, missing: np.ndarray, slope: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The next ε, and whether it is a Newton step, which must stay in the bracket, and at most go to 4ε.

    Parameters
    ----------
    at, missing, slope : ε, how much log δ(ε) is above log δ, and its slope
    low, high : the bracket; `low` is −1 as long as δ(0) may be small enough
    """
    farthest = 4 * at + 1e-6
    with np.errstate(all="ignore"):
        step = np.where(missing == -np.inf, 0.0, np.maximum(at - missing / slope, 0.0))
        middle = np.where(high > 4 * low, np.sqrt(np.maximum(low, 1e-3 * high) * high), 0.5 * (low + high))
    inside = (step > low) & (step < high) & (step < farthest) | (step == 0) & (low < 0)
    return np.where(inside, step, np.where(np.isinf(high), farthest, middle)), inside


def newton_epsilon(log_delta_of: LogDelta, log_delta: float, direction: str, start: np.ndarray) -> np.ndarray:
    """Smallest ε ≥ 0 with δ(ε) ≤ δ in one direction (n_records,), searched from a start (n_records,) > 0.

    Parameters
    ----------
    log_delta_of : function of the positions of some records, of their ε, and of the direction; it returns log δ(ε) and
        its slope
    log_delta, direction : log δ, and "add" or "remove"
    start : where the search begins
    """
    at, active = start.copy(), np.arange(start.size)
    low, high = np.full(start.size, -1.0), np.full(start.size, np.inf)
    for _ in range(MOST_STEPS):
        if not active.size:
            break
        here = at[active]
        value, slope = log_delta_of(active, here, direction)
        missing = value - log_delta
        low[active] = below = np.where(missing > 0, here, low[active])
        high[active] = above = np.where(missing > 0, high[active], here)
        with np.errstate(all="ignore"):  # √−log δ is nearly linear in ε
            slope = 0.5 * (1 + np.sqrt(log_delta / np.minimum(value, 0.01 * log_delta))) * slope
        new, steady = next_epsilon(here, missing, slope, below, above)
        met = (np.abs(missing) <= SETTLED) | (here == 0) & (missing <= 0) | (above <= below * (1 + 4e-16))
        last = steady & (np.abs(new - here) <= LAST_STEP * here) & (np.abs(missing) <= LAST_STEP)
        at[active] = np.where(met, here, new)
        active = active[~(met | last)]
    return at


def newton_both_ways(log_delta_of: LogDelta, log_delta: float, start: np.ndarray) -> np.ndarray:
    """The same in both directions: the other one is searched only if the ε of one is not enough for it."""
    found = newton_epsilon(log_delta_of, log_delta, "add", start)
    rows = np.flatnonzero(log_delta_of(np.arange(start.size), found, "remove")[0] > log_delta + SETTLED)

    def of_some(part: np.ndarray, epsilon: np.ndarray, direction: str) -> tuple[np.ndarray, np.ndarray]:
        return log_delta_of(rows[part], epsilon, direction)

    found[rows] = newton_epsilon(of_some, log_delta, "remove", np.maximum(found[rows], 1e-6))
    return found
