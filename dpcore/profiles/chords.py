"""Moments of a curve that is straight in e^ε between a few corners, as of a discrete loss: from above, by its chords."""

from collections.abc import Callable

import numpy as np

from dpcore.numerics import NEGLIGIBLE, gauss_legendre, log_sum

FIRST_EDGES = np.concatenate([[0.0], 4.0 ** np.arange(-40, 61)])  # 1e-24 to 1e36
MOST_BENT = 256  # pieces that may bend at once: a curve with more corners, or a smooth one, is left to other rules
_TOLERANCE = -29.0  # log of the share of an integral that pieces still bent may add: 3e-13
_NOISE = 2e-15  # relative, of one value of the curve
_NODES, _SHORT = 12, 8.0  # nodes that integrate a piece on which the integrand varies by e^8 at most
_SHARES = np.array([0.25, 0.5, 0.75])


def log_chord_integrals(
    log_f: Callable[[np.ndarray], np.ndarray], rates: np.ndarray, most_bent: int
) -> np.ndarray | None:
    r"""log ∫_0^∞ e^{rate·x} f(x) dx for f decreasing and convex in e^x, from above; None where f has too many corners or no end.

    A convex curve lies below its chords, so with nodes x_i, wherever they are,

    .. math:: \int e^{rx} f(x) \, dx \le \sum_i \int_{x_i}^{x_{i+1}} e^{rx} \left[f(x_i)
              + \frac{e^x − e^{x_i}}{e^{x_{i+1}} − e^{x_i}} \left(f(x_{i+1}) − f(x_i)\right)\right] dx .

    Pieces that bend are quartered until their chords add no more than 3e-13 of the whole, or are as short as floats allow.
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
    """Whether an interval has room for floats between its ends, 64 at least."""
    return width > np.maximum(64 * np.finfo(float).eps * (left + width), np.finfo(float).tiny / np.finfo(float).eps)


def _bend(
    offset: np.ndarray, width: np.ndarray, log_left: np.ndarray, log_x: np.ndarray, log_right: np.ndarray
) -> np.ndarray:
    """How far the curve leaves its chord, at most, over its value at the left end."""
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
    r"""log ∫_0^w e^{ru} (1 − s(u) + s(u) h) du with s = (e^u − 1)/(e^w − 1): by nodes where short, else with, for c = |r|,

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
