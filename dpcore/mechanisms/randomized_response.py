"""k-ary randomised response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore import validation
from dpcore.mechanisms.entry import MechanismEntry, Parameter
from dpcore.mechanisms.exponential import BUDGET
from dpcore.mechanisms.pairs import Pair, on_outcomes
from dpcore.numerics import log1mexp
from dpcore.profiles import Moment, PrivacyProfile
from dpcore.references import FormulaCard


@dataclass(frozen=True, init=False, repr=False)
class RandomizedResponse(PrivacyProfile):
    r"""Reports the true category with probability e^{ε₀}/(e^{ε₀}+k−1), else another at random. Exact.

    .. math:: δ(ε) = \frac{[e^{ε₀} − e^ε]_+}{e^{ε₀} + k − 1}

    The record's presence changes the category reported.

    Parameters
    ----------
    epsilon : float > 0
        ε₀, the pure-DP budget in nats; kept as `pure_epsilon` because `epsilon` is the method ε(δ).
    categories : int ≥ 2

    References: dwork-roth-2014.
    """

    pure_epsilon: float
    categories: int

    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = FormulaCard(
        title="Randomised response",
        latex=(
            r"\delta(\varepsilon)=\frac{\left[e^{\varepsilon_0}-e^{\varepsilon}\right]_+}{e^{\varepsilon_0}+k-1}",
            r"e^{(\alpha-1)D_\alpha}=\frac{e^{\alpha\varepsilon_0}+e^{(1-\alpha)\varepsilon_0}+k-2}{e^{\varepsilon_0}+k-1}",
        ),
        symbols={r"\varepsilon_0": "pure-DP budget in nats", "k": "number of categories"},
        assumptions=("each person answers once, independently",),
        references=("dwork-roth-2014",),
        code="dpcore.mechanisms.randomized_response.RandomizedResponse",
    )

    def __init__(self, epsilon: float, categories: int = 2) -> None:
        object.__setattr__(self, "pure_epsilon", validation.moderate("epsilon", epsilon))
        object.__setattr__(self, "categories", validation.integer("categories", categories, minimum=2))

    def __repr__(self) -> str:
        return f"RandomizedResponse(epsilon={self.pure_epsilon!r}, categories={self.categories!r})"

    @property
    def log_truth(self) -> float:
        """log probability of the true category."""
        return -float(np.log1p((self.categories - 1) * np.exp(-self.pure_epsilon)))

    @property
    def two_valued(self) -> bool:
        """Whether there are two categories only."""
        return self.categories == 2

    def pair(self) -> Pair:
        weights = np.ones(self.categories)
        weights[0] = np.exp(self.pure_epsilon)
        p = weights / weights.sum()
        q = p[[1, 0, *range(2, len(p))]]
        note = "one answer, recorded as category 0 or 1"
        return on_outcomes(p, q, lambda x: (x[:, 0] == 1).astype(float), note)

    def with_noise(self, share: float) -> RandomizedResponse:
        return RandomizedResponse(self.pure_epsilon / validation.positive("share", share), self.categories)

    def log_moment(self, direction: str) -> tuple[Moment, int]:
        budget, rest = self.pure_epsilon, self.categories - 2
        return (
            lambda s: (
                self.log_truth + s * budget + np.log1p(np.exp(-(2 * s + 1) * budget) + rest * np.exp(-(s + 1) * budget))
            ),
            1,
        )

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        below = np.minimum(epsilon - self.pure_epsilon, 0.0)
        return self.log_truth + log1mexp(below)

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        with np.errstate(divide="ignore", over="ignore"):
            steep = -np.expm1(self.pure_epsilon + np.log(alpha))
        middle = -np.expm1(self._log_delta(np.array(0.0), direction)) - alpha
        return np.maximum(np.maximum(steep, middle), np.exp(-self.pure_epsilon) * (1 - alpha))

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        order, budget = alpha - 1.0, self.pure_epsilon
        # e^{(α−1)D} − 1 = q (e^{(α−1)ε₀} − 1) e^{ε₀} (1 − e^{−αε₀}): a product of positive factors
        constant = self.log_truth + np.log(-np.expm1(-alpha * budget))
        exponent = order * budget
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            log_growth = np.where(
                exponent < 1, np.log(np.expm1(np.minimum(exponent, 1.0))), exponent + log1mexp(-exponent)
            )
            log_excess = constant + log_growth
            value = np.where(
                log_excess < 0, np.log1p(np.exp(np.minimum(log_excess, 0.0))), np.logaddexp(0.0, log_excess)
            )
            return np.where(order == 0, budget * np.exp(constant), value / order)


ENTRY = MechanismEntry(
    "randomized_response",
    "Randomised response",
    RandomizedResponse,
    (BUDGET, Parameter("categories", "k", "Number of categories k", 2, 2, 20, "integer")),
    RandomizedResponse.card,
)
