"""Target regularisers, the weights of the quadratic that stands in for them, and what those weights realise."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError

REGULARIZERS = {"ridge": "ridge", "lasso": "lasso", "elastic_net": "elastic net", "bridge": "bridge"}
FORMS = {"moor": "max (MOOR)", "sum": "sum (existing DP-ERM)"}
SMALLEST = 1e-150  # a coefficient below counts as 0: its weight would overflow, and its square vanish


@dataclass(frozen=True)
class Regularizer:
    r"""A target regulariser, separable over the coefficients.

    .. math:: ΛR(θ) = \sum_j Λθ_j², \quad Λ|θ_j|, \quad Λ|θ_j| + Λκθ_j², \quad Λ|θ_j|^{2−γ}

    for ridge, lasso, elastic net and bridge.

    Parameters
    ----------
    kind : "ridge", "lasso", "elastic_net" or "bridge"
    strength : Λ ≥ 0, sum form
    kappa : κ in (0, 1), share of the square in the elastic net
    gamma : γ in [0, 2), of the bridge; convex up to 1

    Raises
    ------
    ParameterError

    References: li-liu-napp (Table 2).
    """

    kind: str = "lasso"
    strength: float = 1.0
    kappa: float = 0.5
    gamma: float = 1.5

    def __post_init__(self) -> None:
        validation.choice("kind", self.kind, REGULARIZERS)
        validation.set_checked(self, strength=validation.non_negative)
        for name, top in (("kappa", 1.0), ("gamma", 2.0)):
            value = validation.non_negative(name, getattr(self, name))
            if value >= top or (name == "kappa" and value == 0):
                raise ParameterError(f"{name} must be in {'(' if name == 'kappa' else '['}0, {top:g}), got {value:g}")
            object.__setattr__(self, name, value)

    @property
    def power(self) -> float:
        """γ of the weight |θ|^{−γ}: 0 for ridge, 1 for lasso and elastic net."""
        return {"ridge": 0.0, "bridge": self.gamma}.get(self.kind, 1.0)

    @property
    def square(self) -> float:
        """Weight of θ² that needs no iteration: Λκ of the elastic net, else 0."""
        return self.strength * self.kappa if self.kind == "elastic_net" else 0.0

    def value(self, theta: Any) -> np.ndarray:
        """ΛR of each coefficient, same shape as theta."""
        size = np.abs(theta)
        return self.strength * size ** (2.0 - self.power) + self.square * size**2


@dataclass(frozen=True)
class Weighting:
    r"""Weights m of Σ m_j θ_j², renewed from the last iterate (Table 2; the sums of Claim 2).

    .. math:: m_j = \max\{s|θ_j|^{−γ} + Λκ, Λ_0\} \quad\text{or}\quad s|θ_j|^{−γ} + Λκ + Λ_0,
              \qquad s = Λ \text{ as printed}, \quad s = Λ(2−γ)/2 \text{ corrected}

    The printed s finds the minimiser at 2Λ/(2−γ), the doubled penalty for the lasso. Ridge takes the maximum in both
    forms, as the source does.

    Parameters
    ----------
    regularizer : Regularizer
    floor : Λ₀ ≥ 0, sum form; strong convexity 2Λ₀
    form : "moor" (max) or "sum"
    printed : whether to use the printed s

    Raises
    ------
    ParameterError

    References: li-liu-napp (Table 2, Claim 2).
    """

    regularizer: Regularizer
    floor: float
    form: str = "sum"
    printed: bool = False

    def __post_init__(self) -> None:
        validation.set_checked(self, floor=validation.non_negative)
        validation.choice("form", self.form, FORMS)

    @property
    def fixed(self) -> bool:
        """Whether the weights never depend on an iterate."""
        return self.regularizer.power == 0.0

    @property
    def scale(self) -> float:
        """s of the weight s|θ|^{−γ}; 0 for a ridge, whose weight is `square`."""
        strength, power = self.regularizer.strength, self.regularizer.power
        if self.fixed:
            return 0.0
        return strength if self.printed else strength * (2.0 - power) / 2.0

    @property
    def square(self) -> float:
        """The part of the weight that no iterate changes: Λκ, plus Λ₀ in the sum form; for a ridge max(Λ, Λ₀)."""
        if self.fixed:
            return max(self.regularizer.strength, self.floor)
        return self.regularizer.square + (self.floor if self.form == "sum" else 0.0)

    @property
    def least(self) -> float:
        """What the weight is never below: Λ₀ where the maximum is taken, else 0."""
        return 0.0 if self.fixed or self.form == "sum" else self.floor

    @property
    def slope(self) -> float:
        """2s, for γ = 1 the derivative of the realised regulariser at 0+: what a coefficient must overcome."""
        return 2.0 * self.scale

    def first(self, size: int) -> np.ndarray:
        """m at t = 1, shape (size,): free of any iterate."""
        return np.full(size, max(self.square, self.least))

    def after(self, theta: np.ndarray) -> np.ndarray:
        """m at t ≥ 2 from the last iterate, same shape."""
        size = np.maximum(np.abs(theta), SMALLEST)
        return np.maximum(self.scale * size**-self.regularizer.power + self.square, self.least)

    @property
    def crossover(self) -> float:
        """|θ| beyond which Λ₀ outweighs the target in the maximum; inf where it never does, and for a ridge."""
        rest = self.least - self.square
        return float((self.scale / rest) ** (1.0 / self.regularizer.power)) if rest > 0 else np.inf

    def realised(self, theta: Any) -> np.ndarray:
        r"""The regulariser whose minimisers are the fixed points, ∫₀^θ 2m(t)t dt, of each coefficient."""
        size, power = np.abs(theta), self.regularizer.power
        inner = np.minimum(size, self.crossover)
        below = 2.0 * self.scale / (2.0 - power) * inner ** (2.0 - power) + self.square * inner**2
        return below + self.least * (size**2 - inner**2)

    def pull(self, size: np.ndarray) -> np.ndarray:
        """Slope of the realised regulariser at |θ|, at 0 from above; for ridge, lasso and elastic net only."""
        return np.maximum(self.slope + 2.0 * self.square * size, 2.0 * self.least * size)

    def curvature(self, theta: Any) -> np.ndarray:
        """Second derivative of the realised regulariser at θ ≠ 0; it enters the Jacobian of a change of variables."""
        size, power = np.maximum(np.abs(theta), SMALLEST), self.regularizer.power
        below = 2.0 * self.scale * (1.0 - power) * size**-power + 2.0 * self.square
        return np.where(size <= self.crossover, below, 2.0 * self.least)

    def modulus(self, theta: Any) -> np.ndarray:
        """2m(θ), the strong convexity of one step with its weights held fixed: what the source's proof uses."""
        return 2.0 * self.after(np.asarray(theta, dtype=float))
