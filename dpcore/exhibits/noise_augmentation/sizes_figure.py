"""Noise and sample sizes of noise augmentation on logarithmic axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dpcore.figures.curves import log_axis
from dpcore.figures.theme import BLUE, GREEN, THEMES, VERMILLION, decades, figure, plain

_LOOKS = ((VERMILLION, "dash"), (BLUE, "solid"), (GREEN, "dot"))


def size_figure(
    axis: Sequence[float], curves: Mapping[str, Sequence[float]], x: str, y: str, mode: str, *, here: float | None = None,
    height: int = 330,
) -> go.Figure:  # fmt: skip
    """Up to three curves on logarithmic axes; a gap where a value is 0 or infinite.

    Parameters
    ----------
    axis : x of all curves
    curves : y by name
    x, y : titles of the axes
    mode : "light" or "dark"
    here : x of a vertical line
    height : pixels
    """
    fig = figure(mode, height=height)
    for (name, values), (color, dash) in zip(curves.items(), _LOOKS, strict=False):
        shown = [value if 0 < value < float("inf") else None for value in values]
        label = name if any(shown) else f"{name} (0 here)"
        fig.add_scatter(
            x=list(axis), y=shown, mode="lines+markers", name=plain(label), hovertemplate="%{y:.3g}",
            line={"color": color, "dash": dash, "width": 2.5}, marker={"size": 5},
        )  # fmt: skip
    if here is not None:
        fig.add_vline(x=here, line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"})
    fig.update_xaxes(title_text=plain(x), unifiedhovertitle_text="%{x:.3~r}")
    log_axis(fig.update_xaxes, axis[-1] / axis[0])
    fig.update_yaxes(title_text=plain(y), **decades())
    return fig
