"""Landscapes against adaptive quadrature; pairs never exceed the theorem; risks stay below their bounds."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.optimize import minimize

import dpcore as dp
from dpcore.exhibits.exponential_mechanism import study as exponential
from dpcore.mechanisms.selection import SELECTION_MECHANISMS


def scalar_loss(landscape):
    """f written again, for one point, from the records alone."""
    if landscape.dimension == 1:
        width = exponential.WIDTH

        def f(x):
            gap = np.abs(x - landscape.records)
            return float(np.mean(np.where(gap < width, gap**2 / (2 * width), gap - width / 2)))

        return f
    X, y = landscape.records[:, :2], landscape.records[:, 2]
    return lambda a, b: float(np.mean(np.logaddexp(0, -y * (X @ [a, b]))))


@pytest.mark.parametrize(
    ("n", "centre", "k", "mu"), [(20, 0.3, 15.0, 0.2), (101, -0.9, 60.0, 0.02), (50, 0.0, 5.0, 0.0)]
)
def test_line_excess_is_adaptive_quadrature(n, centre, k, mu):
    landscape = exponential.line_landscape(n, centre, 0.3)
    f = scalar_loss(landscape)
    cuts = np.linspace(-1, 1, 161)
    floor = min(f(x) for x in cuts)

    def integral(g):
        return sum(quad(g, a, b, epsrel=1e-9)[0] for a, b in itertools.pairwise(cuts))

    mass = integral(lambda x: math.exp(-k * (f(x) - floor + mu / 2 * x * x)))
    mean = integral(lambda x: f(x) * math.exp(-k * (f(x) - floor + mu / 2 * x * x))) / mass
    start, options = [np.median(landscape.records)], {"xatol": 1e-10}
    best = minimize(lambda x: f(x[0]), start, method="Nelder-Mead", options=options).fun
    assert landscape.excess(k, mu) == pytest.approx(mean - best, rel=1e-4)


def test_plane_excess_is_adaptive_quadrature():
    landscape = exponential.plane_landscape(40, 0.1)
    f, k, mu = scalar_loss(landscape), 20.0, 0.3

    def integral(g):
        edge = lambda a: math.sqrt(1 - a * a)  # noqa: E731
        return dblquad(lambda b, a: g(a, b), -1, 1, lambda a: -edge(a), edge, epsabs=1e-6)[0]

    def weight(a, b):
        return math.exp(-k * (f(a, b) - 0.5 + mu / 2 * (a * a + b * b)))

    mean = integral(lambda a, b: f(a, b) * weight(a, b)) / integral(weight)
    inside = {"type": "ineq", "fun": lambda v: 1 - v @ v}
    best = minimize(lambda v: f(*v), [0.5, 0.5], constraints=inside, options={"ftol": 1e-12}).fun
    assert landscape.minimum == pytest.approx(best, abs=1e-6)
    assert landscape.excess(k, mu) == pytest.approx(mean - best, rel=2e-3)


@pytest.mark.parametrize(
    "landscape", [exponential.line_landscape(15, 0.6, 0.3), exponential.plane_landscape(15, 0.2)], ids=["line", "plane"]
)
@pytest.mark.parametrize(("k", "mu"), [(3.0, 0.5), (40.0, 0.05), (200.0, 5.0)])
def test_pairs_never_exceed_the_theorem(landscape, k, mu):
    theorem = dp.RegularizedExponential(k=k, mu=mu, lipschitz=1.0, n=landscape.n)
    for epsilon in (0.0, 0.2, 0.5, 1.0, 2.0):
        assert landscape.pair_delta(k, mu, epsilon) <= theorem.delta(epsilon) + 1e-6
    found = landscape.pair_epsilon(k, mu, 1e-5)
    assert landscape.pair_delta(k, mu, found) <= 1e-5 * (1 + 1e-3)
    assert found <= theorem.epsilon(1e-5) + 1e-6


def test_neighbour_replaces_one_record():
    line, plane = exponential.line_landscape(9, 0.2, 0.3), exponential.plane_landscape(9, 0.2)
    records = np.append(line.records[:-1], -1.0)
    other = exponential.Landscape(line.points, line.volume, line.loss, line.loss, 0.0, records)
    f = scalar_loss(other)
    np.testing.assert_allclose(line.neighbour[::100], [f(x) for x in line.points[::100, 0]], atol=1e-12)
    flipped = plane.records.copy()
    last = np.argmax(np.linalg.norm(flipped[:, :2], axis=1))
    flipped[last, 2] *= -1
    f = scalar_loss(exponential.Landscape(plane.points, plane.volume, plane.loss, plane.loss, 0.0, flipped))
    np.testing.assert_allclose(plane.neighbour[::3000], [f(*x) for x in plane.points[::3000]], atol=1e-12)


@pytest.mark.parametrize(
    "landscape", [exponential.line_landscape(60, 0.3, 0.3), exponential.plane_landscape(60, 0.1)], ids=["line", "plane"]
)
def test_measured_risks_stay_below_their_bounds(landscape):
    curves = {curve.name: curve.y for curve in exponential.landscape_risks(landscape, 1e-5, np.geomspace(0.1, 8, 9))}
    for name in ("Regularised", "Pure"):
        assert (curves[f"{name}, measured"] <= curves[f"{name}, bound"]).all()
        assert (curves[f"{name}, measured"] > 0).all()
        assert (np.diff(curves[f"{name}, bound"]) < 0).all()


def test_draws_follow_the_landscape():
    landscape = exponential.line_landscape(30, 0.3, 0.3)
    draws = np.sort(landscape.draws(20.0, 0.1, 4000, 7)[:, 0])
    cdf = np.interp(draws, landscape.points[:, 0], np.cumsum(landscape.weights(20.0, 0.1)))
    assert np.abs(cdf - (np.arange(4000) + 0.5) / 4000).max() < math.sqrt(-0.5 * math.log(5e-5) / 4000) + 1e-3


def test_samplers_agree_with_the_tabulated_truth():
    plane = exponential.plane_landscape(60, 0.1)
    for found in exponential.check_samplers(plane, 30.0, 0.2, steps=800, seed=3):
        assert found.distance < 1.5 * found.noise
        assert found.rhat < 1.05
        exact = exponential.marginal(plane, 30.0, 0.2)
        assert exact.y.sum() * 0.04 == pytest.approx(1)
        assert found.histogram.y.sum() * 0.04 == pytest.approx(1)
        assert np.abs(np.cumsum(found.histogram.y - exact.y) * 0.04).max() < 1.5 * found.noise
    line = exponential.line_landscape(60, 0.3, 0.3)
    stuck = exponential.check_samplers(line, 60.0, 0.02, steps=50, seed=3)[0]
    assert stuck.warning
    assert stuck.total_variation == 1


def test_bounds_cross_where_the_square_root_says():
    pure, regular = {}, {}
    dimensions = np.arange(1, 400)
    for curve in exponential.dimension_curves(1.0, 1e-5, 100, dimensions):
        (pure if curve.name.startswith("Pure") else regular).update(zip(dimensions, curve.y, strict=True))
    for d in (1, 10, 300):
        mechanism = dp.RegularizedExponential.calibrated(1.0, 1e-5, n=100, dimension=d, lipschitz=1.0, radius=1.0)
        assert regular[d] == pytest.approx(mechanism.excess_risk(d, 1.0), rel=1e-6)
        assert pure[d] == pytest.approx(d / exponential.pure_temperature(1.0, 100))
    assert pure[1] < regular[1]
    assert pure[399] > regular[399]


def test_finite_landscape_counts_by_hand():
    found = exponential.finite_landscape(30, 12, 0.1, 1.0, seed=4)
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, 30)
    y = np.where(x >= 0.2, 1, -1) * np.where(rng.random(30) < 0.1, -1, 1)
    by_hand = [np.sum(np.where(x >= t, 1, -1) != y) for t in found.thresholds]
    np.testing.assert_array_equal(found.errors, by_hand)
    assert found.excess("permute_and_flip") <= found.excess("exponential")
    assert set(found.laws) == set(SELECTION_MECHANISMS)
