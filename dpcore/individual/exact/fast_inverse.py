"""ε(δ) of very many posterior-sampling records: Newton steps, and a check of the other direction."""

from __future__ import annotations

import numpy as np
from scipy import special

from dpcore.individual.exact.newton import MOST_STEPS
from dpcore.mechanisms.quick_two_normals import log_add, log_remove
from dpcore.mechanisms.two_normals import log_two_normals

# Largest relative decrease and increase of ε in one step. Before a larger decrease, it is checked whether ε = 0 is
# enough. Doubled, the first would let ε fall below 0, and the second would allow steps twice as long.
_LARGEST_FALL, _LARGEST_RISE = 0.75, 3.0
# Relative Newton step, and distance in log δ, after which the next step would be below 1e-12. Doubled, that one would
# be below 4e-12.
_SETTLED = 1e-6
# Relative excess of δ that is allowed in the other direction; it moves ε by less than that. Doubled, by twice as much.
_SLACK = 1e-11
# δ of the other direction is a difference. If less than this share of its positive part is left, digits are lost, and
# it is computed by a slower formula. Doubled, more records are.
_CANCELLING = 1e-2


def newton(mu: np.ndarray, shift: np.ndarray, log_delta: float) -> tuple[np.ndarray, np.ndarray]:
    """ε(δ) of records with μ ≥ 0.

    Returns
    -------
    epsilon, solved : arrays (n_records,)
        `solved` marks the records whose ε is good to 1e-11 in both directions.
    """
    settled = mu == 0
    with np.errstate(all="ignore"):
        epsilon = np.where(settled, 0.0, _start(mu, shift, log_delta))
        active = np.flatnonzero(~settled)
        for _ in range(MOST_STEPS):
            if not active.size:
                break
            at = epsilon[active]
            value, slope = log_add(at, mu[active], shift[active])
            missing = value - log_delta
            step = missing / slope
            falls = np.flatnonzero(step < -_LARGEST_FALL * at)
            if falls.size:
                rows = active[falls]
                value, _ = log_add(np.zeros(rows.size), mu[rows], shift[rows])
                step[falls] = np.where(value <= log_delta, -at[falls], -_LARGEST_FALL * at[falls])
            step = np.minimum(step, _LARGEST_RISE * at)
            epsilon[active] = at + step
            done = (np.abs(step) <= _SETTLED * at) & (np.abs(missing) <= _SETTLED) | (step == -at)
            settled[active] = done
            active = active[~done]
        other = log_remove(epsilon, mu, shift, _CANCELLING)
        unknown = np.flatnonzero(settled & ~(other < np.inf))
        other[unknown] = log_two_normals(epsilon[unknown], mu[unknown], shift[unknown], "remove")
    return epsilon, settled & (other <= log_delta + _SLACK)


def _start(mu: np.ndarray, shift: np.ndarray, log_delta: float) -> np.ndarray:
    """A first value of ε, at the tail of Z that holds δ beside the part of it that Z' covers; that part is guessed."""
    root, q = np.sqrt(mu), np.sqrt(1 + mu)
    highest = max(-float(special.ndtri_exp(log_delta)), 0.1)
    width = root / q * (shift + highest * root * q / (1 + q))
    uncovered = 1 - 1 / (q * (1 + width * highest / (1 + highest * highest)))
    quantile = np.maximum(-special.ndtri_exp(np.minimum(log_delta - np.log(uncovered), -0.1)), 0.05)
    extra = quantile * root
    # ε = ½(c² − m²/(1+μ) − log(1+μ)) at c = m + extra, without the difference of the squares of m
    square = shift * shift * mu / (1 + mu) + 2 * shift * extra + extra * extra
    return np.maximum(0.5 * (square - np.log1p(mu)), 0.05 * square)
