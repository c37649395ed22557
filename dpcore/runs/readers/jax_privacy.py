"""jax_privacy: `DpParams` as it prints itself or as a dict, with the number of updates beside it.

Shape: jax_privacy/accounting/analysis.py (`DpParams`, `DpsgdTrainingAccountant`) of jax-privacy 2.0. `DpParams` leaves
out how many updates were made, so `num_updates` stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from dpcore.errors import DataError, UnsupportedError
from dpcore.runs.calls import CLASS
from dpcore.runs.run import Reader, ReadRun, Sides, number_from, read_run, remark, whole_of
from dpcore.runs.sampling import cut_to, half_noise_above, is_replaced, poisson

_FIXED = {"FIXED_BATCH_SIZE", "2", "SamplingMethod.FIXED_BATCH_SIZE"}
_POISSON = {"POISSON", "1", "SamplingMethod.POISSON"}


def _knows(content: Any) -> bool:
    return isinstance(content, Mapping) and (
        content.get(CLASS) == "DpParams" or {"noise_multipliers", "num_samples", "batch_size"} <= set(content)
    )


def _schedule(content: Mapping[str, Any], name: str) -> list[tuple[float, float]]:
    """From which step on which value holds: one number for all steps, or a list of (step, value)."""
    given = content.get(name)
    if not isinstance(given, list):
        return [(0.0, number_from(name, given))]
    if not given or not all(isinstance(one, list) and len(one) == 2 for one in given):
        raise DataError(f"{name} must be a number or a list of (step, value), got {given!r:.60}")
    found = [(number_from(f"{name}, step", step), number_from(f"{name}, value", value)) for step, value in given]
    if found[0][0] != 0 or found != sorted(found):
        raise DataError(f"{name} must begin at step 0 and rise, got {given!r:.60}")
    return found


def _pieces(content: Mapping[str, Any], updates: int) -> list[tuple[int, float, float]]:
    """(number of updates, noise multiplier, batch size) of each stretch in which nothing changes."""
    if content.get("batch_size_scale_schedule") and not isinstance(content.get("batch_sizes"), list):
        raise DataError("the batch size follows a schedule: give batch_sizes too, as DpParams prints them")
    noise = _schedule(content, "noise_multipliers")
    sizes = _schedule(content, "batch_sizes" if isinstance(content.get("batch_sizes"), list) else "batch_size")
    starts = sorted({step for step, _ in (*noise, *sizes) if step < updates})
    ends = [*starts[1:], float(updates)]
    at = [[max(one for one in values if one[0] <= start)[1] for values in (noise, sizes)] for start in starts]
    return [(int(end - start), noisy, size) for start, end, (noisy, size) in zip(starts, ends, at, strict=True)]


def _read(content: Any) -> ReadRun:
    if content.get("num_updates") is None:
        raise DataError("DpParams does not say how many updates were made: add a line such as num_updates = 1000")
    if content.get("is_finite_guarantee") is False:
        raise UnsupportedError(
            "DpParams says is_finite_guarantee=False, such as without clipping, so no finite ε holds"
        )
    if content.get("examples_per_user") not in (None, 1):
        raise UnsupportedError("users with several examples are not bounded here: check examples_per_user=1")
    method = str(content.get("sampling_method", "POISSON"))
    if method not in _FIXED | _POISSON:
        raise DataError(f"sampling_method must be POISSON or FIXED_BATCH_SIZE, got {method!r:.60}")
    cycle, records = whole_of(content, "cycle_length", 1), whole_of(content, "num_samples")
    group, said = records // cycle, list[str]()
    steps_of: Callable[[float, float, int], Sides] = poisson
    if content.get("truncated_batch_size") is not None:
        size = whole_of(content, "truncated_batch_size")
        steps_of, said = partial(cut_to, size, group), [remark("truncated", size=size)]
    elif method in _FIXED or is_replaced(content):
        steps_of, said = half_noise_above, [remark("fixed_size" if method in _FIXED else "replaced")]
    sides = Sides((), ())
    for updates, noise, batch in _pieces(content, whole_of(content, "num_updates")):
        rate = batch / max(group, 1)
        if not 0 < rate <= 1:
            raise DataError(f"a batch must have from 1 to all {group} records it is drawn from, got {batch:g}")
        sides = sides + steps_of(noise, rate, math.ceil(updates / cycle))
    if cycle > 1:
        sides, said = Sides(sides.above, ()), [remark("floor_group", cycle=cycle, group=group), *said]
    return read_run(content, sides, said)


ENTRY = Reader("jax_privacy", _knows, _read)
