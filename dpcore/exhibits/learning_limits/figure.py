"""Limits of private learning: risk against n, the packing argument, and a function between curves of its constants."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dpcore.data.names import in_words
from dpcore.exhibits.learning_limits import PACKING_LEARNERS, Filling, Packing
from dpcore.exhibits.learning_limits.convexity import Chord, Sandwich
from dpcore.exhibits.learning_limits.descent import DescentRun
from dpcore.figures.colors import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import add_curves, log_axis, named_dots
from dpcore.figures.frames import play
from dpcore.figures.parts import dots, line
from dpcore.figures.theme import THEMES, decades, figure, in_two_columns, plain
from dpcore.profiles.curves import Curve

RISK_COLORS = {"Bound": VERMILLION, "Uniform convergence": GREY, "Privacy": ORANGE, "Measured": BLUE}
LEARNER_COLORS = {
    name: color for (name, _), color in zip(PACKING_LEARNERS.values(), (BLUE, GREEN, PURPLE, ORANGE, SKY), strict=True)
}
SHAPE, FAILURE = BLUE, VERMILLION
LIMIT = "Limit for all"
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def finite_class_risk_figure(curves: Sequence[Curve], at: float, mode: str) -> go.Figure:
    """The bound, its two parts and the measured risk (the last of `curves`), with a mark at each computed n."""
    fig = figure(mode, height=400)
    add_curves(fig, curves, colors=RISK_COLORS, hover="%{y:.3g}")
    for trace, dash in zip(fig.data, ("solid", "dot", "dash", "solid"), strict=True):
        trace.line.dash = dash
    measured = curves[-1]
    fig.data[-1].update(mode="lines+markers", marker={"size": 7})
    seen = [i for i, value in enumerate(measured.y) if math.isfinite(value)]
    if 0 < len(seen) < measured.x.size:
        last = seen[-1]
        fig.add_annotation(
            x=math.log10(measured.x[last]), y=math.log10(measured.y[last]), text="0 from here on", showarrow=False,
            yanchor="top", yshift=-8, font={"size": 12, "color": THEMES[mode].muted},
        )  # fmt: skip
    return _risk_by_records(fig, at, mode, 1000.0)


def _risk_by_records(fig: go.Figure, at: float, mode: str, ratio: float) -> go.Figure:
    """Give a figure logarithmic axes of excess risk against n, and a line at one n.

    `ratio` is the ratio of the largest to the smallest risk.
    """
    fig.add_vline(x=at, line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"})
    fig.update_xaxes(title_text="records n", **decades(), unifiedhovertitle_text="n = %{x:.0f}")
    fig.update_yaxes(title_text="excess risk")
    log_axis(fig.update_yaxes, ratio)
    return fig


def filling_figure(held: Filling, mode: str) -> go.Figure:
    """The probability that bins 1 to j must hold together on one data set, for growing j, and the limit 1."""
    fig = figure(mode, height=400)
    names = [f"{last} bins" if last > 1 else "1 bin" for last in held.last]
    tops = held.top.tolist()
    said = [
        f"{name} need{'' if 'bins' in name else 's'} {in_words(top)}" for name, top in zip(names, tops, strict=True)
    ]
    within, beyond = [min(top, 1.0) for top in tops], [max(top, 1.0) - 1.0 for top in tops]
    for name, base, values, color, pattern in (
        ("there is room", 0.0, within, SKY, ""),
        ("there is no room", 1.0, beyond, VERMILLION, "/"),
    ):
        fig.add_bar(
            x=(held.first + held.last) / 2, width=held.last - held.first + 1, base=base, y=values, name=plain(name),
            customdata=list(zip(names, tops, strict=True)), hovertemplate="%{customdata[0]}: %{customdata[1]:.4g}<extra></extra>",
            marker={"color": color, "line": {"width": 0}, "pattern": {"shape": pattern, "size": 6, "fillmode": "overlay"}},
        )  # fmt: skip
    marks = [_marks(held, i, said[i], mode) for i in range(len(said))]
    fig.add_trace({**marks[-1], "cliponaxis": False})
    fig.add_hline(
        y=1, line={"color": THEMES[mode].text, "width": 2},
        annotation={
            "text": "all the probability there is: 1", "xanchor": "right", "x": 0.99, "yanchor": "top", "yshift": -6,
            "font": {"size": 15, "color": "black"},
        },
    )  # fmt: skip
    play(fig, _filled([within, beyond], marks), said, mode, milliseconds=80, slider=False)
    fig.update_layout(barmode="overlay", bargap=0, hovermode="closest", showlegend=False, margin={"t": 24})
    fig.update_xaxes(title_text="bins", range=[0.4, float(held.last[-1]) + 0.6], showgrid=False)
    fig.update_yaxes(title_text="probability they need together", range=[0, max(1.15, 1.12 * tops[-1])])
    fig.update_yaxes(dtick=1 if tops[-1] > 2 else None, showgrid=False)
    return fig


def _marks(held: Filling, shown: int, said: str, mode: str) -> dict[str, Any]:
    """The height of the last column shown, with its words, and the first bin that does not fit if it is among them."""
    last, bin_ = held.last[shown], held.overflowing
    full = (float(bin_), 1.0, f"full at bin {bin_}") if bin_ and bin_ <= last else (math.inf, 1.0, "")
    place = "top left" if 2 * shown >= held.last.size - 1 else "top right"
    both = [(float(last) + 0.5, float(held.top[shown]), said), full]
    return named_dots(both, [THEMES[mode].text, VERMILLION], [place, "top left"], right=held.last[-1] + 0.5)


def _filled(bars: Sequence[list[float]], marks: Sequence[dict[str, Any]]) -> Iterator[go.Frame]:
    """Frames: each shows one column more, and the marks that belong to it."""
    for i, mark in enumerate(marks):
        shown = ({"type": "bar", "y": [*values[: i + 1], *[0.0] * (len(values) - i - 1)]} for values in bars)
        moved = {name: mark[name] for name in ("x", "y", "text", "textposition")}
        yield go.Frame(traces=[0, 1, 2], data=[*shown, moved])


def bins_figure(packing: Packing, law: np.ndarray, name: str, mode: str) -> go.Figure:
    """The law of a learner's answer on the reference data set, and what success on the other data sets forces there.

    Parameters
    ----------
    packing : the data sets and their bins
    law : probability of each bin on the reference data set
    name : name of the learner
    mode : "light" or "dark"
    """
    fig = figure(mode, height=350)
    centres, others = packing.centres, slice(0 if packing.reference is None else 1, None)
    where = "no records" if packing.reference is None else "data set 1"
    color, told, forced = LEARNER_COLORS[name], f"{name}: answer on {where}", "least share forced by success elsewhere"
    marks = {"mode": "markers+lines", "marker": {"size": 5, "color": color}}
    line(fig, centres, law, told, color, None, 1.5, "%{y:.3g}", **marks)
    line(fig, centres[others], packing.forced[others], forced, VERMILLION, "dot", 2, "%{y:.3g}")
    records, rug = packing.data(packing.reference)[0], {"symbol": "line-ns-open", "size": 9, "color": GREY}
    heights, seen = [packing.lowest] * len(records), len(records) > 0
    dots(fig, records, heights, "records of data set 1", rug, None, showlegend=seen)
    fig.update_xaxes(title_text="threshold (one bin each)", range=[0, 1])
    fig.update_yaxes(title_text="probability")
    log_axis(fig.update_yaxes, 1 / packing.lowest)
    return fig


def success_figure(curves: Sequence[Curve], at: float, mode: str) -> go.Figure:
    """Worst-case success of real learners, and the limit that holds for all learners."""
    fig = figure(mode, height=350)
    add_curves(fig, curves, colors={LIMIT: VERMILLION, **LEARNER_COLORS}, hover="%{y:.3f}")
    for trace, curve in zip(fig.data, curves, strict=True):
        trace.name = plain(curve.name.removesuffix(" mechanism"))
    for trace, dash in zip(fig.data[1:], _DASHES, strict=True):
        trace.line.update(dash=dash, width=2.5)
    fig.add_vline(x=at, line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"})
    in_two_columns(fig)
    fig.update_layout(legend_font_size=12)
    fig.update_xaxes(title_text="records n", unifiedhovertitle_text="n = %{x:.0f}")
    fig.update_yaxes(title_text="worst-case success", range=[0, 1.02])
    return fig


def sampling_figure(curves: Sequence[Curve], at: float, mode: str) -> go.Figure:
    """Excess of a draw on each body against k, the bound (the last of `curves`), and a line at one k."""
    fig = figure(mode, height=400)
    colors = dict(zip([curve.name for curve in curves], (BLUE, GREEN, PURPLE, ORANGE, VERMILLION), strict=True))
    add_curves(fig, curves, colors=colors, hover="%{y:.3g}")
    for trace, dash in zip(fig.data, _DASHES, strict=True):
        trace.line.update(dash=dash if trace is not fig.data[-1] else "solid", width=2.5)
    fig.add_vline(x=at, line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"})
    fig.update_xaxes(title_text="inverse temperature k", **decades(), unifiedhovertitle_text="k = %{x:.3g}")
    fig.update_yaxes(title_text="excess over the minimum", **decades(2))
    return fig


def descent_figure(curves: Sequence[Curve], at: float, mode: str) -> go.Figure:
    """Measured excess of noisy gradient descent against n, its bounds and rates, and a line at one n."""
    fig = figure(mode, height=380)
    colors = dict(zip([curve.name for curve in curves], (BLUE, VERMILLION, ORANGE, GREY, PURPLE), strict=True))
    add_curves(fig, curves, colors=colors, hover="%{y:.3g}")
    for trace, dash in zip(fig.data, ("solid", "solid", "dash", "dot", "longdash"), strict=True):
        trace.line.dash = dash
    for trace, curve in zip(fig.data, curves, strict=True):
        trace.name = plain(curve.name)
    fig.data[0].update(mode="lines+markers", marker={"size": 7})
    in_two_columns(fig)
    return _risk_by_records(fig, at, mode, 20.0)


def path_figure(run: DescentRun, mode: str) -> go.Figure:
    """Mean excess of the mean iterate along the steps, and the bound at the last step."""
    fig = figure(mode, height=380)
    marks = {"mode": "lines+markers", "marker": {"size": 4}, "showlegend": False}
    line(fig, run.path.x, run.path.y, "Measured", BLUE, None, 2.5, "%{y:.3g}", **marks)
    fig.add_hline(
        y=run.plan.bound, line={"color": VERMILLION, "width": 2},
        annotation={"text": "bound at the last step", "xanchor": "right", "x": 1, "yanchor": "bottom", "font": {"size": 13}},
    )  # fmt: skip
    fig.update_xaxes(title_text="step", unifiedhovertitle_text="step %{x:.0f}")
    fig.update_yaxes(title_text="excess risk so far", range=[0, 1.15 * max(run.plan.bound, float(run.path.y.max()))])
    return fig


def sandwich_lines(found: Sandwich, chord: Chord) -> list[tuple[str, Curve, str, str, float]]:
    """Name (empty if not in the legend), curve, colour, dash and width of each line around f."""
    return [
        ("β-parabola", found.above, VERMILLION, "dash", 2.0),
        ("f", found.function, SHAPE, "solid", 4.0),
        ("λ-parabola", found.below, GREEN, "dot", 2.5),
        ("tangent", found.tangent, GREY, "solid", 1.5),
        ("chord", chord.curve, PURPLE, "solid", 2.0),
        ("L-cone", found.cone[0], ORANGE, "dashdot", 1.5),
        ("", found.cone[1], ORANGE, "dashdot", 1.5),
    ]


def sandwich_figure(found: Sandwich, chord: Chord, x: float, touch: float, mode: str) -> go.Figure:
    """f, its tangent, a chord, the parabolas below and above, and the cone.

    Parameters
    ----------
    found : f, tangent, parabolas and cone
    chord : a chord from the point where the curves touch
    x : where the curves touch
    touch : f(x), the height of the mark
    mode : "light" or "dark"
    """
    fig = figure(mode, height=430)
    for name, curve, color, dash, width in sandwich_lines(found, chord):
        hover = None if "cone" in curve.name else "%{y:.3g}"
        line(fig, curve.x, curve.y, name, color, dash, width, hover, showlegend=bool(name))
    dots(fig, [x], [touch], "", {"size": 11, "color": THEMES[mode].text}, None, showlegend=False)
    for name, where in found.failures.items():
        fig.add_vline(
            x=where, line={"color": VERMILLION, "width": 1},
            annotation={"text": f"✕ not {plain(name)}", "font": {"size": 12, "color": THEMES[mode].muted}},
        )  # fmt: skip
    low, high = found.window
    fig.update_xaxes(title_text="y", range=[-4, 4], unifiedhovertitle_text="y = %{x:.2f}")
    fig.update_yaxes(title_text="f(y)", range=[low, high])
    return fig
