"""Where the nodes lie: one step for all mechanisms, so that atoms fall on nodes, and cells as wide as the law allows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.accountants.pld.loss_law import Laws, LossLaw
from dpcore.profiles import Lattice

_SMALL = 1 / 8  # a support narrower than this many steps does not set the step
_SMALL_LATTICE = 1 / 2  # a lattice finer than this many steps is not resolved
_TRIED = 20_000
_RARE = 1e-14  # share of the tilted mass below which a large loss need not be resolved
MOST_NODES = 200_000
_WIDEST = 1 / 24  # of the range: no cell is wider
_GRADING = 0.2  # largest change of the width of cells per unit of loss: the gaps then vary smoothly


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
    if not spans:
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
    """Shift of the mechanism's grid that puts its losses on nodes: all of a lattice, or the largest, or the small ones' mean."""
    if law.lattice is not None and is_on_grid(law.lattice, step):
        return law.lattice.step * (law.lattice.offset % 1)
    edge = bool(law.atoms) and law.atoms[-1][0] == law.top
    place = law.top if edge else law.merged_below(step)
    offset = place - step * np.rint(place / step)
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


def node_index(density: Density, offset: float, step: float, scale: float, largest: float) -> np.ndarray:
    """Indices of the nodes: cells of width max(step, scale·t^{−1/3}) where the tilted loss has density t.

    Among all choices with the same E[width²] this has the fewest nodes. Right of 0 no cell is wider than `largest`
    unless t is negligible, so that a single large loss is resolved even if it is rare.

    Parameters
    ----------
    density : the tilted loss
    offset, step : place of node 0 and distance between nodes, nats
    scale : width of a cell where the density is 1
    largest : widest cell right of 0
    """
    x = density.x
    zero = np.floor(-offset / step)
    first = min(np.floor((x[0] - offset) / step), zero - 1)
    last = max(np.ceil((x[-1] - offset) / step), zero + 1)
    anchors = [first, zero, zero + 1, last]
    with np.errstate(divide="ignore"):
        width = np.clip(scale / np.cbrt(density.value), step, max(step, (x[-1] - x[0]) * _WIDEST))
    with np.errstate(divide="ignore"):
        rare = largest / np.cbrt(np.minimum(density.value * np.abs(x) / _RARE, 1.0))
    width = np.where(x > 0, np.minimum(width, np.maximum(rare, step)), width)
    width = np.minimum.accumulate(width - _GRADING * x) + _GRADING * x
    width = (np.minimum.accumulate((width + _GRADING * x)[::-1])[::-1]) - _GRADING * x
    count = np.concatenate([[0.0], np.cumsum(np.diff(x) * 0.5 * (1 / width[1:] + 1 / width[:-1]))])
    count *= min(1.0, MOST_NODES / count[-1])
    places = np.interp(np.arange(0.0, count[-1], 1.0), count, x)
    return np.unique(np.concatenate([np.rint((places - offset) / step), anchors])).astype(np.int64)
