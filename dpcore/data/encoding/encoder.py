"""Encode raw records by the rules of a data set: they get the same numbers as in it, and no other row is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dpcore.data.domain import Domain
from dpcore.data.encoding.matrix import Part, fill_matrix, missing_cells
from dpcore.data.encoding.target import Level, TargetCode, shown
from dpcore.data.names import all_quoted, quoted
from dpcore.errors import DataError


@dataclass(frozen=True, eq=False)
class Encoder:
    """Everything that decides the numbers of one record, fixed before the record is seen.

    parts : columns of X with the range, fill value and level of each (the intercept is not one of them);
    levels : the levels of every column of categories, and of the target if it is one; codes : the values of a numeric
    target that is used as classes; target_range : (low, high) of the target or None; positive : the level of the target
    that was asked to become B; counts : whether the target is kept as counts.
    """

    target: str
    parts: tuple[Part, ...]
    levels: Mapping[str, tuple[str, ...]]
    codes: tuple[float, ...] | None = None
    target_range: tuple[float, float] | None = None
    domain: Domain | None = None
    missing: str = "drop"
    intercept: bool = False
    positive: Level | None = None
    counts: bool = False

    @property
    def from_data(self) -> bool | str:
        """How ranges were read off the rows; see `Domain`."""
        return self.domain is not None and self.domain.from_data

    @classmethod
    def plain(cls, names: Sequence[str], target: str) -> Encoder:
        """The encoder of columns of numbers that stay as they are."""
        return cls(target, tuple(Part(name, np.empty(0), column=name) for name in names), {})

    @property
    def features(self) -> tuple[str, ...]:
        """Original columns, in the order of the columns of X that are made of them."""
        return tuple(dict.fromkeys(part.column for part in self.parts))

    @property
    def columns(self) -> dict[str, tuple[int, ...]]:
        """Original column → positions of the columns of X that are made of it."""
        found: dict[str, list[int]] = {}
        for position, part in enumerate(self.parts):
            found.setdefault(part.column, []).append(position)
        return {name: tuple(positions) for name, positions in found.items()}

    @property
    def goal(self) -> TargetCode:
        """How a cell of the target becomes y."""
        levels: tuple[Level, ...] = self.codes or self.levels.get(self.target, ())
        positive = levels[-1] if levels and self.positive is None else self.positive
        return TargetCode(self.target, levels, positive, self.counts, self.target_range)

    def encode(self, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """X (n_records, n_features) and y (n_records,) of records in original units; other columns are ignored.

        Raises
        ------
        DataError
            If a column is not there, a cell is missing and no rule fills it, a text is not among the levels of its
            column, or a cell of a column of numbers holds no number.
        """
        for name in (self.target, *self.features):
            if name not in frame.columns:
                raise DataError(f"The records have no column {quoted(name)}; give the target and every feature.")
        cells = {name: self._cells(name, frame[name]) for name in (self.target, *self.features)}
        y = self._target(cells[self.target])
        parts = [replace(part, values=cells[part.column]) for part in self.parts]
        X, _ = fill_matrix(parts, slice(None), len(y), self.domain, self.intercept, self.missing)
        if np.isnan(X).any():
            at = int(np.isnan(X).any(axis=0).argmax())
            raise _missing(self.parts[at].column, "no rule fills it")
        return X, y

    def _cells(self, name: str, series: pd.Series) -> np.ndarray:
        """Numbers (nan where missing), or positions among the levels (−1 where missing)."""
        levels = self.levels.get(name)
        values = cell_numbers(name, series) if levels is None else codes_of(name, series, levels)
        if (name == self.target or self.missing == "drop") and missing_cells(values, levels is not None).any():
            raise _missing(name, "such rows are left out")
        return values

    def _target(self, values: np.ndarray) -> np.ndarray:
        wrong = np.zeros(len(values), dtype=bool) if self.codes is None else ~np.isin(values, self.codes)
        if self.codes is not None and wrong.any():
            raise DataError(
                f"The target {quoted(self.target)} is {values[wrong.argmax()]:g}, but it takes only the values "
                f"{shown(self.codes)}; give one of them."
            )
        return self.goal.y(self.goal.values(values).astype(np.float64), self.domain)[0]


def cell_numbers(name: str, series: pd.Series) -> np.ndarray:
    """Cells as float64; missing and infinite cells are nan."""
    if series.dtype.kind in "if":
        values = series.to_numpy(dtype=np.float64)
    else:
        values = pd.to_numeric(series.astype(object), errors="coerce").to_numpy(dtype=np.float64)
        wrong = np.isnan(values) & series.notna().to_numpy()
        if wrong.any():
            value = series.iloc[int(wrong.argmax())]
            raise DataError(f"The value {quoted(value)} of column {quoted(name)} is no number; give a number.")
    return np.where(np.isinf(values), np.nan, values) if np.isinf(values).any() else values


def codes_of(name: str, series: pd.Series, levels: Sequence[str]) -> np.ndarray:
    """Positions of texts among the levels of a column, −1 where missing."""
    if isinstance(series.dtype, pd.CategoricalDtype) and tuple(series.cat.categories) == tuple(levels):
        return series.cat.codes.to_numpy()
    texts = series.astype(object).map(lambda cell: str(cell).strip(), na_action="ignore")
    codes = pd.Index(levels, dtype=object).get_indexer(texts)
    unknown = (codes < 0) & texts.notna().to_numpy()
    if unknown.any():
        text = texts.iloc[int(unknown.argmax())]
        raise DataError(f"Column {quoted(name)} has no level {quoted(text)}; its levels are {all_quoted(levels)}.")
    return codes


def _missing(name: str, rule: str) -> DataError:
    return DataError(f"The cell of column {quoted(name)} is missing, and {rule}; give a value.")
