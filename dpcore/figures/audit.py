"""The membership game as one sees it: one output among references, and a ROC curve that fills in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dpcore.audit import Limit, Roc
from dpcore.figures.theme import LINE_STYLES, PALETTE, THEMES, figure
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
    reference: tuple[np.ndarray, np.ndarray], shown: float, label: str, mode: str, *, height: int = 230
) -> go.Figure:
    """Reference outputs without and with the record as histograms, and the output to guess as a line."""
    fig = figure(mode, height=height)
    both = np.concatenate(reference)
    low, high = float(min(both)), float(max(both))
    step = (high - low) / _BINS or 1.0
    bins = {"start": low, "end": high + step, "size": step}
    for values, name, color, pattern in (
        (reference[0], "without the record", ABSENT, "/"),
        (reference[1], "with the record", PRESENT, "\\"),
    ):
        fig.add_histogram(
            x=values, name=name, xbins=bins, opacity=0.55, hovertemplate="%{y}",
            marker={"color": color, "pattern": {"shape": pattern, "size": 6, "fillmode": "overlay"}},
        )  # fmt: skip
    fig.add_shape(
        type="line", x0=shown, x1=shown, y0=0, y1=1, yref="paper", line={"color": THEMES[mode].text, "width": 3}
    )
    fig.add_annotation(
        x=shown, y=0.97, yref="paper", yanchor="top", xanchor="left", xshift=4, text="this output", showarrow=False,
        font={"color": THEMES[mode].text},
    )  # fmt: skip
    fig.update_layout(barmode="overlay", bargap=0)
    fig.update_xaxes(title_text=label)
    fig.update_yaxes(title_text="reference runs")
    return fig


def roc_figure(attacked: Sequence[Attacked], mode: str, *, height: int = 430) -> go.Figure:
    """Hits against false alarms: what each claim allows, and what the attack has shown with its simultaneous band."""
    fig = figure(mode, height=height)
    for i, one in enumerate(attacked):
        color = PALETTE[i % len(PALETTE)]
        fig.add_scatter(
            x=one.limit.false_alarm, y=one.limit.hit, name=f"{one.name}: most the claim allows", mode="lines",
            line={"color": color, **LINE_STYLES[Bound.EXACT]}, hovertemplate="%{y:.4f}",
        )  # fmt: skip
        if one.roc is None:
            continue
        fig.add_scatter(
            x=one.roc.low[0], y=one.roc.low[1], mode="lines", line={"color": color, "width": 0.5, "shape": "vh"},
            showlegend=False, hoverinfo="skip",
        )  # fmt: skip
        fig.add_scatter(
            x=one.roc.high[0], y=one.roc.high[1], mode="lines", line={"color": color, "width": 0.5, "shape": "vh"},
            fill="tonexty", fillcolor=_faint(color), name=f"{one.name}: band", hoverinfo="skip",
        )  # fmt: skip
        fig.add_scatter(
            x=one.roc.false_alarm, y=one.roc.hit, name=f"{one.name}: attack", mode="lines",
            line={"color": THEMES[mode].text, "width": 2, "dash": "dot" if i else "solid"}, hovertemplate="%{y:.4f}",
        )  # fmt: skip
    fig.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", name="guessing", hoverinfo="skip",
        line={"color": THEMES[mode].muted, "width": 1, "dash": "dashdot"},
    )  # fmt: skip
    fig.update_xaxes(title_text="false alarms", range=[0, 1], unifiedhovertitle_text="false alarms = %{x:.4f}")
    fig.update_yaxes(title_text="hits", range=[0, 1.01])
    return fig


def _faint(color: str) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.15)"
