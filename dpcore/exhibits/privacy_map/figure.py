"""The map of definitions: three by three cells, each with ε of the definition that belongs there."""

import math
from collections.abc import Sequence
from itertools import product
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dpcore.data.names import in_words
from dpcore.exhibits.privacy_map.variants import Variant
from dpcore.figures.colors import BLUE, SKY
from dpcore.figures.theme import THEMES, figure, plain

_STEPS = {"fixed": 0, "mean": 1, "quantile": 1, "sup": 2}  # what is taken → place on an axis
_TAKEN = ("fixed", "mean or quantile", "supremum")
_OPERATIONS = ("this", "typical", "any")
# ε with the first and with the last colour; beyond them the colour does not change. If the last is doubled, all cells
# look as if they lost a little less.
_PALE, _DEEP = 0.01, 100.0
_ENDS = {"light": ("#EDF4F9", BLUE), "dark": ("#15202B", SKY)}
_HALF = 0.48  # half the side of a cell; the rest is the gap between two cells
_NARROW = 12  # letters of a line in a cell on a phone


def variant_map(
    variants: Sequence[Variant],
    mode: str,
    *,
    delta: str = "δ",
    outlined: tuple[str, str] = ("", ""),
    narrow: bool = False,
) -> go.Figure:
    """ε of each definition, placed by what it takes over data sets (across) and over records (up).

    A cell is the darker (in the dark theme, the brighter) the larger ε is. The fixed record and the worst case have an
    outline. Definitions in other units are told under the pointer.

    Parameters
    ----------
    variants : the definitions; they keep their order in `customdata`
    mode : "light" or "dark"
    delta : δ in words
    outlined : words in the cells of the fixed record and of the worst case
    narrow : whether the cells are as narrow as on a phone
    """
    cells: dict[tuple[int, int], list[int]] = {}
    for k, variant in enumerate(variants):
        cells.setdefault((_STEPS[variant.data_set], _STEPS[variant.target]), []).append(k)
    leads = {
        place: next((k for k in members if variants[k].metric == "epsilon"), members[0])
        for place, members in cells.items()
    }
    shapes, notes = [], []
    for (x, y), lead in leads.items():
        words = outlined[x // 2] if x == y != 1 else None
        fill, ink = _colors(variants[lead], mode)
        shapes.append(_cell(x, y, fill, THEMES[mode].text, 0 if words is None else 4))
        notes += _in_cell(x, y, variants[lead], ink, narrow=narrow, more=words or "")
    for x, y in sorted({*product(range(3), repeat=2)} - {*leads}):
        shapes.append(_cell(x, y, THEMES[mode].panel, THEMES[mode].border, 1) | {"line_dash": "dot"})
        look = {"size": 14, "color": THEMES[mode].muted}
        notes.append({"x": x, "y": y, "text": "no definition", "showarrow": False, "font": look})
    places = list(leads)
    hits = {
        "type": "scatter", "x": [x for x, _ in places], "y": [y for _, y in places], "mode": "markers",
        "customdata": [leads[place] for place in places], "showlegend": False,
        "hovertext": ["<br>".join(_told(variants[k]) for k in cells[place]) for place in places],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {"size": 60, "symbol": "square", "color": THEMES[mode].muted, "opacity": 0},
        "selected": {"marker": {"opacity": 0}}, "unselected": {"marker": {"opacity": 0}},
    }  # fmt: skip
    axis = {"range": [-0.5, 2.5], "showgrid": False, "fixedrange": True, "tickvals": [0, 1, 2]}
    return figure(
        mode,
        [hits],
        height=400,
        hovermode="closest",
        clickmode="event+select",
        dragmode="pan",
        hoverdistance=130,  # a click within so many pixels of the middle of a cell selects it
        shapes=shapes,
        annotations=notes,
        margin={"t": 8, "b": 56},
        xaxis=axis
        | {
            "title": {"text": f"numbers are ε in nats, at {plain(delta)}"},
            "ticktext": _ticks("data", mode, narrow=narrow),
        },
        yaxis=axis | {"ticktext": _ticks("record", mode, narrow=narrow), "tickangle": -90 if narrow else 0},
    )


def _ticks(what: str, mode: str, *, narrow: bool) -> list[str]:
    """Names of the places on an axis, with what is taken there if there is room for it."""
    plural = {"this": "these"} if what == "data" else {}
    names = [f"{plural.get(one, one)} {what}" for one in _OPERATIONS]
    if narrow:
        return names
    small = f'<span style="font-size:12px;color:{THEMES[mode].muted}">'
    return [f"<b>{name}</b><br>{small}{taken}</span>" for name, taken in zip(names, _TAKEN, strict=True)]


def _cell(x: int, y: int, fill: str, edge: str, width: int) -> dict[str, Any]:
    corners = {"x0": x - _HALF, "x1": x + _HALF, "y0": y - _HALF, "y1": y + _HALF}
    return {"type": "rect", "layer": "below", "fillcolor": fill, "line": {"color": edge, "width": width}, **corners}


def _in_cell(x: int, y: int, variant: Variant, ink: str, *, narrow: bool, more: str) -> list[dict[str, Any]]:
    """The number of a cell, and below it the name of its definition."""
    value = "none" if variant.value is None else f"{_sign(variant)}{in_words(variant.value)}"
    name = variant.name.replace("pDP", "Per-instance DP")
    lines = wrap(name, _NARROW) if narrow else [name]
    words = [plain(line) for line in lines] + ([f"<b>{plain(more)}</b>"] if more else [])
    size = (20 if narrow else 36) if more else (17 if narrow else 22)
    at = {"x": x, "y": y, "showarrow": False, "align": "center"}
    return [
        {**at, "yanchor": "bottom", "text": f"<b>{plain(value)}</b>", "font": {"size": size, "color": ink}},
        {**at, "yanchor": "top", "text": "<br>".join(words), "font": {"size": 12 if narrow else 14, "color": ink}},
    ]  # fmt: skip


def _told(variant: Variant) -> str:
    """A definition with its value, unit and remark, in one line."""
    if variant.value is None:
        return f"{plain(variant.name)}: no answer. {plain(variant.note, 400)}"
    said = plain(f"{variant.name}: {_sign(variant)}{in_words(variant.value)} {variant.unit}")
    return f"{said}. {plain(variant.note, 400)}" if variant.note else said


def _sign(variant: Variant) -> str:
    """The sign before the value of a variant, without a space; nothing before ∞."""
    return "" if variant.value == float("inf") else variant.method.mark.rstrip()


def _colors(variant: Variant, mode: str) -> tuple[str, str]:
    """The colours of a cell and of the text on it; a cell without ε looks empty."""
    if variant.value is None or variant.metric != "epsilon":
        return THEMES[mode].panel, THEMES[mode].muted
    share = math.log(min(max(variant.value, _PALE), _DEEP) / _PALE) / math.log(_DEEP / _PALE)
    first, last = (np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) for color in _ENDS[mode])
    rgb = first + share * (last - first)
    fill = "#" + "".join(f"{round(one):02X}" for one in rgb)
    return fill, "black" if _luminance(rgb) > _BALANCE else "white"


# The luminance at which black and white text can be read equally well, by the contrast ratio of WCAG 2.
_BALANCE = 0.179


def _luminance(rgb: np.ndarray) -> float:
    """Relative luminance of a colour, as WCAG 2 defines it."""
    linear = [one / 3294.6 if one <= 10.31 else ((one / 255 + 0.055) / 1.055) ** 2.4 for one in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
