"""Integrals of e^{rate·x} against a decreasing curve given by its logarithm, for many rates at once."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from dpcore.numerics import NEGLIGIBLE, gauss_legendre, log_sum

FIRST_EDGES = np.concatenate([[0.0], 4.0 ** np.arange(-40, 61)])  # ends of the first pieces: 0, and 1e-24 to 1e36
# Number of pieces that may be bent at once. A curve with more corners, or a smooth one, is left to other rules.
# Doubled, curves with more corners go by chords.
MOST_BENT = 256
_TOLERANCE = -29.0  # log of the share of the integral that a bent piece may add: 3e-13
_NOISE = 2e-15  # relative error of one value of the curve
# Number of nodes on a short piece, and log of the factor by which the integrand may vary on such a piece.
_NODES, _SHORT = 12, 8.0
_SHARES = np.array([0.25, 0.5, 0.75])  # where a bent piece is cut, as shares of its width


def log_chord_integrals(
    log_f: Callable[[np.ndarray], np.ndarray], rates: np.ndarray, most_bent: int
) -> np.ndarray | None:
    r"""log ∫_0^∞ e^{rate·x} f(x) dx for f decreasing and convex in e^x, from above.

    None where f has too many corners or the integral diverges. A convex curve lies below its chords, so for any nodes
    x_i,

    .. math:: \int e^{rx} f(x) \, dx \le \sum_i \int_{x_i}^{x_{i+1}} e^{rx} \left[f(x_i)
              + \frac{e^x − e^{x_i}}{e^{x_{i+1}} − e^{x_i}} \left(f(x_{i+1}) − f(x_i)\right)\right] dx .

    Bent pieces are quartered until their chords add at most 3e-13 of the whole, or the pieces are as short as floats
    allow.
    """
    log_edges = log_f(FIRST_EDGES)
    if diverging(log_edges, rates).any():
        return None
    left, right, log_left, log_right = FIRST_EDGES[:-1], FIRST_EDGES[1:], log_edges[:-1], log_edges[1:]
    done: list[np.ndarray] = []
    least = np.full(rates.shape, -np.inf)
    while left.size:
        width = right - left
        highest = np.maximum(rates[:, None] * left, rates[:, None] * right) + np.log(width)
        least = np.maximum(least, (_log_constant(rates[:, None], right) + log_right).max(axis=1))
        x = left[:, None] + width[:, None] * _SHARES
        log_x = log_f(x)
        bend = _bend(x - left[:, None], width[:, None], log_left[:, None], log_x, log_right[:, None])
        heavy = highest + log_left + np.log(np.maximum(bend, _NOISE)) > least[:, None] + _TOLERANCE
        is_open = heavy.any(axis=0) & divisible(left, width) & (log_left > -np.inf)
        if np.count_nonzero(is_open) > most_bent:
            return None
        done.append(np.stack([left, right, log_left, log_right])[:, ~is_open])
        nodes = np.concatenate([left[is_open, None], x[is_open], right[is_open, None]], axis=1)
        logs = np.concatenate([log_left[is_open, None], log_x[is_open], log_right[is_open, None]], axis=1)
        left, right = nodes[:, :-1].ravel(), nodes[:, 1:].ravel()
        log_left, log_right = logs[:, :-1].ravel(), logs[:, 1:].ravel()
    return log_pieces(rates, *np.concatenate(done, axis=1))


def diverging(log_edges: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Where e^{rate·x} f(x) still grows at the last of the first edges, given log f there."""
    size = rates[:, None] * FIRST_EDGES + log_edges + np.log(np.maximum(FIRST_EDGES, FIRST_EDGES[1]))
    return size.argmax(axis=1) == FIRST_EDGES.size - 1


def divisible(left: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Whether an interval has room for at least 64 floats between its ends."""
    return width > np.maximum(64 * np.finfo(float).eps * (left + width), np.finfo(float).tiny / np.finfo(float).eps)


def _bend(
    offset: np.ndarray, width: np.ndarray, log_left: np.ndarray, log_x: np.ndarray, log_right: np.ndarray
) -> np.ndarray:
    """Largest distance of the curve from its chord at the places given, divided by the curve at the left end."""
    share = np.exp(offset - width) * np.expm1(-offset) / np.expm1(-width)
    base = np.where(np.isfinite(log_left), log_left, 0.0)
    chord = (1 - share) + share * np.exp(log_right - base)
    return np.abs(chord - np.exp(log_x - base)).max(axis=1)


def log_pieces(
    rates: np.ndarray, left: np.ndarray, right: np.ndarray, log_left: np.ndarray, log_right: np.ndarray
) -> np.ndarray:
    """log Σ ∫ e^{rate·x} times the chord of each piece, for each rate.

    Parameters
    ----------
    rates : (n_rates,)
    left, right : ends of the pieces, (n_pieces,)
    log_left, log_right : log of the curve there
    """
    result, log_width = np.empty(rates.shape), np.log(right - left)
    for i, rate in enumerate(rates):
        top = np.maximum(rate * left, rate * right) + log_width + log_left
        kept = top > top.max() - NEGLIGIBLE
        height = np.exp(log_right[kept] - log_left[kept])
        terms = _log_chord(float(rate), (right - left)[kept], height)
        result[i] = log_sum(rate * left[kept] + log_left[kept] + terms)
    return result


def _log_chord(rate: float, width: np.ndarray, height: np.ndarray) -> np.ndarray:
    r"""log ∫_0^w e^{ru} (1 − s(u) + s(u) h) du with s = (e^u − 1)/(e^w − 1). Short pieces go by nodes, others by

    .. math:: \int_0^w e^{ru} du = \frac{e^{rw} − 1}{r}, \quad \int_0^w e^{(r+1)u} du = \frac{e^{(r+1)w} − 1}{r+1} .
    """
    result = np.empty(width.shape)
    short = (abs(rate) + 1) * width <= _SHORT
    u, weight = gauss_legendre(_NODES)
    at, whole = width[short, None] * u, width[short, None]
    share = np.exp(at - whole) * np.expm1(-at) / np.expm1(-whole)
    inside = np.exp(rate * at) * (1 - share + share * height[short, None])
    result[short] = np.log(width[short] * (inside @ weight))
    w, log_scale = width[~short], max(rate, 0.0) * width[~short]
    before, after = (rate, rate + 1) if rate >= 0 else (-rate, -rate - 1)
    flat, steep = _decay(before, w), _decay(after, w) * (1.0 if rate >= 0 else np.exp(-w))
    low, high = flat - steep, np.maximum(steep - np.exp(-w) * flat, 0.0)
    result[~short] = log_scale + np.log((low + height[~short] * high) / -np.expm1(-w))
    return result


def _log_constant(rate: np.ndarray, x: np.ndarray) -> np.ndarray:
    """log ∫_0^x e^{rate·u} du."""
    turn = rate * x
    small = np.abs(turn) < 1e-9
    size = np.where(small, 1.0, np.abs(turn))
    return np.log(x) + np.where(small, 0.0, np.maximum(turn, 0.0) + np.log(-np.expm1(-size) / size))


def _decay(rate: float, width: np.ndarray) -> np.ndarray:
    """∫_0^w e^{−rate·u} du."""
    return -np.expm1(-rate * width) / rate if rate > 0 else width


_FINE, _COARSE = 15, 10  # numbers of nodes of the two rules that are compared on a panel
_VARIATION = 8.0  # log of the factor by which the integrand may vary on a panel; ten nodes then err by 1e-13
_AGREEMENT = 3e-12  # difference of the two rules on a panel, relative to the whole integral, that is accepted
_ROUNDOFF = 1e-14  # relative error of one exponent
# For a discrete loss, the number of rates integrated together and of pieces that may be bent at once. Its curve may
# have infinitely many corners, but to a few rates only a few of them matter.
_FEW_RATES, _MOST_CORNERS = 8, 2**15
_MOST_PANELS, _MOST_RATES = 4_000, 128  # numbers of panels and of rates in one pass, for the sake of memory


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
    """log ∫_0^∞ e^{rate·x} f(x) dx for f convex in e^x. Where f is straight between few corners, chords bound it.

    Parameters
    ----------
    log_f : x → log f(x), f decreasing
    rates : (n_rates,)
    discrete : whether f is known to be straight between its corners. Then only chords are used, on more pieces, and the
        answer is inf where they do not suffice
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

    All rates share one set of panels, and so the values of f. A panel is split until the integrand of every rate it
    matters to varies little on it, and then until two rules agree. This also isolates kinks. Where there are more kinks
    than panels, chords replace f, which gives an upper bound if f is convex in e^x.
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
    """Sum over panels; those on which two rules disagree are split. One point represents a panel too small to split."""
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
