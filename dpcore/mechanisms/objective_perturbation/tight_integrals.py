r"""Positive integrals of the tight profile, in log space, with an a-priori quadrature error.

Symbols: T = u − e is the noise under the other data set, in units of σ; e the size of the shift; κ the curvature ratio;
η = 1/κ + 1/2; λ̄ = log(1+κ); ε' = ε − λ̄; x = log((1+κ)φ(T)/(γφ(u))), a concave quadratic along a ramp.
"""

from dataclasses import dataclass

import numpy as np

from dpcore.mechanisms.objective_perturbation.tight_roots import deficit, ramp_head, surplus
from dpcore.mechanisms.shifted_normal import log_shifted_normal
from dpcore.numerics import LOG_SQRT_2PI, NEGLIGIBLE, WINDOW, WINDOW_NODES, gauss_legendre, log1mexp, panel_rule

# Number of panels of the arc, and of nodes on each. The nearest singularity is at distance π, and the half-length of a
# panel is 3 at most. With either doubled, the arc takes twice as long.
_ARC_PANELS, _ARC_NODES = 4, 32
# Longest part x of the arc, in log(e/T), that is integrated. The integrand falls at least like e^-1.5x. Doubled, the
# panels of long arcs are longer.
_LONGEST_ARC = 24.0


@dataclass(frozen=True)
class Anchor:
    """A point of a ramp (arrays): shift e, noise T, exponent x and slope dx/de there."""

    e: np.ndarray
    t: np.ndarray
    x: np.ndarray
    slope: np.ndarray


def log_uncapped(anchor: Anchor, below: np.ndarray, above: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    r"""log ∫ φ(T)(1 − e^{−x}) dT for T from anchor.t − below to anchor.t + above, where x ≥ 0.

    Along the ramp e − e₀ = −κ(T − T₀)/(1+κ) and x = x₀ + slope·(e−e₀) − η(e−e₀)². The factor 1 − e^{−x} is concave
    and positive, so only T within √(T_min² + WINDOW²) of the origin matters.
    """
    low, high = anchor.t - below, anchor.t + above
    nearest = np.clip(0.0, low, high)
    reach = WINDOW**2 / (np.abs(nearest) + np.hypot(nearest, WINDOW))
    from_anchor = np.clip(-anchor.t, -below, above)
    left = np.where(nearest > 0, 0.0, np.minimum(from_anchor + below, reach))
    right = np.where(nearest < 0, 0.0, np.minimum(above - from_anchor, reach))
    span = np.maximum(left + right, 0.0)
    nodes, weights = gauss_legendre(WINDOW_NODES)
    offset = -left[:, None] + span[:, None] * nodes
    ratio = (kappa / (1 + kappa))[:, None]
    step = -ratio * (from_anchor[:, None] + offset)
    x = anchor.x[:, None] + step * (anchor.slope[:, None] - (1 / kappa + 0.5)[:, None] * step)
    density = np.exp(-offset * (nearest[:, None] + 0.5 * offset))
    total = span * (density * -np.expm1(-np.maximum(x, 0.0)) * weights).sum(axis=1)
    with np.errstate(divide="ignore"):
        return np.log(total) - 0.5 * nearest**2 - LOG_SQRT_2PI


def log_ramp(epsilon: np.ndarray, shift: np.ndarray, kappa: np.ndarray, loss: np.ndarray, start: Anchor) -> np.ndarray:
    r"""log ∫ N̂(c − e/κ, e) de for e from start.e to Δ, on the ramp of the given loss.

    Where x exceeds λ̄ the integrand is capped and its integral is a difference of Gaussian
    profiles.

    Parameters
    ----------
    epsilon, shift, kappa : ε ≥ 0, Δ and κ of the profile, broadcast
    loss : the constant loss c along the ramp
    start : where the ramp begins
    """
    eta, stretch = 1 / kappa + 0.5, 1 + 1 / kappa
    end_x, missing_x = surplus(loss, kappa), deficit(loss, kappa)
    head = ramp_head(epsilon, loss, kappa) / shift
    end = Anchor(shift, head - shift / 2, end_x, head - eta * shift)
    whole = np.maximum(shift - start.e, 0.0) * stretch
    discriminant = end.slope**2 - 4 * eta * missing_x
    capped = (end.slope < 0) & (discriminant > 0) & (start.slope > 0)
    root = np.sqrt(np.where(capped, discriminant, 0.0))
    upper = np.where(capped, 2 * missing_x / np.where(capped, root - end.slope, 1.0), 0.0)
    missing = np.maximum(epsilon - start.e * (start.slope + eta * start.e), 0.0)
    lower = np.where(capped, 2 * missing / np.where(capped, root + start.slope, 1.0), 0.0)
    zero = np.zeros_like(shift)
    top = log_uncapped(end, zero, np.where(capped, np.minimum(upper * stretch, whole), whole), kappa)
    if not capped.any():
        return top
    bottom = log_uncapped(start, np.minimum(lower * stretch, whole), zero, kappa)
    first = log_shifted_normal(epsilon, np.minimum(start.e + lower, shift - upper))
    middle = log_difference(log_shifted_normal(epsilon, shift - upper), first)
    return np.where(capped, np.logaddexp(np.logaddexp(top, bottom), middle), top)


def log_difference(larger: np.ndarray, smaller: np.ndarray) -> np.ndarray:
    """log(e^larger − e^smaller) for smaller ≤ larger."""
    with np.errstate(invalid="ignore"):
        gap = np.where(np.isneginf(smaller), -np.inf, np.minimum(smaller - larger, 0.0))
        return np.where(np.isneginf(larger), -np.inf, larger + log1mexp(gap))


def log_arc(ratio: np.ndarray, start_t: np.ndarray, excess: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    r"""log ∫ φ(T)(1+κ)e/(κu*) de along the unconstrained optimum, from e = 0 to the point with e/T = ratio.

    In τ = log(ratio_j/ρ) with ρ = e/T the integrand is explicit:
    (1+κ)/κ · φ(T) · ρ/(1+ρ) · ρT (1/(2+ρ) + ρ/(2(1+ρ)(ε'+log(1+ρ)))).
    """
    length = np.log1p(np.log1p(ratio) / excess) + np.log1p(2 * NEGLIGIBLE / start_t**2)
    length = np.minimum(length, _LONGEST_ARC)
    nodes, weights = (part.ravel() for part in panel_rule(np.arange(_ARC_PANELS + 1) / _ARC_PANELS, _ARC_NODES))
    tau = length[:, None] * nodes
    join, excess = ratio[:, None], excess[:, None]
    rho = join * np.exp(-tau)
    log_rho = np.log1p(rho)
    slope, join_slope = log_rho / rho, np.log1p(join) / join
    rise = excess * np.expm1(tau) / join * (1 + (join + rho) / 2)
    rise = rise + (slope - join_slope) * (1 + join / 2) - join_slope * join * np.expm1(-tau) / 2
    growth = np.maximum(rise, 0.0) / ((1 + rho / 2) * (1 + join / 2))
    t = np.sqrt(start_t[:, None] ** 2 + growth)
    jacobian = 1 / (2 + rho) + rho / (2 * (1 + rho) * (excess + log_rho))
    density = np.exp(-0.5 * growth) * rho / (1 + rho) * rho * t * jacobian
    total = length * (density * weights).sum(axis=1)
    with np.errstate(divide="ignore"):
        return np.log(total) + np.log1p(1 / kappa) - 0.5 * start_t**2 - LOG_SQRT_2PI
