"""What the public domain leaves of the target and of the columns, and the refusal where it leaves next to nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dpcore.data.domain import Domain
from dpcore.data.names import all_quoted, grouped, quoted, visible
from dpcore.errors import DataError

MOST_OUTSIDE = 0.95  # share of the values of a column that may be clipped
LEAST_SPREAD = 1e-6  # of its bound, that the values of a column must cover after scaling
MOST_LONG = 0.9  # share of the rows that may be longer than ranges could ever make them
_ROUND_OFF = 1.0001
_WORST = 3  # columns that are named as the cause; doubled, the list hides which it is


@dataclass
class Remains:
    """Of one column: values, how many of them lay outside its range, and the smallest and largest after scaling."""

    count: int = 0
    outside: int = 0
    low: float = np.inf
    high: float = -np.inf

    def add(self, scaled: np.ndarray, outside: int) -> None:
        """Count values that have been brought into the range."""
        present = scaled[~np.isnan(scaled)]
        if present.size:
            self.low, self.high = min(self.low, float(present.min())), max(self.high, float(present.max()))
        self.count += present.size
        self.outside += outside

    def merge(self, other: Remains) -> None:
        """Count the values of the rows that follow."""
        self.count += other.count
        self.outside += other.outside
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)

    @property
    def is_clipped(self) -> bool:
        """Whether next to nothing lay inside the range."""
        return self.outside > MOST_OUTSIDE * self.count

    def is_flat(self, bound: float = 1.0) -> bool:
        """Whether the values that were counted can hardly be told apart."""
        return self.count > 0 and self.high - self.low < LEAST_SPREAD * bound


@dataclass
class Scaling:
    """What was done to the rows so far: to the target, to each column with a range, and to the norms.

    long : rows longer than max(R, √d) before they are shortened; d columns in [−1, 1] cannot make a row longer than √d.
    weight : of every column without a range, the sum of its shares of ‖x‖² over long rows, where most rows are long.
    """

    target: Remains = field(default_factory=Remains)
    columns: dict[int, Remains] = field(default_factory=dict)
    weight: dict[int, float] = field(default_factory=dict)
    rows: int = 0
    long: int = 0

    def add_column(self, position: int, scaled: np.ndarray, outside: int) -> None:
        """Count the values of a column with a range."""
        self.columns.setdefault(position, Remains()).add(scaled, outside)

    def add_rows(self, block: np.ndarray, norms: np.ndarray, open_ended: Sequence[int], radius: float) -> None:
        """Count rows of these norms, before they are shortened; `open_ended` are columns of numbers without a range."""
        self.rows += len(block)
        if not open_ended:
            return
        long = norms > _ROUND_OFF * max(radius, np.sqrt(block.shape[1]))
        count = int(np.count_nonzero(long))
        self.long += count
        if count <= MOST_LONG * len(block):
            return
        for position in open_ended:
            share = float(np.square(block[long, position] / np.minimum(norms[long], np.finfo(float).max)).sum())
            self.weight[position] = self.weight.get(position, 0.0) + share

    def merge(self, other: Scaling) -> None:
        """Count the rows that follow."""
        self.target.merge(other.target)
        for position, remains in other.columns.items():
            self.columns.setdefault(position, Remains()).merge(remains)
        for position, weight in other.weight.items():
            self.weight[position] = self.weight.get(position, 0.0) + weight
        self.rows, self.long = self.rows + other.rows, self.long + other.long

    def check(self, target: str, names: Sequence[str], domain: Domain | None) -> None:
        """Refuse rows of which the domain leaves next to nothing; `names` are those of the columns.

        Raises
        ------
        DataError
            If more than 95 % of the values of the target or of a column are clipped, the values left cover less than
            a millionth of the bound, or columns without a range decide alone where more than 90 % of the rows point.
        """
        self._check_target(target, domain)
        if domain is None:
            return
        clipped = [names[place] for place, remains in self.columns.items() if remains.is_clipped]
        if clipped:
            worst = max(self.columns.values(), key=lambda remains: remains.outside / max(remains.count, 1))
            raise DataError(
                f"{_cells(worst)} of {all_quoted(clipped)} lie outside the stated range, so that next to nothing is left of "
                f"the column. State a range in the units of the file ({_stated(clipped[0])}), or leave the column out."
            )
        flat = [names[place] for place, remains in self.columns.items() if remains.is_flat()]
        if flat:
            raise DataError(
                f"The values of {all_quoted(flat)} are all the same when measured against the stated range. State a range that "
                f"fits them, in the units of the file ({_stated(flat[0])}), or leave the column out."
            )
        if self.long > MOST_LONG * self.rows:
            heaviest = sorted(self.weight, key=lambda place: -self.weight[place])[:_WORST]
            worst_names = [names[place] for place in heaviest if self.weight[place] > 0]
            raise DataError(
                f"{grouped(self.long)} of {grouped(self.rows)} rows are longer than any stated ranges could make them: columns without a "
                f"range, {all_quoted(worst_names)} most of all, drown the others when rows are scaled. State their ranges in "
                f"the units of the file ({_stated(worst_names[0])}, and so on), or read them off the file "
                "(from_data=True, --ranges-from-data), which no guarantee covers."
            )

    def _check_target(self, target: str, domain: Domain | None) -> None:
        if domain is not None and self.target.is_clipped:
            ranged = domain.range_of(target) is not None
            where = "its stated range" if ranged else f"the bound |y| ≤ {domain.target_bound:g}"
            raise DataError(
                f"{_cells(self.target)} of the target {quoted(target)} lie outside {where}, so that next to nothing is "
                f"left to predict. State the range of the target in the units of the file ({_stated(target)})"
                + ("." if ranged else ", or a larger bound (target_bound, --target-bound).")
            )
        if self.target.is_flat(0.0 if domain is None else domain.target_bound) or self.target.low == self.target.high:
            raise DataError(
                f"The target {quoted(target)} is the same in all {grouped(self.target.count)} rows that are used, measured "
                f"against its range or bound, so there is nothing to predict. Choose another target, state a range that "
                f"fits it ({_stated(target)}), or keep rows with missing cells."
            )


def _cells(remains: Remains) -> str:
    return f"{grouped(remains.outside)} of {grouped(remains.count)} values"


def _stated(name: str) -> str:
    return f"Domain(ranges={{{quoted(name)}: (low, high)}}), --range {visible(name[:160])[:40]}=LOW:HIGH"
