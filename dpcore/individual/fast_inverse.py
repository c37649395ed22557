"""ε(δ) of very many posterior-sampling records: Newton steps, and a check of the other direction."""

from __future__ import annotations

import numpy as np
from scipy import special

from dpcore.numerics import LOG_SQRT_2PI

_STEPS = 16  # three or four are taken as a rule
_LARGEST_FALL, _LARGEST_RISE = 0.75, 3.0  # of one step, relative; a larger fall asks whether ε = 0
_SETTLED = 1e-6  # relative Newton step, and distance in log δ, after which the next step would be below 1e-12
_SLACK = 1e-11  # relative excess of δ allowed in the other direction; moves ε by less than that
_INVISIBLE = 1e-18  # weight of the other tail below round-off
_CANCELLING = 1e-2
_LOWEST = -30.0  # arguments below which a Mills ratio is too large to be of use
_SQRT_HALF, _SQRT_HALF_PI = np.sqrt(0.5), np.sqrt(np.pi / 2)
_NARROW = 5e-3  # widths below which differences of Mills ratios are taken from their Taylor series at the middle


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
        for _ in range(_STEPS):
            if not active.size:
                break
            at = epsilon[active]
            value, slope = _add(at, mu[active], shift[active])
            missing = value - log_delta
            step = missing / slope
            falls = np.flatnonzero(step < -_LARGEST_FALL * at)
            if falls.size:
                rows = active[falls]
                value, _ = _add(np.zeros(rows.size), mu[rows], shift[rows])
                step[falls] = np.where(value <= log_delta, -at[falls], -_LARGEST_FALL * at[falls])
            step = np.minimum(step, _LARGEST_RISE * at)
            epsilon[active] = at + step
            done = (np.abs(step) <= _SETTLED * at) & (np.abs(missing) <= _SETTLED) | (step == -at)
            settled[active] = done
            active = active[~done]
        other = _remove(epsilon, mu, shift)
    return epsilon, settled & (other <= log_delta + _SLACK)


def _start(mu: np.ndarray, shift: np.ndarray, log_delta: float) -> np.ndarray:
    """A first value of ε: the tail of Z that holds δ once the part of it that Z' covers is guessed."""
    root, q = np.sqrt(mu), np.sqrt(1 + mu)
    highest = max(-float(special.ndtri_exp(log_delta)), 0.1)
    width = root / q * (shift + highest * root * q / (1 + q))
    uncovered = 1 - 1 / (q * (1 + width * highest / (1 + highest * highest)))
    quantile = np.maximum(-special.ndtri_exp(np.minimum(log_delta - np.log(uncovered), -0.1)), 0.05)
    extra = quantile * root
    # ε = ½(c² − m²/(1+μ) − log(1+μ)) at c = m + extra, without the difference of the squares of m
    square = shift * shift * mu / (1 + mu) + 2 * shift * extra + extra * extra
    return np.maximum(0.5 * (square - np.log1p(mu)), 0.05 * square)


def _add(epsilon: np.ndarray, mu: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log δ and −d log δ/dε in the direction of adding the record."""
    root, square = np.sqrt(mu), 1 + mu
    q = np.sqrt(square)
    step = root / (q * (1 + q))
    excess = 2 * epsilon + np.log1p(mu)
    scaled = m / q
    c = np.sqrt(excess + scaled * scaled)
    forward = c * q + m
    a = (excess / root - scaled * scaled * root) / (c + m)
    gap = mu / (q * (1 + q))
    difference, end = _mills_pair(a, step * forward)
    total, tail = difference + gap * end, end
    weight = np.exp(-2 * (m / root) * (c / root))
    both = np.flatnonzero(weight > _INVISIBLE)
    if both.size:
        width = (step * square * excess / forward)[both]
        difference, end = _mills_pair(((c + m) / root)[both], width)
        total[both] += weight[both] * (difference + gap[both] * end)
        tail[both] += weight[both] * end
    return np.log(total) - 0.5 * a * a - LOG_SQRT_2PI, tail / (q * total)


def _remove(epsilon: np.ndarray, mu: np.ndarray, m: np.ndarray) -> np.ndarray:
    """log δ in the direction of removing the record; +∞ where this quick form would lose accuracy."""
    excess = np.log1p(mu) - 2 * epsilon
    square = excess + m * m / (1 + mu)
    result = np.full(epsilon.shape, -np.inf)
    rows = np.flatnonzero(square > 0)
    if not rows.size:
        return result
    mu, m, excess = mu[rows], m[rows], excess[rows]
    root, q = np.sqrt(mu), np.sqrt(1 + mu)
    c = np.sqrt(square[rows])
    y = -(m * m * root / (q * q) + q * q * excess / root) / (m / q + c * q)
    gap = mu / (1 + q)
    upper, end = _mills_pair(y, root / (q * (1 + q)) * (m + c * q))
    total = upper - gap * end
    weight = np.exp(-2 * (m / root) * (c / root))
    both = np.flatnonzero(weight > _INVISIBLE)
    if both.size:
        near, far = ((c + m) / root)[both], ((c * q + m / q) / root)[both]
        difference, end = _mills_pair(np.minimum(near, far), np.abs(far - near))
        lower = np.where(far > near, difference + gap[both] * (end + difference), gap[both] * end - difference)
        total[both] += weight[both] * lower
    sound = (total > _CANCELLING * upper) & (y > _LOWEST)
    result[rows] = np.where(sound, np.log(total) - 0.5 * y * y - LOG_SQRT_2PI, np.inf)
    return result


def _mills_pair(a: np.ndarray, width: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """R(a) − R(a + width) and R(a + width), R the Mills ratio; nan where a is too negative to be of use."""
    t = np.where(a > _LOWEST, a, np.nan) + 0.5 * width
    narrow = width < _NARROW
    if narrow.all():
        return _mills_series(t, width)
    start, end = _mills(t - 0.5 * width), _mills(t + 0.5 * width)
    difference = start - end
    if narrow.any():
        difference[narrow], end[narrow] = _mills_series(t[narrow], width[narrow])
    return difference, end


def _mills_series(t: np.ndarray, width: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pair from the derivatives of R at the middle, R' = tR − 1: exact to 1e-12 for narrow widths."""
    value = _mills(t)
    slope = 1 - t * value
    third = t * t + 2 - t * (t * t + 3) * value
    square = width * width
    end = value - 0.5 * width * slope + 0.125 * square * (value - t * slope) - square * width * third / 48
    return width * (slope + square * third / 24), end


def _mills(t: np.ndarray) -> np.ndarray:
    return _SQRT_HALF_PI * special.erfcx(t * _SQRT_HALF)
