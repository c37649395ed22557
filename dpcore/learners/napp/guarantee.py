"""What is proven about noise-augmented training, and what the source claims, as privacy profiles."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.numerics import log1mexp
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import FormulaCard, formula_card


@dataclass(frozen=True)
class SphericalObjectivePerturbation(PrivacyProfile):
    r"""argmin Σf + G(θ) + Λ₀‖θ‖² + bᵀθ with density of b ∝ exp(−c‖b‖), G convex and free of the data, solved exactly.

    The noise changes by at most L, the Jacobian by the factor 1 + β/(2Λ₀) and only upwards when a record joins:

    .. math:: \frac{p_Z}{p_{Z'}} ≤ e^{ε_1}, \quad \frac{p_{Z'}}{p_Z} ≤ e^{ε_2}, \qquad
              ε_1 = cL, \quad ε_2 = cL + \log\Big(1 + \frac{β}{2Λ_0}\Big)

    and δ(ε) is the largest of any pair with these two ratios: (1 − e^{−ε_2})(e^{ε_1} − e^ε)/(e^{ε_1} − e^{−ε_2}) when the
    record is added, the same with ε₁ and ε₂ exchanged when it is removed.

    Parameters
    ----------
    rate : c > 0
    floor : Λ₀ > 0, sum form
    lipschitz : L > 0, bound on the gradient of one record
    smoothness : β ≥ 0, bound on the curvature of one record (rank one, as in a GLM)

    References: li-liu-napp (Theorem 4), kifer-smith-thakurta-2012.
    """

    rate: float
    floor: float
    lipschitz: float
    smoothness: float

    bound: ClassVar[Bound] = Bound.UPPER
    card: ClassVar[FormulaCard] = formula_card(__file__, "spherical_objective_perturbation")

    def __post_init__(self) -> None:
        validation.set_checked(self, **dict.fromkeys(("rate", "floor", "lipschitz"), validation.moderate))
        validation.set_checked(self, smoothness=validation.non_negative)
        if not np.isfinite(self.budgets).all():
            raise ParameterError("rate*lipschitz and smoothness/floor must be ordinary numbers: they are too large")

    @cached_property
    def budgets(self) -> np.ndarray:
        """(ε₁, ε₂): sup of the log ratio when the record is added, when it is removed."""
        base = self.rate * self.lipschitz
        return np.array([base, base + np.log1p(self.smoothness / (2.0 * self.floor))])

    @property
    def pure_epsilon(self) -> float:
        """The pure-DP ε, nats."""
        return float(self.budgets[1])

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        own, other = self.budgets if direction == "add" else self.budgets[::-1]
        return _two_point(epsilon, own, other)


@dataclass(frozen=True)
class Claimed(PrivacyProfile):
    r"""A source's claim of (ε, δ)-DP that an audit refutes, as the curve it would imply.

    .. math:: δ(t) = δ + (1−δ)\frac{[e^ε − e^t]_+}{1 + e^ε}

    Parameters
    ----------
    budget : the claimed ε > 0, nats
    failure : the claimed δ in [0, 1)

    References: li-liu-napp (Theorem 4, refuted), kairouz-oh-viswanath-2017.
    """

    budget: float
    failure: float = 0.0

    bound: ClassVar[Bound] = Bound.CLAIMED
    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = formula_card(__file__, "claimed")

    def __post_init__(self) -> None:
        validation.set_checked(self, budget=validation.moderate)
        object.__setattr__(self, "failure", validation.probability("failure", self.failure, allow_one=False))

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        with np.errstate(divide="ignore"):
            failure = np.log(self.failure)
        return np.logaddexp(failure, np.log1p(-self.failure) + _two_point(epsilon, self.budget, self.budget))


def _two_point(epsilon: np.ndarray, own: float, other: float) -> np.ndarray:
    """log of the largest H_{e^ε}(P‖Q) among pairs with −other ≤ log(P/Q) ≤ own."""
    gap = np.minimum(epsilon - own, 0.0)
    return log1mexp(gap) + float(log1mexp(np.array(-other))) - float(log1mexp(np.array(-other - own)))
