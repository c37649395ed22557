r"""The tight privacy profile of objective perturbation, vectorised over ε, Δ and κ.

Derivation and proof: docs/mathematics/tight_profile.md.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.mechanisms.objective_perturbation.tight_integrals import Anchor, log_arc, log_ramp, log_uncapped
from dpcore.mechanisms.objective_perturbation.tight_roots import (
    arc_point,
    deficit,
    join_ratio,
    one_sided_loss,
    ramp_head,
    reflected_shift,
    two_sided_loss,
)
from dpcore.mechanisms.shifted_normal import log_shifted_normal
from dpcore.numerics import LOG_SQRT_2PI, log_mills_difference, mills
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import FormulaCard, formula_card

# Share of δ that is added to it. The errors of quadrature (< 1e-13), root (second order) and rounding are smaller.
# Doubled, δ is larger by as much again.
RELATIVE_MARGIN = 1e-11
SMALLEST_CURVATURE = 1e-12  # a smaller κ counts as this, which can only raise δ
# Margin for rounding on log δ, per unit of |log δ| and of its sensitivity to the rounding of log(1+κ).
_ROUNDING = 8 * np.finfo(float).eps


@dataclass(frozen=True)
class TightProfile(PrivacyProfile):
    r"""The exact worst case of objective perturbation over every generalised linear model with given Δ and κ.

    With the noise u = bᵀx/(σ‖x‖), one record acts as an increasing map T(u) = u + s(u), 0 ≤ s' ≤ κ, |s| ≤ Δ, and every
    such map occurs. For losses whose derivative keeps its sign,

    .. math:: δ_\text{add}(ε) = δ_\text{Gauss}(ε; Δ), \quad
              δ_\text{remove}(ε) = \sup_{u(e) + e/κ \text{ falling}} ∫_0^Δ \hat N(u(e), e) \, de

    where N̂ = κ⁻¹[(1+κ)φ(u−e) − e^ε φ(u)]_+ up to u = ε/e + e/2 and φ(ε/e − e/2) beyond. To our knowledge new; the
    proof is in docs/mathematics/tight_profile.md.

    Parameters
    ----------
    shift : float > 0, Δ = L/σ.
    curvature : float ≥ 0, κ = β/λ.
    monotone : bool, whether f' keeps one sign for each record.

    References: redberg-koskela-wang-2023.
    """

    shift: float
    curvature: float
    monotone: bool = True

    bound: ClassVar[Bound] = Bound.EXACT
    symmetric: ClassVar[bool] = False
    evaluation_error: ClassVar[float] = 2 * RELATIVE_MARGIN
    card: ClassVar[FormulaCard] = formula_card(__file__, "tight_profile")

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return log_tight(epsilon, self.shift, self.curvature, direction, self.monotone)


def log_tight(
    epsilon: np.ndarray, shift: np.ndarray | float, curvature: np.ndarray | float, direction: str, monotone: bool
) -> np.ndarray:
    r"""log of the worst δ(ε) over every loss of the class, never below it; broadcast over the three arrays.

    Parameters
    ----------
    epsilon : array ≥ 0, nats.
    shift : array > 0, Δ = L/σ.
    curvature : array ≥ 0, κ = β/λ.
    direction : "add" for M(Z) against M(Z ∪ z), "remove" for the reverse.
    monotone : whether the loss's derivative keeps one sign for each record.
    """
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in (epsilon, shift, curvature)))
    shape = arrays[0].shape
    epsilon, shift, curvature = (array.ravel() for array in arrays)
    result = log_shifted_normal(epsilon, shift)
    if direction == "add" and monotone:
        return result.reshape(shape)
    live = np.isfinite(epsilon) & (curvature > 0) & np.isfinite(result)
    if live.any():
        args = epsilon[live], shift[live], np.maximum(curvature[live], SMALLEST_CURVATURE)
        value = _add_general(*args) if direction == "add" else _remove(*args, monotone)
        result[live] = np.minimum(np.maximum(value + _margin(value, *args), result[live]), 0.0)
    return result.reshape(shape)


def _margin(value: np.ndarray, epsilon: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    log_jump = np.log1p(kappa)
    slope = log_jump * np.maximum(epsilon - log_jump, 0.0) / shift**2
    return RELATIVE_MARGIN + _ROUNDING * (np.abs(value) + slope)


def _add_general(epsilon: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """Two tails of one ramp, in closed form; the better of the symmetric and the asymmetric ramp."""
    symmetric, asymmetric = two_sided_loss(np.log1p(kappa) + epsilon, shift, kappa)
    best = np.full(epsilon.shape, -np.inf)
    here = ~np.isnan(symmetric)
    if here.any():
        best[here] = np.log(2) + _log_end_tail(symmetric[here], epsilon[here], shift[here], kappa[here])
    here = ~np.isnan(asymmetric)
    if here.any():
        loss, eps, width, curve = asymmetric[here], epsilon[here], shift[here], kappa[here]
        c = (1 / curve + 0.5) * width + ramp_head(-eps, loss, curve) / width
        e = reflected_shift(c, np.log1p(curve) + eps, curve)
        mirrored = _log_tail(c + e / curve, e, -np.log1p(curve))
        best[here] = np.maximum(best[here], np.logaddexp(_log_end_tail(loss, eps, width, curve), mirrored))
    return best


def _log_end_tail(loss: np.ndarray, epsilon: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """The tail that starts where the ramp reaches its full shift Δ."""
    return _log_tail(-ramp_head(-epsilon, loss, kappa) / shift - shift / 2, shift, -deficit(loss, kappa))


def _log_tail(start: np.ndarray, width: np.ndarray, log_ratio: np.ndarray) -> np.ndarray:
    """log(Φ(−a) − γΦ(−a−w)) with γφ(a+w) = e^{log_ratio} φ(a), log_ratio ≤ 0 and a > −w/2."""
    with np.errstate(over="ignore", divide="ignore"):
        scale = -0.5 * start**2 - LOG_SQRT_2PI
        far = mills(np.maximum(start + width, 0.0))
        rest = np.log(-np.expm1(log_ratio)) + np.log(far)
        tail = scale + np.logaddexp(log_mills_difference(np.maximum(start, -1.0), width), rest)
        missed = np.exp(scale) * (mills(np.maximum(-start, 0.0)) + np.exp(log_ratio) * far)
        return np.where((start < 0) & (width > 1), np.log1p(-np.minimum(missed, 1.0)), tail)


def _remove(epsilon: np.ndarray, shift: np.ndarray, kappa: np.ndarray, monotone: bool) -> np.ndarray:
    excess = epsilon - np.log1p(kappa)
    result = np.empty(epsilon.shape)
    ramp = excess <= 0
    if ramp.any():
        solve = _one_ramp if monotone else _two_sided_ramp
        result[ramp] = solve(epsilon[ramp], shift[ramp], kappa[ramp])
    if not ramp.all():
        arc = ~ramp
        result[arc] = _arc_and_ramp(epsilon[arc], excess[arc], shift[arc], kappa[arc])
    return result


def _one_ramp(epsilon: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    return _log_ramp_from_zero(epsilon, shift, kappa, one_sided_loss(epsilon, shift, kappa))


def _log_ramp_from_zero(epsilon: np.ndarray, shift: np.ndarray, kappa: np.ndarray, loss: np.ndarray) -> np.ndarray:
    c = ramp_head(epsilon, loss, kappa) / shift + (1 / kappa + 0.5) * shift
    return log_ramp(epsilon, shift, kappa, loss, Anchor(np.zeros_like(c), c, np.log1p(kappa) - epsilon, c))


def _two_sided_ramp(epsilon: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    margin = np.log1p(kappa) - epsilon
    symmetric, asymmetric = two_sided_loss(margin, shift, kappa)
    best = np.full(epsilon.shape, -np.inf)
    here = ~np.isnan(symmetric)
    if here.any():
        best[here] = np.log(2) + _log_ramp_from_zero(epsilon[here], shift[here], kappa[here], symmetric[here])
    here = ~np.isnan(asymmetric)
    if here.any():
        loss, eps, m, width, curve = (value[here] for value in (asymmetric, epsilon, margin, shift, kappa))
        c = ramp_head(eps, loss, curve) / width + (1 / curve + 0.5) * width
        reach = reflected_shift(c, m, curve) * (1 + 1 / curve)
        zero = np.zeros_like(c)
        mirrored = log_uncapped(Anchor(zero, -c, m, -c), reach, zero, curve)
        both = np.logaddexp(_log_ramp_from_zero(eps, width, curve, loss), mirrored)
        best[here] = np.maximum(best[here], both)
    return best


def _arc_and_ramp(epsilon: np.ndarray, excess: np.ndarray, shift: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    ratio, loss, has_ramp = join_ratio(excess, shift, kappa)
    t = arc_point(ratio, excess)
    residual = shift * (t + shift / 2) - np.log1p(shift / t) - excess
    t = np.where(has_ramp, t, t - residual / (shift * (1 + 1 / (t * (t + shift)))))
    ratio = np.where(has_ramp, ratio, shift / t)
    result = log_arc(ratio, t, excess, kappa)
    if has_ramp.any():
        e = ratio * t
        start = Anchor(*(value[has_ramp] for value in (e, t, np.log1p(ratio), t - e / kappa)))
        ramp = log_ramp(epsilon[has_ramp], shift[has_ramp], kappa[has_ramp], loss[has_ramp], start)
        result[has_ramp] = np.logaddexp(result[has_ramp], ramp)
    return result
