"""What the target of a table or a data set is, and how else it can be read."""

from typing import Any

from dpcore.data.dataset import Dataset
from dpcore.data.encoding.target import TargetNumbers, TargetReading, of_numbers, of_texts, shown
from dpcore.data.ingest.choose import check_target, find_column
from dpcore.data.names import quoted
from dpcore.errors import DataError


def target_kind(data: Any, column: str | None = None) -> TargetReading:
    """What a column of a table is best read as, or what the target of a data set has become, with the reason.

    Two levels are "binary"; three and more texts, or whole numbers whose name says so, are "classes", of which one is
    told from the others; whole numbers from 0 are a "count" where their name says so; all other
    numbers are "numeric". Few whole numbers can be read in more ways than one, which `readings` lists.

    Parameters
    ----------
    data : Table or Dataset
    column : name; of a data set, its target by default

    Raises
    ------
    DataError
        If there is no such column or it cannot be a target: says why.
    """
    if isinstance(data, Dataset):
        if column is None or column == data.target:
            return _encoded(data)
        if data.origin is None:
            raise DataError(
                f"There is no column {quoted(column)} besides the target that could be one; name {data.target!r}."
            )
        data = data.origin.table
    name = find_column(data, column, "target")
    check_target(data, name, any_levels=True)
    levels = data.levels(name)
    return of_texts(levels) if levels else of_numbers(name, TargetNumbers.of(data.cells(name)))


def _encoded(data: Any) -> TargetReading:
    """What the target of a data set has become."""
    if data.origin is not None:
        code = data.encoder.goal
        if code.levels:
            rest = "" if len(code.levels) == 2 else f" of {len(code.levels)} levels"
            reason = f"{shown([code.positive])} is told from {shown(code.others)}{rest}"
            return TargetReading("binary", reason, code.levels, ("binary",), code.positive)
        if code.counts:
            return TargetReading("count", "kept as counts", readings=("count",))
        return TargetReading("numeric", "numbers", readings=("numeric",))
    numbers = TargetNumbers.of(data.y)
    if len(numbers.values) == 2 and numbers.low == -numbers.high:
        return TargetReading(
            "binary", f"two values, {shown(numbers.values)}", numbers.values, ("binary",), numbers.high
        )
    if numbers.are_counts:
        return TargetReading("count", "whole numbers from 0", readings=("count", "numeric"))
    return TargetReading("numeric", "numbers", readings=("numeric",))
