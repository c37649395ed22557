"""One mechanism's loss as two laws on a grid, one that dominates it and one that it dominates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.accountants.pld.loss_law import LossLaw
from dpcore.accountants.pld.masses import (
    ON_GRID,
    chord_masses,
    gaps,
    lower_masses,
    merged_masses,
    nonnegative,
    piece_gaps,
)
from dpcore.numerics import log_sum

PIECES = 4  # samples per cell from which the gap under its chord is bounded
_MERGES = 2  # nodes left of 0 tried as the place of one loss that all small losses are merged into
SPREAD = 0.16  # log of the moments' ratio of the two laws is this · θ(θ+1) · E[width²], measured on smooth losses


@dataclass(frozen=True)
class GridLaw:
    """P-masses at losses offset + step·index, and at infinity."""

    index: np.ndarray
    mass: np.ndarray
    infinite: float


@dataclass(frozen=True)
class GridPair:
    """Two laws around one loss: lower ≤ loss ≤ upper in the order of their curves."""

    offset: float
    step: float
    upper: GridLaw
    lower: GridLaw

    def position(self, law: GridLaw) -> np.ndarray:
        """Losses of the law's atoms."""
        return self.offset + self.step * law.index


def discretize(law: LossLaw, offset: float, step: float, index: np.ndarray, tilt: float) -> GridPair:
    """Both laws on the given nodes; of several valid lower laws the one with the largest moment at `tilt`."""
    nodes = offset + step * index
    share = np.arange(PIECES) / PIECES
    x = np.append((nodes[:-1, None] + np.diff(nodes)[:, None] * share).reshape(-1), nodes[-1])
    for edge in (law.bottom, law.top):
        x = np.where(np.abs(x - edge) <= ON_GRID * step, edge, x)
    h, k = law.curves(x)
    size = np.where(x < 0, k, h)
    atoms = [(at, p) for at, p in law.atoms if nodes[0] - 0.5 * step <= at <= nodes[-1] + 0.5 * step]
    rest_h, rest_k = _without(atoms, x, h, k)
    coarse = slice(None, None, PIECES)
    above = nonnegative(nodes, chord_masses(nodes, rest_h[coarse], rest_k[coarse]))
    upper = _joined(index, above, _split(atoms, offset, step), law.infinite + float(h[-1]))

    below = []
    off_grid = any(
        (at - offset) / step - node > 2 * ON_GRID
        for node, (at, _) in zip(_nodes_below(atoms, offset, step), atoms, strict=True)
    )
    for apart, curves in ((atoms, (rest_h, rest_k)), ([], (h, k)))[: 2 if off_grid else 1]:
        totals = sum(p * np.expm1(-at) for at, p in apart) - law.infinite, 1 - sum(p * np.exp(-at) for at, p in apart)
        gap = gaps(x, *curves, PIECES, size)
        for keep_total in (True, False):
            mass = lower_masses(nodes, curves[0][coarse], curves[1][coarse], gap, totals, keep_total)
            below.append(_joined(index, mass, _moved_down(apart, offset, step), law.infinite))
        if not apart:
            fine = x, curves[1], size, piece_gaps(x, *curves)
            for back in range(1, _MERGES + 1):
                merged = merged_masses(nodes, curves[0][coarse], curves[1][coarse], gap, totals, fine, back)
                if merged is not None:
                    below.append(_joined(index, merged, [], law.infinite))
    lower = max(below, key=lambda one: log_moment(one, offset, step, tilt))
    if h[-1] > 0 and lower.index.size and lower.index[-1] == index[-1]:
        lower = GridLaw(lower.index[:-1], lower.mass[:-1], lower.infinite)
    return GridPair(offset, step, upper, lower)


def _without(atoms: list, x: np.ndarray, h: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The curves less those of the atoms."""
    for at, mass in atoms:
        beyond = np.clip(x - at, -700.0, 700.0)
        h = np.where(x < at, np.maximum(h + mass * np.expm1(np.minimum(beyond, 0.0)), 0.0), h)
        k = np.where(x > at, np.maximum(k - mass * np.expm1(np.maximum(beyond, 0.0)), 0.0), k)
    return h, k


def _split(atoms: list, offset: float, step: float) -> list[tuple[int, float]]:
    """Each atom on the two nodes around it, P- and Q-mass kept."""
    result = []
    for at, mass in atoms:
        place = (at - offset) / step
        node = int(np.floor(place))
        share = float(np.expm1(-(place - node) * step) / np.expm1(-step))
        result += [(node, mass * (1 - share)), (node + 1, mass * share)]
    return result


def _moved_down(atoms: list, offset: float, step: float) -> list[tuple[int, float]]:
    """Each atom on the node below it."""
    return list(zip(_nodes_below(atoms, offset, step), (mass for _, mass in atoms), strict=True))


def _nodes_below(atoms: list, offset: float, step: float) -> list[int]:
    return [int(np.floor((at - offset) / step + ON_GRID)) for at, _ in atoms]


def _joined(index: np.ndarray, mass: np.ndarray, atoms: list[tuple[int, float]], infinite: float) -> GridLaw:
    places = np.array([place for place, _ in atoms], dtype=np.int64)
    all_index = np.concatenate([index, places])
    all_mass = np.concatenate([mass, [p for _, p in atoms]])
    kept = all_mass > 0
    return GridLaw(all_index[kept], all_mass[kept], infinite)


def log_moment(law: GridLaw, offset: float, step: float, tilt: float) -> float:
    """log E[e^{tilt·ω}] of the finite part; −inf for no mass."""
    return float(log_sum(tilt * (offset + step * law.index), law.mass))


def log_moment_ratios(pair: GridPair, tilts: list[tuple[float, float]]) -> np.ndarray:
    """log of the ratio, upper to lower, of ∫_0^{e^c} θ(θ+1)γ^{θ−1} H(log γ) dγ for each (c, θ).

    These are the moments, with losses beyond c counted as little more than c, so that the ratio says how far apart the
    laws are below c. What the upper law has cut off to infinity counts as its largest finite loss.
    """
    cap, tilt = np.array(tilts).T[:, :, None]
    last = pair.offset + pair.step * float(pair.upper.index.max())

    def moments(law: GridLaw) -> np.ndarray:
        x = np.append(pair.offset + pair.step * law.index, last)
        mass = np.append(law.mass, max(law.infinite - pair.lower.infinite, 0.0))
        beyond = np.log1p(-tilt * np.expm1(np.minimum(cap - x, 0.0)))
        return log_sum(np.where(x <= cap, tilt * x, tilt * cap + beyond), mass)

    return moments(pair.upper) - moments(pair.lower)
