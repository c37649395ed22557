"""One small picture per lesson: first it shows only the guess, later also the curves and the answer."""

import math
from collections.abc import Sequence
from textwrap import wrap

import plotly.graph_objects as go

from dpcore.exhibits.lessons.study import CAUGHT, CAUGHT_LEAST, FALSE_ALARMS, Exposure, Reading
from dpcore.figures.colors import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import log_axis, reference_line
from dpcore.figures.parts import dots, faint, line
from dpcore.figures.theme import THEMES, decades, figure, plain

AXES = {  # titles, whether logarithmic, and ranges with room for all curves, so that the axes never change
    "epsilon": ("noise σ", "chance that Ada is found", True, True, (0.2, 20), (0.04, 1.1)),
    "curves": ("ε (nats)", "δ", False, True, (0, 3), (1e-10, 1)),
    "composition": ("answers k", "ε at δ = 10⁻⁵ (nats)", False, False, (0, 41), (0, 14)),
    "regularise": ("regularisation λ", "extra loss (mean)", True, True, (0.08, 1250), (1e-5, 100)),
    "temperature": ("released value", "density", False, False, (-1, 1), (0, 4.5)),
    "limits": ("records n", "success not ruled out", False, False, (1, 31), (0, 1.05)),
    "audit": ("false alarms", "detections", False, False, (0, 1), (0, 1.02)),
}
_WANTED = {
    "epsilon": (0.10, "wanted: 9 to 10 %"),
    "curves": (1e-3, "wanted: one in a thousand"),
    "composition": (1.0, "budget ε = 1"),
    "limits": (0.9, "wanted: 0.9"),
}

# In these lessons the slider is no value on an axis: it selects a curve, so guess and answer are drawn as curves too.
AIMED = ("temperature", "audit")
_SHORT, _LONG = 20, 60  # letters of a line of a step's name, on a phone and elsewhere
_BAR = 40  # height of a step of the lecture, in pixels
_LIFT = 55  # height of a name above its line, in pixels
# places of the names of eight points, of which three lie close together
_PLACES = ["bottom center", "middle right", *["top center"] * 4, "middle left", "top center"]
_COLORS = (BLUE, VERMILLION, SKY)
_DASHES = ("solid", "dash", "dot")


def question_figure(
    key: str, position: float, mode: str, *, again: float | None = None, height: int = 280
) -> go.Figure:
    """The axes, the level to reach, the guess and the second guess if there is one, but no curve yet.

    Where a guess is no line, so that the axes would be empty, words say that they wait for the answer.

    Parameters
    ----------
    key : key of the lesson
    position : position of the guess
    mode : "light" or "dark"
    again : position of the second guess
    height : pixels
    """
    fig = _axes(key, mode, height)
    if key in AIMED:
        fig.add_scatter(x=[None], y=[None], showlegend=False)
        fig.add_annotation(
            x=0.5, y=0.5, xref="paper", yref="paper", text="drawn with the answer", showarrow=False,
            font={"size": 15, "color": THEMES[mode].muted}, bgcolor=THEMES[mode].background, borderpad=6,
        )  # fmt: skip
        return fig
    _stand(fig, key, position, "your guess", ORANGE, "dash")
    if again is not None:
        _stand(fig, key, again, "once more", THEMES[mode].text, "dot")
    for place, (trace, at, color) in enumerate(
        zip(fig.data, (position, position if again is None else again), (INK[ORANGE], THEMES[mode].text), strict=False)
    ):
        words = ["", f"\u00a0{trace.name}\u00a0"]
        trace.update(
            mode="lines+text", text=words[:: 1 - 2 * place], textfont={"size": 15, "color": color}, cliponaxis=False,
            textposition=f"{'bottom' if not place else 'top'} {'left' if _share(key, at) > 0.5 else 'right'}",
        )  # fmt: skip
    return fig.update_layout(showlegend=False, margin={"t": 12})


def lesson_figure(
    key: str, reading: Reading, mode: str, *, guess: Reading, truth: Reading, height: int = 280
) -> go.Figure:
    """The lesson's curves, with the guess, the answer and the position of the slider.

    Parameters
    ----------
    key : key of the lesson
    reading : at the position of the slider
    mode : "light" or "dark"
    guess : reading at the guess
    truth : reading at the answer
    height : pixels
    """
    fig = _axes(key, mode, height)
    for curve, color, dash in zip(reading.curves, _COLORS, _DASHES, strict=False):
        line(fig, curve.x, curve.y, curve.name, color, dash, 3, "%{y:.3g}")
    for other, name, color, dash in ((guess, "your guess", ORANGE, "dash"), (truth, "the answer", GREEN, "solid")):
        if key in AIMED:
            line(fig, other.curves[-1].x, other.curves[-1].y, name, color, dash, 2, "%{y:.3g}")
        else:
            _stand(fig, key, other.at, name, color, dash)
    if key == "temperature":
        _stand(fig, key, reading.at, "true median", THEMES[mode].muted, "dot")
    elif key not in AIMED:
        fig.add_vline(x=reading.at, line={"color": THEMES[mode].text, "width": 1.5, "dash": "dot"})
    return fig.update_layout(height=height + 16 * max(0, len(fig.data) - 3))  # room for the legend


def _share(key: str, x: float) -> float:
    """How far along its axis a position is, from 0 to 1."""
    _, _, log, _, (low, high), _ = AXES[key]
    return math.log(x / low) / math.log(high / low) if log else (x - low) / (high - low)


def _axes(key: str, mode: str, height: int) -> go.Figure:
    fig = figure(mode, height=height)
    x_title, y_title, x_log, y_log, x_range, y_range = AXES[key]
    for update, title, log, (low, high) in (
        (fig.update_xaxes, x_title, x_log, x_range),
        (fig.update_yaxes, y_title, y_log, y_range),
    ):
        ends = [math.log10(low), math.log10(high)] if log else [low, high]
        update(title_text=plain(title), range=ends)
    fig.update_layout(margin={"t": 40, "b": 44})
    if x_log:
        log_axis(fig.update_xaxes, x_range[1] / x_range[0])
    if key == "epsilon":
        log_axis(fig.update_yaxes, y_range[1] / y_range[0])
        fig.update_yaxes(tickformat=".0%")
        fig.add_hrect(y0=CAUGHT_LEAST, y1=CAUGHT, fillcolor=faint(GREEN, 0.35), line_width=0)
        reference_line(fig, mode, y=FALSE_ALARMS, text="blind guessing: 5 %")
        fig.layout.annotations[-1].update(x=0.01, xanchor="left", font={"size": 14})  # the curve ends on the right
    elif y_log:
        fig.update_yaxes(**decades(2))
    if key in _WANTED:
        level, words = _WANTED[key]
        reference_line(fig, mode, y=level, text=words)
        if key == "epsilon":
            fig.layout.shapes = fig.layout.shapes[:-1]  # the band has no edges
        fig.layout.annotations[-1].update(
            bgcolor=THEMES[mode].background, yshift=2, font={"size": 15, "color": INK[GREEN]}
        )
        if key == "composition":  # the name is moved up, since the curve runs close above the line
            fig.layout.annotations[-1].update(
                showarrow=True, arrowhead=0, arrowcolor=THEMES[mode].muted, x=0.9, ax=0, ay=-_LIFT
            )
    return fig


def _stand(fig: go.Figure, key: str, x: float, name: str, color: str, dash: str) -> None:
    """Add a named vertical line."""
    line(fig, [x, x], list(AXES[key][5]), name, color, dash, 2, None, showlegend=True)


def exposure_figure(found: Exposure, at: int, mode: str, *, guess: int | None = None, height: int = 380) -> go.Figure:
    """The candidate rows by leverage and residual, with a ring around the chosen one.

    After the guess it also shows ε of each row, and rings around the guessed row and the row with the largest ε.

    Parameters
    ----------
    found : the candidates
    at : position of the chosen row
    mode : "light" or "dark"
    guess : position of the guessed row; None before the guess
    height : pixels
    """
    fig = figure(mode, height=height)
    rings = [(at, "chosen", THEMES[mode].text, 20)]
    if guess is not None:
        rings += [(guess, "your guess", ORANGE, 26), (found.most, "the answer", GREEN, 32)]
    fig.add_scatter(
        x=found.leverage, y=found.residual, mode="markers", cliponaxis=False, marker={"size": 13, "color": PURPLE}, name="patients",
        hovertemplate="leverage %{x:.3g}<br>residual %{y:.3g}<extra></extra>",
        selected={"marker": {"opacity": 1}}, unselected={"marker": {"opacity": 1}},
    )  # fmt: skip
    around = [max([13, *(size for row, *_, size in rings if row == i)]) for i in range(len(found.epsilon))]
    fig.add_scatter(  # invisible marks as large as the rings, so that names stand outside of these
        x=found.leverage, y=found.residual, mode="markers+text", textposition=_PLACES, cliponaxis=False, hoverinfo="skip",
        name="numbers", text=[f"{i + 1:d}" if guess is None else f"ε = {value:.2f}" for i, value in enumerate(found.epsilon)],
        marker={"size": around, "opacity": 0}, showlegend=False, textfont={"color": THEMES[mode].text},
        selected={"marker": {"opacity": 0}}, unselected={"marker": {"opacity": 0}, "textfont": {"color": THEMES[mode].text}},
    )  # fmt: skip
    for row, name, color, size in rings:
        ring = {"symbol": "circle-open", "size": size, "color": color, "line": {"width": 3}}
        dots(fig, [found.leverage[row]], [found.residual[row]], name, ring, None)
    fig.update_layout(hovermode="closest", clickmode="event+select", margin_b=44)
    fig.update_xaxes(title_text="leverage", rangemode="tozero", color=THEMES[mode].text)
    fig.update_yaxes(title_text="residual", range=[0, 1.1], gridcolor=THEMES[mode].border)
    return fig


def plan_figure(steps: Sequence[tuple[str, int, int]], mode: str, *, narrow: bool = False) -> go.Figure:
    """The steps of a lecture as bars along its minutes, each with its name beside it.

    Parameters
    ----------
    steps : name, first and last minute of each
    mode : "light" or "dark"
    narrow : whether names need short lines, as on a phone
    """
    end, letters = steps[-1][2], _SHORT if narrow else _LONG
    names = [
        {
            "y": place, "text": f"<b>{'<br>'.join(map(plain, wrap(name, letters)))}</b>", "showarrow": False,
            "font": {"size": 13 if narrow else 16, "color": THEMES[mode].text},
            **(
                {"x": begins, "xanchor": "right", "align": "right", "xshift": -8}
                if begins > end / 2
                else {"x": ends, "xanchor": "left", "align": "left", "xshift": 8}
            ),
        }
        for place, (name, begins, ends) in enumerate(steps)
    ]  # fmt: skip
    bars = {
        "type": "bar", "orientation": "h", "y": list(range(len(steps))), "base": [begins for _, begins, _ in steps],
        "x": [ends - begins for _, begins, ends in steps], "marker": {"color": BLUE}, "showlegend": False,
        "customdata": [ends for *_, ends in steps], "hovertemplate": "minutes %{base} to %{customdata}<extra></extra>",
    }  # fmt: skip
    return figure(
        mode, [bars], height=_BAR * len(steps) + 70, annotations=names, hovermode="closest", bargap=0.3,
        margin={"t": 8, "l": 20}, yaxis={"visible": False, "autorange": "reversed"},
        xaxis={"range": [0, end], "title": {"text": "minutes"}, "dtick": 5 if end < 60 else 10},
    )  # fmt: skip
