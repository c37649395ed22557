"""The same figure for a phone (with its legend below) and for a projector (taller, with larger type)."""

import copy
import math

import plotly.graph_objects as go

from dpcore.figures.theme import TICK_SIZE

# Pixels: height of a row of a legend, width of a letter, width of the sample line before a name.
_ROW, _LETTER, _KEY = 20, 6.6, 48
_PHONE = 290  # width of a legend on a phone, in pixels
# On a phone panels stand one above the other. Height of each, relative to its height side by side; two panels get
# less, so that both fit a screen.
_PANEL, _OF_TWO = 0.85, 0.65
_LEAST = 280  # smallest height of a chart on a phone, in pixels
_SLIDER = 0.46  # on a phone, the share of the width at which the slider of a playing figure begins
_LABELS = 6  # on a phone, if more points than this have names, the names are shown only when a point is touched
_SHORT = 2  # names of at most so many letters are shown in any case
_TALLER = 1.4  # height of charts on a projector, relative to the usual height
_LARGE = 15  # smallest type on a projector, in pixels
_HEIGHT = 450  # height in pixels of a figure that states none


def fit(fig: go.Figure, screen: str) -> go.Figure:
    """A copy of the figure that suits the screen: "phone" or "large"; for "usual" the figure itself."""
    if screen == "phone":
        return _below(go.Figure(fig))
    return _enlarged(go.Figure(fig)) if screen == "large" else fig


def height(screen: str) -> float:
    """Factor for the height of charts on this screen."""
    return _TALLER if screen == "large" else 1.0


def _below(fig: go.Figure) -> go.Figure:
    """The legend below the chart, which gets taller by its height; panels stand one above the other."""
    names = [one.name or "" for one in fig.data if one.showlegend is not False and one.name]
    shown = bool(names) and fig.layout.showlegend is not False and (len(names) > 1 or fig.layout.showlegend is True)
    half = shown and _KEY + _LETTER * max(map(len, names)) <= _PHONE / 2
    rows = math.ceil(len(names) / 2) if half else len(names)
    height = fig.layout.height or _HEIGHT
    for trace in fig.select_traces({"mode": "markers+text"}):
        if len(trace.text or ()) > _LABELS and max(map(len, trace.text)) > _SHORT:
            trace.mode = "markers"
    height = max(height, _LEAST)
    panels = sorted({tuple(axis.domain) for axis in fig.select_xaxes() if axis.domain})
    if len(panels) > 1:
        _stack(fig, panels)
        height *= (_OF_TWO if len(panels) == 2 else _PANEL) * len(panels)
    fig.update_layout(height=height + (_ROW * rows - _ROW if shown else 0))
    fig.update_layout(
        sliders=[{**one.to_plotly_json(), "x": _SLIDER, "len": 1 - _SLIDER} for one in fig.layout.sliders]
    )
    fig.update_layout(
        legend={
            "orientation": "h", "entrywidth": 0.48 if half else 0.98, "entrywidthmode": "fraction",
            "xref": "container", "x": 0.02, "xanchor": "left", "yref": "container", "y": 0, "yanchor": "bottom",
        },
        margin={"l": 48, "r": 16, "t": 48 if len(panels) > 1 or fig.layout.title.text else 20},
    )  # fmt: skip
    return fig


def _stack(fig: go.Figure, panels: list[tuple[float, float]]) -> None:
    """Move panels that stand side by side one above the other."""
    gap = 0.32 / len(panels)
    each = (1 - gap * (len(panels) - 1)) / len(panels)
    tops = [1 - i * (each + gap) for i in range(len(panels))]
    middles = [sum(panel) / 2 for panel in panels]
    for axis in fig.select_xaxes():
        i = panels.index(tuple(axis.domain))
        across = (axis.anchor or "y").replace("y", "yaxis", 1)
        fig.layout[across].domain = (max(0.0, tops[i] - each), tops[i])
        axis.domain = (0.0, 1.0)
    for note in fig.layout.annotations:
        if note.xref == "paper" and note.yref == "paper" and note.x in middles:
            note.update(x=0.5, y=tops[middles.index(note.x)])


def _enlarged(fig: go.Figure) -> go.Figure:
    """The figure taller, with no type smaller than 15 pixels."""
    style = copy.deepcopy(fig.layout.template)
    style.layout.update(
        font_size=_LARGE,
        legend_font_size=_LARGE,
        title_font_size=18,
        xaxis={"title_font_size": 16, "tickfont_size": _LARGE},
        yaxis={"title_font_size": 16, "tickfont_size": _LARGE},
    )
    fig.update_layout(template=style, height=_TALLER * (fig.layout.height or _HEIGHT))
    for axis in (*fig.select_xaxes(), *fig.select_yaxes()):
        if axis.tickfont.size:
            axis.tickfont.size *= _LARGE / TICK_SIZE
    if fig.layout.legend.font.size:
        fig.layout.legend.font.size = _LARGE
    named = [note.font for note in fig.layout.annotations] + [
        one.textfont for one in fig.select_traces({"type": "scatter"})
    ]
    named += [one.currentvalue.font for one in fig.layout.sliders] + [one.font for one in fig.layout.updatemenus]
    for font in named:
        font.size = max(_LARGE, font.size or 0) if isinstance(font.size, int | float | None) else font.size
    return fig
