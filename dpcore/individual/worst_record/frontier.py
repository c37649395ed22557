"""The records of a ball that have the largest residual at their leverage, as a curve to search along."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpcore.individual.exposure import Exposures
from dpcore.individual.fit.leverage import Leverage

# Positions on each unit interval, then in each of so many rounds between the neighbours of the best; doubled, the first takes
# twice as long and finds the same record, and a round more moves it by less than round-off.
_GRID, _ZOOM, _ROUNDS = 129, 17, 6
# Natural logarithm of a range beyond which the curve stands still, of s beside the eigenvalues or of the leverage below its
# largest; doubled, the grid is half as fine and finds nothing else.
_REACH = 25.0
# Relative distance below which eigenvalues are treated as the smallest one; doubled, no record of a test changes.
_SAME = 1e-10


class Frontier:
    r"""Maximisers of xᵀθ̂ at given xᵀH⁻¹x within ‖x‖ ≤ R, in three pieces, each for a position in one unit interval.

    - [0, 1]: the ray x = ρHθ̂/‖Hθ̂‖, ρ from 0 to R (the ball is not active);
    - [1, 2]: x ∝ (I + sH⁻¹)⁻¹θ̂ with ‖x‖ = R, s from ∞ down to −λmin(H);
    - [2, 3]: the limit mixed with the eigenvector of λmin(H) until that alone is left (largest leverage);
    - [3, 4]: that eigenvector from length R to 0, which matters only where θ̂ = 0.
    """

    length = 4

    def __init__(self, leverage: Leverage, row_norm: float) -> None:
        self.row_norm = row_norm
        self.vectors, singular, _ = np.linalg.svd(leverage.factor)
        self.values = np.square(singular)
        self.theta = self.vectors.T @ leverage.theta
        smallest = self.values <= self.values[-1] * (1 + _SAME)
        gap = np.where(smallest, 1.0, self.values - self.values[-1])
        self.limit = _unit(np.where(smallest, 0.0, self.values * self.theta / gap))
        edge = np.where(smallest, self.theta, 0.0)
        self.edge = _unit(edge) if edge.any() else np.eye(self.values.size)[-1]

    def coordinates(self, position: np.ndarray) -> np.ndarray:
        """Records at the positions, in the eigenbasis of H, shape (n_positions, n_features)."""
        piece = np.clip(np.floor(position), 0, self.length - 1)
        u = (position - piece)[:, None]
        ray = u * _unit(self.values * self.theta)
        low, high = np.log(self.values[-1]) - _REACH, np.log(self.values[0]) + _REACH
        above = np.exp(high + u * (low - high))  # s + λmin
        active = _unit(self.values * self.theta / ((self.values - self.values[-1]) + above))
        angle = 0.5 * np.pi * u
        start = self.limit if self.limit.any() else self.edge
        mixed = np.cos(angle) * start + np.sin(angle) * self.edge
        shapes = (ray, active, mixed, (1 - u) * self.edge)
        return self.row_norm * np.select([(piece == k)[:, None] for k in range(self.length)], shapes)

    def records(self, position: np.ndarray) -> np.ndarray:
        """Records at the positions, shape (n_positions, n_features)."""
        return self.coordinates(position) @ self.vectors.T


def largest_of_shares(records: Callable[[np.ndarray], Exposures], log_delta: float) -> float:
    """Largest ε of records whose leverage is a share of the largest there is, from shares next to 0 up to 1: a grid, then zooming in.

    Parameters
    ----------
    records : of shares (n_records,)
    log_delta : log δ
    """

    def epsilon(position: np.ndarray) -> np.ndarray:
        return records(np.exp(_REACH * (position - 1))).epsilon(log_delta)

    grid = np.linspace(0, 1, _GRID)
    values = epsilon(grid)
    for _ in range(_ROUNDS):
        best = int(values.argmax())
        grid = np.linspace(grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)], _ZOOM)
        values = epsilon(grid)
    return float(values.max())


def _unit(x: np.ndarray) -> np.ndarray:
    norm = np.linalg.norm(x, axis=-1, keepdims=True)
    return x / np.where(norm > 0, norm, 1.0)
