"""ε of many records from the hockey sticks of their margins under a posterior sample."""

from __future__ import annotations

import numpy as np

from dpcore.individual.exact.fast_inverse import newton
from dpcore.individual.exact.margin_laws import MarginLaws

# _SETTLED: distance from log δ (nats), and relative step of ε, at which a root is accepted. _SLACK: excess of log δ
# that is allowed in the other direction. Doubled, errors may be twice as large.
_SETTLED, _SLACK = 1e-11, 1e-9
# Relative Newton step after which the next one would be below 1e-11. Doubled, that one would be below 4e-11.
_LAST_STEP = 1e-5
# _NEAR: distance from log δ (nats) within which the size of a step tells how near the root is. _FAR_BELOW: distance
# below log δ (nats) from which on ε is at least halved towards its lower bound.
_NEAR, _FAR_BELOW = 1e-3, 100.0
# Largest number of Newton steps. Doubled, a record that never settles takes twice as long.
_NEWTON_STEPS = 80
# Least G'' in the formula for the start, which divides by it. Doubled, searches begin at another ε.
_LEAST_BEND = 1e-8


def margin_epsilon(laws: MarginLaws, log_delta: float, start: np.ndarray | None = None) -> np.ndarray:
    """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions, searched from a start (n_records,) > 0 if one is given."""
    result = _inverse(laws, log_delta, "add", _start(laws, log_delta) if start is None else start)
    unmet = np.flatnonzero(laws.hockey(result, "remove")[0] > log_delta + _SLACK)
    if unmet.size:
        result[unmet] = _inverse(laws.take(unmet), log_delta, "remove", np.maximum(result[unmet], 1e-6))
    return result


def _start(laws: MarginLaws, log_delta: float) -> np.ndarray:
    """ε of the pair of normal laws with the same mode and curvature."""
    mu = np.maximum(laws.bends(laws.peak), _LEAST_BEND)
    found, _ = newton(mu, np.abs(laws.peak) * (1 + mu) / np.sqrt(mu), log_delta)
    return np.where(np.isfinite(found) & (found > 0), found, 0.1)


def _inverse(laws: MarginLaws, log_delta: float, direction: str, start: np.ndarray) -> np.ndarray:
    """Root of log δ(ε) = log δ by Newton steps within a bracket. If a step goes below 0 and δ(0) ≤ δ, it is 0."""
    active, unasked = np.arange(start.size), np.ones(start.shape, dtype=bool)
    at, low, high = start.copy(), np.zeros(start.shape), np.full(start.shape, np.inf)
    _ = laws.log_share, laws.heights  # computed once, as it does not depend on ε; `take` keeps it
    for _ in range(_NEWTON_STEPS):
        if not active.size:
            break
        value, slope = laws.take(active).hockey(at[active], direction)
        missing, here = value - log_delta, at[active]
        low[active] = np.where(missing > 0, here, low[active])
        high[active] = np.where(missing > 0, high[active], here)
        middle = np.where(np.isfinite(high[active]), (low[active] + high[active]) / 2, 4 * here)
        straight = 2 / (1 + np.sqrt(log_delta / np.minimum(value, 0.0)))  # √−log δ is nearly linear in ε
        new = here - straight * missing / slope
        new = np.where(missing < -_FAR_BELOW, np.minimum(new, middle), new)
        near, step = np.abs(missing) <= _NEAR, np.abs(new - here)
        settled = (np.abs(missing) <= _SETTLED) | near & (step <= _SETTLED * here)
        inside = (new > low[active]) & (new < high[active])
        at[active] = np.where(settled, here, np.where(inside, new, middle))
        settled |= near & inside & (step <= _LAST_STEP * here)
        doubtful = np.flatnonzero(~settled & ~(new > 0) & unasked[active])
        if doubtful.size:
            asked = active[doubtful]
            unasked[asked] = False
            hidden = laws.take(asked).hockey(np.zeros(asked.size), direction)[0] <= log_delta
            at[asked[hidden]] = 0.0
            settled[doubtful[hidden]] = True
        active = active[~settled]
    return at
