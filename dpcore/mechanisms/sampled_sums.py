"""Moments of a mechanism run on a Poisson sample, as sums over nodes that stand for its law without the record."""

import numpy as np

from dpcore.numerics import NEGLIGIBLE, expm1_residual
from dpcore.profiles.profile import Moment, Nodes

REACH = 13.0  # standard deviations of a density kept: e^−84
STEP = 1 / 24  # of the trapezoid over a density, in standard deviations
COST = int(2 * REACH / STEP)  # exponentials in one sum


def sampled_log_moment(nodes: Nodes, rate: float, direction: str) -> Moment:
    """E_Q[r^{s+1}] (remove) and E_Q[r^{−s}] (add), Q the law without the record and r = 1 − q + q e^ω.

    Parameters
    ----------
    nodes : (low, high) → log weights and losses ω of a sum that stands for E_Q, where tilting moves the centre by low to high
        times the shift
    rate : q in (0, 1)
    direction : "add" or "remove"
    """

    def log_moment(s: np.ndarray) -> np.ndarray:
        theta = float(s.real[0])
        log_weight, loss = nodes(*_tilts(theta, rate, direction))
        log_ratio = _log_ratio(loss, rate)
        power = s + 1 if direction == "remove" else -s
        real = log_weight + float(power.real[0]) * log_ratio
        largest = float(real.max())
        near_one = largest < NEGLIGIBLE  # then the moment less 1 is summed, to which small ratios contribute too
        kept = (np.maximum(real, log_weight) if near_one else real) > largest - NEGLIGIBLE
        log_ratio, log_weight = log_ratio[kept], log_weight[kept]
        if near_one:
            return np.log1p(np.expm1(power[:, None] * log_ratio) @ np.exp(log_weight))
        return largest + np.log(np.exp(power[:, None] * log_ratio + log_weight - largest).sum(axis=1))

    return log_moment


def sampled_renyi(nodes: Nodes, rate: float, direction: str, order: float) -> float:
    r"""D_α of the same pair at α = 1 + order; where the moment is near 1, from positive terms that do not cancel.

    .. math:: E[e^{sω}] − 1 = s\,\mathrm{KL} + E[e^{sω} − 1 − sω], \quad \mathrm{KL} = E[e^{−ω} − 1 + ω]
    """
    log_weight, loss = nodes(*_tilts(order, rate, direction))
    log_ratio = _log_ratio(loss, rate)
    log_p = log_weight + log_ratio if direction == "remove" else log_weight
    loss = log_ratio if direction == "remove" else -log_ratio
    exponent = log_p + order * loss
    largest = float(exponent.max())
    total = largest + float(np.log(np.exp(exponent - largest).sum()))
    if total < 1:
        p = np.exp(log_p)
        divergence = p @ expm1_residual(-loss)
        total = float(np.log1p(order * divergence + p @ expm1_residual(order * loss)))
        return total / order if order else float(divergence)
    return total / order


def _tilts(order: float, rate: float, direction: str) -> tuple[float, float]:
    """Between which multiples of the shift a moment of that order moves the centre."""
    return (0.0, order + 1) if direction == "remove" else (-order * rate, 1.0)


def _log_ratio(loss: np.ndarray, rate: float) -> np.ndarray:
    """log(1 − q + q e^ω)."""
    near = np.log1p(rate * np.expm1(np.minimum(loss, 1.0)))
    return np.where(loss < 1, near, np.logaddexp(np.log1p(-rate), np.log(rate) + loss))
