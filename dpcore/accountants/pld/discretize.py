"""One mechanism's loss as two laws on a grid, one that dominates it and one that it dominates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.accountants.pld.grid import is_on_grid
from dpcore.accountants.pld.loss_law import LossLaw, Real
from dpcore.accountants.pld.lower import Below, Samples
from dpcore.accountants.pld.masses import ON_GRID, chord_masses, nonnegative
from dpcore.numerics import log_sum

_MASS_ERROR = 1e-12  # relative, of a mass as computed
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


def discretize(
    law: LossLaw, offset: float, step: float, index: np.ndarray, tilt: float, precision: Real = np.float64
) -> GridPair:
    r"""Both laws on the nodes offset + step·index, by their curves.

    A law is its curve F(x) = E[(1 − e^{x−ω})_+], convex in e^x, and a law with a larger curve reveals more. Chords of F
    between nodes are themselves the curve of a law, with masses

    .. math:: p_i = \frac{F_{i+1} − F_i}{e^{x_{i+1} − x_i} − 1} − \frac{F_i − F_{i−1}}{1 − e^{x_{i−1} − x_i}}

    at the nodes, and lie above F: the upper law. Lowered by the gap between F and its chords they lie below: a lower law.
    Atoms at the edges of the support would make wide gaps, so they are taken out of F first and put back on nodes.

    Parameters
    ----------
    law : the loss of one mechanism in one direction
    offset, step : the grid
    index : increasing indices of the nodes, 0 in between
    tilt : of several valid lower laws the one with the largest moment at this exponent is kept
    precision : of the masses
    """
    nodes = offset + step * index
    samples = Samples.of(law, nodes, step, precision)
    atoms = [(at, p) for at, p in law.atoms if nodes[0] - 0.5 * step <= at <= nodes[-1] + 0.5 * step]
    rest = samples.without(atoms)
    above = nonnegative(nodes, chord_masses(nodes, *rest.at_nodes()))
    upper = _joined(index, above, _split(atoms, offset, step), law.infinite + samples.h[-1])

    down = _moved_down(atoms, offset, step)
    ways = [(rest, atoms, down)]
    if any((at - offset) / step - node > 2 * ON_GRID for (node, _), (at, _) in zip(down, atoms, strict=True)):
        ways.append((samples, [], []))
    below = [one for way in ways for one in _lower_laws(law, nodes, index, *way)]
    if law.lattice is not None and is_on_grid(law.lattice, step):
        place = np.rint(nodes / law.lattice.step - law.lattice.offset)
        mass = np.exp(law.lattice.log_mass(place).astype(precision)) * (1 - _MASS_ERROR)
        below.append(_joined(index, mass, [], law.infinite))
    lower = max(below, key=lambda one: log_moment(one, offset, step, tilt))
    if samples.h[-1] > 0 and lower.index.size and lower.index[-1] == index[-1]:
        lower = GridLaw(lower.index[:-1], lower.mass[:-1], lower.infinite)
    return GridPair(offset, step, upper, lower)


def _lower_laws(
    law: LossLaw,
    nodes: np.ndarray,
    index: np.ndarray,
    samples: Samples,
    taken: list[tuple[float, float]],
    placed: list[tuple[int, float]],
) -> list[GridLaw]:
    """Laws below that of the samples, from which the atoms `taken` are missing, with these `placed` on nodes."""
    surplus = sum(p * np.expm1(-at) for at, p in taken) - law.infinite
    curve = Below(nodes, samples, (surplus, 1 - sum(p * np.exp(-at) for at, p in taken)))
    masses: list[np.ndarray | None] = [curve.lowered(keep_total) for keep_total in (True, False)]
    if not taken:
        masses += [curve.merged(back) for back in range(1, _MERGES + 1)]
    found = [(index, mass) for mass in masses if mass is not None] + [curve.floored(index, law.bottom)]
    return [_joined(places, mass, placed, law.infinite) for places, mass in found]


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
    return [(int(np.floor((at - offset) / step + ON_GRID)), mass) for at, mass in atoms]


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
