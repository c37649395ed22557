"""How close a private linear regression comes to the Cramér–Rao bound: theory and simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.data import Dataset, Domain
from dpcore.errors import ParameterError
from dpcore.learners.base import Learner


@dataclass(frozen=True)
class Efficiency:
    """Mean squared errors E‖θ − θ₀‖² at one n: measured over repeats with its standard error, predicted, Cramér–Rao."""

    n: int
    measured: float
    standard_error: float
    not_private: float
    predicted: float
    cramer_rao: float

    @property
    def ratio(self) -> float:
        """Measured error over the Cramér–Rao bound; 1 is full efficiency."""
        return self.measured / self.cramer_rao


def posterior_sample_error(gram: Any, lam: float, gamma: float, noise_variance: float, theta: Any) -> float:
    r"""E‖θ_sample − θ₀‖² of one posterior sample for y = Xθ₀ + noise, X fixed.

    .. math:: σ² \operatorname{tr}(H^{-1}X^⊤XH^{-1}) + \tfrac1γ\operatorname{tr}(H^{-1}) + λ²‖H^{-1}θ_0‖², \quad H = X^⊤X + λI

    Parameters
    ----------
    gram : XᵀX (n_features, n_features); theta : θ₀ (n_features,)
    lam ≥ 0, gamma > 0, noise_variance : σ² ≥ 0

    Raises
    ------
    ParameterError

    References: wang-2019 (Proposition 16.3, corrected).
    """
    gram, theta = validation.real_array("gram", gram), validation.real_array("theta", theta)
    lam, gamma = validation.non_negative("lam", lam), validation.positive("gamma", gamma)
    variance = validation.non_negative("noise_variance", noise_variance)
    if gram.shape != (theta.size, theta.size):
        raise ParameterError(f"gram must be {theta.size} × {theta.size}, got shape {gram.shape}")
    inverse = np.linalg.inv(gram + lam * np.eye(theta.size))
    bias = lam * inverse @ theta
    return float(variance * np.trace(inverse @ gram @ inverse) + np.trace(inverse) / gamma + bias @ bias)


def simulate_efficiency(
    learner: Learner,
    n: int,
    *,
    dimension: int = 3,
    noise: float = 0.2,
    repeats: int = 50,
    rng: int | np.random.Generator = 0,
) -> Efficiency:
    """Mean squared error of a learner on y = Xθ₀ + noise, rows uniform on the sphere, ‖θ₀‖ = ½, targets clipped at ±1.

    Parameters
    ----------
    learner : a learner of linear regression whose parameters include "gamma" and "lam"
    n : rows; dimension : columns; noise : σ; repeats ≥ 2
    rng : generator, or a seed

    Raises
    ------
    ParameterError

    References: wang-2019 (Proposition 17).
    """
    n, dimension = validation.integer("n", n, minimum=2), validation.integer("dimension", dimension, minimum=1)
    repeats, noise = validation.integer("repeats", repeats, minimum=2), validation.positive("noise", noise)
    rng = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    theta = np.full(dimension, 0.5 / np.sqrt(dimension))
    errors, plain, predicted, bounds = (np.empty(repeats) for _ in range(4))
    for k in range(repeats):
        X = rng.standard_normal((n, dimension))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y = np.clip(X @ theta + noise * rng.standard_normal(n), -1.0, 1.0)
        release = learner.fit(Dataset.from_arrays(X, y, domain=Domain()), rng)
        gram = X.T @ X
        errors[k] = np.square(release.theta - theta).sum()
        plain[k] = np.square(np.linalg.solve(gram, X.T @ y) - theta).sum()
        chosen = release.parameters
        predicted[k] = posterior_sample_error(gram, chosen["lam"], chosen["gamma"], noise**2, theta)
        bounds[k] = noise**2 * np.trace(np.linalg.inv(gram))
    spread = float(errors.std(ddof=1) / np.sqrt(repeats))
    return Efficiency(n, *(float(v) for v in (errors.mean(), spread, plain.mean(), predicted.mean(), bounds.mean())))
