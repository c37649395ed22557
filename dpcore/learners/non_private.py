"""The baseline without privacy, whose profile says so."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.data import Dataset
from dpcore.glm import Problem
from dpcore.glm.losses import find
from dpcore.learners.base import FitWithNoise, Learner, Plan, PublicFacts, Release
from dpcore.learners.laws import closely_solved
from dpcore.mechanisms.objective_perturbation.other_bounds import NoGuarantee
from dpcore.profiles import Bound
from dpcore.references import FormulaCard, formula_card


@dataclass(frozen=True)
class NoPrivacy(NoGuarantee):
    """δ(ε) = 1 for every ε: two neighbouring data sets can give releases that tell them apart for certain."""

    bound: ClassVar[Bound] = Bound.EXACT


@dataclass(frozen=True)
class NonPrivate(Learner):
    r"""argmin Σ f(xᵀθ; y) + (λ/2)‖θ‖², without noise: what privacy is compared with. No guarantee of any kind.

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    lam : λ > 0, sum form; small by default, so that a minimiser exists even where the classes can be separated

    References: redberg-koskela-wang-2023.
    """

    loss: Any = "logistic"
    lam: float = 1e-2

    title: ClassVar[str] = "Without privacy"
    card: ClassVar[FormulaCard] = formula_card(__file__, "non_private")

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", find(self.loss))
        validation.set_checked(self, lam=validation.positive)

    def plan(self, facts: PublicFacts) -> Plan:
        """A profile that promises nothing; see `Learner.plan`."""
        return Plan(NoPrivacy(), {"lam": self.lam}, ("Nothing is hidden: this fit has no privacy guarantee.",))

    def noisy_fit(self, facts: PublicFacts, smallest: float) -> FitWithNoise:
        """λ; see `Learner.noisy_fit`."""
        return FitWithNoise(self.lam)

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        theta = closely_solved(Problem(self.loss, dataset.X, dataset.y, lam=self.lam))
        return Release(theta, plan.profile, plan.parameters, plan.notes)
