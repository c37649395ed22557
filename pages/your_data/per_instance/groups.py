"""The tab on subgroups: exposure by the levels and values of a column of the file."""

from collections.abc import Sequence

import pandas as pd

from dpcore.data.names import grouped
from dpcore.exhibits.per_instance import story_figure as figures
from dpcore.individual.rows import groups
from dpcore.individual.rows.groups import Subgroup
from pages.components import cards, export, say
from pages.components.say import md
from pages.components.words import number
from pages.your_data.per_instance.views import ExposureView

DRAWN = 16  # groups in the picture; the table lists all


def by_group(view: ExposureView) -> None:
    """Groups of one column: boxes, the most and least exposed of them, and a table of all."""
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
        ratio = (
            f": the first is {high.quantiles[2] / low.quantiles[2]:.3g} times as large" if low.quantiles[2] > 0 else ""
        )
        say.markdown(
            md(
                "The median row with **{} {}** ({}) has ε {} {}; with {} ({}) it has {}{}.",
                column,
                high.label,
                _rows(high.count),
                best.method.sign,
                number(high.quantiles[2]),
                low.label,
                _rows(low.count),
                best.method.mark + number(low.quantiles[2]),
                ratio,
            )
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
    """Groups with their size and quantiles of ε."""
    mark = found[0].method.mark.rstrip()
    shown = ("5 %", "25 %", "median", "75 %", "95 %", "mean", "most exposed")
    columns = [label, "rows", *(f"{name} {mark}".rstrip() for name in shown)]
    rows = [(g.label, g.count, *g.quantiles, g.mean, g.largest) for g in found]
    say.table(pd.DataFrame(rows, columns=columns), hide_index=True)
