"""Private selection from a finite list by error counts: exact probabilities of three mechanisms, and draws."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.numerics import BLOCK, NEGLIGIBLE, PANEL_NODES, panel_rule

SELECTION_MECHANISMS = {
    "exponential": "Exponential mechanism",
    "permute_and_flip": "Permute and flip",
    "noisy_max": "Report noisy max",
}


def selection_probabilities(errors: Any, epsilon: float, method: str = "exponential") -> np.ndarray:
    r"""Probability that each candidate is selected, with weight ε on its number of errors.

    .. math:: p_i ∝ e^{−ε e_i}, \qquad p_i = ∫_0^1 q_i \prod_{j≠i}(1 − u q_j) \, du \; (q_i = e^{−ε(e_i − \min e)}),
              \qquad p_i = P\{−e_i + Z_i \text{ is largest}\}

    for the exponential mechanism, permute and flip, and report noisy max with Laplace noise Z of scale 1/ε. Adding a
    record adds 0 or 1 to every count, so all three are ε-DP under adding or removing one record.

    Parameters
    ----------
    errors : array (n_candidates,), finite
    epsilon : float > 0, nats
    method : name in `SELECTION_MECHANISMS`

    Returns
    -------
    array (n_candidates,), adding up to 1

    References: lecture-10, mckenna-sheldon-2020, dwork-roth-2014.
    """
    errors, epsilon = _counts(errors), validation.moderate("epsilon", epsilon)
    method = validation.choice("method", method, SELECTION_MECHANISMS)
    if method == "exponential":
        return special.softmax(-epsilon * errors)
    distinct, where, counts = np.unique(errors - errors.min(), return_inverse=True, return_counts=True)
    law = _permute_and_flip if method == "permute_and_flip" else _noisy_max
    found = law(epsilon * distinct, counts)[where]
    return found / found.sum()


def select(
    errors: Any, epsilon: float, rng: np.random.Generator, method: str = "exponential", size: int = 1
) -> np.ndarray:
    """Indices (size,) of independent private selections, by adding noise and taking the largest.

    Gumbel noise gives the exponential mechanism, exponential noise permute and flip, Laplace noise report noisy max.

    Parameters
    ----------
    errors, epsilon, method : as for `selection_probabilities`
    rng : random generator
    size : int ≥ 1
    """
    errors, epsilon = _counts(errors), validation.moderate("epsilon", epsilon)
    size = validation.at_least_one("size", size)
    noise: dict[str, Callable[..., np.ndarray]] = {
        "exponential": rng.gumbel,
        "permute_and_flip": rng.exponential,
        "noisy_max": rng.laplace,
    }
    draw = noise[validation.choice("method", method, SELECTION_MECHANISMS)]
    return np.argmax(draw(size=(size, len(errors))) - epsilon * errors, axis=1)


def excess_errors(errors: Any, probabilities: np.ndarray) -> float:
    """Expected number of errors above the best candidate's."""
    errors = _counts(errors)
    return float(probabilities @ (errors - errors.min()))


def excess_error_bound(candidates: int, epsilon: float, beta: float) -> float:
    r"""Errors above the best candidate's that the exponential mechanism exceeds with probability at most β.

    .. math:: t = \log(|H|/β)/ε

    Parameters
    ----------
    candidates : |H| ≥ 1
    epsilon : float > 0, nats
    beta : float in (0, 1]

    References: lecture-10 (Agnostic bound, rate).
    """
    size = validation.at_least_one("candidates", candidates)
    beta = validation.probability("beta", beta, allow_zero=False)
    return math.log(size / beta) / validation.positive("epsilon", epsilon)


def _permute_and_flip(cost: np.ndarray, counts: np.ndarray) -> np.ndarray:
    q = np.exp(-cost)
    edges = np.concatenate([[0.0], np.geomspace(1e-3 / (counts @ q), 1.0, 60)])
    u, weight = (part.ravel() for part in panel_rule(edges, PANEL_NODES))
    with np.errstate(divide="ignore", invalid="ignore"):
        log_rest = np.log1p(-u[:, None] * q)
        together = log_rest @ counts
        return q * (weight @ np.exp(together[:, None] - log_rest))


def _noisy_max(cost: np.ndarray, counts: np.ndarray) -> np.ndarray:
    top = NEGLIGIBLE + math.log(counts.sum())
    kinks = -cost[cost < NEGLIGIBLE]
    edges = np.union1d(np.linspace(-NEGLIGIBLE, top, 241), kinks)
    t, weight = (part.ravel() for part in panel_rule(edges, PANEL_NODES))
    result = np.zeros(len(cost))
    rows = max(1, BLOCK // len(cost))
    for first in range(0, len(t), rows):
        part = slice(first, first + rows)
        z = t[part, None] + cost
        log_below = np.where(z < 0, np.minimum(z, 0.0) - math.log(2), np.log1p(-0.5 * np.exp(-np.maximum(z, 0.0))))
        log_density = -np.abs(z) - math.log(2)
        together = log_below @ counts
        result += weight[part] @ np.exp(log_density + together[:, None] - log_below)
    return result


def _counts(errors: Any) -> np.ndarray:
    array = validation.real_array("errors", errors)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise ParameterError(f"errors must be a non-empty list of finite numbers, got shape {array.shape}")
    return array
