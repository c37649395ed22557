"""Numbers of known faults of libraries: what their release promises, and the exact ε at which two data sets are told apart.

Each function behaves in a few lines like the faulty version. It returns the ε claimed, that of the mended version, and that of one
pair of neighbouring data sets, computed without either.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special, stats

from dpcore.errata.record import Three
from dpcore.mechanisms import Gaussian, Subsampled

_DELTA = 1e-5  # δ at which every ε is taken; doubled, each ε is a little smaller
_CURVATURE = 0.25  # largest second derivative of the logistic loss
_OUTPUTS = 4001  # points of a search over outputs; doubled, the largest ratio found hardly changes


def _epsilon(delta: Callable[[float], float]) -> float:
    """The ε at which a falling δ(ε) is `_DELTA`, or 0."""
    if delta(0.0) <= _DELTA:
        return 0.0
    high = 1.0
    while delta(high) > _DELTA:
        high *= 2
    return float(optimize.brentq(lambda e: delta(e) - _DELTA, 0.0, high, xtol=1e-12))


def lib_opacus_floor(p: float, batch: float, sigma: float) -> Three:
    """Records without a gradient, 2b − 1 or 2b of them: the noise is divided by ⌊b − ½⌋ = b − 1 or by b, in p coordinates."""
    wider = (batch / (batch - 1)) ** 2
    half, gain = p / 2, (1 - 1 / wider) / 2

    def delta(epsilon: float) -> float:
        above = (epsilon + half * math.log(wider)) / gain / 2
        found = special.gammaincc(half, above / wider) - math.exp(epsilon) * special.gammaincc(half, above)
        below = max(half * math.log(wider) - epsilon, 0.0) / gain / 2
        return max(found, special.gammainc(half, below) - math.exp(epsilon) * special.gammainc(half, below / wider))

    claimed = float(Subsampled(Gaussian(sigma), 0.5).epsilon(_DELTA))
    return claimed, claimed, _epsilon(delta)


def lib_opacus_mean(n: float, sigma: float) -> Three:
    """Full batches: n − 1 gradients of 1 have the mean 1, with a last one of −1 it is 1 − 2/n, and the noise is σ over the number."""
    first, second = stats.norm(1.0, sigma / (n - 1)), stats.norm(1 - 2 / n, sigma / n)

    def delta(epsilon: float) -> float:
        return max(_excess(first, second, epsilon), _excess(second, first, epsilon))

    claimed = float(Gaussian(sigma).epsilon(_DELTA))
    return claimed, claimed, _epsilon(delta)


def _excess(p: stats.rv_continuous, q: stats.rv_continuous, epsilon: float) -> float:
    """∫ (p − e^ε q)₊ of two normal laws with different variances: log p/q is a parabola that crosses ε twice or never."""
    (m, s), (n, t) = p.args, q.args
    parabola = (
        0.5 / t**2 - 0.5 / s**2,
        m / s**2 - n / t**2,
        n**2 / t**2 / 2 - m**2 / s**2 / 2 + math.log(t / s) - epsilon,
    )
    root = math.sqrt(max(parabola[1] ** 2 - 4 * parabola[0] * parabola[2], 0.0))
    ends = sorted((-parabola[1] + sign * root) / (2 * parabola[0]) for sign in (-1, 1))
    outside = [one.cdf(ends[0]) + one.sf(ends[1]) for one in (p, q)]
    first, second = outside if parabola[0] > 0 else (1 - one for one in outside)
    return float(first - math.exp(epsilon) * second)


def lib_diffprivlib_square(high: float, low: float, epsilon: float) -> Three:
    """Σx² with Laplace noise for low², folded at 0; the record added has the largest |x|. Others hold Σx² of 100 such squares."""
    square = max(high, low) ** 2
    scale, total = low**2 / epsilon, 100 * square
    x = np.linspace(total - square, total + 2 * square, _OUTPUTS)
    density = lambda centre: np.logaddexp(-np.abs(x - centre) / scale, -np.abs(x + centre) / scale)  # noqa: E731
    return epsilon, epsilon, float(np.abs(density(total + square) - density(total)).max())


def lib_diffprivlib_scale(n: float, alpha: float, epsilon: float) -> Three:
    """One feature, all other records 0: log ratio of the densities of θ with and without |x| = 1, the noise being n times too large."""
    noise = epsilon - 2 * math.log1p(_CURVATURE / alpha)
    theta = np.linspace(-10, 10, _OUTPUTS)
    sigmoid = special.expit(theta)
    pull = {x: alpha * theta - x * special.expit(-x * theta) for x in (-1, 0, 1)}
    bend = {x: alpha + abs(x) * sigmoid * (1 - sigmoid) for x in (-1, 0, 1)}
    density = {x: np.log(bend[x]) - noise / (2 * n) * np.abs(pull[x]) for x in (-1, 0, 1)}
    largest = max(float(np.abs(density[x] - density[other]).max()) for x, other in ((1, 0), (1, -1)))
    return epsilon, noise / n + 2 * math.log1p(_CURVATURE / alpha), largest


def lib_jax_binomial(n: float, q: float) -> Three:
    """Two records in one batch: as if its size were nq, by independent draws, and summed over the binomial size of the batch."""
    sizes = np.arange(n + 1)
    both = sizes * (sizes - 1) / (n * (n - 1))
    return max(q * (n * q - 1) / (n - 1), 0.0), q * q, float(stats.binom.pmf(sizes, n, q) @ both)
