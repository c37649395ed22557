"""Where the nodes lie: one step for all mechanisms, so that atoms fall on nodes, and cells as wide as the law allows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.accountants.pld.loss_law import Laws, LossLaw
from dpcore.profiles import Lattice

_SMALL = 1 / 8  # a support narrower than this many steps does not set the step
_SMALL_LATTICE = 1 / 2  # a lattice finer than this many steps is not resolved
_TRIED = 20_000
_MOST_SPANS = 4  # that may shorten a step
_RARE = 1e-14  # share of the tilted mass below which a large loss need not be resolved
MOST_NODES = 2**20


def spans_of(laws: Laws, step: float) -> list[tuple[float, int]]:
    """(distance between the two edge atoms, or from one loss of a lattice to the next; count) of each mechanism that has it."""
    spans = []
    for law, count in laws:
        if law.lattice is not None and law.lattice.step > _SMALL_LATTICE * step:
            spans.append((law.lattice.step, count))
        elif len(law.atoms) == 2 and law.atoms[1][0] - law.atoms[0][0] > _SMALL * step:
            spans.append((law.atoms[1][0] - law.atoms[0][0], count))
    return spans


def lattice_index(law: LossLaw, offset: float, step: float, low: float, high: float) -> np.ndarray | None:
    """Indices of all losses from `low` to `high`, where they lie on the grid; the curve is linear in e^x between them.

    Parameters
    ----------
    law : whose atoms may all lie on one lattice
    offset, step : place of node 0 and distance between nodes, nats
    low, high : the losses that matter
    """
    if law.lattice is None or not is_on_grid(law.lattice, step):
        return None
    cells = int(np.rint(law.lattice.step / step))
    first = int(np.floor((low - offset) / law.lattice.step))
    last = int(np.ceil((high - offset) / law.lattice.step))
    return None if last - first >= MOST_NODES else cells * np.arange(first, last + 1)


def is_on_grid(lattice: Lattice, step: float) -> bool:
    """Whether losses of a lattice are a whole number of steps apart."""
    cells = lattice.step / step
    return cells > _SMALL_LATTICE and abs(cells - np.rint(cells)) <= 1e-9


def aligned_step(laws: Laws, step: float) -> float:
    """The largest step up to `step`, about, of which the distances between edge atoms are multiples.

    One distance can be met exactly; several are met as nearly as the best of many candidates does.
    """
    spans = spans_of(laws, step)
    if not spans or len(spans) > _MOST_SPANS:
        return step
    if {law.lattice and law.lattice.step for law, _ in laws} == {spans[0][0]}:
        return spans[0][0]  # no loss lies between
    span, _ = max(spans, key=lambda one: one[1])
    fewest = max(int(np.ceil(span / step * (1 - 1e-12))), 1)
    if len(spans) == 1:
        return span / (fewest if fewest == 1 else fewest + fewest % 2)
    cells = np.arange(fewest, min(2 * fewest + 16, fewest + _TRIED))
    steps = span / cells
    cost = np.zeros(cells.size)
    for other, count in spans:
        place = other / steps
        cost += count * (np.ceil(place - 1e-9) - place) * steps
    return float(steps[int(np.argmin(cost))])


def offset_of(law: LossLaw, step: float) -> float:
    """Shift of the mechanism's grid that puts its losses on nodes: all of a lattice, or the largest, or 0."""
    if law.lattice is not None and is_on_grid(law.lattice, step):
        return law.lattice.step * (law.lattice.offset % 1)
    if not law.atoms or law.atoms[-1][0] != law.top:
        return 0.0
    offset = law.top - step * np.rint(law.top / step)
    return 0.0 if abs(offset) < 1e-12 * step else float(offset)


@dataclass(frozen=True)
class Density:
    """The tilted loss at the pilot's nodes, between the ends that matter."""

    x: np.ndarray
    value: np.ndarray

    @classmethod
    def of(cls, law: LossLaw, span: tuple[float, float], tilts: list[tuple[float, float]]) -> Density:
        """Mass per unit of loss: of all (cap, tilt), tilted up to the cap, and beside each node, the largest."""
        x, _, log_mass = law.pilot
        inside = (x >= span[0]) & (x <= span[1])
        x = x[inside]
        if x.size < 3:
            return cls(np.array(span), np.ones(2))
        exponent = log_mass[inside] + np.array([tilt * np.minimum(x, cap) for cap, tilt in tilts])
        tilted = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        value = (tilted / tilted.sum(axis=1, keepdims=True)).max(axis=0) / np.gradient(x)
        value[1:-1] = np.maximum(value[1:-1], np.maximum(value[:-2], value[2:]))
        return cls(x, value)

    @property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest loss that matters, and 0 between them."""
        return min(float(self.x[0]), 0.0), max(float(self.x[-1]), 0.0)

    def cube_root_integral(self) -> float:
        """∫ t^{1/3} dx."""
        return float(np.trapezoid(np.cbrt(self.value), self.x))


def node_index(
    density: Density, law: LossLaw, offset: float, step: float, scale: float, largest: float, widest: np.ndarray
) -> np.ndarray:
    """Indices of the nodes: cells of width about scale·t^{−1/3} where the tilted loss has density t, between `step` and `widest`.

    Among all choices with the same E[width²] this has the fewest nodes. Widths are powers of two steps and nodes multiples of
    them; around 0 and the atoms, cells are one step wide.

    Parameters
    ----------
    density : the tilted loss
    law : the loss
    offset, step : place of node 0 and distance between nodes, nats
    scale : width of a cell where the density is 1
    largest : widest cell right of 0, unless t is negligible, so that a single large loss is resolved even if it is rare
    widest : widest cell at the nodes of the density, nats
    """
    x = density.x
    with np.errstate(divide="ignore"):
        width = np.clip(scale / np.cbrt(density.value), step, np.maximum(step, widest))
        rare = largest / np.cbrt(np.minimum(density.value * np.abs(x) / _RARE, 1.0))
    width = np.where(x > 0, np.minimum(width, np.maximum(rare, step)), width) / step
    width *= max(1.0, float(np.trapezoid(1 / width, x)) / step / MOST_NODES)
    special = np.array([0.0, *(at for at, _ in law.atoms if density.x[0] <= at <= density.x[-1])])
    place = (np.append(density.x, special) - offset) / step
    order = np.argsort(place, kind="stable")
    place, width = place[order], np.append(width, np.ones(special.size))[order]
    cell = 2 ** int(np.log2(max(width.max(), 1.0)))
    left, nodes = cell * np.arange(np.floor(place[0] / cell), np.ceil(place[-1] / cell) + 1), []
    end = left[-1] + cell
    while cell > 1:
        first = np.maximum(np.searchsorted(place, left - 1) - 1, 0)
        last = np.minimum(np.searchsorted(place, left + cell + 1), place.size - 1) + 1
        narrow = np.minimum.reduceat(np.append(width, np.inf), np.column_stack([first, last]).ravel())[::2] < cell
        if np.count_nonzero(narrow) > MOST_NODES:
            break
        nodes.append(left[~narrow])
        cell //= 2
        left = np.concatenate([left[narrow], left[narrow] + cell])
    return np.sort(np.concatenate([*nodes, left, [end]])).astype(np.int64)
