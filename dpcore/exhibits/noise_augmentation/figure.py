"""Noise augmentation: the rows, the realised regulariser, the iteration, the simulations and the attack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpcore.audit.napp import OutputLaws
from dpcore.data.names import grouped
from dpcore.exhibits.noise_augmentation.pictures import PathPicture, RealisedPicture, RowPicture
from dpcore.exhibits.noise_augmentation.simulation import Summary
from dpcore.figures.curves import log_axis
from dpcore.figures.theme import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALETTE,
    PURPLE,
    SKY,
    THEMES,
    VERMILLION,
    decades,
    figure,
    plain,
    template,
)

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


def _panels(mode: str, titles: Sequence[str], *, height: int, widths: Sequence[float] | None = None) -> go.Figure:
    fig = make_subplots(cols=len(titles), horizontal_spacing=0.1, subplot_titles=list(titles), column_widths=widths)
    fig.update_layout(
        template=template(mode),
        height=height,
        hovermode="closest",
        legend={"y": -0.2, "yanchor": "top"},
        margin={"t": 36},
    )
    fig.update_annotations(font_color=THEMES[mode].text, font_size=14)
    return fig


def rows_figure(picture: RowPicture, rows: int, mode: str, *, height: int = 380) -> go.Figure:
    """Data and appended rows in two columns; distance of the fit to its limit against n_e."""
    fig = _panels(mode, ("Two columns of the augmented data", "Distance of the fit to its limit"), height=height)
    fig.add_scatter(
        x=picture.data[:, 0], y=picture.data[:, 1], mode="markers", name="data", marker={"color": GREY, "size": 6, "opacity": 0.55},
        customdata=picture.data_y, hovertemplate="y = %{customdata:.3g}<extra>data</extra>", col=1, row=1,
    )  # fmt: skip
    fig.add_scatter(
        x=picture.rows[:, 0], y=picture.rows[:, 1], mode="markers", name="appended rows",
        marker={"color": VERMILLION, "size": 6, "symbol": "x-thin-open", "line": {"width": 1.5}}, customdata=picture.rows_y,
        hovertemplate="e_y = %{customdata:.3g}<extra>appended</extra>", col=1, row=1,
    )  # fmt: skip
    fig.add_scatter(
        x=picture.sizes, y=picture.distance, mode="lines+markers", name="measured, ‖θ − limit‖", line={"color": BLUE, "width": 3},
        hovertemplate="n<sub>e</sub> = %{x}<br>%{y:.3g}<extra></extra>", col=2, row=1,
    )  # fmt: skip
    half = [picture.distance[-1] * (picture.sizes[-1] / size) ** 0.5 for size in picture.sizes]
    fig.add_scatter(
        x=picture.sizes, y=half, mode="lines", name="slope −½, as claimed", line={"color": VERMILLION, "width": 2, "dash": "dash"},
        hoverinfo="skip", col=2, row=1,
    )  # fmt: skip
    fig.add_scatter(
        x=[rows], y=[picture.here], mode="markers", name="this n<sub>e</sub>",
        marker={"symbol": "circle-open", "size": 13, "color": THEMES[mode].text, "line": {"width": 2.5}},
        hovertemplate="one draw: %{y:.3g}<extra></extra>", col=2, row=1,
    )  # fmt: skip
    fig.update_xaxes(title_text="first column", col=1, row=1)
    fig.update_yaxes(title_text="second column", col=1, row=1)
    fig.update_xaxes(title_text="appended rows n<sub>e</sub>", **decades(), col=2, row=1)
    fig.update_yaxes(title_text="distance", **decades(), col=2, row=1)
    return fig


def realised_figure(picture: RealisedPicture, mode: str, *, height: int = 400) -> go.Figure:
    """Fig. 1: realised regulariser and its curvature, theory lines and empirical crosses."""
    fig = _panels(mode, ("Realised regulariser", "Strong convexity"), height=height)
    lines = (
        (1, picture.target, "target", GREY, "dot", 3),
        (1, picture.moor, "MOOR (max)", BLUE, "solid", 3.5),
        (1, picture.summed, "existing DP-ERM (sum)", ORANGE, "dash", 2.5),
        (2, picture.modulus, "MOOR, weights held fixed (the proof)", VERMILLION, "dash", 2),
        (2, picture.curvature, "MOOR (max)", BLUE, "solid", 3.5),
        (2, picture.curvature_sum, "existing DP-ERM (sum)", ORANGE, "dash", 2.5),
    )
    named = set()
    for column, y, name, color, dash, width in lines:
        fig.add_scatter(
            x=picture.theta, y=y, mode="lines", name=plain(name), legendgroup=plain(name), showlegend=name not in named,
            line={"color": color, "dash": dash, "width": width},
            hovertemplate=f"θ = %{{x:.2f}}<br>%{{y:.3g}}<extra>{plain(name)}</extra>", col=column, row=1,
        )  # fmt: skip
        named.add(name)
    for column, y, name in (
        (1, picture.empirical, f"{grouped(picture.rows)} rows"),
        (2, picture.empirical_modulus, ""),
    ):
        fig.add_scatter(
            x=picture.crosses, y=y, mode="markers", name=plain(name), showlegend=bool(name),
            marker={"symbol": "x-thin-open", "size": 9, "color": THEMES[mode].text, "line": {"width": 2}},
            hovertemplate="θ = %{x:.2f}<br>%{y:.3g}<extra>rows</extra>", col=column, row=1,
        )  # fmt: skip
    fig.add_hline(y=2 * picture.floor, line={"color": THEMES[mode].muted, "dash": "dot", "width": 1}, col=2, row=1)
    fig.add_annotation(
        x=0, y=2 * picture.floor, text="2Λ₀: needed", showarrow=False, yanchor="bottom", col=2, row=1,
        font={"size": 12, "color": THEMES[mode].muted},
    )  # fmt: skip
    top = 2.5 * max(2 * picture.floor, float(picture.curvature_sum[-1]))
    fig.update_yaxes(range=[-0.04 * top, top], col=2, row=1)
    fig.update_xaxes(title_text="coefficient θ")
    fig.update_yaxes(title_text="R", rangemode="tozero", col=1, row=1)
    fig.update_yaxes(title_text="curvature", col=2, row=1)
    return fig


def paths_figure(picture: PathPicture, mode: str, *, height: int = 390) -> go.Figure:
    """Coefficients over iterations with the point they move to, and the change of the loss in per cent."""
    fig = _panels(mode, ("Coefficients", "Change of the loss (per cent)"), height=height, widths=[0.62, 0.38])
    paths = picture.trace.paths
    times = list(range(1, len(paths) + 1))
    for j in range(min(paths.shape[1], 16)):
        color = PALETTE[j % len(PALETTE)]
        fig.add_scatter(
            x=times, y=paths[:, j], mode="lines+markers" if len(times) < 4 else "lines", name=f"θ{j + 1:d}", showlegend=False,
            line={"color": color, "width": 2, "dash": "solid" if j < len(PALETTE) else "dash"},
            hovertemplate=f"t = %{{x}}<br>θ{j + 1:d} = %{{y:.4g}}<extra></extra>", col=1, row=1,
        )  # fmt: skip
        if picture.limit is not None:
            fig.add_scatter(
                x=[times[-1]], y=[picture.limit[j]], mode="markers", showlegend=j == 0, name="limit n<sub>e</sub> → ∞, T → ∞",
                marker={"symbol": "circle-open", "size": 10, "color": color, "line": {"width": 2}},
                hovertemplate=f"limit θ{j + 1:d} = %{{y:.4g}}<extra></extra>", col=1, row=1,
            )  # fmt: skip
    if len(times) > 1:
        fig.add_scatter(
            x=times[1:], y=picture.trace.percentage_change, mode="lines", showlegend=False, line={"color": BLUE, "width": 3},
            hovertemplate="t = %{x}<br>%{y:.3g} %<extra></extra>", col=2, row=1,
        )  # fmt: skip
        log_axis(partial(fig.update_yaxes, col=2, row=1), _ratio(picture.trace.percentage_change))
    fig.update_xaxes(title_text="iteration t", rangemode="tozero")
    fig.update_yaxes(title_text="coefficient", col=1, row=1)
    return fig


def _ratio(values: Iterable[float]) -> float:
    """Largest over least of the values that a logarithmic axis shows."""
    shown = [float(value) for value in values if value > 0]
    return max(shown) / min(shown) if shown else 1.0


def laws_figure(laws: OutputLaws, mode: str, *, height: int = 350) -> go.Figure:
    """Both output densities on a logarithmic axis, with the probability of exactly 0 as a marker on its own axis."""
    fig = figure(mode, height=height)
    for y, atom, name, color, dash in (
        (laws.absent, laws.atoms[0], "record absent", GREY, "dash"),
        (laws.present, laws.atoms[1], "record present", BLUE, "solid"),
    ):
        shown = np.asarray([value if value > 0 else np.nan for value in y])
        fig.add_scatter(
            x=laws.theta, y=shown, mode="lines", name=f"{plain(name)}; P(θ = 0) = {atom:.3f}",
            line={"color": color, "dash": dash, "width": 3},
            hovertemplate="%{y:.4g}",
        )  # fmt: skip
    fig.update_xaxes(title_text="released θ", unifiedhovertitle_text="θ = %{x:.3f}")
    fig.update_yaxes(title_text="density (a gap: none)", **decades())
    return fig


def sweep_figure(
    strengths: Sequence[float], deltas: Mapping[str, Sequence[float]], names: Mapping[str, str], here: float, mode: str,
    *, height: int = 350,
) -> go.Figure:  # fmt: skip
    """δ at the claimed ε against Λ, for every variant; the claim is 0 everywhere.

    Parameters
    ----------
    strengths : Λ
    deltas : δ at each, by variant
    names : of the variants
    here : Λ of the line
    mode : "light" or "dark"
    height : pixels
    """
    fig = figure(mode, height=height)
    for key, values in deltas.items():
        fig.add_scatter(
            x=list(strengths), y=list(values), mode="lines", name=plain(names[key]),
            line={"color": VARIANT_COLORS[key], "width": 4 if key == "certified" else 2.5}, hovertemplate="δ = %{y:.4f}",
        )  # fmt: skip
    fig.add_scatter(
        x=list(strengths)[::3], y=[0.0] * len(list(strengths)[::3]), mode="lines+markers", name="claimed", hoverinfo="skip",
        line={"color": THEMES[mode].muted, "dash": "dash", "width": 2}, marker={"symbol": "x", "size": 7},
    )  # fmt: skip
    fig.add_vline(x=here, line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"})
    fig.update_xaxes(
        title_text="lasso strength Λ", type="log", dtick="D2", tickformat=".3~g", unifiedhovertitle_text="Λ = %{x:.3g}"
    )
    top = max(max(values) for values in deltas.values()) or 1.0
    fig.update_yaxes(title_text="δ at the claimed ε", range=[-0.04 * top, 1.06 * top])
    return fig


def selection_figure(
    summary: Summary, epsilon: float, methods: Sequence[str], mode: str, *, height: int = 350
) -> go.Figure:
    """Share of true coefficients found against share of zeros selected, as Λ varies.

    Parameters
    ----------
    summary : of the simulation
    epsilon : budget
    methods : keys of `COMPARED`
    mode : "light" or "dark"
    height : pixels
    """
    fig = figure(mode, height=height)
    fig.update_layout(hovermode="closest")
    for name in methods:
        title, color, dash = STYLES[name]
        fig.add_scatter(
            x=summary.of(name, "false positives", epsilon), y=summary.of(name, "true positives", epsilon), mode="lines+markers",
            name=plain(title), line={"color": color, "dash": dash, "width": 2.5}, marker={"size": 5},
            customdata=list(summary.strengths),
            hovertemplate=f"{plain(title)}<br>Λ = %{{customdata:.3g}}<br>%{{x:.2f}}, %{{y:.2f}}<extra></extra>",
        )  # fmt: skip
    fig.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        name="guessing",
        line={"color": THEMES[mode].muted, "width": 1},
        hoverinfo="skip",
    )
    fig.update_xaxes(title_text="false positive rate", range=[-0.03, 1.03])
    fig.update_yaxes(title_text="true positive rate", range=[-0.03, 1.03])
    return fig


def simulation_figure(
    summary: Summary, score: str, epsilon: float, methods: Sequence[str], title: str, mode: str, *, height: int = 350
) -> go.Figure:
    """One score against Λ with standard errors, for several methods.

    Parameters
    ----------
    summary : of the simulation
    score : key of `SCORES`
    epsilon : budget
    methods : keys of `COMPARED`
    title : of the axis
    mode : "light" or "dark"
    height : pixels
    """
    fig = figure(mode, height=height)
    for name in methods:
        label, color, dash = STYLES[name]
        fig.add_scatter(
            x=list(summary.strengths), y=summary.of(name, score, epsilon), mode="lines", name=plain(label),
            error_y={"type": "data", "array": summary.error_of(name, score, epsilon), "thickness": 1, "width": 2},
            line={"color": color, "dash": dash, "width": 2.5}, hovertemplate="%{y:.4g}",
        )  # fmt: skip
    fig.update_xaxes(title_text="lasso strength Λ", **decades(), unifiedhovertitle_text="Λ = %{x:.3g}")
    fig.update_yaxes(title_text=plain(title), rangemode="tozero")
    return fig


def budget_figure(
    summary: Summary, strengths: Sequence[int], methods: Sequence[str], title: str, mode: str, *,
    printed: Mapping[str, float] | None = None, height: int = 400,
) -> go.Figure:  # fmt: skip
    """Prediction error against ε, a panel for each of some Λ (Fig. 6); numbers a source prints are open stars at ε = 1.

    Parameters
    ----------
    summary : of the simulation
    strengths : positions of the Λ shown
    methods : keys of `COMPARED`
    title : of the axis
    mode : "light" or "dark"
    printed : printed errors by method, in every panel
    height : pixels
    """
    fig = _panels(mode, [f"Λ = {summary.strengths[at]:g}" for at in strengths], height=height)
    for column, at in enumerate(strengths, 1):
        for name in methods:
            label, color, dash = STYLES[name]
            error, spread = (
                [values(name, "prediction error", epsilon)[at] for epsilon in summary.epsilons]
                for values in (summary.of, summary.error_of)
            )
            fig.add_scatter(
                x=list(summary.epsilons), y=error, error_y={"type": "data", "thickness": 1, "width": 2, "array": spread},
                mode="lines+markers", name=plain(label), legendgroup=name, showlegend=column == 1,
                line={"color": color, "dash": dash, "width": 2.5},
                hovertemplate=f"{plain(label)}<br>ε = %{{x:.2f}}<br>%{{y:.4g}}<extra></extra>", col=column, row=1,
            )  # fmt: skip
        for (name, value), symbol in zip((printed or {}).items(), ("star-open", "star-square-open"), strict=False):
            label = f"printed: {STYLES[name][0]}, {100 * value:.1f} %"
            fig.add_scatter(
                x=[1.0], y=[value], mode="markers", name=plain(label), legendgroup=f"printed {name}", showlegend=column == 1,
                marker={"symbol": symbol, "size": 13, "color": THEMES[mode].text, "line": {"width": 1.5}},
                hovertemplate=f"{plain(label)}, Λ not said<extra></extra>", col=column, row=1,
            )  # fmt: skip
    fig.update_xaxes(title_text="claimed ε (nats)", rangemode="tozero")
    fig.update_yaxes(matches="y")
    fig.update_yaxes(title_text=plain(title), col=1, row=1)
    return fig


def utility_figure(
    axis: Sequence[float], curves: Mapping[str, Sequence[float]], title: str, mode: str, *, height: int = 390
) -> go.Figure:
    """Excess risk per record, measured and bounded, on logarithmic axes.

    Parameters
    ----------
    axis : budgets or numbers of records
    curves : risks by name
    title : of the axis
    mode : "light" or "dark"
    height : pixels
    """
    fig = figure(mode, height=height)
    styles = {
        "measured, mean": (BLUE, "solid", 4), "measured, 95 % quantile": (SKY, "solid", 2), "proven, mean": (GREEN, "solid", 2.5),
        "proven, 95 %": (GREEN, "dot", 2), "Lemma 7 as printed, t = 1": (VERMILLION, "dash", 2),
        "measured at t = 1, mean": (PURPLE, "solid", 2.5), "Theorem 8 as printed": (ORANGE, "dash", 2),
        "Theorem 10, C′ = 1": (ORANGE, "dash", 2),
    }  # fmt: skip
    for name, values in curves.items():
        color, dash, width = styles[name]
        silent = not any(value > 0 for value in values)
        fig.add_scatter(
            x=list(axis), y=list(values), mode="lines+markers", name=f"{plain(name)} (no value here)" if silent else plain(name),
            line={"color": color, "dash": dash, "width": width}, hovertemplate="%{y:.3g}",
        )  # fmt: skip
    fig.update_xaxes(
        title_text=plain(title), type="log", dtick="D2", tickformat=".3~r", unifiedhovertitle_text="%{x:.3~r}"
    )
    fig.update_yaxes(title_text="excess risk per record", **decades())
    return fig
