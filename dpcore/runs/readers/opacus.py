"""Opacus: `accountant.state_dict()`, alone or in a checkpoint; noise multiplier, sample rate and steps.

Shape: opacus/accountants/accountant.py (`state_dict`) and privacy_engine.py (`save_checkpoint`) of Opacus 1.6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpcore.errors import DataError
from dpcore.mechanisms import Gaussian
from dpcore.profiles.renyi import epsilon_over_orders
from dpcore.runs.run import Reader, ReadRun, Sides, Steps, entries_of, number_from, read_run, remark
from dpcore.runs.sampling import gaussian_steps, poisson

_ORDERS = np.array([1 + x / 10 for x in range(1, 100)] + [*range(12, 64)])  # RDPAccountant.DEFAULT_ALPHAS
_LARGEST_EXPONENT = 600.0  # of e^{1/σ²}; beyond, its square root times the steps is no ordinary float
_IN_CHECKPOINT = "privacy_accountant_state_dict"


def accountant_state(content: Any) -> Mapping[str, Any]:
    """The accountant's part of a checkpoint, or the content itself; empty if it has no names."""
    stated = content if isinstance(content, Mapping) else {}
    inner = stated.get(_IN_CHECKPOINT)
    return inner if isinstance(inner, Mapping) else stated


def _knows(content: Any) -> bool:
    return {"history", "mechanism"} <= set(accountant_state(content))


def said_by_rdp(steps: Steps, orders: np.ndarray, delta: float) -> float:
    r"""ε that an accountant prints which adds Rényi divergences at a list of orders.

    .. math:: \min_α \; D_α + \log(1 − 1/α) − \frac{\log δ + \log α}{α − 1}

    Parameters
    ----------
    steps : pipeline it accounts for
    orders : (n_orders,), α > 1
    delta : target δ

    References: canonne-kamath-steinke-2020, mironov-2017.
    """
    divergence = sum(k * np.asarray(m.renyi(orders, direction="remove")) for m, k in steps)
    return float(epsilon_over_orders(orders - 1, np.asarray(divergence), delta))


def _said_by_gdp(history: list[tuple[float, float, int]], delta: float) -> float:
    """ε of N(0, 1) against N(μ, 1), μ = q√(T(e^{1/σ²} − 1)) of the last entry, as `GaussianAccountant` takes it."""
    sigma, rate, steps = history[-1]
    if sigma**-2 > _LARGEST_EXPONENT:
        return math.inf
    return float(Gaussian(1 / (rate * math.sqrt(steps * math.expm1(sigma**-2)))).epsilon(delta))


def _history(state: Mapping[str, Any]) -> list[tuple[float, float, int]]:
    found = []
    for place, entry in entries_of(state["history"], "history"):
        if not isinstance(entry, list) or len(entry) != 3:
            raise DataError(f"{place} must be [noise multiplier, sample rate, steps], got {entry!r:.60}")
        sigma, rate, steps = (
            number_from(f"{place}: {name}", one) for name, one in zip(("noise", "rate", "steps"), entry, strict=True)
        )
        if steps != int(steps) or steps < 1:
            raise DataError(f"{place}: steps must be a whole number >= 1, got {steps:g}")
        if sigma <= 0:
            raise DataError(
                f"{place}: without noise (noise multiplier {sigma:g}) a run has no privacy, and no finite ε"
            )
        found.append((sigma, rate, int(steps)))
    return found


def _read(content: Any) -> ReadRun:
    state, beside = accountant_state(content), {**accountant_state(content), **content}
    history, rule = _history(state), str(state["mechanism"])
    sides, said = Sides((), ()), dict[str, None]()
    for sigma, rate, steps in history:
        one, flags = gaussian_steps(beside, "Opacus", sigma, rate, steps)
        sides, said = sides + one, said | dict.fromkeys(flags)
    accounted = sum((poisson(*entry).above for entry in history), ())
    rules = {
        "rdp": lambda delta: said_by_rdp(accounted, _ORDERS, delta),
        "gdp": lambda delta: _said_by_gdp(history, delta),
    }
    limit = [remark("central_limit")] if rule == "gdp" else []
    without = "recomputed" if rule in rules else "prv" if rule == "prv" else "no_claim"
    return read_run(beside, sides, [*said, *limit], says=rules.get(rule), without=without, tool="Opacus", rule=rule)


ENTRY = Reader("Opacus", _knows, _read)
