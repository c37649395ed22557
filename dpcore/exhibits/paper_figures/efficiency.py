"""How close a private linear regression comes to the Cramér–Rao bound: theory and simulation."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.calibration.objective import gaussian_sigma
from dpcore.data import Dataset, Domain
from dpcore.errors import ParameterError
from dpcore.exhibits.paper_figures.study import on_sphere
from dpcore.learners.base import Learner

_Estimate = Callable[[np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, float]]
_THETA, _NOISE = np.full(3, 0.5 / np.sqrt(3)), 0.2  # θ₀ and the noise of the model
_TINY = 1e-12  # added to all eigenvalues, so that a block with repeated rows has a fit too


@dataclass(frozen=True)
class Efficiency:
    """Mean squared errors E‖θ − θ₀‖² at one n: measured with a standard error, not private, predicted, Cramér–Rao."""

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


def posterior_sample_error(
    gram: np.ndarray, lam: float, gamma: float, noise_variance: float, theta: np.ndarray
) -> float:
    r"""E‖θ_sample − θ₀‖² of one posterior sample for y = Xθ₀ + noise, X fixed.

    .. math:: σ² \operatorname{tr}(H^{-1}X^⊤XH^{-1}) + \tfrac1γ\operatorname{tr}(H^{-1}) + λ²‖H^{-1}θ_0‖², \quad H = X^⊤X + λI

    Parameters
    ----------
    gram : XᵀX (n_features, n_features); theta : θ₀ (n_features,)
    lam ≥ 0, gamma > 0, noise_variance : σ² ≥ 0

    References: wang-2019 (Proposition 16.3, corrected).
    """
    inverse = np.linalg.inv(gram + lam * np.eye(theta.size))
    bias = lam * inverse @ theta
    return float(noise_variance * np.trace(inverse @ gram @ inverse) + np.trace(inverse) / gamma + bias @ bias)


def simulate_efficiency(
    learner: Learner, n: int, *, repeats: int = 50, rng: int | np.random.Generator = 0
) -> Efficiency:
    """Mean squared error of a learner on y = Xθ₀ + noise, rows uniform on the sphere, ‖θ₀‖ = ½, targets clipped at ±1.

    There are three columns, and the noise is 0.2.

    Parameters
    ----------
    learner : a learner of linear regression whose parameters include "gamma" and "lam"
    n : rows; repeats ≥ 2 : data sets and releases
    rng : generator, or a seed

    Raises
    ------
    ParameterError

    References: wang-2019 (Proposition 17).
    """
    n = validation.integer("n", n, minimum=2)

    def estimate(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
        release = learner.fit(Dataset.from_arrays(X, y, domain=Domain()), rng)
        chosen = release.parameters
        return release.theta, posterior_sample_error(X.T @ X, chosen["lam"], chosen["gamma"], _NOISE**2, _THETA)

    return _simulated(estimate, n, repeats, rng)


def _simulated(estimate: _Estimate, n: int, repeats: int, rng: int | np.random.Generator) -> Efficiency:
    repeats = validation.integer("repeats", repeats, minimum=2)
    rng = np.random.default_rng(rng)
    errors, plain, predicted, bounds = (np.empty(repeats) for _ in range(4))
    for k in range(repeats):
        X = on_sphere(rng, n, _THETA.size)
        y = np.clip(X @ _THETA + _NOISE * rng.standard_normal(n), -1.0, 1.0)
        found, predicted[k] = estimate(X, y, rng)
        gram = X.T @ X
        errors[k] = np.square(found - _THETA).sum()
        plain[k] = np.square(np.linalg.solve(gram, X.T @ y) - _THETA).sum()
        bounds[k] = _NOISE**2 * np.trace(np.linalg.inv(gram))
    spread = float(errors.std(ddof=1) / np.sqrt(repeats))
    return Efficiency(n, *(float(v) for v in (errors.mean(), spread, plain.mean(), predicted.mean(), bounds.mean())))


def subsample_and_aggregate(
    X: np.ndarray, y: np.ndarray, blocks: int, sigma: float, rng: np.random.Generator
) -> np.ndarray:
    r"""Mean of the least-squares estimates of disjoint blocks, each shrunk into the unit ball, with Gaussian noise.

    .. math:: \frac1k \sum_{j ≤ k} \operatorname{clip}_1(\hat θ_j) + N(0, (2σ/k)² I)

    Each row is in one block, so it moves the mean by at most 2/k: the release is a Gaussian mechanism of shift 1/σ if a
    row is replaced, and also if one is added or removed and the blocks of the other rows do not change.

    Parameters
    ----------
    X, y : rows (n, d) and targets; rows left over after equal blocks of n // k rows are not used
    blocks : k ≥ 1, with n // k ≥ d
    sigma : σ > 0
    rng : generator

    Raises
    ------
    ParameterError

    References: wang-2019 (Section 4.2, of Smith's subsample-and-aggregate).
    """
    size, d = len(y) // validation.at_least_one("blocks", blocks), X.shape[1]
    if size < d:
        raise ParameterError(
            f"blocks must leave at least {d} rows in each: {blocks} blocks of {len(y)} rows leave {size}"
        )
    rows, targets = X[: blocks * size].reshape(blocks, size, d), y[: blocks * size].reshape(blocks, size, 1)
    turned = rows.transpose(0, 2, 1)
    fits = np.linalg.solve(turned @ rows + _TINY * np.eye(d), turned @ targets)[..., 0]
    fits /= np.maximum(1.0, np.linalg.norm(fits, axis=1, keepdims=True))
    return np.asarray(fits.mean(axis=0) + 2 * sigma / blocks * rng.standard_normal(d))


def simulate_aggregation(
    epsilon: float, delta: float, n: int, *, repeats: int = 50, rng: int | np.random.Generator = 0
) -> Efficiency:
    r"""Mean squared error of subsample-and-aggregate with k = n^{3/5} blocks, in the setting of `simulate_efficiency`.

    Predicted, for blocks of m rows that behave like normal ones:

    .. math:: σ²\frac{d²}{n}\frac{m}{m − d − 1} + \frac{4dσ_{ε,δ}²}{k²}

    Parameters
    ----------
    epsilon, delta : guarantee of the release
    n, repeats, rng : as in `simulate_efficiency`

    Raises
    ------
    ParameterError

    References: wang-2019 (Section 4.2).
    """
    sigma, blocks = gaussian_sigma(epsilon, delta, 1.0), max(1, round(validation.integer("n", n, minimum=2) ** 0.6))
    d, m = _THETA.size, n // blocks
    grown = m / (m - d - 1) if m > d + 1 else np.inf
    predicted = _NOISE**2 * d**2 / n * grown + d * (2 * sigma / blocks) ** 2

    def estimate(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
        return subsample_and_aggregate(X, y, blocks, sigma, rng), float(predicted)

    return _simulated(estimate, n, repeats, rng)
