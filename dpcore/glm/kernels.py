"""Loop of the stochastic average gradient method, compiled where Numba is installed; importing this module loads the compiler."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

try:
    from dpcore.glm.compiled import compiled, prefetch
except ModuleNotFoundError:
    warnings.warn(
        "Numba is not installed, so SAG is not compiled and takes a hundred times as long: pip install 'dpcore[fast]'",
        stacklevel=2,
    )

    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        return function

    def prefetch(array: Any, row: Any, column: Any) -> None:
        pass


MEANS = {"identity": 0, "logistic": 1, "exponential": 2}
TARGET, LOW, HIGH, LAST = range(4)  # columns of the state of a record
_AHEAD = 8  # number of steps between the request for a row and its use; else the loop would wait for random rows
_LINE = 8  # numbers in a cache line


@compiled
def run_steps(
    order: np.ndarray,
    X: np.ndarray,
    mean: int,
    scale: float,
    records: np.ndarray,
    seen: np.ndarray,
    theta: np.ndarray,
    total: np.ndarray,
    step: float,
    decay: np.ndarray,
    drift: np.ndarray,
) -> None:
    """One step for each index in `order`; changes θ, Σ last·x and the records in place.

    `records` (n_samples, 4) holds target, low, high and the last derivative; a step takes θ to
    decay∘θ − step/(records seen) · Σ last·x − drift. The next row's predictor u is that of the present θ corrected for
    the step to come, so that the processor need not wait for the step before it starts on the next row:

    xₖᵀθ⁺ = xₖᵀ(decay∘θ − drift) − share · (xₖᵀtotal + change · xₖᵀxᵢ)

    Parameters
    ----------
    order : array of row indices, one a step
    X : array (n_samples, n_features)
    mean, scale : number of the mean function in `MEANS`, and the factor of the derivative
    records : array (n_samples, 4), changed
    seen : array (n_samples,) of bool, changed
    theta, total : θ and Σ last·x, arrays (n_features,), changed
    step : step size
    decay, drift : what the penalty and the linear term do to θ in one step, arrays (n_features,)
    """
    features = X.shape[1]
    count = 0
    for known in seen:
        count += known
    u = 0.0
    for j in range(features):
        u += X[order[0], j] * theta[j]
    for k in range(len(order)):
        if k + _AHEAD < len(order):
            later = order[k + _AHEAD]
            prefetch(records, later, 0)
            for j in range(0, features, _LINE):
                prefetch(X, later, j)
        i, following = order[k], order[min(k + 1, len(order) - 1)]
        at_rest = pull = overlap = 0.0
        for j in range(features):
            at_rest += X[following, j] * (decay[j] * theta[j] - drift[j])
            pull += X[following, j] * total[j]
            overlap += X[following, j] * X[i, j]
        if mean == 1:
            u = 1.0 / (1.0 + math.exp(-u))
        elif mean == 2:
            u = math.exp(u)
        derivative = min(records[i, HIGH], max(records[i, LOW], scale * (u - records[i, TARGET])))
        change = derivative - records[i, LAST]
        records[i, LAST] = derivative
        if not seen[i]:
            seen[i] = True
            count += 1
        share = step / count
        u = at_rest - share * (pull + change * overlap)
        for j in range(features):
            total[j] += change * X[i, j]
            theta[j] = decay[j] * theta[j] - share * total[j] - drift[j]
