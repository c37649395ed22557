"""Numerical truth in one and two dimensions: normalised densities by quadrature, to lay samples over."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.numerics import panel_rule
from dpcore.sampling.target import Target

_NODES = 8  # nodes on a panel
_DEPTH = 45.0  # height of U above its minimum at which a line ends: for a convex U the share beyond is below 1e-17
_VISIBLE = 14.0  # the same for a picture of the plane
_SHRINKS, _COARSE = 6, 41  # rounds in which the box around the mass shrinks, and points on each axis in a round
_PANELS = 600  # number of panels of a line by default; doubled, a line takes twice as long


@dataclass(frozen=True, eq=False)
class LineDensity:
    """A density on a line at panel edges x (n,): its values, and the exact probability below each edge."""

    x: np.ndarray
    density: np.ndarray
    cumulative: np.ndarray
    mean_excess: float

    def cdf(self, at: np.ndarray) -> np.ndarray:
        """Probability below each point, between edges by Hermite interpolation (cumulative values and densities known)."""
        i = np.clip(np.searchsorted(self.x, at) - 1, 0, len(self.x) - 2)
        width = self.x[i + 1] - self.x[i]
        t = np.clip((at - self.x[i]) / width, 0.0, 1.0)
        rise = self.cumulative[i + 1] - self.cumulative[i]
        start, end = width * self.density[i], width * self.density[i + 1]
        value = self.cumulative[i] + t * start + t**2 * (3 * rise - 2 * start - end) + t**3 * (start + end - 2 * rise)
        return np.clip(value, self.cumulative[i], self.cumulative[i + 1])


@dataclass(frozen=True, eq=False)
class PlaneDensity:
    """A density on a square grid x × y; `density[j, i]` is at (x[i], y[j])."""

    x: np.ndarray
    y: np.ndarray
    density: np.ndarray
    mean_excess: float


def line_density(target: Target, panels: int = _PANELS, breaks: np.ndarray | None = None) -> LineDensity:
    """Density of a one-dimensional target by composite Gauss–Legendre.

    Parameters
    ----------
    target : Target of dimension 1
    panels : int ≥ 10
    breaks : kinks of U, which become panel edges

    Raises
    ------
    ParameterError
        If the target has another dimension.
    """
    _require(target, 1)
    low, high = extent(target, _DEPTH)[0]
    edges = np.linspace(low, high, validation.integer("panels", panels, minimum=10) + 1)
    if breaks is not None:
        inner = np.asarray(breaks, dtype=float)
        edges = np.union1d(edges, inner[(inner > low) & (inner < high)])
    nodes, weight = panel_rule(edges, _NODES)
    values = target.potential(nodes.reshape(-1, 1)).reshape(nodes.shape)
    at_edges = target.potential(edges[:, None])
    lowest = float(min(values.min(), at_edges.min(), target.potential(target.optimum()[None])[0]))
    weight = weight * np.exp(lowest - values)
    mass = weight.sum(axis=1)
    total = float(mass.sum())
    excess = float((weight * (values - lowest)).sum()) / total
    density = np.exp(lowest - at_edges) / total
    return LineDensity(edges, density, np.concatenate([[0.0], np.cumsum(mass) / total]), excess)


def plane_density(target: Target, points: int = 121) -> PlaneDensity:
    """Density of a two-dimensional target on a grid, normalised by the midpoint rule.

    Parameters
    ----------
    target : Target of dimension 2
    points : int ≥ 10, per axis
    """
    _require(target, 2)
    points = validation.integer("points", points, minimum=10)
    (low_x, high_x), (low_y, high_y) = extent(target, _VISIBLE)
    step_x, step_y = (high_x - low_x) / points, (high_y - low_y) / points
    x = low_x + step_x * (0.5 + np.arange(points))
    y = low_y + step_y * (0.5 + np.arange(points))
    grid = np.column_stack([np.tile(x, points), np.repeat(y, points)])
    values = np.where(target.inside(grid), target.potential(grid), np.inf)
    lowest = min(float(values.min()), float(target.potential(target.optimum()[None])[0]))
    with np.errstate(invalid="ignore"):
        weights = np.exp(lowest - values)
        excess = float(np.sum(weights * np.where(weights > 0, values - lowest, 0.0)) / weights.sum())
    return PlaneDensity(x, y, (weights / (weights.sum() * step_x * step_y)).reshape(points, points), excess)


def extent(target: Target, depth: float) -> list[tuple[float, float]]:
    """For each axis of a target of one or two dimensions, an interval that holds {U ≤ min U + depth}."""
    at = target.optimum()
    reach = math.sqrt(2 * depth / target.strong_convexity)
    box = [(max(-target.radius, float(c) - reach), min(target.radius, float(c) + reach)) for c in at]
    for _ in range(_SHRINKS):
        axes = [np.linspace(low, high, _COARSE) for low, high in box]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, target.dimension)
        grid = np.vstack([grid, at])
        values = np.where(target.inside(grid), target.potential(grid), np.inf)
        kept = grid[values <= values.min() + depth]
        step = [axis[1] - axis[0] for axis in axes]
        box = [
            (max(low, float(kept[:, j].min()) - step[j]), min(high, float(kept[:, j].max()) + step[j]))
            for j, (low, high) in enumerate(box)
        ]
    return box


def _require(target: Target, dimension: int) -> None:
    if target.dimension != dimension:
        raise ParameterError(f"the target must have dimension {dimension}, got {target.dimension}")
