"""Flower: `RdpAccountant.state_dict()`, which says how clients were sampled and who counts as a neighbour.

Shape: flwr/supercore/privacy_accounting/rdp_accountant.py of Flower 1.42.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpcore.errors import DataError
from dpcore.runs.readers.opacus import said_by_rdp
from dpcore.runs.run import Claim, Reader, Run, Sides, claim_of, flag, listed, number, real, whole
from dpcore.runs.sampling import half_noise_above, poisson

_POISSON, _FIXED, _ALL = "poisson", "without-replacement", "no-amplification"
_NEIGHBOURS = {_POISSON: "add-or-remove-one", _FIXED: "replace-one", _ALL: "add-or-remove-one"}


def _knows(content: Any) -> bool:
    return isinstance(content, Mapping) and {"config", "compositions"} <= set(content)


def _table(given: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise DataError(f"{name} must be a table of names and values, got {given!r:.60}")
    return given


def _read(content: Any) -> Run:
    config = _table(content["config"], "config")
    method, neighbours = config.get("sampling_method"), config.get("neighboring_relation")
    if _NEIGHBOURS.get(str(method)) != neighbours:
        raise DataError(f"sampling_method {method!r:.40} with neighboring_relation {neighbours!r:.40} is none of Flower's models")
    delta = number(config, "target_delta")
    sides = Sides((), ())
    for place, entry in listed(content["compositions"], "compositions"):
        event, count = _table(_table(entry, place).get("event"), f"{place}: event"), whole(entry, "count")
        rate = whole(event, "sample_size") / whole(event, "population_size")
        if rate > 1:
            raise DataError(f"{place}: sample_size must not be more than population_size")
        noise = number(event, "noise_multiplier")
        if method == _FIXED:
            sides = sides + half_noise_above(noise, rate, count)
        else:
            sides = sides + poisson(noise, rate if method == _POISSON else 1.0, count)
    if method == _FIXED:
        claim, missing, _ = claim_of(content)
        return Run(sides, claim, (flag("fixed_size"), *missing), delta)
    orders = np.array([real(place, order) for place, order in listed(content.get("orders"), "orders")])
    if orders.min() <= 1:
        raise DataError(f"orders must be above 1, got {orders.min():g}")
    ours = Claim(rule=lambda at: said_by_rdp(sides.above, orders, at))
    claim, missing, _ = claim_of(content, ours)
    if claim is ours:
        missing = (flag("recomputed", tool="Flower", rule="rdp"),)
    return Run(sides, claim, missing, delta)


ENTRY = Reader("Flower", _knows, _read)
