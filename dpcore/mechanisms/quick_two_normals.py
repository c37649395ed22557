"""Two normal laws of different variance, quickly: the hockey stick of very many records at once."""

import numpy as np

from dpcore.mechanisms.two_normals import log_two_normals
from dpcore.numerics import LOG_SQRT_2PI, NEGLIGIBLE, mills

_INVISIBLE = np.exp(-NEGLIGIBLE)  # weight of the second tail, relative to the first, below which it is left out
_LOWEST = -30.0  # argument below which a Mills ratio is too large to be of use
# Width below which a difference of Mills ratios is taken from a Taylor series at the middle. Doubled, the series is
# less exact at the widest.
_NARROW = 5e-3
# In the direction of removal, a difference is believed if it keeps at least this share of its first term: ten digits
# of δ are then right. Doubled, more records take the slow form.
_SHARE = 0.2
# _TINY is the smallest leverage, _HUGE the largest leverage and shift, for which nothing over- or underflows.
_TINY, _HUGE = 1e-100, 1e12
_NARROWEST = 1e-5  # leverage below which the direction of removal subtracts nearly equal numbers
_DEEPEST = -1e5  # log δ below which the round-off of squares shows; doubled, fewer records take the slow form


def quick_log_two_normals(epsilon: np.ndarray, leverage: np.ndarray, shift: np.ndarray, direction: str) -> np.ndarray:
    """`two_normals.log_two_normals` at ε ≥ 0, μ ≥ 0, m ≥ 0, to 1e-11 and about ten times faster.

    It uses Mills ratios without safeguards. Records that would lose digits by it take the slow form.
    """
    arrays = np.broadcast_arrays(epsilon, leverage, shift)
    epsilon, mu, m = (array.reshape(-1) for array in arrays)
    with np.errstate(all="ignore"):
        if direction == "add":
            value = log_add(epsilon, mu, m)[0]
            trusted = (mu > _TINY) & (value > _DEEPEST)
        else:
            value = log_remove(epsilon, mu, m, _SHARE)
            trusted = (mu > _NARROWEST) & ((value > _DEEPEST) & (value < np.inf) | (value == -np.inf))
        trusted &= (mu < _HUGE) & (m < _HUGE)
    rest = ~trusted
    if rest.any():
        value[rest] = log_two_normals(epsilon[rest], mu[rest], m[rest], direction)
    return np.minimum(value, 0.0).reshape(arrays[0].shape)


def log_add(epsilon: np.ndarray, mu: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log δ and −d log δ/dε in the direction of adding the record; nan where this quick form has no value."""
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


def log_remove(epsilon: np.ndarray, mu: np.ndarray, m: np.ndarray, cancelling: float) -> np.ndarray:
    """log δ in the direction of removing the record; +∞ where this quick form has no value.

    It has none where a difference keeps less than the share `cancelling` of its first term.
    """
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
    sound = (total > cancelling * upper) & (y > _LOWEST)
    result[rows] = np.where(sound, np.log(total) - 0.5 * y * y - LOG_SQRT_2PI, np.inf)
    return result


def _mills_pair(a: np.ndarray, width: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """R(a) − R(a + width) and R(a + width), R the Mills ratio; nan where a is too negative to be of use."""
    t = np.where(a > _LOWEST, a, np.nan) + 0.5 * width
    narrow = width < _NARROW
    if narrow.all():
        return _mills_series(t, width)
    start, end = mills(t - 0.5 * width), mills(t + 0.5 * width)
    difference = start - end
    if narrow.any():
        difference[narrow], end[narrow] = _mills_series(t[narrow], width[narrow])
    return difference, end


def _mills_series(t: np.ndarray, width: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same pair by a Taylor series about the middle t, with R' = tR − 1. It is exact to 1e-12 for narrow widths."""
    value = mills(t)
    slope = 1 - t * value
    third = t * t + 2 - t * (t * t + 3) * value
    square = width * width
    end = value - 0.5 * width * slope + 0.125 * square * (value - t * slope) - square * width * third / 48
    return width * (slope + square * third / 24), end
