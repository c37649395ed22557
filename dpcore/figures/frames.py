"""Figures that play: exact frames, with Plotly's own button and slider, so that an exported page plays too."""

import copy
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dpcore.figures.colors import GREY
from dpcore.figures.deck import Deck
from dpcore.figures.theme import THEMES, is_checked, plain

_SLIDER = 0.34  # share of the width at which the slider begins, right of the buttons even on a narrow chart
_ROOM = 62  # pixels below the axis for the slider
# Most numbers in the frames of an exported figure: some megabytes, as much as Plotly itself. With more, it does not
# play.
_MOST = 600_000


def play(
    fig: go.Figure,
    frames: Iterable[go.Frame],
    names: Sequence[str],
    mode: str,
    *,
    label: str = "",
    milliseconds: int = 90,
    active: int = -1,
    redraw: bool = False,
    slider: bool = True,
) -> None:
    """Give a figure its frames, in order, a button that plays them and a slider that shows one of them.

    A figure made inside `unchecked` is itself one of many frames. It only gets the empty space for button and slider.
    Without a slider, the button stands beside the title of the axis and needs no space.

    Parameters
    ----------
    fig : the figure as the active frame shows it
    frames : what each position shows; they get their names from `names`
    names : names of the positions
    mode : "light" or "dark"
    label : text before the name of the position shown
    milliseconds : time for which each frame is shown
    active : position of the frame shown at first; by default the last one
    redraw : whether the frames change more than traces
    slider : whether there is a slider, with a button that pauses
    """
    if slider:
        fig.update_layout(margin={"b": 56 + _ROOM})
    if not is_checked():
        return
    tokens = THEMES[mode]
    keys = [plain(name) if len(set(names)) == len(names) else str(i) for i, name in enumerate(names)]
    fig.frames = [frame.update(name=key) for frame, key in zip(frames, keys, strict=True)]
    at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": redraw}, "transition": {"duration": 0}}
    running = {**at_once, "frame": {"duration": milliseconds, "redraw": redraw}}
    button = {"bgcolor": tokens.panel, "bordercolor": tokens.border, "font": {"color": tokens.text, "size": 14}}
    buttons = [
        {"label": "▶ Play", "method": "animate", "args": [None, {**running, "fromcurrent": False}]},
        {"label": "❚❚", "method": "animate", "args": [[None], at_once]},
    ]
    fig.update_layout(
        updatemenus=[{
            "type": "buttons", "direction": "left", "showactive": False, "x": 0, "xanchor": "left", "y": 0, "yanchor": "top",
            "pad": {"t": 66 if slider else 28, "r": 8}, **button, "buttons": buttons if slider else buttons[:1],
        }],
        sliders=[] if not slider else [{
            "active": active % len(names), "x": _SLIDER, "len": 1 - _SLIDER, "xanchor": "left", "y": 0, "yanchor": "top", "pad": {"t": 48},
            "currentvalue": {"prefix": f"{plain(label)} " if label else "", "font": {"size": 14, "color": tokens.text}, "xanchor": "left"},
            "bgcolor": tokens.muted, "activebgcolor": tokens.primary, "bordercolor": tokens.border, "tickcolor": tokens.muted,
            "font": {"color": "rgba(0,0,0,0)", "size": 1}, "ticklen": 0, "minorticklen": 0,
            "steps": [
                {"label": plain(name), "method": "animate", "args": [[key], at_once]} for name, key in zip(names, keys, strict=True)
            ],
        }],
    )  # fmt: skip


def following(fig: go.Figure, deck: Deck, mode: str, *, label: str, at: str) -> go.Figure:
    """The figure with its own slider over the frames of a deck, or without one if the file would become too large.

    Parameters
    ----------
    fig : the figure at one position
    deck : the frames of the figure
    mode : "light" or "dark"
    label : text of the slider
    at : the label of the deck for that position
    """
    size = sum(len(value) for track in deck.tracks if track.is_numeric for value in track.values)
    if at not in deck.labels or size > _MOST:
        return fig
    found, whole = go.Figure(fig), fig.to_plotly_json()
    moving = [(re.findall(r"[^.\[\]]+", track.path), track) for track in deck.tracks]
    frames = [_frame(whole, moving, i) for i in range(len(deck.labels))]
    redraw = any(track.path.startswith("layout") or not track.is_numeric for track in deck.tracks)
    play(found, frames, deck.labels, mode, label=label, active=deck.labels.index(at), redraw=redraw)
    if fig.layout.height:
        found.update_layout(height=fig.layout.height + 2 * _ROOM)
    return found


def _frame(whole: dict[str, Any], moving: Sequence[tuple[list[str], Any]], position: int) -> go.Frame:
    """The frame of one position: the attributes of each trace that change, and the parts of the layout that do."""
    traces: dict[int, dict[str, Any]] = {}
    layout: dict[str, Any] = {}
    for (first, second, *rest), track in moving:
        value = track.values[position]
        if first == "data":
            moved = np.asarray(value, f"f{track.width}") if track.is_numeric else value
            _put(traces.setdefault(int(second), {}), rest, moved)
        else:
            layout.setdefault(second, copy.deepcopy(whole["layout"][second]))
            _put(layout, [second, *rest], value)
    kinds = [one.get("type", "scatter") for one in whole["data"]]  # a frame without its kind would turn bars into lines
    data = [{"type": kinds[at], **moved} for at, moved in traces.items()]
    return go.Frame(data=data, traces=list(traces), layout=layout or None)


def _put(part: Any, path: Sequence[str], value: Any) -> None:
    *steps, last = path
    for step in steps:
        part = part[int(step)] if isinstance(part, (list, tuple)) else part.setdefault(step, {})
    part[last] = value


def unanswered(fig: go.Figure) -> go.Figure:
    """The figure before it has played: at its first frame, and without colours that show a number (the answer)."""
    found = go.Figure(fig)
    if found.frames:
        first = found.frames[0]
        for place, moved in zip(first.traces or range(len(first.data)), first.data, strict=True):
            found.data[place].update({name: value for name, value in moved.to_plotly_json().items() if name != "type"})
        found.update_layout(first.layout.to_plotly_json())
        if found.layout.sliders:
            found.layout.sliders[0].active = 0
    for trace in found.data:
        if trace.type.startswith("scatter") and trace.marker.colorscale is not None:
            trace.update(hoverinfo="skip", hovertemplate=None)
            trace.marker.update(color=GREY, colorscale=None, colorbar=None)
    return found
