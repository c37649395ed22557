"""Two-sided answers: a lower and an upper curve around one privacy profile, with a best guess between them."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpcore.errors import ParameterError
from dpcore.profiles.profile import Bound, PrivacyProfile


@dataclass(frozen=True)
class Bracket:
    """lower ≤ curve ≤ upper at every ε, in each direction of add/remove adjacency.

    Parameters
    ----------
    lower, upper : PrivacyProfile
        Proven sides of the curve, with every numerical error on the side stated.
    estimate : PrivacyProfile
        Best guess, between the two, without a proof.
    curve : Bound
        What the bracketed curve itself says about the mechanism: `Bound.EXACT` where every part is exact,
        `Bound.UPPER` where some parts are themselves upper bounds.
    method : str
        Name of the accounting method.
    """

    lower: PrivacyProfile
    upper: PrivacyProfile
    estimate: PrivacyProfile
    curve: Bound = Bound.EXACT
    method: str = ""

    def log_delta(self, epsilon: Any, direction: str = "both") -> tuple[Any, Any]:
        """(lower, upper) of log δ(ε)."""
        return self.lower.log_delta(epsilon, direction=direction), self.upper.log_delta(epsilon, direction=direction)

    def delta(self, epsilon: Any, direction: str = "both") -> tuple[Any, Any]:
        """(lower, upper) of δ(ε)."""
        return self.lower.delta(epsilon, direction=direction), self.upper.delta(epsilon, direction=direction)

    def epsilon(self, delta: Any = None, direction: str = "both", *, log_delta: Any = None) -> tuple[Any, Any]:
        """(lower, upper) of ε(δ); the upper value meets the target, no ε below the lower one does."""
        low = self.lower.epsilon(delta, direction=direction, log_delta=log_delta)
        return low, self.upper.epsilon(delta, direction=direction, log_delta=log_delta)

    def width(self, epsilon: Any = None, direction: str = "both", *, delta: Any = None) -> Any:
        """Relative width 1 − δ_lower/δ_upper at ε, or at the upper ε of a target δ; 0 where both are 0.

        Raises
        ------
        ParameterError
            Unless exactly one of epsilon and delta is given.
        """
        if (epsilon is None) == (delta is None):
            raise ParameterError("give exactly one of epsilon and delta")
        if epsilon is None:
            epsilon = self.upper.epsilon(delta, direction=direction)
        low, high = self.log_delta(epsilon, direction=direction)
        with np.errstate(invalid="ignore"):
            return np.where(np.isneginf(high), 0.0, -np.expm1(np.minimum(low - high, 0.0)))[()]


@dataclass(frozen=True)
class Midpoint(PrivacyProfile):
    """The mean of two curves, (δ_lower + δ_upper)/2."""

    lower: PrivacyProfile
    upper: PrivacyProfile

    bound: ClassVar[Bound] = Bound.ESTIMATE

    @property
    def symmetric(self) -> bool:
        return self.lower.symmetric and self.upper.symmetric

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        low, high = (np.asarray(side.log_delta(epsilon, direction=direction)) for side in (self.lower, self.upper))
        return np.logaddexp(low, high) - np.log(2)
