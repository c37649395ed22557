"""Figures of noise augmentation: rows, realised regulariser, iteration, simulations, attack, and theory."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dpcore.audit.napp import OutputLaws
from dpcore.data.names import grouped
from dpcore.exhibits.noise_augmentation.pictures import PathPicture, RealisedPicture, RoundPicture, RowPicture
from dpcore.exhibits.noise_augmentation.simulation import Summary
from dpcore.figures.colors import BLUE, GREEN, GREY, ORANGE, PALETTE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import largest_ratio, log_axis, named_dots, upright
from dpcore.figures.parts import dots, line, panels
from dpcore.figures.theme import THEMES, decades, figure, plain

STYLES = {
    "lasso": ("lasso, not private", GREEN, "dot"),
    "MOOR, b = 0": ("MOOR, no noise", BLUE, "solid"),
    "sum, b = 0": ("sum, no noise", ORANGE, "dash"),
    "NAPP": ("NAPP (bᵀθ), MOOR", BLUE, "solid"),
    "DP-ERM": ("existing DP-ERM (bᵀθ), sum", BLUE, "dash"),
    "VS": ("VS, MOOR", PURPLE, "solid"),
    "VS, sum": ("VS, sum", PURPLE, "dash"),
    "VS+": ("VS+, MOOR", VERMILLION, "solid"),
    "VS+, sum": ("VS+, sum", VERMILLION, "dash"),
    "NAPP, recycled": ("NAPP, recycled", SKY, "dashdot"),
    "VS, recycled": ("VS, recycled", "#8C6D31", "dashdot"),
    "VS+, recycled": ("VS+, recycled", ORANGE, "dashdot"),
}
VARIANT_COLORS = {"certified": GREEN, "moor": BLUE, "vs_plus": VERMILLION, "retrieval": PURPLE}
_UTILITY = {  # colour, dash and width of each curve of a risk
    "measured, mean": (BLUE, "solid", 4),
    "measured, 95 % quantile": (SKY, "solid", 2),
    "proven, mean": (GREEN, "solid", 2.5),
    "proven, 95 %": (GREEN, "dot", 2),
    "Lemma 7 as printed, t = 1": (VERMILLION, "dash", 2),
    "measured at t = 1, mean": (PURPLE, "solid", 2.5),
    "Theorem 8 as printed": (ORANGE, "dash", 2),
    "Theorem 10, C′ = 1": (ORANGE, "dash", 2),
}
_SIZES = ((VERMILLION, "dash"), (BLUE, "solid"), (GREEN, "dot"))


def rows_figure(picture: RowPicture, mode: str) -> go.Figure:
    """The first two columns of data and appended rows."""
    fig = figure(mode, height=340)
    crosses = {"color": VERMILLION, "size": 6, "symbol": "x-thin-open", "line": {"width": 1.5}}
    for at, y, name, marker, hover in (
        (picture.data, picture.data_y, "data", {"color": GREY, "size": 6, "opacity": 0.55}, "y = %{customdata:.3g}<extra>data</extra>"),
        (picture.rows, picture.rows_y, "appended rows", crosses, "e_y = %{customdata:.3g}<extra>appended</extra>"),
    ):  # fmt: skip
        dots(fig, at[:, 0], at[:, 1], name, marker, hover, customdata=y)
    fig.update_layout(hovermode="closest")
    fig.update_xaxes(title_text="first column")
    fig.update_yaxes(title_text="second column")
    return fig


def distance_figure(picture: RowPicture, here: tuple[int, str], mode: str) -> go.Figure:
    """Distance of the fit to its limit, that of the penalty, against n_e; one draw of the rows looked at is marked."""
    fig = figure(mode, height=360)
    both = "n<sub>e</sub> = %{x}<br>%{y:.3g}<extra></extra>"
    line(fig, picture.sizes, picture.distance, "measured over draws", BLUE, None, 3, both, mode="lines+markers")
    half = [picture.distance[-1] * (picture.sizes[-1] / size) ** 0.5 for size in picture.sizes]
    line(fig, picture.sizes, half, "1/√rows, through the last point", VERMILLION, "dash", 2, None)
    fig.add_trace({**named_dots([(here[0], picture.here, here[1])], [THEMES[mode].text]), "cliponaxis": False})
    fig.update_layout(hovermode="closest")
    fig.update_xaxes(title_text="appended rows n<sub>e</sub>", **decades())
    fig.update_yaxes(title_text="distance to the penalised fit")
    log_axis(fig.update_yaxes, largest_ratio(picture.distance))
    return fig


def realised_figure(picture: RealisedPicture, mode: str) -> go.Figure:
    """Fig. 1: realised regulariser and its curvature, theory lines and empirical crosses."""
    fig, needed = panels(mode, ("Realised regulariser", "Strong convexity"), height=400), 2 * picture.floor
    moor, summed = ("MOOR (max)", BLUE, "solid", 3.5), ("existing DP-ERM (sum)", ORANGE, "dash", 2.5)
    for column, y, (name, color, dash, width), named in (
        (1, picture.target, ("target", GREY, "dot", 3), True),
        (1, picture.moor, moor, True),
        (1, picture.summed, summed, True),
        (2, picture.modulus, ("MOOR, weights held fixed (the proof)", VERMILLION, "dash", 2), True),
        (2, picture.curvature, moor, False),
        (2, picture.curvature_sum, summed, False),
    ):
        hover = f"θ = %{{x:.2f}}<br>%{{y:.3g}}<extra>{name}</extra>"
        more = {"legendgroup": name, "showlegend": named, "col": column, "row": 1}
        line(fig, picture.theta, y, name, color, dash, width, hover, **more)
    cross = {"symbol": "x-thin-open", "size": 9, "color": THEMES[mode].text, "line": {"width": 2}}
    hover = "θ = %{x:.2f}<br>%{y:.3g}<extra>rows</extra>"
    for column, y, name in (
        (1, picture.empirical, f"{grouped(picture.rows)} rows"),
        (2, picture.empirical_modulus, ""),
    ):
        dots(fig, picture.crosses, y, name, cross, hover, showlegend=bool(name), col=column, row=1)
    fig.add_hline(y=needed, line={"color": THEMES[mode].muted, "dash": "dot", "width": 1}, col=2, row=1)
    fig.add_annotation(
        x=0, y=needed, text="2Λ₀: needed", showarrow=False, yanchor="bottom", col=2, row=1,
        font={"size": 12, "color": THEMES[mode].muted},
    )  # fmt: skip
    top = 2.5 * max(needed, float(picture.curvature_sum[-1]))
    fig.update_yaxes(range=[-0.04 * top, top], col=2, row=1)
    fig.update_xaxes(title_text="coefficient θ")
    fig.update_yaxes(title_text="R", rangemode="tozero", col=1, row=1)
    fig.update_yaxes(title_text="curvature", col=2, row=1)
    return fig


def paths_figure(picture: PathPicture, mode: str) -> go.Figure:
    """Coefficients over the iterations with their limit, and the change of the loss in per cent."""
    fig = panels(mode, ("Coefficients", "Change of the loss (per cent)"), height=390, widths=[0.62, 0.38])
    paths, change = picture.trace.paths, picture.trace.percentage_change
    times = list(range(1, len(paths) + 1))
    for j in range(min(paths.shape[1], 16)):
        color, name = PALETTE[j % len(PALETTE)], f"θ{j + 1:d}"
        dash, drawn = "solid" if j < len(PALETTE) else "dash", "lines+markers" if len(times) < 4 else "lines"
        hover = f"t = %{{x}}<br>{name} = %{{y:.4g}}<extra></extra>"
        line(fig, times, paths[:, j], name, color, dash, 2, hover, mode=drawn, showlegend=False, col=1, row=1)
        if picture.limit is not None:
            ring = {"symbol": "circle-open", "size": 10, "color": color, "line": {"width": 2}}
            told, more = f"limit {name} = %{{y:.4g}}<extra></extra>", {"showlegend": j == 0, "col": 1, "row": 1}
            dots(fig, times[-1:], [picture.limit[j]], "limit nₑ → ∞, T → ∞", ring, told, **more)
    if len(times) > 1:
        right = {"showlegend": False, "col": 2, "row": 1}
        line(fig, times[1:], change, "change", BLUE, None, 3, "t = %{x}<br>%{y:.3g} %<extra></extra>", **right)
        shown = [float(value) for value in change if value > 0] or [1.0]
        log_axis(partial(fig.update_yaxes, col=2, row=1), largest_ratio(shown))
    fig.update_xaxes(title_text="iteration t", rangemode="tozero")
    fig.update_yaxes(title_text="coefficient", col=1, row=1)
    return fig


def laws_figure(laws: OutputLaws, mode: str) -> go.Figure:
    """Both output densities on a logarithmic axis; their names state the probability of exactly 0."""
    fig = figure(mode, height=350)
    for y, atom, name, color, dash in (
        (laws.absent, laws.atoms[0], "record absent", GREY, "dash"),
        (laws.present, laws.atoms[1], "record present", BLUE, "solid"),
    ):
        shown = np.asarray([value if value > 0 else np.nan for value in y])
        line(fig, laws.theta, shown, name, color, dash, 3, "%{y:.4g}")
        fig.data[-1].name += f"; P(θ = 0) = {atom:.3f}"
    fig.update_xaxes(title_text="released θ", unifiedhovertitle_text="θ = %{x:.3f}")
    fig.update_yaxes(title_text="density (a gap: none)", **decades())
    return fig


def sweep_figure(
    strengths: Sequence[float], deltas: Mapping[str, Sequence[float]], names: Mapping[str, str], here: float, mode: str
) -> go.Figure:
    """δ at the claimed ε against Λ, for every variant; the claim is 0 everywhere.

    Parameters
    ----------
    strengths : Λ
    deltas : δ at each Λ, by variant
    names : names of the variants
    here : Λ of the vertical line
    mode : "light" or "dark"
    """
    fig, some = figure(mode, height=350), list(strengths)[::3]
    for key, values in deltas.items():
        width = 4 if key == "certified" else 2.5
        line(fig, list(strengths), list(values), names[key], VARIANT_COLORS[key], None, width, "δ = %{y:.4f}")
    cross = {"mode": "lines+markers", "marker": {"symbol": "x", "size": 7}}
    line(fig, some, [0.0] * len(some), "claimed", THEMES[mode].muted, "dash", 2, None, **cross)
    fig.add_shape(upright(mode, here))
    fig.update_xaxes(
        title_text="lasso strength Λ", type="log", dtick="D2", tickformat=".3~g", unifiedhovertitle_text="Λ = %{x:.3g}"
    )
    top = max(max(values) for values in deltas.values()) or 1.0
    fig.update_yaxes(title_text="δ at the claimed ε", range=[-0.04 * top, 1.06 * top])
    return fig


def selection_figure(summary: Summary, epsilon: float, methods: Sequence[str], mode: str) -> go.Figure:
    """Share of true coefficients found against share of zeros selected, as Λ varies.

    Parameters
    ----------
    summary : of the simulation
    epsilon : budget
    methods : keys of `COMPARED`
    mode : "light" or "dark"
    """
    fig = figure(mode, height=350)
    fig.update_layout(hovermode="closest")
    for name in methods:
        title, color, dash = STYLES[name]
        wrong, right = (summary.of(name, score, epsilon) for score in ("false positives", "true positives"))
        hover = f"{title}<br>Λ = %{{customdata:.3g}}<br>%{{x:.2f}}, %{{y:.2f}}<extra></extra>"
        more = {"mode": "lines+markers", "marker": {"size": 5}, "customdata": list(summary.strengths)}
        line(fig, wrong, right, title, color, dash, 2.5, hover, **more)
    line(fig, [0, 1], [0, 1], "guessing", THEMES[mode].muted, None, 1, None)
    fig.update_xaxes(title_text="false positive rate", range=[-0.03, 1.03])
    fig.update_yaxes(title_text="true positive rate", range=[-0.03, 1.03])
    return fig


def simulation_figure(
    summary: Summary, score: str, epsilon: float, methods: Sequence[str], title: str, mode: str
) -> go.Figure:
    """One score against Λ with standard errors, for several methods.

    Parameters
    ----------
    summary : of the simulation
    score : key of `STUDY_SCORES`
    epsilon : budget
    methods : keys of `COMPARED`
    title : of the axis
    mode : "light" or "dark"
    """
    fig = figure(mode, height=350)
    for name in methods:
        mean, error = summary.of(name, score, epsilon), _bars(summary.error_of(name, score, epsilon))
        line(fig, list(summary.strengths), mean, *STYLES[name], 2.5, "%{y:.4g}", error_y=error)
    fig.update_xaxes(title_text="lasso strength Λ", **decades(), unifiedhovertitle_text="Λ = %{x:.3g}")
    fig.update_yaxes(title_text=plain(title), rangemode="tozero")
    return fig


def _bars(errors: Iterable[float]) -> dict[str, Any]:
    return {"type": "data", "array": errors, "thickness": 1, "width": 2}


def budget_figure(
    summary: Summary, strengths: Sequence[int], methods: Sequence[str], title: str, mode: str, *,
    printed: Mapping[str, float] | None = None,
) -> go.Figure:  # fmt: skip
    """Prediction error against ε with a panel for each of a few Λ (Fig. 6). Printed numbers are open stars at ε = 1.

    Parameters
    ----------
    summary : of the simulation
    strengths : positions of the Λ shown
    methods : keys of `COMPARED`
    title : of the axis
    mode : "light" or "dark"
    printed : printed errors by method, in every panel
    """
    fig = panels(mode, [f"Λ = {summary.strengths[at]:g}" for at in strengths], height=400)
    for column, at in enumerate(strengths, 1):
        panel = {"showlegend": column == 1, "col": column, "row": 1}
        for name in methods:
            label, color, dash = STYLES[name]
            error, spread = (
                [values(name, "prediction error", epsilon)[at] for epsilon in summary.epsilons]
                for values in (summary.of, summary.error_of)
            )
            hover = f"{label}<br>ε = %{{x:.2f}}<br>%{{y:.4g}}<extra></extra>"
            more = {"mode": "lines+markers", "error_y": _bars(spread), "legendgroup": name}
            line(fig, list(summary.epsilons), error, label, color, dash, 2.5, hover, **more, **panel)
        for (name, value), symbol in zip((printed or {}).items(), ("star-open", "star-square-open"), strict=False):
            label = f"printed: {STYLES[name][0]}, {100 * value:.1f} %"
            star = {"symbol": symbol, "size": 13, "color": THEMES[mode].text, "line": {"width": 1.5}}
            hover = f"{label}, Λ not said<extra></extra>"
            dots(fig, [1.0], [value], label, star, hover, legendgroup=f"printed {name}", **panel)
    fig.update_xaxes(title_text="claimed ε (nats)", rangemode="tozero")
    fig.update_yaxes(matches="y")
    fig.update_yaxes(title_text=plain(title), col=1, row=1)
    return fig


def printed_figure(rates: Mapping[str, float], mode: str) -> go.Figure:
    """Errors that a source prints, by method, at ε = 1."""
    fig = figure(mode, height=350)
    names = [plain(STYLES[name][0]) for name in rates]
    star = {"symbol": "star-open", "size": 14, "color": THEMES[mode].text, "line": {"width": 1.5}}
    text = [f"{100 * value:.1f} %" for value in rates.values()]
    told = {"mode": "markers+text", "text": text, "textposition": "middle right", "showlegend": True}
    dots(fig, names, list(rates.values()), "printed in the source", star, None, **told)
    fig.update_xaxes(type="category")
    fig.update_yaxes(title_text="misclassified", tickformat=".1~%", range=[0, 1.3 * max(rates.values())])
    return fig


def utility_figure(axis: Sequence[float], curves: Mapping[str, Sequence[float]], title: str, mode: str) -> go.Figure:
    """Excess risk per record, measured and bounded, on logarithmic axes.

    Parameters
    ----------
    axis : budgets or numbers of records
    curves : risks by name
    title : of the axis
    mode : "light" or "dark"
    """
    fig = figure(mode, height=390)
    for name, values in curves.items():
        label = name if any(value > 0 for value in values) else f"{name} (no value here)"
        line(fig, list(axis), list(values), label, *_UTILITY[name], "%{y:.3g}", mode="lines+markers")
    fig.update_xaxes(
        title_text=plain(title), type="log", dtick="D2", tickformat=".3~r", unifiedhovertitle_text="%{x:.3~r}"
    )
    fig.update_yaxes(title_text="excess risk per record", **decades())
    return fig


def size_figure(
    axis: Sequence[float], curves: Mapping[str, Sequence[float]], x: str, y: str, here: float | None, mode: str
) -> go.Figure:
    """Up to three curves of noise or sample size on logarithmic axes; a gap where a value is 0 or infinite.

    Parameters
    ----------
    axis : x of all curves
    curves : y by name
    x, y : titles of the axes
    here : x of a vertical line
    mode : "light" or "dark"
    """
    fig = figure(mode, height=330)
    for (name, values), look in zip(curves.items(), _SIZES, strict=False):
        shown = [value if 0 < value < float("inf") else None for value in values]
        label = name if any(shown) else f"{name} (0 here)"
        line(fig, list(axis), shown, label, *look, 2.5, "%{y:.3g}", mode="lines+markers", marker={"size": 5})
    if here is not None:
        fig.add_shape(upright(mode, here))
    fig.update_xaxes(title_text=plain(x), unifiedhovertitle_text="%{x:.3~r}")
    log_axis(fig.update_xaxes, axis[-1] / axis[0])
    fig.update_yaxes(title_text=plain(y), **decades())
    return fig


_CUT_OFF = 50  # bars are cut off at so many times the modulus needed, since higher ones show nothing more
_HEIGHT = 330  # height of the following figures, in pixels


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
    """Fig. 2 from data: the convexity that the target gives each coefficient, the one needed, and that of each form."""
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
    """Number the coefficients on the horizontal axis."""
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
