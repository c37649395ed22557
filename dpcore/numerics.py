"""Special functions and quadrature in log space, accurate where the textbook forms cancel or overflow."""

import copy
import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from scipy import special

# Steps of a control in each decade, and of one with few. Doubled, a slider has twice as many places to stop at.
_STEPS = (
    1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3, 3.2, 3.5,
    4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5,
)  # fmt: skip
_FEW = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
LOG_SQRT_2PI = 0.5 * np.log(2 * np.pi)

# A term that is e^−45 times another is below the round-off of the other, and so is the sum of a thousand such terms.
# Doubled, sums and integrals include more terms that change nothing.
NEGLIGIBLE = 45.0
# Distance from its mean, in standard deviations, at which a normal density has fallen by the factor e^−NEGLIGIBLE.
WINDOW = np.sqrt(2 * NEGLIGIBLE)
# Nodes of a Gauss–Legendre rule on such a window: exact to round-off for a Gaussian times a smooth factor.
WINDOW_NODES = 64
# Both e^700 and e^−700 are ordinary floats. If the exponent is doubled, they are not.
LARGEST_EXPONENT = 700.0
# Replaces ∞ where ∞ could not be computed with, for example as −log δ of a profile that vanishes.
LARGEST = 1e300
# Its square is a finite log δ, so a Gaussian never looks like pure DP. If this number were squared, it would.
LARGEST_ROOT = np.sqrt(LARGEST)
# For larger arguments the continued fraction of the Mills ratio is exact to round-off after 15 levels.
_FRACTION_FROM = 8.0
_FRACTION_LEVELS = 16
_SERIES_FROM = 1e4  # for larger t, R(t) = 1/t − 1/t³ to round-off
# Up to the width _NARROW, _FEW_NODES Gauss–Legendre nodes integrate the Mills slope to round-off.
_NARROW, _FEW_NODES = 0.25, 5

PANEL_NODES = 16  # nodes of a Gauss–Legendre rule on a panel where the integrand is smooth
BLOCK = 2**20  # most numbers of an array that are held at once; four times as many are no faster
CUT = 1e4  # a root search clips differences of log δ to ± this number
_ROUNDS = 200

# If b is above this, e^e Φ(−b) is computed as φ(a) Φ(−b)/φ(b). Doubled, Φ(−b) would be 0.
_DEEP = 37.0
# Largest v for which G is computed to first order. Doubled, its error there is four times as large, 1e-10 at most.
_SMALL = 1e-6

# Sizes of Newton steps relative to 1 + |x|. After a step below _FOUND the next one changes only the last digits. A step
# below LAST_DIGITS is itself round-off.
_FOUND, LAST_DIGITS = 1e-10, 1e-14


@lru_cache(maxsize=64)
def gauss_legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    r"""Nodes and weights of the Gauss–Legendre rule on [0, 1], exact for polynomials of degree 2·count − 1.

    .. math:: \int_a^b f(x)\,dx ≈ (b − a) \sum_i w_i f(a + (b − a) x_i)

    Returns
    -------
    x, w : ndarray (count,), read-only
    """
    nodes, weights = np.polynomial.legendre.leggauss(count)
    rule = 0.5 + 0.5 * nodes, 0.5 * weights
    for values in rule:
        values.setflags(write=False)
    return rule


def panel_rule(edges: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights (n_panels, count) of the Gauss–Legendre rule on each panel between neighbouring edges.

    They satisfy ∫ f ≈ Σ w·f(x).
    """
    nodes, weights = gauss_legendre(count)
    width = np.diff(edges)[:, None]
    return edges[:-1, None] + width * nodes, width * weights


def log1mexp(x: np.ndarray | float) -> np.ndarray:
    """log(1 − e^x) for x ≤ 0, accurate at both ends."""
    with np.errstate(divide="ignore"):
        return np.where(x > -np.log(2), np.log(-np.expm1(np.minimum(x, 0.0))), np.log1p(-np.exp(x)))


def log_sum(terms: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """log Σ weight·e^terms over the last axis, with weight ≥ 0; it is −inf where the sum is empty.

    SciPy's `logsumexp` takes up to eight times as long.
    """
    if weight is not None:
        with np.errstate(divide="ignore"):
            terms = terms + np.log(weight)
    top = terms.max(axis=-1, initial=-np.inf, keepdims=True)
    base = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore", under="ignore"):
        return base[..., 0] + np.log(np.exp(terms - base).sum(axis=-1))


@lru_cache(maxsize=1024)
def quotient_residual(numerator: float, denominator: float) -> float:
    """The rounding error of a quotient: numerator/denominator − fl(numerator/denominator), from exact rationals."""
    return float(Fraction(numerator) / Fraction(denominator) - Fraction(numerator / denominator))


@lru_cache(maxsize=1024)
def log_complement(p: float) -> tuple[float, float]:
    """log(1 − p) for 0 < p < 1 as two floats whose exact sum it is, so that a difference from it keeps its digits."""
    with localcontext(prec=60 - 2 * Decimal(p).adjusted()):
        exact = (1 - Decimal(p)).ln()
        high = float(exact)
        return high, float(exact - Decimal(high))


def increasing_roots(
    function: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    low: np.ndarray,
    high: np.ndarray,
    start: np.ndarray,
    enough: np.ndarray | float = 0.0,
) -> np.ndarray:
    """Roots of increasing functions given with their slopes, each in its bracket.

    A Newton step is taken if it stays in the bracket and is at most half as long as the last step. Otherwise the
    bracket is halved on the scale of asinh x.

    Parameters
    ----------
    function : x ↦ values and slopes, all (n,)
    low, high : brackets (n,); where a function has one sign throughout, the end nearest to 0 is approached
    start : first x (n,)
    enough : a value of at most this size counts as 0
    """
    at, low, high, moved = start, low.copy(), high.copy(), np.full(start.shape, np.inf)
    near = done = np.zeros(start.shape, dtype=bool)
    for _ in range(_ROUNDS):
        value, slope = function(at)
        done = done | (np.abs(value) <= enough)
        if done.all():
            break
        low, high = np.where(value < 0, at, low), np.where(value > 0, at, high)
        with np.errstate(all="ignore"):
            new = at - value / slope
            step = np.abs(new - at)
            steady = (new >= low) & (new <= high) & ((step <= moved / 2) | (step <= LAST_DIGITS * (1 + np.abs(at))))
        new = np.where(steady, new, np.sinh((np.arcsinh(low) + np.arcsinh(high)) / 2))
        new = np.where(done, at, new)
        moved, at = np.abs(new - at), new
        near, before = moved <= _FOUND * (1 + np.abs(at)), near
        # Two short steps in a row are asked for, since one alone may come from a function that grows exponentially.
        done = done | near & before
    return at


def log_normal(x: np.ndarray) -> np.ndarray:
    """log φ(x), φ the standard normal density."""
    return -0.5 * x * x - LOG_SQRT_2PI


def mills(t: np.ndarray) -> np.ndarray:
    """Mills ratio R(t) = Φ(−t)/φ(t); overflows to inf below about −37."""
    return np.sqrt(np.pi / 2) * special.erfcx(t / np.sqrt(2))


def mills_slope(t: np.ndarray) -> np.ndarray:
    """−R'(t) = 1 − t R(t) > 0. The continued fraction of R is used where the difference would cancel."""
    t = np.asarray(t, dtype=float)
    far = t > _FRACTION_FROM
    near = np.where(far, 0.0, t)
    slope = 1 - near * mills(near)
    if far.any():
        base = np.where(far, t, _FRACTION_FROM)
        tail = base
        for level in range(_FRACTION_LEVELS, 1, -1):
            tail = base + level / tail
        slope = np.where(far, 1 / (base * tail + 1), slope)
    return slope


def log_mills_difference(a: np.ndarray, width: np.ndarray) -> np.ndarray:
    """log(R(a) − R(a + width)) for a ≥ −1 and width > 0. Where width is small, the slope −R' is integrated instead."""
    a, width = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(width, dtype=float))
    narrow = width <= _NARROW
    difference = np.empty(a.shape)
    if narrow.any():
        span = width[narrow]
        nodes, weights = gauss_legendre(_FEW_NODES)
        slope = mills_slope(a[narrow][:, None] + span[:, None] * nodes)
        difference[narrow] = span * (slope * weights).sum(axis=1)
    if not narrow.all():
        difference[~narrow] = mills(a[~narrow]) - mills(a[~narrow] + width[~narrow])
    far = a > _SERIES_FROM
    start = np.where(far, a, _SERIES_FROM)
    end = start + width
    series = np.log(width) - np.log(start) - np.log(end) + np.log1p(-(1 / start**2 + 1 / (start * end) + 1 / end**2))
    with np.errstate(divide="ignore"):
        return np.where(far, series, np.log(np.where(far, 1.0, difference)))


def expm1_residual(x: np.ndarray) -> np.ndarray:
    """e^x − 1 − x ≥ 0 without cancellation near 0."""
    x = np.asarray(x, dtype=float)
    small = np.abs(x) < 0.3
    z = np.where(small, x, 0.0)
    series = np.zeros_like(z)
    for k in range(16, 2, -1):
        series = (1.0 + series) * z / k
    series = 0.5 * z * z * (1.0 + series)
    with np.errstate(over="ignore"):
        return np.where(small, series, np.expm1(x) - x)


def normal_hockey_stick(v: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""δ(e) of two unit normal laws v ≥ 0 apart, and −dδ/de; 0 if they are below the least positive number.

    .. math:: G(v, e) = Φ\left(\tfrac v2 − \tfrac ev\right) − e^e Φ\left(−\tfrac v2 − \tfrac ev\right)
    """
    c, middle = e / np.maximum(v, 1 / LARGEST_ROOT), 0.5 * v
    a, b = middle - c, middle + c
    value = special.ndtr(a)
    fall = np.exp(np.minimum(e, LARGEST_EXPONENT)) * special.ndtr(-b)
    deep = (b > _DEEP) & (value > 0)
    if deep.any():
        fall[deep] = np.exp(log_normal(a[deep])) * mills(b[deep])
    value -= fall
    small = v < _SMALL
    if small.any():
        width, above, hidden = v[small], np.abs(c[small]), np.expm1(np.minimum(e[small], 0.0))
        value[small] = (1 + hidden) * width * mills_slope(above) * np.exp(log_normal(above - middle[small])) - hidden
    return value, fall


class OfRows:
    """What holds arrays with one entry a row, or other such holders, and perhaps things that are the same for all rows.

    shared : names of holders whose rows are other ones, so that they are the same for all rows here
    """

    shared: ClassVar[tuple[str, ...]] = ()

    def take(self, rows: Any) -> Self:
        """Some of the rows, by positions or a slice."""
        known = self._by_row()
        return self._with({n: one.take(rows) if isinstance(one, OfRows) else one[rows] for n, one in known.items()})

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts, one after the other."""
        known = {name: [vars(part)[name] for part in parts] for name in parts[0]._by_row()}
        join = {name: one[0].joined if isinstance(one[0], OfRows) else np.concatenate for name, one in known.items()}
        return parts[0]._with({name: join[name](one) for name, one in known.items()})

    def _by_row(self) -> dict[str, Any]:
        known = {name: value for name, value in vars(self).items() if name not in self.shared}
        return {name: value for name, value in known.items() if isinstance(value, np.ndarray | OfRows)}

    def _with(self, values: dict[str, Any]) -> Self:
        result = copy.copy(self)
        vars(result).update(values)
        return result


def round_values(low: float, high: float, *, few: bool = False) -> list[float]:
    """Round numbers from low to high, 27 per decade, or ten per decade if `few`."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = {float(f"{step}e{decade}") for decade in decades for step in (_FEW if few else _STEPS)}
    return sorted(value for value in values | {float(low), float(high)} if low <= value <= high)
