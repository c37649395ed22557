"""What cells of a line say of δ(ε) while they are still coarse, against integrals over θ that share no code with them.

Once cells are narrow nothing of their bounds matters; on the first of them everything does.
"""

import mpmath
import numpy as np
import pytest
from scipy import optimize

from dpcore.glm import LOSSES, Problem
from dpcore.individual.exact import cells as module
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
    "logistic, clipped": ("logistic", OTHERS, np.ones(6), 0.2, 2.0, 0.2),
    "poisson, clipped": ("poisson", OTHERS, np.round(np.abs(TARGETS)), 0.2, 2.0, 0.8),
    "squared, clipped": ("squared", OTHERS, TARGETS, 0.2, 1.0, 0.4),
    "poisson": ("poisson", OTHERS, np.round(np.abs(TARGETS)), 0.5, 1.0),
    "pseudo-Huber": ("pseudo_huber", OTHERS[:3], TARGETS[:3], 0.05, 5.0),
}
WAYS = ("remove", "add")


@pytest.mark.parametrize("left", [1e-12, 1e-2])
@pytest.mark.parametrize("name", LINES)
def test_cells_hold_the_truth_at_every_stage(name, left, monkeypatch):
    """Also where the solver leaves a part of the gradient: with one feature it is noise that would have left nothing."""
    monkeypatch.setitem(module._TOL, True, left)
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


def largest_excess(name, seed, reach, splits):
    """By how much ω leaves the ends of any cell at any stage, at θ that another code solves; and how far the last ends are apart."""
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
    cells, oracle = Cells.of(laws, sigma * z[:, None] * np.array([-u[1], u[0]]), reach, -14.0), Plane(setting, -14.0)
    worst = 0.0
    for _ in range(splits):
        inner = np.isfinite(cells.left) & np.isfinite(cells.right)
        at, left, right = cells.at[inner], cells.left[inner], cells.right[inner]
        for share in (0.03, 0.31, 0.5, 0.82, 0.98):
            T = left + share * (right - left)
            theta = oracle.solve(T, z[at], np.tile(setting.minimiser(False), (T.size, 1)), False)
            omega = -oracle.seen(T, theta, False)[2]
            excess = np.maximum(cells.low[inner] - omega, omega - cells.high[inner]) / (1 + np.abs(omega))
            worst = max(worst, excess.max())
        narrow = (cells.high - cells.low)[inner][right - left < 0.5]
        cells = cells.split(sum(cells.masses(epsilon, way)[1] for epsilon in (0.05, 0.5, 2.0) for way in WAYS))
    return worst, np.median(narrow)


@pytest.mark.parametrize(("seed", "reach"), [(0, 9.0), (1, 9.0), (2, 9.0), (0, 0.2)])
@pytest.mark.parametrize("name", PLANES)
def test_the_loss_stays_within_the_ends_of_every_cell(name, seed, reach):
    """At every stage of splitting, in first cells and beyond them."""
    worst, apart = largest_excess(name, seed, reach, 7)
    assert worst <= 1e-7
    assert PLANES[name][1] < 0.2 or reach < 9 or apart < 0.6


def test_a_gradient_that_is_left_across_the_row_is_in_the_ends(monkeypatch):
    """A solver that stops early leaves θ beside the line; cells narrow enough to show it still hold ω."""
    monkeypatch.setitem(module._TOL, False, 1e-4)
    assert largest_excess("huber", 0, 9.0, 13)[0] <= 1e-7


def test_lines_that_are_joined_are_split_as_they_would_be_alone():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(7, 2)), np.sign(rng.normal(size=7))
    whole, rest = (Problem("logistic", X * keep[:, None], y, lam=0.1) for keep in (np.ones(7), np.arange(7) > 0))
    laws = LawsOnLines(rest, whole, X[0], LOSSES["logistic"], y[:1], 3.0)
    across = np.array([-X[0, 1], X[0, 0]]) / np.linalg.norm(X[0])
    one, other = (Cells.of(laws, 3.0 * np.array(z)[:, None] * across, 9.0, -14.0) for z in ([-2.0, -1.0], [1.0, 3.0]))
    both = one.joined(other)
    for at in range(2, 10):
        alone, first = (cells.split(np.eye(cells.at.size)[at]) for cells in (other, one))
        joined = both.split(np.eye(both.at.size)[one.at.size + at])
        np.testing.assert_array_equal(joined.at[one.at.size :], alone.at + 2)
        for name in ("left", "right", "low", "high", "within", "without"):
            np.testing.assert_array_equal(getattr(joined, name)[one.at.size :], getattr(alone, name))
            np.testing.assert_array_equal(
                getattr(both.split(np.eye(both.at.size)[at]), name)[: first.at.size], getattr(first, name)
            )


def normal_mass(low, high):
    """log of the mass between two points to 50 digits, on the side where both are small."""
    with mpmath.workdps(50):
        low, high = (mpmath.mpf(end) for end in ((-high, -low) if low > 0 else (low, high)))
        return float(mpmath.log(mpmath.ncdf(high) - mpmath.ncdf(low)))


def test_the_mass_of_a_cell_is_right_to_ten_digits_however_narrow():
    low = np.array([-40.0, -38.0, -3.0, -1.0, -0.3, 0.0, 0.7, 5.0, 38.0])
    for width in (1e-12, 1e-9, 1e-6, 1e-4, 2e-3, 0.009, 0.011, 0.1, 1.0, 10.0):
        high = low + width
        expected = [normal_mass(*ends) for ends in zip(low.tolist(), high.tolist(), strict=True)]
        np.testing.assert_allclose(module._log_mass(low, high), expected, rtol=0, atol=1e-10)
    with np.errstate(all="ignore"):
        endless = module._log_mass(np.array([-np.inf, 2.0, -np.inf]), np.array([-2.0, np.inf, np.inf]))
    np.testing.assert_allclose(endless, [normal_mass(-np.inf, -2), normal_mass(-np.inf, -2), 0.0], rtol=1e-14)


def stick(slope, shift, epsilon, way):
    """δ(ε) between T ~ N(0, 1) and slope·T + shift ~ N(0, 1), to 50 digits: ω is a parabola with a top."""
    with mpmath.workdps(60):
        a, c, epsilon = mpmath.mpf(slope), mpmath.mpf(shift), mpmath.mpf(epsilon)
        level = epsilon if way == "remove" else -epsilon
        first, second = -2 * a * c, -c * c + 2 * (mpmath.log(a) - level)
        root = mpmath.sqrt(max(first**2 - 4 * (1 - a * a) * second, 0))
        ends = sorted((-first + side * root) / (2 * (1 - a * a)) for side in (-1, 1))
        both = ends, [a * end + c for end in ends]
        if way == "remove":
            q, p = (mpmath.ncdf(high) - mpmath.ncdf(low) for low, high in both)
            return p - mpmath.exp(epsilon) * q
        q, p = (mpmath.ncdf(low) + mpmath.ncdf(-high) for low, high in both)
        return q - mpmath.exp(epsilon) * p


@pytest.mark.parametrize(
    ("leverage", "shift", "depth", "way"),
    [
        (1e3, 3e3, -14.0, "remove"),  # t is what is left of numbers a thousand times as large
        (1e8, 3e3, -30.0, "remove"),  # cells as narrow as 1e-9, of which e^18 times as much is subtracted
        (1e-9, 1e-8, -28.0, "remove"),  # two laws that are nearly one
        (1e-9, 1e-8, -28.0, "add"),
        (1e-3, 5.0, -600.0, "add"),
        (1e-3, 5.0, -600.0, "remove"),
    ],
)
def test_rounding_is_worth_less_than_a_ten_millionth_of_a_nat(leverage, shift, depth, way):
    """A record alone under the squared loss, whose two laws are normal on the line."""
    _, laws = line("squared", np.ones((1, 1)), np.array([shift]), 1 / leverage, 1.0)
    cells = Cells.of(laws, np.zeros((1, 1)), np.sqrt(-2 * depth) + 9, depth)

    def missing(epsilon):
        delta = stick(1 + leverage, shift, epsilon, way)
        return float(mpmath.log(delta)) - depth if delta > 0 else -1.0

    epsilon = optimize.brentq(missing, 0.0, 400.0, xtol=1e-15)
    for _ in range(14):
        cells = cells.split(cells.masses(epsilon, way)[1])
    apart = 1e-7 * min(epsilon, 1.0)
    assert sum(part.sum() for part in cells.masses(epsilon - apart, way)) >= 1
    assert cells.masses(epsilon + apart, way)[0].sum() <= 1
