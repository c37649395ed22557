"""Settings of a release: the share of rows under a target against accuracy, with the frontier."""

from __future__ import annotations

from itertools import groupby

import plotly.graph_objects as go

from dpcore.figures.theme import BLUE, GREEN, THEMES, VERMILLION, decades, figure, plain
from dpcore.studies.per_instance.settings import SettingPoint, SettingSweep

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")


def settings(sweep: SettingSweep, mode: str, *, chosen: SettingPoint | None = None) -> go.Figure:
    """A line for each penalty from little noise to much, the settings that nothing beats, the one in use, the one chosen."""
    fig = figure(mode, height=400)
    noise = sweep.now.mechanism.noise
    by_penalty = groupby(sweep.points, key=lambda point: point.mechanism.lam)
    for (lam, group), symbol in zip(by_penalty, _SYMBOLS, strict=False):
        points = list(group)
        fig.add_scatter(
            x=[100 * point.share for point in points], y=[_shown(point) for point in points], mode="lines+markers",
            name=f"λ = {lam:.3g}", line={"color": BLUE, "width": 1, "dash": "dot"},
            marker={"symbol": symbol, "size": 7, "color": BLUE},
            customdata=[getattr(point.mechanism, noise.name) for point in points],
            hovertemplate=f"λ = {lam:.3g}, {plain(noise.symbol)} = %{{customdata:.3g}}"
            "<br>%{x:.3g} % of the rows<br>%{y:.4g}<extra></extra>",
        )  # fmt: skip
    best = sweep.frontier()
    fig.add_scatter(
        x=[100 * point.share for point in best], y=[_shown(point) for point in best], mode="lines",
        name="nothing better in both", line={"color": GREEN, "width": 4}, hoverinfo="skip",
    )  # fmt: skip
    marked = [("in use", sweep.now, VERMILLION, "star")]
    marked += [] if chosen is None else [("the best for the share wanted", chosen, GREEN, "circle-open")]
    for name, point, color, symbol in marked:
        fig.add_scatter(
            x=[100 * point.share], y=[_shown(point)], mode="markers", name=plain(name),
            marker={"symbol": symbol, "size": 15, "color": color, "line": {"width": 3, "color": color}},
            hovertemplate="%{x:.3g} % of the rows<br>%{y:.4g}<extra></extra>",
        )  # fmt: skip
    score = sweep.now.accuracy
    fig.update_layout(hovermode="closest")
    fig.update_xaxes(title_text=f"rows with ε ≤ {sweep.target:.3g} (%)", range=[-2, 102])
    better = "more" if score.higher_is_better else "less"
    fig.update_yaxes(
        title_text=plain(f"{score.name}{' (%)' if score.share else ''}, {better} is better"),
        zerolinecolor=THEMES[mode].border,
    )
    values = [_shown(point) for point in sweep.points]
    if not score.share and values and min(values) > 0 and max(values) > 20 * min(values):
        fig.update_yaxes(**decades(None))
    return fig


def _shown(point: SettingPoint) -> float:
    return 100 * point.accuracy.value if point.accuracy.share else point.accuracy.value
