"""Metrics and charts of the per-instance page."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, isinf
from typing import Any

from dpcore.data import Dataset
from dpcore.data.names import grouped
from dpcore.errors import or_reason
from dpcore.exhibits.per_instance import rows_figure as figures
from dpcore.individual import IndividualPrivacy, individual_privacy
from dpcore.individual.all_rows.along_noise import AtLevel, rows_followed
from dpcore.individual.all_rows.assumptions import Assumptions, assumptions_of
from dpcore.individual.all_rows.exactly import with_known
from dpcore.individual.all_rows.pictured import histogram, points
from dpcore.individual.exact.found import ABOVE
from dpcore.mechanisms.releases import GlmRelease
from pages.components import cache, cards, data_input, glm_release, say
from pages.components.charts import Chart, aside, place
from pages.components.say import md
from pages.components.words import measured, number, times
from pages.your_data.per_instance import large_data

HISTOGRAM = "pi_histogram"
_SIGNS = {"=": md("="), "≈": md("≈"), "≤": md("≤")}

# If more than this share of the rows is shortened to the row norm, the page says so. Doubled (beyond 1), it never
# would.
_NEARLY_ALL = 0.9
_SEARCHING = "Searched for once the page is complete."


@dataclass(frozen=True)
class ExposureView:
    """A data set, what is released from it, and the exposure of every row."""

    dataset: Dataset
    result: IndividualPrivacy
    delta: float

    @property
    def assumed(self) -> Assumptions:
        return assumptions_of(self.dataset)

    @property
    def worst_case(self) -> tuple[float | None, str]:
        return _guaranteed(self.assumed.no_guarantee, lambda: self.result.worst_case_epsilon)

    @property
    def is_searching(self) -> bool:
        """Whether the most exposed record is still to be searched for, once the page is complete."""
        return self.result.is_expansion and not self.kept["searched"] and not self.assumed.no_guarantee

    @property
    def kept(self) -> dict[str, Any]:
        """What is computed after the page is complete: rows without the expansion, and the most exposed record."""
        state = data_input.store()
        key = (self.dataset.sha256, self.dataset.provenance, repr(self.result.mechanism), self.delta)
        if state.get("exact_key") != key:
            state.update(
                exact_key=key, exact={"rows": {}, "stopped": False, "refused": {}, "searched": False, "unconfirmed": ""}
            )
        return state["exact"]

    @property
    def best(self) -> IndividualPrivacy:
        """The result with the best known ε of each row, which is without the expansion if that is computed."""
        return with_known(self.result, self.kept["rows"]) if self.result.is_expansion else self.result

    @property
    def for_all(self) -> tuple[float | None, str]:
        if self.is_searching:
            return None, _SEARCHING
        return _guaranteed(self.assumed.no_guarantee, lambda: self.result.for_all.known)

    @property
    def moves(self) -> bool:
        """Whether the histogram follows a slider: always for an expansion, else if its line of the worst case is known."""
        known, _ = self.worst_case
        return self.result.is_expansion or bool(self.assumed.no_guarantee) or (known is not None and isfinite(known))

    @property
    def equals(self) -> str:
        """The sign before an ε that is computed for all rows: = if it is exact, ≈ for an expansion, ≤ for a bound."""
        return _SIGNS[self.result.method.sign]

    def known_of(self, row: int) -> tuple[str, str]:
        """The sign and the best known ε of a row, with an error bar if it is computed without the expansion."""
        found = self.kept["rows"].get(row) if self.result.is_expansion else None
        if found is None:
            return self.result.method.sign, number(float(self.result.epsilon[row]))
        if isinf(found.epsilon[0]):
            return ">", ABOVE.removeprefix("> ")
        return "=", measured(float(found.epsilon[0]), float(found.error[0]), 1e-3)

    def of_row(self, row: int) -> str:
        """The best known ε of a row as an equation."""
        return "ε {} {}".format(*self.known_of(row))

    def of_all(self, function: Callable[..., Any], *args: Any) -> Any:
        """`function(exposure of every row, *args)`, computed once in this session."""
        return glm_release.of_all(function, self.result, *args)

    def shown(self, epsilon: float) -> str:
        """An ε that is computed for all rows, as text with a mark if it is not exact."""
        return self.result.method.mark + number(epsilon)


def _guaranteed(no_guarantee: str, compute: Callable[[], float]) -> tuple[float | None, str]:
    return (None, f"No guarantee: {no_guarantee}.") if no_guarantee else or_reason(compute)


def compute(dataset: Dataset, mechanism: GlmRelease, delta: float) -> ExposureView:
    """Exposure of every row, cached for this session."""
    if dataset.n_samples >= large_data.LARGE:
        return ExposureView(dataset, large_data.result(dataset, mechanism, delta), delta)
    with say.spinner("Computing the exposure of every row", show_time=True):
        return ExposureView(dataset, cache.in_session(individual_privacy, dataset, mechanism, delta), delta)


def headline(view: ExposureView) -> str:
    """The most exposed row, compared with the median row."""
    best = view.best
    top, median = int(best.most_exposed(1)[0]), float(best.quantiles(0.5))
    row = f"Row {view.dataset.row_labels[top]}"
    if median > 0:
        return f"{row} is exposed {times(float(best.epsilon[top]) / median)} as much as the typical row"
    return f"{row} is the most exposed: {view.of_row(top)}"


def asked(view: ExposureView) -> str:
    """A sentence on what the charts show."""
    return (
        f"ε of a row: what one released model tells about it to somebody who knows the other "
        f"{grouped(view.dataset.n_samples - 1)} rows; 0 is nothing."
    )


def metrics(view: ExposureView) -> list[cards.Metric]:
    """Cards for the median, the most exposed row, pDP for all, and the worst case of DP."""
    result, best = view.result, view.best
    median = float(best.quantiles(0.5))
    top = int(best.most_exposed(1)[0])
    (called,) = view.dataset.row_ids([top])

    def against_median(value: float | None) -> str | None:
        return f"{times(value / median)} the median" if value and median > 0 else None

    most = against_median(float(best.epsilon[top]))
    if called:
        most = f"{called} · {(most or '').replace('the ', '')}".rstrip(" ·")
    row = [
        cards.Metric(f"Median of {grouped(view.dataset.n_samples)} rows", f"ε {best.method.sign} {number(median)}"),
        cards.Metric(f"Most exposed: row {view.dataset.row_labels[top]}", view.of_row(top), most),
    ]
    for label, (value, reason), words in (
        ("pDP for all: any record", view.for_all,
         "The most exposed record of the public domain, were it added to this data set."),
        ("DP worst case", view.worst_case,
         "Any record and any data set of this size in the public domain; n is public."),
    ):  # fmt: skip
        shown = "…" if reason == _SEARCHING else "no guarantee"
        if value is not None:
            found_by = result.worst_case_method if "worst" in label else result.exposures.method
            shown = f"ε {found_by.sign} {number(value)}"
        if "pDP" in label and value is not None and result.is_expansion and result.for_all.error is not None:
            shown = f"ε = {measured(value, result.for_all.error, 1e-3)}"
        row.append(cards.Metric(label, shown, against_median(value), help=reason or words))
    return row


def assumed(view: ExposureView) -> list[str]:
    """Sentences on what the numbers assume."""
    found = view.assumed
    said = [text for text in found.sentences if text != found.report.extremes]  # shown where data are chosen
    clipping = [view.result.clipping] if view.result.clipping else []
    sentences = md("{}", " ".join((*said, *_shortened(view.dataset), *clipping)))
    if found.until:
        sentences += md(" :material/warning: **No guarantee for other records {}.**", found.until)
    return [sentences]


def _shortened(dataset: Dataset) -> list[str]:
    """A sentence if the row norm shortens nearly all rows (a larger row norm would shorten fewer)."""
    scaled, domain = dataset.report.rows_scaled, dataset.domain
    if domain is None or domain.rows != "clip" or scaled <= _NEARLY_ALL * dataset.n_samples:
        return []
    return [f"{grouped(scaled)} rows are shortened to the row norm {domain.row_norm:g}."]


def markers(of: IndividualPrivacy | AtLevel, worst_case: float | None) -> list[figures.Marker]:
    """The lines on the histogram for the rows' median and largest ε and the worst case, if positive."""
    lines = (
        ("typical row", float(of.quantiles(0.5)), "median"),
        ("most exposed row", float(of.quantiles(1.0)), "row"),
        ("any person, any data", worst_case, "worst_case"),
    )
    return [
        figures.Marker(text, value if value is not None and value > 0 else None, role) for text, value, role in lines
    ]


def beside(shown: list[figures.Marker]) -> list[float]:
    """The ε of the marked lines, which the axis of the histogram must include."""
    return [marker.epsilon for marker in shown if marker.epsilon is not None]


def charts(view: ExposureView) -> tuple[list[Chart], list[int]]:
    """Draw the histogram and, below the cards, the scatter of exposures; return both charts and the rows selected in the scatter."""
    mode, best = cards.theme_mode(), view.best
    shown, drawn = markers(best, view.worst_case[0]), points(best)
    title = figures.scatter_title(drawn)
    distribution = Chart(
        "Distribution of exposure",
        lambda: figures.epsilon_histogram(histogram(best, beside=beside(shown)), shown, mode),
        "Histogram of per-instance epsilon", HISTOGRAM,
    )  # fmt: skip
    scatter = Chart(
        title, lambda: figures.exposure_scatter(drawn, mode), f"{title}, coloured by epsilon", "pi_scatter",
        options={"on_select": "rerun", "selection_mode": ("points", "box", "lasso")},
    )  # fmt: skip
    place(distribution)  # sent to the browser before the next chart is made
    with aside():
        followed = rows_followed(view.dataset, view.result.mechanism)
        if view.moves and followed < view.dataset.n_samples:
            say.caption(
                f"While a slider moves, {grouped(followed)} of {grouped(view.dataset.n_samples)} rows stand for all."
            )
        if view.moves and best.exactly is not None:
            say.caption("While a slider moves, the histogram is that of the expansion.")
        event = place(scatter)
        if not drawn.complete:
            say.caption(
                f"{grouped(drawn.rows.size)} of {grouped(view.dataset.n_samples)} rows drawn: the most exposed, and others evenly."
            )
    chosen = {int(point["customdata"]) for point in event["selection"]["points"] if "customdata" in point}
    return [distribution, scatter], sorted(chosen, key=lambda row: -best.epsilon[row])
