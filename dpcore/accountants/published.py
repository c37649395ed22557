"""Composition of objective perturbation as published: by the loss variable of the source's proof."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.accountants.methods import compose
from dpcore.mechanisms.objective_perturbation.hockey_stick import log_bound
from dpcore.profiles import Bound, PrivacyProfile


@dataclass(frozen=True)
class LossVariable(PrivacyProfile):
    r"""The law of :math:`ℓ + \tfrac{Δ²}{2} + |N(0, Δ²)|`: its own pair, which has infinite losses in the other direction."""

    shift: float
    log_jump: float

    bound: ClassVar[Bound] = Bound.UPPER

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        if direction == "add":
            return np.full(epsilon.shape, np.log1p(-2 * np.exp(-self.log_jump) * special.ndtr(-self.shift)))
        return log_bound(epsilon, np.asarray(self.shift), np.asarray(self.log_jump))


def published_epsilon(shift: float, log_jump: float, times: int, delta: float) -> float:
    r"""ε at δ of k objective perturbations by the loss variable of the source's proof (D.11). Upper bound.

    .. math:: δ(ε) = E\left[\left(1 − e^{ε − S}\right)_+\right], \quad S = \sum_{i=1}^k \left(ℓ + \tfrac{Δ²}{2} + |N(0, Δ²)|\right)

    Parameters
    ----------
    shift : Δ = L/σ > 0
    log_jump : ℓ ≥ 0, |log(1 − β/λ)| as published
    times : k ≥ 1
    delta : in (0, 1)

    References: redberg-koskela-wang-2023 (Eq. D.11, Lemma D.7).
    """
    shift, log_jump = validation.positive("shift", shift), validation.non_negative("log_jump", log_jump)
    times = validation.at_least_one("times", times)
    delta = validation.open_probability("delta", delta)
    bracket = compose([(LossVariable(shift, log_jump), times)])
    return float(bracket.upper.epsilon(delta, direction="remove"))
