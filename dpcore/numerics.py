"""Special functions and quadrature in log space, accurate where the textbook forms cancel or overflow."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy import special

LOG_SQRT_2PI = 0.5 * np.log(2 * np.pi)
_FRACTION_FROM = 8.0  # beyond, the continued fraction of the Mills ratio is exact to round-off in 15 levels
_FRACTION_LEVELS = 16
_SERIES_FROM = 1e4  # beyond, R(t) = 1/t − 1/t³ to round-off
_NARROW, _FEW_NODES = 0.25, 5  # up to this width five Gauss–Legendre nodes integrate the Mills slope to round-off

_FIRST_EDGES = np.concatenate([[0.0], 4.0 ** np.arange(-40, 61)])  # 1e-24 to 1e36
_VARIATION = 8.0  # on a panel where the integrand varies by e^8 at most, ten nodes leave 1e-13
_DEPTH = 45.0  # panels e^-45 below the heaviest one add less than round-off
_AGREEMENT = 3e-12  # relative to the whole integral, between the two rules of one panel
_ROUNDOFF = 1e-14  # relative error of one exponent
_FINEST, _NEAREST = 64 * np.finfo(float).eps, 1e-280  # no panel is split below this relative width, nor below this one
_MOST_PANELS, _MOST_RATES = 4_000, 128  # what one pass may hold in memory


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
    """Nodes and weights (n_panels, count) of that rule on each panel between neighbouring edges: ∫ f ≈ Σ w·f(x)."""
    nodes, weights = gauss_legendre(count)
    width = np.diff(edges)[:, None]
    return edges[:-1, None] + width * nodes, width * weights


@lru_cache(maxsize=1)
def _rule_pair() -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Nodes on [0, 1] of two rules, one after the other, and each rule's weights on all of them."""
    (x, w), (y, v) = gauss_legendre(15), gauss_legendre(10)
    return np.append(x, y), (np.append(w, 0 * v), np.append(0 * w, v))


def log1mexp(x: np.ndarray | float) -> np.ndarray:
    """log(1 − e^x) for x ≤ 0, accurate at both ends."""
    with np.errstate(divide="ignore"):
        return np.where(x > -np.log(2), np.log(-np.expm1(np.minimum(x, 0.0))), np.log1p(-np.exp(x)))


def log_sum(terms: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """log Σ weight·e^terms over the last axis, weight ≥ 0; −inf where nothing is added. SciPy's takes up to eight times as long."""
    if weight is not None:
        with np.errstate(divide="ignore"):
            terms = terms + np.log(weight)
    top = terms.max(axis=-1, initial=-np.inf, keepdims=True)
    base = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore", under="ignore"):
        return base[..., 0] + np.log(np.exp(terms - base).sum(axis=-1))


@lru_cache(maxsize=1024)
def quotient_residual(numerator: float, denominator: float) -> float:
    """What the rounded quotient misses: numerator/denominator − fl(numerator/denominator), from exact rationals."""
    return float(Fraction(numerator) / Fraction(denominator) - Fraction(numerator / denominator))


@lru_cache(maxsize=1024)
def log_complement(p: float) -> tuple[float, float]:
    """log(1 − p) for 0 < p < 1 as the unevaluated sum of two floats, so that a distance to it keeps its digits."""
    with localcontext(prec=60 - 2 * Decimal(p).adjusted()):
        exact = (1 - Decimal(p)).ln()
        high = float(exact)
        return high, float(exact - Decimal(high))


def mills(t: np.ndarray) -> np.ndarray:
    """Mills ratio R(t) = Φ(−t)/φ(t); overflows to inf below about −37."""
    return np.sqrt(np.pi / 2) * special.erfcx(t / np.sqrt(2))


def mills_slope(t: np.ndarray) -> np.ndarray:
    """−R'(t) = 1 − t R(t) > 0, from the continued fraction of R where the difference cancels."""
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
    """log(R(a) − R(a + width)) for a ≥ −1 and width > 0; an integral of the positive slope where width is small."""
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


def log_exponential_integrals(log_f: Callable[[np.ndarray], np.ndarray], rates: np.ndarray) -> np.ndarray:
    """log ∫_0^∞ e^{rate·x} f(x) dx for each rate and one decreasing f given by its logarithm; inf where it diverges.

    All rates share one set of Gauss–Legendre panels, and so the values of f. Panels are split until the integrand of
    every rate they matter to varies little on them, then until two rules agree, which also isolates kinks.
    """
    if rates.size > _MOST_RATES:
        blocks = np.array_split(rates, -(-rates.size // _MOST_RATES))
        return np.concatenate([log_exponential_integrals(log_f, block) for block in blocks])
    first = rates[:, None] * _FIRST_EDGES + log_f(_FIRST_EDGES) + np.log(np.maximum(_FIRST_EDGES, _FIRST_EDGES[1]))
    diverges = first.argmax(axis=1) == _FIRST_EDGES.size - 1
    result = np.full(rates.shape, np.inf)
    if not diverges.all():
        result[~diverges] = _convergent_integrals(log_f, rates[~diverges])
    return result


def _convergent_integrals(log_f: Callable[[np.ndarray], np.ndarray], rates: np.ndarray) -> np.ndarray:
    """Sum over panels, splitting those on which two rules disagree; on a panel too small to split, one point stands."""
    edges, relevant = _resolve(log_f, rates)
    nodes, (fine_weights, coarse_weights) = _rule_pair()
    left, width = edges[:-1][relevant], np.diff(edges)[relevant]
    shift = np.full(rates.shape, -np.inf)
    total = np.zeros(rates.shape)
    while True:
        divisible = _divisible(left, width)
        x = left[:, None] + np.where(divisible, width, 0.0)[:, None] * nodes
        f = rates[:, None, None] * x + log_f(x)
        previous, shift = shift, np.maximum(shift, f.max(axis=(1, 2), initial=-np.inf))
        base = np.where(np.isfinite(shift), shift, 0.0)
        with np.errstate(under="ignore"):
            terms = np.exp(f - base[:, None, None])
            total *= np.exp(np.where(np.isfinite(previous), previous - base, 0.0))
        fine, coarse = (terms @ fine_weights) * width, (terms @ coarse_weights) * width
        noise = _ROUNDOFF * np.abs(rates[:, None] * x.max(axis=1)) + _AGREEMENT
        bad = divisible & (np.abs(fine - coarse) > noise * (total + fine.sum(axis=1))[:, None]).any(axis=0)
        total += fine[:, ~bad].sum(axis=1)
        if not bad.any() or left.size > _MOST_PANELS:
            total += fine[:, bad].sum(axis=1)
            break
        width = np.repeat(width[bad] / 4, 4)
        left = np.repeat(left[bad], 4) + np.tile(np.arange(4), bad.sum()) * width
    with np.errstate(divide="ignore"):
        return shift + np.log(total)


def _divisible(left: np.ndarray, width: np.ndarray) -> np.ndarray:
    return width > np.maximum(_FINEST * (left + width), _NEAREST)


def _resolve(log_f: Callable[[np.ndarray], np.ndarray], rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Panel edges on which no integrand varies by more than e^8 where it matters, and which panels matter at all."""
    x = _FIRST_EDGES
    log_values = log_f(x)
    while True:
        width = np.diff(x)
        f = rates[:, None] * x + log_values
        low, high = f[:, :-1], f[:, 1:]
        with np.errstate(invalid="ignore", over="ignore"):
            slope = np.pad((high - low) / width, ((0, 0), (1, 1)), constant_values=np.nan)
            from_left = low + np.fmax(slope[:, :-2], 0.0) * width
            from_right = np.where(np.isneginf(high), np.inf, high + np.fmax(-slope[:, 2:], 0.0) * width)
            top = np.maximum(np.maximum(low, high), np.minimum(from_left, from_right))  # an upper bound if f is concave
            variation = np.where(np.isneginf(top), 0.0, top - np.minimum(low, high))
        mass = np.maximum(low, high) + np.log(width)
        matters = top + np.log(width) > mass.max(axis=1, keepdims=True) - _DEPTH
        noise = _ROUNDOFF * np.abs(rates[:, None] * x[1:])
        split = (matters & (variation > _VARIATION + noise)).any(axis=0) & _divisible(x[:-1], width)
        if not split.any() or x.size > _MOST_PANELS:
            return x, matters.any(axis=0)
        new = (x[:-1][split][:, None] + width[split][:, None] * np.array([0.25, 0.5, 0.75])).ravel()
        place = np.repeat(np.flatnonzero(split) + 1, 3)
        x, log_values = np.insert(x, place, new), np.insert(log_values, place, log_f(new))
