"""The stored results of the slow exhibits, so that a reader sees them at once; any of them can be computed again.

`python -m dpcore.exhibits.gallery.stored` computes all of them again and writes the file.
"""

import json
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dpcore.exhibits.gallery import EXHIBITS
from dpcore.exhibits.gallery.exhibit import Drawing, Finding, Shown, Stroke

_PATH = Path(__file__).with_suffix(".json")
_DIGITS = 6


def stored(key: str) -> Shown | None:
    """The stored result of a slow exhibit; None if it has none, or if its program has changed since."""
    record = _records().get(key)
    if record is None or record["program"] != EXHIBITS[key].program():
        return None
    strokes = tuple(
        Stroke(name, _array(x), _array(y), look, None if error is None else _array(error), role)
        for name, x, y, look, error, role in record["strokes"]
    )
    axes = record["axes"] | {"x_range": record["axes"]["x_range"] and tuple(record["axes"]["x_range"])}
    return Shown(Drawing(strokes, **axes), tuple(Finding(*one) for one in record["checks"]))


def record_of(key: str, shown: Shown) -> dict[str, Any]:
    """An exhibit as it is written to the file."""
    axes = dict(vars(shown.drawing))
    strokes = [list(vars(stroke).values()) for stroke in axes.pop("strokes")]
    return {
        "program": EXHIBITS[key].program(),
        "axes": axes,
        "strokes": [[part if isinstance(part, str | None) else _list(part) for part in one] for one in strokes],
        "checks": [astuple(one) for one in shown.checks],
    }


@cache
def _records() -> dict[str, dict[str, Any]]:
    return json.loads(_PATH.read_text(encoding="utf-8")) if _PATH.exists() else {}


def _array(values: list[float | None]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _list(values: np.ndarray) -> list[float | None]:
    return [float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None for value in np.asarray(values, dtype=float)]


def _write() -> None:
    slow = [key for key, one in EXHIBITS.items() if one.is_slow and not one.missing]
    records = {key: record_of(key, EXHIBITS[key].make()) for key in slow}
    lines = [f"{json.dumps(key)}: {json.dumps(record, ensure_ascii=False)}" for key, record in records.items()]
    _PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    _write()
