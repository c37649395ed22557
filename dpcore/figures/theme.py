"""The look of all figures: the colour names a method or quantity, the line style tells exact curves from bounds."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import astuple, dataclass
from functools import cache
from typing import Any

import plotly.graph_objects as go

from dpcore.data.names import display_name
from dpcore.figures.colors import ON_DARK, PALETTE
from dpcore.profiles import Bound


@dataclass(frozen=True)
class Tokens:
    """Colours of one theme; the app's config.toml holds the same values."""

    background: str
    panel: str
    text: str
    muted: str
    border: str
    primary: str


LIGHT = Tokens("#FFFFFF", "#F4F6F8", "#1B2430", "#5A6675", "#DDE3EA", "#0B6E99")
DARK = Tokens("#0F151C", "#18212B", "#E6EDF3", "#9AA7B4", "#2A3642", "#4FB3D9")
THEMES = {"light": LIGHT, "dark": DARK}
_SHADES = {"light": (*astuple(LIGHT), *ON_DARK), "dark": (*astuple(DARK), *ON_DARK.values())}

LINE_STYLES: dict[Bound, dict[str, Any]] = {
    Bound.EXACT: {"width": 4, "dash": "solid"},
    Bound.UPPER: {"width": 2, "dash": "solid"},
    Bound.LOWER: {"width": 2.5, "dash": "dot"},
    Bound.CLAIMED: {"width": 2, "dash": "dash"},
    Bound.ESTIMATE: {"width": 2, "dash": "dashdot"},
}

TICK_SIZE = 13  # size of the numbers at an axis, in pixels
_APART = 5  # pixels from an axis to its labels, so that the labels of two axes do not meet in the corner
_HALF = 25  # letters of a name that fit into half of the legend of a chart as wide as three fifths of a page
_LARGER = 1.25  # Plotly writes powers of ten larger than its stated size by this factor
_LABELS = 6  # most labels of an axis in a lecture hall, where type is large
_LAST_ROW = 22  # size in pixels of the smallest type that can be read from the last row of a lecture hall
_ENLARGED = _LAST_ROW / TICK_SIZE
_THICKER = 1.5  # factor for lines and marks in a lecture hall
_WIDER = 1.25  # factor for margins in a lecture hall; axes ask for more where they need it

_checked = ContextVar("checked", default=True)
FONT = "Source Sans, Source Sans Pro, Segoe UI, Helvetica, Arial, sans-serif"


@cache
def template(mode: str) -> go.layout.Template:
    """The Plotly template of the light or dark theme."""
    tokens = THEMES[mode]
    axis = {
        "gridcolor": tokens.border,
        "linecolor": tokens.border,
        "zeroline": False,
        "ticks": "",
        "ticklabelstandoff": _APART,
        "automargin": True,
        "title": {"font": {"size": 14}, "standoff": 12},
        "tickfont": {"size": TICK_SIZE, "color": tokens.text},
        "exponentformat": "power",
    }
    line = go.layout.template.Data(scatter=[go.Scatter(line={"simplify": False})])
    layout = go.Layout(
        colorway=PALETTE,
        paper_bgcolor=tokens.background,
        plot_bgcolor=tokens.background,
        font={"family": FONT, "size": 14, "color": tokens.text},
        title={"font": {"size": 16}, "x": 0.0, "xanchor": "left"},
        hoverlabel={"bgcolor": tokens.panel, "bordercolor": tokens.border, "font": {"color": tokens.text}},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "xanchor": "left", "font": {"size": 13}},
        xaxis=axis,
        yaxis=axis,
        margin={"l": 70, "r": 20, "t": 48, "b": 56},
        modebar={
            "orientation": "v",
            "bgcolor": "rgba(0, 0, 0, 0)",
            "color": tokens.muted,
            "activecolor": tokens.primary,
        },
        colorscale={"sequential": SEQUENTIAL[mode]},
        separators=".\u202f",
        uirevision="keep",
    )
    return go.layout.Template(layout=layout, data=line)


SEQUENTIAL = {  # Cividis, without the end that could not be told from the background
    "light": [[0, "#E3D25A"], [0.35, "#A59C74"], [0.65, "#5E656F"], [1, "#00224E"]],
    "dark": [[0, "#3B4A6B"], [0.35, "#707173"], [0.65, "#B3A772"], [1, "#FDE737"]],
}


def figure(mode: str, traces: Sequence[Any] = (), *, height: int = 420, **layout: Any) -> go.Figure:
    """A figure in the house style. Passing all traces at once takes a third of the time of adding them one by one."""
    look = {"template": template(mode), "height": height, "hovermode": "x unified"}
    return go.Figure(list(traces), {**look, **layout}, _validate=_checked.get())


@contextmanager
def unchecked() -> Iterator[None]:
    """A context in which Plotly does not check the parts of new figures, since checks take most of the time.

    It is for many figures that are built like one that Plotly has checked already.
    """
    token = _checked.set(False)
    try:
        yield
    finally:
        _checked.reset(token)


def is_checked() -> bool:
    """Whether figures are made outside of `unchecked`; inside, a figure is one of many frames for a slider."""
    return _checked.get()


def decades(step: int | None = 1) -> dict[str, Any]:
    """A logarithmic axis with a label at every `step`-th power of ten; labels look as large as those of other axes."""
    return {"type": "log", "dtick": step, "exponentformat": "power", "tickfont": {"size": TICK_SIZE / _LARGER}}


def in_two_columns(fig: go.Figure) -> None:
    """Give a figure a legend in two columns, if its names are short enough."""
    names = (trace.name for trace in fig.data if trace.name and trace.showlegend is not False)
    fig.update_layout(legend=two_columns(names))


def two_columns(names: Iterable[str]) -> dict[str, Any]:
    """A legend in two columns of equal width; if a name is too long for half of the width, Plotly sets the columns."""
    short = max(map(len, names), default=0) <= _HALF
    return {"entrywidth": 0.49, "entrywidthmode": "fraction"} if short else {}


def plain(text: object, limit: int = 120) -> str:
    """Text from outside, written so that Plotly shows it letter by letter.

    Every name, label and title that a figure function receives passes through here; tags are written in this package only.
    """
    return display_name(str(text), limit)


def restyle(source: go.Figure, mode: str) -> go.Figure:
    """The same figure in another theme (exports are light): the template and all colours of the theme are replaced."""
    own = _SHADES[mode]
    colors = {other: color for shades in _SHADES.values() for other, color in zip(shades, own, strict=True)}
    found = go.Figure(_recoloured(source.to_plotly_json(), colors), _validate=_checked.get())
    return found.update_layout(template=template(mode))


def _recoloured(part: Any, colors: dict[str, str], name: str = "") -> Any:
    """A part of a figure with its colours replaced: only texts whose key `name` contains "color" are changed."""
    if isinstance(part, dict):
        return {key: _recoloured(value, colors, key) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_recoloured(value, colors, name) for value in part]
    return colors.get(part, part) if isinstance(part, str) and "color" in name else part


def for_the_last_row(source: go.Figure) -> go.Figure:
    """The same figure for a lecture hall: type of at least 22 pixels, lines and marks larger by half.

    The legend is at the upper or lower edge of the window, in as few rows as its names need. A figure that has no
    legend, because the same curves have one in a figure beside it, gets one here, since it is shown alone. Of many labels
    of an axis some are left out, unless its mode "array" says that they are names.
    """
    found = source.to_plotly_json()
    fig = go.Figure({**found, "data": _enlarged(found["data"], "data"), "layout": _enlarged(found["layout"], "layout")})
    below = (fig.layout.legend.y or 1) < 0
    fig.update_layout(
        legend={"yref": "container", "y": 0 if below else 1, "yanchor": "bottom" if below else "top"}
        | {"entrywidth": None, "entrywidthmode": None}
    )
    if sum(bool(trace.name) for trace in fig.select_traces({"type": "scatter"})) > 1:
        fig.layout.showlegend = None
    for axis in (*fig.select_xaxes(), *fig.select_yaxes()):
        if axis.tickvals and axis.tickmode != "array" and (step := math.ceil(len(axis.tickvals) / _LABELS)) > 1:
            axis.update(tickvals=axis.tickvals[::step], ticktext=axis.ticktext and axis.ticktext[::step])
    return fig


def _enlarged(value: Any, name: str) -> Any:
    """A part of a figure with larger fonts, lines, marks and margins; `name` is its key in the figure."""
    if isinstance(value, (list, tuple)):
        return [_enlarged(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: _enlarged(item, key) for key, item in value.items()}
    if name.endswith("font") and "size" in found:
        found["size"] = _readable(found["size"])
    for holder, key, factor in (("line", "width", _THICKER), ("marker", "size", _THICKER)):
        if name == holder and isinstance(found.get(key), (int, float)):
            found[key] *= factor
    if "ticklabelstandoff" in found:
        found["ticklabelstandoff"] = round(_ENLARGED * found["ticklabelstandoff"])
    if name in ("margin", "pad"):
        found = {side: _WIDER * wide for side, wide in found.items() if wide is not None}
    return found


def _readable(size: float) -> float:
    if size == TICK_SIZE / _LARGER:  # the size of powers of ten, see `decades`
        return _LAST_ROW / _LARGER
    return max(_LAST_ROW, round(size * _ENLARGED))
