"""The records of a ball that have the largest residual at their leverage, as a curve to search along."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpcore.individual.exposure import Exposures
from dpcore.individual.fit.leverage import Leverage

_GRID, _ZOOM, _ROUNDS = 129, 17, 6  # a maximum is located to 2/16 of the interval in each round
_REACH = 25.0  # log range searched on either side of the eigenvalues: beyond it the curve stands still
_SAME = 1e-10  # relative distance below which eigenvalues are treated as the smallest one


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

    def influence(self, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Leverage xᵀH⁻¹x and fitted value xᵀθ̂ at the positions."""
        x = self.coordinates(position)
        return (x * x) @ (1 / self.values), x @ self.theta

    def records(self, position: np.ndarray) -> np.ndarray:
        """Records at the positions, shape (n_positions, n_features)."""
        return self.coordinates(position) @ self.vectors.T


def largest_along(
    records: Callable[[np.ndarray, np.ndarray], Exposures], length: int, log_delta: float, noises: np.ndarray
) -> np.ndarray:
    """Largest ε along a curve of records, smooth on each unit interval, at each level of noise (n_noises,): a grid, then zooming in.

    Parameters
    ----------
    records : records at positions, each at a level of noise, both of shape (n_records,)
    length : of the curve
    log_delta : log δ
    noises : levels of noise
    """

    def epsilon(grid: np.ndarray) -> np.ndarray:
        each = np.broadcast_to(noises.reshape(-1, *[1] * (grid.ndim - 1)), grid.shape)
        return records(grid.ravel(), each.ravel()).epsilon(log_delta).reshape(grid.shape)

    first = np.arange(length)[:, None] + np.linspace(0, 1, _GRID) * (1 - 1e-12)
    grid = np.broadcast_to(first, (len(noises), *first.shape))
    values = epsilon(grid)
    for _ in range(_ROUNDS):
        best = values.argmax(axis=-1)[..., None]
        low, high = (np.take_along_axis(grid, np.clip(best + k, 0, grid.shape[-1] - 1), -1)[..., 0] for k in (-1, 1))
        grid = np.linspace(low, high, _ZOOM, axis=-1)
        values = epsilon(grid)
    return values.reshape(len(noises), -1).max(axis=1)


def _unit(x: np.ndarray) -> np.ndarray:
    norm = np.linalg.norm(x, axis=-1, keepdims=True)
    return x / np.where(norm > 0, norm, 1.0)
