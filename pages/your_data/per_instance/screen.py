"""What stands on the page above its tabs, and what is looked at in it."""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from dpcore.data.names import grouped
from dpcore.individual.all_rows.assumptions import ROWS_LISTED, listed_rows
from pages.components import say
from pages.components.charts import Chart
from pages.components.glm_release import Released
from pages.your_data.per_instance import exact, find, persons, views
from pages.your_data.per_instance.views import ExposureView


@dataclass
class Screen:
    """What is shown; and once that is drawn the charts, the row looked at, those selected, and where work is shown."""

    view: ExposureView
    charts: list[Chart] = field(default_factory=list)
    selected: list[int] = field(default_factory=list)
    row: int = 0
    work: Any = None


def begun(asked: Released) -> Screen:
    """The exposure of every row, nothing of it drawn."""
    return Screen(views.compute(asked.dataset, asked.mechanism, asked.delta))


def draw(on: Screen) -> list[Chart]:
    """What is seen, in one sentence; both charts."""
    say.caption(views.asked(on.view))
    on.charts, on.selected = views.charts(on.view)
    return on.charts


def look(on: Screen) -> None:
    """How far the expansion is off, the row looked at, rows left out, persons."""
    if on.view.result.is_expansion:
        with st.container(key="unforetold_measured"):
            exact.measured_rows(on.view)
    on.work = st.empty()
    on.row = find.choose(on.view, on.selected)
    found = on.view.assumed
    count = found.read - found.used
    if count > ROWS_LISTED:
        with say.expander(f"{grouped(count)} rows left out"):
            say.caption(listed_rows(found.dropped, count, len(found.dropped)))
    persons.show(on.view)
