"""The tight profile of objective perturbation: whole curves, sweeps and inverses, beside Theorem 3.1 and plain search.

There is no peer package; the search over all maps (the oracle of the tests) and the published closed form are the scale.
"""

import time
from collections.abc import Callable

import numpy as np

import dpcore as dp
from dpcore.mechanisms.objective_perturbation import log_delta_over
from tests.mechanisms.objective_perturbation.tight_oracles import dynamic_program

_EPSILON = np.linspace(0.0, 8.0, 200)
_REPEATS = 7


def _milliseconds(work: Callable[[], object], repeats: int = _REPEATS) -> float:
    """Best of several runs, after one to warm up."""
    work()
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return 1e3 * best


def _mechanism(lam: float, **options: object) -> dp.ObjectivePerturbation:
    return dp.ObjectivePerturbation(sigma=5.0, lam=lam, lipschitz=1.0, smoothness=1.0, **options)


def run() -> list[str]:
    """One line per task."""
    lines = []
    for lam in (20.0, 2.0, 0.2):
        for monotone in (True, False):
            mechanism = _mechanism(lam, monotone=monotone)
            own = _milliseconds(lambda m=mechanism: m.log_delta(_EPSILON))
            one = _milliseconds(lambda m=mechanism: m.log_delta(1.0))
            kind = "monotone" if monotone else "general"
            lines.append(f"λ={lam:<5g} {kind:9s} curve of 200 ε {own:7.2f} ms   one ε {one:6.2f} ms")
    published = _milliseconds(lambda: _mechanism(20.0, bound="hockey_stick").log_delta(_EPSILON))
    search = _milliseconds(lambda: dynamic_program(0.5, 0.5, 0.5, "remove", True), repeats=1)
    lines.append(f"Theorem 3.1, curve of 200 ε {published:7.2f} ms   plain search, one ε to 1e-6 {search:7.0f} ms")
    mechanism = _mechanism(2.0)
    orders, targets = np.geomspace(1.1, 64.0, 100), np.geomspace(1e-12, 1e-2, 50)
    for what, work in (
        ("ε(δ), one", lambda: mechanism.epsilon(1e-5)),
        ("ε(δ), 50 targets", lambda: mechanism.epsilon(targets)),
        ("Rényi, 100 orders", lambda: mechanism.renyi(orders)),
        ("trade-off, 200 points", lambda: mechanism.tradeoff(np.linspace(0.0, 1.0, 200))),
        ("smallest λ for one target", lambda: dp.calibrate(_mechanism, 0.5, 1e-3)),
    ):
        lines.append(f"{what:28s} {_milliseconds(work, repeats=3):7.1f} ms")
    approximate = dp.ApproximateMinimaPerturbation(
        sigma=5.0, lam=2.0, lipschitz=1.0, smoothness=1.0, tau=0.05, sigma_out=1.0
    )
    start = time.perf_counter()
    lower, upper = approximate.bracket.log_delta(_EPSILON)
    seconds, shown = time.perf_counter() - start, upper > np.log(1e-15)
    lines.append(
        f"with a Gaussian, cold bracket of 200 ε {1e3 * seconds:7.1f} ms, width {np.max((upper - lower)[shown]):.1e}"
    )
    lines.append(
        f"with a Gaussian, warm curve of 200 ε {_milliseconds(lambda: approximate.log_delta(_EPSILON)):7.1f} ms"
    )
    sigma, lam = np.meshgrid(np.geomspace(1, 50, 100), np.geomspace(0.01, 100, 100))
    sweep = _milliseconds(lambda: log_delta_over(1.0, sigma=sigma, lam=lam, lipschitz=1.0, smoothness=1.0), repeats=3)
    lines.append(f"sweep of 10 000 (σ, λ)       {sweep:7.1f} ms")
    return lines
