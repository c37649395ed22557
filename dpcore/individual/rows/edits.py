"""Changes of a table that make one row less conspicuous: cap, round or leave out a column, merge rare levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from dpcore.data.dataset import Dataset
from dpcore.data.ingest.extremes import observed_range
from dpcore.data.names import grouped, quoted
from dpcore.individual.rows.cells import Cell

# Caps are tried beyond which a share of the other rows lies: half, a quarter and so on, this many times. With twice as
# many, the mildest ones cut no row.
_CAPS = 10
# Largest number of groups to which values are rounded; it is halved three times. Doubled, the mildest change is milder.
_MOST_LEVELS = 24


@dataclass(frozen=True)
class Edit:
    """One change: `text` says it in words, `apply` makes the changed data set, `note` adds what `text` leaves out.

    column : the column that is changed
    change : function from its cells to the changed ones; None if the column is left out
    """

    text: str
    apply: Callable[[], Changed]
    note: str = ""
    column: str = ""
    change: Callable[[pd.Series], pd.Series] | None = None


@dataclass(frozen=True)
class Changed:
    """A changed data set, and the range of its target if that was read off its rows."""

    dataset: Dataset
    target_range: tuple[float, float] | None = None


def edits(dataset: Dataset, frame: pd.DataFrame, index: int, cell: Cell) -> Iterator[tuple[Edit, ...]]:
    """Changes of the column of one cell of a row; each family runs from the mildest to the strictest."""
    name, column = cell.column, frame[cell.column]
    if pd.isna(column.iloc[index]):
        return
    if column.dtype.kind in "if":
        if dataset.encoder.codes is None or not cell.is_target:
            yield tuple(_caps(dataset, frame, index, cell))
            yield tuple(_rounded(dataset, frame, index, cell))
    elif not cell.is_target:
        yield tuple(_merged(dataset, frame, index, cell))
    if not cell.is_target and len(dataset.encoder.features) > 1:
        yield (Edit(f"leave out column {quoted(name)}", lambda: _without(dataset, frame, name), column=name),)


def _edit(
    text: str,
    dataset: Dataset,
    frame: pd.DataFrame,
    name: str,
    change: Callable[[pd.Series], pd.Series],
    note: str = "",
) -> Edit:
    """The edit that changes the cells of one column."""
    return Edit(text, lambda: _changed(dataset, frame, name, change(frame[name])), note, name, change)


def _changed(dataset: Dataset, frame: pd.DataFrame, name: str, values: pd.Series) -> Changed:
    """The rows with other values in one column; its range is read off them again if it was read off the rows before."""
    encoder, ends = dataset.encoder, None
    if name in dataset.report.ranges_from_file:
        ends = observed_range(name, values.to_numpy(dtype=np.float64), encoder.from_data, [])
        if name == encoder.target:
            encoder = replace(encoder, target_range=ends)
        else:
            parts = (replace(part, range=ends) if part.column == name else part for part in encoder.parts)
            encoder = replace(encoder, parts=tuple(parts))
    X, y = encoder.encode(frame.assign(**{name: values}))
    return Changed(Dataset.from_arrays(X, y, dataset.names), ends if name == encoder.target else None)


def _without(dataset: Dataset, frame: pd.DataFrame, name: str) -> Changed:
    encoder = dataset.encoder
    fewer = replace(encoder, parts=tuple(part for part in encoder.parts if part.column != name))
    return Changed(Dataset.from_arrays(*fewer.encode(frame)))


def _others(column: pd.Series, index: int) -> np.ndarray:
    values = np.delete(column.to_numpy(dtype=np.float64), index)
    return values[~np.isnan(values)]


def _called(cell: Cell) -> str:
    return f"the target {quoted(cell.column)}" if cell.is_target else quoted(cell.column)


def _caps(dataset: Dataset, frame: pd.DataFrame, index: int, cell: Cell) -> Iterator[Edit]:
    """Caps at round values between the median of the other rows and the value of the row."""
    column = frame[cell.column].astype(float)
    own, others = float(column.iloc[index]), _others(column, index)
    middle, beyond = float(np.median(others)), 0.5 ** np.arange(_CAPS, 0, -1)
    caps = np.quantile(others, 1 - beyond if own > middle else beyond).tolist()
    for cap in dict.fromkeys(map(round_value, caps)):
        if middle <= cap < own:
            words, ends = f"cap {_called(cell)} at {grouped(cap)}", {"upper": cap}
        elif own < cap <= middle:
            words, ends = f"raise {_called(cell)} to at least {grouped(cap)}", {"lower": cap}
        else:
            continue
        yield _edit(words, dataset, frame, cell.column, partial(_clipped, **ends))


def _clipped(column: pd.Series, **ends: float) -> pd.Series:
    return column.astype(float).clip(**ends)


def round_value(value: float) -> float:
    """The value to two significant digits."""
    return float(f"{value:.1e}")


def _rounded(dataset: Dataset, frame: pd.DataFrame, index: int, cell: Cell) -> Iterator[Edit]:
    """Every value is replaced by the median of its quantile group; groups are those of the other rows.

    Edges and medians have two digits.
    """
    column = frame[cell.column]
    others = _others(column, index)
    for levels in (_MOST_LEVELS // 2**halvings for halvings in range(4)):
        if np.unique(others).size <= levels:
            continue
        quantiles = np.quantile(others, np.linspace(0, 1, levels + 1))[1:-1]
        edges = np.unique([round_value(float(edge)) for edge in quantiles])
        held = np.unique(np.searchsorted(edges, others, side="right"))
        edges = edges[held[1:] - 1]
        if not len(edges):
            continue
        known = np.searchsorted(edges, others, side="right")
        middles = np.array([round_value(float(np.median(others[known == k]))) for k in range(len(edges) + 1)])
        below = "; ".join(
            f"below {grouped(edge)}: {grouped(middle)}" for edge, middle in zip(edges, middles, strict=False)
        )
        yield _edit(
            f"round {_called(cell)} to {len(edges) + 1} levels", dataset, frame, cell.column,
            partial(_coarse, edges=edges, middles=middles), f"{below}; from there on: {grouped(middles[-1])}",
        )  # fmt: skip


def _coarse(column: pd.Series, edges: np.ndarray, middles: np.ndarray) -> pd.Series:
    values = column.to_numpy(dtype=np.float64)
    place = np.searchsorted(edges, values, side="right").clip(max=len(edges))
    return pd.Series(np.where(np.isnan(values), np.nan, middles[place]), index=column.index)


def _merged(dataset: Dataset, frame: pd.DataFrame, index: int, cell: Cell) -> Iterator[Edit]:
    """The level of the row is merged with all rarer ones; if it is the rarest, with the next."""
    column = frame[cell.column]
    counts = column.value_counts()
    counts = counts[counts > 0].sort_values(kind="stable")
    own = column.iloc[index]
    last = max(2, int(np.flatnonzero(counts.index == own)[0]) + 1)
    for size in range(last, min(last + 3, len(counts))):
        group = list(counts.index[:size])
        names = ", ".join(quoted(level) for level in group if level != own)
        text = f"merge {quoted(own)} of {quoted(cell.column)} with {names}" if size < 5 else (
            f"merge the {size} rarest levels of {quoted(cell.column)}"
        )  # fmt: skip
        yield _edit(text, dataset, frame, cell.column, partial(_one_level, group=group, level=own))


def _one_level(column: pd.Series, group: list[str], level: str) -> pd.Series:
    return column.astype(object).where(~column.isin(group), level)
