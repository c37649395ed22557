"""OpenDP: a measurement as `dp.serialize` writes it; constructors are read by name and never called.

Shape: opendp/mod.py (`serialize`) of OpenDP 0.16: `__function__`, `__kwargs__`, and tuples as `{"__tuple__": […]}`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from dpcore.errors import DataError, UnsupportedError
from dpcore.mechanisms import DiscreteGaussian, Gaussian, Laplace, RandomizedResponse
from dpcore.runs.budgets import discrete_laplace
from dpcore.runs.run import Reader, ReadRun, Sides, entries_of, number_of, read_run, remark

_FUNCTION, _GIVEN = "__function__", "__kwargs__"
_RESTATES = {
    "make_pureDP_to_zCDP", "make_zCDP_to_approxDP", "make_fix_delta", "make_approximate", "make_fixed_approxDP_to_approxDP",
}  # fmt: skip
_BY_RECORD = {
    "make_clamp", "make_cast", "make_cast_default", "make_cast_inherent", "make_impute_constant", "make_is_equal", "make_identity",
    "make_select_column",
}  # fmt: skip
_SAMPLED = {
    "make_population_amplification": "its amplification is for samples of a fixed size that OpenDP does not draw"
}


def _measurement(content: Any) -> Mapping[str, Any] | None:
    stated = content if isinstance(content, Mapping) else {}
    inner = stated.get("measurement", stated) if _FUNCTION not in stated else stated
    return inner if isinstance(inner, Mapping) and _FUNCTION in inner else None


def _call(thing: Any, where: str) -> tuple[str, Mapping[str, Any]]:
    given = thing.get(_GIVEN, {}) if isinstance(thing, Mapping) else None
    if not isinstance(thing, Mapping) or not isinstance(given, Mapping) or not isinstance(thing.get(_FUNCTION), str):
        raise DataError(f"{where} must be an object with {_FUNCTION} and {_GIVEN}, got {thing!r:.60}")
    return thing[_FUNCTION], given


def _stability(transformation: Any) -> float:
    """By how much the output can move when one record is added or removed."""
    name, given = _call(transformation, "a transformation")
    if name == "make_chain_tt":
        _refuse_unless_by_record(given.get("transformation0"))
        return _stability(given.get("transformation1"))
    if name == "make_count":
        return 1.0
    if name == "make_sum":
        _, domain = _call(given.get("input_domain"), "input_domain")
        bounds = _bounds(domain.get("atom_domain"))
        if domain.get("size") is None and bounds is not None:
            return max(abs(bounds[0]), abs(bounds[1]))
        raise UnsupportedError(
            "make_sum is bounded where its domain states bounds and no size: state sensitivity beside it"
        )
    raise UnsupportedError(
        f"how far {name:.40} moves when a record is added is not known here: state sensitivity beside it"
    )


def _refuse_unless_by_record(transformation: Any) -> None:
    """Pass a transformation that changes each record by itself, so that one record in is one record out."""
    name, given = _call(transformation, "a transformation")
    if name == "make_chain_tt":
        for part in ("transformation0", "transformation1"):
            _refuse_unless_by_record(given.get(part))
    elif name not in _BY_RECORD:
        raise UnsupportedError(
            f"whether {name:.40} moves one record alone is not known here: state sensitivity beside the measurement"
        )


def _bounds(atoms: Any) -> tuple[float, float] | None:
    _, given = _call(atoms, "atom_domain")
    stated = given.get("bounds")
    pair = stated.get("__tuple__") if isinstance(stated, Mapping) else None
    if not isinstance(pair, list) or len(pair) != 2:
        return None
    low, high = (number_of({"bounds": one}, "bounds") for one in pair)
    return low, high


def _is_whole(given: Mapping[str, Any]) -> bool:
    """Whether a measurement's domain is of whole numbers."""
    names = str(given.get("input_domain"))
    return any(f"'T': '{kind}{bits}'" in names for kind in "iu" for bits in (8, 16, 32, 64))


class _Reading:
    """A measurement read from the outside in, with the sensitivity of what it is applied to."""

    def __init__(self, stated: float | None) -> None:
        self.stated, self.said = stated, dict[str, None]()

    def sides(self, thing: Any, sensitivity: float = 1.0) -> Sides:
        """Both sides of a measurement."""
        name, given = _call(thing, "a measurement")
        if name in _RESTATES:
            self.said[remark("conversion", name=name)] = None
            return self.sides(given.get("measurement"), sensitivity)
        if name in _SAMPLED:
            raise UnsupportedError(f"{name} cannot be bounded: {_SAMPLED[name]}")
        if name not in _MEASUREMENTS:
            raise UnsupportedError(
                f"{name:.60} is not known here; known are {', '.join([*_MEASUREMENTS, *sorted(_RESTATES)])}"
            )
        return _MEASUREMENTS[name](self, given, sensitivity)

    def chained(self, given: Mapping[str, Any], sensitivity: float) -> Sides:
        """A measurement on the output of a transformation."""
        moves = self.stated or _stability(given.get("transformation0"))
        return self.sides(given.get("measurement1"), sensitivity * moves)

    def composed(self, given: Mapping[str, Any], sensitivity: float) -> Sides:
        """Several measurements of the same data."""
        several = entries_of(given.get("measurements"), "measurements")
        return Sides.added(self.sides(one, sensitivity) for _, one in several)

    def laplace(self, given: Mapping[str, Any], sensitivity: float) -> Sides:
        """Laplace noise, discrete on whole numbers."""
        scale = number_of(given, "scale")
        if not _is_whole(given):
            self.said[remark("float_noise")] = None
            return Sides.exact(Laplace(scale, sensitivity))
        moves = math.ceil(sensitivity)
        if moves > 1:
            self.said[remark("bounded_steps", sensitivity=moves)] = None
        return discrete_laplace(scale, moves)

    def gaussian(self, given: Mapping[str, Any], sensitivity: float) -> Sides:
        """Gaussian noise, discrete on whole numbers."""
        scale = number_of(given, "scale")
        if _is_whole(given):
            return Sides.exact(DiscreteGaussian(scale, max(math.ceil(sensitivity), 1)))
        self.said[remark("float_noise")] = None
        return Sides.exact(Gaussian(scale, sensitivity))


def _binary(reading: _Reading, given: Mapping[str, Any], sensitivity: float) -> Sides:
    truth = number_of(given, "prob")
    if not 0.5 < truth < 1:
        raise DataError(f"prob of randomised response must be in (1/2, 1), got {truth:g}")
    return Sides.exact(RandomizedResponse(math.log(truth / (1 - truth))))


def _categories(reading: _Reading, given: Mapping[str, Any], sensitivity: float) -> Sides:
    names = given.get("categories")
    names = names.get("__tuple__", names) if isinstance(names, Mapping) else names
    kinds, truth = len(list(entries_of(names, "categories"))), number_of(given, "prob")
    if kinds < 2 or not 1 / kinds < truth < 1:
        raise DataError(f"prob must be in (1/k, 1) for k = {kinds} >= 2 categories, got {truth:g}")
    return Sides.exact(RandomizedResponse(math.log(truth * (kinds - 1) / (1 - truth)), kinds))


_MEASUREMENTS: dict[str, Callable[[_Reading, Mapping[str, Any], float], Sides]] = {
    "make_laplace": _Reading.laplace,
    "make_geometric": _Reading.laplace,
    "make_gaussian": _Reading.gaussian,
    "make_randomized_response_bool": _binary,
    "make_randomized_response": _categories,
    "make_chain_mt": _Reading.chained,
    "make_composition": _Reading.composed,
    "make_basic_composition": _Reading.composed,
}


def _read(content: Any) -> ReadRun:
    stated = number_of(content, "sensitivity") if "sensitivity" in content else None
    if stated is not None and stated <= 0:
        raise DataError(f"sensitivity must be > 0, got {stated:g}")
    reading = _Reading(stated)
    measurement = _measurement(content)
    sides = reading.sides(measurement, 1.0)
    if stated is None and "make_chain_mt" not in str(measurement):
        reading.said[remark("distance")] = None
    return read_run(content, sides, reading.said)


ENTRY = Reader("OpenDP", lambda content: _measurement(content) is not None, _read)
