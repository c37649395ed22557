"""Algorithm 2 over several rounds: what is retrieved, what noise is left, how far the lasso is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.exhibits.noise_augmentation.settings import SHARE, Case
from dpcore.learners.napp.exact import stationary_point
from dpcore.learners.napp.noise import Noise
from dpcore.learners.napp.retrieval import draw_noise, recycle, settle
from dpcore.learners.napp.weights import Weighting


@dataclass(frozen=True, eq=False)
class RoundPicture:
    """What each number of rounds leads to; 0 is Algorithm 1.

    Parameters
    ----------
    budget : array, nats the noise is scaled for after k rounds, from rε up to at most ε
    noise_norm : array, ‖b‖ after k rounds
    distance : array, ‖θ − lasso‖ after k rounds, the lasso without noise and floor
    """

    budget: np.ndarray
    noise_norm: np.ndarray
    distance: np.ndarray


def recycling_rounds(
    case: Case, weighting: Weighting, noise: Noise, epsilon: float, selection: str = "none", cut: float = -np.inf,
    rounds: int = 4, seed: int = 0,
) -> RoundPicture:  # fmt: skip
    r"""Several rounds of recycling on one b, each at the point it converges to.

    .. math:: b_k = \frac{rε}{rε + Δ_0 + … + Δ_{k−1}} b, \qquad Λ_{0,k} = \min_j m_j(\hatθ_{k−1})

    Parameters
    ----------
    case : data set and loss
    weighting : ridge, lasso or elastic net
    noise : law of b
    epsilon : budget, nats; r = ½
    selection : key of `SELECTIONS`
    rounds : most rounds
    cut : of the noise of "vs", in standard deviations of one b_j
    seed : of b

    References: li-liu-napp (Algorithm 2).
    """
    problem, budget = case.problem, SHARE * validation.positive("epsilon", epsilon)
    size = problem.n_features
    b = draw_noise(noise, selection, size, np.random.default_rng(seed), cut * spread(noise, size))
    target = stationary_point(problem, Weighting(weighting.regularizer, 0.0)).theta
    first = settle(problem, weighting, b, selection=selection)
    found = [
        recycle(problem, weighting, b, noise_budget=budget, jacobian_budget=budget, rounds=k, first=first, selection=selection)
        for k in range(rounds + 1)
    ]  # fmt: skip
    norms = np.array([np.linalg.norm(one.noise) for one in found])
    distances = np.array([np.linalg.norm(one.settled.theta - target) for one in found])
    return RoundPicture(budget * float(np.linalg.norm(b)) / norms, norms, distances)


def spread(noise: Noise, size: int) -> float:
    """Standard deviation of one b_j."""
    return float(np.sqrt(noise.mean_square(size) / size))
