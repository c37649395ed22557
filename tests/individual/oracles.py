"""Per-instance truth: refits without each row, and both hockey sticks in arbitrary precision."""

from __future__ import annotations

from types import SimpleNamespace

import mpmath as mp
import numpy as np

import dpcore as dp
from tests.oracles import LOSSES, NEGATIVE_INFINITY, settled, upper_tail


def ridge(X: np.ndarray, y: np.ndarray, lam: float) -> np.ndarray:
    return np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T @ y)


def refit_without(X: np.ndarray, y: np.ndarray, lam: float, row: int) -> SimpleNamespace:
    """One row left out: its leverage and residual, out of sample and in it, and both estimates."""
    X_rest, y_rest = np.delete(X, row, axis=0), np.delete(y, row)
    eye = lam * np.eye(X.shape[1])
    with_, without = ridge(X, y, lam), ridge(X_rest, y_rest, lam)
    x = X[row]
    mu, mu_in = (x @ np.linalg.solve(rows.T @ rows + eye, x) for rows in (X_rest, X))
    residuals = {"r": y[row] - x @ without, "r_in": y[row] - x @ with_}
    return SimpleNamespace(theta_without=without, theta_with=with_, mu=mu, mu_in=mu_in, **residuals)


def precise_refit(X: np.ndarray, y: np.ndarray, lam: float, row: int, digits: int = 60) -> tuple[mp.mpf, mp.mpf]:
    """(μ, r) of a row against all others, solved with `digits` digits."""
    with mp.workdps(digits):
        rest = [i for i in range(len(X)) if i != row]
        A = mp.matrix(np.delete(X, row, axis=0).tolist()) if rest else mp.zeros(0, X.shape[1])
        H = mp.eye(X.shape[1]) * mp.mpf(lam)
        moment = mp.zeros(X.shape[1], 1)
        if rest:
            H += A.T * A
            moment = A.T * mp.matrix([float(y[i]) for i in rest])
        x = mp.matrix(X[row].tolist())
        return (x.T * mp.lu_solve(H, x))[0], mp.mpf(float(y[row])) - (x.T * mp.lu_solve(H, moment))[0]


def precise_fit(loss: str, X: np.ndarray, y: np.ndarray, lam: float, clip: float | None = None, b=0.0) -> np.ndarray:
    """The minimiser of the losses, each gradient clipped, and λ‖θ‖²/2 + bᵀθ, to nineteen digits.

    Gradients are in extended precision, steps in doubles, halved while the gradient does not shrink.
    """
    _, slope, bend, _ = LOSSES[loss]
    X, y, theta = X.astype(np.longdouble), y.astype(np.longdouble), np.zeros(X.shape[1], dtype=np.longdouble)
    limit = np.inf if clip is None else clip / np.sqrt((X**2).sum(axis=1))

    def gradient(theta):
        return X.T @ np.clip(slope(X @ theta, y), -limit, limit) + lam * theta + b

    def length(vector):
        return np.linalg.norm(vector.astype(float))

    for _ in range(200):
        left, u = gradient(theta), X @ theta
        bent = np.where(np.abs(slope(u, y)) < limit, bend(u, y), 0.0)
        step = np.linalg.solve(((X.T * bent) @ X + lam * np.eye(theta.size)).astype(float), left.astype(float))
        if length(step) < 1e-18 * length(theta):
            break
        while length(step) > 1e-8 and not length(gradient(theta - step)) < length(left):
            step = step / 2
        theta = theta - step
    return theta.astype(float)


def posterior_log_delta(epsilon: float, mu: float, r: float, gamma: float, direction: str) -> mp.mpf:
    """log δ of one posterior sample in the variable s = y − xᵀθ, from the four normal probabilities."""

    def compute() -> mp.mpf:
        e, u, g, residual = mp.mpf(epsilon), mp.mpf(mu), mp.mpf(gamma), mp.mpf(r)
        laws = (residual, mp.sqrt(u / g)), (residual / (1 + u), mp.sqrt(u / g / (1 + u)))
        side = 1 if direction == "add" else -1
        square = 2 / g * (mp.log(1 + u) / 2 + side * e) + residual**2 / (1 + u)
        if square <= 0:
            return NEGATIVE_INFINITY
        c = mp.sqrt(square)
        without, present = (
            [upper_tail((c - mean) / sd) + upper_tail((c + mean) / sd) for mean, sd in laws]
            if direction == "add"
            else [upper_tail((mean - c) / sd) - upper_tail((mean + c) / sd) for mean, sd in laws]
        )
        value = without - mp.exp(e) * present if direction == "add" else present - mp.exp(e) * without
        return mp.log(value) if value > 0 else mp.nan

    return settled(compute, digits=20)


def laws(mechanism, X, y):
    """Mean and covariance of the release, from scratch."""
    H = X.T @ X + mechanism.lam * np.eye(X.shape[1])
    inverse = np.linalg.inv(H)
    covariance = {
        dp.PosteriorSampling: lambda: inverse / mechanism.gamma,
        dp.OutputPerturbation: lambda: mechanism.sigma**2 * np.eye(len(H)),
        dp.ObjectivePerturbation: lambda: mechanism.sigma**2 * inverse @ inverse,
    }[type(mechanism)]()
    return inverse @ X.T @ y, covariance


def normal_divergence(alpha, first, second):
    """Rényi divergence of multivariate normal laws, from the textbook formula."""
    (m1, c1), (m2, c2) = first, second
    mixed = alpha * c2 + (1 - alpha) * c1
    if np.linalg.eigvalsh(mixed)[0] <= 0:
        return np.inf
    logdet = [np.linalg.slogdet(c)[1] for c in (mixed, c1, c2)]
    quadratic = 0.5 * alpha * (m1 - m2) @ np.linalg.solve(mixed, m1 - m2)
    return quadratic - (logdet[0] - (1 - alpha) * logdet[1] - alpha * logdet[2]) / (2 * (alpha - 1))
