"""Where the nodes lie: one step for all mechanisms, so that atoms fall on nodes, and cells as wide as the law allows."""

import numpy as np

from dpcore.accountants.pld.loss_law import Laws, LossLaw
from dpcore.profiles import Lattice

# Losses that are at least this share of a step apart are put on nodes. Doubled, those of small randomised responses are
# off the grid.
_SMALL = 0.25
# Largest number of distances between losses that are fitted to a step, and number of steps tried. Doubled, the search
# takes longer and gains little.
_MOST_SPANS, _TRIED = 4, 20_000
# Share of the tilted mass below which a large loss need not be resolved. Doubled, rare losses are resolved as well as before.
_RARE = 1e-14
# Largest width of a cell as a share of its distance to an atom. Doubled, noise reaches past the largest loss and
# brackets there are wider.
_GRADED = 1 / 8
# Largest number of nodes of one mechanism. Doubled, only memory grows.
_MOST_NODES = 1_000_000


def aligned_step(laws: Laws, step: float) -> float:
    """The largest step, about `step` at most, that puts losses of lattices, the two atoms at the edges and 0 on nodes.

    One distance between them can be a whole number of steps. For several, the best of many steps is taken.
    """
    spans = [(law.lattice.step, count) for law, count in laws if law.lattice]
    if {law.lattice and law.lattice.step for law, _ in laws} == {span for span, _ in spans[:1]}:
        return spans[0][0]  # no loss lies between the points of the lattice
    edges = [(law.atoms, count) for law, count in laws if not law.lattice and len(law.atoms) == 2]
    spans += [(0.5 * (top[0] - bottom[0]), count) for (bottom, top), count in edges]
    spans = [(span, count) for span, count in spans if span > _SMALL * step]
    if not spans or len(spans) > _MOST_SPANS:
        return step
    largest = max(spans, key=lambda one: one[1])[0]
    fewest = max(int(np.ceil(largest / step * (1 - 1e-12))), 1)
    steps = largest / np.arange(fewest, min(2 * fewest + 16, fewest + _TRIED))
    cost = np.zeros(steps.size)
    for span, count in spans:
        cells = span / steps
        cost += np.where(np.abs(cells - np.rint(cells)) < 1e-9, 0.0, count * (np.ceil(cells) - cells) * steps)
    return float(steps[int(np.argmin(cost))])


def is_on_grid(lattice: Lattice, step: float) -> bool:
    """Whether losses of a lattice are a whole number of steps apart."""
    cells = np.rint(lattice.step / step)
    return bool(cells >= 1 and abs(lattice.step / step - cells) <= 1e-9)


def offset_of(law: LossLaw, step: float) -> float:
    """Shift of the mechanism's grid that puts its losses on nodes: all of a lattice, or the largest, or 0."""
    if law.lattice is not None and is_on_grid(law.lattice, step):
        return law.lattice.step * (law.lattice.offset % 1)
    if not law.atoms or law.atoms[-1][0] != law.top:
        return 0.0
    offset = law.top - step * np.rint(law.top / step)
    return 0.0 if abs(offset) < 1e-12 * step else float(offset)


def tilted_density(law: LossLaw, span: tuple[float, float], tilts: list[tuple[float, float]]) -> np.ndarray:
    """Losses between the ends of `span`, and at each the tilted mass per unit of loss, (2, n).

    Each (cap, tilt) tilts the law up to the cap. The mass is the largest of all these, at a loss and at the two beside
    it.
    """
    x, _, log_mass = law.pilot
    inside = (x >= span[0]) & (x <= span[1])
    x = x[inside]
    if x.size < 3:
        return np.array([span, np.ones(2)])
    exponent = log_mass[inside] + np.array([tilt * np.minimum(x, cap) for cap, tilt in tilts])
    tilted = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    value = (tilted / tilted.sum(axis=1, keepdims=True)).max(axis=0) / np.gradient(x)
    value[1:-1] = np.maximum(value[1:-1], np.maximum(value[:-2], value[2:]))
    return np.array([x, value])


def node_index(
    law: LossLaw, density: np.ndarray, grid: tuple[float, float], scale: float, largest: float, widest: float
) -> np.ndarray:
    """Indices of the nodes: all losses of a lattice on the grid, else cells of width about scale·t^{−1/3} for the tilted density t.

    Among all choices with the same E[width²] this has the fewest nodes. Widths are powers of two steps, and nodes are
    multiples of them. At 0 and at the atoms cells are one step wide, and beside the atoms they widen gradually.

    Parameters
    ----------
    law : the loss
    density : losses and t
    grid : place of node 0 and distance between nodes, nats
    scale : width of a cell where t is 1
    largest : widest cell right of 0, unless t is negligible, so that a single large loss is resolved even if it is rare
    widest : widest cell of all, nats
    """
    (x, t), (offset, step) = density, grid
    if law.lattice is not None and is_on_grid(law.lattice, step):
        cells = int(np.rint(law.lattice.step / step))
        ends = (np.array([min(x[0], 0.0), max(x[-1], 0.0)]) - offset) / law.lattice.step
        if ends[1] - ends[0] < _MOST_NODES:
            return cells * np.arange(int(np.floor(ends[0])), int(np.ceil(ends[1])) + 1)
    with np.errstate(divide="ignore"):
        width = np.clip(scale / np.cbrt(t), step, max(step, widest))
        rare = np.maximum(largest / np.cbrt(np.minimum(t * np.abs(x) / _RARE, 1.0)), step)
    width = np.where(x > 0, np.minimum(width, rare), width) / step
    width *= max(1.0, float(np.trapezoid(1 / width, x)) / step / _MOST_NODES)
    edges = [at for at, _ in law.atoms if x[0] <= at <= x[-1]]
    for at in edges:
        width = np.minimum(width, 1 + _GRADED * np.abs(x - at) / step)
    special = np.array([0.0, *edges])
    place = (np.append(x, special) - offset) / step
    order = np.argsort(place, kind="stable")
    place, width = place[order], np.append(width, np.ones(special.size))[order]
    cell = 2 ** int(np.log2(max(width.max(), 1.0)))
    left, nodes = cell * np.arange(np.floor(place[0] / cell), np.ceil(place[-1] / cell) + 1), []
    end = left[-1] + cell
    while cell > 1:
        first = np.maximum(np.searchsorted(place, left - 1) - 1, 0)
        last = np.minimum(np.searchsorted(place, left + cell + 1), place.size - 1) + 1
        narrow = np.minimum.reduceat(np.append(width, np.inf), np.column_stack([first, last]).ravel())[::2] < cell
        if np.count_nonzero(narrow) > _MOST_NODES:
            break
        nodes.append(left[~narrow])
        cell //= 2
        left = np.concatenate([left[narrow], left[narrow] + cell])
    return np.sort(np.concatenate([*nodes, left, [end]])).astype(np.int64)
