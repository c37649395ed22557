"""ε of many records from the hockey sticks of their margins under a posterior sample."""

from __future__ import annotations

import numpy as np

from dpcore.individual.exact.fast_inverse import newton
from dpcore.individual.exact.margin_laws import MarginLaws
from dpcore.individual.exact.newton import newton_both_ways

# Least G'' in the formula for the start, which divides by it. Doubled, searches begin at another ε.
_LEAST_BEND = 1e-8


def margin_epsilon(laws: MarginLaws, log_delta: float, start: np.ndarray | None = None) -> np.ndarray:
    """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions, searched from a start (n_records,) > 0 if one is given."""
    _ = laws.log_share, laws.heights  # computed once, as it does not depend on ε; `take` keeps it

    def of_some(rows: np.ndarray, epsilon: np.ndarray, direction: str) -> tuple[np.ndarray, np.ndarray]:
        return laws.take(rows).hockey(epsilon, direction)

    return newton_both_ways(of_some, log_delta, _start(laws, log_delta) if start is None else start)


def _start(laws: MarginLaws, log_delta: float) -> np.ndarray:
    """ε of the pair of normal laws with the same mode and curvature."""
    mu = np.maximum(laws.bends(laws.peak), _LEAST_BEND)
    found, _ = newton(mu, np.abs(laws.peak) * (1 + mu) / np.sqrt(mu), log_delta)
    return np.where(np.isfinite(found) & (found > 0), found, 0.1)
