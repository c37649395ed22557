"""Definition 7 of the per-instance paper: moments of ε over the rows, and the bounds they give on the tail."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

MOMENT_ORDERS = (1, 2, 4, 8)
_POINTS = 200

MOMENTS_CARD = formula_card(__file__, "moments")


@dataclass(frozen=True, eq=False)
class EpsilonMoments:
    """E ε^k over the rows, and the share of rows at or above each ε: counted, and bounded by the moments.

    threshold, share : (n_points,); bounds : (n_orders, n_points), Markov's inequality by order.
    """

    orders: tuple[int, ...]
    values: tuple[float, ...]
    threshold: np.ndarray
    share: np.ndarray
    bounds: np.ndarray

    def quantile(self, share: float, order: int) -> float:
        """An ε that at most a share 1 − `share` of the rows reaches, from the moments up to an order, nats."""
        rest = 1 - validation.probability("share", share, allow_one=False)
        known = zip(self.orders, self.values, strict=True)
        return min((value / rest) ** (1 / k) for k, value in known if k <= order)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """What a chart draws."""
        lines = [
            Curve(f"Order {k}", self.threshold, bound, Bound.UPPER) for k, bound in zip(self.orders, self.bounds, strict=True)
        ]  # fmt: skip
        counted = np.where(self.share > 0, self.share, np.nan)
        return (*lines, Curve("Rows counted", self.threshold, counted, Bound.EXACT))


def exposure_moments(epsilon: Any, orders: tuple[int, ...] = MOMENT_ORDERS) -> EpsilonMoments:
    r"""Moments of ε over the rows, and the tail that they allow.

    .. math:: P[ε ≥ t] ≤ E ε^k / t^k

    Parameters
    ----------
    epsilon : (n_rows,), nats, finite and not all 0; orders : k ≥ 1

    Raises
    ------
    ParameterError

    References: wang-2019 (Definition 7).
    """
    values = np.sort(validation.real_array("epsilon", epsilon, low=0.0))
    if not np.isfinite(values).all() or values[-1] == 0:
        raise ParameterError("epsilon must be finite and not 0 for all rows: its moments say nothing then")
    found = tuple(float(np.mean(values**k)) for k in orders)
    threshold = np.geomspace(np.median(values) / 10 or values[-1] / 1e3, 3 * values[-1], _POINTS)
    share = 1 - np.searchsorted(values, threshold, side="left") / values.size
    bounds = np.array([np.minimum(1.0, value / threshold**k) for k, value in zip(orders, found, strict=True)])
    return EpsilonMoments(tuple(orders), found, threshold, share, bounds)
