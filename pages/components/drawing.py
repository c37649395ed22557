"""A picture with handles dragged by mouse, finger or arrow keys; text fields and the link keep their heights."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import streamlit as st

from dpcore.figures import sizes
from dpcore.figures.theme import THEMES
from dpcore.profiles.curves import Curve
from pages.components import cards, full_window, say, screen

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "drawing",
    html=(_HERE / "drawing.html").read_text(encoding="utf-8"),
    css=(_HERE / "drawing.css").read_text(encoding="utf-8"),
    js=(_HERE / "drawing.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class Line:
    """A curve of the picture; one without a name is not in the legend."""

    curve: Curve
    color: str
    dash: str = "solid"
    width: float = 2.0
    name: str = ""


@dataclass(frozen=True)
class Handles:
    """Handles that move up and down at x, or one handle that moves sideways along a named line.

    `state` is the key of the widget that keeps their heights: a text field, or a slider for a handle on a line. The
    picture adds `lift` to each height.
    """

    state: str
    name: str
    color: str
    x: Sequence[float]
    values: Sequence[float]
    low: float
    high: float
    step: float
    rides: str = ""
    lift: Sequence[float] = ()


@dataclass(frozen=True)
class Shade:
    """The area under a named line on one side ("left" or "right") of the handle that moves along a line.

    If it has a name, this and its share of the whole area are written into it.
    """

    line: str
    side: str
    color: str
    name: str = ""


@dataclass(frozen=True)
class Frames:
    """Heights of all lines at each position of a slider (by its key), so that lines follow it while it moves.

    If the axes follow too, `axes` holds both ends of each axis, and lines have even steps from one end to the other.
    """

    slider: str
    heights: Sequence[Sequence[Sequence[float]]]
    axes: Sequence[tuple[tuple[float, float], tuple[float, float]]] = ()


@dataclass(frozen=True)
class Drawing:
    """Everything on one drawing."""

    label: str
    x: tuple[float, float]
    y: tuple[float, float]
    x_title: str
    y_title: str
    lines: Sequence[Line]
    handles: Sequence[Handles]
    areas: Sequence[Line] = ()
    shades: Sequence[Shade] = ()
    frames: Frames | None = None
    marks: dict[str, float] = field(default_factory=dict)
    mark_color: str = ""
    height: int = 360
    hint: str = ""


def heights(label: str, default: Sequence[float], low: float, high: float, *, key: str) -> tuple[float, ...]:
    """The text field that keeps the heights of handles in the link; for a bad list, a warning and the default."""
    text = say.text_input(
        label, compact(default), key=key, max_chars=200,
        help=f"{len(default)} numbers from {low:g} to {high:g}, left to right; dragging in the picture writes them here.",
    )  # fmt: skip
    found, problem = parse(text or "", len(default), low, high)
    if problem:
        say.warning(f"{label}: {problem} The picture shows the default instead.", icon=":material/edit_off:")
        return tuple(default)
    return found


def parse(text: str, count: int, low: float, high: float) -> tuple[tuple[float, ...], str]:
    """The numbers of a comma-separated list and "", or () and what is wrong with the list."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != count:
        return (), f"{count} numbers separated by commas are needed, not {len(parts)}."
    try:
        found = tuple(float(part) for part in parts)
    except ValueError:
        return (), "every entry must be a plain number."
    if not all(low <= value <= high for value in found):
        return (), f"every number must lie between {low:g} and {high:g}."
    return found, ""


def compact(values: Sequence[float]) -> str:
    """A short comma-separated list that `parse` reads back."""
    return ",".join(f"{value:g}" for value in values)


def show(picture: Drawing, *, key: str) -> None:
    """Show the drawing; when a handle moves, its heights are written to its widget and the page runs again."""
    theme = THEMES[cards.theme_mode()]
    grown = 1.0 if full_window.is_on() else sizes.height(screen.size())

    def moved() -> None:
        message = st.session_state[key].get("moved")
        for one in picture.handles:
            values = message.get(one.state) if isinstance(message, dict) else None
            if not isinstance(values, list) or len(values) != len(one.values):
                continue
            checked, problem = parse(",".join(map(str, values)), len(values), one.low, one.high)
            if not problem and checked != tuple(one.values):
                st.session_state[one.state] = checked[0] if one.rides else compact(checked)

    _mount(
        key=key,
        on_moved_change=moved,
        data={
            "label": picture.label, "x": picture.x, "y": picture.y, "xTitle": picture.x_title, "yTitle": picture.y_title,
            "height": grown * full_window.flat(picture.height), "hint": "" if full_window.is_on() else picture.hint,
            "theme": {"ink": theme.text, "faint": theme.muted, "grid": theme.border, "paper": theme.background},
            "lines": [_line(one) for one in picture.lines], "areas": [_line(one) for one in picture.areas],
            "shades": [asdict(one) for one in picture.shades],
            "slider": f"st-key-{picture.frames.slider}" if picture.frames else "",
            "frames": picture.frames.heights if picture.frames else [],
            "axes": picture.frames.axes if picture.frames else [],
            "marks": [{"x": at, "text": text, "color": picture.mark_color} for text, at in picture.marks.items()],
            "series": [
                {"id": one.state, "name": one.name, "color": one.color, "x": list(one.x), "values": list(one.values),
                 "range": [one.low, one.high], "step": one.step, "sideways": bool(one.rides), "rides": one.rides,
                 "lift": list(one.lift) or [0.0] * len(one.values)}
                for one in picture.handles
            ],
        },
    )  # fmt: skip


def _line(line: Line) -> dict:
    x, y = ([round(value, 4) for value in values.tolist()] for values in (line.curve.x, line.curve.y))
    return {"x": x, "y": y, "color": line.color, "dash": line.dash, "width": line.width, "name": line.name}
