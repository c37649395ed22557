"""Per-instance privacy of output perturbation of any smooth GLM: ε of every row from one Newton step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.individual.analyses.glm_refit import change_without, polished
from dpcore.individual.analyses.output_perturbation import GaussianOutput
from dpcore.individual.exact.found import ExactEpsilon
from dpcore.individual.exposure import GLM_ANALYSES, Aim, Exposures, Rows
from dpcore.individual.fit.glm import GlmFit, problem_of
from dpcore.individual.method import EpsilonMethod
from dpcore.mechanisms.output_perturbation import GaussianShift, OutputPerturbation
from dpcore.numerics import increasing_roots
from dpcore.profiles import Bound
from dpcore.references import formula_card


@dataclass(frozen=True)
class OneStepShift(GaussianShift):
    """Gaussian noise on an estimate whose change is that of one Newton step. Exact for the squared loss."""

    bound: ClassVar[Bound] = Bound.ESTIMATE


class OutputExpansion(GaussianOutput):
    r"""Output perturbation of a GLM: for each record, a Gaussian mechanism of shift Δ = ‖θ̂ − θ̂₋‖_A/σ.

    The change of the estimate is that of one Newton step:

    .. math:: \hat θ − \hat θ_− ≈ −f'(\hat m)H_−^{-1}x

    A is the identity, a fixed matrix, or a Gram shape of the data that is treated as public.
    """

    method = EpsilonMethod.EXPANSION
    formulas = formula_card(__file__, "output_perturbation")
    effort = 4e-6

    @classmethod
    def exact_effort(cls, n: int, d: int) -> float:
        return 0.012 + 2e-8 * n * d * d

    @classmethod
    def of_rows(cls, mechanism: OutputPerturbation, dataset: Rows, leverage: Any) -> OutputExpansion:
        moved = leverage.moved(dataset.X, mechanism.root(leverage.gram)) * (1 + leverage.out_of_sample)
        return cls(np.abs(leverage.residual) * moved / mechanism.sigma)

    @classmethod
    def of_added(cls, mechanism: OutputPerturbation, leverage: Any, X: np.ndarray, y: np.ndarray) -> OutputExpansion:
        moved = mechanism.root(leverage.gram) @ linalg.cho_solve((leverage.factor, True), X.T)
        return cls(slopes(leverage, X, y) * np.linalg.norm(moved, axis=0) / mechanism.sigma)

    @classmethod
    def exact(
        cls, mechanism: OutputPerturbation, dataset: Dataset, leverage: Any, rows: np.ndarray, aim: Aim
    ) -> ExactEpsilon:
        # Each row is left out of a new fit. The error bar comes from the Newton step that the fit to all rows still
        # lacks.
        root, problem = mechanism.root(leverage.gram), problem_of(mechanism, dataset.X, dataset.y)
        off = np.linalg.norm(root @ linalg.cho_solve((leverage.factor, True), problem.gradient(leverage.theta)))
        theta, moved = polished(problem, leverage.theta), np.empty(len(rows))
        for k, row in enumerate(rows):
            aim.progress(k / len(rows))
            start = leverage.step_without(dataset.X[row], row)
            change = change_without(problem, theta, row, start, str(dataset.row_labels[row]))
            moved[k] = np.linalg.norm(root @ change)
        epsilon, above = (cls(size / mechanism.sigma).epsilon(aim.log_delta) for size in (moved, moved + off))
        return ExactEpsilon.unweighted(epsilon, above - epsilon)

    def with_noise(self, share: float) -> OutputExpansion:
        return OutputExpansion(self.shift / share)

    # The published bound is for linear regression only.
    bound_log_delta, bound_epsilon = Exposures.bound_log_delta, Exposures.bound_epsilon

    def profile(self, index: int) -> OneStepShift:
        return OneStepShift(float(self.shift[index]))

    @classmethod
    def corner(cls, mechanism: OutputPerturbation, leverage: Any, domain: Domain, log_delta: float) -> float:
        root = mechanism.root(leverage.gram)
        reach = np.linalg.norm(root @ linalg.cho_solve((leverage.factor, True), np.eye(len(root))), 2)
        furthest = domain.row_norm * np.linalg.norm(leverage.theta)
        margins, targets = np.meshgrid([-furthest, furthest], mechanism.target.extremes(domain.target_bound))
        gradient = domain.row_norm * np.abs(leverage.loss.derivative(margins, targets)).max()
        gradient = gradient if leverage.clip is None else min(gradient, leverage.clip)
        return float(cls(np.array([gradient * reach / mechanism.sigma])).epsilon(log_delta)[0])


def slopes(fit: GlmFit, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """|f'(m)| of each record once it has joined the fit, (n_records,), where m + hf'(m) = xᵀθ̂."""
    records = fit.added(X, y)
    loss = records.loss(fit.loss)

    def above(m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value = m + records.leverage * loss.derivative(m, records.y) - records.margin
        return value, 1 + records.leverage * loss.second_derivative(m, records.y)

    with np.errstate(all="ignore"):
        end = records.margin - records.leverage * loss.derivative(records.margin, records.y)
        low, high = np.minimum(end, records.margin), np.maximum(end, records.margin)
        return np.abs(loss.derivative(increasing_roots(above, low, high, records.margin), records.y))


GLM_ANALYSES[OutputPerturbation] = OutputExpansion
