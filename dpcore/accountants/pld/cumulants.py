"""Log moment functions of a pilot law cut off at many losses, with two derivatives, in one pass over its atoms."""

from __future__ import annotations

import numpy as np

from dpcore.accountants.pld.loss_law import LossLaw


def last_inside(x: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Index of the last node up to each cut, or of the first node."""
    return np.clip(np.searchsorted(x, cuts, side="right") - 1, 0, x.size - 1)


def cumulants(law: LossLaw, cuts: np.ndarray, tilt: np.ndarray) -> np.ndarray:
    r"""K_c(θ), K_c'(θ) and K_c''(θ), shape (3, n_cuts, n_tilts), for the pilot's atoms (x_i, p_i).

    Cutting off at c, rounded down to an atom, keeps the Q-mass of larger losses and puts it at c; the P-mass that this
    leaves over, H(c), goes to infinity. So

    .. math:: e^{K_c(θ)} = \sum_{x_i ≤ c} p_i e^{θx_i} + e^{(1+θ)c} \sum_{x_i > c} p_i e^{−x_i}

    and the derivatives are mean and variance of the terms' losses, each weighted by its share of the sum.
    """
    x, _, log_mass = law.pilot
    x, log_mass = x[log_mass > -np.inf], log_mass[log_mass > -np.inf]
    ends, which = np.unique(last_inside(x, cuts), return_inverse=True)
    largest, sums = _sums_up_to(ends, x, log_mass, tilt)
    edge, log_beyond = x[ends], np.append(np.logaddexp.accumulate((log_mass - x)[::-1])[-2::-1], -np.inf)
    log_atom = log_beyond[ends, None] + edge[:, None] * (1 + tilt)
    above = np.maximum(log_atom - largest, 0.0)
    atom = np.exp(log_atom - largest - above)
    sums = sums * np.exp(-above) + np.stack([atom, atom * edge[:, None], atom * edge[:, None] ** 2])
    mean = sums[1] / sums[0]
    variance = np.maximum(sums[2] / sums[0] - mean * mean, 0.0)
    return np.stack([largest + above + np.log(sums[0]), mean, variance])[:, which]


def _sums_up_to(
    ends: np.ndarray, x: np.ndarray, log_mass: np.ndarray, tilt: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """log of a scale and, over it, Σ p_i e^{θx_i} x_i^k for k = 0, 1, 2 and all i up to each of `ends`.

    The atoms between two ends are added once, over the largest term so far, and carried on to the ends after.
    """
    x, starts = x[: ends[-1] + 1, None], np.append(0, ends[:-1] + 1)
    exponent = log_mass[: ends[-1] + 1, None] + x * tilt
    largest = np.maximum.accumulate(np.maximum.reduceat(exponent, starts, axis=0), axis=0)
    weight = np.exp(exponent - np.repeat(largest, np.diff(np.append(starts, ends[-1] + 1)), axis=0))
    sums = np.add.reduceat(np.stack([weight, weight * x, weight * x**2]), starts, axis=1)
    for i in range(1, ends.size):
        sums[:, i] += sums[:, i - 1] * np.exp(largest[i - 1] - largest[i])
    return largest, sums
