"""The hockey-stick bound of Redberg, Koskela and Wang, and the half-normal loss it rests on."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dpcore.mechanisms.shifted_normal import log_shifted_normal
from dpcore.numerics import log1mexp
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import FormulaCard, formula_card


def log_twice_upper_tail(x: np.ndarray) -> np.ndarray:
    """log(2Φ(−x)) for x ≥ 0, accurate at both ends."""
    small = np.minimum(x, 1.0)
    return np.where(x < 1, np.log1p(-special.erf(small / np.sqrt(2))), np.log(2) + special.log_ndtr(-x))


def half_normal_renyi(alpha: np.ndarray, shift: np.ndarray | float) -> np.ndarray:
    r"""Δ²/2 + log E[e^{(α−1)|X|}]/(α−1) with X ~ N(0, Δ²); at α = 1 the limit Δ²/2 + Δ√(2/π)."""
    order = np.asarray(alpha, dtype=float) - 1.0
    safe = np.where(order > 0, order, 1.0)
    mean = np.where(order > 0, np.log1p(special.erf(order * shift / np.sqrt(2))) / safe, shift * np.sqrt(2 / np.pi))
    return 0.5 * alpha * shift**2 + mean


def log_bound(epsilon: np.ndarray, shift: np.ndarray, log_jump: np.ndarray) -> np.ndarray:
    """log δ of Theorem 3.1 for real ε, broadcast over ε, Δ > 0 and ℓ.

    References: redberg-koskela-wang-2023 (Theorem 3.1, corrected).
    """
    reduced = epsilon - log_jump
    far = reduced >= shift**2 / 2
    tail = np.log(2) + log_shifted_normal(np.where(far, reduced, np.inf), shift)
    small = shift < 1
    near = np.minimum(reduced, shift**2 / 2) + log_twice_upper_tail(np.where(small, shift, 0.5))
    excess = np.minimum(reduced - shift**2 / 2, 0.0) + np.log(special.erfcx(np.where(small, 1.0, shift) / np.sqrt(2)))
    return np.where(far, tail, log1mexp(np.minimum(np.where(small, near, excess), 0.0)))


@dataclass(frozen=True)
class HockeyStickBound(PrivacyProfile):
    r"""Theorem 3.1: the privacy loss is at most ω = ℓ + Δ²/2 + |N(0, Δ²)|.

    .. math:: δ(ε) = 2 H_{e^{ε−ℓ}}(N(Δ, 1)‖N(0, 1)) \text{ for } ε ≥ ℓ + Δ²/2, \quad
              1 − 2 e^{ε−ℓ} Φ(−Δ) \text{ below}

    with ℓ = −log(1−β/λ) as published, or log(1+β/λ). The Rényi curve is that of ω, Theorem 3.2.

    Parameters
    ----------
    shift : float > 0, Δ = L/σ.
    log_jump : float ≥ 0, ℓ.

    References: redberg-koskela-wang-2023 (Theorems 3.1, 3.2, Remark 3.3, Lemma D.3).
    """

    shift: float
    log_jump: float

    bound: ClassVar[Bound] = Bound.UPPER
    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = formula_card(__file__, "hockey_stick_bound")

    @property
    def dominating(self) -> PrivacyProfile:
        """The curve of its dominating pair."""
        return HalfNormalPair(self.shift, self.log_jump)

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return log_bound(epsilon, np.asarray(self.shift), np.asarray(self.log_jump))

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return self.log_jump + half_normal_renyi(alpha, self.shift)


@dataclass(frozen=True)
class HalfNormalPair(HockeyStickBound):
    r"""The dominating pair of lemmas D.4 to D.7, whose privacy loss is ω. It is used for composition.

    .. math:: H_{e^ε} = E\left[(1 − e^{ε−ω})_+\right] \text{ for every real } ε

    For ε ≥ 0 the curve is the same. For ε < 0 it is its own continuation, convex in e^ε, and not the reflection.

    References: redberg-koskela-wang-2023 (Lemmas D.4, D.6, D.7, Remark D.5).
    """

    def _extended(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return self._log_delta(epsilon, direction)


@dataclass(frozen=True)
class HalfNormalCurve(HockeyStickBound):
    r"""The limit λ → ∞ of Theorem 3.2, drawn in the source's Figure 3. No guarantee for any finite λ.

    .. math:: D_α = \frac{αΔ²}{2} + \frac{\log 2Φ((α−1)Δ)}{α−1}

    The mechanism the source describes, f(Z) + |N(0, σ²)|, has infinite divergence in one direction; this curve is what
    the figure shows.

    References: redberg-koskela-wang-2023 (Figure 3).
    """

    log_jump: float = 0.0

    bound: ClassVar[Bound] = Bound.CLAIMED
    card: ClassVar[FormulaCard] = formula_card(__file__, "half_normal_curve")
