"""Settings of releases: accuracy against the share of rows under a target, with the frontier of every mechanism."""

import math
from collections.abc import Mapping

import plotly.graph_objects as go

from dpcore.exhibits.per_instance.settings import MechanismSweeps, SettingPoint
from dpcore.figures.colors import BLUE, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import log_axis
from dpcore.figures.parts import dots
from dpcore.figures.theme import THEMES, figure, plain

_MARKS = (("circle", BLUE), ("square", ORANGE), ("diamond", PURPLE), ("triangle-up", SKY))


def settings(found: MechanismSweeps, mode: str, *, chosen: Mapping[str, SettingPoint] | None = None) -> go.Figure:
    """All settings of each mechanism (faint), its frontier (joined), the setting in use, and the chosen ones."""
    fig = figure(mode, height=440)
    for name, sweep in found.sweeps.items():
        symbol, color = _MARKS[found.place(name) % len(_MARKS)]
        noise = sweep.now.mechanism.noise
        for points, opacity, line in ((sweep.points, 0.3, "markers"), (sweep.frontier(), 1.0, "lines+markers")):
            shown = {"showlegend": False} if opacity < 1 else {"name": plain(name)}
            fig.add_scatter(
                x=[100 * point.share for point in points], y=[_shown(point) for point in points], mode=line, **shown,
                legendgroup=name, line={"color": color, "width": 3}, opacity=opacity,
                marker={"symbol": symbol, "size": 8 if opacity == 1 else 5, "color": color},
                customdata=[(point.mechanism.lam, getattr(point.mechanism, noise.name)) for point in points],
                hovertemplate=f"{plain(name)}<br>λ = %{{customdata[0]:.3g}}, {plain(noise.symbol)} = %{{customdata[1]:.3g}}"
                "<br>%{x:.3g} % of the rows<br>%{y:.4g}<extra></extra>",
            )  # fmt: skip
    marked = [("in use", [found.in_use.now], "star")]
    if chosen:
        marked.append(("best for the share wanted", list(chosen.values()), "circle-open"))
    for title, those, symbol in marked:
        mark = {"symbol": symbol, "size": 14, "color": VERMILLION, "line": {"width": 2.5, "color": VERMILLION}}
        x, y = [100 * point.share for point in those], [_shown(point) for point in those]
        dots(fig, x, y, title, mark, "%{x:.3g} % of the rows<br>%{y:.4g}<extra></extra>")
    score = found.in_use.now.accuracy
    fig.update_layout(hovermode="closest")
    fig.update_xaxes(title_text=f"rows with ε ≤ {found.in_use.target:.3g} (%)", range=[-2, 102])
    better = "more" if score.higher_is_better else "less"
    fig.update_yaxes(
        title_text=plain(f"{score.name}{' (%)' if score.share else ''}, {better} is better"),
        zerolinecolor=THEMES[mode].border,
    )
    told = [*found.worth_choosing, *(point for _, those, _ in marked for point in those)]
    _frame(fig, [_shown(point) for point in told], logarithmic=not score.share)
    return fig


def _frame(fig: go.Figure, values: list[float], *, logarithmic: bool) -> None:
    """Fit the vertical axis to the settings worth choosing; much worse settings may lie outside."""
    low, high = min(values), max(values)
    if logarithmic and 0 < low < high / 3:
        log_axis(fig.update_yaxes, high / low)
        low, high = math.log10(low), math.log10(high)
    room = 0.08 * (high - low) or 1.0
    fig.update_yaxes(range=[low - room, high + room])


def _shown(point: SettingPoint) -> float:
    return 100 * point.accuracy.value if point.accuracy.share else point.accuracy.value
