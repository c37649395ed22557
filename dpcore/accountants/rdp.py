"""Rényi composition: divergences of every real order add up, and convert to (ε, δ)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from dpcore.accountants.parts import OfParts
from dpcore.profiles import DIRECTIONS, PrivacyProfile
from dpcore.profiles.renyi import EXCESS_ORDERS, RenyiCurve
from dpcore.references import FormulaCard, formula_card

# Relative margin for each term of a sum that must not come out too small, and for one Gaussian that stands for several.
ROUNDED_UP = 2.0**-49
# Where one order takes long, D_α is tabulated at these shares of the way from one order of the grid to the next. With
# twice as many, the chords lie a quarter as far above the curve.
_SHARES = np.linspace(0.0, 1.0, 65)
_CONVEX = 1e-13  # relative size of a negative second difference that still counts as round-off


@lru_cache(maxsize=256)
def _tables(mechanism: PrivacyProfile, direction: str) -> dict[int, tuple[np.ndarray, np.ndarray] | None]:
    """The tables that `_tabulate` has made for a mechanism, by the index of the lower order in the grid."""
    return {}


def _tabulate(mechanism: PrivacyProfile, direction: str, cells: np.ndarray) -> None:
    """α − 1 and (α − 1)D_α between neighbouring orders of the grid; None where they are not convex in α.

    All in one call: an integral over the profile shares its panels among the orders, and one order costs as much as thirty.
    """
    order = EXCESS_ORDERS[cells, None] + _SHARES * (EXCESS_ORDERS[cells + 1] - EXCESS_ORDERS[cells])[:, None]
    values = order * np.asarray(mechanism.renyi(1 + order, direction=direction))
    for cell, *table in zip(cells.tolist(), order, values, strict=True):
        convex = np.isfinite(table[1]).all() and (np.diff(table[1], 2) >= -_CONVEX * table[1][1:-1]).all()
        _tables(mechanism, direction)[cell] = (table[0], table[1]) if convex else None


def _divergence(mechanism: PrivacyProfile, alpha: np.ndarray, direction: str) -> np.ndarray:
    """D_α; where it has no closed form, by chords of the convex (α − 1)D_α, which lie above it by about 1e-6 of itself."""
    if mechanism.has_closed_renyi or alpha.size == 0:
        return np.asarray(mechanism.renyi(alpha, direction=direction))
    order, known = alpha.reshape(-1) - 1, _tables(mechanism, direction)
    cells = np.searchsorted(EXCESS_ORDERS, order, side="right") - 1
    inside = (cells >= 0) & (cells < EXCESS_ORDERS.size - 1)
    missing = np.array([cell for cell in np.unique(cells[inside]) if cell not in known], dtype=int)
    if missing.size:
        _tabulate(mechanism, direction, missing)
    result = np.empty(order.shape)
    for cell in np.unique(cells):
        here = cells == cell
        table = known.get(int(cell))
        if table is None:
            result[here] = mechanism.renyi(1 + order[here], direction=direction)
        else:
            result[here] = np.interp(order[here], *table) / order[here] * (1 + ROUNDED_UP)
    return result.reshape(alpha.shape)


def _exactly(mechanism: PrivacyProfile, alpha: np.ndarray, direction: str) -> np.ndarray:
    return np.asarray(mechanism.renyi(alpha, direction=direction))


@lru_cache(maxsize=256)
def _at_orders(mechanism: PrivacyProfile, direction: str) -> np.ndarray:
    """One mechanism's curve at the orders that every conversion starts from."""
    values = np.asarray(mechanism.renyi(1 + EXCESS_ORDERS, direction=direction))
    values.setflags(write=False)
    return values


def _added(
    curve: OfParts,
    alpha: np.ndarray,
    direction: str,
    divergence: Callable[[PrivacyProfile, np.ndarray, str], np.ndarray],
) -> np.ndarray:
    """Σ_j k_j D_α^{(j)}; at the orders of the grid each part's curve is computed once."""
    one = curve.stand_in(direction)
    on_grid = alpha.shape == EXCESS_ORDERS.shape and np.array_equal(alpha, 1 + EXCESS_ORDERS)
    return np.sum([k * (_at_orders(m, one) if on_grid else divergence(m, alpha, one)) for m, k in curve.parts], axis=0)


class _Chords(OfParts, RenyiCurve):
    """The conversion of a composition, by chords between the orders of a table where one order takes long."""

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return _added(self, alpha, direction, _divergence)


@dataclass(frozen=True)
class RenyiComposition(OfParts, RenyiCurve):
    r"""Rényi divergences of the parts, added order by order.

    .. math:: D_α = \sum_j k_j D_α^{(j)}

    References: mironov-2017, canonne-kamath-steinke-2020, redberg-koskela-wang-2023 (Lemma J.5).
    """

    card: ClassVar[FormulaCard] = formula_card(__file__, "renyi_composition")

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return _added(self, alpha, direction, _exactly)

    @cached_property
    def _pure(self) -> dict[str, float]:
        """D_∞ of each direction, rounded up: δ = 0 from there on."""
        up = 1 + ROUNDED_UP * len(self.parts)
        return {
            one: up * float(sum(k * float(m.epsilon(0.0, direction=one)) for m, k in self.parts))
            for one in (DIRECTIONS[:1] if self.symmetric else DIRECTIONS)
        }

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        pure = epsilon >= self._pure[self.stand_in(direction)]
        finite = _Chords(self.parts)._log_delta(np.where(pure, 0.0, epsilon), direction)
        return np.where(pure, -np.inf, finite)

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        pure = self._pure.values() if direction == "both" or self.symmetric else [self._pure[direction]]
        return np.minimum(_Chords(self.parts)._inverse(excess, targets, direction), max(pure))
