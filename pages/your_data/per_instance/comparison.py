"""Tabs of the per-instance page: mechanisms side by side, subgroups, the floor of a posterior sample."""

from collections.abc import Sequence

import pandas as pd

from dpcore.data.names import grouped
from dpcore.errors import or_reason
from dpcore.exhibits.per_instance import story_figure as figures
from dpcore.exhibits.per_instance.floor import floor_curve
from dpcore.individual.rows import groups
from dpcore.individual.rows.groups import Subgroup, whole
from dpcore.mechanisms import RELEASES
from pages.components import cards, export, glm_release, say
from pages.components.words import number
from pages.your_data.per_instance import views
from pages.your_data.per_instance.views import ExposureView

_sentence = say.sentences(__file__)


# Most groups in the chart; the table lists all. Doubled, the chart has twice as many boxes.
DRAWN = 16


def by_group(view: ExposureView) -> None:
    """Show the groups of one column: boxes, the most and the least exposed group, and a table of all."""
    column = say.selectbox("Column", groups.columns(view.dataset), key=f"data_group_{view.dataset.sha256[:12]}")
    best = view.best
    found = groups.subgroups(best, column)
    order = sorted(found.groups, key=lambda group: -group.quantiles[2])
    drawn = [group for group in found.groups if group in order[:DRAWN]]
    export.chart(
        figures.boxes(drawn, column, cards.theme_mode()), key="pi_groups", alt="Quantiles of epsilon by subgroup"
    )
    high, low = order[0], order[-1]
    if high is not low:
        above, below = high.quantiles[2], low.quantiles[2]
        ratio = f": the first is {above / below:.3g} times as large" if below > 0 else ""
        say.markdown(
            _sentence("median_row", column, high, low, _rows(high.count), _rows(low.count), best.method, ratio)
        )
    say.caption(f"{_who(found, len(drawn))} {best.said}".rstrip())
    table(found.groups, column)


def _rows(count: int) -> str:
    return f"{grouped(count)} row{'s' if count > 1 else ''}"


def _who(found: groups.Subgroups, drawn: int) -> str:
    said = "Every row used is in exactly one group; a group of few rows says little about people like them."
    if drawn < len(found.groups):
        said += f" The {drawn} groups with the largest median are drawn, the table has all {len(found.groups)}."
    if found.left_out:
        said += f" {_rows(found.left_out)} of the file were left out and are in no group."
    if found.absent:
        said += f" No group was formed for {', '.join(found.absent)}: every such row was left out."
    return said


def table(found: Sequence[Subgroup], label: str) -> None:
    """Show a table of groups with their size and quantiles of ε."""
    mark = found[0].method.mark.rstrip()
    shown = ("5 %", "25 %", "median", "75 %", "95 %", "mean", "most exposed")
    columns = [label, "rows", *(f"{name} {mark}".rstrip() for name in shown)]
    rows = [(g.label, g.count, *g.quantiles, g.mean, g.largest) for g in found]
    say.table(pd.DataFrame(rows, columns=columns), hide_index=True)


# Most rows for which all three mechanisms are computed at once; with more, a button starts it.
# Doubled, opening the tab may take twice as long.
LARGEST = 50_000


def side_by_side(view: views.ExposureView) -> None:
    """Show the same data under all three mechanisms, at the same penalty and comparable noise."""
    base = view.result.mechanism
    sigma, lam = base.level, base.lam
    domain = None if base.is_linear else view.dataset.domain
    model = {"loss": base.loss, "clip": base.clip, "domain": domain}
    mechanisms = [entry.at(sigma, lam, **model) for entry in RELEASES.values()]
    if view.dataset.n_samples > LARGEST and not say.button("Compute all three", key="pi_compare"):
        return
    compared, worst = [], []
    for mechanism in mechanisms:
        other = views.compute(view.dataset, mechanism, view.delta)
        compared.append(whole(other.result, glm_release.name(mechanism)))
        worst.append(other.worst_case[0])
    export.chart(
        figures.boxes(compared, f"mechanism at λ = {number(lam)}, σ = 1/√γ = {number(sigma)}", cards.theme_mode(), worst=worst),
        key="pi_mechanisms", alt="Quantiles of epsilon by mechanism",
    )  # fmt: skip
    linear = "", _sentence("plain_squared")
    say.markdown(_sentence("noise_covariance", *(linear if base.is_linear else (", near the fit", ""))))
    table(compared, "mechanism")


def floor(view: views.ExposureView, index: int) -> None:
    """Show ε of a row against γ, with the limit as γ → 0."""
    gamma = view.result.mechanism.inverse_temperature
    if gamma is None:
        say.info("The floor belongs to the posterior sample: choose it in the sidebar.")
        return
    if view.result.is_expansion:
        bounded, _ = or_reason(lambda: view.result.worst_case_epsilon)
        say.info(_sentence("no_floor") if bounded is not None else _sentence("floor_unknown"))
        return
    curve = view.of_all(floor_curve, index)
    label = view.dataset.row_name(index)
    export.chart(
        figures.floor(curve, cards.theme_mode(), row=label, now=gamma), key="pi_floor",
        alt="Epsilon against gamma with its floor",
    )  # fmt: skip
    say.markdown(_sentence("floor", label, curve.row_floor, curve.median_floor))
