"""One mechanism's loss on a grid: a law that dominates it, and that law with noise, for a bound from below."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from dpcore.accountants.pld.grid import is_on_grid
from dpcore.accountants.pld.loss_law import ON_GRID, LossLaw, chord_masses, nonnegative

# μ of the Gaussian loss added to a cell, in widths of the cell: 2.6 times half the width. Doubled, brackets are three
# times as wide.
_NOISE = 1.3
# This over √(number of losses) is the widest cell, in nats, for which the noise is proven to be enough. Doubled, it is
# not.
WIDEST = 0.5
# Number of nodes on either side that this noise reaches, more than seven deviations. Doubled, nodes are added in vain.
_REACH = 10
# Width of the bracket divided by θ(θ+1) · E[width of a cell squared], about μ²/2. Doubled, the first grid is finer than
# it need be.
SPREAD = 0.85


@dataclass(frozen=True)
class GridLaw:
    """P-masses at losses offset + step·index, and at infinity."""

    offset: float
    step: float
    index: np.ndarray
    mass: np.ndarray
    infinite: float

    @classmethod
    def of(cls, grid: tuple[float, float], index: np.ndarray, mass: np.ndarray, infinite: float) -> GridLaw:
        """A law from indices in any order, of which some may occur twice and some may have no mass."""
        order = np.argsort(index, kind="stable")
        index, mass = index[order], mass[order]
        starts = np.flatnonzero(np.diff(index, prepend=index[0] - 1))
        index, mass = index[starts], np.add.reduceat(mass, starts)
        return cls(*grid, index[mass > 0], mass[mass > 0], infinite)


@dataclass(frozen=True)
class GridPair:
    r"""A law U that dominates the loss T, and U with noise, W.

    A loss T in a cell of width w is moved to the two ends of the cell so that P- and Q-mass are kept. So Z = e^{T − U}
    has mean 1 given T, and by Hoeffding's lemma the product Z over many losses has E[Z^t] ≤ exp(t(t − 1)σ²/2) for t ≥ 1
    and t ≤ 0, with σ² = Σw²/4. So, with a = e^{ε − ΣT}, V = e^{σ²} − 1 and the least over t,

    .. math:: v(a) = E[(1 − aZ)_+] − (1 − a)_+ \le \min\left(\tfrac12 \left(\sqrt{a²V + (1 − a)²} − |1 − a|\right),
              \; c_t\, a^{−t} e^{t(t+1)σ²/2}\right), \quad c_t = \max_{z<1} (1 − z)z^t

    for a ≥ 1, and the like for a < 1. W has a Gaussian loss of μ = 2.6 · w/2 added for each cell, whose own v is more than
    twice this as long as σ ≤ 1/4. As (1 − aZZ')_+ is convex in Z, for all of a composition at once

    .. math:: H_W − H_T \ge 2 (H_U − H_T), \qquad \text{so} \qquad 2 H_U − H_W \le H_T \le H_U .

    `widest` is the largest w. `lost` is the P-mass that was moved to the first node from the left of it; the lower side
    is computed without it.
    """

    upper: GridLaw
    wider: GridLaw
    widest: float
    lost: float


@lru_cache(maxsize=1024)
def _noise(width: float) -> np.ndarray:
    """Masses, on nodes `width` apart, of a law that dominates the Gaussian loss of a cell of that width."""
    x, mu = width * np.arange(-_REACH, _REACH + 1), _NOISE * width
    right = special.ndtr(mu / 2 - np.abs(x) / mu) - np.exp(np.abs(x)) * special.ndtr(-mu / 2 - np.abs(x) / mu)
    h = np.where(x < 0, np.exp(x) * right - np.expm1(x), right)
    mass = nonnegative(x, chord_masses(x, h, np.where(x < 0, np.exp(x) * right, h + np.expm1(x))))
    mass[-1] += h[-1]
    return mass


def discretize(law: LossLaw, offset: float, step: float, index: np.ndarray) -> GridPair:
    r"""The laws on the nodes offset + step·index.

    A law is its curve F(x) = E[(1 − e^{x−ω})_+], convex in e^x, and a law with a larger curve reveals more. Chords of F
    between nodes are themselves the curve of a law, with masses

    .. math:: p_i = \frac{F_{i+1} − F_i}{e^{x_{i+1} − x_i} − 1} − \frac{F_i − F_{i−1}}{1 − e^{x_{i−1} − x_i}} .

    Parameters
    ----------
    law : the loss of one mechanism in one direction
    offset, step : the grid
    index : increasing indices of the nodes, which lie on multiples of the widths of the cells beside them
    """
    nodes = offset + step * index
    for edge in (law.bottom, law.top):
        nodes = np.where(np.abs(nodes - edge) <= ON_GRID * step, edge, nodes)
    h, k = law.curves(nodes)
    infinite = law.infinite + float(h[-1])
    while True:
        mass = chord_masses(nodes, h, k)
        convex = mass >= -_round_off(law, nodes, np.where(nodes < 0, k, h))
        if convex.all():
            break
        index, nodes, h, k = (one[convex] for one in (index, nodes, h, k))
    mass = nonnegative(nodes, mass)
    # The masses are to be ordinary floats after noise too.
    if mass[mass > 0].min(initial=1.0) > np.finfo(float).tiny / np.finfo(float).eps ** 3:
        mass = mass.astype(float)
    lost = float(mass[0]) if nodes[0] > law.bottom else 0.0
    upper = GridLaw.of((offset, step), index, mass, infinite)
    if law.lattice is not None and is_on_grid(law.lattice, step):
        return GridPair(upper, upper, 0.0, lost)
    still = np.zeros_like(mass)
    for at, p in law.atoms:
        still[nodes == at] = min(p, float(mass[nodes == at].sum()))
    spread = _spread(index, mass - still, step)
    places, masses = (np.concatenate(both) for both in zip((index, still), *spread, strict=True))
    wider = GridLaw.of((offset, step), places, masses, infinite)
    return GridPair(upper, wider, step * float(np.diff(index).max()), lost)


def _round_off(law: LossLaw, nodes: np.ndarray, curve: np.ndarray) -> np.ndarray:
    """How negative the mass of each node may come out although the curve is convex."""
    digits = np.finfo(float).eps * (8 - np.log(np.maximum(curve, np.finfo(curve.dtype).tiny)))
    steep = np.abs(np.gradient(curve, nodes) * np.spacing(nodes))
    cells = np.diff(nodes)
    narrow = np.minimum(np.append(cells, cells[-1]), np.append(cells[0], cells))
    return 4 * ((law.mechanism.evaluation_error + digits) * curve + 8 * steep) / narrow


def _spread(index: np.ndarray, mass: np.ndarray, step: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Indices and masses after noise is added, for one width after another.

    The noise of a node has the width of the wider cell beside it.
    """
    cells = np.diff(index)
    width = np.maximum(np.append(cells, 1), np.append(1, cells))
    found = []
    for one in np.unique(width):
        place, weight, noise = index[width == one], mass[width == one], _noise(float(one * step))
        dense = (int(place.max()) - int(place.min())) // one + 1
        if dense > noise.size * place.size or (place % one).any():
            around = place[:, None] + one * np.arange(-_REACH, _REACH + 1)
            found.append((around.ravel(), (weight[:, None] * noise).ravel()))
        else:
            filled = np.zeros(dense, dtype=mass.dtype)
            filled[(place - place.min()) // one] = weight
            spread = np.convolve(filled, noise)
            found.append((place.min() + one * np.arange(-_REACH, dense + _REACH), spread))
    return found
