"""The samplers' empirical law against adaptive quadrature on targets of every kind: Kolmogorov–Smirnov and W1."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson, quad

from dpcore.sampling import certified_steps, mala, proximal_sampler
from tests.sampling.targets import LINES, PLANES

CHAINS = 1000
LEVEL = 1e-4  # of each test; with two dozen of them a false alarm has probability 0.3 % at any one seed, and the seed is fixed

FARTHEST = math.sqrt(-0.5 * math.log(LEVEL / 2) / CHAINS)  # of Kolmogorov and Smirnov


def line_truth(case):
    """Normalised cumulative distribution at the points of a fine grid, by scipy's adaptive quadrature."""
    reach = 9 / math.sqrt(case.target.strong_convexity)
    at = float(case.target.optimum()[0])
    low, high = max(-case.target.radius, at - reach), min(case.target.radius, at + reach)
    grid = np.union1d(np.linspace(low, high, 400), [k for k in case.kinks if low < k < high])
    floor = min(case.scalar(x) for x in grid)
    panels = itertools.pairwise(grid)
    masses = [quad(lambda x: math.exp(floor - case.scalar(x)), a, b, epsrel=1e-10)[0] for a, b in panels]
    return grid, np.minimum(np.concatenate([[0.0], np.cumsum(masses)]) / np.sum(masses), 1.0)


def distances(sample, grid, cumulative):
    """(KS statistic, W1 distance) of a sample to the distribution."""
    sample = np.sort(sample)
    n = len(sample)
    exact = np.interp(sample, grid, cumulative)
    ks = max(np.max(np.arange(1, n + 1) / n - exact), np.max(exact - np.arange(n) / n))
    empirical = np.searchsorted(sample, grid, side="right") / n
    return ks, float(np.trapezoid(np.abs(empirical - cumulative), grid))


def w1_error(grid, cumulative, n):
    """E√n W1 = √(2/π) ∫ √(F(1 − F)), the sampling error of an exact sampler."""
    return math.sqrt(2 / math.pi / n) * float(np.trapezoid(np.sqrt(cumulative * (1 - cumulative)), grid))


@pytest.mark.parametrize("case", LINES, ids=lambda case: case.name)
def test_proximal_sampler_on_a_line(case):
    steps = min(certified_steps(case.target, 1e-3), 800)
    found = proximal_sampler(case.target, chains=CHAINS, steps=steps, rng=np.random.default_rng(5))
    truth = line_truth(case)
    ks, w1 = distances(found.last[:, 0], *truth)
    assert ks <= FARTHEST
    assert w1 <= 3 * w1_error(*truth, CHAINS)


def marginal_truth(case, axis):
    """Normalised cumulative marginal of one coordinate: adaptive quadrature across, Simpson's rule along."""
    at = case.target.optimum()
    reach = 7 / math.sqrt(case.target.strong_convexity)
    radius = case.target.radius
    grid = np.linspace(max(-radius, at[axis] - reach), min(radius, at[axis] + reach), 161)
    floor = float(case.target.potential(at[None])[0])

    def across(x):
        half = math.sqrt(max(radius**2 - x**2, 0.0)) if radius < math.inf else reach + abs(at[1 - axis])
        point = (lambda y: (x, y)) if axis == 0 else (lambda y: (y, x))
        return quad(lambda y: math.exp(floor - case.scalar(*point(y))), -half, half, epsrel=1e-8, limit=200)[0]

    cumulative = cumulative_simpson([across(x) for x in grid], x=grid, initial=0.0)
    return grid, np.clip(cumulative / cumulative[-1], 0.0, 1.0)


@pytest.mark.parametrize("case", PLANES, ids=lambda case: case.name)
def test_proximal_sampler_in_the_plane(case):
    steps = min(certified_steps(case.target, 1e-3), 400)
    found = proximal_sampler(case.target, chains=CHAINS, steps=steps, rng=np.random.default_rng(6)).last
    for axis in (0, 1):
        truth = marginal_truth(case, axis)
        ks, w1 = distances(found[:, axis], *truth)
        assert ks <= FARTHEST + 1e-3
        assert w1 <= 3 * w1_error(*truth, CHAINS)


@pytest.mark.parametrize("case", [LINES[1], LINES[3], LINES[5]], ids=lambda case: case.name)
def test_mala_agrees(case):
    found = mala(case.target, chains=CHAINS, steps=400, rng=np.random.default_rng(7))
    assert distances(found.last[:, 0], *line_truth(case))[0] <= FARTHEST
