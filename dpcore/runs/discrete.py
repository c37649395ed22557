"""Discrete Laplace noise on whole numbers, by randomised response."""

from __future__ import annotations

from dpcore import validation
from dpcore.mechanisms import RandomizedResponse
from dpcore.runs.run import Sides


def discrete_laplace(scale: float, sensitivity: int = 1) -> Sides:
    r"""Noise on whole numbers with P(x) ∝ e^{−|x|/b}: at sensitivity 1 its losses are ±1/b, those of randomised response.

    At a larger sensitivity Δ no pure mechanism with the largest loss Δ/b reveals more than randomised response, and
    neighbours at distance 1 bound it from below.

    Parameters
    ----------
    scale : float > 0, b
    sensitivity : int ≥ 1, Δ
    """
    scale = validation.positive("scale", scale)
    above, below = RandomizedResponse(sensitivity / scale), RandomizedResponse(1 / scale)
    return Sides(((above, 1),), ((below, 1),))
