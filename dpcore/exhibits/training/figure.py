"""Private training: draws of a release, learners against ε, what solvers cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dpcore.exhibits.training.pictures import CLAIMED, CoefficientSpread
from dpcore.exhibits.training.race import MOST_PASSES, Runner
from dpcore.exhibits.training.solver_study import SOLVER_TITLES, THEORY_SLOPES, SolverPoint, StoppingPoint
from dpcore.exhibits.training.study import Series
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
)
from dpcore.profiles.curves import Curve

COLORS = {
    "Algorithm 1, tight": BLUE,
    "Algorithm 1, published settings": VERMILLION,
    "Algorithm 1, 1.3 σ_G and Thm 3.1": SKY,
    "Output perturbation": PURPLE,
    "Posterior sample": SKY,
    "DP-SGD, one rate": GREEN,
    "DP-SGD, honest": ORANGE,
    "DP-SGD, dishonest": GREY,
}
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x")
PRINTED_SYMBOLS = (
    "star-open",
    "hexagon-open",
    "pentagon-open",
    "star-diamond-open",
)  # in the text's colour: computed here is none


def draws_figure(
    values: Sequence[float],
    lines: Mapping[str, tuple[float, str]],
    title: str,
    mode: str,
    *,
    share: bool = False,
    height: int = 330,
) -> go.Figure:
    """Histogram of one number over the noise draws, with named vertical lines in colours of their own.

    Parameters
    ----------
    values : one for each draw
    lines : (place, colour) by name
    title : of the horizontal axis
    mode : "light" or "dark"
    share : whether the numbers are shares, written in per cent
    height : pixels
    """
    fig = figure(mode, height=height)
    fig.add_histogram(
        x=values, nbinsx=30, name="noise draws", marker={"color": BLUE, "opacity": 0.65}, hovertemplate="%{y} draws"
    )
    styles = ("dash", "dot", "dashdot")
    for i, (name, (at, color)) in enumerate(lines.items()):
        if math.isfinite(at):
            fig.add_scatter(
                x=[at, at], y=[0, 1], yaxis="y2", mode="lines", name=plain(name), hoverinfo="skip",
                line={"color": color, "width": 2.5, "dash": styles[i % 3]},
            )  # fmt: skip
    fig.update_layout(
        yaxis2={"overlaying": "y", "range": [0, 1], "visible": False}, bargap=0.05, hovermode="closest",
        margin={"t": 64},
    )  # fmt: skip
    fig.update_xaxes(title_text=plain(title), tickformat=".1~%" if share else None)
    fig.update_yaxes(title_text="draws", selector={"overlaying": None})
    return fig


def coefficients_figure(spread: CoefficientSpread, mode: str) -> go.Figure:
    """Each coefficient without noise, and where 90 % of the releases fall."""
    fig = figure(mode, height=330)
    place = list(range(len(spread.names)))
    for i in place:
        fig.add_scatter(
            x=[i, i], y=[spread.low[i], spread.high[i]], mode="lines", line={"color": BLUE, "width": 3},
            name="90 % of the draws", showlegend=i == 0, legendgroup="draws", hoverinfo="skip",
        )  # fmt: skip
    fig.add_scatter(
        x=place, y=spread.centre, mode="markers", name="without noise", customdata=[plain(name) for name in spread.names],
        marker={"color": THEMES[mode].text, "size": 7, "symbol": "diamond"},
        hovertemplate="%{customdata}: %{y:.3g}<extra></extra>",
    )  # fmt: skip
    fig.update_layout(hovermode="closest")
    fig.update_xaxes(title_text="coefficients, largest first", showticklabels=len(place) <= 12, tickvals=place,
                     ticktext=[plain(name, 12) for name in spread.names], showgrid=False)  # fmt: skip
    fig.update_yaxes(title_text="value", zeroline=True, zerolinecolor=THEMES[mode].muted)
    return fig


def study_figure(
    series: Sequence[Series],
    baseline: float,
    title: str,
    mode: str,
    *,
    published: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
) -> go.Figure:
    """A score against ε for each learner with standard errors, the line without privacy, and printed numbers.

    Parameters
    ----------
    series : one for each learner
    baseline : the score without privacy
    title : of the vertical axis
    mode : "light" or "dark"
    published : (ε, score) as printed, by name
    """
    fig = figure(mode, height=430)
    for i, entry in enumerate(series):
        claimed = entry.name in CLAIMED
        fig.add_scatter(
            x=entry.epsilon, y=entry.mean, mode="lines+markers",
            name=f"{plain(entry.name)} — claimed, not a guarantee" if claimed else plain(entry.name),
            error_y={"type": "data", "array": [0 if math.isnan(e) else 2 * e for e in entry.standard_error], "thickness": 1.2},
            line={"color": COLORS.get(entry.name, PALETTE[i % 7]), "width": 2.5, "dash": "dash" if claimed else "solid"},
            marker={"symbol": "x" if claimed else SYMBOLS[i % 6], "size": 8}, hovertemplate="%{y:.4g}",
        )  # fmt: skip
    for i, (name, (epsilons, values)) in enumerate((published or {}).items()):
        fig.add_scatter(
            x=epsilons, y=values, mode="markers", name=f"printed in the source: {plain(name)}", hovertemplate="%{y:.4g}",
            marker={
                "symbol": PRINTED_SYMBOLS[i % len(PRINTED_SYMBOLS)], "size": 12, "line": {"width": 1.5},
                "color": THEMES[mode].text,
            },
        )  # fmt: skip
    if math.isfinite(baseline):
        fig.add_hline(
            y=baseline, line={"color": THEMES[mode].muted, "width": 1.5, "dash": "dashdot"},
            annotation={"text": "without privacy", "font": {"size": 12, "color": THEMES[mode].muted}},
        )  # fmt: skip
    fig.update_xaxes(title_text="ε (nats)", type="log", dtick="D2", tickformat=".3~g",
                     unifiedhovertitle_text="ε = %{x:.3g}")  # fmt: skip
    fig.update_yaxes(title_text=plain(title))
    return fig


def settings_figure(epsilons: Sequence[float], sigma: Sequence[float], lam: Sequence[float], mode: str) -> go.Figure:
    """Noise and regularisation against ε, on logarithmic axes."""
    fig = figure(mode, height=430)
    for name, values, color, symbol in (
        ("noise σ", sigma, BLUE, "circle"),
        ("regularisation λ", lam, ORANGE, "square"),
    ):
        fig.add_scatter(
            x=epsilons, y=values, name=plain(name), mode="lines+markers", line={"color": color, "width": 2.5},
            marker={"symbol": symbol, "size": 8}, hovertemplate="%{y:.3g}",
        )  # fmt: skip
    fig.update_xaxes(title_text="ε (nats)", type="log", dtick="D2", tickformat=".3~g",
                     unifiedhovertitle_text="ε = %{x:.3g}")  # fmt: skip
    fig.update_yaxes(title_text="σ and λ, sum form", **decades())
    return fig


def excess_figure(measured: Sequence[Series], bounds: Sequence[Series], mode: str, *, height: int = 430) -> go.Figure:
    """Measured excess risk per record beside its bound, on logarithmic axes."""
    fig = figure(mode, height=height)
    for group, dash, words in ((measured, "solid", "measured"), (bounds, "dot", "bound")):
        for i, entry in enumerate(group):
            fig.add_scatter(
                x=entry.epsilon, y=[value if value > 0 else None for value in entry.mean], mode="lines+markers",
                name=f"{plain(entry.name)}, {plain(words)}",
                line={"color": COLORS.get(entry.name, PALETTE[i % 7]), "width": 2.5, "dash": dash},
                hovertemplate="%{y:.3g}",
            )  # fmt: skip
    fig.update_layout(legend={"entrywidth": 0.33, "entrywidthmode": "fraction"})
    fig.update_xaxes(title_text="ε (nats)", type="log", dtick="D2", tickformat=".3~g",
                     unifiedhovertitle_text="ε = %{x:.3g}")  # fmt: skip
    fig.update_yaxes(title_text="excess risk per record", **decades())
    return fig


def solver_figure(
    points: Sequence[SolverPoint], mode: str, *, bound: Curve | None = None, height: int = 430
) -> go.Figure:
    """Gradient evaluations against the number of records, with the theory's slopes as thin lines and a proven bound dashed."""
    fig = figure(mode, height=height)
    for i, (key, title) in enumerate(SOLVER_TITLES.items()):
        shown = [p for p in points if p.solver == key and math.isfinite(p.evaluations)]
        if not shown:
            continue
        fig.add_scatter(
            x=[p.n for p in shown], y=[p.evaluations for p in shown], name=plain(title), mode="lines+markers",
            line={"color": PALETTE[i], "width": 2.5}, marker={"symbol": SYMBOLS[i], "size": 8}, hovertemplate="%{y:,}",
        )  # fmt: skip
        slope = THEORY_SLOPES[key]
        fig.add_scatter(
            x=[p.n for p in shown], y=[shown[0].evaluations * (p.n / shown[0].n) ** slope for p in shown], mode="lines",
            name=f"n^{slope:g}", showlegend=False, hoverinfo="skip", line={"color": PALETTE[i], "width": 1, "dash": "dot"},
        )  # fmt: skip
    if bound is not None:
        fig.add_scatter(
            x=bound.x, y=bound.y, name=plain(bound.name), mode="lines", hovertemplate="%{y:,}",
            line={"color": PALETTE[0], "width": 2, "dash": "dash"},
        )  # fmt: skip
    fig.update_xaxes(title_text="records n", **decades(),
                     unifiedhovertitle_text="n = %{x:,}")  # fmt: skip
    fig.update_yaxes(title_text="gradient evaluations", **decades())
    return fig


def race_figure(runners: Sequence[Runner], passes: float, mode: str) -> go.Figure:
    """The gradient's norm of each solver over the passes it has made, up to a number of passes; axes that stand still."""
    fig = figure(mode, height=400)
    for i, runner in enumerate(runners):
        shown = runner.passes <= passes
        fig.add_scatter(
            x=runner.passes[shown], y=runner.norm[shown], name=plain(SOLVER_TITLES[runner.solver]), mode="lines+markers",
            line={"color": PALETTE[i], "width": 2.5}, marker={"symbol": SYMBOLS[i], "size": 5}, hovertemplate="%{y:.2g}",
        )  # fmt: skip
    ends = [end for runner in runners for end in runner.ends]
    fig.update_xaxes(title_text="passes over the records", type="log", range=[-0.05, math.log10(MOST_PASSES) + 0.05],
                     dtick="D2", unifiedhovertitle_text="%{x:.0f} passes")  # fmt: skip
    fig.update_yaxes(title_text="gradient norm ‖∇J‖", **decades(),
                     range=[math.log10(max(min(ends), 1e-9)) - 0.2, math.log10(max(ends)) + 0.2])  # fmt: skip
    return fig


def stopping_figure(points: Sequence[StoppingPoint], mode: str, *, height: int = 430) -> go.Figure:
    """What a larger τ saves in evaluations and costs in noise on the result, at the same guarantee."""
    fig = figure(mode, height=height)
    for name, values, axis, color, symbol in (
        ("gradient evaluations (left)", [p.evaluations for p in points], "y", BLUE, "circle"),
        ("noise on the result (right)", [p.sigma_out for p in points], "y2", VERMILLION, "square"),
    ):
        fig.add_scatter(
            x=[p.tau for p in points], y=values, name=plain(name), yaxis=axis, mode="lines+markers",
            line={"color": color, "width": 2.5}, marker={"symbol": symbol, "size": 8}, hovertemplate="%{y:.3g}",
        )  # fmt: skip
    fig.update_layout(
        yaxis2={
            "overlaying": "y", "side": "right", **decades(), "showgrid": False,
            "title": {"text": "noise on the result σ<sub>out</sub>"},
        },
        margin={"r": 70},
    )  # fmt: skip
    fig.update_xaxes(title_text="gradient norm where the solver stops τ", **decades(),
                     unifiedhovertitle_text="τ = %{x:.1e}")  # fmt: skip
    fig.update_yaxes(title_text="gradient evaluations", selector={"overlaying": None}, tickformat="~s")
    return fig
