"""From Rényi divergences to (ε, δ): the conversion, minimised over every real order, and the profile it gives."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.optimize import elementwise

from dpcore import validation
from dpcore.profiles.profile import DIRECTIONS, Bound, PrivacyProfile

# Grid of α − 1; the best one is refined between its neighbours. With twice as many, a conversion takes longer.
EXCESS_ORDERS = np.geomspace(1e-9, 1e12, 421)
_TOLERANCE = 1e-8  # tolerance of log(α − 1) at the minimum; the curve is flat there, so it makes 1e-16 in log δ
_STEP = 1e-12  # relative step by which ε is raised until its own δ meets the target in spite of round-off
_LARGEST = 1e290  # value of an order whose divergence is infinite; it is never the minimum


def log_delta_at_order(order: np.ndarray, divergence: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """log δ(ε) implied by D_α at α = 1 + order (not clipped at 0)."""
    with np.errstate(over="ignore"):
        return np.minimum(order * (divergence - epsilon - np.log1p(1 / order)) - np.log1p(order), _LARGEST)


def epsilon_at_order(order: np.ndarray, divergence: np.ndarray, log_delta: np.ndarray) -> np.ndarray:
    """ε(δ) implied by D_α at α = 1 + order (may be negative)."""
    with np.errstate(over="ignore"):
        return np.minimum(divergence - np.log1p(1 / order) - (log_delta + np.log1p(order)) / order, _LARGEST)


def epsilon_over_orders(order: np.ndarray, divergence: np.ndarray, delta: float) -> np.ndarray:
    """ε(δ) implied by D_α (…, n_orders) known at α = 1 + order alone: the smallest, at least 0; inf where none is finite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = epsilon_at_order(order, divergence, np.log(delta))
    least = np.min(np.where(np.isnan(value), _LARGEST, value), axis=-1)
    return np.where(least >= _LARGEST, np.inf, np.maximum(least, 0.0))


def log_delta_from_renyi(renyi: Callable[..., np.ndarray], epsilon: Any, parameters: tuple[Any, ...] = ()) -> Any:
    r"""log δ(ε) implied by a Rényi curve, minimised over α > 1.

    .. math:: \log δ = \min_α \; (α−1)\left(D_α − ε + \log(1 − 1/α)\right) − \log α

    (Canonne, Kamath and Steinke, proposition 12). Every order gives a valid bound, so the search can only lose
    tightness. It is not the best conversion possible.

    Parameters
    ----------
    renyi : α → D_α in nats, elementwise; inf where there is no bound.
    epsilon : float or array, nats.
    parameters : floats or arrays, broadcast against epsilon, that `renyi` takes after α: many curves at once.

    Returns
    -------
    Same shape as epsilon with the parameters; at most 0.

    References: canonne-kamath-steinke-2020, mironov-2017.
    """
    epsilon = validation.real_array("epsilon", epsilon)
    return np.minimum(_minimum(log_delta_at_order, renyi, epsilon, parameters), 0.0)[()]


def epsilon_from_renyi(renyi: Callable[[np.ndarray], np.ndarray], log_delta: np.ndarray) -> np.ndarray:
    r"""ε(δ) implied by a Rényi curve, minimised over α > 1; inf where no order gives a finite value.

    .. math:: ε = \min_α \; D_α + \log(1 − 1/α) − \frac{\log δ + \log α}{α − 1}

    References: canonne-kamath-steinke-2020, mironov-2017.
    """
    none = np.isneginf(log_delta)
    value = np.maximum(_minimum(epsilon_at_order, renyi, np.where(none, -1.0, log_delta)), 0.0)
    value = np.where(none | (value >= _LARGEST), np.inf, value)
    return np.where(log_delta == 0, 0.0, value)


def _minimum(value: Any, renyi: Any, argument: np.ndarray, parameters: tuple[Any, ...] = ()) -> np.ndarray:
    """min over α of value(α − 1, D_α, argument): the best of the grid, then refined between its neighbours."""
    argument, *given = np.broadcast_arrays(argument, *parameters)
    flat, *rest = (part.reshape(-1) for part in (argument, *given))
    best, smallest = np.empty(flat.size, dtype=int), np.empty(flat.size)
    for curve, here in _groups(rest):
        with np.errstate(invalid="ignore"):
            divergence = np.asarray(renyi(1 + EXCESS_ORDERS, *curve))[:, None]
            coarse = value(EXCESS_ORDERS[:, None], divergence, flat[here])
        coarse = np.nan_to_num(coarse, nan=_LARGEST, posinf=_LARGEST, neginf=-np.inf)
        best[here] = np.clip(coarse.argmin(axis=0), 1, EXCESS_ORDERS.size - 2)
        smallest[here] = coarse.min(axis=0)

    def refined(log_order: np.ndarray, argument: np.ndarray, *curve: np.ndarray) -> np.ndarray:
        order = np.exp(log_order)
        return np.minimum(value(order, np.asarray(renyi(1 + order, *curve)), argument), _LARGEST)

    search = np.isfinite(smallest) & (smallest < _LARGEST)
    if search.any():
        log_orders = np.log(EXCESS_ORDERS)
        bracket = tuple(log_orders[best[search] + step] for step in (-1, 0, 1))
        tolerances = {"xatol": _TOLERANCE, "xrtol": 0.0, "fatol": 0.0, "frtol": 0.0}
        args = tuple(part[search] for part in (flat, *rest))
        found = elementwise.find_minimum(refined, bracket, args=args, tolerances=tolerances)
        reached = np.where(np.isfinite(found.f_x), found.f_x, np.inf)
        smallest[search] = np.minimum(smallest[search], reached)
    return smallest.reshape(argument.shape)


def _groups(parameters: list[np.ndarray]) -> Iterator[tuple[np.ndarray, Any]]:
    """Each distinct combination of parameters, with the places at which it occurs."""
    if not parameters:
        yield np.empty(0), slice(None)
        return
    curves, which = np.unique(np.stack(parameters, axis=1), axis=0, return_inverse=True)
    ends = np.cumsum(np.bincount(which.reshape(-1)))
    yield from zip(curves, np.split(np.argsort(which.reshape(-1), kind="stable"), ends[:-1]), strict=True)


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
        return np.asarray(log_delta_from_renyi(lambda alpha: self._renyi(alpha, direction), epsilon))

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        ends: tuple[str, ...] = DIRECTIONS if direction == "both" and not self.symmetric else (direction,)
        ends = tuple(DIRECTIONS[0] if one == "both" else one for one in ends)
        curves = [lambda alpha, one=one: self._renyi(alpha, one) for one in ends]
        found = np.maximum.reduce([epsilon_from_renyi(curve, targets[0]) for curve in curves])
        found = found * (1 + _STEP)
        step = np.maximum(_STEP * found, np.finfo(float).tiny)
        while (unmet := np.isfinite(found) & (excess(found, *targets) > 0)).any():
            found, step = np.where(unmet, found + step, found), 2 * step
        return found
