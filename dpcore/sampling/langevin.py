"""The Metropolis-adjusted Langevin algorithm, a sampler that shares no step with the proximal one."""

import math

import numpy as np

from dpcore import validation
from dpcore.sampling.chains import Chains
from dpcore.sampling.proximal import first_points
from dpcore.sampling.target import Target


def mala(
    target: Target,
    *,
    chains: int,
    steps: int,
    rng: np.random.Generator,
    start: np.ndarray | None = None,
    step_size: float | None = None,
) -> Chains:
    r"""Propose x − h∇U(x) + √(2h) N(0, I), accept by Metropolis and Hastings; points outside the ball are refused.

    A check of the proximal sampler: the same law, no certificate.

    Parameters
    ----------
    target : Target
    chains, steps : int ≥ 1
    rng : random generator
    start : array (chains, dimension), optional
    step_size : h > 0, by default the inverse of the curvature (or squared slope) times d^(1/3)

    References: lecture-12.
    """
    chains = validation.at_least_one("chains", chains)
    steps = validation.at_least_one("steps", steps)
    h = _default_step(target) if step_size is None else validation.positive("step_size", step_size)
    x = first_points(target, chains, start)
    height, slope = target.potential(x), target.gradient(x)
    draws = np.empty((chains, steps, target.dimension))
    accepted_total = 0
    for step in range(steps):
        moved = x - h * slope + math.sqrt(2 * h) * rng.standard_normal(x.shape)
        new_height, new_slope = target.potential(moved), target.gradient(moved)
        forward = np.sum((moved - x + h * slope) ** 2, axis=1)
        backward = np.sum((x - moved + h * new_slope) ** 2, axis=1)
        log_ratio = height - new_height + (forward - backward) / (4 * h)
        accepted = target.inside(moved) & (rng.exponential(size=chains) >= -log_ratio)
        x = np.where(accepted[:, None], moved, x)
        height = np.where(accepted, new_height, height)
        slope = np.where(accepted[:, None], new_slope, slope)
        accepted_total += int(accepted.sum())
        draws[:, step] = x
    return Chains(draws, accepted_total / (chains * steps))


def _default_step(target: Target) -> float:
    curvature = min(target.smoothness, target.lipschitz**2) + target.strong_convexity
    return 1 / (curvature * target.dimension ** (1 / 3))
