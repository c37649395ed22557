"""Figures that play: exact frames, a button and a slider of Plotly's own, so that an exported page plays too."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.figures.theme import THEMES, plain

_SLIDER = 0.34  # where it begins, right of the buttons on a narrow chart too
_ROOM = 56  # pixels below the axis for the slider


def play(
    fig: go.Figure,
    frames: Sequence[go.Frame],
    names: Sequence[str],
    mode: str,
    *,
    label: str = "",
    milliseconds: int = 90,
) -> None:
    """Give a figure its frames, in order, with a button that plays them and a slider that stands on the last one.

    Parameters
    ----------
    fig : as the last frame shows it
    frames : what each position shows, named like `names`
    names : of the positions
    mode : "light" or "dark"
    label : before the name of the position shown
    milliseconds : for which each frame is shown
    """
    tokens = THEMES[mode]
    fig.frames = [frame.update(name=plain(name)) for frame, name in zip(frames, names, strict=True)]
    at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}, "transition": {"duration": 0}}
    running = {**at_once, "frame": {"duration": milliseconds, "redraw": False}}
    button = {"bgcolor": tokens.panel, "bordercolor": tokens.border, "font": {"color": tokens.text, "size": 14}}
    fig.update_layout(
        margin={"b": 56 + _ROOM},
        updatemenus=[{
            "type": "buttons", "direction": "left", "showactive": False, "x": 0, "xanchor": "left", "y": 0, "yanchor": "top",
            "pad": {"t": 60, "r": 8}, **button,
            "buttons": [
                {"label": "▶ Play", "method": "animate", "args": [None, {**running, "fromcurrent": False}]},
                {"label": "❚❚", "method": "animate", "args": [[None], at_once]},
            ],
        }],
        sliders=[{
            "active": len(names) - 1, "x": _SLIDER, "len": 1 - _SLIDER, "xanchor": "left", "y": 0, "yanchor": "top", "pad": {"t": 42},
            "currentvalue": {"prefix": f"{plain(label)} " if label else "", "font": {"size": 14, "color": tokens.text}, "xanchor": "left"},
            "bgcolor": tokens.muted, "activebgcolor": tokens.primary, "bordercolor": tokens.border, "tickcolor": tokens.muted,
            "font": {"color": "rgba(0,0,0,0)", "size": 1}, "ticklen": 0, "minorticklen": 0,
            "steps": [
                {"label": plain(name), "method": "animate", "args": [[plain(name)], at_once]} for name in names
            ],
        }],
    )  # fmt: skip
