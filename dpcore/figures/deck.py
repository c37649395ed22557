"""Figures that move: those attributes that change with one parameter, at every position of a slider."""

import base64
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any

import numpy as np

from dpcore.errors import ParameterError

_LARGEST = 3e38  # largest number that is sent as a float of 32 bits
_TRACE = re.compile(r"data\[(\d+)\]\.(\w+)")


@dataclass(frozen=True, eq=False)
class Track:
    """One attribute of a figure at every position of a slider: lists of numbers (n_positions, any length), or values.

    `path` is the place of the attribute: "data[0].y" in a trace, "layout.shapes[0].x0" in the layout.
    """

    path: str
    values: Sequence[Any]

    @property
    def is_numeric(self) -> bool:
        """Whether its values are lists of numbers, which are sent with six digits."""
        kinds = (list, np.ndarray)
        others = (*kinds, str)
        lists = all(
            isinstance(some, kinds) and not any(isinstance(one, others) for one in some[:1]) for some in self.values
        )
        return bool(_TRACE.fullmatch(self.path)) and lists

    @cached_property
    def width(self) -> int:
        """Bytes of each number: four, or eight if one number is too large for four."""
        largest = (np.asarray(value, dtype=float) for value in self.values)
        return 8 if any((np.isfinite(one) & (abs(one) > _LARGEST)).any() for one in largest) else 4


@dataclass(frozen=True, eq=False)
class Deck:
    """Frames of one figure, one for each position of a slider. Attributes without a track do not change.

    Parameters
    ----------
    labels : text of the slider at each position
    tracks : the attributes that change, each with as many values as there are labels

    Raises
    ------
    ParameterError
        If the number of values of a track differs from the number of labels.
    """

    labels: tuple[str, ...]
    tracks: tuple[Track, ...]

    def __post_init__(self) -> None:
        for track in self.tracks:
            if len(track.values) != len(self.labels):
                raise ParameterError(
                    f"{track.path} has {len(track.values)} values for {len(self.labels)} positions; give one for each"
                )

    def wire(self) -> dict[str, Any]:
        """What is sent to the browser. All lists of a track are joined to one list of floats in base64 (see `_floats`).

        `ends` says where each list ends.
        """
        numeric = [track for track in self.tracks if track.is_numeric]
        return {
            "count": len(self.labels),
            "numbers": [
                {
                    "trace": int(_TRACE.fullmatch(track.path)[1]),  # type: ignore[index]
                    "name": _TRACE.fullmatch(track.path)[2],  # type: ignore[index]
                    "ends": list(accumulate(len(value) for value in track.values)),
                    "width": track.width,
                    "floats": base64.b64encode(_floats(track.values, track.width)).decode(),
                }
                for track in numeric
            ],
            "rest": [
                {"path": track.path, "values": list(track.values)} for track in self.tracks if track not in numeric
            ],
        }


def _floats(values: Sequence[Any], width: int) -> bytes:
    """All values as floats of 20 bits' precision, deflated: first the first byte of each, then the second ones, …"""
    rest = {4: 4, 8: 33}[width]  # bits of the fraction that are rounded away
    half, ones = (np.asarray(number, dtype=f"<u{width}") for number in (1 << (rest - 1), (1 << rest) - 1))
    joined = np.concatenate(values)
    floats = joined.astype(f"<f{width}")
    bits = floats.view(f"<u{width}")
    rounded = bits + half & ~ones
    rounded[~np.isfinite(floats)] = bits[~np.isfinite(floats)]
    planes = rounded.view("u1").reshape(-1, width)
    return zlib.compress(planes.T.tobytes())


def changing(path: str, values: Sequence[Any]) -> tuple[Track, ...]:
    """The track of an attribute, or none if it is the same at every position."""
    return () if all(value == values[0] for value in values) else (Track(path, values),)


def differences(figures: Sequence[Any]) -> tuple[Track, ...]:
    """Tracks of all attributes in which figures differ; they are the same figure drawn at every position.

    An attribute that a figure does not have, such as the marker of a plain line, is None there.

    Raises
    ------
    ParameterError
        If a list of parts, such as the list of traces, is not equally long in all figures.
    """
    return tuple(_differences("", [figure.to_plotly_json() for figure in figures]))


def _differences(path: str, drawn: Sequence[Any]) -> Iterator[Track]:
    parts = [_array(part) for part in drawn]
    first = parts[0]
    if all(isinstance(part, dict) for part in parts):
        for name in dict.fromkeys(chain.from_iterable(parts)):
            yield from _differences(f"{path}.{name}" if path else name, [part.get(name) for part in parts])
    elif isinstance(first, list) and first and isinstance(first[0], dict):
        if any(part is None or len(part) != len(first) for part in parts):
            raise ParameterError(f"the figures have other parts at {path}; draw the same ones at each position")
        for place in range(len(first)):
            yield from _differences(f"{path}[{place}]", [part[place] for part in parts])
    elif all(isinstance(part, np.ndarray) and part.ndim == 1 for part in parts):
        if any(not np.array_equal(part, first, equal_nan=True) for part in parts):
            yield Track(path, parts)
    else:
        yield from changing(path, [part.tolist() if isinstance(part, np.ndarray) else part for part in parts])


def _array(part: Any) -> Any:
    """Numbers that Plotly writes in base64 as an array, a tuple as a list, and anything else unchanged."""
    if isinstance(part, dict) and "bdata" in part:
        flat = np.frombuffer(base64.b64decode(part["bdata"]), part["dtype"])
        return flat.reshape([int(size) for size in part["shape"].split(",")]) if "shape" in part else flat
    return list(part) if isinstance(part, tuple) else part
