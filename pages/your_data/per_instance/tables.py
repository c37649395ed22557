"""Tables of rows: what exposes them, in the units of the file and, if asked for, also in scaled units."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.data import Dataset
from dpcore.data.names import grouped, unique_names
from dpcore.errors import DPError
from dpcore.individual import individual_privacy
from dpcore.individual.rows.cells import Cell, CellPair, exposing_cells, main_cells, main_pair
from pages.components import cache, say
from pages.your_data.per_instance import exact, large_data
from pages.your_data.per_instance.views import ExposureView

_sentence = say.sentences(__file__)
ROWS_SHOWN = 25
SELECTED_SHOWN = 200

# Most rows of a data set whose cells are compared while sliders move. Doubled, each move may take twice as long.
CELLS_UP_TO = 50_000
_EXPOSURE = ("in_sample", "out_of_sample", "residual", "loo_residual", "reason")
_FORMATS = {"epsilon": "%.4g", "share": "%.0f %%"}


def record_table(view: ExposureView, rows: Sequence[int], *, scaled: bool = False) -> pd.DataFrame:
    """A table of the given rows: their exposure, the cell that exposes each, and their contents."""
    rows, data = list(rows), view.dataset
    found = view.best.frame(rows)
    table = found[["row"]].copy()
    large_data.insert_ids(table, data, rows)
    table["epsilon"] = found["epsilon"]
    if done := exact.known(view) if view.result.is_expansion else {}:
        table["epsilon"] = [" ".join(view.known_of(row)).removeprefix("= ") for row in rows]
        if any(found.weighted for found in done.values()):
            table["effective sample"] = [exact.share(done[row]) if row in done else "" for row in rows]
    if data.n_samples <= CELLS_UP_TO and not exact.is_to_come(view):
        exposing = view.of_all(main_cells, tuple(rows))
        table["exposed by"] = [cell.column if cell.share > 0 else "" for cell in exposing]
        table["share"] = [100 * max(cell.share, 0.0) for cell in exposing]
    named = found["reason"].replace("residual", view.result.leverage.residual_name)
    parts = [table, data.original(rows).set_axis(_original(data), axis=1), found[list(_EXPOSURE)].assign(reason=named)]
    if scaled:
        parts.append(scaled_records(data, rows))
    joined = pd.concat(parts, axis=1)
    return joined.set_axis(unique(list(joined.columns)), axis=1)


def scaled_records(data: Dataset, rows: Sequence[int]) -> pd.DataFrame:
    """Target and features of some rows in the units of the public domain."""
    table = pd.DataFrame(data.X[rows])
    table.insert(0, "target", data.y[rows])
    return table.set_axis(unique([f"{name} (scaled)" for name in (data.target, *data.names)]), axis=1)


def show(view: ExposureView, table: pd.DataFrame, **options: Any) -> None:
    """Show a table of records."""
    labels = {name: label for name, label in large_data.labels(view.result).items() if name in table}
    mixed = table["epsilon"].dtype == object  # then each value is text with its own sign (=, ≈ or ≤)
    formats = {name: form for name, form in _FORMATS.items() if name in table and not (mixed and name == "epsilon")}
    labels |= {"epsilon": "ε"} if mixed else {}
    say.table(table, hide_index=True, formats=formats, labels=labels | {"reason": "stands out by"}, **options)


def unique(labels: list[str]) -> list[str]:
    return list(unique_names(labels)[0])


def _original(data: Dataset) -> list[str]:
    target, *features = data.original(slice(0, 0)).columns
    return [f"{target} (target)", *features]


def row_cells(view: ExposureView, row: int) -> tuple[Cell, ...]:
    """The cells of one row, the one that exposes it most first."""
    return view.of_all(exposing_cells, row)


def exposed_table(view: ExposureView) -> None:
    """Show the most exposed rows and why they are exposed; if asked for, with the source's bound beside the value."""
    rows = [int(row) for row in view.best.most_exposed(ROWS_SHOWN)]
    left, right = st.columns(2)
    with left:
        scaled = say.toggle(
            "Show the scaled units too", key="pi_scaled", help="As they enter the fit, in the public domain."
        )
    table = record_table(view, rows, scaled=scaled)
    with right:
        bound = not view.result.is_expansion and say.toggle(
            "Show the source's bound beside the exact ε", key="pi_bound", help=_sentence("published_bound")
        )
    if bound:
        _add_bound(view, table, rows)
    show(view, table, height=360, key="pi_exposed")
    said = f"The {len(rows)} most exposed of {grouped(view.dataset.n_samples)} rows, in units of the file."
    say.caption(said + _sentence("exposed_by") if "share" in table else said)
    large_data.all_rows(view.best)


def _add_bound(view: ExposureView, table: pd.DataFrame, rows: list[int]) -> None:
    try:
        bound = cache.in_session(individual_privacy, view.dataset, view.result.mechanism, view.delta, "bound")
    except DPError as error:
        say.info(str(error))
        return
    at = table.columns.get_loc("epsilon") + 1
    table.insert(at, "bound", bound.epsilon[rows])
    table.insert(at + 1, "bound ÷ exact", bound.epsilon[rows] / view.result.epsilon[rows])


def exposing_cell(view: ExposureView, row: int) -> str:
    """A sentence on the cell or pair of cells that exposes a row; empty if none stands out or the data are large."""
    if view.dataset.n_samples > CELLS_UP_TO or exact.is_to_come(view):
        return ""
    first = row_cells(view, row)[0]
    pair: CellPair | None = view.of_all(main_pair, row)
    if pair is not None:
        named = " and its ".join(f"{_called(cell)} of {cell.value} (typical: {cell.typical})" for cell in pair.cells)
        alone = f"most {_called(first)}, for {100 * first.share:.0f} %" if first.share > 0 else "none at all"
        return _sentence("pair_exposes", alone, named, 100 * pair.share, view.shown(pair.epsilon))
    if first.share <= 0:
        return ""
    cell = _called(first), first.value, first.typical, 100 * first.share
    return _sentence("cell_exposes", *cell, view.shown(first.epsilon))


def _called(cell: Cell) -> str:
    return f"target {cell.column}" if cell.is_target else cell.column
