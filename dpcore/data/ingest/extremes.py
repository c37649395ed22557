"""Values so far beyond all others of a column that they alone would set a range read off the file."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.data.domain import CAP, KEEP
from dpcore.data.ingest.origin import cell_text
from dpcore.data.names import grouped, quoted, visible
from dpcore.errors import DataError

# At each end of a column at most one value in _ONE_IN, but always one, may be extreme. Doubled, only half as many
# values may be.
_ONE_IN = 100
# Other values that are needed besides the possible extremes. Doubled, a file of a dozen rows never has extreme values.
_FEWEST = 8
# A gap of more than so many ranges of the other values always makes a value extreme, however long the tail is. Doubled,
# the others may fill half as small a part of the range.
_SQUEEZED = 20.0
# A gap of more than so many spreads of the other values makes a value extreme; gap and spread are measured on a log
# scale from the median. Doubled, the gap must be squared to be noticed.
_FAR = 1.0
_LISTED = 3


@dataclass(frozen=True)
class Extremes:
    """The cells of one column that are far beyond the others: positions and values, and (low, high) of the others."""

    column: str
    positions: tuple[int, ...]
    values: tuple[float, ...]
    others: tuple[float, float]


class ExtremeValues(DataError):
    """A range read off the data would be set by one or a few cells far beyond all others."""


def extremes_of(column: str, values: np.ndarray) -> Extremes | None:
    r"""The cells far beyond the others, at most one in a hundred at each end; None if there are none.

    .. math:: t(x) = ± \log(1 + |x − m| / s), \quad t(x_{(k)}) − t(x_{(k−1)}) > t(x_{(k−1)}) − \min t

    with the median m, and the mean distance s of the others from m. Values of a long tail are not extreme, since they
    are evenly spaced on a log scale.

    Parameters
    ----------
    column : its name
    values : array, shape (n_samples,); nan where a cell is missing
    """
    present = values[~np.isnan(values)].astype(np.float64)
    low, high = -_largest(-present), _largest(present)
    if low == -np.inf and high == np.inf:
        return None
    (beyond,) = np.nonzero((values < low) | (values > high))
    others = present[(present >= low) & (present <= high)]
    cells = tuple(values[beyond[:_LISTED]].tolist())
    return Extremes(column, tuple(beyond.tolist()), cells, (float(others.min()), float(others.max())))


def _largest(values: np.ndarray) -> float:
    """The largest value that is not far beyond the others; ∞ if no value is far beyond the others."""
    n = len(values)
    few = max(1, n // _ONE_IN)
    if n < 2 * few + _FEWEST:
        return np.inf
    values = np.partition(values, (few, n // 2, n - few))
    middle, top, centre = values[few : n - few], np.sort(values[n - few :]), values[n // 2]
    low, high = middle.min(), middle.max()
    if not ((middle > low) & (middle < high)).any():
        return np.inf  # if the others take one or two values only, a wide range does not make them look more alike
    with np.errstate(all="ignore"):
        apart = np.abs(middle - centre).sum() + np.append(0.0, np.cumsum(np.abs(top[:-1] - centre)))
        scale = apart / (middle.size + np.arange(few))
        below = np.append(high, top[:-1])
        first, last, out = (_log(ends, centre, scale) for ends in (low, below, top))
        far = np.flatnonzero((out - last > _FAR * (last - first)) | (top / _SQUEEZED - below / _SQUEEZED > below - low))
    return float(below[far[0]]) if far.size else np.inf


def _log(values: np.ndarray, centre: float, scale: np.ndarray) -> np.ndarray:
    return np.sign(values - centre) * np.log1p(np.abs(values - centre) / scale)


def observed_range(column: str, values: np.ndarray, rule: bool | str, found: list[Extremes]) -> tuple[float, float]:
    """Smallest and largest value of a column; with the rule "cap", of the cells that are not far beyond the others.

    Parameters
    ----------
    column, values : as in `extremes_of`
    rule : `Domain.from_data`
    found : list to which the cells far beyond the others are added
    """
    beyond = extremes_of(column, values)
    if beyond is not None:
        found.append(beyond)
        if rule == CAP:
            return beyond.others
    return float(np.fmin.reduce(values)), float(np.fmax.reduce(values))


def settled(found: Sequence[Extremes], rule: bool | str, numbers: np.ndarray) -> str:
    """What was done with cells far beyond all others, as a sentence; "" if there are none.

    Parameters
    ----------
    found : of all columns whose range is read off the file
    rule : `Domain.from_data`
    numbers : array, shape (n_samples,), numbers of the rows in the file

    Raises
    ------
    ExtremeValues
        If the rule says nothing about such cells. The text names column, row and cell, and the rules to choose from.
    """
    if not found:
        return ""
    shown = "; ".join(_described(one, numbers) for one in found[:_LISTED])
    shown += f"; and {len(found) - _LISTED} more columns" if len(found) > _LISTED else ""
    if rule == CAP:
        return f"Cells far beyond all others are cut off at the range of the others: {shown}."
    if rule == KEEP:
        return f"Cells far beyond all others set the range of their column, in which the others lie close together: {shown}."
    name = visible(found[0].column[:160])[:40]
    raise ExtremeValues(
        f"Nothing is computed yet: cells far beyond all others would set a range read off the file, and all other rows "
        f"would look alike: {shown}. State the range of the column in the units of the file (--range {name}=LOW:HIGH); or "
        "say that such cells are to be cut off at the range of the others (--extremes cap, from_data='cap'), or that they are "
        "right (--extremes keep, from_data='keep')."
    )


def _described(found: Extremes, numbers: np.ndarray) -> str:
    cells = [
        f"{cell_text(value)} in row {numbers[place]}"
        for place, value in zip(found.positions, found.values, strict=False)
    ]
    more = len(found.positions) - len(cells)
    listed = ", ".join(cells) + (f" and {grouped(more)} more" if more else "")
    low, high = (cell_text(end) for end in found.others)
    return f"{quoted(found.column)} is {listed}, where all others lie between {low} and {high}"
