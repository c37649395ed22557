"""The noise law of every private learner: what it adds, read off its output, is what its plan's numbers say it must be.

In units where nothing is 1: rows up to R, targets up to B, gradients clipped to C, solvers that stop early at τ.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import optimize, stats

import dpcore as dp
from dpcore.learners import Learner, Plan
from dpcore.learners.napp import Regularizer
from tests.errata.oracles import gaussian_delta
from tests.learners.data import numbers

R, B, C = 2.0, 3.0, 5.0
RUNS, ROWS = 250, 40
CHOICES: dict[str, Any] = {
    "loss": "squared", "epsilon": 1.5, "delta": 1e-3, "clip": C, "tau": 0.3, "regularizer": Regularizer("ridge", 2.0),
    "optimizer": "sgd", "epochs": 1, "batch": ROWS, "learning_rate": 0.3,
}  # fmt: skip


@cache
def data() -> dp.Dataset:
    found = numbers(ROWS, 2, bound=B)
    X = found.X * np.linspace(0.2, R, ROWS)[:, None]
    return dp.Dataset.from_arrays(X, found.y, domain=dp.Domain(row_norm=R, target_bound=B))


@cache
def gaussian_noise(epsilon: float, delta: float, sensitivity: float) -> float:
    """Standard deviation of the analytic Gaussian mechanism, from its formula."""
    log_ratio = optimize.brentq(lambda log: gaussian_delta(epsilon, np.exp(log)) - delta, -7.0, 3.0, xtol=1e-12)
    return sensitivity / float(np.exp(log_ratio))


@cache
def best_epsilon(sigma: float, lam: float) -> float:
    """What σ and λ are worth at this C and this curvature R² of a record, by the tight profile."""
    return float(dp.ObjectivePerturbation(sigma, lam, C, R**2, monotone=False).epsilon(1e-3))


def slope(theta: np.ndarray) -> np.ndarray:
    """Sum of the clipped gradients of the squared loss."""
    rows = data()
    limit = C / np.linalg.norm(rows.X, axis=1)
    return np.clip(rows.X @ theta - rows.y, -limit, limit) @ rows.X


def whitened(theta: np.ndarray, gamma: float, lam: float) -> np.ndarray:
    """Of N(θ̂, H⁻¹/γ), H = XᵀX + λI."""
    rows = data()
    hessian = rows.X.T @ rows.X + lam * np.eye(2)
    return np.sqrt(gamma) * np.linalg.cholesky(hessian).T @ (theta - np.linalg.solve(hessian, rows.X.T @ rows.y))


Run = Callable[[Plan], dp.Release]


def output_perturbation(plan: Plan, run: Run) -> np.ndarray:
    """A record moves the minimiser by C/λ, and each of two solvers stops within τ/λ of it."""
    still, lam, tau = run(plan.with_noise(1e-9)).theta, plan.parameters["lam"], plan.parameters["tau"]
    assert np.linalg.norm(slope(still) + lam * still) <= tau * (1 + 1e-6)
    return (run(plan).theta - still) / gaussian_noise(1.5, 1e-3, (C + 2 * tau) / lam)


def objective_perturbation(plan: Plan, run: Run) -> np.ndarray:
    """b is minus the gradient of the rest, but for τ; λ and σ are worth the target at this C and curvature R²."""
    theta, chosen = run(plan).theta, plan.parameters
    assert 1.4 < best_epsilon(chosen["sigma"], chosen["lam"]) <= 1.5 * (1 + 1e-9)
    return -(slope(theta) + chosen["lam"] * theta) / chosen["sigma"]


def amp(plan: Plan, run: Run) -> np.ndarray:
    """The same, and noise on the result that hides a move of 2τ/λ."""
    bare = dataclasses.replace(plan, parameters={**plan.parameters, "sigma_out": 1e-12})
    added = (run(plan).theta - run(bare).theta) / plan.parameters["sigma_out"]
    move = 2 * plan.parameters["tau"] / plan.parameters["lam"]
    assert abs(move / plan.parameters["sigma_out"] / 1e-4 - 1) < 1e-9  # times min(1, ε)
    return np.concatenate([objective_perturbation(plan, lambda _: run(bare)), added])


def posterior_sampling(plan: Plan, run: Run) -> np.ndarray:
    return whitened(run(plan).theta, plan.parameters["gamma"], plan.parameters["lam"])


def adaops(plan: Plan, run: Run) -> np.ndarray:
    """A record moves the smallest eigenvalue by at most R²; λ follows from what was released of it."""
    release, rows = run(plan), data()
    chosen = release.parameters
    noise = gaussian_noise(1.5 / 2, 1e-3 / 3, R**2)
    assert abs(plan.profile.sample.residual - 1 - np.sqrt(2 * chosen["kappa"])) < 1e-12  # in units of B
    lowest = chosen["released_eigenvalue"] - noise * stats.norm.isf(1e-3 / 3) - R**2  # of both neighbours
    assert abs(chosen["lam"] - max(0.0, ROWS * R**2 / (2 * chosen["kappa"]) - lowest)) < 1e-6 * noise
    smallest = np.linalg.eigvalsh(rows.X.T @ rows.X)[0]
    eigenvalue = (chosen["released_eigenvalue"] - smallest) / noise
    return np.append(whitened(release.theta, chosen["gamma"], chosen["lam"]), eigenvalue)


def dp_sgd(plan: Plan, run: Run) -> np.ndarray:
    """One full step from 0: the sum of the clipped gradients, and noise for a sum that one record moves by C."""
    needed = gaussian_noise(1.5, 1e-3, C)
    assert -1e-9 < plan.parameters["noise_multiplier"] * C / needed - 1 < 1.1e-3
    return -(run(plan).theta * ROWS / CHOICES["learning_rate"] + slope(np.zeros(2))) / needed


def noise_augmentation(plan: Plan, run: Run) -> np.ndarray:
    """Twice the quadratic that is there for certain is the penalty."""
    theta, sigma, lam = run(plan).theta, plan.parameters["noise"].sigma, 2 * plan.parameters["square"]
    assert 1.499 < best_epsilon(sigma, lam) <= 1.5 * (1 + 1e-9)
    return -(slope(theta) + lam * theta) / sigma


def spherical(plan: Plan, run: Run) -> np.ndarray:
    """Density ∝ exp(−c‖b‖) in the plane: ‖b‖ is Gamma(2, 1/c), its direction uniform; ε = cC + log(1 + R²/2q)."""
    theta, square = run(plan).theta, plan.parameters["square"]
    rate = (1.5 - np.log1p(R**2 / (2 * square))) / C
    b = -(slope(theta) + 2 * square * theta)
    shares = [stats.gamma.cdf(np.hypot(*b), 2, scale=1 / rate), np.arctan2(*b) / (2 * np.pi) + 0.5]
    return stats.norm.ppf(shares)


READ_OFF: dict[str, tuple[Callable[[Plan, Run], np.ndarray], dict[str, Any]]] = {
    "amp": (amp, {}),
    "objective_perturbation": (objective_perturbation, {}),
    "output_perturbation": (output_perturbation, {"tau": 10.0}),
    "posterior_sampling": (posterior_sampling, {}),
    "adaops": (adaops, {}),
    "dp_sgd": (dp_sgd, {}),
    "noise_augmentation": (noise_augmentation, {}),
    "noise_augmentation, pure": (spherical, {"delta": 0.0}),
}


def standard_normal(name: str) -> np.ndarray:
    """What a learner adds in units of what it must add, (runs, coordinates): independent standard normal numbers."""
    read, choices = READ_OFF[name]
    kind = dp.LEARNERS[name.partition(",")[0]]
    fields = {field.name for field in dataclasses.fields(kind)}
    learner: Learner = kind(**{key: value for key, value in {**CHOICES, **choices}.items() if key in fields})
    rows = data()
    plan = learner.plan(dp.PublicFacts.of(rows))
    assert 1.49 < float(plan.profile.epsilon(1e-3)) <= 1.5 * (1 + 1e-9)
    return np.array([
        read(plan, lambda plan, seed=seed: learner._release(rows, plan, np.random.default_rng(seed))) for seed in range(RUNS)
    ])  # fmt: skip
