"""What cells of a line say of δ(ε) while they are still coarse, against integrals over θ that share no code with them.

Once cells are narrow nothing of their bounds matters; on the first of them everything does.
"""

import numpy as np
import pytest

from dpcore.glm import LOSSES, Problem
from dpcore.individual.exact.cells import Cells, LawsOnLines
from dpcore.individual.fit.glm import clipped
from tests.individual.exact.quadrature import Plane, Setting

EPSILONS = (0.05, 0.3, 0.8, 1.5, 3.0)


def line(loss, X, y, lam, sigma, clip=None):
    """The setting of the first row, and its laws on the one line there is."""
    setting = Setting(loss, X, y, lam, clip, 0, sigma=sigma)
    whole = Problem(loss, X, y, lam=lam, clip=clip)
    rest = Problem(loss, np.where(np.arange(len(X))[:, None] == 0, 0.0, X), y, lam=lam, clip=clip)
    own = clipped(LOSSES[loss], clip, X[:1])
    return setting, LawsOnLines(rest, whole, X[0], own, y[:1], sigma)


RNG = np.random.default_rng(8)
OTHERS = np.append(0.9, RNG.uniform(0.3, 1.0, 5) * np.sign(RNG.normal(size=5)))[:, None]
TARGETS = np.append(1.5, 3 * RNG.normal(size=5))
LINES = {
    "logistic": ("logistic", OTHERS, np.sign(TARGETS), 0.3, 1.0),
    "logistic, alone": ("logistic", OTHERS[:1], np.ones(1), 0.2, 2.0),
    "huber": ("huber", OTHERS, TARGETS, 0.1, 2.0),
    "hinge, clipped": ("smoothed_hinge", OTHERS, np.sign(TARGETS), 0.1, 1.5, 0.5),
    "squared, clipped": ("squared", OTHERS, TARGETS, 0.2, 1.0, 0.4),
    "poisson": ("poisson", OTHERS, np.round(np.abs(TARGETS)), 0.5, 1.0),
    "pseudo-Huber": ("pseudo_huber", OTHERS[:3], TARGETS[:3], 0.05, 5.0),
}
WAYS = ("remove", "add")


@pytest.mark.parametrize("name", LINES)
def test_cells_hold_the_truth_at_every_stage(name):
    setting, laws = line(*LINES[name])
    truth = {epsilon: setting.log_delta(epsilon, -14.0) for epsilon in EPSILONS}
    cells = Cells.of(laws, np.zeros((1, 1)), 9.0, -14.0)
    for _ in range(6):
        unknown = np.zeros(cells.at.size)
        for epsilon in EPSILONS:
            for way, (log_delta, off) in zip(WAYS, truth[epsilon], strict=True):
                sure, more = cells.masses(epsilon, way)
                expected, slack = np.exp(log_delta + 14.0), 1e-8 + 3 * off
                assert sure.sum() <= expected * (1 + slack)
                assert (sure + more).sum() >= expected * (1 - slack)
                unknown += np.log1p(more)
        cells = cells.split(unknown)


PLANES = {
    "logistic": (None, 0.3, 3.0),
    "huber": (None, 0.3, 3.0),
    "smoothed_hinge": (0.4, 0.2, 2.0),
    "poisson": (None, 1.0, 2.0),
    "pseudo_huber": (None, 0.1, 4.0),
    "huber, kinks between points": (0.08, 0.05, 5.0),
    "logistic, bends between points": (None, 0.01, 5.0),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", PLANES)
def test_the_loss_stays_within_the_ends_of_every_cell(name, seed):
    """At every stage of splitting, at points of cells that are solved by another code."""
    loss, (clip, lam, sigma) = name.split(",")[0], PLANES[name]
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(7, 2))
    X /= np.linalg.norm(X, axis=1)[:, None] * rng.uniform(1, 2, size=(7, 1))
    y = np.sign(X[:, 0]) if loss == "smoothed_hinge" else np.round(np.abs(3 * X[:, 1]))
    y = np.where(X[:, 1] > 0, 1.0, -1.0) if loss == "logistic" else y
    setting = Setting(loss, X, y, lam, clip, 0, sigma=sigma)
    whole, rest = (Problem(loss, X * keep[:, None], y, lam=lam, clip=clip) for keep in (np.ones(7), np.arange(7) > 0))
    laws = LawsOnLines(rest, whole, X[0], clipped(LOSSES[loss], clip, X[:1]), y[:1], sigma)
    u = X[0] / np.linalg.norm(X[0])
    z = np.array([-1.5, 0.2, 2.0])
    cells, oracle = Cells.of(laws, sigma * z[:, None] * np.array([-u[1], u[0]]), 9.0, -14.0), Plane(setting, -14.0)
    for _ in range(7):
        inner = np.isfinite(cells.left) & np.isfinite(cells.right)
        at, left, right = cells.at[inner], cells.left[inner], cells.right[inner]
        for share in (0.03, 0.31, 0.5, 0.82, 0.98):
            T = left + share * (right - left)
            theta = oracle.solve(T, z[at], np.tile(setting.minimiser(False), (T.size, 1)), False)
            omega = -oracle.seen(T, theta, False)[2]
            slack = 1e-7 * (1 + np.abs(omega))
            assert (cells.low[inner] <= omega + slack).all()
            assert (cells.high[inner] >= omega - slack).all()
        narrow = (cells.high - cells.low)[inner][right - left < 0.5]
        cells = cells.split(sum(cells.masses(epsilon, way)[1] for epsilon in (0.05, 0.5, 2.0) for way in WAYS))
    assert lam < 0.2 or np.median(narrow) < 0.6
