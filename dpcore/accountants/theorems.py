"""Composition theorems: basic, advanced, and the optimal one for equal pure budgets."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.accountants.parts import OfParts, Parts
from dpcore.errors import UnsupportedError
from dpcore.mechanisms import RandomizedResponse
from dpcore.numerics import LOG_SQRT_2PI, log1mexp
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile
from dpcore.profiles.roots import smallest_root
from dpcore.references import FormulaCard, formula_card

# Relative margin on log δ. It is larger than the error of the root that it covers, and than the stretch of log δ on which the
# float ε(δ) does not change. Doubled, bounds are looser by it.
_SAFE = 1e-10
# Standard deviations from the mean beyond which binomial terms are left out. Doubled, more negligible terms are added.
_TAIL = 14.0
# Size from which Stirling's series is exact to round-off in five terms. Doubled, sizes between lose a digit.
_SERIES_FROM = 16
_FINITE = np.finfo(float).max  # stands for ∞ in a root search


@dataclass(frozen=True)
class FromEpsilon(OfParts):
    """An upper curve known as ε(δ), one direction at a time."""

    known_by_epsilon: ClassVar[bool] = True

    @property
    def total(self) -> int:
        """Number of mechanisms composed."""
        return sum(count for _, count in self.parts)

    @abstractmethod
    def _epsilon(self, log_delta: np.ndarray, direction: str) -> np.ndarray:
        """ε ≥ 0 as a decreasing function of log δ."""

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        directions = DIRECTIONS if direction == "both" and not self.symmetric else (direction,)
        curves = [self._epsilon(targets[0] * (1 + _SAFE), one) for one in directions]
        return np.where(targets[0] == 0, 0.0, np.maximum.reduce(curves))

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        def excess(exponent: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
            return np.clip(epsilon - self._epsilon(-exponent, direction), -_FINITE, _FINITE)

        # At ε = 0 the root of the smallest float is taken instead: it is the end of the stretch of δ where ε(δ) = 0.
        positive = np.clip(epsilon, np.finfo(float).tiny, _FINITE)
        return -smallest_root(excess, positive) * (1 - _SAFE / 2)


class BasicComposition(FromEpsilon):
    r"""Budgets add up, the same share of δ for each mechanism. Upper bound.

    .. math:: ε(δ) = \sum_j k_j\, ε_j(δ/K), \quad K = \sum_j k_j

    References: dwork-roth-2014.
    """

    card: ClassVar[FormulaCard] = formula_card(__file__, "basic_composition")

    def _epsilon(self, log_delta: np.ndarray, direction: str) -> np.ndarray:
        share = log_delta - np.log(self.total)
        return np.sum([k * np.asarray(m.epsilon(log_delta=share, direction=direction)) for m, k in self.parts], axis=0)


class AdvancedComposition(FromEpsilon):
    r"""Advanced composition of (ε_j, δ_j)-DP steps (Dwork, Rothblum and Vadhan). Upper bound.

    .. math:: ε = \sum_j k_j ε_j(e^{ε_j} − 1) + \sqrt{2 \log(1/δ') \sum_j k_j ε_j²}, \quad δ = δ' + \sum_j k_j δ_j

    Pure mechanisms take δ_j = 0 and δ' = δ; otherwise half of δ is δ' and the other half is shared equally.

    References: dwork-rothblum-vadhan-2010, dwork-roth-2014.
    """

    card: ClassVar[FormulaCard] = formula_card(__file__, "advanced_composition")

    def _epsilon(self, log_delta: np.ndarray, direction: str) -> np.ndarray:
        pure = [np.asarray(m.epsilon(0.0, direction=direction)) for m, _ in self.parts]
        tail, budgets = log_delta, pure
        if not np.all(np.isfinite(pure)):
            tail = log_delta - np.log(2)
            share = tail - np.log(self.total)
            budgets = [np.asarray(m.epsilon(log_delta=share, direction=direction)) for m, _ in self.parts]
        counts = [count for _, count in self.parts]
        with np.errstate(over="ignore"):
            mean = sum(k * e * np.expm1(e) for k, e in zip(counts, budgets, strict=True))
            return mean + np.sqrt(-2 * tail * sum(k * e * e for k, e in zip(counts, budgets, strict=True)))


@dataclass(frozen=True)
class OptimalComposition(PrivacyProfile):
    r"""k mechanisms that are each ε₀-DP: the best bound that knows only ε₀ and k (Kairouz, Oh and Viswanath).

    .. math:: δ(ε) = \sum_{l:\,(k−2l)ε₀ > ε} \binom{k}{l} p^{k−l}(1−p)^l \left(1 − e^{ε−(k−2l)ε₀}\right),
              \quad p = \frac{e^{ε₀}}{1+e^{ε₀}}

    It is the k-fold composition of binary randomised response, for which it is exact.

    Parameters
    ----------
    pure_epsilon : float > 0, ε₀ in nats.
    count : int ≥ 1, k.
    is_exact : bool
        Whether the mechanisms composed are binary randomised response itself.

    References: kairouz-oh-viswanath-2017.
    """

    pure_epsilon: float
    count: int
    is_exact: bool = False

    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = formula_card(__file__, "optimal_composition")

    def __post_init__(self) -> None:
        validation.set_checked(self, pure_epsilon=validation.positive, count=validation.at_least_one)

    @classmethod
    def of(cls, parts: Parts) -> OptimalComposition:
        """The bound for a list of mechanisms with one common pure budget.

        Raises
        ------
        UnsupportedError
            If some mechanism is not pure, or their budgets differ.
        """
        budgets = [float(mechanism.epsilon(0.0)) for mechanism, _ in parts]
        if not np.all(np.isfinite(budgets)):
            raise UnsupportedError(
                "the optimal theorem needs pure mechanisms (δ = 0 at some finite ε): use method='pld'"
            )
        if max(budgets) > min(budgets) * (1 + 1e-12):
            listed = ", ".join(f"{budget:g}" for budget in budgets)
            raise UnsupportedError(f"the optimal theorem needs equal pure budgets, got {listed}: use method='pld'")
        exact = all(mechanism.two_valued for mechanism, _ in parts)
        return cls(max(budgets), sum(count for _, count in parts), exact)

    @property
    def bound(self) -> Bound:
        return Bound.EXACT if self.is_exact else Bound.UPPER

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        flat = epsilon.reshape(-1)
        return np.array([self._one(float(value)) for value in flat]).reshape(epsilon.shape)

    def _one(self, epsilon: float) -> float:
        k, budget = self.count, self.pure_epsilon
        if epsilon >= k * budget:
            return -np.inf
        flips = special.expit(-budget)
        reach = _TAIL * (np.sqrt(k * flips * (1 - flips)) + 1) + 60
        last = min(int(np.ceil((k - epsilon / budget) / 2)), k)
        first = max(int(min(last, k * flips) - reach), 0)
        l = np.arange(first, min(last, int(k * flips + reach)) + 1)
        beyond = np.minimum(epsilon - (k - 2 * l) * budget, 0.0)
        return float(special.logsumexp(log_binomial(l, k, budget) + log1mexp(beyond)))

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return self.count * np.asarray(RandomizedResponse(self.pure_epsilon).renyi(alpha))


def log_binomial(l: np.ndarray, k: int, log_odds: float) -> np.ndarray:
    """log P[l successes in k] at success probability 1/(1 + e^{log_odds}), by Loader's deviances: no large cancelling terms.

    Absolute error about 1e-16 times the distance of l from its mean, where log-gamma functions lose k log k of it.
    """
    l = np.asarray(l, dtype=float)
    rate, rest = special.expit(-log_odds), special.expit(log_odds)
    inner = (l > 0) & (l < k)
    safe = np.where(inner, l, 0.5 * k)
    log_mass = (
        _stirling_error(np.array(float(k)))
        - _stirling_error(safe)
        - _stirling_error(k - safe)
        - _deviance(safe, k * rate)
        - _deviance(k - safe, k * rest)
        + 0.5 * np.log(k / (safe * (k - safe)))
        - LOG_SQRT_2PI
    )
    edge = np.where(l == 0, k * special.log_expit(log_odds), k * special.log_expit(-log_odds))
    return np.where(inner, log_mass, edge)


def _stirling_error(n: np.ndarray) -> np.ndarray:
    """log n! − (n + ½) log n + n − ½ log 2π."""
    large = np.maximum(n, _SERIES_FROM)
    z = 1 / (large * large)
    series = (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188)))) / large
    return np.where(n >= _SERIES_FROM, series, special.gammaln(n + 1) - special.xlogy(n + 0.5, n) + n - LOG_SQRT_2PI)


def _deviance(x: np.ndarray, mean: float) -> np.ndarray:
    """x log(x/mean) + mean − x ≥ 0."""
    t = (x - mean) / mean
    return mean * ((1 + t) * np.log1p(t) - t)
