"""Synthetic data sets from linear Gaussian and logistic models on the unit ball."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.scaling import scale_rows
from dpcore.errors import DataError


@dataclass(frozen=True, eq=False)
class Synthetic:
    """A generated data set and the coefficients behind it, shape (n_features,)."""

    dataset: Dataset
    theta: np.ndarray


def linear_gaussian(
    n_samples: int,
    n_features: int,
    noise: float,
    rng: np.random.Generator,
    *,
    theta: Any = None,
    domain: Domain | None = None,
) -> Synthetic:
    r"""The linear Gaussian model of the per-instance simulations: rows on the sphere, targets clipped.

    .. math:: g_i ∼ N(0, I_d), \quad x_i = R\, g_i/‖g_i‖_2, \quad
              y_i = \min(B, \max(−B, x_i^⊤θ + s z_i)), \quad z_i ∼ N(0, 1)

    Parameters
    ----------
    n_samples, n_features : whole numbers ≥ 1
    noise : s ≥ 0, in the units of y
    rng : random generator
    theta : array, shape (n_features,); by default uniform on the unit sphere
    domain : bounds R and B; by default R = B = 1 and every row has norm R. With ``rows="clip"`` only longer rows are
        scaled.

    References: wang-2019 (Figure 1).
    """
    X, theta, domain = _design(n_samples, n_features, rng, theta, domain)
    noise = validation.non_negative("noise", noise)
    y = X @ theta + noise * rng.standard_normal(len(X))
    y = np.clip(y, -domain.target_bound, domain.target_bound)
    return Synthetic(Dataset.from_arrays(X, y, domain=domain), theta)


def logistic_gaussian(
    n_samples: int,
    n_features: int,
    steepness: float,
    rng: np.random.Generator,
    *,
    theta: Any = None,
    domain: Domain | None = None,
) -> Synthetic:
    r"""Logistic model on the same rows: labels ±B with odds that depend on the margin.

    .. math:: P(y_i = B | x_i) = 1/(1 + \exp(−k\, x_i^⊤θ))

    Parameters
    ----------
    steepness : k ≥ 0, dimensionless; 0 makes the labels pure noise
    n_samples, n_features, rng, theta, domain : as in `linear_gaussian`
    """
    X, theta, domain = _design(n_samples, n_features, rng, theta, domain)
    steepness = validation.non_negative("steepness", steepness)
    positive = rng.random(len(X)) < special.expit(steepness * (X @ theta))
    y = np.where(positive, domain.target_bound, -domain.target_bound)
    return Synthetic(Dataset.from_arrays(X, y, domain=domain), theta)


def _design(
    n_samples: int, n_features: int, rng: np.random.Generator, theta: Any, domain: Domain | None
) -> tuple[np.ndarray, np.ndarray, Domain]:
    """Gaussian rows brought into the domain, and the coefficients (drawn first, if they are drawn)."""
    n_samples = validation.at_least_one("n_samples", n_samples)
    n_features = validation.at_least_one("n_features", n_features)
    if not isinstance(rng, np.random.Generator):
        raise validation.ParameterError(f"rng must be a numpy.random.Generator, got {rng!r}")
    domain = Domain(rows="normalize") if domain is None else domain
    if theta is None:
        theta = rng.standard_normal(n_features)
        theta /= np.linalg.norm(theta)
    theta = validation.real_array("theta", theta)
    if theta.shape != (n_features,) or not np.isfinite(theta).all():
        raise DataError(f"theta must hold {n_features} finite numbers, got an array of the shape {theta.shape}.")
    X = rng.standard_normal((n_samples, n_features))
    scale_rows(X, domain)
    return X, theta, domain


def linear_data(n_samples: int, n_features: int, noise: float, seed: int) -> Dataset:
    """The data set of `linear_gaussian` with a seed: equal arguments give equal rows."""
    return linear_gaussian(n_samples, n_features, noise, np.random.default_rng(seed)).dataset


def logistic_data(n_samples: int, n_features: int, steepness: float, seed: int) -> Dataset:
    """The data set of `logistic_gaussian` with a seed: equal arguments give equal rows."""
    return logistic_gaussian(n_samples, n_features, steepness, np.random.default_rng(seed)).dataset
