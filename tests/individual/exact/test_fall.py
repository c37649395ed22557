"""By how much −dm/dT may differ within a cell, against Hessians written out at the points that θ passes in a plane."""

import numpy as np
import pytest

from dpcore.glm import Problem
from dpcore.individual.exact.fall import Surroundings
from tests.individual.exact.quadrature import Plane, Setting

LAM = 0.1


def along_a_line(loss, X, y, lam, sigma, z, T, clip=None):
    """The row turned to the first axis, the problem of the others, and θ and all xᵀH⁻¹x at places of a line of noise."""
    setting = Setting(loss, X, y, lam, clip, 0, sigma=sigma)
    X = setting.X
    theta = Plane(setting, -10.0).solve(T, np.full(T.size, z), np.zeros((T.size, 2)), False)
    bend = setting.parts(theta, (2,))[0][:, 1:]
    H = np.einsum("kn,ni,nj->kij", bend, X[1:], X[1:]) + lam * np.eye(2)
    rest = Problem(loss, X * (np.arange(len(y)) > 0)[:, None], y, lam=lam, clip=clip)
    return X[0], rest, theta, np.einsum("ni,kij,nj->kn", X, np.linalg.inv(H), X)


@pytest.mark.parametrize(
    ("loss", "clip"),
    [
        ("logistic", None), ("huber", None), ("poisson", None), ("smoothed_hinge", None), ("pseudo_huber", None),
        ("logistic", 0.2), ("poisson", 0.4),
    ],
)  # fmt: skip
def test_no_fall_on_the_way_in_a_plane_is_beyond_the_bounds(loss, clip):
    """xᵀH⁻¹x at θ solved by another code on lines of noise along x, of all cells of a line together and of each alone."""
    rng = np.random.default_rng(2)
    for _ in range(3):
        X = rng.normal(size=(6, 2)) * [1.0, 0.5]
        targets = {"poisson": np.round(np.abs(2 * X[:, 1]))} | dict.fromkeys(
            ("logistic", "smoothed_hinge"), np.sign(X[:, 0])
        )
        y = targets.get(loss, 2 * X[:, 1])
        x, rest, theta, leverages = along_a_line(loss, X, y, LAM, 1.5, 0.7, np.linspace(-4, 4, 161), clip)
        ends = np.stack([theta[:-1:20], theta[20::20]])
        energy = 1.5 / np.linalg.norm(x) * 0.05 * 20 * ((ends[0] - ends[1]) @ x)
        for cells in (slice(None), *(slice(k, k + 1) for k in range(8))):
            found = Surroundings.around(rest, x, ends[:, cells], energy[cells])
            spread = found.spread(ends[:, cells], energy[cells])
            fall = np.stack([leverages[20 * k : 20 * k + 21] for k in range(8)])[cells]
            assert (np.log(fall[..., 0].max(axis=1) / fall[..., 0].min(axis=1)) <= spread + 1e-9).all()
            assert fall[..., 0].max() <= found.leverage * (1 + 1e-9)
            assert (fall.max(axis=(0, 1))[1:] <= found.leverages[1:] * (1 + 1e-9)).all()


@pytest.mark.parametrize("scale", [0.05, 1e-4])
def test_ways_that_leave_what_is_between_their_ends_are_within_the_bounds(scale):
    """In a plane other rows bend where neither end is and turn θ aside; a cell that is narrow stands in the same region."""
    rng = np.random.default_rng(319)
    n = int(rng.integers(3, 7))
    X = rng.normal(size=(n, 2))
    X *= (rng.uniform(0.5, 3, n) / np.linalg.norm(X, axis=1))[:, None]
    lam, sigma = 10 ** rng.uniform(-3, -0.5), scale * 10 ** rng.uniform(-1, 1)
    T, y, clip = np.linspace(-3, 3, 97), 2 * scale * X[:, 1], 0.2 * scale
    x, rest, theta, leverages = along_a_line("squared", X, y, lam, sigma, rng.uniform(-2, 2), T, clip)
    for step in (48, 24):
        for at in range(0, 96, step):
            ends = theta[[[at, at], [at + step, at + 1]]]
            energy = sigma / np.linalg.norm(x) * np.diff(T[[at, at + step, at + 1]][[[0, 0], [1, 2]]], axis=0)[0]
            energy = energy * ((ends[0] - ends[1]) @ x)
            found = Surroundings.around(rest, x, ends, energy)
            passed = leverages[at : at + step + 1]
            change = np.log(passed[:, 0].max() / passed[:, 0].min())
            assert change <= found.spread(ends, energy)[0] + 1e-9
            assert passed[:, 0].max() <= found.leverage * (1 + 1e-9)
            assert (passed.max(axis=0)[1:] <= found.leverages[1:] * (1 + 1e-9)).all()
