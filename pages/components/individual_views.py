"""Metrics, charts and words of the per-instance page."""

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.data import Dataset
from dpcore.data.names import unique_names
from dpcore.errors import DPError
from dpcore.figures import individual as figures
from dpcore.individual import IndividualPrivacy, individual_privacy, views
from dpcore.mechanisms.output_perturbation import OutputPerturbation
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.profiles import Bound
from pages.components import cache, cards, export, large_data, say
from pages.components.say import md
from pages.components.words import number, times

ROWS_SHOWN = 50
SELECTED_SHOWN = 200


@dataclass(frozen=True)
class View:
    """A data set, what is released from it, and the exposure of every row."""

    dataset: Dataset
    result: IndividualPrivacy
    delta: float

    @property
    def worst_case(self) -> tuple[float | None, str]:
        return _or_reason(lambda: self.result.worst_case_epsilon)

    @property
    def for_all(self) -> tuple[float | None, str]:
        return _or_reason(lambda: self.result.for_all.epsilon)


def _or_reason(compute) -> tuple[float | None, str]:
    try:
        return float(compute()), ""
    except DPError as error:
        return None, str(error)


def no_data(problem: str | None) -> None:
    """Say why there is nothing to see yet and what to do."""
    if problem:
        say.error(problem, icon=":material/error:")
    say.info(
        "Choose a sample or upload a CSV or Parquet file in the sidebar: one row per person, a header line, one numeric or "
        "two-level column to predict. The file is read in this computer's memory and never leaves it.",
        icon=":material/upload_file:",
    )


def compute(dataset: Dataset, mechanism: PosteriorSampling | OutputPerturbation, delta: float) -> View | None:
    """Exposure of every row, cached for this session; a sentence instead where it is undefined."""
    if dataset.n_samples >= large_data.LARGE:
        found = large_data.result(dataset, mechanism, delta)
        return None if found is None else View(dataset, found, delta)
    try:
        with say.spinner("Computing the exposure of every row", show_time=True):
            result = cache.in_session(individual_privacy, dataset, mechanism, delta)
    except DPError as error:
        say.error(str(error), icon=":material/error:")
        return None
    return View(dataset, result, delta)


def metrics(view: View) -> None:
    """Median, most exposed row, pDP for all, DP worst case."""
    result = view.result
    median = float(result.quantiles(0.5))
    top = int(views.most_exposed(result, 1)[0])
    most = float(result.epsilon[top])

    def against_median(value: float | None) -> str | None:
        return f"{times(value / median)} the median" if value and median > 0 else None

    row = [
        cards.Metric(f"Median of {view.dataset.n_samples:,} rows", f"ε = {number(median)}"),
        cards.Metric(f"Most exposed: row {view.dataset.row_labels[top]}", f"ε = {number(most)}", against_median(most)),
    ]
    for label, (value, reason), help_text in (
        (
            "pDP for all: any record",
            view.for_all,
            "The most exposed record of the public domain, were it added to this data set.",
        ),
        (
            "DP worst case",
            view.worst_case,
            "Any record and any data set of this size in the public domain; n is public.",
        ),
    ):
        above = "worst" in label and value is not None and view.result.worst_case.bound is not Bound.EXACT
        shown = f"ε {'≤' if above else '='} {number(value or 0)}"
        row.append(
            cards.Metric(
                label,
                shown if value is not None else "no guarantee",
                against_median(value),
                help=reason or help_text,
            )
        )
    cards.metric_row(row)


def charts(view: View) -> tuple[dict[str, go.Figure], list[int]]:
    """Histogram and exposure scatter; returns the figures and the rows selected in the scatter."""
    mode = cards.theme_mode()
    markers = [figures.Marker("median row", float(view.result.quantiles(0.5)), "median")]
    for text, role, (value, _) in (
        ("pDP for all", "for_all", view.for_all),
        ("DP worst case", "worst_case", view.worst_case),
    ):
        if value is not None:
            markers.append(figures.Marker(text, value, role))
    binned = views.histogram(view.result, beside=[marker.epsilon for marker in markers])
    points = views.points(view.result)
    drawn = {
        "Distribution of exposure": figures.epsilon_histogram(binned, [m for m in markers if m.epsilon > 0], mode),
        "Leverage and residual": figures.exposure_scatter(points, mode),
    }
    left, right = st.columns(2, gap="small")
    with left:
        export.chart(drawn["Distribution of exposure"], key="pi_histogram", alt="Histogram of per-instance epsilon")
    with right:
        event = export.chart(
            drawn["Leverage and residual"], key="pi_scatter", alt="Leverage against residual, coloured by epsilon",
            on_select="rerun", selection_mode=("points", "box", "lasso"),
        )  # fmt: skip
        if not points.complete:
            say.caption(
                f"{points.rows.size:,} of {view.dataset.n_samples:,} rows drawn: the most exposed, and others evenly."
            )
    chosen = [int(point["customdata"]) for point in event["selection"]["points"] if "customdata" in point]
    return drawn, sorted(set(chosen), key=lambda row: -view.result.epsilon[row])


def selection(view: View, rows: list[int]) -> None:
    """The selected records, the most exposed of them explained in words."""
    if not rows:
        top = int(views.most_exposed(view.result, 1)[0])
        say.markdown(view.result.explain(top))
        say.caption("Drag a box or a lasso in the right-hand chart to see those records.")
        return
    say.markdown(md("**{:,} selected.** ", len(rows)) + view.result.explain(rows[0]))
    say.table(record_table(view, rows[:SELECTED_SHOWN]), hide_index=True, key="pi_selected")


def record_table(view: View, rows: list[int]) -> pd.DataFrame:
    """Exposure and contents of the given rows, in the scaled units of the public domain."""
    frame = view.result.frame(rows)
    contents = pd.DataFrame(view.dataset.X[rows])
    contents.insert(0, "target", view.dataset.y[rows])
    table = pd.concat([frame, contents], axis=1)
    return table.set_axis(unique([*frame.columns, *labels(view.dataset)]), axis=1)


def labels(dataset: Dataset) -> list[str]:
    return [f"{dataset.target} (target)", *dataset.names]


def unique(labels: list[str]) -> list[str]:
    return list(unique_names(labels)[0])


def exposed_table(view: View) -> None:
    """The most exposed rows and why, with the source's bound beside the exact value where asked for."""
    rows = [int(row) for row in views.most_exposed(view.result, ROWS_SHOWN)]
    table = record_table(view, rows)
    help_text = (
        "The published upper bound with its misprints corrected: Theorem 14 for a posterior sample, Lemma 4 for output "
        "perturbation (valid for ε ≤ 1 only)."
    )
    if say.toggle("Show the source's bound beside the exact ε", key="pi_bound", help=help_text):
        _add_bound(view, table, rows)
    say.table(table, hide_index=True, height=360, key="pi_exposed")
    say.caption(
        f"The {len(rows)} most exposed of {view.dataset.n_samples:,} rows. Features and target are in the scaled units of the "
        "public domain. Rows are numbered as in the file, the first line after the header is 1."
    )
    large_data.all_rows(view.result)


def _add_bound(view: View, table: pd.DataFrame, rows: list[int]) -> None:
    try:
        bound = cache.in_session(individual_privacy, view.dataset, view.result.mechanism, view.delta, "bound")
    except DPError as error:
        say.info(str(error))
        return
    table.insert(2, "bound", bound.epsilon[rows])
    table.insert(3, "bound ÷ exact", bound.epsilon[rows] / view.result.epsilon[rows])


def observations(view: View) -> list[str]:
    """Statements computed from what is on screen."""
    result = view.result
    median, high = (float(value) for value in result.quantiles([0.5, 0.95]))
    said = [
        md(
            "**Half the rows have ε below {}**; 5 % have more than {}. The mean is "
            "{}. A single number for the whole data set would hide this.",
            number(median),
            number(high),
            number(float(result.moments(1))),
        ),
        md(
            "**Two things expose a row**: leverage (few others look like it, so the fit must follow it) and residual (it "
            "disagrees with what the others predict). A row needs one of them to be visible; with both it stands out."
        ),
    ]
    value, _ = view.worst_case
    if value is not None and median > 0:
        said.append(
            md(
                "**The worst case is {} the median.** Differential privacy must protect the worst record "
                "in the worst data set; most actual rows are far from it. That gap is not a guarantee: it depends on the data.",
                times(value / median),
            )
        )
    if isinstance(result.mechanism, PosteriorSampling):
        said.append(
            md(
                "**Turning γ down does not take ε to zero**: the posterior's width itself depends on the row, so a floor "
                "remains. Only more regularisation λ, or more data, lowers it."
            )
        )
    if caveat := getattr(result, "caveat", ""):
        said.append(md("**Exploration only.** {}", caveat))
    return said
