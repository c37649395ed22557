"""One small picture per lesson."""

from __future__ import annotations

import plotly.graph_objects as go

from dpcore.figures.curves import reference_line
from dpcore.figures.theme import BLUE, GREY, ORANGE, PURPLE, SKY, THEMES, VERMILLION, figure, plain
from dpcore.studies.lessons import Exposure, Reading

AXES = {
    "epsilon": ("noise σ", "chance that Ada is found", "log", "linear"),
    "curves": ("ε (nats)", "δ", "linear", "log"),
    "composition": ("answers k", "ε at δ = 10⁻⁵ (nats)", "linear", "linear"),
    "regularise": ("regularisation λ", "extra loss (mean)", "log", "log"),
    "temperature": ("released value", "density", "linear", "linear"),
    "limits": ("records n", "best possible success", "linear", "linear"),
    "audit": ("false alarms", "detections", "linear", "linear"),
}
_WANTED = {
    "epsilon": (0.10, "wanted: at most 10 %"),
    "curves": (1e-3, "wanted: one in a thousand"),
    "composition": (1.0, "budget ε = 1"),
    "limits": (0.9, "wanted: 0.9"),
}
WIDE = ("regularise",)  # too many decades for ticks at 2 and 5
_COLORS = (BLUE, VERMILLION, SKY)
_DASHES = ("solid", "dash", "dot")


def lesson_figure(key: str, reading: Reading, mode: str, *, height: int = 300) -> go.Figure:
    """The lesson's curves, the slider's position and the level to reach."""
    fig = figure(mode, height=height)
    x_title, y_title, x_type, y_type = AXES[key]
    for curve, color, dash in zip(reading.curves, _COLORS, _DASHES, strict=False):
        fig.add_scatter(
            x=curve.x, y=curve.y, name=plain(curve.name), mode="lines", line={"color": color, "width": 3, "dash": dash},
            hovertemplate="%{y:.3g}",
        )  # fmt: skip
    if key != "audit":
        label = (
            {"text": "true median", "font": {"size": 12, "color": THEMES[mode].muted}, "xshift": 6}
            if key == "temperature"
            else None
        )
        fig.add_vline(x=reading.at, line={"color": THEMES[mode].text, "width": 1.5, "dash": "dash"}, annotation=label)
    fig.update_xaxes(title_text=plain(x_title), type=x_type)
    fig.update_yaxes(title_text=plain(y_title), type=y_type)
    if x_type == "log":
        fig.update_xaxes(dtick=1 if key in WIDE else "D2", tickformat=".4~g")
    if y_type == "log":
        fig.update_yaxes(dtick=1, exponentformat="power")
    if key in _WANTED:
        level, words = _WANTED[key]
        reference_line(fig, mode, y=level, text=words)
    return fig


def exposure_figure(found: Exposure, at: int, mode: str, *, height: int = 300) -> go.Figure:
    """The candidate rows by leverage and residual, the chosen one ringed; their ε stays hidden."""
    fig = figure(mode, height=height)
    fig.add_scatter(
        x=found.leverage, y=found.residual, mode="markers+text", text=[f"{i + 1:d}" for i in range(len(found.rows))],
        textposition="top center", cliponaxis=False, marker={"size": 10, "color": PURPLE}, name="candidate rows",
        hovertemplate="leverage %{x:.3g}<br>residual %{y:.3g}<extra></extra>",
    )  # fmt: skip
    fig.add_scatter(
        x=[found.leverage[at]], y=[found.residual[at]], mode="markers", name="chosen", hoverinfo="skip",
        marker={"symbol": "circle-open", "size": 20, "color": ORANGE, "line": {"width": 3}},
    )  # fmt: skip
    fig.update_layout(hovermode="closest")
    fig.update_xaxes(title_text="leverage", rangemode="tozero", color=THEMES[mode].text)
    fig.update_yaxes(title_text="residual", rangemode="tozero", gridcolor=THEMES[mode].border)
    fig.update_traces(textfont={"color": GREY}, selector={"mode": "markers+text"})
    return fig
