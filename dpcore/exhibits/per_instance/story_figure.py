"""Pictures about one row or groups of rows: cells, subgroups, the floor of ε, other data sets."""

import textwrap
from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.data.names import grouped
from dpcore.exhibits.per_instance.floor import Floor
from dpcore.figures.colors import BLUE, ORANGE, VERMILLION
from dpcore.figures.curves import largest_ratio, log_axis
from dpcore.figures.parts import bars, dots, line
from dpcore.figures.theme import THEMES, figure, plain
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.rows.cells import Cell
from dpcore.individual.rows.groups import Subgroup

_CELLS_DRAWN = 10  # most cells that are drawn
_NARROW = 12  # letters of a line of a group's name


def cells(found: Sequence[Cell], now: float, mode: str, *, method: EpsilonMethod = EpsilonMethod.EXACT) -> go.Figure:
    """By how much ε of a row falls if one cell gets a typical value; the cell that exposes the row most is on top."""
    shown = [cell for cell in found if cell.contribution != 0][:_CELLS_DRAWN][::-1]
    fig = figure(mode, height=max(150, 90 + 32 * len(shown)))
    fig.add_bar(
        y=[f"{plain(cell.column, 32)} {plain(cell.value, 18)}" for cell in shown],
        x=[cell.contribution for cell in shown], orientation="h", showlegend=False, name="cells",
        marker={"color": [VERMILLION if cell.contribution > 0 else BLUE for cell in shown]},
        customdata=[(plain(cell.typical, 40), cell.epsilon) for cell in shown],
        hovertemplate=f"with %{{customdata[0]}} instead: {plain(method.symbol)} %{{customdata[1]:.4g}}<extra></extra>",
    )  # fmt: skip
    if now < float("inf"):
        fig.add_vline(x=now, line={"color": THEMES[mode].muted, "dash": "dash", "width": 1.5})
        fig.add_annotation(
            x=now, y=1, yref="paper", text="all of ε", showarrow=False, xanchor="right", yanchor="bottom",
            font={"size": 13, "color": THEMES[mode].muted},
        )  # fmt: skip
    fig.update_layout(hovermode="closest", bargap=0.35)
    fig.update_xaxes(title_text=f"ε less (nats){plain(method.aside)}", zeroline=True, zerolinecolor=THEMES[mode].border)
    fig.update_yaxes(type="category", automargin=True)
    return fig


def boxes(groups: Sequence[Subgroup], axis: str, mode: str, *, worst: Sequence[float | None] = ()) -> go.Figure:
    """Quantiles of ε (5, 25, 50, 75, 95 %) of each group as a box, its largest ε as a ring, worst cases as dashes."""
    fig = figure(mode, height=330)
    method = next((group.method for group in groups if group.method is not EpsilonMethod.EXACT), EpsilonMethod.EXACT)
    counted = len(groups) <= 4
    names = [
        f"{plain(group.label)}<br>{grouped(group.count)} rows" if counted else plain(group.label) for group in groups
    ]
    rows = list(zip(*(group.quantiles for group in groups), strict=True))
    fig.add_box(
        x=names, lowerfence=rows[0], q1=rows[1], median=rows[2], q3=rows[3], upperfence=rows[4],
        marker={"color": BLUE}, name="5, 25, 50, 75, 95 % of the rows", showlegend=True,
    )  # fmt: skip
    ring = {"color": BLUE, "symbol": "circle-open", "size": 10, "line": {"width": 2}}
    told = f"most exposed: {plain(method.symbol)} %{{y:.4g}}<extra></extra>"
    dots(fig, names, [group.largest for group in groups], "most exposed row", ring, told)
    known = [(name, value) for name, value in zip(names, worst, strict=False) if value is not None]
    if known:
        bar = {"color": VERMILLION, "symbol": "line-ew-open", "size": 34, "line": {"width": 3}}
        told = "worst case: ε %{y:.4g}<extra></extra>"
        dots(fig, [name for name, _ in known], [value for _, value in known], "DP worst case", bar, told)
    fig.update_layout(hovermode="closest")
    fig.update_xaxes(type="category", title_text=plain(axis))
    if counted:
        fig.update_xaxes(
            tickmode="array", tickvals=names, ticktext=["<br>".join(plain(line) for line in _lines(group)) for group in groups]
        )  # fmt: skip
    values = [v for group in groups for v in (*group.quantiles, group.largest)] + [v for _, v in known]
    fig.update_yaxes(title_text=f"per-instance ε (nats){plain(method.aside)}")
    if (ratio := largest_ratio(values)) > 30:
        log_axis(fig.update_yaxes, ratio)
    else:
        fig.update_yaxes(rangemode="tozero")
    return fig


def _lines(group: Subgroup) -> list[str]:
    """A group's label on short lines, so that four labels fit side by side on a phone, and its number of rows."""
    lines = textwrap.wrap(group.label, _NARROW, break_long_words=False, max_lines=3, placeholder=" …")
    return [*lines, f"{grouped(group.count)} rows"]


def floor(curve: Floor, mode: str, *, row: str, now: float) -> go.Figure:
    """ε of one row and the median against γ, with the floors that remain as γ → 0."""
    fig = figure(mode, height=330)
    for name, values, lowest, color in (
        (row, curve.row, curve.row_floor, VERMILLION),
        ("median row", curve.median, curve.median_floor, BLUE),
    ):
        fig.add_scatter(x=curve.gamma, y=values, mode="lines", name=plain(name), line={"color": color, "width": 4})
        if lowest > 0:
            ends, told = [curve.gamma[0], curve.gamma[-1]], "floor %{y:.4g}<extra></extra>"
            line(fig, ends, [lowest, lowest], f"floor, {name}", color, "dot", 2, told)
    fig.add_vline(x=now, line={"color": THEMES[mode].muted, "dash": "dash", "width": 1.5})
    log_axis(fig.update_xaxes, 1e9)
    seen = [*(v for v in curve.row if v > 0), *(v for v in curve.median if v > 0)]
    log_axis(fig.update_yaxes, largest_ratio(seen))
    fig.update_xaxes(title_text="inverse temperature γ")
    fig.update_yaxes(title_text="ε (nats)")
    return fig


def resampled(
    edges: Sequence[float], counts: Sequence[int], here: float, mode: str, *, method: EpsilonMethod = EpsilonMethod.EXACT
) -> go.Figure:  # fmt: skip
    """The distribution of ε of one person over newly drawn data sets, with its value in this data set.

    Parameters
    ----------
    edges, counts : bins of ε
    here : ε in this data set
    mode : "light" or "dark"
    method : how these ε are computed
    """
    fig = figure(mode, height=300)
    bars(fig, edges, counts, "data sets drawn anew", mode)
    line(fig, [here, here], [0, max([1, *counts]) * 1.05], "this data set", ORANGE, "dash", 3.5, None)
    fig.update_layout(bargap=0, hovermode="closest")
    fig.update_xaxes(title_text=f"ε of the person (nats){plain(method.aside)}")
    fig.update_yaxes(title_text="data sets", rangemode="tozero")
    return fig
