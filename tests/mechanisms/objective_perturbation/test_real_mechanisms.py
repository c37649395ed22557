"""The tight profile against mechanisms one can write down: quadrature in one dimension, sampling in three."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from dpcore.mechanisms.objective_perturbation.tight import log_tight

SIGMA, LIPSCHITZ = 2.0, 1.0
SHIFT = LIPSCHITZ / SIGMA


def gaussian(x):
    return np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def hockey_sticks(derivative, second, epsilon, lam):
    """Both directions of H for the one-dimensional mechanism θ = argmin f(θ) + λθ²/2 + bθ, with D empty and x = 1."""
    edges = np.linspace(-14, 14, 8001)
    half = np.diff(edges)[:, None] / 2
    u = edges[:-1, None] + half * (1 + NODES)
    theta = -SIGMA * u / lam
    moved = gaussian(u - derivative(theta) / SIGMA) * (1 + second(theta) / lam)
    gamma = np.exp(epsilon)
    add = (half * np.maximum(gaussian(u) - gamma * moved, 0) * WEIGHTS).sum()
    return add, (half * np.maximum(moved - gamma * gaussian(u), 0) * WEIGHTS).sum()


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.0, 2.0])
@pytest.mark.parametrize("lam", [0.05, 0.5, 5.0])
def test_logistic_loss_stays_below(epsilon, lam):
    offsets = np.linspace(-6, 6, 49)
    values = [
        hockey_sticks(
            lambda t, o=offset: special.expit(t - o),
            lambda t, o=offset: special.expit(t - o) * special.expit(o - t),
            epsilon,
            lam,
        )
        for offset in offsets
    ]
    for value, direction in zip(np.max(values, axis=0), ("add", "remove"), strict=True):
        assert value <= float(np.exp(log_tight(epsilon, SHIFT, 0.25 / lam, direction, True))) * (1 + 1e-7)
