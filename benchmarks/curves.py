"""Time of whole curves: δ at 400 ε, Rényi at 100 orders, trade-off at 200 points, and dp-accounting on the same work.

Ours answers for both directions of adjacency; dp-accounting's subsampled Rényi curve is for removal only.
"""

import logging
import time
from collections.abc import Callable

import numpy as np
from dp_accounting import GaussianDpEvent, LaplaceDpEvent, PoissonSampledDpEvent
from dp_accounting.pld.privacy_loss_distribution import from_randomized_response
from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType, GaussianPrivacyLoss, LaplacePrivacyLoss
from dp_accounting.rdp import RdpAccountant

import dpcore as dp

_EPSILON = np.linspace(0.0, 4.0, 400)
_ORDERS = np.linspace(1.1, 64.0, 100)
_FPR = np.linspace(0.0, 1.0, 200)
_REPEATS = 7


def _milliseconds(work: Callable[[], object]) -> float:
    """Best of several runs, after one to warm up."""
    work()
    best = np.inf
    for _ in range(_REPEATS):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return 1e3 * best


def _sampled_gaussian_delta() -> np.ndarray:
    losses = [
        GaussianPrivacyLoss(1.0, sampling_prob=0.1, adjacency_type=kind) for kind in AdjacencyType.__members__.values()
    ]
    return np.maximum(*(loss.get_delta_for_epsilon(_EPSILON) for loss in losses[:2]))


def _renyi(event: object) -> np.ndarray:
    return RdpAccountant(_ORDERS).compose(event).rdp


_PEER_DELTA: dict[str, Callable[[], object]] = {
    "gaussian": lambda: GaussianPrivacyLoss(1.0).get_delta_for_epsilon(_EPSILON),
    "laplace": lambda: LaplacePrivacyLoss(1.0).get_delta_for_epsilon(_EPSILON),
    "randomized_response": lambda: from_randomized_response(2 / (1 + np.e), 2).get_delta_for_epsilon(_EPSILON),
    "subsampled_gaussian": _sampled_gaussian_delta,
}
_PEER_RENYI: dict[str, Callable[[], object]] = {
    "gaussian": lambda: _renyi(GaussianDpEvent(1.0)),
    "laplace": lambda: _renyi(LaplaceDpEvent(1.0)),
    "subsampled_gaussian": lambda: _renyi(PoissonSampledDpEvent(0.1, GaussianDpEvent(1.0))),
}


def _line(name: str, what: str, own: float, peer: Callable[[], object] | None) -> str:
    text = f"{name:24s} {what:24s} {own:8.2f} ms"
    if peer is None:
        return text
    other, failed = _milliseconds(peer), int(np.sum(~np.isfinite(peer())))
    note = f"   ({failed} points failed there)" if failed else ""
    return f"{text}   dp-accounting {other:8.2f} ms   {other / own:6.1f} × ours{note}"


def run() -> list[str]:
    """One line per mechanism and curve."""
    logging.getLogger("absl").setLevel(logging.ERROR)
    lines = []
    for name, entry in dp.MECHANISMS.items():
        profile = entry.default()
        own = _milliseconds(lambda profile=profile: profile.delta(_EPSILON))
        lines.append(_line(name, "δ at 400 ε", own, _PEER_DELTA.get(name)))
        own = _milliseconds(lambda profile=profile: profile.renyi(_ORDERS))
        lines.append(_line(name, "Rényi at 100 orders", own, _PEER_RENYI.get(name)))
        own = _milliseconds(lambda profile=profile: profile.tradeoff(_FPR))
        lines.append(_line(name, "trade-off at 200 points", own, None))
    return lines


if __name__ == "__main__":
    print("\n".join(run()))
