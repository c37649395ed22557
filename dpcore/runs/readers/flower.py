"""Flower: `RdpAccountant.state_dict()`, which says how clients were sampled and who counts as a neighbour.

Shape: flwr/supercore/privacy_accounting/rdp_accountant.py of Flower 1.42.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpcore.errors import DataError
from dpcore.runs.readers.opacus import said_by_rdp
from dpcore.runs.run import Reader, ReadRun, Sides, entries_of, number_from, number_of, read_run, remark, whole_of
from dpcore.runs.sampling import half_noise_above, poisson

_POISSON, _FIXED, _ALL = "poisson", "without-replacement", "no-amplification"
_NEIGHBOURS = {_POISSON: "add-or-remove-one", _FIXED: "replace-one", _ALL: "add-or-remove-one"}


def _knows(content: Any) -> bool:
    return isinstance(content, Mapping) and {"config", "compositions"} <= set(content)


def _table(given: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise DataError(f"{name} must be a table of names and values, got {given!r:.60}")
    return given


def _read(content: Any) -> ReadRun:
    config = _table(content["config"], "config")
    method, neighbours = config.get("sampling_method"), config.get("neighboring_relation")
    if _NEIGHBOURS.get(str(method)) != neighbours:
        raise DataError(
            f"sampling_method {method!r:.40} with neighboring_relation {neighbours!r:.40} is none of Flower's models"
        )
    delta = number_of(config, "target_delta")
    sides = Sides((), ())
    for place, entry in entries_of(content["compositions"], "compositions"):
        event, count = _table(_table(entry, place).get("event"), f"{place}: event"), whole_of(entry, "count")
        rate, noise = (
            whole_of(event, "sample_size") / whole_of(event, "population_size"),
            number_of(event, "noise_multiplier"),
        )
        if rate > 1:
            raise DataError(f"{place}: sample_size must not be more than population_size")
        if method == _FIXED:
            sides = sides + half_noise_above(noise, rate, count)
        else:
            sides = sides + poisson(noise, rate if method == _POISSON else 1.0, count)
    if method == _FIXED:
        return read_run(content, sides, [remark("fixed_size")], delta=delta)
    orders = np.array([number_from(place, order) for place, order in entries_of(content.get("orders"), "orders")])
    if orders.min() <= 1:
        raise DataError(f"orders must be above 1, got {orders.min():g}")

    def says(at: float) -> float:
        return said_by_rdp(sides.above, orders, at)

    return read_run(content, sides, delta=delta, says=says, without="recomputed", tool="Flower", rule="rdp")


ENTRY = Reader("Flower", _knows, _read)
