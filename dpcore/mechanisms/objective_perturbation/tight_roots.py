r"""Where the worst map puts its ramp: one-dimensional stationarity equations whose roots are proven unique.

A ramp u(e) = c − e/κ has the exponent x(e) = ce − ηe² − ε' (η = 1/κ + 1/2, B = 1 + 1/κ, λ̄ = log(1+κ), ε' = ε − λ̄). It
is described by its loss l ∈ [0, ∞]: w = x(Δ) satisfies e^w = 1 + κ(1 − e^{−l}), so that the gain at its end is e^{−l}
times the largest. docs/mathematics/tight_profile.md proves that each equation below changes sign once on the bracket given.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import elementwise

from dpcore.numerics import CUT, LAST_DIGITS, expm1_residual


def root_between(
    function: Callable[..., np.ndarray], low: np.ndarray, high: np.ndarray, *args: np.ndarray
) -> np.ndarray:
    """Root of a function negative at `low` and positive at `high`; an end where that fails is itself the answer."""
    with np.errstate(all="ignore"):

        def clipped(x: np.ndarray, *inputs: np.ndarray) -> np.ndarray:
            return np.nan_to_num(np.clip(function(x, *inputs), -CUT, CUT), nan=-CUT)

        at_low, at_high = clipped(low, *args) >= 0, clipped(high, *args) <= 0
        solve = ~at_low & ~at_high
        result = np.where(at_low, low, high)
        if solve.any():
            inputs = tuple(arg[solve] for arg in args)
            ends, tolerances = (low[solve], high[solve]), {"xrtol": LAST_DIGITS}
            result[solve] = elementwise.find_root(clipped, ends, args=inputs, tolerances=tolerances).x
    return result


def surplus(loss: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """w = log(1 + κ(1 − e^{−l})), the exponent at the ramp's end."""
    return np.log1p(-kappa * np.expm1(-loss))


def deficit(loss: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """λ̄ − w, accurate where w is close to λ̄."""
    return -np.log1p(-np.exp(-loss) / (1 + 1 / kappa))


def ramp_head(epsilon: np.ndarray, loss: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """ε' + w = ε − (λ̄ − w), by whichever difference is between smaller numbers."""
    end_x, missing_x = surplus(loss, kappa), deficit(loss, kappa)
    return np.where(end_x > missing_x, epsilon - missing_x, epsilon - np.log1p(kappa) + end_x)


def loss_at(end_x: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """l of a ramp with w = end_x; inf at and beyond λ̄."""
    with np.errstate(divide="ignore"):
        return -np.log1p(-np.minimum(np.expm1(np.minimum(end_x, np.log1p(kappa))) / kappa, 1.0))


def log_fall(loss: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """ψ = l − w/κ, increasing in l, without cancellation.

    It is how far the log of (gain at the ramp's end)/φ(c) lies below its largest value.
    """
    return expm1_residual(-loss) + expm1_residual(surplus(loss, kappa)) / kappa


def one_sided_loss(epsilon: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    r"""l of the best single ramp for 0 ≤ ε ≤ λ̄, with m = λ̄ − ε: ψ = log(κ/(e^ε − 1)) − Bm + BΔ²/(2κ)."""
    stretch, margin = 1 + 1 / kappa, np.log1p(kappa) - epsilon
    missing = -stretch * np.expm1(-margin)
    with np.errstate(divide="ignore", over="ignore"):
        direct = np.log(kappa) - np.log(np.expm1(epsilon)) - stretch * margin
    close = expm1_residual(np.log1p(-np.minimum(missing, 0.5))) - stretch * expm1_residual(-margin)
    level = np.where(missing > 0.5, direct, np.maximum(close, 0.0)) + stretch * shift**2 / (2 * kappa)
    finite = np.isfinite(level)
    start = np.where(finite, level, 0.0)

    def equation(loss: np.ndarray, level: np.ndarray, kappa: np.ndarray) -> np.ndarray:
        return log_fall(loss, kappa) - level

    loss = root_between(equation, start, start + np.log1p(kappa) / kappa, start, kappa)
    return np.where(finite, loss, np.inf)


def two_sided_loss(margin: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""l of the two candidates for a ramp that serves both tails: the symmetric one (c = 0) and the asymmetric one.

    m = λ̄ − ε in the removal direction (m ≥ 0), λ̄ + ε in the addition direction. Moving the ramp from c to −c gains
    nothing at the first order where

    .. math:: g(c) = \frac{(1+κ)(ce + c_+Δ)}{κ(2+κ)} − ψ(l) = 0, \qquad c = c_+ + w/Δ, \quad c_+ = ηΔ − m/Δ

    with e the shift at which the mirrored tail ends. For c₊ > 0 there is one such c. For c₊ ≤ 0 the function g is concave
    beyond |c₊| and has none or two: the larger one, on the far side of the peak of g. Where a candidate does not exist
    its l is nan.
    """
    eta = 1 / kappa + 0.5
    centre = eta * shift - margin / shift
    one_peak = centre > 0
    peak, reachable = _peak_of_gain(centre, margin, shift, kappa)
    with np.errstate(all="ignore"):
        exists = one_peak | (reachable & (_lost_by_two_sides(peak, margin, shift, kappa) < 0))
    asymmetric = np.full(shift.shape, np.nan)
    if exists.any():
        top = 1 + np.log1p(kappa) / kappa + (1 + 1 / kappa) * shift**2 / (2 * kappa)
        some = tuple(value[exists] for value in (margin, shift, kappa))
        asymmetric[exists] = root_between(_lost_by_two_sides, peak[exists], (top + peak)[exists], *some)
    symmetric = np.where(one_peak, np.nan, loss_at(np.maximum(-shift * centre, 0.0), kappa))
    return symmetric, asymmetric


def _mirrored(
    loss: np.ndarray, margin: np.ndarray, shift: np.ndarray, kappa: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """c ≥ |c₊|, c₊, and the shift e at which the tail around −c ends."""
    start = (1 / kappa + 0.5) * shift - margin / shift
    c = np.maximum(start + surplus(loss, kappa) / shift, np.abs(start))
    return c, start, reflected_shift(c, margin, kappa)


def _lost_by_two_sides(loss: np.ndarray, margin: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """−g."""
    c, start, e = _mirrored(loss, margin, shift, kappa)
    return log_fall(loss, kappa) - (1 + kappa) / (kappa * (2 + kappa)) * (c * e + start * shift)


def _past_peak(loss: np.ndarray, margin: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """Δ(e^l − 1) − e³/(κ(ηe² + m)), which has the sign of −dg/dc."""
    _, _, e = _mirrored(loss, margin, shift, kappa)
    return shift * np.expm1(loss) - e**3 / (kappa * (1 / kappa + 0.5) * e * e + kappa * margin)


def _peak_of_gain(
    centre: np.ndarray, margin: np.ndarray, shift: np.ndarray, kappa: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where c₊ ≤ 0 the l of the largest g, else 0; and whether any l has c ≥ |c₊|."""
    mirror = np.where(centre > 0, 0.0, -2 * shift * centre)
    reachable = mirror < np.log1p(kappa)
    nearest = loss_at(np.where(reachable, mirror, 0.0), kappa)
    peak = np.where(centre > 0, 0.0, nearest)
    search = ~(centre > 0) & reachable
    if search.any():
        some = tuple(value[search] for value in (margin, shift, kappa))
        far = np.maximum(np.log1p(1 / (kappa * (1 / kappa + 0.5))), nearest)[search]
        peak[search] = root_between(_past_peak, nearest[search], far, *some)
    return peak, reachable


def reflected_shift(c: np.ndarray, margin: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """Shift e at which the ramp around −c stops paying: the positive root of ηe² + ce = m."""
    scale = c + np.sqrt(c * c + 4 * (1 / kappa + 0.5) * margin)
    return 2 * margin / np.maximum(scale, np.finfo(float).tiny)


def join_ratio(excess: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""For ε' > 0: ratio ρ = e/T where the arc of unconstrained optima ends, and l of the ramp after it.

    Returns (ρ, l, has_ramp). Without a ramp the arc reaches e = Δ.
    """

    def reach(log_ratio: np.ndarray, excess: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
        rho = np.exp(log_ratio)
        return rho * (excess + np.log1p(rho)) - shift**2 * (1 + rho / 2)

    def turning(log_ratio: np.ndarray, excess: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
        rho = np.exp(log_ratio)
        shrink = (1 + rho) * (1 - rho / kappa)
        rising = rho**2 * (0.5 + 2 / kappa + rho * (0.5 + 1.5 / kappa)) + expm1_residual(np.log1p(rho)) * shrink
        return rising - excess * shrink

    args = excess, shift, kappa
    log_kappa = np.log(kappa)
    low = np.minimum(np.log(shift**2 / (2 * (excess + shift))), 0.5 * np.log(excess / (1 + 2 / kappa)))
    low = np.minimum(low, log_kappa) - 3.0
    log_ratio = root_between(reach, low, log_kappa, *args)
    has_ramp = (reach(log_kappa, *args) < 0) | (turning(log_ratio, *args) > 0)
    end = np.zeros_like(shift)
    if has_ramp.any():
        some = tuple(value[has_ramp] for value in args)
        turn = root_between(turning, low[has_ramp], log_ratio[has_ramp], *some)
        log_ratio[has_ramp], end[has_ramp] = _join(turn, *some)
    return np.exp(log_ratio), end, has_ramp


def arc_point(ratio: np.ndarray, excess: np.ndarray) -> np.ndarray:
    """T where the unconstrained optimum has e/T = ratio: T² = (ε' + log(1+ratio)) / (ratio (1 + ratio/2))."""
    return np.sqrt((excess + np.log1p(ratio)) / (ratio * (1 + ratio / 2)))


def _join(turn: np.ndarray, excess: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Join on the arc before its turning point where the ramp's gain at e = Δ equals its loss at the join."""
    furthest = (excess + np.log1p(kappa)) / shift + (1 / kappa + 0.5) * shift
    low = np.minimum(np.log(np.minimum(excess / (2 * furthest**2), 1.0)), turn)

    def ramp(log_ratio: np.ndarray, excess: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> tuple[np.ndarray, ...]:
        rho = np.exp(log_ratio)
        t = arc_point(rho, excess)
        left = shift - rho * t
        drop = t - rho * t / kappa - (1 / kappa + 0.5) * left
        return rho, t, left, np.log1p(rho) + left * drop

    def balance(log_ratio: np.ndarray, excess: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
        rho, t, left, w = ramp(log_ratio, excess, shift, kappa)
        gain = left / kappa * (t * (1 + rho) - left / (2 * kappa))
        value = gain + np.log1p(-np.expm1(w) / kappa) - np.log1p(-rho / kappa)
        return np.where(w >= np.log1p(kappa), -CUT, np.where(w <= 0, CUT, value))

    log_ratio = root_between(balance, low, turn, excess, shift, kappa)
    w = ramp(log_ratio, excess, shift, kappa)[-1]
    return log_ratio, loss_at(np.maximum(w, 0.0), kappa)
