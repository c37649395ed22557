"""One mechanism's loss on a grid: a law that dominates it, and that law spread further, by which it can be bounded from below."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpcore.accountants.pld.grid import is_on_grid
from dpcore.accountants.pld.loss_law import LossLaw, Real
from dpcore.accountants.pld.masses import ON_GRID, chord_masses, nonnegative
from dpcore.mechanisms import Gaussian
from dpcore.numerics import log_sum

_NOISE = 1.3  # μ of the Gaussian loss added to a cell, in its widths: `GridPair` asks for 2.6 · w/2
WIDEST = 0.5  # over √(number of losses): the widest cell for which that is enough
_CONCAVE = 1e-9  # a negative mass so large is a corner of the curve, cells then reach from one loss to the next
_REACH = 10  # nodes on either side that this loss is cut off at: eight standard deviations
_SPARSE = 10  # nodes to be filled up for each that carries mass, up to which noise is added by convolution
SPREAD = 0.85  # log of the moments' ratio of the two laws is this · θ(θ+1) · E[width²], with μ²/2 for each width


@dataclass(frozen=True)
class GridLaw:
    """P-masses at losses offset + step·index, and at infinity."""

    index: np.ndarray
    mass: np.ndarray
    infinite: float


@dataclass(frozen=True)
class GridPair:
    r"""A law U that dominates the loss T, and U with noise, W.

    T in a cell of width w goes to its two ends so that P- and Q-mass stay: Z = e^{T − U} has mean 1 given T, and by
    Hoeffding's lemma the Z of many losses multiplied have E[Z^t] ≤ exp(t(t − 1)σ²/2) for t ≥ 1 and t ≤ 0, with
    σ² = Σw²/4. So, with a = e^{ε − ΣT}, V = e^{σ²} − 1 and the least over t,

    .. math:: v(a) = E[(1 − aZ)_+] − (1 − a)_+ \le \min\left(\tfrac12 \left(\sqrt{a²V + (1 − a)²} − |1 − a|\right),
              \; c_t\, a^{−t} e^{t(t+1)σ²/2}\right), \quad c_t = \max_{z<1} (1 − z)z^t

    for a ≥ 1, and the like for a < 1. W has a Gaussian loss of μ = 2.6 · w/2 added for each cell, whose own v is more than
    twice this as long as σ ≤ 1/4. As (1 − aZZ')_+ is convex in Z, for all of a composition at once

    .. math:: H_W − H_T \ge 2 (H_U − H_T), \qquad \text{so} \qquad 2 H_U − H_W \le H_T \le H_U .

    `widest` is the largest w. `lost` is the P-mass that has come to the first node from the left, which the lower side does without.
    """

    offset: float
    step: float
    upper: GridLaw
    wider: GridLaw
    widest: float
    lost: float


@lru_cache(maxsize=1024)
def _noise(width: float) -> np.ndarray:
    """Masses, on nodes `width` apart, of a law that dominates the Gaussian loss of a cell so wide."""
    x = width * np.arange(-_REACH, _REACH + 1)
    h, k = LossLaw(Gaussian(1 / (_NOISE * width)), "add").stated(x)
    mass = nonnegative(x, chord_masses(x, h, k))
    mass[-1] += h[-1]
    return mass


def discretize(law: LossLaw, offset: float, step: float, index: np.ndarray, precision: Real = np.float64) -> GridPair:
    r"""The laws on the nodes offset + step·index.

    A law is its curve F(x) = E[(1 − e^{x−ω})_+], convex in e^x, and a law with a larger curve reveals more. Chords of F
    between nodes are themselves the curve of a law, with masses

    .. math:: p_i = \frac{F_{i+1} − F_i}{e^{x_{i+1} − x_i} − 1} − \frac{F_i − F_{i−1}}{1 − e^{x_{i−1} − x_i}} .

    Parameters
    ----------
    law : the loss of one mechanism in one direction
    offset, step : the grid
    index : increasing indices of the nodes, which lie on multiples of the widths of the cells beside them
    precision : of the masses
    """
    nodes = offset + step * index
    for edge in (law.bottom, law.top):
        nodes = np.where(np.abs(nodes - edge) <= ON_GRID * step, edge, nodes)
    h, k = law.curves(nodes, precision)
    mass = chord_masses(nodes, h, k)
    concave = bool((mass < -_CONCAVE).any())
    mass = nonnegative(nodes, mass).astype(precision)
    if concave:
        index, nodes, mass = index[mass > 0], nodes[mass > 0], mass[mass > 0]
    lost = float(mass[0]) if nodes[0] > law.bottom else 0.0
    upper = _law(index, mass, law.infinite + float(h[-1]))
    if law.lattice is not None and is_on_grid(law.lattice, step):
        return GridPair(offset, step, upper, upper, 0.0, lost)
    still = np.zeros_like(mass)
    for at, p in law.atoms:
        still[nodes == at] = min(p, float(mass[nodes == at].sum()))
    places, masses = _spread(index, mass - still, step)
    wider = _law(np.append(index, places), np.append(still, masses), upper.infinite)
    return GridPair(offset, step, upper, wider, 0.0 if concave else step * float(np.diff(index).max()), lost)


def _spread(index: np.ndarray, mass: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Indices and masses with noise as wide as the wider cell beside each node."""
    cells = np.diff(index)
    width = np.maximum(np.append(cells, 1), np.append(1, cells))
    places, masses = [], []
    for one in np.unique(width):
        place, weight = index[width == one] // one, mass[width == one]
        noise, first = _noise(float(one * step)), int(place.min())
        dense = int(place.max()) - first + 1
        if dense > _SPARSE * place.size:
            places.append(one * (place[:, None] + np.arange(-_REACH, _REACH + 1)).ravel())
            masses.append((weight[:, None] * noise).ravel())
            continue
        filled = np.zeros(dense, dtype=mass.dtype)
        filled[place - first] = weight
        places.append(one * (first - _REACH + np.arange(dense + 2 * _REACH)))
        masses.append(np.convolve(filled, noise))
    return _joined(np.concatenate(places), np.concatenate(masses))


def _joined(index: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each index once, in order."""
    order = np.argsort(index, kind="stable")
    index, mass = index[order], mass[order]
    starts = np.flatnonzero(np.diff(index, prepend=index[0] - 1))
    return index[starts], np.add.reduceat(mass, starts)


def _law(index: np.ndarray, mass: np.ndarray, infinite: float) -> GridLaw:
    return GridLaw(index[mass > 0], mass[mass > 0], infinite)


def log_moment_ratios(pair: GridPair, tilts: list[tuple[float, float]]) -> np.ndarray:
    """log of the ratio, W to U, of ∫_0^{e^c} θ(θ+1)γ^{θ−1} H(log γ) dγ for each (c, θ).

    These are the moments, with losses beyond c counted as little more than c, so that the ratio says how far apart the
    laws are below c.
    """
    cap, tilt = np.array(tilts).T[:, :, None]

    def moments(law: GridLaw) -> np.ndarray:
        x = pair.offset + pair.step * law.index
        beyond = np.log1p(-tilt * np.expm1(np.minimum(cap - x, 0.0)))
        return log_sum(np.where(x <= cap, tilt * x, tilt * cap + beyond), law.mass)

    return moments(pair.wider) - moments(pair.upper)
