"""Figures of the membership game: one output among references, the score, and the trade-off curve of the attack."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dpcore.audit import Limit, Roc, Round
from dpcore.exhibits.audit.steps import count, even, highest_step
from dpcore.figures.colors import INK, PALETTE, VERMILLION
from dpcore.figures.curves import upright
from dpcore.figures.parts import dots, faint, line
from dpcore.figures.theme import LINE_STYLES, THEMES, figure, plain
from dpcore.profiles import Bound

ABSENT, PRESENT = PALETTE[0], PALETTE[1]
_BESIDE = 320  # height of both games side by side; doubled, they no longer fit the first screen


@dataclass(frozen=True)
class Attacked:
    """One attack to draw.

    Parameters
    ----------
    name : name of the curve
    roc : trade-off curve that the attack has shown so far, if there is one
    limit : hit rate that the claim allows at each false-alarm rate
    """

    name: str
    roc: Roc | None
    limit: Limit


def guess_figure(
    reference: tuple[np.ndarray, np.ndarray], shown: float, history: Sequence[Round], label: str, mode: str
) -> go.Figure:
    """Reference outputs of both cases as outlines, the output to guess as a line, earlier outputs in a strip on top.

    The case without the record is drawn solid, that with it dashed. Earlier outputs have the colour of the true case; a
    cross marks a wrong guess.

    Parameters
    ----------
    reference : outputs without and with the record, (references,) each
    shown : the output to guess
    history : rounds played
    label : title of the axis of outputs
    mode : "light" or "dark"
    """
    fig = figure(mode, height=_BESIDE, showlegend=False, margin={"t": 24, "l": 56})
    edges, both = count(reference, [*(one.shown for one in history), shown])
    for counts, name, color, dash in zip(
        both, ("without the record", "with the record"), (ABSENT, PRESENT), (None, "6px,3px"), strict=True
    ):
        line(
            fig, [edges[0], *edges], [0, *counts, 0], name, color, dash, 2.5, "%{y}",
            line_shape="hv", fill="tozeroy", fillcolor=faint(color, 0.18),
        )  # fmt: skip
    peaks = [highest_step(edges, counts) for counts in both]
    left = 0 if peaks[0][0] <= peaks[1][0] else 1  # the words of both stand on their outer sides
    for i, ((x, y), words) in enumerate(zip(peaks, ("without the record", "with the record"), strict=True)):
        fig.add_annotation(
            x=x, y=y, text=f"<b>{plain(words)}</b>", showarrow=False, yanchor="bottom", xanchor="right" if i == left else "left",
            font={"size": 14, "color": INK.get((ABSENT, PRESENT)[i], ABSENT)},
        )  # fmt: skip
    for present, color in ((False, ABSENT), (True, PRESENT)):
        of_kind = [one for one in history if one.present is present]
        height = [0.7 if present else 0.3] * len(of_kind)
        marker = {"color": color, "size": 8, "symbol": ["circle" if one.right else "x" for one in of_kind]}
        dots(fig, [one.shown for one in of_kind], height, "", marker, None, yaxis="y2", showlegend=False)
    fig.add_shape(upright(mode, shown) | {"line": {"color": THEMES[mode].text, "width": 3}})
    fig.add_annotation(
        x=shown, y=1, yref="paper", yanchor="bottom", text="<b>this output</b>", showarrow=False, font={"size": 14},
    )  # fmt: skip
    fig.update_layout(
        yaxis={
            "domain": [0, 0.84 if history else 1],
            "title": {"text": "practice runs"},
            "range": [0, 1.16 * max(map(max, both))],
        },
        yaxis2={"range": [0, 1], "visible": False}
        | ({"domain": [0.88, 1], "anchor": "x"} if history else {"overlaying": "y"}),
        xaxis={"title": {"text": plain(label)}, "range": [2 * edges[0] - edges[1], edges[-1] + edges[1] - edges[0]]},
    )
    return fig


def score_figure(running: tuple[np.ndarray, np.ndarray], limit: float, mode: str) -> go.Figure:
    """Share of right guesses so far, yours and the optimal attacker's, and the largest share the claim allows."""
    fig = figure(mode, height=265)
    played = len(running[0])
    last = max(10, played)
    line(fig, [0, last], [limit, limit], "claim's limit", ABSENT, hover=None, **LINE_STYLES[Bound.EXACT])
    line(fig, [0, last], [0.5, 0.5], "a coin", THEMES[mode].muted, "dashdot", 1, None, showlegend=False)
    drawn = "lines+markers" if played < 2 else "lines"
    for name, share, color, dash in (
        ("optimal", running[1], PALETTE[2], "dot"),
        ("you", running[0], THEMES[mode].text, None),
    ):
        line(fig, list(range(1, played + 1)), share, name, color, dash, 3, "%{y:.0%}", mode=drawn)
    fig.update_xaxes(
        title_text="guesses", range=[0, last], unifiedhovertitle_text="after %{x}", dtick=None if last > 10 else 2
    )
    fig.update_yaxes(title_text="right guesses", range=[0, 1.04], tickformat=".0%")
    fig.update_layout(legend={"itemwidth": 30, "font": {"size": 12}})
    return fig


def roc_figure(attacked: Sequence[Attacked], mode: str) -> go.Figure:
    """Misses against false alarms: what each claim allows, and what the attack has shown with its simultaneous band."""
    alone = len(attacked) == 1
    fig = figure(mode, height=_BESIDE, showlegend=not alone, margin={"t": 24 if alone else 96, "l": 56})
    for i, one in enumerate(attacked):
        color = PALETTE[i % len(PALETTE)]
        allowed = f"{one.name}: allowed by the claim"
        exact = LINE_STYLES[Bound.EXACT]
        below: dict[str, Any] = {"fill": "tozeroy", "fillcolor": faint(VERMILLION, 0.12)} if alone else {}
        line(fig, one.limit.false_alarm, 1 - one.limit.hit, allowed, color, hover="%{y:.4f}", **exact, **below)
        if one.roc is None:
            continue
        for end, filled in ((one.roc.low, {}), (one.roc.high, {"fill": "tonexty", "fillcolor": faint(color, 0.15)})):
            line(fig, end[0], 1 - end[1], "", color, None, 0.5, None, line_shape="vh", showlegend=False, **filled)
        own = THEMES[mode].text if alone else color
        line(fig, one.roc.false_alarm, 1 - one.roc.hit, f"{one.name}: attack, with band", own, "dot", 2.5, "%{y:.4f}")
    line(fig, [0, 1], [1, 0], "guessing", THEMES[mode].muted, "dashdot", 1, None)
    if alone:
        _name(fig, attacked[0], mode)
    fig.update_xaxes(title_text="false alarms", range=[0, 1], unifiedhovertitle_text="false alarms = %{x:.4f}")
    fig.update_yaxes(title_text="misses", range=[0, 1.01])
    return fig


def _name(fig: go.Figure, one: Attacked, mode: str) -> None:
    """Name the claim, and the attack on it, where false alarms and misses are equal; and the region below, and the coin."""
    at = even(one.limit)
    claim = "<b>the claim</b><br>⋯ the attack" if one.roc else "<b>the claim</b>"
    for named, color in (
        ({"text": claim, "x": at[0], "y": at[1], "xshift": 4}, ABSENT),
        ({"text": "a coin", "x": 0.76, "y": 0.25, "xshift": 4}, THEMES[mode].muted),
        ({"text": "<b>down here the<br>claim is refuted</b>", "x": 0.02, "y": 0.01}, INK[VERMILLION]),
    ):
        fig.add_annotation(
            **named, xanchor="left", yanchor="bottom", align="left", showarrow=False, font={"size": 14, "color": color}
        )
