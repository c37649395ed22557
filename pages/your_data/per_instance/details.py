"""The per-instance page's tabs: what to notice, a what-if record, the ingest report, the code."""

import shlex
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dpcore.data import Dataset
from dpcore.data.program import loading
from dpcore.errors import DPError
from dpcore.interfaces.options import report_arguments
from pages.components import cards, say
from pages.components.say import md
from pages.components.words import number, programs
from pages.your_data.per_instance import exact, tables, views

_sentence, _program = say.sentences(__file__), programs(__file__)


def what_if(view: views.ExposureView, row: int) -> None:
    """Ask for a record in the units of the file, and show its exposure when it is added to the data."""
    data = view.dataset
    say.markdown(_sentence("record_not_in_data", data.row_name(row)))
    start = data.original([row])
    levels = {name: data.encoder.levels.get(name) for name in start.columns}
    edited = say.editor(
        start.astype({name: object for name in start.columns if levels[name]}), choices=[levels[name] for name in start.columns],
        hide_index=True, key=f"data_what_if_{data.sha256[:12]}_{row}",
    )  # fmt: skip
    try:
        X, y = data.encode(edited.set_axis(start.columns, axis=1))
        answer = view.result.what_if(X[0], float(y[0]))
    except DPError as error:
        say.error(str(error), icon=":material/error:")
        return
    residual = view.result.leverage.residual_name
    cards.metric_row(
        [
            cards.Metric("ε of this record", view.shown(float(answer.epsilon))),
            cards.Metric("Leverage μ (out of sample)", number(float(answer.leverage))),
            cards.Metric(f"{residual[:1].upper()}{residual[1:]} r", number(float(answer.residual))),
        ]
    )
    if found := exact.records(view, lambda: (X, y), None, key="pi_what_if_exact"):
        say.markdown(f"Without the expansion: ε = {exact.shown(exact.pair(found))}.")
    if answer.note:
        say.caption(answer.note)


def worst_record(view: views.ExposureView) -> None:
    """Show the record of the public domain that would be most exposed in these data, component by component."""
    value, reason = view.for_all
    if value is None:
        say.caption(f"pDP for all: {reason}")
        return
    found = view.result.for_all
    say.markdown(_sentence("pdp_for_all", view.equals, found, view.result.leverage.residual_name))
    names = [f"{name} (scaled)" for name in (view.dataset.target, *view.dataset.names)]
    record = pd.DataFrame([[found.y, *found.x]], columns=tables.unique(names))
    say.table(record, hide_index=True, key="pi_worst_record")
    if view.result.is_expansion and found.exact is not None:
        say.markdown(f"Confirmed without the expansion: ε = {exact.shown(exact.pair(found.exact))}.")
    elif view.kept["unconfirmed"]:
        say.info(f"There is no exact value of this record: {view.kept['unconfirmed']}")
    say.caption(_sentence("searched", view.result.leverage.residual_name, view.equals, found.upper))


def ingest_report(dataset: Dataset) -> None:
    """Show what was done to the file while it was read."""
    for note in dataset.report.notes:
        {"info": say.info, "warning": say.warning, "leak": say.warning}[note.level](note.text)
    columns = [{"column": c.name, "kind": c.kind, "used": c.used, "why": c.reason} for c in dataset.report.columns]
    say.table(pd.DataFrame(columns), hide_index=True)
    say.caption(f"SHA-256 of the data set: {dataset.sha256}")


def program(view: views.ExposureView) -> str:
    """The lines of dpcore that make these numbers; lines without an answer are left out."""
    beyond = {"result.for_all": view.for_all, "result.worst_case_epsilon": view.worst_case}
    known = [name for name, (value, _) in beyond.items() if value is not None]
    exactly = "result, refused = dp.best_known(result)  # all rows without the expansion, or the most exposed\n"
    return _program(
        "rows", data=loading(view.dataset), view=view, exactly=exactly if view.result.is_expansion else "",
        known=", ".join(["result.frame()", *known]),
    )  # fmt: skip


def command(view: views.ExposureView) -> str:
    """The command line that gives the same numbers, with one option on each line."""
    return in_lines(report_arguments(view.dataset, view.result.mechanism, view.delta))


def in_lines(arguments: Sequence[str]) -> str:
    """A command of `python -m`, with one option on each line."""
    words = [shlex.quote(word) for word in arguments]
    return " \\\n    ".join([f"python -m {' '.join(words[:3])}", *words[3:]])


def code(view: views.ExposureView) -> None:
    """Show the Python code and the command line, which read the file in the same way and give the same numbers."""
    try:
        st.code(program(view))
        st.code(command(view), "bash")
    except DPError as error:
        say.caption(str(error))
        return
    say.caption(_sentence("both_read"))


def observations(view: views.ExposureView) -> list[str]:
    """Sentences computed from what is on the screen."""
    result = view.best
    median, high = (float(value) for value in result.quantiles([0.5, 0.95]))
    said = [
        _sentence("half_rows_have_below", result.method, median, high, float(result.moments(1))),
        _sentence("two_things_expose_row", result.leverage.residual_name),
    ]
    value, _ = view.worst_case
    if value is not None and median > 0:
        said.append(_sentence("worst_case_median", value / median))
    if caveat := result.caveat:
        said.append(md("**Exploration only.** {}", caveat))
    return said
