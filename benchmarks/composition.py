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
_MANY, _INTERVAL = (20, 60, 200), 1e-3


def _different(number: int) -> list:
    """As many different mechanisms as asked for, of four kinds, each up to three times."""
    rng, parts = np.random.default_rng(0), []
    for kind in np.arange(number) % 4:
        noise, count = float(rng.uniform(0.7, 2.5)) * number**0.5, int(rng.integers(1, 4))
        sampled = dp.Subsampled(dp.Gaussian(float(rng.uniform(0.8, 2.0))), float(10 ** rng.uniform(-4, -2)))
        parts.append(((dp.Laplace(noise), dp.RandomizedResponse(1 / noise), dp.Gaussian(noise), sampled)[kind], count))
    return parts


def _peer_of(mechanism: dp.PrivacyProfile) -> object:
    options = {"value_discretization_interval": _INTERVAL}
    if isinstance(mechanism, dp.Laplace):
        return peer.from_laplace_mechanism(mechanism.scale, **options)
    if isinstance(mechanism, dp.RandomizedResponse):
        return peer.from_randomized_response(2 / (1 + np.exp(mechanism.pure_epsilon)), 2, **options)
    if isinstance(mechanism, dp.Gaussian):
        return peer.from_gaussian_mechanism(mechanism.sigma, **options)
    return peer.from_gaussian_mechanism(mechanism.base.sigma, sampling_prob=mechanism.rate, **options)


def _peer_composed(parts: list) -> float:
    """ε from above of a list, one law after another."""
    total = None
    for mechanism, count in parts:
        law = _peer_of(mechanism).self_compose(count)
        total = law if total is None else total.compose(law)
    return float(total.get_epsilon_for_delta(_DELTA))


_ANY = np.random.default_rng(0)
_DIFFERENT = [
    (dp.Subsampled(dp.Gaussian(0.8 + _ANY.uniform(0, 3)), float(10 ** _ANY.uniform(-4, -1))), 1) for _ in range(200)
]
_LISTS = {
    "100 Gaussian + 100 Laplace + 500 subsampled": _MIX,
    "200 different subsampled": _DIFFERENT,
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
    for number in _MANY:
        parts = _different(number)
        ours, (low, high) = _seconds(lambda p=parts: dp.compose(p).epsilon(_DELTA), 1)
        theirs, above = _seconds(lambda p=parts: _peer_composed(p), 1)
        lines.append(
            f"{number} different mechanisms: ε width {(high - low) / high:.1e} {ours:.2f} s; dp-accounting, interval "
            f"{_INTERVAL:.0e}: {above - high:.1e} above {theirs:.2f} s"
        )
    return lines
