"""Figures in motion: what of a figure moves with one parameter, at every value a slider can take."""

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

_LARGEST = 3e38  # that 32 bits hold
_TRACE = re.compile(r"data\[(\d+)\]\.(\w+)")


@dataclass(frozen=True, eq=False)
class Track:
    """One attribute of a figure at every position: lists of numbers (n_positions, any length), or single values.

    `path` is where it stands: "data[0].y" of a trace, "layout.shapes[0].x0" of the rest.
    """

    path: str
    values: Sequence[Any]

    @property
    def is_numeric(self) -> bool:
        """Whether its values are lists of numbers, which travel with six digits."""
        kinds = (list, np.ndarray)
        others = (*kinds, str)
        lists = all(
            isinstance(some, kinds) and not any(isinstance(one, others) for one in some[:1]) for some in self.values
        )
        return bool(_TRACE.fullmatch(self.path)) and lists

    @cached_property
    def width(self) -> int:
        """Bytes of a number: four, or eight where one is too large for four."""
        largest = (np.asarray(value, dtype=float) for value in self.values)
        return 8 if any((np.isfinite(one) & (abs(one) > _LARGEST)).any() for one in largest) else 4


@dataclass(frozen=True, eq=False)
class Deck:
    """Frames of one figure, one for each position of a slider; what no track names stands still.

    Parameters
    ----------
    labels : what the slider says at each position
    tracks : what moves, each with as many values as there are labels

    Raises
    ------
    ParameterError
        If a track has another number of values.
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
        """What a browser is sent: lists of numbers as one run of floats (see `_floats`) with where each ends, in base64."""
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
    """All values as floats of 20 bits' precision, their first bytes first, then their second ones, …, deflated."""
    rest = {4: 4, 8: 33}[width]  # bits of the fraction that are dropped
    half, ones = (np.asarray(number, dtype=f"<u{width}") for number in (1 << (rest - 1), (1 << rest) - 1))
    joined = np.concatenate(values)
    floats = joined.astype(f"<f{width}")
    bits = floats.view(f"<u{width}")
    rounded = bits + half & ~ones
    rounded[~np.isfinite(floats)] = bits[~np.isfinite(floats)]
    planes = rounded.view("u1").reshape(-1, width)
    return zlib.compress(planes.T.tobytes())


def changing(path: str, values: Sequence[Any]) -> tuple[Track, ...]:
    """The track of an attribute, if it is not the same everywhere."""
    return () if all(value == values[0] for value in values) else (Track(path, values),)


def differences(figures: Sequence[Any]) -> tuple[Track, ...]:
    """Tracks of everything in which drawings of the same traces differ: figures of one builder at every position.

    A part that a drawing lacks, such as the marker of a plain line, is None there.

    Raises
    ------
    ParameterError
        If a list of parts, such as that of the traces, is not equally long everywhere.
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
    """A list of numbers that Plotly writes in base64 as an array, a tuple as a list; anything else as it is."""
    if isinstance(part, dict) and "bdata" in part:
        flat = np.frombuffer(base64.b64decode(part["bdata"]), part["dtype"])
        return flat.reshape([int(size) for size in part["shape"].split(",")]) if "shape" in part else flat
    return list(part) if isinstance(part, tuple) else part
