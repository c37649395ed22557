"""The tight profile against mechanisms one can write down: quadrature in one dimension, sampling in three."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from dpcore.mechanisms.objective_perturbation.tight import log_tight

SIGMA, LIPSCHITZ, SMOOTHNESS, LAM = 2.0, 1.0, 1.0, 2.5
SHIFT, KAPPA = LIPSCHITZ / SIGMA, SMOOTHNESS / LAM


def gaussian(x):
    return np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def hockey_sticks(derivative, second, epsilon, lam=LAM, kinks=()):
    """Both directions of H for the one-dimensional mechanism θ = argmin f(θ) + λθ²/2 + bθ, with D empty and x = 1."""
    edges = np.unique(np.concatenate([np.linspace(-14, 14, 8001), -np.asarray(kinks) * lam / SIGMA]))
    half = np.diff(edges)[:, None] / 2
    u = edges[:-1, None] + half * (1 + NODES)
    theta = -SIGMA * u / lam
    moved = gaussian(u - derivative(theta) / SIGMA) * (1 + second(theta) / lam)
    gamma = np.exp(epsilon)
    add = (half * np.maximum(gaussian(u) - gamma * moved, 0) * WEIGHTS).sum()
    return add, (half * np.maximum(moved - gamma * gaussian(u), 0) * WEIGHTS).sum()


def ramp(start, low=0.0):
    return (
        lambda theta: np.clip(SMOOTHNESS * (theta - start) + low, low, LIPSCHITZ),
        lambda theta: np.where((theta > start) & (theta < start + (LIPSCHITZ - low) / SMOOTHNESS), SMOOTHNESS, 0.0),
    )


def best_ramp(low, epsilon, index):
    """Largest hockey stick of one direction over the ramp's position, by scan and zoom."""
    left, right, best = -6.0, 4.0, 0.0
    for _ in range(5):
        starts = np.linspace(left, right, 31)
        kinks = [(start, start + (LIPSCHITZ - low) / SMOOTHNESS) for start in starts]
        values = [hockey_sticks(*ramp(s, low), epsilon, kinks=k)[index] for s, k in zip(starts, kinks, strict=True)]
        peak, best = int(np.argmax(values)), max(best, *values)
        left, right = starts[max(peak - 1, 0)], starts[min(peak + 1, 30)]
    return best


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.3])
@pytest.mark.parametrize(("index", "monotone", "low"), [(1, True, 0.0), (0, False, -LIPSCHITZ), (1, False, -LIPSCHITZ)])
def test_a_huber_ramp_attains_it(epsilon, index, monotone, low):
    claimed = float(np.exp(log_tight(epsilon, SHIFT, KAPPA, ("add", "remove")[index], monotone)))
    assert best_ramp(low, epsilon, index) == pytest.approx(claimed, rel=1e-6)


def test_a_one_sided_ramp_stays_below_the_gaussian_in_the_addition_direction():
    assert best_ramp(0.0, 0.1, 0) <= float(np.exp(log_tight(0.1, SHIFT, KAPPA, "add", True))) * (1 + 1e-7)


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
