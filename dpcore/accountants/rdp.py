"""Rényi composition: divergences of every real order add up, and convert to (ε, δ)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from dpcore.accountants.parts import Parts, is_symmetric, side_of
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile
from dpcore.references import FormulaCard
from dpcore.renyi import ORDERS, RenyiCurve

ROUNDED_UP = 2.0**-51  # relative, for each term of a sum that must not come out too small


@lru_cache(maxsize=256)
def _at_orders(mechanism: PrivacyProfile, direction: str) -> np.ndarray:
    """One mechanism's curve at the orders that every conversion starts from."""
    values = np.asarray(mechanism.renyi(1 + ORDERS, direction=direction))
    values.setflags(write=False)
    return values


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
        key = DIRECTIONS[0] if self.symmetric else direction
        if alpha.shape != ORDERS.shape or not np.array_equal(alpha, 1 + ORDERS):
            return self._sum(alpha, key)
        return np.sum([k * _at_orders(m, key) for m, k in self.parts], axis=0)

    def _sum(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return np.sum([k * np.asarray(m.renyi(alpha, direction=direction)) for m, k in self.parts], axis=0)

    @cached_property
    def _pure(self) -> dict[str, float]:
        """D_∞ of each direction, from which on δ = 0; rounded up."""
        up = 1 + ROUNDED_UP * len(self.parts)
        return {
            one: up * float(sum(k * float(m.epsilon(0.0, direction=one)) for m, k in self.parts))
            for one in (DIRECTIONS[:1] if self.symmetric else DIRECTIONS)
        }

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        pure = epsilon >= self._pure[DIRECTIONS[0] if self.symmetric else direction]
        return np.where(pure, -np.inf, super()._log_delta(np.where(pure, 0.0, epsilon), direction))

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        pure = self._pure.values() if direction == "both" or self.symmetric else [self._pure[direction]]
        return np.minimum(super()._inverse(excess, targets, direction), max(pure))
