"""By how much −dm/dT may differ within a cell, against Hessians written out at the points that θ passes.

With one feature θ passes all between its ends, and T is the gradient: nothing need be solved. That the bound is of use is
asked as well: where one row alone bends it is the change itself.
"""

import numpy as np
import pytest

from dpcore.glm import Problem
from dpcore.individual.exact.fall import Surroundings, near_groups
from tests.individual.exact.quadrature import Plane, Setting

LAM = 0.1


def surroundings(loss, X, y, ends, lam=LAM, clip=None):
    """Of pairs of θ on a line with one feature, E of each, and the Hessians on a grid between their ends."""
    X, y, ends = np.array(X)[:, None], np.array(y), np.array(ends)
    setting = Setting(loss, X, y, lam, clip, 0)
    passed = ends[0] + np.linspace(0, 1, 2001)[:, None] * (ends[1] - ends[0])

    def gradient_and_bend(theta):
        slope, bend = setting.parts(theta[:, None], (1, 2))
        return slope[:, 1:] @ X[1:, 0] + lam * theta, bend[:, 1:] @ X[1:, 0] ** 2 + lam

    gradient = gradient_and_bend(ends.ravel())[0].reshape(ends.shape)
    hessian = gradient_and_bend(passed.ravel())[1].reshape(passed.shape)
    energy = (gradient[1] - gradient[0]) * (ends[1] - ends[0])
    rest = Problem(loss, X * (np.arange(len(y)) > 0)[:, None], y, lam=lam, clip=clip)
    found = Surroundings.around(rest, X[0], ends[..., None], energy)
    return found, energy, hessian


LINES = {  # of the other rows: loss, clip, X, y
    "logistic": ("logistic", None, [0.4, -0.9, 1.0], [1.0, -1.0, -1.0]),
    "logistic, clipped": ("logistic", 0.4, [0.4, -0.9, 1.0], [1.0, -1.0, -1.0]),
    "huber": ("huber", None, [0.4, -0.9, 1.0], [0.7, -1.0, 0.0]),
    "hinge": ("smoothed_hinge", None, [0.4, -0.9, 1.0], [1.0, -1.0, -1.0]),
    "squared, clipped": ("squared", 0.3, [0.4, -0.9, 1.0], [0.7, -1.0, 0.0]),
    "pseudo-Huber": ("pseudo_huber", None, [0.4, -0.9, 1.0], [0.7, -1.0, 0.0]),
    "poisson": ("poisson", None, [0.4, -0.9, 1.0], [1.0, 0.0, 3.0]),
    "poisson, clipped": ("poisson", 0.8, [0.4, -0.9, 1.0], [1.0, 0.0, 3.0]),
}


@pytest.mark.parametrize("lam", [1.0, 0.01])
@pytest.mark.parametrize("name", LINES)
def test_no_hessian_between_the_ends_is_beyond_the_bounds(name, lam):
    """Of pairs alone and of several together, near each other or not, some of which are narrow."""
    loss, clip, X, y = LINES[name]
    rng = np.random.default_rng(4)
    for count in (1, 1, 1, 1, 2, 2, 3, 6) * 2:
        start = rng.uniform(-4, 4, count)
        ends = [start, start + 10 ** rng.uniform(-2, 0.7, count)]
        found, energy, hessian = surroundings(loss, [0.6, *X], [1.0, *y], ends, lam, clip)
        spread = found.spread(np.array(ends)[..., None], energy)
        assert (np.log(hessian.max(axis=0) / hessian.min(axis=0)) <= spread + 1e-9).all()
        assert 0.36 / hessian.min() <= found.leverage * (1 + 1e-9)
        assert (np.square(X) / hessian.min() <= found.leverages[1:] * (1 + 1e-9)).all()


@pytest.mark.parametrize(
    ("loss", "X", "y", "ends", "clip", "lam"),
    [
        ("huber", [2.0], [0.0], (-0.55, 0.0), None, LAM),  # past its kink at −1/2
        ("squared", [1.0], [0.0], (-0.5, 0.1), 0.4, LAM),  # past the kink that clipping makes
        ("poisson", [1.0], [1.0], (2.0, 2.05), None, LAM),
        ("logistic", [3.0], [1.0], (-1.8, -1.7), None, 1e-4),
        ("smoothed_hinge", [1.0, 1.0], [1.0, 1.0], (-0.02, 0.5), None, LAM),  # two kinks at one place
        ("huber", [2.0, 1.0], [0.0, -2.4], (-0.55, 0.0), None, LAM),  # the second row bends all the way
    ],
)
def test_the_bound_is_the_change_where_few_rows_bend(loss, X, y, ends, clip, lam):
    found, energy, hessian = surroundings(loss, [0.6, *X], [1.0, *y], np.array(ends)[:, None], lam, clip)
    spread = found.spread(np.array(ends)[:, None, None], energy)[0]
    change = np.log(hessian.max() / hessian.min())
    assert change <= spread <= 1.5 * change + 1e-9
    assert found.leverage <= 2 * 0.36 / hessian.min()


def test_one_that_bends_no_more_between_its_ends_does_not_count():
    """A kink further out than half of what E allows, and one that another cell of the region passes."""
    ends = np.array([[0.1, -0.6], [0.12, -0.3]])
    found, energy, _ = surroundings("huber", [0.6, 2.0], [1.0, 0.0], ends)
    spread = found.spread(ends[..., None], energy)
    assert spread[0] == 0
    assert spread[1] > 1


def along_a_line(loss, X, y, lam, sigma, z, T, clip=None):
    """The row turned to the first axis, the problem of the others, and θ and all xᵀH⁻¹x at places of a line of noise."""
    setting = Setting(loss, X, y, lam, clip, 0, sigma=sigma)
    X = setting.X
    theta = Plane(setting, -10.0).solve(T, np.full(T.size, z), np.zeros((T.size, 2)), False)
    bend = setting.parts(theta, (2,))[0][:, 1:]
    H = np.einsum("kn,ni,nj->kij", bend, X[1:], X[1:]) + lam * np.eye(2)
    rest = Problem(loss, X * (np.arange(len(y)) > 0)[:, None], y, lam=lam, clip=clip)
    return X[0], rest, theta, np.einsum("ni,kij,nj->kn", X, np.linalg.inv(H), X)


@pytest.mark.parametrize("loss", ["logistic", "huber", "poisson"])
def test_no_fall_on_the_way_in_a_plane_is_beyond_the_bounds(loss):
    """xᵀH⁻¹x at θ solved by another code on lines of noise along x, of all cells of a line together and of each alone."""
    rng = np.random.default_rng(2)
    for _ in range(3):
        X = rng.normal(size=(6, 2)) * [1.0, 0.5]
        y = {"logistic": np.sign(X[:, 0]), "poisson": np.round(np.abs(2 * X[:, 1]))}.get(loss, 2 * X[:, 1])
        x, rest, theta, leverages = along_a_line(loss, X, y, LAM, 1.5, 0.7, np.linspace(-4, 4, 161))
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


def test_groups_are_of_near_ones_and_leave_none_out():
    points = np.random.default_rng(0).normal(size=(300, 2))
    groups = near_groups(points, np.arange(50, 300))
    np.testing.assert_array_equal(np.sort(np.concatenate(groups)), np.arange(50, 300))
    assert len(groups) == 16
    assert max(np.ptp(points[group], axis=0).min() for group in groups) < 2.5
