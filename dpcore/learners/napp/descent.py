"""Compiled coordinate descent on a quadratic plus a separable penalty; importing this module loads the compiler."""

import numpy as np

from dpcore.glm.kernels import compiled


@compiled
def minimise_quadratic(
    hessian: np.ndarray, gradient: np.ndarray, start: np.ndarray, linear: np.ndarray, slope: float, square: float, floor: float,
    tolerance: float, sweeps: int,
) -> np.ndarray:  # fmt: skip
    """θ minimising ½(θ−s)ᵀH(θ−s) + gᵀ(θ−s) + Σ r_j(|θ_j|), with r_j' = linear_j + max(slope + 2 square t, 2 floor t).

    One coordinate at a time: with the others fixed, θ_j minimises ½h t² − p t + r_j(|t|), whose slope is piecewise linear, so
    that it is 0 or the smaller of the two places where a line crosses 0. Where nothing holds a coefficient back (a column
    of zeros under noise, without a floor) it is infinite.

    Parameters
    ----------
    hessian, gradient, start : H, g and s of the quadratic
    linear : array (n_features,), slope of the penalty at 0 that is always there
    slope, square : further slope at 0 and coefficient of the square, of the regulariser
    floor : coefficient of the square that the penalty has at least
    tolerance : a sweep is the last if no step of it, times the root of the curvature, is larger
    sweeps : most sweeps over the coefficients
    """
    theta = start.copy()
    size = theta.shape[0]
    moving = gradient.copy()
    for _ in range(sweeps):
        largest = 0.0
        for j in range(size):
            curvature = hessian[j, j]
            before = theta[j]
            pull = curvature * before - moving[j]
            strength = abs(pull)
            after = 0.0
            if strength > linear[j] + slope:
                below = curvature + 2.0 * square
                after = (strength - linear[j] - slope) / below if below > 0.0 else np.inf
                if floor > square:
                    after = min(after, (strength - linear[j]) / (curvature + 2.0 * floor))
                if pull < 0.0:
                    after = -after
            step = after - before
            if step != 0.0:
                theta[j] = after
                if not np.isfinite(after):
                    return theta
                for k in range(size):
                    moving[k] += hessian[k, j] * step
                largest = max(largest, abs(step) * np.sqrt(curvature + 2.0 * square))
        if largest <= tolerance:
            break
    return theta
