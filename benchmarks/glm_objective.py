"""Per-instance privacy of objective perturbation of a logistic regression: all rows, and one row exactly, against peers.

All rows: the expansion against a loop that integrates each row with `scipy.integrate.quad`, timed on a few rows and multiplied.
One row exactly: the lines of the noise, solved together, against one solve from scratch (scikit-learn is not asked: it has no
linear term) for each of the same points of the same lines, timed on a few of them and multiplied.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy import integrate, optimize, stats

import dpcore as dp
from dpcore.glm import Problem

N, D, SIGMA, DELTA = 10_000, 20, 3.0, 1e-6
PEER_ROWS, PEER_SOLVES = 5, 5
LINES, POINTS = 32, 20  # what the exact computation solves at first


def _data() -> dp.Dataset:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D))
    X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
    y = np.where(rng.random(N) < 1 / (1 + np.exp(-3 * X @ rng.normal(size=D))), 1.0, -1.0)
    return dp.Dataset.from_arrays(X, y)


def _seconds(task: Callable[[], object]) -> float:
    started = time.perf_counter()
    task()
    return time.perf_counter() - started


def _quad_epsilon(margin: float, leverage: float, norm: float, y: float) -> float:
    """ε of one row in the direction of adding it, its margin linear in its noise: a root of an adaptive integral."""

    def integrand(T: float, epsilon: float) -> float:
        m = margin - SIGMA * leverage / norm * T
        pull, bend = -y / (1 + np.exp(y * m)), 1 / (2 + np.exp(m) + np.exp(-m))
        t = T - norm / SIGMA * pull
        return max(stats.norm.pdf(T) - np.exp(epsilon) * stats.norm.pdf(t) * (1 + bend * leverage), 0.0)

    def missed(epsilon: float) -> float:
        return integrate.quad(integrand, -9, 9, args=(epsilon,), limit=200, epsabs=1e-10)[0] - DELTA

    return float(optimize.brentq(missed, 0.0, 5.0, xtol=1e-4)) if missed(0.0) > 0 else 0.0


def _solve_one(dataset: dp.Dataset, rng: np.random.Generator) -> None:
    problem = Problem("logistic", dataset.X, dataset.y, lam=1.0, linear=SIGMA * rng.standard_normal(D))
    optimize.minimize(problem.value_and_gradient, np.zeros(D), jac=True, method="L-BFGS-B", options={"gtol": 1e-6})


def run() -> list[str]:
    """Seconds of both, and the ratios to the peers."""
    dataset = _data()
    mechanism = dp.ObjectivePerturbation(sigma=SIGMA, lam=1.0, loss="logistic")
    result = dp.individual_privacy(dataset, mechanism, DELTA)
    every = _seconds(lambda: result.exposures.epsilon(float(np.log(DELTA))))
    exposures = result.exposures
    rows = np.argsort(-result.epsilon)[:: N // PEER_ROWS][:PEER_ROWS]
    values = [[float(getattr(exposures, name)[k]) for name in ("margin", "leverage", "norm", "y")] for k in rows]
    quad = _seconds(lambda: [_quad_epsilon(*value) for value in values]) * N / PEER_ROWS
    top = result.most_exposed(1)
    exact = _seconds(lambda: result.exact(top))
    twenty = _seconds(lambda: result.exact(result.most_exposed(20)))
    rng = np.random.default_rng(1)
    solves = _seconds(lambda: [_solve_one(dataset, rng) for _ in range(PEER_SOLVES)]) * LINES * POINTS / PEER_SOLVES
    return [
        f"expansion, {N} rows × {D}: {every:.2f} s; scipy.integrate.quad row by row {quad:.0f} s ({quad / every:.0f} ×)",
        f"one row exactly: {exact:.2f} s; the same lines solved one by one {solves:.0f} s ({solves / exact:.0f} ×)",
        f"twenty rows exactly: {twenty:.2f} s",
    ]
