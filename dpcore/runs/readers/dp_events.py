"""dp_accounting: a `DpEvent` as `to_named_tuple()` gives it, in JSON, or as it prints itself.

Shape: dp_accounting/dp_event.py of dp-accounting 0.6. JSON writes a named tuple as a list, so fields are told by their
order; `_asdict()` and the printed form name them. The module that an event names is never imported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpcore.accountants.parts import in_closed_form
from dpcore.errors import DataError, UnsupportedError
from dpcore.mechanisms import Gaussian, Laplace, RandomizedResponse
from dpcore.profiles import PrivacyProfile
from dpcore.runs.budgets import Concentrated, discrete_laplace
from dpcore.runs.calls import CLASS, FIELDS
from dpcore.runs.run import Reader, ReadRun, Sides, entries_of, number_of, read_run, remark, whole_of
from dpcore.runs.sampling import OppositeRecords, cut_to, is_replaced, on_sample

_MODULE = "module_name"
_REFUSED = {
    "NonPrivateDpEvent": "it releases something without noise, so no finite ε holds",
    "UnsupportedDpEvent": "its author could not describe it",
    "SampledWithReplacementDpEvent": "a record can be drawn several times, and no bound for that is built in",
    "RepeatAndSelectDpEvent": "it keeps the best of a random number of runs: check one run, then use dp.Tuned",
    "MixtureOfGaussiansDpEvent": "one record counts a random number of times, and no bound for that is built in",
}


@dataclass
class _Walk:
    """How an event is walked through: the neighbours in question, and what there is to say."""

    replaced: bool
    said: dict[str, None] = field(default_factory=dict)

    def say(self, key: str, /, **values: Any) -> None:
        self.said[remark(key, **values)] = None

    def sides(self, event: Any) -> Sides:
        """Both sides of an event."""
        make, given = _named(event, self)
        return make(self, given)

    def inner(self, event: Any, *, replaced: bool, side: str) -> PrivacyProfile:
        """One mechanism for an event that is run on a sample."""
        walk = _Walk(replaced)
        parts = in_closed_form(getattr(walk.sides(event), side))
        walk.said.pop(remark("replaced"), None)  # what is sampled says it with its rate
        self.said |= walk.said
        if len(parts) != 1 or parts[0][1] != 1:
            raise UnsupportedError("several steps on one and the same sample are bounded for Gaussian noise alone")
        return parts[0][0]


_Make = Callable[[_Walk, dict[str, Any]], Sides]


def _named(event: Any, walk: _Walk) -> tuple[_Make, dict[str, Any]]:
    """What makes the sides of an event, and its fields by name."""
    if isinstance(event, list) and len(event) >= 2 and isinstance(event[1], str):
        event = {_MODULE: event[0], CLASS: event[1], FIELDS: event[2:]}
    if not isinstance(event, Mapping) or not isinstance(event.get(CLASS), str):
        raise DataError(f"an event must name its class, got {event!r:.60}")
    name, module = event[CLASS], str(event.get(_MODULE, "dp_accounting"))
    if module.partition(".")[0] != "dp_accounting":
        walk.say("other_module", module=f"{module:.40}")
    if name in _REFUSED:
        raise UnsupportedError(f"{name} cannot be bounded: {_REFUSED[name]}")
    if name not in _EVENTS:
        raise DataError(f"{name:.60} is no event of dp_accounting that is known here; known are {', '.join(_EVENTS)}")
    make, fields = _EVENTS[name]
    given = dict(zip(fields, event.get(FIELDS, ()), strict=False))
    return make, given | {key: event[key] for key in fields if key in event}


def _noise(make: Callable[[float], PrivacyProfile]) -> _Make:
    def sides(walk: _Walk, given: dict[str, Any]) -> Sides:
        mechanism = make(number_of(given, "noise_multiplier"))
        if walk.replaced:
            walk.say("replaced")
        return Sides.exact(mechanism.with_noise(0.5) if walk.replaced else mechanism)

    return sides


def _discrete_laplace(walk: _Walk, given: dict[str, Any]) -> Sides:
    sensitivity = whole_of(given, "sensitivity") * (2 if walk.replaced else 1)
    sides = discrete_laplace(1 / number_of(given, "noise_parameter"), sensitivity)
    if sensitivity > 1:
        walk.say("bounded_steps", sensitivity=sensitivity)
    return sides


def _randomized_response(walk: _Walk, given: dict[str, Any]) -> Sides:
    lie, buckets = number_of(given, "noise_parameter"), whole_of(given, "num_buckets")
    if not 0 < lie < 1:
        raise DataError(f"noise_parameter of randomised response must be in (0, 1), got {lie:g}")
    return Sides.exact(RandomizedResponse(math.log1p(buckets * (1 - lie) / lie), buckets))


def _repeated(walk: _Walk, given: dict[str, Any]) -> Sides:
    return walk.sides(given.get("event")).times(whole_of(given, "count"))


def _composed(walk: _Walk, given: dict[str, Any]) -> Sides:
    return Sides.added(walk.sides(event) for _, event in entries_of(given.get("events"), "events"))


def _sampled(walk: _Walk, event: Any, rate: float, *, replaced: bool) -> Sides:
    above = on_sample(walk.inner(event, replaced=replaced, side="above"), rate)
    below = walk.inner(event, replaced=replaced and rate == 1, side="below")
    if replaced and rate < 1 and below.normal_shift:
        return Sides(((above, 1),), ((OppositeRecords(1 / below.normal_shift, rate), 1),))
    return Sides(((above, 1),), ((on_sample(below, rate), 1),))


def _poisson(walk: _Walk, given: dict[str, Any]) -> Sides:
    if walk.replaced:
        walk.say("replaced")
    return _sampled(walk, given.get("event"), number_of(given, "sampling_probability"), replaced=walk.replaced)


def _without_replacement(walk: _Walk, given: dict[str, Any]) -> Sides:
    size, records = whole_of(given, "sample_size"), whole_of(given, "source_dataset_size")
    if size > records:
        raise DataError(f"sample_size must be at most source_dataset_size, got {size} of {records}")
    walk.say("fixed_size")
    return _sampled(walk, given.get("event"), size / records, replaced=True)


def _tree(walk: _Walk, given: dict[str, Any]) -> Sides:
    counts = given.get("step_counts")
    steps = [
        number_of({"step_counts": one}, "step_counts") for one in (counts if isinstance(counts, list) else [counts])
    ]
    if not steps or min(steps) < 1:
        raise DataError(f"step_counts must be whole numbers >= 1, got {counts!r:.60}")
    depth = math.ceil(math.log2(max(steps) + 1))
    walk.say("tree", depth=depth)
    noise = number_of(given, "noise_multiplier") / math.sqrt(depth)
    return Sides.exact(Gaussian(noise / 2 if walk.replaced else noise))


def _concentrated(walk: _Walk, given: dict[str, Any]) -> Sides:
    walk.say("budget")
    return Sides(((Concentrated(number_of(given, "rho"), number_of(given, "xi", 0.0)), 1),), ())


def _truncated(walk: _Walk, given: dict[str, Any]) -> Sides:
    size = whole_of(given, "truncated_batch_size")
    walk.say("truncated", size=size)
    rate = number_of(given, "sampling_probability")
    return cut_to(size, whole_of(given, "dataset_size"), number_of(given, "noise_multiplier"), rate, 1)


_EVENTS: dict[str, tuple[_Make, tuple[str, ...]]] = {  # what makes its sides, and its fields in order
    "NoOpDpEvent": (lambda walk, given: Sides((), ()), ()),
    "GaussianDpEvent": (_noise(Gaussian), ("noise_multiplier",)),
    "LaplaceDpEvent": (_noise(Laplace), ("noise_multiplier",)),
    "DiscreteLaplaceDpEvent": (_discrete_laplace, ("noise_parameter", "sensitivity")),
    "RandomizedResponseDpEvent": (_randomized_response, ("noise_parameter", "num_buckets")),
    "SelfComposedDpEvent": (_repeated, ("event", "count")),
    "ComposedDpEvent": (_composed, ("events",)),
    "PoissonSampledDpEvent": (_poisson, ("sampling_probability", "event")),
    "SampledWithoutReplacementDpEvent": (_without_replacement, ("source_dataset_size", "sample_size", "event")),
    "SingleEpochTreeAggregationDpEvent": (_tree, ("noise_multiplier", "step_counts")),
    "ZCDpEvent": (_concentrated, ("rho", "xi")),
    "TruncatedSubsampledGaussianDpEvent": (
        _truncated, ("dataset_size", "sampling_probability", "truncated_batch_size", "noise_multiplier"),
    ),
}  # fmt: skip


def _event(content: Any) -> Any:
    """The event of a content, alone or under `event` beside a claim; None if there is none."""
    if isinstance(content, Mapping) and "event" in content and CLASS not in content:
        content = content["event"]
    named = content.get(CLASS) if isinstance(content, Mapping) else None
    if isinstance(content, list) and len(content) >= 2:
        named = content[1]
    return content if isinstance(named, str) and named.endswith("DpEvent") else None


def _read(content: Any) -> ReadRun:
    walk = _Walk(is_replaced(content) if isinstance(content, Mapping) else False)
    sides = walk.sides(_event(content))
    return read_run(content, sides, walk.said)


ENTRY = Reader("dp_accounting", lambda content: _event(content) is not None, _read)
