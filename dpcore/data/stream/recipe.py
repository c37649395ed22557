"""How raw columns become X and y row by row, so that a table can be encoded batch by batch on any machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from dpcore import validation
from dpcore.data.domain import Domain
from dpcore.data.encoding.matrix import Counts, Part, column_parts, fill_matrix, kept_rows
from dpcore.data.encoding.target import TargetCode, TargetNumbers, target_code, with_bound
from dpcore.data.ingest.choose import Choice, choose_columns
from dpcore.data.ingest.encode import check_matrix_width, make_report, row_notes
from dpcore.data.ingest.kinds import Column
from dpcore.data.ingest.table import Table, infinite_note
from dpcore.data.ingest_report import IngestReport
from dpcore.data.names import unique_names, visible
from dpcore.data.stream.facts import LevelFacts, NumberFacts
from dpcore.errors import ParameterError
from dpcore.numerics import OfRows

_RULES = ("drop", "zero")


@dataclass(frozen=True)
class Recipe:
    """Everything needed to encode one batch of rows, fixed before the first batch is read.

    columns : kind of each column of the table; choice : target and features; parts : columns of X without their cells;
    names : names of the columns of X, in order; goal : how a cell of the target becomes y.
    """

    columns: tuple[Column, ...]
    choice: Choice
    parts: tuple[Part, ...]
    names: tuple[str, ...]
    goal: TargetCode
    domain: Domain | None
    missing: str
    intercept: bool

    @property
    def encoding(self) -> tuple[Any, ...]:
        """All that decides the numbers. Recipes with equal `encoding` encode every row in the same way."""
        levels = tuple(self.columns[position].levels for position in self.positions)
        return self.positions, self.names, self.goal, levels

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return len(self.names)

    @property
    def positions(self) -> tuple[int, ...]:
        """Positions in the table of the target and of the features, in this order."""
        by_name = {column.name: position for position, column in enumerate(self.columns)}
        return tuple(by_name[name] for name in (self.choice.target, *self.choice.features))


@dataclass(frozen=True)
class Block(OfRows):
    """Encoded rows: X (n_rows, n_features), y and the numbers of the rows in the file (n_rows,), from 1."""

    X: np.ndarray
    y: np.ndarray
    rows: np.ndarray


class Facts:
    """Facts from all rows about the columns that could be used; columns of other text are ignored."""

    def __init__(self, head: Table, wanted: Sequence[int]) -> None:
        self.head = head
        self.facts: dict[int, NumberFacts | LevelFacts] = {
            p: NumberFacts(head.decimal) if head.columns[p].is_number else LevelFacts() for p in wanted
        }
        self.count = 0
        self.twins = {p: head.names.index(c.same_as) for p, c in enumerate(head.columns) if p in wanted and c.same_as}
        self.apart: set[int] = set()

    def add(self, row: int, batch: dict[int, pa.Array]) -> dict[int, Any]:
        """Gather the facts of one batch; returns its cells as doubles, or encoded texts with the text of each code."""
        typed = {position: self.facts[position].add(row, array) for position, array in batch.items()}
        self.count += len(next(iter(batch.values())))
        self.apart |= {p for p, other in self.twins.items() if other in batch and not _same(p, other, typed, batch)}
        return typed

    def typed(self, row: int, batch: dict[int, pa.Array]) -> dict[int, Any]:
        """Typed cells of one batch without gathering facts, for use after all rows have been read."""
        return {position: self.facts[position].typed(row, array) for position, array in batch.items()}

    def merge(self, other: Facts) -> None:
        """Add what was gathered of the rows that follow."""
        for position, facts in other.facts.items():
            self.facts[position].merge(facts)  # type: ignore[arg-type]  # one column, so facts of one kind
        self.count += other.count
        self.apart |= other.apart

    def known(self, name: str) -> TargetNumbers | None:
        """The facts about a column of numbers as a target; None if the column holds no numbers."""
        facts = self.facts.get(self.head.names.index(name)) if name in self.head.names else None
        return None if facts is None else facts.known

    def columns(self) -> tuple[Column, ...]:
        """What each column is, from all rows read so far."""
        result = list(self.head.columns)
        for position, facts in self.facts.items():
            head = result[position]
            if position in self.apart:
                head = replace(head, kind="numeric", note="", same_as="")
            result[position] = facts.column(head, self.count)
        return tuple(result)


def candidates(head: Table, target: str, features: Sequence[str] | None) -> list[int]:
    """Positions of the columns of numbers or categories that could be used, or of those that were asked for by name."""
    wanted = None if features is None else {target, *([features] if isinstance(features, str) else features)}
    wanted = None if wanted is None else {visible(str(name)) for name in wanted}
    chosen = [c.name for c in head.columns if wanted is None or c.name in wanted]
    chosen += [c.same_as for c in head.columns if c.same_as and c.name in chosen]
    return [p for p, column in enumerate(head.columns) if column.name in chosen and (column.is_number or column.levels)]


def known_of_head(head: Table, name: str) -> TargetNumbers | None:
    """The facts about a column of numbers as a target, from the first rows."""
    if name not in head or not head.column(name).is_number or head.column(name).kind == "empty":
        return None
    return TargetNumbers.of(head.frame[name].to_numpy(dtype=np.float64))


@dataclass(frozen=True)
class Wanted:
    """What the user asks for, with fields as in `make_dataset`; `missing` can be "drop" or "zero" only."""

    target: str
    features: Sequence[str] | None = None
    domain: Domain | None = None
    missing: str = "drop"
    intercept: bool = False
    max_categories: int = 50
    positive: Any = None
    counts: bool = False

    def recipe(self, head: Table, columns: Sequence[Column], known: TargetNumbers | None) -> Recipe:
        """Choose columns as `make_dataset` does, from the facts known so far.

        Parameters
        ----------
        head : the first rows as a table
        columns : what each column is, from the rows read so far
        known : facts about the target, if it is numeric

        Raises
        ------
        DataError
            If the target or the features cannot be used.
        ParameterError
            If a rule needs all rows before the first row can be encoded.
        """
        if self.missing not in _RULES:
            raise ParameterError(
                f"missing must be one of {', '.join(map(repr, _RULES))} for a table read in pieces; got {self.missing!r}"
            )
        domain, named = self.domain, self.positive is not None
        if domain is not None and domain.from_data:
            raise ParameterError("from_data is not available for a table read in pieces: state public ranges instead")
        validation.integer("max_categories", self.max_categories, minimum=2)
        table = replace(head, columns=tuple(columns))  # columns are chosen without a look at the rows
        choice = choose_columns(table, self.target, self.features, domain, self.max_categories, any_levels=named)
        texts = table.levels(choice.target)
        goal = target_code(choice.target, texts, None if texts else known, self.positive, self.counts, domain)
        domain, none = with_bound(goal, domain), np.empty(0)
        parts = [part for name in choice.features for part in column_parts(name, table.levels(name), none, domain)]
        check_matrix_width(len(parts))
        names = unique_names([*(part.name for part in parts), *(["intercept"] if self.intercept else [])])[0]
        return Recipe(tuple(columns), choice, tuple(parts), names, goal, domain, self.missing, bool(self.intercept))


def encode(recipe: Recipe, row: int, typed: dict[int, Any], counts: Counts) -> Block:
    """Rows of one batch as numbers in the public domain; what was done to them is added to `counts`."""
    places = dict(zip((recipe.choice.target, *recipe.choice.features), recipe.positions, strict=True))
    cells = {name: _cells(typed[place], recipe.columns[place].levels) for name, place in places.items()}
    y = recipe.goal.values(cells[recipe.choice.target])
    parts = [replace(part, values=cells[part.column]) for part in recipe.parts]
    rows, numbers = kept_rows(parts, y, recipe.missing), row + 1 + np.arange(len(y))
    y, outside = recipe.goal.y(y[rows], recipe.domain)
    X, found = fill_matrix(parts, rows, len(y), recipe.domain, recipe.intercept, recipe.missing)
    found.of_rows(numbers, rows, y, outside)
    counts.merge(found)
    return Block(X, np.ascontiguousarray(y), numbers[rows])


def report(recipe: Recipe, counts: Counts, head: Table) -> IngestReport:
    """The report on all rows, in the same words as from `make_dataset`."""
    notes = [note for note in head.notes if "infinite value(s)" not in note.text]
    notes += [infinite_note(column) for column in recipe.columns if column.infinite]
    notes += recipe.choice.notes
    notes += row_notes(counts.kept, counts.rows_read, counts.dropped_rows, recipe.choice.target, recipe.missing)
    return make_report(
        notes, recipe.choice, recipe.goal, counts, recipe.names, recipe.domain, recipe.missing, recipe.intercept
    )


def _cells(typed: Any, levels: Sequence[str]) -> np.ndarray:
    """Numbers, or positions of the texts among the levels; −1 where a cell is missing or its text is no level."""
    if isinstance(typed, np.ndarray):
        return typed
    encoded, names = typed
    place: dict[str | None, int] = {level: position for position, level in enumerate(levels)}
    table = np.array([*(place.get(name, -1) for name in names), -1], dtype=np.int64)
    return table[encoded.indices.fill_null(len(names)).to_numpy()]


def _same(one: int, other: int, typed: dict[int, Any], batch: dict[int, pa.Array]) -> bool:
    if isinstance(typed[one], np.ndarray) and isinstance(typed[other], np.ndarray):
        return bool(np.array_equal(typed[one], typed[other], equal_nan=True))
    return bool(batch[one].equals(batch[other]))
