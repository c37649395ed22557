"""Synthetic data sets from linear Gaussian and logistic models on the unit ball."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.scaling import scale_rows

_DOMAIN = Domain(rows="normalize")


@dataclass(frozen=True, eq=False)
class Synthetic:
    """A generated data set and the coefficients behind it, shape (n_features,)."""

    dataset: Dataset
    theta: np.ndarray


def linear_gaussian(n_samples: int, n_features: int, noise: float, rng: np.random.Generator) -> Synthetic:
    r"""The linear Gaussian model of the per-instance simulations: rows on the unit sphere, targets clipped.

    .. math:: g_i ∼ N(0, I_d), \quad x_i = g_i/‖g_i‖_2, \quad y_i = \min(1, \max(−1, x_i^⊤θ + s z_i)), \quad z_i ∼ N(0, 1)

    Parameters
    ----------
    n_samples, n_features : whole numbers ≥ 1
    noise : s ≥ 0, in the units of y
    rng : random generator; θ is drawn first, uniform on the unit sphere

    References: wang-2019 (Figure 1).
    """
    X, theta = _design(n_samples, n_features, rng)
    noise = validation.non_negative("noise", noise)
    y = np.clip(X @ theta + noise * rng.standard_normal(len(X)), -1.0, 1.0)
    return Synthetic(Dataset.from_arrays(X, y, domain=_DOMAIN), theta)


def logistic_gaussian(n_samples: int, n_features: int, steepness: float, rng: np.random.Generator) -> Synthetic:
    r"""A logistic model with rows as in `linear_gaussian`: labels ±1 with odds that depend on the margin.

    .. math:: P(y_i = 1 | x_i) = 1/(1 + \exp(−k\, x_i^⊤θ))

    Parameters
    ----------
    steepness : k ≥ 0, dimensionless; 0 makes the labels pure noise
    n_samples, n_features, rng : as in `linear_gaussian`
    """
    X, theta = _design(n_samples, n_features, rng)
    steepness = validation.non_negative("steepness", steepness)
    positive = rng.random(len(X)) < special.expit(steepness * (X @ theta))
    return Synthetic(Dataset.from_arrays(X, np.where(positive, 1.0, -1.0), domain=_DOMAIN), theta)


def _design(n_samples: int, n_features: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows scaled to length 1, and the coefficients."""
    n_samples = validation.at_least_one("n_samples", n_samples)
    n_features = validation.at_least_one("n_features", n_features)
    if not isinstance(rng, np.random.Generator):
        raise validation.ParameterError(f"rng must be a numpy.random.Generator, got {rng!r}")
    theta = rng.standard_normal(n_features)
    X = rng.standard_normal((n_samples, n_features))
    scale_rows(X, _DOMAIN)
    return X, theta / np.linalg.norm(theta)


def linear_data(n_samples: int, n_features: int, noise: float, seed: int) -> Dataset:
    """The data set of `linear_gaussian` with a seed: equal arguments give equal rows."""
    return linear_gaussian(n_samples, n_features, noise, np.random.default_rng(seed)).dataset


def logistic_data(n_samples: int, n_features: int, steepness: float, seed: int) -> Dataset:
    """The data set of `logistic_gaussian` with a seed: equal arguments give equal rows."""
    return logistic_gaussian(n_samples, n_features, steepness, np.random.default_rng(seed)).dataset
