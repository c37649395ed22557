"""The proximal sampler: a Gaussian step, then an exact draw near it, with a proven distance from the target."""

import math

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.errors import ConvergenceError
from dpcore.sampling.chains import Chains
from dpcore.sampling.target import Target

# Number of rounds of the fixed-point iteration that centres the proposal. The draw is exact around any centre; rounds
# only raise the acceptance.
_ROUNDS = 3
_MOST_TRIES = 10_000  # tries after which a draw is given up; doubled, a step that is too long is noticed later


def certified_total_variation(target: Target, steps: int) -> float:
    r"""Proven total variation between the target and the sampler's law after some steps from its start.

    .. math:: \mathrm{TV} ≤ \sqrt{\tfrac12 \mathrm{KL}}, \quad
              \mathrm{KL} ≤ \frac{W^2}{2η} (1 + ηm)^{−2(t−1)}, \quad W² = R² \text{ or } 2d/m

    The first Gaussian step makes the divergence finite, every later one contracts it. R² holds for a start at the centre
    of the ball; the sampler starts there if the ball is bounded, else next to the minimiser, where E‖X − x*‖² ≤ d/m.

    Parameters
    ----------
    target : Target
    steps : int ≥ 1

    References: chen-chewi-salim-wibisono-2022.
    """
    steps = validation.at_least_one("steps", steps)
    log_divergence = _log_first(target) - 2 * (steps - 1) * math.log1p(target.step_size * target.strong_convexity)
    return min(1.0, math.exp(min(0.5 * (log_divergence - math.log(2)), 0.0)))


def certified_steps(target: Target, total_variation: float) -> int:
    """Fewest steps after which `certified_total_variation` is at most the one asked for, in (0, 1)."""
    goal = math.log(validation.open_probability("total_variation", total_variation))
    excess = _log_first(target) - math.log(2) - 2 * goal
    steps = 1 + max(0, math.ceil(excess / (2 * math.log1p(target.step_size * target.strong_convexity))))
    return steps if certified_total_variation(target, steps) <= total_variation else steps + 1


def _log_first(target: Target) -> float:
    squared = target.radius**2 if target.radius < math.inf else 2 * target.dimension / target.strong_convexity
    return math.log(squared / (2 * target.step_size))


def proximal_sampler(target: Target, *, chains: int, steps: int, rng: np.random.Generator) -> Chains:
    r"""Alternate y ~ N(x, ηI) and x ~ exp(−U(x) − ‖x − y‖²/(2η)) on the ball, both exactly.

    The second draw (the restricted Gaussian oracle) is by rejection: U is at least its tangent at a centre plus
    (m/2)‖x − centre‖², which leaves a Gaussian proposal, cut at the half-space that touches the ball in its direction.

    Parameters
    ----------
    target : Target
    chains, steps : int ≥ 1
    rng : random generator

    Raises
    ------
    ConvergenceError
        If a draw is not accepted within 10 000 tries: the step is too long for this target.

    References: lecture-12, chen-chewi-salim-wibisono-2022.
    """
    chains = validation.at_least_one("chains", chains)
    steps = validation.at_least_one("steps", steps)
    eta, x = target.step_size, first_points(target, chains)
    draws = np.empty((chains, steps, target.dimension))
    tried = 0
    for step in range(steps):
        x, tries = restricted_gaussian(target, x + math.sqrt(eta) * rng.standard_normal(x.shape), eta, rng)
        draws[:, step] = x
        tried += tries
    return Chains(draws, chains * steps / tried, certified_total_variation(target, steps))


def restricted_gaussian(target: Target, y: np.ndarray, eta: float, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """One exact draw from exp(−U(x) − ‖x − y‖²/(2η)) on the ball for each row of y, and the number of tries."""
    m = target.strong_convexity
    precision = m + 1 / eta
    centre = target.project(y / (eta * precision))
    for _ in range(_ROUNDS):
        slope = target.gradient(centre)
        mean = (m * centre - slope + y / eta) / precision
        centre = target.project(0.5 * (centre + mean))
    slope, height = target.gradient(centre), target.potential(centre)
    mean = (m * centre - slope + y / eta) / precision
    result = np.empty_like(y)
    waiting = np.arange(len(y))
    tries = 0
    for _ in range(_MOST_TRIES):
        at = centre[waiting]
        x = _gaussian_in_half_space(mean[waiting], precision, target.radius, rng)
        moved = x - at
        floor = height[waiting] + np.einsum("ij,ij->i", slope[waiting] + 0.5 * m * moved, moved)
        with np.errstate(over="ignore"):
            accepted = target.inside(x) & (rng.exponential(size=len(x)) >= target.potential(x) - floor)
        tries += len(x)
        result[waiting[accepted]] = x[accepted]
        waiting = waiting[~accepted]
        if not waiting.size:
            return result, tries
    raise ConvergenceError(
        f"no draw was accepted within {_MOST_TRIES} tries: the step size {eta:.3g} is too long for this target; use a smaller one"
    )


def _gaussian_in_half_space(mean: np.ndarray, precision: float, radius: float, rng: np.random.Generator) -> np.ndarray:
    """Draws of N(mean, I/precision) conditioned on ⟨x, mean/‖mean‖⟩ ≤ radius."""
    noise = rng.standard_normal(mean.shape)
    scale = 1 / math.sqrt(precision)
    if math.isinf(radius):
        return mean + scale * noise
    norm = np.linalg.norm(mean, axis=1)
    direction = mean / np.maximum(norm, np.finfo(float).tiny)[:, None]
    log_share = special.log_ndtr((radius - norm) / scale) + np.log1p(-rng.random(len(mean)))
    along = special.ndtri_exp(log_share)
    noise += (along - np.einsum("ij,ij->i", noise, direction))[:, None] * direction
    return mean + scale * noise


def first_points(target: Target, chains: int) -> np.ndarray:
    """Where the chains begin (chains, dimension): the centre of the ball, or the minimiser."""
    origin = np.zeros(target.dimension) if target.radius < math.inf else target.optimum()
    return np.tile(origin, (chains, 1))


def mala(target: Target, *, chains: int, steps: int, rng: np.random.Generator) -> Chains:
    r"""Propose x − h∇U(x) + √(2h) N(0, I), accept by Metropolis and Hastings; points outside the ball are refused.

    A check of the proximal sampler: the same law, no certificate. The step is h = 1/((min{β, M²} + m) d^(1/3)), with the
    constants of the target.

    Parameters
    ----------
    target : Target
    chains, steps : int ≥ 1
    rng : random generator

    References: lecture-12.
    """
    chains = validation.at_least_one("chains", chains)
    steps = validation.at_least_one("steps", steps)
    curvature = min(target.smoothness, target.lipschitz**2) + target.strong_convexity
    h, x = 1 / (curvature * target.dimension ** (1 / 3)), first_points(target, chains)
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
