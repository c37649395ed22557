"""Per-instance privacy of output perturbation: an analytic Gaussian mechanism for every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import linalg

from dpcore.data.domain import Domain
from dpcore.errors import UnsupportedError
from dpcore.individual.exposure import ANALYSES, Exposures, RecordBounds, Rows
from dpcore.individual.fit.leverage import Leverage
from dpcore.individual.numbers import finite_shift
from dpcore.mechanisms.output_perturbation import GaussianShift, OutputPerturbation
from dpcore.mechanisms.shifted_normal import log_shifted_normal, shifted_normal_epsilon


class GaussianOutput(Exposures[OutputPerturbation]):
    r"""Output perturbation: for each record, a Gaussian mechanism of shift Δ = |r|‖BH'⁻¹x‖/σ, A = BᵀB.

    The published bound of ε is Δ√(2 log(1.25/δ)). It is proven for values up to 1; if it exceeds 1, there is no bound.
    """

    def __init__(self, shift: np.ndarray) -> None:
        self.shift = finite_shift(shift)

    @classmethod
    def of_rows(cls, mechanism: OutputPerturbation, dataset: Rows, leverage: Leverage) -> GaussianOutput:
        moved = leverage.moved(dataset.X, mechanism.root(leverage.gram))
        return cls(_product(leverage.loo_residual, moved, mechanism.sigma))

    @classmethod
    def of_added(
        cls, mechanism: OutputPerturbation, leverage: Leverage, X: np.ndarray, y: np.ndarray
    ) -> GaussianOutput:
        mu, r = leverage.influence(X, y)
        with np.errstate(all="ignore"):
            moved = mechanism.root(leverage.gram) @ linalg.cho_solve((leverage.factor, True), X.T)
            return cls(_product(r, np.linalg.norm(moved, axis=0) / (1 + mu), mechanism.sigma))

    @classmethod
    def along(cls, mechanism: OutputPerturbation, h: np.ndarray, length: float, residual: np.ndarray) -> GaussianOutput:
        """See `Exposures.along`. The eigenvector is also taken to be that of the largest eigenvalue of the shape A."""
        return cls(_stretch(mechanism) * residual * length / (h + length**2) / mechanism.sigma)

    @classmethod
    def largest_epsilon(cls, mechanism: OutputPerturbation, bounds: RecordBounds, log_delta: float) -> np.ndarray:
        """ε at the largest move of the estimate: |y − xᵀθ̂|‖H⁻¹x‖ times the largest singular value of B."""
        if mechanism.shaped_by_data:
            raise UnsupportedError(
                f"the noise of shape {mechanism.shape!r} depends on the data, so nothing about it can be published with a "
                "guarantee: use shape='identity' or a fixed matrix"
            )
        moved = _stretch(mechanism) * bounds.pull
        return cls(_product(bounds.residual, moved, mechanism.sigma)).epsilon(log_delta)

    def with_noise(self, share: float) -> GaussianOutput:
        return GaussianOutput(self.shift / share)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return 0.5 * alpha * np.square(self.shift)[:, None]

    @classmethod
    def combined(cls, parts: Sequence[tuple[Any, int]]) -> GaussianOutput | None:
        if not all(isinstance(part, cls) for part, _ in parts):
            return None
        return cls(np.sqrt(sum(times * np.square(part.shift) for part, times in parts)))

    @classmethod
    def of_group(cls, mechanism: OutputPerturbation, fit: Leverage, rest: Leverage) -> GaussianOutput:
        shift = np.linalg.norm(mechanism.root(fit.gram) @ (fit.theta - rest.theta)) / mechanism.sigma
        return cls(np.array([float(shift)]))

    def one_way(self, epsilon: Any, direction: str) -> np.ndarray:
        return log_shifted_normal(epsilon, self.shift)

    def log_delta(self, epsilon: np.ndarray) -> np.ndarray:
        return self.one_way(epsilon, "add")  # both directions have the same profile

    def epsilon(self, log_delta: float) -> np.ndarray:
        return shifted_normal_epsilon(log_delta, self.shift)

    def bound_log_delta(self, epsilon: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            value = np.log(1.25) - 0.5 * np.square(np.minimum(epsilon, 1.0) / self.shift)
        return np.where(self.shift > 0, np.minimum(value, 0.0), -np.inf)

    def bound_epsilon(self, log_delta: float) -> np.ndarray:
        with np.errstate(all="ignore"):
            value = self.shift * np.sqrt(2 * (np.log(1.25) - log_delta))
        return np.where(self.shift == 0, 0.0, np.where(value <= 1, value, np.inf))

    def profile(self, index: int) -> GaussianShift:
        return GaussianShift(float(self.shift[index]))

    @classmethod
    def corner(cls, mechanism: OutputPerturbation, leverage: Leverage, domain: Domain, log_delta: float) -> float:
        half = linalg.solve_triangular(leverage.factor, mechanism.root(leverage.gram).T, lower=True)
        full = linalg.solve_triangular(leverage.factor, half, lower=True, trans="T")
        # ‖BH⁻¹x‖/(1+μ) is at most R‖BH⁻¹‖, and at most ‖BH^-½‖√μ/(1+μ) ≤ ½‖BH^-½‖
        moved = min(domain.row_norm * np.linalg.norm(full, 2), 0.5 * np.linalg.norm(half, 2))
        residual = domain.target_bound + domain.row_norm * np.linalg.norm(leverage.theta)
        return float(cls(np.array([residual * moved / mechanism.sigma])).epsilon(log_delta)[0])


def _stretch(mechanism: OutputPerturbation) -> float:
    """The largest singular value of B, for a shape that does not depend on the data."""
    return 1.0 if mechanism.shape == "identity" else float(np.sqrt(linalg.eigvalsh(np.array(mechanism.shape))[-1]))


def _product(residual: np.ndarray, moved: np.ndarray, sigma: float) -> np.ndarray:
    """|r|·moved/σ; 0 if the estimate does not move, however small σ is."""
    with np.errstate(all="ignore"):
        return np.where((residual == 0) | (moved == 0), 0.0, np.abs(residual) * moved / sigma)


ANALYSES[OutputPerturbation] = GaussianOutput
