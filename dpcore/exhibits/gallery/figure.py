"""A drawing of the gallery, as an interactive Plotly figure and as a still picture (SVG) that needs no other file."""

import math
from collections.abc import Callable, Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from dpcore.exhibits.composition import figure as composition
from dpcore.exhibits.gallery import Drawing, Stroke
from dpcore.exhibits.noise_augmentation import figure as napp
from dpcore.exhibits.objective_perturbation import figure as objective_perturbation
from dpcore.exhibits.training import figure as training
from dpcore.figures.colors import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import largest_ratio, log_axis
from dpcore.figures.theme import FONT, THEMES, figure, plain

ROLE_COLORS = {  # colours of the roles, the same as on the pages
    **composition.COLORS,
    **training.COLORS,
    **objective_perturbation.COLORS,
    **{name: color for name, (_, color, _) in napp.STYLES.items()},
    "rows": BLUE,
    "for all": GREEN,
    "worst case": VERMILLION,
    "exponential mechanism": ORANGE,
    "data": GREY,
    "target": GREY,
    "MOOR": BLUE,
    "sum": ORANGE,
    "fixed weights": VERMILLION,
    "appended rows": VERMILLION,
    "crosses": GREEN,
}
_COLORS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, "#8C6D31")
_DASHES = {"exact": "solid", "line": "solid", "dash": "dash", "dashdot": "dashdot", "dot": "dot"}
_STEPS = {"exact": "", "line": "", "dash": "7 4", "dashdot": "7 3 2 3", "dot": "2 3"}
_WIDE = {"exact": 4.0}  # width of a line in pixels; other lines have 2.5, in the still picture 2
_BARS = 1.96  # an error bar extends by so many standard errors in both directions
_PRINTED = {  # symbols of printed numbers: Plotly's name, and the path in the still picture
    "diamond-open": "m-5 0l5 -5l5 5l-5 5z",
    "square-open": "m-4 -4h8v8h-8z",
    "triangle-up-open": "m-5 4l5 -9l5 9z",
}
_WIDTH, _HEIGHT = 300, 200  # size of the still picture without its legend, in pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 8, 8, 40  # its margins, in pixels
# Height in pixels of a line of the legend, most names in the legend, and size of its type.
_ROW, _NAMES, _NAMED = 14, 8, 10
# Pixels of a letter of the legend, and of the mark and the space beside a name. If the first is halved, names overlap.
_LETTER, _BESIDE = 5.9, 30
_START = 12  # left end of the legend, in pixels
_SMALL = 11  # size of its type, in pixels
_ROOM = 0.04  # share of an axis that stays empty at each end
_FEW = 1.5  # over fewer decades an axis also has ticks at 2 and 5
_FEW_POINTS = 40  # marks are larger if there are fewer points


def gallery_figure(drawing: Drawing, mode: str) -> go.Figure:
    """The drawing as a Plotly figure. Printed numbers are open marks in the colour of the text.

    Error bars extend by 1.96 standard errors in both directions.
    """
    fig = figure(mode, height=420)
    for color, symbol, stroke in _styled(drawing.strokes, THEMES[mode].text):
        fig.add_scatter(
            x=stroke.x, y=stroke.y, mode="lines" if stroke.look in _STEPS else "markers", name=plain(stroke.name),
            line={"color": color, "width": _WIDE.get(stroke.look, 2.5), "dash": _DASHES.get(stroke.look, "solid")},
            marker={"color": color, "size": _size(stroke), "symbol": symbol, "line": {"width": 2 if stroke.look == "printed" else 0}},
            error_y=None if stroke.error is None else {"type": "data", "array": _bars(stroke), "thickness": 1, "width": 2},
            hovertemplate="%{y:.4g}",
        )  # fmt: skip
    fig.update_xaxes(title_text=plain(drawing.x_title))
    fig.update_yaxes(title_text=plain(drawing.y_title))
    for log, update, values in (
        (drawing.x_log, fig.update_xaxes, _values(drawing, "x", True)),
        (drawing.y_log, fig.update_yaxes, _values(drawing, "y", True)),
    ):
        if log and values:
            log_axis(update, largest_ratio(values))
    if drawing.x_range is not None:
        low, high = (math.log10(end) if drawing.x_log else end for end in drawing.x_range)
        fig.update_xaxes(range=[low, high + _ROOM * (high - low)])
    if drawing.x_whole:
        fig.update_xaxes(dtick=1)
    return fig


def _size(stroke: Stroke) -> int:
    if stroke.look == "printed":
        return 10
    return 9 if len(stroke.x) < _FEW_POINTS else 5


def _bars(stroke: Stroke) -> np.ndarray:
    return _BARS * np.asarray(stroke.error, dtype=float)


def page_of(drawing: Drawing) -> str:
    """The figure as an HTML page in the light theme; it loads `plotly.min.js` from the same folder."""
    return str(gallery_figure(drawing, "light").to_html(include_plotlyjs="directory", full_html=True))


def plotly_library() -> str:
    """The library that such pages load."""
    return str(get_plotlyjs())


def _styled(strokes: Sequence[Stroke], text: str) -> list[tuple[str, str, Stroke]]:
    """Each stroke with colour and symbol: printed numbers have the colour of the text, computed ones of their role."""
    taken = {ROLE_COLORS.get(stroke.role) for stroke in strokes}
    free = [color for color in _COLORS if color not in taken]
    found: list[tuple[str, str, Stroke]] = []
    printed = 0
    for stroke in strokes:
        if stroke.look == "printed":
            found.append((text, list(_PRINTED)[printed % len(_PRINTED)], stroke))
            printed += 1
        else:
            found.append((ROLE_COLORS.get(stroke.role) or free.pop(0), "circle", stroke))
    return found


def _values(drawing: Drawing, axis: str, log: bool) -> list[float]:
    """All finite values on an axis; on a logarithmic axis only positive ones."""
    every = [float(value) for stroke in drawing.strokes for value in np.asarray(getattr(stroke, axis), dtype=float)]
    if axis == "x" and drawing.x_range is not None:
        every += drawing.x_range
    for stroke in drawing.strokes if axis == "y" else ():
        if stroke.error is not None:
            every += [float(value) for bars in (-_bars(stroke), _bars(stroke)) for value in np.asarray(stroke.y) + bars]
    return [value for value in every if math.isfinite(value) and (value > 0 or not log)]


def _nice(low: float, high: float) -> list[float]:
    """Three to six round numbers between two numbers."""
    span = high - low
    unit = 10.0 ** math.floor(math.log10(span / 3))
    step = next(unit * factor for factor in (1, 2, 5, 10) if span / (unit * factor) <= 5)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _round_powers(low: float, high: float) -> list[float]:
    """Powers of ten between two logarithms; over fewer than 1.5 decades also their multiples by 2 and 5."""
    if high - low < _FEW:
        every = [factor * 10.0**k for k in range(math.floor(low), math.ceil(high) + 1) for factor in (1, 2, 5)]
        return [value for value in every if low <= math.log10(value) <= high]
    step = max(1, math.ceil((high - low) / 5))
    return [10.0**k for k in range(math.ceil(low), math.floor(high) + 1) if k % step == 0]


class _Axis:
    """An axis between two pixels: the pixel of each value, and the values that are named."""

    def __init__(self, values: Sequence[float], log: bool, start: float, end: float, whole: bool = False) -> None:
        self._log, self._start, self._end = log, start, end
        scaled = [math.log10(value) if log else value for value in values] or [0.0, 1.0]
        low, high = min(scaled), max(scaled)
        room = (high - low or abs(high) or 1.0) * _ROOM
        self._low, self._high = low - room, high + room
        self.ticks = _round_powers(self._low, self._high) if log else _nice(self._low, self._high)
        if whole:
            self.ticks = [value for value in self.ticks if value == round(value)]

    def at(self, value: float) -> float | None:
        """Pixel of a value; None if it cannot be shown."""
        if not math.isfinite(value) or (self._log and value <= 0):
            return None
        scaled = math.log10(value) if self._log else value
        return self._start + (scaled - self._low) / (self._high - self._low) * (self._end - self._start)


def _word(value: float) -> str:
    if value and not 1e-3 < abs(value) < 1e5:
        power = math.floor(math.log10(abs(value)) + 1e-9)
        factor = value / 10.0**power
        raised = f"10<tspan dy='-4' font-size='8'>{str(power).replace('-', '−')}</tspan>"
        return raised if abs(factor - 1) < 1e-9 else f"{factor:g}·{raised}"
    return f"{value:.6g}".replace("-", "−")


def still_picture(drawing: Drawing, mode: str, *, empty: bool = False) -> str:
    """The drawing as one SVG that loads nothing; if `empty`, only its axes, to sketch on."""
    tokens = THEMES[mode]
    strokes = [] if empty else _styled(drawing.strokes, tokens.text)
    names = strokes[:_NAMES]
    places = _places([stroke.name for _, _, stroke in names])
    rows = 1 + places[-1][1] if places else 0
    bottom = _HEIGHT - _BOTTOM
    x = _Axis(_values(drawing, "x", drawing.x_log), drawing.x_log, _LEFT, _WIDTH - _RIGHT, drawing.x_whole)
    y = _Axis(_values(drawing, "y", drawing.y_log), drawing.y_log, bottom, _TOP)
    parts = [
        *_frame(drawing, x, y, bottom, tokens.border, tokens.text),
        *(part for color, symbol, stroke in strokes for part in _marks(stroke, color, symbol, x.at, y.at)),
        *_legend(names, places, tokens.text),
    ]
    if not drawing.strokes:
        parts.append(_text(_WIDTH / 2, bottom / 2, "no number is printed", tokens.muted, "middle"))
    height = _HEIGHT + rows * _ROW
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {height}' width='{_WIDTH}' height='{height}' "
        f"font-family=\"{escape(FONT)}\" font-size='{_SMALL}'><rect width='100%' height='100%' fill='{tokens.background}'/>"
        f"{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, words: str, color: str, anchor: str = "start", more: str = "") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' fill='{color}' text-anchor='{anchor}'{more}>{words}</text>"


def _frame(drawing: Drawing, x: _Axis, y: _Axis, bottom: float, grid: str, color: str) -> list[str]:
    parts = []
    for value in x.ticks:
        at = x.at(value)
        parts.append(f"<path d='M{at:.1f} {_TOP}V{bottom}' stroke='{grid}'/>")
        parts.append(_text(at or 0.0, bottom + 14, _word(value), color, "middle"))
    for value in y.ticks:
        at = y.at(value)
        parts.append(f"<path d='M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}' stroke='{grid}'/>")
        parts.append(_text(_LEFT - 5, (at or 0.0) + 4, _word(value), color, "end"))
    middle = (_TOP + bottom) / 2
    parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, bottom + 30, escape(drawing.x_title), color, "middle"))
    parts.append(
        _text(11, middle, escape(drawing.y_title), color, "middle", f" transform='rotate(-90 11 {middle:.0f})'")
    )
    return parts


def _marks(
    stroke: Stroke, color: str, symbol: str, x: Callable[[float], float | None], y: Callable[[float], float | None]
) -> list[str]:
    places = [(x(float(a)), y(float(b))) for a, b in zip(stroke.x, stroke.y, strict=True)]
    if stroke.look not in _STEPS:
        radius = 3.5 if len(places) < _FEW_POINTS else 2
        return [_mark(a, b, color, symbol, radius) for a, b in places if a is not None and b is not None]
    bars = _error_path(stroke, x, y)
    whiskers = f"<path d='{bars}' fill='none' stroke='{color}'/>" if bars else ""
    path, pen = "", "M"
    for a, b in places:
        if a is None or b is None:
            pen = "M"
            continue
        path += f"{pen}{a:.1f} {b:.1f}"
        pen = "L"
    wide = _still_width(stroke)
    drawn = f"<path d='{path}' fill='none' stroke='{color}' stroke-width='{wide}' stroke-dasharray='{_STEPS[stroke.look]}'/>"
    return [whiskers, drawn] if whiskers else [drawn]


def _still_width(stroke: Stroke) -> str:
    return "3.5" if stroke.look in _WIDE else "2"


def _error_path(stroke: Stroke, x: Callable[[float], float | None], y: Callable[[float], float | None]) -> str:
    """A vertical bar through each point that has an error."""
    if stroke.error is None:
        return ""
    ends = zip(stroke.x, stroke.y, _bars(stroke), strict=True)
    places = [(x(float(a)), y(float(b - bar)), y(float(b + bar))) for a, b, bar in ends]
    return "".join(f"M{a:.1f} {low:.1f}V{high:.1f}" for a, low, high in places if None not in (a, low, high))


def _mark(a: float, b: float, color: str, symbol: str, radius: float) -> str:
    if symbol in _PRINTED:
        return f"<path d='M{a:.1f} {b:.1f}{_PRINTED[symbol]}' fill='none' stroke='{color}' stroke-width='1.5'/>"
    return f"<circle cx='{a:.1f}' cy='{b:.1f}' r='{radius}' fill='{color}'/>"


def _places(names: Sequence[str]) -> list[tuple[float, int]]:
    """The left end of each name of the legend, and its line: as many in a line as fit."""
    places: list[tuple[float, int]] = []
    left, row = float(_START), 0
    for name in names:
        wide = _BESIDE + _LETTER * len(name)
        if left > _START and left + wide > _WIDTH:
            left, row = float(_START), row + 1
        places.append((left, row))
        left += wide
    return places


def _legend(strokes: Sequence[tuple[str, str, Stroke]], places: Sequence[tuple[float, int]], text: str) -> list[str]:
    parts = []
    for (color, symbol, stroke), (left, row) in zip(strokes, places, strict=True):
        top = _HEIGHT + row * _ROW + 2
        if stroke.look in _STEPS:
            dashes = _STEPS[stroke.look]
            wide = _still_width(stroke)
            parts.append(
                f"<path d='M{left:.1f} {top}h18' stroke='{color}' stroke-width='{wide}' stroke-dasharray='{dashes}'/>"
            )
        else:
            parts.append(_mark(left + 9, top, color, symbol, 3))
        parts.append(_text(left + 23, top + 4, escape(stroke.name), text, more=f" font-size='{_NAMED}'"))
    return parts
