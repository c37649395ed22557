"""k-ary randomised response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore import validation
from dpcore.mechanisms.entry import entry
from dpcore.mechanisms.pairs import Pair, on_outcomes
from dpcore.mechanisms.three_losses import ThreeLosses
from dpcore.references import FormulaCard, formula_card


@dataclass(frozen=True, init=False, repr=False)
class RandomizedResponse(ThreeLosses):
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

    card: ClassVar[FormulaCard] = formula_card(__file__, "randomized_response")

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
    def rest(self) -> float:
        """Number of categories that are the true one in neither data set: P(loss = 0) in units of P(loss = −ε₀)."""
        return self.categories - 2

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


ENTRY = entry("randomized_response", "Randomised response", RandomizedResponse, RandomizedResponse.card)
