"""Piecewise linear curves in e^x as discrete laws: masses from chords, greatest convex minorants."""

from __future__ import annotations

from typing import Any

import numpy as np

ON_GRID = 1e-9  # fraction of a step by which a loss may lie off its node, charged to the whole at the end
_FEW = 50


def chord_masses(x: np.ndarray, h: np.ndarray, k: np.ndarray) -> np.ndarray:
    """P-masses of the law whose curve joins the nodes by straight lines in e^x; negative where the nodes are not convex.

    The curve is h, or k = h − (constant) + e^x left of 0. Beyond the last node it is flat, left of the first it is the
    chord to its value at e^x = 0, where k = 0.
    """
    width = np.diff(x)
    with np.errstate(over="ignore"):
        ahead, behind = np.expm1(width), -np.expm1(-width)
    on_h, on_k = np.diff(h), np.diff(k)
    first = max(int(np.searchsorted(x, 0.0)), 1)
    mass = np.empty_like(x)
    mass[first:] = np.append(on_h[first:] / ahead[first:], 0.0) - on_h[first - 1 :] / behind[first - 1 :]
    mass[1:first] = on_k[1:first] / ahead[1:first] - on_k[: first - 1] / behind[: first - 1]
    mass[0] = on_k[0] / ahead[0] - k[0]
    return mass


def curve_at_nodes(x: np.ndarray, mass: np.ndarray) -> np.ndarray:
    r"""Σ_i mass_i (1 − e^{x − x_i})_+ at each node, a sum of positive terms: :math:`H_j = H_{j+1} + (e^{x_{j+1}} − e^{x_j}) Q_{j+1}`.

    With Q_j the Q-mass from node j on.
    """
    with np.errstate(divide="ignore"):
        log_beyond = np.logaddexp.accumulate((np.log(mass) - x)[::-1])[::-1]
    rise = np.exp(log_beyond[1:] + x[1:]) * -np.expm1(-np.diff(x))
    return np.append(np.cumsum(rise[::-1])[::-1], 0.0)


def split_share(left: np.ndarray | float, x: np.ndarray, right: np.ndarray | float) -> np.ndarray:
    """Share of a mass at x that goes to `right` when it is split so that both P- and Q-mass are kept."""
    return np.expm1(left - x) / np.expm1(left - right)


def between(x: np.ndarray, ends: tuple[Any, Any], values: np.ndarray) -> np.ndarray:
    """The straight line in e^x through `values` at the two `ends`, at x between them."""
    share = np.exp(x - ends[1]) * split_share(ends[0], x, ends[1])
    return values[0] + share * (values[1] - values[0])


def nonnegative(x: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Masses of the greatest convex curve below: nodes of negative mass are dropped, theirs split between neighbours.

    Many at a time as long as there are many, then one by one with only their neighbours looked at again.
    """
    alive, left_over = np.arange(x.size), mass
    while np.count_nonzero(left_over < 0) > _FEW:
        negative = left_over < 0
        kept, dropped = x[alive[~negative]], x[alive[negative]]
        debt, left_over, alive = left_over[negative], left_over[~negative].copy(), alive[~negative]
        after = np.searchsorted(kept, dropped)
        below, above = kept[np.maximum(after - 1, 0)], kept[np.minimum(after, kept.size - 1)]
        inside = (after > 0) & (after < kept.size)
        share = np.where(after == 0, 1.0, 0.0)
        share[inside] = split_share(below[inside], dropped[inside], above[inside])
        np.add.at(left_over, np.minimum(after, kept.size - 1), share * debt)
        np.add.at(left_over, np.maximum(after - 1, 0), (1 - share) * debt)
    result = np.zeros_like(mass)
    result[alive] = _without_negative(x[alive], left_over)
    return result


def _without_negative(x: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """`nonnegative` node by node."""
    mass = mass.copy()
    waiting = np.flatnonzero(mass < 0).tolist()
    if not waiting:
        return mass
    before, after = np.arange(-1, x.size - 1), np.arange(1, x.size + 1)
    while waiting:
        node = waiting.pop()
        debt = mass[node]
        if debt >= 0:
            continue
        mass[node] = 0.0
        left, right = int(before[node]), int(after[node])
        inside = left >= 0 and right < x.size
        share = float(split_share(x[left], x[node], x[right])) if inside else float(left < 0)
        for neighbour, part in ((left, 1 - share), (right, share)):
            if 0 <= neighbour < x.size:
                mass[neighbour] += part * debt
                if mass[neighbour] < 0:
                    waiting.append(neighbour)
        if left >= 0:
            after[left] = right
        if right < x.size:
            before[right] = left
    return mass
