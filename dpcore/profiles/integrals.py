"""Integrals of e^{rate·x} against a decreasing curve given by its logarithm, for many rates at once."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from dpcore.numerics import NEGLIGIBLE, gauss_legendre
from dpcore.profiles.chords import FIRST_EDGES, MOST_BENT, diverging, divisible, log_chord_integrals, log_pieces

_FINE, _COARSE = 15, 10  # nodes of the two rules
_VARIATION = 8.0  # on a panel where the integrand varies by e^8 at most, ten nodes leave 1e-13
_AGREEMENT = 3e-12  # relative to the whole integral, between the two rules of one panel
_ROUNDOFF = 1e-14  # relative error of one exponent
_FEW_RATES, _MOST_CORNERS = 8, 2**15  # of a curve with endlessly many corners few rates see more than a few
_MOST_PANELS, _MOST_RATES = 4_000, 128  # what one pass may hold in memory


@lru_cache(maxsize=1)
def _rule_pair() -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Nodes on [0, 1] of two rules, one after the other, and each rule's weights on all of them.

    The first has both ends among its nodes (Lobatto's), so that a kink between an end and the node next to it shows.
    """
    (x, w), (y, v) = _lobatto(_FINE), gauss_legendre(_COARSE)
    return np.append(x, y), (np.append(w, 0 * v), np.append(0 * w, v))


def _lobatto(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes on [0, 1], both ends among them, and weights of the rule that is exact up to degree 2·count − 3."""
    last = np.polynomial.legendre.Legendre.basis(count - 1)
    inner = np.polynomial.legendre.legroots(last.deriv().coef)
    x = np.concatenate([[-1.0], inner, [1.0]])
    return 0.5 + 0.5 * x, 1 / (count * (count - 1) * last(x) ** 2)


def log_profile_integrals(
    log_f: Callable[[np.ndarray], np.ndarray], rates: np.ndarray, discrete: bool = False
) -> np.ndarray:
    """log ∫_0^∞ e^{rate·x} f(x) dx for f convex in e^x: by chords, from above, where f is straight between few corners.

    Parameters
    ----------
    log_f : x → log f(x), f decreasing
    rates : (n_rates,)
    discrete : whether f is known to be straight between its corners: then nothing but chords is used, on more pieces,
        and where they do not do the answer is inf
    """
    if not discrete:
        found = log_chord_integrals(log_f, rates, MOST_BENT)
        return log_exponential_integrals(log_f, rates) if found is None else found
    result = np.full(rates.shape, np.inf)
    for start in range(0, rates.size, _FEW_RATES):
        block = slice(start, start + _FEW_RATES)
        found = log_chord_integrals(log_f, rates[block], _MOST_CORNERS)
        if found is not None:
            result[block] = found
            continue
        for i in range(start, min(start + _FEW_RATES, rates.size)):
            alone = log_chord_integrals(log_f, rates[i : i + 1], _MOST_CORNERS)
            result[i] = np.inf if alone is None else float(alone[0])
    return result


def log_exponential_integrals(log_f: Callable[[np.ndarray], np.ndarray], rates: np.ndarray) -> np.ndarray:
    """log ∫_0^∞ e^{rate·x} f(x) dx for each rate and one decreasing f given by its logarithm; inf where it diverges.

    All rates share one set of panels, and so the values of f. Panels are split until the integrand of every rate they
    matter to varies little on them, then until two rules agree, which also isolates kinks. Where there are more kinks than
    panels, chords stand for f: an upper bound if f is convex in e^x.
    """
    if rates.size > _MOST_RATES:
        blocks = np.array_split(rates, -(-rates.size // _MOST_RATES))
        return np.concatenate([log_exponential_integrals(log_f, block) for block in blocks])
    diverges = diverging(log_f(FIRST_EDGES), rates)
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
        can_split = divisible(left, width)
        x = left[:, None] + np.where(can_split, width, 0.0)[:, None] * nodes
        f = rates[:, None, None] * x + log_f(x)
        previous, shift = shift, np.maximum(shift, f.max(axis=(1, 2), initial=-np.inf))
        base = np.where(np.isfinite(shift), shift, 0.0)
        with np.errstate(under="ignore"):
            terms = np.exp(f - base[:, None, None])
            total *= np.exp(np.where(np.isfinite(previous), previous - base, 0.0))
        fine, coarse = (terms @ fine_weights) * width, (terms @ coarse_weights) * width
        noise = _ROUNDOFF * np.abs(rates[:, None] * x.max(axis=1)) + _AGREEMENT
        bad = can_split & (np.abs(fine - coarse) > noise * (total + fine.sum(axis=1))[:, None]).any(axis=0)
        total += fine[:, ~bad].sum(axis=1)
        if not bad.any():
            break
        if left.size > _MOST_PANELS:
            ordered = np.argsort(nodes)
            pieces = _pieces(x[bad][:, ordered], log_f(x[bad])[:, ordered])
            total += np.exp(log_pieces(rates, *pieces) - base)
            break
        width = np.repeat(width[bad] / 4, 4)
        left = np.repeat(left[bad], 4) + np.tile(np.arange(4), bad.sum()) * width
    with np.errstate(divide="ignore"):
        return shift + np.log(total)


def _pieces(x: np.ndarray, log_values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Left and right ends between neighbouring nodes of every panel, and the logs of the curve there."""
    ends = x[:, :-1], x[:, 1:], log_values[:, :-1], log_values[:, 1:]
    wide = ends[1] > ends[0]
    return tuple(one[wide] for one in ends)


def _resolve(log_f: Callable[[np.ndarray], np.ndarray], rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Panel edges on which no integrand varies by more than e^8 where it matters, and which panels matter at all."""
    x = FIRST_EDGES
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
        matters = top + np.log(width) > mass.max(axis=1, keepdims=True) - NEGLIGIBLE
        noise = _ROUNDOFF * np.abs(rates[:, None] * x[1:])
        split = (matters & (variation > _VARIATION + noise)).any(axis=0) & divisible(x[:-1], width)
        if not split.any() or x.size > _MOST_PANELS:
            return x, matters.any(axis=0)
        new = (x[:-1][split][:, None] + width[split][:, None] * np.array([0.25, 0.5, 0.75])).ravel()
        place = np.repeat(np.flatnonzero(split) + 1, 3)
        x, log_values = np.insert(x, place, new), np.insert(log_values, place, log_f(new))
