"""Figures that play: exact frames, a button and a slider of Plotly's own, so that an exported page plays too."""

import copy
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dpcore.figures.colors import GREY
from dpcore.figures.deck import Deck
from dpcore.figures.theme import THEMES, is_checked, plain

_SLIDER = 0.34  # where it begins, right of the buttons on a narrow chart too
_ROOM = 62  # pixels below the axis for the slider
_MOST = 600_000  # numbers in the frames of a figure that is taken away: some megabytes, as much as Plotly itself


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
) -> None:
    """Give a figure its frames, in order, with a button that plays them and a slider that stands on one of them.

    A figure that is itself one of many, for whoever drags a slider of the page, only gets the room for these.

    Parameters
    ----------
    fig : as that frame shows it
    frames : what each position shows, named like `names`
    names : of the positions
    mode : "light" or "dark"
    label : before the name of the position shown
    milliseconds : for which each frame is shown
    active : position of that frame; the last one if not given
    redraw : whether more than traces moves
    """
    fig.update_layout(margin={"b": 56 + _ROOM})
    if not is_checked():
        return
    tokens = THEMES[mode]
    keys = [plain(name) if len(set(names)) == len(names) else str(i) for i, name in enumerate(names)]
    fig.frames = [frame.update(name=key) for frame, key in zip(frames, keys, strict=True)]
    at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": redraw}, "transition": {"duration": 0}}
    running = {**at_once, "frame": {"duration": milliseconds, "redraw": redraw}}
    button = {"bgcolor": tokens.panel, "bordercolor": tokens.border, "font": {"color": tokens.text, "size": 14}}
    fig.update_layout(
        updatemenus=[{
            "type": "buttons", "direction": "left", "showactive": False, "x": 0, "xanchor": "left", "y": 0, "yanchor": "top",
            "pad": {"t": 66, "r": 8}, **button,
            "buttons": [
                {"label": "▶ Play", "method": "animate", "args": [None, {**running, "fromcurrent": False}]},
                {"label": "❚❚", "method": "animate", "args": [[None], at_once]},
            ],
        }],
        sliders=[{
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
    """The figure with a slider of its own over the frames of a deck; without, where they would make a file too large.

    Parameters
    ----------
    fig : as it stands
    deck : what moves in it
    mode : "light" or "dark"
    label : of the slider
    at : the label of the deck at which the figure stands
    """
    size = sum(len(value) for track in deck.tracks if track.is_numeric for value in track.values)
    if at not in deck.labels or size > _MOST:
        return fig
    found, whole = go.Figure(fig), fig.to_plotly_json()
    moving = [(re.findall(r"[^.\[\]]+", track.path), track) for track in deck.tracks]
    frames = [_frame(whole["layout"], moving, i) for i in range(len(deck.labels))]
    redraw = any(track.path.startswith("layout") or not track.is_numeric for track in deck.tracks)
    play(found, frames, deck.labels, mode, label=label, active=deck.labels.index(at), redraw=redraw)
    if fig.layout.height:
        found.update_layout(height=fig.layout.height + 2 * _ROOM)
    return found


def _frame(whole: dict[str, Any], moving: Sequence[tuple[list[str], Any]], position: int) -> go.Frame:
    """One position: what moves of each trace, and every part of the layout in which something moves."""
    traces: dict[int, dict[str, Any]] = {}
    layout: dict[str, Any] = {}
    for (first, second, *rest), track in moving:
        value = track.values[position]
        if first == "data":
            moved = np.asarray(value, f"f{track.width}") if track.is_numeric else value
            _put(traces.setdefault(int(second), {}), rest, moved)
        else:
            layout.setdefault(second, copy.deepcopy(whole[second]))
            _put(layout, [second, *rest], value)
    return go.Frame(data=[go.Scatter(traces[at]) for at in traces], traces=list(traces), layout=layout or None)


def _put(part: Any, path: Sequence[str], value: Any) -> None:
    *steps, last = path
    for step in steps:
        part = part[int(step)] if isinstance(part, (list, tuple)) else part.setdefault(step, {})
    part[last] = value


def unanswered(fig: go.Figure) -> go.Figure:
    """The figure before it has played, at the first of its frames, and without the colours that stand for a number."""
    found = go.Figure(fig)
    if found.frames:
        first = found.frames[0]
        for place, moved in zip(first.traces or range(len(first.data)), first.data, strict=True):
            found.data[place].update({name: value for name, value in moved.to_plotly_json().items() if name != "type"})
        found.update_layout(first.layout.to_plotly_json())
        found.layout.sliders[0].active = 0
    for trace in found.data:
        if trace.type.startswith("scatter") and trace.marker.colorscale is not None:
            trace.update(hoverinfo="skip", hovertemplate=None)
            trace.marker.update(color=GREY, colorscale=None, colorbar=None)
    return found
