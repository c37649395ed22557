"""The public domain of a data set: bounds that are known without looking at the data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dpcore import validation
from dpcore.errors import ParameterError

ROW_RULES = ("clip", "normalize")

# What is done with cells far beyond all others when a range is read off the data: they count, or they are cut off.
EXTREMES = KEEP, CAP = "keep", "cap"


class Ranges(Mapping[str, tuple[float, float]]):
    """Immutable, hashable mapping from a column name to its public (low, high)."""

    __slots__ = ("_items",)

    def __init__(self, ranges: Mapping[str, Any]) -> None:
        checked = {}
        for name, pair in ranges.items():
            if not isinstance(name, str):
                raise ParameterError(f"ranges must map column names to (low, high), got the name {name!r}")
            try:
                low, high = pair
            except (TypeError, ValueError) as error:
                raise ParameterError(f"the range of {name!r} must be a pair (low, high), got {pair!r}") from error
            low = validation.real(f"the low end of the range of {name!r}", low)
            high = validation.real(f"the high end of the range of {name!r}", high)
            if not low / 2 < high / 2:
                raise ParameterError(f"the range of {name!r} must have low < high, got ({low}, {high})")
            checked[name] = (low, high)
        self._items = dict(sorted(checked.items()))

    def __getitem__(self, name: str) -> tuple[float, float]:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(tuple(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)


@dataclass(frozen=True)
class Domain:
    r"""Public bounds on one record.

    .. math:: ‖x‖_2 ≤ R, \quad |y| ≤ B

    A raw numeric column with a public range (low, high) is first mapped to [−1, 1] (a target to [−B, B]) and values
    outside are clipped. Then ``rows="clip"`` scales every row with ‖x‖ > R back to R, and ``rows="normalize"`` scales
    every non-zero row to R. None of these steps looks at another row, so they cost no privacy.

    Parameters
    ----------
    row_norm : float > 0
        R, ℓ2-norm, dimensionless after scaling.
    target_bound : float > 0
        B, in the units of the scaled target.
    rows : "clip" or "normalize"
    ranges : mapping of column name to (low, high), optional
        Public range of a column, known without looking at the data.
    from_data : bool, "keep" or "cap"
        Map columns without a public range by their observed minimum and maximum. This depends on the data and is
        marked as a leak in the report. Where a few cells far beyond all others would set a range, True refuses and
        names them, "keep" lets them set the range, and "cap" clips them to the range of the others.

    Raises
    ------
    ParameterError
        If a bound is not finite and positive, or a range is empty.
    """

    row_norm: float = 1.0
    target_bound: float = 1.0
    rows: str = "clip"
    ranges: Mapping[str, tuple[float, float]] | None = None
    from_data: bool | str = False

    def __post_init__(self) -> None:
        validation.set_checked(self, row_norm=validation.positive, target_bound=validation.positive)
        validation.choice("rows", self.rows, ROW_RULES)
        if self.ranges is not None:
            if not isinstance(self.ranges, Mapping):
                raise ParameterError(f"ranges must map column names to (low, high), got {self.ranges!r}")
            object.__setattr__(self, "ranges", Ranges(self.ranges))
        if not isinstance(self.from_data, bool) and self.from_data not in EXTREMES:
            raise ParameterError(f"from_data must be True, False, 'keep' or 'cap', got {self.from_data!r}")

    def range_of(self, name: str) -> tuple[float, float] | None:
        """Public (low, high) of a column, or None where none is known."""
        return None if self.ranges is None else self.ranges.get(name)
