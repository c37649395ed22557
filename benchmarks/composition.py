"""Composition: width and processor time of certified brackets, beside dp-accounting on the same mixture.

dp-accounting's own bracket is its pessimistic and its optimistic estimate; the ratio of times is given at its narrowest
interval tried, which is wider than ours.
"""

import logging
import time
from collections.abc import Callable

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as peer

import dpcore as dp

_DELTA = 1e-6
_WIDTHS = (1e-4, 1e-5)
_INTERVALS = (1e-4, 1e-5)
_REPEATS = 5

_MIX = [(dp.Gaussian(50.0), 100), (dp.Laplace(50.0), 100), (dp.Subsampled(dp.Gaussian(1.0), 0.01), 500)]
_LISTS = {
    "100 Gaussian + 100 Laplace + 500 subsampled": _MIX,
    "Gaussian k=1e3": [(dp.Gaussian(40.0), 1_000)],
    "Gaussian k=1e5": [(dp.Gaussian(400.0), 100_000)],
    "Laplace k=1e3": [(dp.Laplace(40.0), 1_000)],
    "subsampled k=1e3": [(dp.Subsampled(dp.Gaussian(1.0), 0.01), 1_000)],
    "subsampled k=1e4": [(dp.Subsampled(dp.Gaussian(1.0), 0.01), 10_000)],
    "pure, at the cap": [(dp.RandomizedResponse(0.2), 10), (dp.ExponentialMechanism(0.1), 10)],
}


def _seconds(work: Callable[[], object], repeats: int) -> tuple[float, object]:
    """Least processor time of several runs, and the last result."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def _own(parts: list, epsilon: float, width: float) -> tuple[float, float]:
    """δ of both sides at one ε, nothing kept from earlier calls."""
    low, high = dp.compose(parts, width=width).log_delta(epsilon)
    return float(low), float(high)


def _peer(epsilon: float, interval: float, pessimistic: bool) -> float:
    options = {"value_discretization_interval": interval, "pessimistic_estimate": pessimistic}
    gaussian = peer.from_gaussian_mechanism(50.0, **options).self_compose(100)
    laplace = peer.from_laplace_mechanism(50.0, **options).self_compose(100)
    sampled = peer.from_gaussian_mechanism(1.0, sampling_prob=0.01, **options).self_compose(500)
    return float(gaussian.compose(laplace).compose(sampled).get_delta_for_epsilon(epsilon))


def run() -> list[str]:
    """One line per list and width, then the peer."""
    logging.disable(logging.WARNING)
    lines, mix = [], {}
    for name, parts in _LISTS.items():
        epsilon = float(dp.compose(parts).upper.epsilon(_DELTA))
        for width in _WIDTHS:
            seconds, (low, high) = _seconds(lambda p=parts, e=epsilon, w=width: _own(p, e, w), _REPEATS)
            reached = float(-np.expm1(low - high))
            lines.append(f"{name:44s} width asked {width:.0e} reached {reached:.1e}  {seconds:7.3f} s")
            if parts is _MIX:
                mix[width] = seconds, reached, np.exp(low), np.exp(high), epsilon
    for interval in _INTERVALS:
        seconds, (upper, lower) = _seconds(
            lambda i=interval: [_peer(mix[1e-4][4], i, side) for side in (True, False)], 1
        )
        ours, reached, low, high, _ = mix[1e-4]
        sides = "contains ours" if lower <= low and high <= upper else "does not contain ours"
        lines.append(
            f"dp-accounting on the mixture, interval {interval:.0e}: width {1 - lower / upper:.1e} {seconds:6.2f} s, "
            f"{seconds / ours:.0f} times ours at width {reached:.1e}; its bracket {sides}"
        )
    return lines
