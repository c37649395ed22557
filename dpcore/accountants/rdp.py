"""Rényi composition: divergences of every real order add up, and convert to (ε, δ)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import elementwise

from dpcore.accountants.parts import Parts, is_symmetric, side_of
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile
from dpcore.references import FormulaCard

ORDERS = np.geomspace(1e-7, 1e7, 281)  # α − 1 searched; the best one is refined between its neighbours
_TOLERANCE = 1e-8  # of log(α − 1), where the curve is flat: 1e-16 in log δ
_LARGEST = np.finfo(float).max


def log_delta_at_order(order: np.ndarray, divergence: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """log δ(ε) implied by D_α at α = 1 + order: order·(D_α − ε + log(1 − 1/α)) − log α."""
    return order * (divergence - epsilon - np.log1p(1 / order)) - np.log1p(order)


def epsilon_at_order(order: np.ndarray, divergence: np.ndarray, log_delta: np.ndarray) -> np.ndarray:
    """ε(δ) implied by D_α at α = 1 + order: D_α + log(1 − 1/α) − (log δ + log α)/(α − 1); may be negative."""
    return divergence - np.log1p(1 / order) - (log_delta + np.log1p(order)) / order


class RenyiCurve(PrivacyProfile):
    r"""(ε, δ) from a Rényi curve by the conversion of Canonne, Kamath and Steinke, minimised over real α > 1.

    .. math:: \log δ(ε) = \min_α \; (α−1)\left(D_α − ε + \log(1 − 1/α)\right) − \log α

    An upper bound, and not the best one a Rényi curve implies. Subclasses give `_renyi`.

    References: canonne-kamath-steinke-2020, mironov-2017.
    """

    @property
    def bound(self) -> Bound:
        return Bound.UPPER

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        pure = epsilon >= self._pure[direction]
        value = self._minimum(log_delta_at_order, np.where(pure, 1.0, epsilon), direction)
        return np.where(pure, -np.inf, value)

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        directions = DIRECTIONS if direction == "both" and not self.symmetric else (direction,)
        found = np.maximum.reduce(
            [self._epsilon(targets[0], DIRECTIONS[0] if one == "both" else one) for one in directions]
        )
        step = np.spacing(np.maximum(found, np.finfo(float).tiny))
        while (unmet := np.isfinite(found) & (excess(found, *targets) > 0)).any():
            found, step = np.where(unmet, found + step, found), 2 * step
        return found

    def _epsilon(self, log_delta: np.ndarray, direction: str) -> np.ndarray:
        none = np.isneginf(log_delta)
        value = np.maximum(self._minimum(epsilon_at_order, np.where(none, -1.0, log_delta), direction), 0.0)
        value = np.minimum(np.where(none, np.inf, value), self._pure[direction])
        return np.where(log_delta == 0, 0.0, value)

    @cached_property
    def _pure(self) -> dict[str, float]:
        return {one: self._pure_epsilon(one) for one in DIRECTIONS}

    def _pure_epsilon(self, direction: str) -> float:
        """D_∞, from which on δ = 0."""
        return np.inf

    @cached_property
    def _table(self) -> dict[str, np.ndarray]:
        return {}

    def _divergences(self, direction: str) -> np.ndarray:
        key = DIRECTIONS[0] if self.symmetric else direction
        if key not in self._table:
            self._table[key] = np.minimum(self._renyi(1 + ORDERS, key), _LARGEST)
        return self._table[key]

    def _minimum(self, value: Any, argument: np.ndarray, direction: str) -> np.ndarray:
        """min over α of value(α − 1, D_α, argument): the best of the grid, then refined between its neighbours."""
        flat, log_orders = argument.reshape(-1), np.log(ORDERS)
        coarse = value(ORDERS[:, None], self._divergences(direction)[:, None], flat)
        best = np.clip(coarse.argmin(axis=0), 1, ORDERS.size - 2)

        def refined(log_order: np.ndarray, argument: np.ndarray) -> np.ndarray:
            order = np.exp(log_order)
            return value(order, np.minimum(self._renyi(1 + order, direction), _LARGEST), argument)

        bracket = log_orders[best - 1], log_orders[best], log_orders[best + 1]
        tolerances = {"xatol": _TOLERANCE, "xrtol": 0.0, "fatol": 0.0, "frtol": 0.0}
        found = elementwise.find_minimum(refined, bracket, args=(flat,), tolerances=tolerances)
        reached = np.where(np.isfinite(found.f_x), found.f_x, np.inf)
        return np.minimum(reached, coarse.min(axis=0)).reshape(argument.shape)


@dataclass(frozen=True)
class RenyiComposition(RenyiCurve):
    r"""Rényi divergences of the parts, added order by order.

    .. math:: D_α = \sum_j k_j D_α^{(j)}

    References: mironov-2017, canonne-kamath-steinke-2020.
    """

    parts: Parts

    card: ClassVar[FormulaCard] = FormulaCard(
        title="Rényi composition",
        latex=(
            r"D_\alpha=\sum_j k_j D_\alpha^{(j)}",
            r"\log\delta(\varepsilon)=\min_{\alpha>1}\;(\alpha-1)\left(D_\alpha-\varepsilon"
            r"+\log(1-\tfrac1\alpha)\right)-\log\alpha",
        ),
        symbols={"k_j": "how often mechanism j runs", r"\alpha": "Rényi order, any real number above 1"},
        assumptions=("the conversion loses a little: it is not the optimal one",),
        references=("mironov-2017", "canonne-kamath-steinke-2020"),
        code="dpcore.accountants.rdp.RenyiComposition",
    )

    @property
    def bound(self) -> Bound:
        return side_of(self.parts, Bound.UPPER)

    @property
    def symmetric(self) -> bool:
        return is_symmetric(self.parts)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return np.sum([k * np.asarray(m.renyi(alpha, direction=direction)) for m, k in self.parts], axis=0)

    def _pure_epsilon(self, direction: str) -> float:
        return float(sum(k * float(m.epsilon(0.0, direction=direction)) for m, k in self.parts))
