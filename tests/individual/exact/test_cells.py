"""What cells of a line say of δ(ε) while they are still coarse, against integrals over θ that share no code with them.

Once cells are narrow nothing of their bounds matters; on the first of them everything does.
"""

import numpy as np
import pytest

from dpcore.glm import LOSSES, Problem
from dpcore.individual.exact.cells import Cells, LawsOnLines
from dpcore.individual.fit.glm import clipped
from tests.individual.exact.quadrature import Setting

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
