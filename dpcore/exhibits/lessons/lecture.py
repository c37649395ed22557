"""The numbers of a first lecture, from one noisy answer to the exposure of single rows."""

from typing import Any

import numpy as np

from dpcore.accountants import compose
from dpcore.data.samples import load_sample
from dpcore.exhibits.exponential_mechanism.study import line_landscape, pure_temperature
from dpcore.exhibits.home.study import ceiling
from dpcore.exhibits.learning_limits.packing import Packing
from dpcore.individual.result import individual_privacy
from dpcore.mechanisms.exponential import ExponentialMechanism
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.mechanisms.randomized_response import RandomizedResponse


def best_guess(sigma: float) -> float:
    """Share of rounds that the best attacker on one answer with noise σ wins, if both cases have probability ½."""
    return ceiling(Gaussian(sigma))


def of_equal_budget(epsilon: float, at: Any) -> dict[str, Any]:
    """δ at each ε in `at` of Laplace noise, randomised response and the exponential mechanism, each (ε, 0)-DP."""
    mechanisms = {
        "Laplace": Laplace(scale=1.0 / epsilon, sensitivity=1.0),
        "Randomised response": RandomizedResponse(epsilon=epsilon),
        "Exponential": ExponentialMechanism(epsilon=epsilon),
    }
    return {name: mechanism.delta(at) for name, mechanism in mechanisms.items()}


def growth(sigma: float, count: int, delta: float) -> tuple[float, float]:
    """ε(δ) of one Gaussian answer and of `count` answers, which reveal as much as one answer with σ/√count."""
    return float(Gaussian(sigma).epsilon(delta)), float(Gaussian(sigma / count**0.5).epsilon(delta))


def survey(epsilon: float, count: int, delta: float) -> dict[str, float]:
    """ε(δ) of `count` randomised answers, by accountant."""
    answers = [(RandomizedResponse(epsilon=epsilon), count)]
    return {method: float(compose(answers, method=method).upper.epsilon(delta)) for method in ("basic", "renyi", "pld")}


def gap(sigma: float, lam: float, epsilon: Any) -> tuple[Any, Any]:
    """δ at each ε of objective perturbation with L = β = 1: by the published hockey-stick bound, and tight."""
    published, tight = (
        ObjectivePerturbation(sigma=sigma, lam=lam, lipschitz=1.0, smoothness=1.0, bound=bound)
        for bound in ("hockey_stick", "tight")
    )
    return published.delta(epsilon), tight.delta(epsilon)


def exposed_rows(sample: str, delta: float) -> tuple[float, float]:
    """Median and largest ε over the rows of a sample, for one draw from the posterior with γ = λ = 1."""
    result = individual_privacy(load_sample(sample), PosteriorSampling(gamma=1.0, lam=1.0), delta)
    return float(np.median(result.epsilon)), float(result.epsilon.max())


def drawn_excess(epsilon: float) -> float:
    """Average excess of a private median of a hundred values, drawn by the exponential mechanism at ε."""
    return float(line_landscape(100, 0.3, 0.3).excess(pure_temperature(epsilon, 100), 0.0))


def forced(records: int, bins: int, epsilon: float) -> tuple[float, float]:
    """Probability that success on every data set forces into all bins without records, and the limit on success."""
    packing = Packing(bins, records, epsilon)
    return packing.held, packing.limit
