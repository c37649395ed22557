"""Private choice from a finite list of classifiers: thresholds of one column, or decision stumps of every column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore import validation
from dpcore.data import Dataset
from dpcore.errors import DataError
from dpcore.learners.base import Learner, Plan, PublicFacts, Release
from dpcore.mechanisms import ExponentialMechanism, RandomizedResponse
from dpcore.mechanisms.selection import SELECTION_MECHANISMS, excess_error_bound, select
from dpcore.references import FormulaCard, formula_card

CLASSES = {"thresholds": "Thresholds of the first column", "stumps": "Decision stumps of every column"}


@dataclass(frozen=True, eq=False)
class FiniteClass:
    """Classifiers x ↦ sign·(+1 if x_feature ≥ threshold else −1), one per row of (feature, threshold, sign).

    Parameters
    ----------
    parameters : array (n_hypotheses, 3)
    """

    parameters: np.ndarray

    @classmethod
    def of(cls, kind: str, n_features: int, points: int, radius: float) -> FiniteClass:
        """A class on a fixed grid of thresholds in [−radius, radius]: nothing here looks at data.

        Parameters
        ----------
        kind : name in `CLASSES`
        n_features : int ≥ 1
        points : thresholds per column, int ≥ 1
        radius : float > 0
        """
        kind = validation.choice("kind", kind, CLASSES)
        points = validation.at_least_one("points", points)
        radius = validation.positive("radius", radius)
        grid = radius * (2 * (np.arange(points) + 0.5) / points - 1)
        columns = range(validation.at_least_one("n_features", n_features)) if kind == "stumps" else (0,)
        signs = (1.0, -1.0) if kind == "stumps" else (1.0,)
        return cls(np.array([(column, t, sign) for column in columns for sign in signs for t in grid]))

    @property
    def size(self) -> int:
        """Number of classifiers |H|."""
        return len(self.parameters)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Labels ±1 (n_samples, n_hypotheses)."""
        feature, threshold, sign = self.parameters.T
        return np.where(X[:, feature.astype(int)] >= threshold, sign, -sign)

    def errors(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Number of rows each classifier gets wrong (n_hypotheses,), for labels ±1."""
        feature, threshold, sign = self.parameters.T
        found = np.empty(self.size)
        for column in np.unique(feature):
            mine = feature == column
            order = np.argsort(X[:, int(column)], kind="stable")
            positive = np.concatenate([[0], np.cumsum(y[order] > 0)])
            below = np.searchsorted(X[order, int(column)], threshold[mine], side="left")
            wrong = positive[below] + (len(y) - below) - (positive[-1] - positive[below])
            found[mine] = np.where(sign[mine] > 0, wrong, len(y) - wrong)
        return found


@dataclass(frozen=True)
class FiniteClassLearner(Learner):
    r"""Releases one classifier of a finite class, chosen by its number of errors.

    .. math:: P(h) ∝ e^{−ε \#\text{errors}(h)} \quad\text{(exponential mechanism)}

    Adding or removing a record changes every count by 0 or by 1 in the same direction, so weight ε (not ε/2) on the errors
    gives ε-DP. θ is the chosen (feature, threshold, sign).

    Parameters
    ----------
    epsilon : float > 0, nats
    kind : name in `CLASSES`
    points : thresholds per column, int ≥ 1
    method : name in `SELECTION_MECHANISMS`

    References: lecture-10, mckenna-sheldon-2020.
    """

    epsilon: float = 1.0
    kind: str = "stumps"
    points: int = 40
    method: str = "exponential"

    title: ClassVar[str] = "Finite class"
    card: ClassVar[FormulaCard] = formula_card(__file__, "finite_class_learner")

    def __post_init__(self) -> None:
        validation.set_checked(self, epsilon=validation.moderate, points=validation.at_least_one)
        validation.choice("kind", self.kind, CLASSES)
        validation.choice("method", self.method, SELECTION_MECHANISMS)

    def hypotheses(self, facts: PublicFacts) -> FiniteClass:
        """The class for these public facts."""
        return FiniteClass.of(self.kind, facts.n_features, self.points, facts.domain.row_norm)

    def plan(self, facts: PublicFacts) -> Plan:
        """Profile and size of the class; see `Learner.plan`."""
        size = self.hypotheses(facts).size
        bounded = self.method == "exponential"
        profile = ExponentialMechanism(self.epsilon) if bounded else RandomizedResponse(self.epsilon)
        excess = excess_error_bound(size, self.epsilon, 0.05)
        notes: tuple[str, ...] = (
            f"{SELECTION_MECHANISMS[self.method]} over {size} classifiers on a grid fixed without the data.",
            f"With probability 0.95 the exponential mechanism makes at most {excess:.4g} errors more than the best of them.",
        )
        if not bounded:
            notes += ("The profile is that of any mechanism with this pure ε, an upper bound for this one.",)
        parameters = {"size": size, "method": self.method, "epsilon": self.epsilon}
        return Plan(profile, parameters, notes, noise={"epsilon": -1})

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        if not np.isin(dataset.y, (-1.0, 1.0)).all():
            raise DataError("a finite class of classifiers needs labels -1 and +1; recode the two classes")
        hypotheses = self.hypotheses(PublicFacts.of(dataset))
        chosen = select(hypotheses.errors(dataset.X, dataset.y), plan.parameters["epsilon"], rng, self.method)[0]
        return Release(hypotheses.parameters[chosen], plan.profile, plan.parameters, plan.notes)
