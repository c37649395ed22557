"""The record of a ball that moves the ridge estimate farthest, by local searches from many starts."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from dpcore.individual.base import Ball
from dpcore.individual.frontier import Frontier
from dpcore.individual.leverage import Leverage

_SEARCHES = 12  # local searches from the best starting points, on the sphere and inside it
_RADII = (1.0, 0.5, 0.2, 0.05)
_OPTIONS = {"maxiter": 2000, "ftol": 1e-16, "gtol": 1e-13, "maxls": 60}


def largest_move(leverage: Leverage, root: np.ndarray, ball: Ball, starts: np.ndarray) -> np.ndarray:
    r"""Maximise the distance that the record (x, −sign(xᵀθ̂)B) moves the estimate when it is added.

    .. math:: F(x) = \frac{(B + |xᵀθ̂|)\,‖\text{root}·H⁻¹x‖}{1 + xᵀH⁻¹x}, \quad ‖x‖ ≤ R

    Starts: eigenvectors of H, principal directions of root·H⁻¹, the curve of largest residuals, and `starts`
    (n_starts, n_features), each at several lengths.

    Returns
    -------
    x : array, shape (n_features,)
    """
    path = Frontier(leverage, 1.0)
    inverse, theta = 1 / path.values, path.theta
    move = root @ path.vectors * inverse
    _, _, principal = np.linalg.svd(move)
    curve = path.coordinates(np.linspace(0.05, 3, 60))
    directions = np.vstack([np.eye(theta.size), principal, curve, starts @ path.vectors, theta])
    length = np.linalg.norm(directions, axis=1, keepdims=True)
    directions = (directions / np.where(length > 0, length, 1.0))[length[:, 0] > 0]
    candidates = ball.row_norm * np.vstack([radius * directions for radius in _RADII])

    def log_move(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        fitted, moved, mu = x @ theta, x @ move.T, (x * x) @ inverse
        square = np.square(moved).sum(axis=-1)
        value = np.log(ball.target_bound + np.abs(fitted)) + 0.5 * np.log(square) - np.log1p(mu)
        sign = np.where(fitted < 0, -1.0, 1.0) / (ball.target_bound + np.abs(fitted))
        slope = sign[..., None] * theta + moved @ move / square[..., None] - 2 * x * inverse / (1 + mu)[..., None]
        return value, slope

    def inside(z: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = log_move(z)
        return -float(value), -slope

    def on_sphere(z: np.ndarray) -> tuple[float, np.ndarray]:
        norm = np.linalg.norm(z)
        unit = z / norm
        value, slope = log_move(ball.row_norm * unit)
        return -float(value), -(ball.row_norm / norm) * (slope - unit * (unit @ slope))

    values, _ = log_move(candidates)
    order = np.argsort(-values)
    best, highest = candidates[order[0]], values[order[0]]
    for start in candidates[order[:: max(1, order.size // (4 * _SEARCHES))][:_SEARCHES]]:
        for search, scale in ((on_sphere, 1.0), (inside, ball.row_norm)):
            found = minimize(search, start / ball.row_norm * scale, jac=True, method="L-BFGS-B", options=_OPTIONS).x
            norm = np.linalg.norm(found)
            found = found * ball.row_norm / norm if search is on_sphere or norm > ball.row_norm else found
            value, _ = log_move(found)
            if value > highest:
                best, highest = found, value
    return path.vectors @ best
