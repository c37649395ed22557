"""The row one looks at: found by number, id or value, selected in the chart, or the most exposed."""

import streamlit as st

from dpcore.data.names import grouped
from dpcore.individual.rows.find import HOW, find_rows
from pages.components import say
from pages.components.say import md
from pages.your_data.per_instance import exact, tables
from pages.your_data.per_instance.views import ExposureView

_OFFERED = 100


def choose(view: ExposureView, selected: list[int]) -> int:
    """A search box and a list; explains the row and returns its position."""
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
    with st.container(key="unforetold_row"):  # hidden while a slider is held, as no frame tells it
        say.markdown(md("{}", best.explain(row, exact.said(view, row)) + tables.exposing_cell(view, row)))
        if len(matches) > 1:
            shown = matches[: tables.SELECTED_SHOWN]
            tables.show(view, tables.record_table(view, shown), key="pi_selected")
    return row
