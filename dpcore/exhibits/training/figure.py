"""Private training: draws of a release, learners against ε, what solvers cost."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import Any

import plotly.graph_objects as go

from dpcore.exhibits.training import solver_study as solvers
from dpcore.exhibits.training.pictures import CLAIMED, CoefficientSpread, in_bars
from dpcore.exhibits.training.study import Series
from dpcore.figures.colors import BLUE, GREEN, GREY, ORANGE, PALETTE, PURPLE, SKY, VERMILLION
from dpcore.figures.parts import dots, line
from dpcore.figures.theme import THEMES, decades, figure, plain
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
# Symbols of printed numbers, which have the colour of the text because they are not computed here.
PRINTED_SYMBOLS = ("star-open", "hexagon-open", "pentagon-open", "star-diamond-open")
# Pixels that a name above the bars takes, and pixels of a figure that are not between its axes. If the first is halved,
# names touch each other.
_NAME, _AROUND = 24, 76
# Bars from the least to the largest draw, and share of the axis that stays empty at each end. If the first is doubled,
# most bars count one draw or two.
_BARS, _EMPTY = 20, 0.03
_OF_EPSILON = {
    "title": {"text": "ε (nats)"}, "type": "log", "dtick": "D2", "tickformat": ".3~g", "unifiedhovertitle": {"text": "ε = %{x:.3g}"},
}  # fmt: skip


def _marked(
    fig: go.Figure, x: Iterable[Any], y: Iterable[Any], name: str, color: str, symbol: str, hover: str, *,
    size: int = 8, **more: Any,
) -> None:  # fmt: skip
    """Add a line with marked points.

    Parameters
    ----------
    fig : the figure to which it is added
    x, y, name : its points, and its name in the legend
    color, symbol, size : its look
    hover : text shown under the pointer
    more : further parts of the trace
    """
    marks = {"mode": "lines+markers", "marker": {"symbol": symbol, "size": size}}
    line(fig, x, y, name, color, None, 2.5, hover, **marks, **more)


def draws_figure(
    values: Sequence[float],
    lines: Mapping[str, tuple[float, str]],
    title: str,
    mode: str,
    *,
    share: bool = False,
    height: int = 330,
) -> go.Figure:
    """Histogram of one number over the noise draws, with vertical lines that end at their name and number.

    Each name has a height of its own above the bars, so that names do not meet on a narrow screen either.

    Parameters
    ----------
    values : one for each draw
    lines : (place, colour) by name
    title : title of the horizontal axis
    mode : "light" or "dark"
    share : whether the numbers are shares, written in per cent
    height : pixels
    """
    fig = figure(mode, height=height)
    counts, edges = in_bars(values, _BARS)
    fig.add_bar(
        x=(edges[:-1] + edges[1:]) / 2, y=counts, name="noise draws", hovertemplate="%{y} draws",
        marker={"color": BLUE, "opacity": 0.65},
    )  # fmt: skip
    finite = {name: one for name, one in lines.items() if math.isfinite(one[0])}
    ends = [*edges, *(at for at, _ in finite.values())]
    low, high = min(ends), max(ends)
    empty = _EMPTY * (high - low)
    room = _NAME / (height - _AROUND)
    for i, (name, (at, color)) in enumerate(finite.items()):
        top, place = 1 - (i + 1) * room, (at - low) / (high - low or 1.0)
        look = {"color": color, "width": 2.5, "dash": ("dash", "dot", "dashdot")[i % 3]}
        fig.add_shape(type="line", x0=at, x1=at, y0=0, y1=top, yref="paper", line=look)
        fig.add_annotation(
            x=at, y=top, yref="paper", yanchor="bottom", xanchor="left" if place < 1 / 3 else "right" if place > 2 / 3 else "center",
            text=f"{plain(name)} {f'{100 * at:.2f} %' if share else f'{at:.3g}'}", showarrow=False, borderpad=1,
            font={"size": 14, "color": THEMES[mode].text}, bgcolor=THEMES[mode].background,
        )  # fmt: skip
    fig.update_layout(bargap=0.05, hovermode="closest", showlegend=False, margin={"t": 12})
    fig.update_xaxes(title_text=plain(title), tickformat=".1~%" if share else None, range=[low - empty, high + empty])
    fig.update_yaxes(title_text="draws", range=[0, max(counts) + 0.5], domain=[0, 1 - len(finite) * room - 0.03])
    return fig


def coefficients_figure(spread: CoefficientSpread, mode: str) -> go.Figure:
    """Each coefficient without noise, and the range that contains 90 % of the releases."""
    fig = figure(mode, height=330)
    place = list(range(len(spread.names)))
    across = [x for i in place for x in (i, i, None)]  # one trace with gaps
    ends = [y for i in place for y in (spread.low[i], spread.high[i], None)]
    line(fig, across, ends, "90 % of the draws", BLUE, None, 3, None)
    named, told = [plain(name) for name in spread.names], "%{customdata}: %{y:.3g}<extra></extra>"
    diamond = {"color": THEMES[mode].text, "size": 7, "symbol": "diamond"}
    dots(fig, place, spread.centre, "without noise", diamond, told, customdata=named)
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
    title : title of the vertical axis
    mode : "light" or "dark"
    published : printed (ε, score), by name
    """
    fig = figure(mode, height=430)
    for i, entry in enumerate(series):
        claimed = entry.name in CLAIMED
        name = f"{entry.name} — claimed, not a guarantee" if claimed else entry.name
        color, dash = COLORS.get(entry.name, PALETTE[i % 7]), "dash" if claimed else "solid"
        marks = {"mode": "lines+markers", "marker": {"symbol": "x" if claimed else SYMBOLS[i % 6], "size": 8}}
        errors = [0 if math.isnan(e) else 2 * e for e in entry.standard_error]
        bars = {"error_y": {"type": "data", "array": errors, "thickness": 1.2}}
        line(fig, entry.epsilon, entry.mean, name, color, dash, 2.5, "%{y:.4g}", **marks, **bars)
    star = {"size": 12, "line": {"width": 1.5}, "color": THEMES[mode].text}
    for (name, (epsilons, values)), symbol in zip((published or {}).items(), cycle(PRINTED_SYMBOLS), strict=False):
        dots(fig, epsilons, values, f"printed in the source: {name}", {"symbol": symbol} | star, "%{y:.4g}")
    if math.isfinite(baseline):
        fig.add_hline(
            y=baseline, line={"color": THEMES[mode].muted, "width": 1.5, "dash": "dashdot"},
            annotation={"text": "without privacy", "font": {"size": 12, "color": THEMES[mode].muted}},
        )  # fmt: skip
    fig.update_xaxes(_OF_EPSILON)
    fig.update_yaxes(title_text=plain(title))
    return fig


def settings_figure(epsilons: Sequence[float], sigma: Sequence[float], lam: Sequence[float], mode: str) -> go.Figure:
    """Noise and regularisation against ε, on logarithmic axes."""
    fig = figure(mode, height=430)
    _marked(fig, epsilons, sigma, "noise σ", BLUE, "circle", "%{y:.3g}")
    _marked(fig, epsilons, lam, "regularisation λ", ORANGE, "square", "%{y:.3g}")
    fig.update_xaxes(_OF_EPSILON)
    fig.update_yaxes(title_text="σ and λ, sum form", **decades())
    return fig


def excess_figure(measured: Sequence[Series], bounds: Sequence[Series], mode: str) -> go.Figure:
    """Measured excess risk per record, and its bound, on logarithmic axes."""
    fig = figure(mode, height=360)
    for group, dash, words in ((measured, "solid", "measured"), (bounds, "dot", "bound")):
        for i, entry in enumerate(group):
            shown = [value if value > 0 else None for value in entry.mean]
            name, color = f"{entry.name}, {words}", COLORS.get(entry.name, PALETTE[i % 7])
            line(fig, entry.epsilon, shown, name, color, dash, 2.5, "%{y:.3g}", mode="lines+markers")
    fig.update_layout(legend={"entrywidth": 0.33, "entrywidthmode": "fraction"})
    fig.update_xaxes(_OF_EPSILON)
    fig.update_yaxes(title_text="excess risk per record", **decades())
    return fig


def solver_figure(points: Sequence[solvers.SolverPoint], mode: str, *, bound: Curve | None = None) -> go.Figure:
    """Gradient evaluations against the number of records; thin lines have the slopes of theory, a bound is dashed."""
    fig = figure(mode, height=380)
    for i, (key, title) in enumerate(solvers.SOLVER_TITLES.items()):
        shown = [p for p in points if p.solver == key and math.isfinite(p.evaluations)]
        if not shown:
            continue
        sizes, slope, first = [p.n for p in shown], solvers.THEORY_SLOPES[key], shown[0]
        _marked(fig, sizes, [p.evaluations for p in shown], title, PALETTE[i], SYMBOLS[i], "%{y:,}")
        theory = [first.evaluations * (n / first.n) ** slope for n in sizes]
        line(fig, sizes, theory, f"n^{slope:g}", PALETTE[i], "dot", 1, None, showlegend=False)
    if bound is not None:
        line(fig, bound.x, bound.y, bound.name, PALETTE[0], "dash", 2, "%{y:,}")
    fig.update_xaxes(title_text="records n", **decades(), unifiedhovertitle_text="n = %{x:,}")
    fig.update_yaxes(title_text="gradient evaluations", **decades())
    return fig


def race_figure(runners: Sequence[solvers.Runner], passes: float, mode: str) -> go.Figure:
    """The gradient norm of each solver against its passes, up to a number of passes; the axes do not change with it."""
    fig = figure(mode, height=400)
    for i, runner in enumerate(runners):
        shown = runner.passes <= passes
        name, look = solvers.SOLVER_TITLES[runner.solver], (PALETTE[i], SYMBOLS[i])
        _marked(fig, runner.passes[shown], runner.norm[shown], name, *look, "%{y:.2g}", size=5)
    ends = [end for runner in runners for end in runner.ends]
    fig.update_xaxes(title_text="passes over the records", type="log", range=[-0.05, math.log10(solvers.MOST_PASSES) + 0.05],
                     dtick="D2", unifiedhovertitle_text="%{x:.0f} passes")  # fmt: skip
    fig.update_yaxes(title_text="gradient norm ‖∇J‖", **decades(),
                     range=[math.log10(max(min(ends), 1e-9)) - 0.2, math.log10(max(ends)) + 0.2])  # fmt: skip
    return fig


def stopping_figure(points: Sequence[solvers.StoppingPoint], mode: str) -> go.Figure:
    """Gradient evaluations and noise on the result against τ, at the same guarantee."""
    fig = figure(mode, height=380)
    taus, evaluations, noises = zip(*((p.tau, p.evaluations, p.sigma_out) for p in points), strict=True)
    _marked(fig, taus, evaluations, "gradient evaluations (left)", BLUE, "circle", "%{y:.3g}", yaxis="y")
    _marked(fig, taus, noises, "noise on the result (right)", VERMILLION, "square", "%{y:.3g}", yaxis="y2")
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
