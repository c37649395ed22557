"""Functions of one parameter for many rows: computed at some positions of a slider, interpolated at the others."""

from __future__ import annotations

from collections.abc import Callable, Generator
from itertools import pairwise

import numpy as np
from scipy.interpolate import PchipInterpolator

# Positions from one computed for all rows to the next, before any are added, about a decade; doubled, more are added.
SPACING = 24
# Of a value, by which it may be off where it is foretold halfway; twice that from then on, and twice that is the share of rows
# that may be off by more. Doubled, fewer positions are computed, and curves may be off by twice as much.
_TOLERANCE = 0.01
# Stand for 0 and ∞ in logarithms; doubled, nothing changes.
_LEAST, _LARGEST = 1e-12, 1e300

Compute = Callable[[int, np.ndarray, np.ndarray | None], np.ndarray]


def at_every_position(
    x: np.ndarray,
    compute: Compute,
    count: int,
    spacing: int = SPACING,
    most: int | None = None,
    together: int | None = None,
) -> Generator[None, None, np.ndarray]:
    """Values ≥ 0 at every position, (n_positions, count): log-log monotone cubics between those that are computed.

    All rows are computed at evenly spaced positions. Halfway between two of these they are computed again; rows that the others
    do not foretell to 1 % (2 % from then on) are followed on either side, until all but 2 % are. In 40 random settings
    (noise or penalty of five losses, clipped or not, under three mechanisms) half of the ε at positions drawn at random are off by
    less than 0.2 %, 95 % by less than 2 % in all but one, 99 % by less than 4 % in nine of ten; tiny ones next to 0 by more.

    Parameters
    ----------
    x : logarithm of the parameter, increasing (n_positions,)
    compute : of a position, some rows, and guesses of their values or None: the values of those rows
    count : number of rows
    spacing : positions from one that is computed to the next, at first
    most : positions that may be computed, all by default
    together : rows that are computed in one go, all by default; yields None after each go
    """
    last, everyone = len(x) - 1, np.arange(count)
    most, together = len(x) if most is None else most, count if together is None else together
    parts = max(1, min(-(-last // spacing), most - 1))
    known: dict[int, np.ndarray] = {}
    for place in sorted({round(part * last / parts) for part in range(parts + 1)}):
        known[place] = yield from _in_goes(compute, place, everyone, None, together)
    gaps = [(low, high, everyone) for low, high in pairwise(sorted(known))]
    tolerance = _TOLERANCE
    while gaps:
        told = _interpolated(x, known, np.array([(low + high) // 2 for low, high, _ in gaps]))
        found: dict[int, np.ndarray] = {}
        further = []
        for (low, high, rows), guess in zip(gaps, told, strict=True):
            middle = (low + high) // 2
            if middle == low or len(known) + len(found) >= most:
                continue
            near = guess[rows]
            exact = yield from _in_goes(compute, middle, rows, np.clip(near, _LEAST, _LARGEST), together)
            off = np.abs(_logarithm(exact) - _logarithm(near)) > tolerance
            guess[rows] = exact
            found[middle] = guess
            for start, end in ((low, middle), (middle, high)):
                begins, ends = (known.get(place, guess)[rows] for place in (start, end))
                again = rows[off | (_kind(begins) != _kind(ends))]
                if again.size > 2 * _TOLERANCE * count:
                    further.append((start, end, again))
        known |= found
        gaps, tolerance = further, 2 * _TOLERANCE
    return _interpolated(x, known, np.arange(len(x)))


def _in_goes(
    compute: Compute, place: int, rows: np.ndarray, near: np.ndarray | None, together: int
) -> Generator[None, None, np.ndarray]:
    parts = []
    for start in range(0, len(rows), together):
        some = slice(start, start + together)
        parts.append(compute(place, rows[some], None if near is None else near[some]))
        yield
    return np.concatenate(parts)


def _kind(values: np.ndarray) -> np.ndarray:
    """0, positive, or ∞."""
    return np.sign(values) + np.isinf(values)


def _logarithm(values: np.ndarray) -> np.ndarray:
    return np.log(np.clip(values, _LEAST, _LARGEST))


def _interpolated(x: np.ndarray, known: dict[int, np.ndarray], places: np.ndarray) -> np.ndarray:
    """Values at some positions: towards 0 along a straight line, next to ∞ those of the nearest position."""
    at = np.array(sorted(known))
    values = np.array([known[place] for place in at])
    if len(at) == 1:
        return np.repeat(values, len(places), axis=0)
    result = np.exp(PchipInterpolator(x[at], _logarithm(values), axis=0)(x[places]))
    before = np.clip(np.searchsorted(at, places, side="right") - 1, 0, len(at) - 2)
    left, right = values[before], values[before + 1]
    share = ((x[places] - x[at[before]]) / (x[at[before + 1]] - x[at[before]]))[:, None]
    hidden, endless = (left == 0) | (right == 0), np.isinf(left) | np.isinf(right)
    with np.errstate(invalid="ignore"):
        straight = left + share * (right - left)
    result = np.where(hidden, straight, result)
    result = np.where(endless, np.where(share < 0.5, left, right), result)
    result = np.where(share == 0, left, np.where(share == 1, right, result))
    return result
