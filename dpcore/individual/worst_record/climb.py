"""The record of a ball at which a function of records is largest, by climbing from several of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

_SHARES = (1.0, 0.6, 0.3, 0.1)  # of the largest length, tried in every direction
_CLIMBS = 4
_STEP = 1e-6  # relative step of the differences
_SHORTEST = 1e-6  # share of the largest length


def largest(objective: Callable[[np.ndarray], np.ndarray], directions: np.ndarray, row_norm: float) -> np.ndarray:
    """A local maximiser x (n_features,) of the objective over ‖x‖ ≤ row_norm, the best of a few climbs.

    Parameters
    ----------
    objective : records (n_records, n_features) ↦ values (n_records,)
    directions : where to start (n_directions, n_features); zeros are left out
    row_norm : R
    """
    length = np.linalg.norm(directions, axis=1)
    units = directions[length > 0] / length[length > 0, None]
    candidates = row_norm * np.vstack([share * units for share in _SHARES])
    begun = candidates[np.argsort(-objective(candidates), kind="stable")[:_CLIMBS]]
    found = np.vstack([climbed(objective, x, row_norm) for x in begun])
    return found[int(objective(found).argmax())]


def climbed(objective: Callable[[np.ndarray], np.ndarray], start: np.ndarray, row_norm: float) -> np.ndarray:
    """The local maximiser (n_features,) over ‖x‖ ≤ row_norm that is reached from a start other than 0."""
    share = float(np.linalg.norm(start)) / row_norm
    scale = max(float(np.abs(objective(start[None])[0])), np.finfo(float).tiny)

    def records(z: np.ndarray) -> np.ndarray:
        return row_norm * z[:, -1:] * z[:, :-1] / np.linalg.norm(z[:, :-1], axis=1, keepdims=True)

    def loss(z: np.ndarray) -> tuple[float, np.ndarray]:
        steps = _STEP * np.eye(z.size)
        values = objective(records(np.vstack([z, z + steps, z - steps]))) / scale
        return -values[0], -(values[1 : z.size + 1] - values[z.size + 1 :]) / (2 * _STEP)

    bounds = [(None, None)] * start.size + [(_SHORTEST, 1.0)]
    first = np.append(start / (share * row_norm), share)
    found = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 200, "ftol": 1e-14})
    return records(found.x[None])[0]
