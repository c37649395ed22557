"""ε(δ) of very many posterior-sampling records: a table for the start, Newton steps, a check of the other direction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special
from scipy.ndimage import map_coordinates, spline_filter

from dpcore.numerics import LOG_SQRT_2PI

_SPACING = 0.2  # of the table in log μ and log(1 + ρ); its cubic spline starts Newton within about 1e-5
_MOST_NODES = 64
_EDGE = 4  # nodes beyond the rows, where the spline does not feel the end of the table
_TAILS = (0.001, 0.999)  # the table spans all but the most extreme rows, which are solved one by one
_SAMPLE = 50_000  # rows looked at to place the table
_STEPS = 6
_SETTLED = 1e-6  # relative Newton step, and distance in log δ, after which the next step would be below 1e-12
_SLACK = 1e-11  # relative excess of δ allowed in the other direction; moves ε by less than that
_INVISIBLE = 1e-18  # weight of the other tail below round-off
_CANCELLING = 1e-2
_LOWEST = -30.0  # arguments below which a Mills ratio is too large to be of use
_SQRT_HALF, _SQRT_HALF_PI = np.sqrt(0.5), np.sqrt(np.pi / 2)
_NARROW = 5e-3  # widths below which differences of Mills ratios are taken from their Taylor series at the middle


@dataclass(frozen=True)
class Table:
    """log ε on a grid of log μ and log(1 + ρ), ρ = m/√μ, as spline coefficients."""

    origin: np.ndarray
    spacing: np.ndarray
    coefficients: np.ndarray
    sign: float

    @classmethod
    def build(cls, mu: np.ndarray, shift: np.ndarray, solve: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Table:
        """A table that spans the given records; `solve` gives ε for arrays of μ and m."""
        axes, some = [], slice(None, None, -(-mu.size // _SAMPLE))
        for values in _coordinates(mu[some], shift[some]):
            low, high = np.quantile(values, _TAILS)
            count = int(np.clip((high - low) / _SPACING, 2, _MOST_NODES - 1)) + 1
            step = max((high - low) / (count - 1), 1e-3)
            axes.append(low + step * np.arange(-_EDGE, count + _EDGE))
        log_mu, log_rho = np.meshgrid(*axes, indexing="ij")
        nodes = np.exp(log_mu)
        epsilon = solve(nodes.ravel(), (np.maximum(np.expm1(log_rho), 0.0) * np.sqrt(nodes)).ravel())
        positive = epsilon[(epsilon > 0) & np.isfinite(epsilon)]
        floor, top = (positive.min(), positive.max()) if positive.size else (1.0, 1.0)
        values = np.log(np.clip(epsilon, floor, top)).reshape(nodes.shape)
        return cls(
            np.array([axis[0] for axis in axes]),
            np.array([axis[1] - axis[0] for axis in axes]),
            spline_filter(values, order=3, mode="nearest"),
            1.0 if (epsilon > 0).all() else -1.0,
        )

    def __call__(self, mu: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """A first guess of ε, made negative if ε = 0 occurs in the table."""
        position = (np.stack(_coordinates(mu, shift)) - self.origin[:, None]) / self.spacing[:, None]
        return self.sign * np.exp(
            map_coordinates(self.coefficients, position, order=3, mode="nearest", prefilter=False)
        )


def _coordinates(mu: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.log(mu), np.log1p(shift / np.sqrt(mu))


def newton(mu: np.ndarray, shift: np.ndarray, log_delta: float, guess: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Refine guesses of ε(δ) for records with μ > 0; guesses ≤ 0 say that ε = 0 is possible and is to be tried first.

    Returns
    -------
    epsilon, solved : arrays (n_records,)
        `solved` marks the records whose ε is good to 1e-11 in both directions.
    """
    epsilon, settled = np.abs(guess), np.zeros(guess.shape, dtype=bool)
    active: np.ndarray | slice = slice(None)
    with np.errstate(all="ignore"):
        if np.any(guess <= 0):
            value, _ = _add(np.zeros(mu.shape), mu, shift)
            settled = value <= log_delta
            epsilon[settled] = 0.0
            active = np.flatnonzero(~settled)
        for _ in range(_STEPS):
            at = epsilon[active]
            value, slope = _add(at, mu[active], shift[active])
            missing = value - log_delta
            step = np.clip(missing / slope, -0.75 * at, 3 * at)
            epsilon[active] = at + step
            settled[active] = (np.abs(step) <= _SETTLED * at) & (np.abs(missing) <= _SETTLED)
            active = np.flatnonzero(~settled)
            if not active.size:
                break
        other = _remove(epsilon, mu, shift)
    return epsilon, settled & (other <= log_delta + _SLACK)


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
