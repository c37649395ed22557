"""Moments of a mechanism run on a Poisson sample, as sums over nodes that stand for its law without the record."""

import numpy as np

from dpcore.numerics import NEGLIGIBLE, expm1_residual
from dpcore.profiles.profile import Moment, Nodes

# How far from its centre a normal density is kept, in standard deviations. It is e^−84 of its peak there.
# Doubled, a sum has up to twice as many nodes.
REACH = 13.0
STEP = 1 / 24  # step of the trapezoid rule over a density, in standard deviations; doubled, half as many nodes
COST = int(2 * REACH / STEP)  # number of exponentials in one sum, about


def sampled_log_moment(nodes: Nodes, rate: float, direction: str) -> Moment:
    """s → log E_Q[r^{s+1}] (remove) or log E_Q[r^{−s}] (add), Q the law without the record and r = 1 − q + q e^ω.

    Parameters
    ----------
    nodes : (low, high) → log weights and losses ω of a sum that stands for E_Q; it holds for every tilt that moves the
        centre of Q by between low and high times the shift
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
        near_one = largest < NEGLIGIBLE  # then the moment − 1 is summed, and nodes of small power contribute too
        kept = (np.maximum(real, log_weight) if near_one else real) > largest - NEGLIGIBLE
        log_ratio, log_weight = log_ratio[kept], log_weight[kept]
        if near_one:
            return np.log1p(np.expm1(power[:, None] * log_ratio) @ np.exp(log_weight))
        return largest + np.log(np.exp(power[:, None] * log_ratio + log_weight - largest).sum(axis=1))

    return log_moment


def sampled_renyi(nodes: Nodes, rate: float, direction: str, order: float) -> float:
    r"""D_α of the same pair at α = 1 + order. A small moment is summed from positive terms, which do not cancel:

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
    """The lowest and the highest multiple of the shift by which the moment of this order moves the centre of Q."""
    return (0.0, order + 1) if direction == "remove" else (-order * rate, 1.0)


def _log_ratio(loss: np.ndarray, rate: float) -> np.ndarray:
    """log(1 − q + q e^ω)."""
    near = np.log1p(rate * np.expm1(np.minimum(loss, 1.0)))
    return np.where(loss < 1, near, np.logaddexp(np.log1p(-rate), np.log(rate) + loss))
