"""The membership game as one sees it: one output among references, a score, and a trade-off curve that fills in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dpcore.audit import Limit, Roc, Round
from dpcore.figures.theme import LINE_STYLES, PALETTE, THEMES, figure, plain
from dpcore.profiles import Bound

ABSENT, PRESENT = PALETTE[0], PALETTE[1]
_BINS = 31


@dataclass(frozen=True)
class Attacked:
    """One attack to draw.

    Parameters
    ----------
    name : of the curve
    roc : what the attack showed so far, if anything
    limit : hit rate that the claim allows at each false-alarm rate
    """

    name: str
    roc: Roc | None
    limit: Limit


def guess_figure(
    reference: tuple[np.ndarray, np.ndarray], shown: float, history: Sequence[Round], label: str, mode: str
) -> go.Figure:
    """Reference outputs of either case as histograms, the output to guess as a line, and earlier ones in a strip below.

    Earlier outputs have the colour of the truth; a cross is one that was guessed wrong.

    Parameters
    ----------
    reference : outputs without and with the record, (references,) each
    shown : the output to guess
    history : rounds played
    label : what an output is
    mode : "light" or "dark"
    """
    fig = figure(mode, height=265)
    seen = [one.shown for one in history] + [shown]
    low, high = min(*reference[0], *reference[1], *seen), max(*reference[0], *reference[1], *seen)
    step = float(high - low) / _BINS or 1.0
    bins = {"start": float(low), "end": float(high) + step, "size": step}
    for values, name, color, pattern in (
        (reference[0], "without the record", ABSENT, "/"),
        (reference[1], "with the record", PRESENT, "\\"),
    ):
        fig.add_histogram(
            x=values, name=plain(name), xbins=bins, opacity=0.55, hovertemplate="%{y}",
            marker={"color": color, "pattern": {"shape": pattern, "size": 6, "fillmode": "overlay"}},
        )  # fmt: skip
    for present, color in ((False, ABSENT), (True, PRESENT)):
        of_kind = [one for one in history if one.present is present]
        fig.add_scatter(
            x=[one.shown for one in of_kind], y=[0.7 if present else 0.3 for _ in of_kind], yaxis="y2", mode="markers",
            showlegend=False, hoverinfo="skip",
            marker={"color": color, "size": 8, "symbol": ["circle" if one.right else "x" for one in of_kind]},
        )  # fmt: skip
    fig.add_shape(
        type="line", x0=shown, x1=shown, y0=0, y1=1, yref="paper", line={"color": THEMES[mode].text, "width": 3}
    )
    fig.add_scatter(
        x=[None],
        y=[None],
        mode="lines",
        name="this output",
        line={"color": THEMES[mode].text, "width": 3},
        hoverinfo="skip",
    )
    fig.update_layout(
        barmode="overlay",
        bargap=0,
        yaxis={"domain": [0.17, 1], "title": {"text": "reference runs"}, "rangemode": "tozero"},
        yaxis2={"domain": [0, 0.13], "range": [0, 1], "visible": False, "anchor": "x"},
        xaxis={"anchor": "y2", "title": {"text": plain(label)}, "range": [float(low) - step, float(high) + step]},
    )
    return fig


def score_figure(running: tuple[np.ndarray, np.ndarray], limit: float, mode: str) -> go.Figure:
    """Share of right guesses so far, yours and the optimal attacker's, and the long-run limit of the claim."""
    fig = figure(mode, height=265)
    played = len(running[0])
    last = max(10, played)
    fig.add_scatter(
        x=[0, last], y=[limit, limit], mode="lines", name="limit", hoverinfo="skip",
        line={"color": ABSENT, **LINE_STYLES[Bound.EXACT]},
    )  # fmt: skip
    fig.add_scatter(
        x=[0, last], y=[0.5, 0.5], mode="lines", showlegend=False, hoverinfo="skip",
        line={"color": THEMES[mode].muted, "width": 1, "dash": "dashdot"},
    )  # fmt: skip
    for name, share, style in (
        ("optimal", running[1], {"color": PALETTE[2], "width": 3, "dash": "dot"}),
        ("you", running[0], {"color": THEMES[mode].text, "width": 3}),
    ):
        fig.add_scatter(
            x=list(range(1, played + 1)), y=share, mode="lines+markers" if played < 2 else "lines", name=plain(name), line=style,
            hovertemplate="%{y:.0%}",
        )  # fmt: skip
    fig.update_xaxes(
        title_text="guesses", range=[0, last], unifiedhovertitle_text="after %{x}", dtick=None if last > 10 else 2
    )
    fig.update_yaxes(title_text="right", range=[0, 1.04], tickformat=".0%")
    fig.update_layout(legend={"itemwidth": 30, "font": {"size": 12}})
    return fig


def roc_figure(attacked: Sequence[Attacked], mode: str) -> go.Figure:
    """Misses against false alarms: what each claim allows, and what the attack has shown with its simultaneous band."""
    fig = figure(mode, height=430)
    for i, one in enumerate(attacked):
        color = PALETTE[i % len(PALETTE)]
        fig.add_scatter(
            x=one.limit.false_alarm, y=1 - one.limit.hit, name=f"{plain(one.name)}: allowed by the claim", mode="lines",
            line={"color": color, **LINE_STYLES[Bound.EXACT]}, hovertemplate="%{y:.4f}",
        )  # fmt: skip
        if one.roc is None:
            continue
        fig.add_scatter(
            x=one.roc.low[0], y=1 - one.roc.low[1], mode="lines", line={"color": color, "width": 0.5, "shape": "vh"},
            showlegend=False, hoverinfo="skip",
        )  # fmt: skip
        fig.add_scatter(
            x=one.roc.high[0], y=1 - one.roc.high[1], mode="lines", line={"color": color, "width": 0.5, "shape": "vh"},
            fill="tonexty", fillcolor=_faint(color), showlegend=False, hoverinfo="skip",
        )  # fmt: skip
        fig.add_scatter(
            x=one.roc.false_alarm, y=1 - one.roc.hit, name=f"{plain(one.name)}: attack, with band", mode="lines",
            line={"color": THEMES[mode].text if len(attacked) == 1 else color, "width": 2.5, "dash": "dot"},
            hovertemplate="%{y:.4f}",
        )  # fmt: skip
    fig.add_scatter(
        x=[0, 1], y=[1, 0], mode="lines", name="guessing", hoverinfo="skip",
        line={"color": THEMES[mode].muted, "width": 1, "dash": "dashdot"},
    )  # fmt: skip
    fig.update_xaxes(title_text="false alarms", range=[0, 1], unifiedhovertitle_text="false alarms = %{x:.4f}")
    fig.update_yaxes(title_text="misses", range=[0, 1.01])
    return fig


def _faint(color: str) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.15)"
