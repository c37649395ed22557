"""The baseline without privacy, whose profile says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.data import Dataset
from dpcore.glm import Problem, solve
from dpcore.glm.losses import find
from dpcore.learners.base import Learner, Plan, PublicFacts, Release
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import FormulaCard


@dataclass(frozen=True)
class NoPrivacy(PrivacyProfile):
    """δ(ε) = 1 for every ε: two neighbouring data sets can give releases that tell them apart for certain."""

    bound: ClassVar[Bound] = Bound.EXACT
    symmetric: ClassVar[bool] = True

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return np.zeros(epsilon.shape)

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return np.zeros(alpha.shape)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return np.full(alpha.shape, np.inf)


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
    card: ClassVar[FormulaCard] = FormulaCard(
        title="Without privacy",
        latex=(
            r"\theta=\arg\min_\theta\;\sum_i f(x_i^\top\theta;y_i)+\tfrac\lambda2\|\theta\|^2",
            r"\delta(\varepsilon)=1",
        ),
        symbols={r"\lambda": "regularisation (sum form)"},
        assumptions=("no guarantee: for comparison only",),
        references=("redberg-koskela-wang-2023",),
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", find(self.loss))
        validation.set_checked(self, lam=validation.positive)

    def plan(self, facts: PublicFacts) -> Plan:
        """A profile that promises nothing; see `Learner.plan`."""
        return Plan(NoPrivacy(), {"lam": self.lam}, ("Nothing is hidden: this fit has no privacy guarantee.",))

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        problem = Problem(self.loss, dataset.X, dataset.y, lam=self.lam)
        fit = solve(problem, 1e-9 * max(1.0, dataset.n_samples * float(np.abs(dataset.y).max())))
        return Release(fit.theta, plan.profile, plan.parameters, plan.notes)
