"""Per-instance privacy of one posterior sample: for every row, a pair of Gaussians that differ in mean and variance."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcore.data.domain import Domain
from dpcore.individual.exact.fast_inverse import newton
from dpcore.individual.exposure import ANALYSES, Exposures, RecordBounds, Rows
from dpcore.individual.fit.leverage import Leverage
from dpcore.individual.numbers import finite_shift, largest_of_shares, smallest_epsilon
from dpcore.mechanisms.posterior_sampling import PosteriorSampleRecord, PosteriorSampling, record_renyi
from dpcore.mechanisms.two_normals import log_two_normals


class PosteriorSample(Exposures[PosteriorSampling]):
    r"""Posterior sampling: for each record, the pair N(m, μ), N(m/(1+μ), μ/(1+μ)) with m = √γ|r|.

    The published bound of ε is the larger of

    .. math:: \tfrac12\left|γμr²/(1+μ) − \log(1+μ)\right| + μ\log\tfrac2δ + |r|\sqrt{2γμ\log\tfrac2δ}, \quad
              \tfrac12\left(γμ'r'²/(1−μ') − \log(1−μ')\right) + μ'\log\tfrac2δ + |r'|\sqrt{2γμ'\log\tfrac2δ},

    which are one for each direction.
    """

    def __init__(self, mu: np.ndarray, shift: np.ndarray) -> None:
        self.mu = mu
        self.shift = finite_shift(shift)

    @classmethod
    def of_rows(cls, mechanism: PosteriorSampling, dataset: Rows, leverage: Leverage) -> PosteriorSample:
        return cls(leverage.out_of_sample, scaled(mechanism, leverage.loo_residual))

    @classmethod
    def of_added(
        cls, mechanism: PosteriorSampling, leverage: Leverage, X: np.ndarray, y: np.ndarray
    ) -> PosteriorSample:
        mu, r = leverage.influence(X, y)
        return cls(mu, scaled(mechanism, r))

    @classmethod
    def along(cls, mechanism: PosteriorSampling, h: np.ndarray, length: float, residual: np.ndarray) -> PosteriorSample:
        return cls(length**2 / h, scaled(mechanism, residual))

    @classmethod
    def largest_epsilon(cls, mechanism: PosteriorSampling, bounds: RecordBounds, log_delta: float) -> np.ndarray:
        r"""ε of the record that attains all bounds; no other record has a larger one.

        In units of the law with the record, the pair is N(c, s²), N(0, 1) with s² = 1 + μ and c = √γ|y − xᵀθ̂|√μ√(1+μ).
        It is the image of a pair with S ≥ s and C = c/a under x ↦ ax + N(0, 1 − a²), a² = (s² − 1)/(S² − 1), so δ grows
        with μ. At given s, δ grows with c in both directions, as the boundary of the set that attains δ lies on the far
        side of c.
        """
        return cls(bounds.leverage, scaled(mechanism, (1 + bounds.leverage) * bounds.residual)).epsilon(log_delta)

    def with_noise(self, share: float) -> PosteriorSample:
        return PosteriorSample(self.mu, self.shift / share)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return record_renyi(alpha, self.mu, self.shift, direction)

    def one_way(self, epsilon: Any, direction: str) -> np.ndarray:
        epsilon = np.broadcast_to(epsilon, self.mu.shape)

        def work(rows: slice) -> None:
            result[rows] = log_two_normals(epsilon[rows], self.mu[rows], self.shift[rows], direction)

        result = np.empty(self.mu.shape)
        self.by_chunk(work, result.size)
        return result

    def epsilon(self, log_delta: float) -> np.ndarray:
        if log_delta == -np.inf:
            return np.where(self.mu > 0, np.inf, 0.0)

        def quick(rows: slice) -> None:
            result[rows], solved[rows] = newton(self.mu[rows], self.shift[rows], log_delta)

        def thorough(part: slice) -> None:
            rows = rest[part]
            result[rows] = smallest_epsilon(_log_delta, log_delta, self.mu[rows], self.shift[rows])

        result, solved = np.empty(self.mu.shape), np.empty(self.mu.shape, dtype=bool)
        self.by_chunk(quick, result.size)
        rest = np.flatnonzero(~solved)
        self.by_chunk(thorough, rest.size)
        return result

    def bound_log_delta(self, epsilon: np.ndarray) -> np.ndarray:
        result = np.full(self.mu.shape, -np.inf)
        for offset, rate, root in self._bounds():
            # offset + rate·t² + root·t = ε has one root t = √log(2/δ) ≥ 0
            room = np.maximum(epsilon - offset, 0.0)
            with np.errstate(all="ignore"):
                t = np.where(room > 0, 2 * room / (root + np.sqrt(root * root + 4 * rate * room)), 0.0)
                result = np.fmax(result, np.log(2) - np.where(rate > 0, t * t, np.inf))
        return np.minimum(result, 0.0)

    def bound_epsilon(self, log_delta: float) -> np.ndarray:
        t = np.sqrt(np.log(2) - log_delta)
        with np.errstate(all="ignore"):
            values = [np.where(rate > 0, offset + (rate * t + root) * t, 0.0) for offset, rate, root in self._bounds()]
        return np.maximum(*values)

    def _bounds(self) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]:
        mu, m = self.mu, self.shift
        inner, inner_m, log_ratio = mu / (1 + mu), m / (1 + mu), np.log1p(mu)
        with np.errstate(all="ignore"):
            without = np.abs(inner * m * m - log_ratio) / 2, mu, m * np.sqrt(2 * mu)
            with_record = (mu * inner_m * inner_m + log_ratio) / 2, inner, inner_m * np.sqrt(2 * inner)
        return without, with_record

    def profile(self, index: int) -> PosteriorSampleRecord:
        return PosteriorSampleRecord(float(self.mu[index]), float(self.shift[index]))

    @classmethod
    def corner(cls, mechanism: PosteriorSampling, leverage: Leverage, domain: Domain, log_delta: float) -> float:
        largest = np.square(domain.row_norm / np.linalg.svd(leverage.factor, compute_uv=False)[-1])
        shift = scaled(mechanism, domain.target_bound + domain.row_norm * float(np.linalg.norm(leverage.theta)))

        return largest_of_shares(lambda share: cls(largest * share, np.full(share.shape, shift)).epsilon(log_delta))


def scaled(mechanism: PosteriorSampling, residual: np.ndarray | float) -> np.ndarray:
    """√γ|r|; inf where it overflows."""
    with np.errstate(over="ignore"):
        return np.sqrt(mechanism.gamma) * np.abs(residual)


def _log_delta(epsilon: np.ndarray, mu: np.ndarray, shift: np.ndarray) -> np.ndarray:
    return np.maximum(log_two_normals(epsilon, mu, shift, "add"), log_two_normals(epsilon, mu, shift, "remove"))


ANALYSES[PosteriorSampling] = PosteriorSample
