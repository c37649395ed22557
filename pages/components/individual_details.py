"""The per-instance page's tabs: a what-if record, the ingest report, the code."""

import pandas as pd

from dpcore.data import Dataset
from dpcore.errors import DPError
from dpcore.individual import views
from pages.components import cards, individual_views, say
from pages.components.say import md
from pages.components.words import number


def what_if(view: individual_views.View) -> None:
    """A record that is not in the data, added: its own exposure."""
    data = view.dataset
    top = int(views.most_exposed(view.result, 1)[0])
    say.markdown(
        md(
            "Edit a record that is **not** in the data set (it starts as a copy of the most exposed row) and see what its "
            "exposure would be if it joined."
        )
    )
    start = pd.DataFrame([[data.y[top], *data.X[top]]], columns=individual_views.unique(individual_views.labels(data)))
    edited = say.editor(start, hide_index=True, key=f"data_what_if_{data.sha256[:12]}")
    y, *x = edited.iloc[0].tolist()
    try:
        answer = view.result.what_if(x, y)
    except DPError as error:
        say.error(str(error), icon=":material/error:")
        return
    cards.metric_row(
        [
            cards.Metric("ε of this record", number(float(answer.epsilon))),
            cards.Metric("Leverage μ (out of sample)", number(float(answer.leverage))),
            cards.Metric("Residual r", number(float(answer.residual))),
        ]
    )
    if answer.note:
        say.caption(answer.note)


def worst_record(view: individual_views.View) -> None:
    """The record of the public domain that would be most exposed in these data, component by component."""
    value, reason = view.for_all
    if value is None:
        say.caption(f"pDP for all: {reason}")
        return
    found = view.result.for_all
    say.markdown(
        md(
            "**pDP for all.** Of every record the public domain allows, this one would be most exposed if it joined: "
            "ε = {} with leverage μ = {} and residual r = {}.",
            number(found.epsilon),
            number(found.leverage),
            number(found.residual),
        )
    )
    names = individual_views.unique(individual_views.labels(view.dataset))
    say.table(pd.DataFrame([[found.y, *found.x]], columns=names), hide_index=True, key="pi_worst_record")
    say.caption(
        f"Found by a search over the domain. Largest leverage and largest residual taken together, which no record need reach, "
        f"would give at most ε = {number(found.upper)}."
    )


def ingest_report(dataset: Dataset) -> None:
    """What was done to the file on its way in."""
    for note in dataset.report.notes:
        {"info": say.info, "warning": say.warning, "leak": say.warning}[note.level](note.text)
    say.table(
        pd.DataFrame(
            [{"column": c.name, "kind": c.kind, "used": c.used, "why": c.reason} for c in dataset.report.columns]
        ),
        hide_index=True,
    )
    say.caption(f"SHA-256 of the data set: {dataset.sha256}")


def program(view: individual_views.View) -> str:
    """The lines of dpcore that make these numbers."""
    return "\n".join(
        [
            "import dpcore as dp",
            f"ds = dp.load_csv('your.csv', target='y', domain=dp.{view.dataset.domain!r})",
            f"result = dp.individual_privacy(ds, dp.{view.result.mechanism!r}, delta={view.delta!r})",
            "result.epsilon, result.leverage.in_sample, result.leverage.residual  # one entry per row",
            "result.frame(), result.for_all, result.worst_case_epsilon",
        ]
    )
