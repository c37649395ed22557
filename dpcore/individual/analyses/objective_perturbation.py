"""Per-instance privacy of objective perturbation of linear regression, exact for every row."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, special

from dpcore.data.domain import Domain
from dpcore.errors import UnsupportedError
from dpcore.individual.exact.fast_inverse import newton
from dpcore.individual.exact.newton import MOST_STEPS
from dpcore.individual.exposure import ANALYSES, Exposures, RecordBounds, Rows
from dpcore.individual.fit.leverage import Leverage, orthogonal_length
from dpcore.individual.fit.refits import rows_per_chunk
from dpcore.individual.numbers import finite_shift, smallest_epsilon
from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation
from dpcore.mechanisms.objective_perturbation.linear_record import LinearRecord, log_mixed_normals
from dpcore.mechanisms.two_normals import normal_renyi_terms

# Relative secant step of ε that is the last one, and excess of log δ that is allowed in the other direction. Rows that
# miss one of these go to a slower search; doubled, they only change which do.
_SETTLED = 1e-7
# Largest δ for which the bound of one row (`largest_epsilon`) is proven. Doubled, it is not.
_LARGEST_DELTA = 0.1
# Nodes of the upper bound `corner`: Gauss–Hermite nodes and weights, and leverages as shares of the largest. With twice
# as many of either, the bound is as far above the truth.
_HERMITE = np.polynomial.hermite_e.hermegauss(40)
_LEVERAGES = np.geomspace(1e-12, 1.0, 400)


class LinearObjective(Exposures[ObjectivePerturbation]):
    """Objective perturbation: for each record, the mixture `log_mixed_normals` of (μ, m, τ). No bound was published."""

    effort = 100e-6
    formulas = LinearRecord.card
    reported = ("sigma", "lam", "loss")
    no_bound = "the source has no bound for objective perturbation of a single record: use method='exact'"

    def __init__(self, mu: np.ndarray, shift: np.ndarray, spread: np.ndarray) -> None:
        self.mu = mu
        self.shift, self.spread = finite_shift(shift), finite_shift(spread)

    @classmethod
    def of_rows(cls, mechanism: ObjectivePerturbation, dataset: Rows, leverage: Leverage) -> LinearObjective:
        X, mu = dataset.X, leverage.out_of_sample
        spread = np.empty(len(X))
        chunk = rows_per_chunk(X.shape[1])
        for start in range(0, len(X), chunk):
            rows = slice(start, start + chunk)
            moved = linalg.cho_solve((leverage.factor, True), X[rows].T).T * (1 + mu[rows, None])
            spread[rows] = _spread(X[rows], moved)
        for row, direction in zip(leverage.refits.rows, leverage.refits.directions, strict=True):
            spread[row] = _spread(X[row], direction)
        return cls(mu, _shift(mechanism, X, leverage.loo_residual), spread)

    @classmethod
    def of_added(
        cls, mechanism: ObjectivePerturbation, leverage: Leverage, X: np.ndarray, y: np.ndarray
    ) -> LinearObjective:
        mu, r = leverage.influence(X, y)
        moved = linalg.cho_solve((leverage.factor, True), X.T).T
        return cls(mu, _shift(mechanism, X, r), _spread(X, moved))

    @classmethod
    def require(cls, mechanism: ObjectivePerturbation) -> None:
        mechanism.require_linear()

    @classmethod
    def along(
        cls, mechanism: ObjectivePerturbation, h: np.ndarray, length: float, residual: np.ndarray
    ) -> LinearObjective:
        return cls(length**2 / h, length * np.abs(residual) / mechanism.sigma, np.zeros_like(h))

    @classmethod
    def largest_epsilon(cls, mechanism: ObjectivePerturbation, bounds: RecordBounds, log_delta: float) -> np.ndarray:
        r"""ε of the pair N(C, (1 + μ)²), N(0, 1) at δ/2, with |c| ≤ C except with probability δ/2.

        c = ‖x‖r/σ + τz has the same law without and with the record, so C = ‖x‖|r|/σ + ‖x‖‖H⁻¹x‖Φ⁻¹(1 − δ/4). Given c,
        δ is larger in the direction of adding the record. This δ grows with c. It also grows with μ if δ/2 < ½ −
        e^{C²/2}Φ(−C), which C ≥ 3δ/2 ensures up to δ/2 = 0.08: then the law with the record is the denser one at C.

        Raises
        ------
        UnsupportedError
            If δ is too large for that.
        """
        if log_delta > np.log(_LARGEST_DELTA):
            raise UnsupportedError(
                f"a bound that depends on one row alone is known for δ up to {_LARGEST_DELTA:g} only"
            )
        half = log_delta - np.log(2)
        hidden = -special.ndtri_exp(half - np.log(2))
        with np.errstate(over="ignore", invalid="ignore"):
            shift = bounds.norm * (1 + bounds.leverage) * bounds.residual / mechanism.sigma
            shift = shift + bounds.norm * bounds.pull * hidden
        return cls(bounds.leverage, np.maximum(shift, 3 * np.exp(half)), np.zeros_like(shift)).epsilon(half)

    def with_noise(self, share: float) -> LinearObjective:
        return LinearObjective(self.mu, self.shift / share, self.spread)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return _divergence(alpha, self.mu, self.shift, self.spread, direction)

    def one_way(self, epsilon: Any, direction: str) -> np.ndarray:
        epsilon = np.broadcast_to(epsilon, self.mu.shape)
        result = np.empty(self.mu.shape)

        def work(rows: slice) -> None:
            known = self.mu[rows], self.shift[rows], self.spread[rows]
            result[rows] = log_mixed_normals(epsilon[rows], *known, direction)

        self.by_chunk(work, result.size)
        return result

    def epsilon(self, log_delta: float) -> np.ndarray:
        if log_delta == -np.inf:
            return np.where((self.mu > 0) | (self.shift > 0), np.inf, 0.0)
        result = np.zeros(self.mu.shape)
        seen = np.flatnonzero(self._visible(log_delta))
        part = self.take(seen)
        value, solved = part._secant(log_delta)
        rest = np.flatnonzero(~solved)
        if rest.size:
            known = part.mu[rest], part.shift[rest], part.spread[rest]
            value[rest] = smallest_epsilon(lambda at, *some: LinearObjective(*some).log_delta(at), log_delta, *known)
        result[seen] = value
        return result

    def _visible(self, log_delta: float) -> np.ndarray:
        """Whether δ(0) > δ; at ε = 0 both directions are the same.

        H grows with |c|, and |c| ≥ m with probability ½, so half of H at m is a lower bound, which most rows pass.
        """
        given_m = LinearObjective(self.mu, self.shift, np.zeros_like(self.shift))
        visible = given_m.one_way(0.0, "add") - np.log(2) > log_delta
        rest = np.flatnonzero(~visible)
        visible[rest] = self.take(rest).one_way(0.0, "add") > log_delta
        return visible

    def _secant(self, log_delta: float) -> tuple[np.ndarray, np.ndarray]:
        """ε in the direction of adding the record, and whether it holds in both directions."""
        if not self.mu.size:
            return np.empty(0), np.empty(0, dtype=bool)
        excess_leverage = self.mu * (2 + self.mu)
        c = np.hypot(self.shift, self.spread)
        with np.errstate(all="ignore"):
            start, _ = newton(excess_leverage, c * (1 + self.mu) / np.sqrt(excess_leverage), log_delta)
        before = np.where(np.isfinite(start) & (start > 1e-9), start, 0.1)
        at = before * 1.01
        missed_before = self.one_way(before, "add") - log_delta
        settled = np.zeros(self.mu.size, dtype=bool)
        active = np.arange(self.mu.size)
        for _ in range(MOST_STEPS):
            missed = self.take(active).one_way(at[active], "add") - log_delta
            with np.errstate(all="ignore"):
                slope = (missed - missed_before[active]) / (at[active] - before[active])
                step = -missed / slope
            # log δ falls with ε, so a slope of the wrong sign is round-off: the value has settled
            step = np.clip(np.where(np.isfinite(step), step, 0.0), -0.7 * at[active], 2.0 * at[active])
            done = (np.abs(step) <= _SETTLED * at[active]) & (np.abs(missed) <= 1e-4)
            before[active], missed_before[active] = at[active], missed
            at[active] += step
            settled[active] = done
            active = active[~done]
            if not active.size:
                break
        return at, settled & (self.one_way(at, "remove") <= log_delta + _SETTLED)

    def profile(self, index: int) -> LinearRecord:
        return LinearRecord(float(self.mu[index]), float(self.shift[index]), float(self.spread[index]))

    @classmethod
    def corner(cls, mechanism: ObjectivePerturbation, leverage: Leverage, domain: Domain, log_delta: float) -> float:
        values = np.square(np.linalg.svd(leverage.factor, compute_uv=False))
        largest = domain.row_norm**2 / values[-1]
        residual = domain.target_bound + domain.row_norm * np.linalg.norm(leverage.theta)
        # The standard deviation of q is at most half the range of the eigenvalues of H⁻¹. |c| ≤ R(r̄/σ + |q|), and δ
        # grows with |c|.
        spread = 0.5 * domain.row_norm * (1 / values[-1] - 1 / values[0])
        nodes, weights = _HERMITE
        c = domain.row_norm * (residual / mechanism.sigma + np.abs(nodes) * spread)

        def above(epsilon: np.ndarray, _: np.ndarray) -> np.ndarray:
            level, mu, r = np.broadcast_arrays(np.atleast_1d(epsilon)[:, None, None], largest * _LEVERAGES[:, None], c)
            with np.errstate(all="ignore"):
                values = np.maximum(*(log_mixed_normals(level, mu, r, 0.0, way) for way in ("add", "remove"))).max(
                    axis=1
                )
                total = special.logsumexp(values, b=weights, axis=1) - 0.5 * np.log(2 * np.pi)
            return np.asarray(total).reshape(np.shape(epsilon))

        return float(smallest_epsilon(above, log_delta, np.zeros(1))[0])


def _divergence(alpha: np.ndarray, mu: np.ndarray, m: np.ndarray, tau: np.ndarray, direction: str) -> np.ndarray:
    """D_α of two normal laws whose gap is itself normal, of mean m and standard deviation τ."""
    square, m, tau = np.square(1 + mu)[:, None], m[:, None], tau[:, None]
    plain, factor = normal_renyi_terms(alpha, 1 / square if direction == "add" else square)
    factor = factor / square if direction == "add" else factor
    rate = (alpha - 1) * factor
    rest = 1 - 2 * rate * tau * tau
    mixed = np.where(alpha == 1, factor * (m * m + tau * tau), (rate * m * m / rest - 0.5 * np.log(rest)) / (alpha - 1))
    return np.where(rest > 0, plain + mixed, np.inf)


def _shift(mechanism: ObjectivePerturbation, X: np.ndarray, residual: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.linalg.norm(X, axis=1) * np.abs(residual) / mechanism.sigma


def _spread(x: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """√(‖x‖²‖v‖² − (xᵀv)²) = ‖x‖‖v − x(xᵀv)/‖x‖²‖, v = H⁻¹x; rows are records."""
    return np.linalg.norm(x, axis=-1) * orthogonal_length(x, moved)


ANALYSES[ObjectivePerturbation] = LinearObjective
