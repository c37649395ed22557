"""The record of a ball that moves the ridge estimate farthest, by local searches from many starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from dpcore.individual.exposure import Ball
from dpcore.individual.fit.leverage import Leverage
from dpcore.individual.worst_record.frontier import Frontier

_SEARCHES = 6  # local searches, from the best starting points that are not alike
_ALIKE = 0.98  # cosine above which two starting points are taken to climb the same hill
_RADII = (1.0, 0.7, 0.5, 0.35, 0.2, 0.1, 0.05)
_OPTIONS = {"maxiter": 300, "ftol": 1e-13, "gtol": 1e-9, "maxls": 20}


@dataclass(frozen=True)
class Move:
    r"""log F and its gradient, F(x) = (B + |xᵀθ̂|)‖BH⁻¹x‖/(1 + xᵀH⁻¹x), in the eigenbasis of H."""

    theta: np.ndarray
    inverse: np.ndarray
    root: np.ndarray
    target_bound: float

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values (…,) and gradients (…, n_features) at x (…, n_features)."""
        fitted, moved, mu = x @ self.theta, x @ self.root.T, (x * x) @ self.inverse
        square = np.maximum(np.square(moved).sum(axis=-1), np.finfo(float).tiny)
        residual = self.target_bound + np.abs(fitted)
        slope = np.where(fitted < 0, -1.0, 1.0)[..., None] * self.theta / residual[..., None]
        slope = slope + moved @ self.root / square[..., None] - 2 * x * self.inverse / (1 + mu)[..., None]
        return np.log(residual) + 0.5 * np.log(square) - np.log1p(mu), slope

    def climb(self, start: np.ndarray, radius: float) -> np.ndarray:
        """A local maximum of the ball ‖x‖ ≤ radius: along the sphere, then inside if F grows inwards."""

        def on_sphere(z: np.ndarray) -> tuple[float, np.ndarray]:
            norm = np.linalg.norm(z)
            unit = z / norm
            value, slope = self(radius * unit)
            return -float(value), -(radius / norm) * (slope - unit * (unit @ slope))

        def inside(z: np.ndarray) -> tuple[float, np.ndarray]:
            value, slope = self(radius * z)
            return -float(value), -radius * slope

        def search(objective: Callable[[np.ndarray], tuple[float, np.ndarray]], z: np.ndarray) -> np.ndarray:
            return radius * minimize(objective, z, jac=True, method="L-BFGS-B", options=_OPTIONS).x

        if np.linalg.norm(start) < radius * (1 - 1e-9):
            found = search(inside, start / radius)
            if np.linalg.norm(found) <= radius:
                return found
        found = search(on_sphere, start / np.linalg.norm(start))
        found *= radius / np.linalg.norm(found)
        if found @ self(found)[1] >= 0:
            return found
        deeper = search(inside, found / radius)
        return deeper if np.linalg.norm(deeper) <= radius else found


def largest_move(leverage: Leverage, root: np.ndarray, ball: Ball, starts: np.ndarray) -> np.ndarray:
    r"""Maximise the distance that the record (x, −sign(xᵀθ̂)B) moves the estimate when it is added.

    Starts: eigenvectors of H, principal directions of root·H⁻¹, the curve of largest residuals, and `starts`
    (n_starts, n_features), each at several lengths.

    Returns
    -------
    x : array, shape (n_features,)
    """
    path = Frontier(leverage, 1.0)
    move = Move(path.theta, 1 / path.values, root @ path.vectors / path.values, ball.target_bound)
    _, _, principal = np.linalg.svd(move.root)
    curve = path.coordinates(np.linspace(0.05, 3, 60))
    directions = np.vstack([np.eye(move.theta.size), principal, curve, starts @ path.vectors, move.theta])
    directions *= np.where(directions @ move.theta < 0, -1.0, 1.0)[:, None]
    length = np.linalg.norm(directions, axis=1)
    directions = directions[length > 0] / length[length > 0, None]
    candidates = ball.row_norm * np.vstack([radius * directions for radius in _RADII])
    values, _ = move(candidates)
    best, highest = candidates[values.argmax()], values.max()
    for start in _unlike(candidates[np.argsort(-values)]):
        found = move.climb(start, ball.row_norm)
        value, _ = move(found)
        if value > highest:
            best, highest = found, value
    return path.vectors @ best


def _unlike(candidates: np.ndarray) -> np.ndarray:
    """The first few candidates that point in different directions."""
    unit = candidates / np.linalg.norm(candidates, axis=1, keepdims=True)
    chosen: list[int] = []
    alike = np.zeros(len(unit), dtype=bool)
    while len(chosen) < _SEARCHES and not alike.all():
        chosen.append(int(np.argmin(alike)))
        alike |= unit @ unit[chosen[-1]] > _ALIKE
    return candidates[chosen]
