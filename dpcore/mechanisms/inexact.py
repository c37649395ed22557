"""A mechanism whose output is drawn only approximately."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize_scalar

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.numerics import LARGEST_EXPONENT
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile
from dpcore.references import FormulaCard, formula_card


@dataclass(frozen=True)
class InexactDraw(PrivacyProfile):
    r"""The output of a mechanism, drawn by a sampler at total variation at most TV from its law, on every data set.

    .. math:: δ(ε) ≤ \min_{0 ≤ ε' ≤ ε} δ_\text{base}(ε') + (1 + e^{ε'}) \mathrm{TV}

    Parameters
    ----------
    base : PrivacyProfile of the exact mechanism
    total_variation : float in [0, 1]

    References: lecture-12.
    """

    base: PrivacyProfile
    total_variation: float

    bound: ClassVar[Bound] = Bound.UPPER
    card: ClassVar[FormulaCard] = formula_card(__file__, "inexact_draw")

    def __post_init__(self) -> None:
        if not isinstance(self.base, PrivacyProfile):
            raise ParameterError(f"base must be a PrivacyProfile, got {self.base!r}")
        validation.set_checked(self, total_variation=validation.probability)

    @cached_property
    def _turns(self) -> dict[str, float]:
        return {direction: self._turn(direction) for direction in DIRECTIONS}

    def _turn(self, direction: str) -> float:
        """The ε' of least δ_base(ε') + (1 + e^{ε'})·TV: beyond it the surcharge grows faster than δ_base falls.

        Both terms are convex in e^ε'. The bound holds at any ε', so an inexact minimum is safe.
        """
        if self.total_variation == 0:
            return math.inf
        ends = (0.0, LARGEST_EXPONENT)
        return float(
            minimize_scalar(lambda at: float(self._at(np.array(at), direction)), bounds=ends, method="bounded").x
        )

    def _at(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        base = np.asarray(self.base.log_delta(epsilon, direction=direction))
        if self.total_variation == 0:
            return base
        return np.logaddexp(base, np.logaddexp(0.0, epsilon) + math.log(self.total_variation))

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return np.minimum(self._at(np.minimum(epsilon, self._turns[direction]), direction), 0.0)
