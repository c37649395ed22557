"""Noise augmentation beside its limits: distance, Fig. 2's scheme in numbers, the noise above its cut, recycling."""

import math

import plotly.graph_objects as go

from dpcore.data.names import grouped
from dpcore.exhibits.noise_augmentation.pictures import PathPicture, RoundPicture
from dpcore.figures.colors import BLUE, GREEN, ORANGE, PURPLE, VERMILLION
from dpcore.figures.curves import largest_ratio, log_axis
from dpcore.figures.parts import dots, line
from dpcore.figures.theme import THEMES, figure, plain

_CUT_OFF = 50  # times what is needed: beyond, a bar says no more
_HEIGHT = 330


def apart_figure(picture: PathPicture, rows: int | None, mode: str) -> go.Figure:
    """Distance to the limit n_e → ∞, T → ∞ over the iterations, with finitely many rows and without."""
    fig = figure(mode, height=_HEIGHT)
    lines = [("nₑ → ∞, this T", picture.apart_without, BLUE, "solid")]
    if rows is not None:
        lines.insert(0, (f"nₑ = {grouped(rows)}", picture.apart, VERMILLION, "dash"))
    for name, values, color, dash in lines:
        times, shown = list(range(1, len(values) + 1)), [value if value > 0 else None for value in values]
        line(fig, times, shown, name, color, dash, 2.5, "%{y:.3g}", mode="lines+markers", marker={"size": 4})
    fig.update_xaxes(title_text="iteration t", unifiedhovertitle_text="t = %{x}")
    positive = [value for _, values, _, _ in lines for value in values if value > 0] or [1.0]
    log_axis(fig.update_yaxes, largest_ratio(positive))
    fig.update_yaxes(title_text="‖θ − limit‖")
    return fig


def scheme_figure(picture: PathPicture, mode: str) -> go.Figure:
    """Fig. 2 from data: the convexity the target gives each coefficient, what is needed, and what the two forms make of it."""
    fig, needed = figure(mode, height=_HEIGHT), 2 * picture.floor
    top = _CUT_OFF * needed
    alone = [min(float(value), top) for value in picture.alone]
    names = list(range(1, len(alone) + 1))
    fig.add_bar(
        x=names, y=alone, name=plain(f"target alone (cut off at {_CUT_OFF} × 2Λ₀)"), marker={"color": GREEN, "opacity": 0.5},
        customdata=[f"{float(value):.3g}" for value in picture.alone], hovertemplate="%{customdata}",
    )  # fmt: skip
    for name, values, symbol, color, width in (
        ("MOOR: the larger", [max(value, needed) for value in alone], "circle", BLUE, 0),
        ("existing DP-ERM: the sum", [value + needed for value in alone], "triangle-up-open", ORANGE, 2.5),
    ):
        marker = {"symbol": symbol, "size": 9, "color": color, "line": {"width": width}}
        dots(fig, names, values, name, marker, "%{y:.3g}")
    line(fig, [0.5, len(names) + 0.5], [needed, needed], "needed: 2Λ₀", THEMES[mode].text, "dot", 1.5, None)
    fig.update_yaxes(title_text="convexity 2m")
    log_axis(fig.update_yaxes, top / min([needed, *alone]))
    _by_number(fig, len(names))
    return fig


def noise_figure(picture: PathPicture, mode: str) -> go.Figure:
    """The noise of each coefficient, and the cut above which it was drawn."""
    fig, names = figure(mode, height=_HEIGHT), list(range(1, len(picture.noise) + 1))
    fig.add_bar(x=names, y=picture.noise, name="noise b", marker={"color": PURPLE}, hovertemplate="%{y:.3g}")
    if picture.cut > -math.inf:
        fig.add_hline(y=picture.cut, line={"color": VERMILLION, "dash": "dash", "width": 2}, annotation_text="cut c")
    fig.update_yaxes(title_text="b")
    _by_number(fig, len(names))
    return fig


def _by_number(fig: go.Figure, count: int) -> None:
    """Coefficients on the horizontal axis, by number."""
    step, ends = max(1, math.ceil((count - 1) / 8)), [0.4, count + 0.6]
    fig.update_xaxes(title_text="coefficient", range=ends, tick0=1, dtick=step, unifiedhovertitle_text="θ%{x}")


def rounds_figure(picture: RoundPicture, epsilon: float, mode: str) -> go.Figure:
    """Distance to the lasso against rounds of recycling; the budget of the noise at each point."""
    fig, rounds = figure(mode, height=_HEIGHT), list(range(len(picture.budget)))
    told, marked = "%{y:.4g}<br>noise scaled for %{customdata:.3g} nats", {"mode": "lines+markers"}
    line(fig, rounds, picture.distance, "‖θ − lasso‖", PURPLE, None, 2.5, told, customdata=picture.budget, **marked)
    line(fig, rounds, picture.budget, "budget of the noise (nats)", ORANGE, "dash", 2.5, "%{y:.4g}", **marked)
    fig.add_hline(y=epsilon, line={"color": THEMES[mode].muted, "dash": "dot", "width": 1}, annotation_text="ε")
    fig.update_xaxes(title_text="rounds of recycling", dtick=1, unifiedhovertitle_text="%{x} rounds")
    fig.update_yaxes(rangemode="tozero")
    return fig
