"""Rényi divergences between the laws of a record's margin under a posterior sample, without the record and with it."""

from __future__ import annotations

import copy

import numpy as np

from dpcore.individual.exact.expansion_renyi import relevant
from dpcore.individual.exact.margin_laws import FURTHEST, MarginLaws
from dpcore.individual.numbers import BESIDE
from dpcore.numerics import NEGLIGIBLE, WINDOW


def renyi(laws: MarginLaws, alpha: float, direction: str) -> np.ndarray:
    r"""Rényi divergence of one order α ≥ 1 of every record, nats (n_records,); inf where it is infinite.

    .. math:: D_α(p‖q) = \frac{\log E_q[e^{−αG}] − α\log E_q[e^{−G}]}{α − 1}, \qquad
              D_α(q‖p) = \frac{\log E_q[e^{(α−1)G}]}{α − 1} + \log E_q[e^{−G}]

    "remove" is the first and "add" the second; at α = 1 they are −E_p[G] − log E_q[e^{−G}] and E_q[G] + log E_q[e^{−G}].
    """
    order = alpha - 1
    if direction == "remove":
        if order == 0:
            return -_mean_potential(laws, True) - laws.log_share
        tilted = copy.copy(laws)
        tilted.gamma = alpha * laws.gamma
        for name in ("peak", "log_share"):
            vars(tilted).pop(name, None)
        return (tilted.log_share - alpha * laws.log_share) / order
    if order == 0:
        return _mean_potential(laws, False) + laws.log_share
    return log_growth(laws, order) / order + laws.log_share


def _mean_potential(laws: MarginLaws, present: bool) -> np.ndarray:
    """E[G] under p if `present`, else under q."""
    centre = laws.peak if present else np.zeros_like(laws.peak)
    stiff = laws.stiffness(centre) + laws.bends(centre) if present else np.ones_like(centre)
    window = laws.window(centre, np.zeros_like(centre))
    rows, z, log_weight = laws.panels(*window, [(centre, WINDOW / np.sqrt(stiff))])
    potential = laws.potential(rows, z)
    log_total = laws.log_mass + (laws.log_share if present else 0.0)
    log_density = laws.log_normal(rows, z) - (potential if present else 0.0) - log_total[rows, None]
    return np.bincount(rows, (potential * np.exp(log_density + log_weight)).sum(axis=1), centre.size)


def log_growth(laws: MarginLaws, power: float) -> np.ndarray:
    """log E_q[e^{power·G}], power > 0, as two integrals that meet near the smallest G; inf if the mean is infinite."""
    # So many standard deviations from the mode, q is below any power of the loss that has a mean.
    middle = np.clip(laws.bottom, -NEGLIGIBLE, NEGLIGIBLE)
    sides = [_side(laws, power, middle, sign) for sign in (-1, 1)]
    return np.logaddexp(*sides) - laws.log_mass


def _side(laws: MarginLaws, power: float, middle: np.ndarray, sign: int) -> np.ndarray:
    every, zero = np.arange(middle.size), np.zeros_like(middle)

    def exponent(rows: np.ndarray, z: np.ndarray) -> np.ndarray:
        return laws.log_normal(rows, z) + power * laws.potential(rows, z)

    def away(u: np.ndarray) -> np.ndarray:
        value = exponent(every, middle[:, None] + sign * np.sinh(u))
        return np.where(np.isnan(value), np.inf, value)

    farthest = zero + np.arcsinh(FURTHEST)  # if the integrand is still largest there, the mean is infinite
    found = relevant(away, zero, farthest)
    near, far, peak = (middle + sign * np.sinh(u) for u in found)
    distance = WINDOW / np.sqrt(np.maximum(1 - power * laws.bends(peak), BESIDE))
    value = laws.integral(
        np.minimum(near, far), np.maximum(near, far), [(peak, distance), (zero, zero + WINDOW)], exponent
    )
    return np.where(found[1] == farthest, np.inf, value)
