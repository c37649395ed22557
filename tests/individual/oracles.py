"""Per-instance truth: refits without each row, and both hockey sticks in arbitrary precision."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import mpmath as mp
import numpy as np

import dpcore as dp
from tests.oracles import NEGATIVE_INFINITY, settled, upper_tail


@dataclass(frozen=True)
class Refit:
    """One row left out: leverage, residual (in and out of sample) and both estimates."""

    theta_without: np.ndarray
    theta_with: np.ndarray
    mu: float
    mu_in: float
    r: float
    r_in: float


def ridge(X: np.ndarray, y: np.ndarray, lam: float) -> np.ndarray:
    return np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T @ y)


def refit_without(X: np.ndarray, y: np.ndarray, lam: float, row: int) -> Refit:
    """Solve the normal equations with and without the row."""
    X_rest, y_rest = np.delete(X, row, axis=0), np.delete(y, row)
    eye = lam * np.eye(X.shape[1])
    with_, without = ridge(X, y, lam), ridge(X_rest, y_rest, lam)
    x = X[row]
    return Refit(
        without,
        with_,
        x @ np.linalg.solve(X_rest.T @ X_rest + eye, x),
        x @ np.linalg.solve(X.T @ X + eye, x),
        y[row] - x @ without,
        y[row] - x @ with_,
    )


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


def posterior_delta_by_quadrature(
    epsilon: float, X: np.ndarray, y: np.ndarray, lam: float, gamma: float, x: float, t: float
):
    """(add, remove) for one-dimensional θ: ∫ [p − e^ε q]_+ over the two posterior densities of θ itself, 30 digits."""
    with mp.workdps(30):
        laws = []
        for xs, ys in ((X, y), ([*X, x], [*y, t])):
            h = mp.fsum(mp.mpf(float(v)) ** 2 for v in xs) + mp.mpf(lam)
            mean = mp.fsum(mp.mpf(float(v)) * mp.mpf(float(w)) for v, w in zip(xs, ys, strict=True)) / h
            laws.append((mean, 1 / mp.sqrt(h * mp.mpf(gamma))))
        result = []
        for (m1, s1), (m2, s2) in (laws, laws[::-1]):
            # log p − log q − ε is a quadratic in θ: its roots cut the line into intervals of one sign
            a = 1 / (2 * s2**2) - 1 / (2 * s1**2)
            b = m1 / s1**2 - m2 / s2**2
            c = m2**2 / (2 * s2**2) - m1**2 / (2 * s1**2) + mp.log(s2 / s1) - mp.mpf(epsilon)
            root = b * b - 4 * a * c
            reach = 16 * max(s1, s2)
            ends = [min(m1, m2) - reach, max(m1, m2) + reach]
            cuts = sorted([*ends, *((-b + k * mp.sqrt(root)) / (2 * a) for k in (-1, 1))]) if root > 0 else ends

            def excess(v, m1=m1, s1=s1, m2=m2, s2=s2):
                return mp.npdf(v, m1, s1) - mp.exp(mp.mpf(epsilon)) * mp.npdf(v, m2, s2)

            total = mp.mpf(0)
            for low, high in pairwise(cuts):
                if excess((low + high) / 2) > 0 and low < high:
                    scale = max(abs(excess(low + (high - low) * k / 64)) for k in range(1, 64))
                    panels = [low + (high - low) * k / 6 for k in range(7)]
                    total += scale * mp.quad(lambda v, scale=scale: excess(v) / scale, panels)
            result.append(total)
        return tuple(result)


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


def objective_deltas_on_a_grid(slope, bend, X, y, *, lam, sigma, row, epsilon, points=1201):
    """(add, remove) of one row under objective perturbation in the plane: both densities of θ on a grid, by p(b)|det ∂b/∂θ|.

    `slope` and `bend` are f' and f'' as functions of predictors, y and x.
    """
    theta = np.zeros(2)
    for _ in range(200):  # damped Newton steps; the grid only needs the centre roughly
        parts = [(slope(x @ theta, t, x), bend(x @ theta, t, x), x) for x, t in zip(X, y, strict=True)]
        H = sum(f2 * np.outer(x, x) for _, f2, x in parts) + lam * np.eye(2)
        theta = theta - 0.5 * np.linalg.solve(H, sum(f1 * x for f1, _, x in parts) + lam * theta)
    axis = np.linspace(-7.5 * sigma / lam, 7.5 * sigma / lam, points)
    a, b = np.meshgrid(theta[0] + axis, theta[1] + axis, indexing="ij")
    keep = np.arange(len(X)) != row
    gradient, hessian = [lam * a, lam * b], [lam + 0 * a, 0 * a, lam + 0 * a]
    densities = []
    order = [*np.flatnonzero(keep), row]
    for k, i in enumerate(order):
        u = X[i, 0] * a + X[i, 1] * b
        f1, f2 = slope(u, y[i], X[i]), bend(u, y[i], X[i])
        for j in range(2):
            gradient[j] = gradient[j] + f1 * X[i, j]
        for j, (p, q) in enumerate(((0, 0), (0, 1), (1, 1))):
            hessian[j] = hessian[j] + f2 * X[i, p] * X[i, q]
        if k >= len(order) - 2:
            size = (gradient[0] ** 2 + gradient[1] ** 2) / (2 * sigma**2)
            volume = hessian[0] * hessian[2] - hessian[1] ** 2
            densities.append(np.exp(-size) * volume / (2 * np.pi * sigma**2))
    cell = (axis[1] - axis[0]) ** 2
    return tuple(np.maximum(p - np.exp(epsilon) * q, 0).sum() * cell for p, q in (densities, densities[::-1]))
