"""The part of the page above its tabs, with the search for a row to look at."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.data.names import grouped
from dpcore.individual import IndividualPrivacy
from dpcore.individual.all_rows.assumptions import ROWS_LISTED, listed_rows
from dpcore.individual.rows.find import HOW, find_rows
from dpcore.individual.rows.persons import PersonExposure, exposed_persons, is_quick, persons_of
from pages.components import cache, say
from pages.components.charts import Chart
from pages.components.glm_release import Released
from pages.components.say import md
from pages.components.words import number
from pages.your_data.per_instance import exact, tables, views
from pages.your_data.per_instance.views import ExposureView


def show(view: ExposureView) -> None:
    """If several rows belong to one person, show a sentence and the most exposed persons."""
    persons = cache.kept(persons_of, view.dataset)
    if not persons.groups:
        return
    say.warning(persons.sentence, icon=":material/group:")
    if not is_quick(persons) and not say.toggle("Compute ε per person", key="pi_persons"):
        return
    found, best = view.of_all(_exposed), view.best
    if found:
        alone = best.method.mark
        rows = []
        for one in found:
            largest = max(float(best.epsilon[view.dataset.position(label)]) for label in one.rows)
            rows.append((one.called, one.method.mark + number(one.beside(largest)), alone + number(largest)))
        columns = ["rows of one person", "ε per person", "ε of its most exposed row"]
        say.table(pd.DataFrame(rows, columns=columns), hide_index=True, key="pi_persons_table")
        say.caption(md("The persons whose rows have the largest sum of ε; by group privacy, proven."))


def _exposed(result: IndividualPrivacy) -> tuple[PersonExposure, ...]:
    return exposed_persons(result, persons_of(result.dataset))


_OFFERED = 100


def choose(view: ExposureView, selected: list[int]) -> int:
    """Show a search box and a list, explain the chosen row, and return its position."""
    data_key = view.dataset.sha256[:12]
    left, right = st.columns([2, 3], gap="small")
    with left:
        text = say.text_input(
            "Find a row", key=f"data_find_{data_key}", placeholder="row 100, an id, salary > 100000",
            help=f"By number, id or value: {HOW}.",
        )  # fmt: skip
    best = view.best
    rows, matches = [int(row) for row in best.most_exposed(_OFFERED)], list(selected)
    said = f"{grouped(len(selected))} selected." if selected else ""
    if text.strip():
        found = find_rows(view.dataset, text)
        said, matches = found.sentence, sorted(found.rows.tolist(), key=lambda row: -best.epsilon[row])
    rows = matches[:_OFFERED] or rows
    before = st.session_state.get(f"data_row_{data_key}")
    if not matches and before is not None and before not in rows:
        rows.append(before)
    with right:
        row = say.selectbox(
            "Row", rows, format_func=view.dataset.row_name, key=f"data_row_{data_key}",
            help="Most exposed first; all tabs follow it.",
        )  # fmt: skip
    if said and not matches:
        say.info(said)
    else:
        say.caption(said or "Drag a box or a lasso in the chart of leverage and residual to see those records.")
    with st.container(key="unforetold_row"):  # hidden while a slider is dragged, because no frame holds these words
        say.markdown(md("{}", best.explain(row, exact.said(view, row)) + tables.exposing_cell(view, row)))
        if len(matches) > 1:
            shown = matches[: tables.SELECTED_SHOWN]
            tables.show(view, tables.record_table(view, shown), key="pi_selected")
    return row


@dataclass
class Screen:
    """The exposure and, once drawn, charts, the chosen row, the selected rows, and the place of the progress bar."""

    view: ExposureView
    charts: list[Chart] = field(default_factory=list)
    selected: list[int] = field(default_factory=list)
    row: int = 0
    work: Any = None


def begun(asked: Released) -> Screen:
    """The exposure of every row, before anything is drawn."""
    return Screen(views.compute(asked.dataset, asked.mechanism, asked.delta))


def draw(on: Screen) -> list[Chart]:
    """Draw a sentence on what is seen, and both charts."""
    say.caption(views.asked(on.view))
    on.charts, on.selected = views.charts(on.view)
    return on.charts


def look(on: Screen) -> None:
    """Show the error of the expansion, the chosen row, the rows left out, and persons with several rows."""
    if on.view.result.is_expansion:
        with st.container(key="unforetold_measured"):
            exact.measured_rows(on.view)
    on.work = st.empty()
    on.row = choose(on.view, on.selected)
    found = on.view.assumed
    count = found.read - found.used
    if count > ROWS_LISTED:
        with say.expander(f"{grouped(count)} rows left out"):
            dropped = found.report.dropped_rows
            say.caption(listed_rows(dropped, count, len(dropped)))
    show(on.view)
