"""Pairs of log-concave densities against adaptive quadrature; the theorem is never exceeded, and attained by tilts."""

import math

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.log_concave.drawn import HANDLES, DrawnPair
from dpcore.exhibits.log_concave.pair import COMMON, PIECES, LogConcavePair
from tests.exhibits.log_concave.test_drawn import PAIRS as DRAWN
from tests.exhibits.log_concave.test_drawn import potential
from tests.mechanisms.densities import hockey_stick_of_potentials

PAIRS = [
    LogConcavePair(),
    LogConcavePair(mu=0.5, scale=3.0, first="kink", second="flat", knot=0.4),
    LogConcavePair(mu=2.0, scale=2.0, first="hinge", second="left", knot=-0.3, common="quartic"),
    LogConcavePair(mu=0.3, scale=1.0, first="kink", second="hinge", knot=1.0, common="kink", half_width=2.0),
    LogConcavePair(mu=5.0, scale=0.2, first="bowl", second="right", half_width=0.7),
]
each = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.first}-{pair.second}-{pair.common}")


def laws(pair):
    """Both potentials, where they bend, and how far from the middle nearly all of the mass lies."""
    if isinstance(pair, DrawnPair):
        return (
            [potential(pair.mu, heights) for heights in pair.projected],
            HANDLES,
            12 / math.sqrt(pair.mu) + 10 / pair.mu,
        )
    both = (lambda x: pair.potentials(x)[0]), (lambda x: pair.potentials(x)[1])
    return both, [0.0, pair.knot], 11 / math.sqrt(pair.mu) + pair.scale / (2 * pair.mu)


@pytest.mark.parametrize("pair", [*PAIRS, *DRAWN], ids=repr)
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_profile_is_adaptive_quadrature(pair, epsilon):
    (first, second), breaks, reach = laws(pair)
    reach = min(pair.half_width, reach)
    for direction, (p, q) in (("add", (first, second)), ("remove", (second, first))):
        expected = hockey_stick_of_potentials(p, q, epsilon, -reach, reach, breaks)
        assert pair.delta(epsilon, direction=direction) == pytest.approx(expected, rel=1e-8, abs=1e-13)


def test_a_hundred_random_pairs_stay_below_the_theorem():
    rng = np.random.default_rng(12)
    names, shared = list(PIECES), list(COMMON)
    grid = np.array([0.0, 0.2, 1.0, 3.0])
    for _ in range(100):
        mu, scale = (10 ** rng.uniform(-1, 1, 2)).tolist()
        first, second, common = (str(rng.choice(among)) for among in (names, names, shared))
        knot, half_width = float(rng.uniform(-1, 1)), float(rng.choice([0.5, 2.0, math.inf]))
        pair = LogConcavePair(mu, scale, first, second, knot=knot, common=common, half_width=half_width)
        if pair.theorem is None:
            assert (pair.delta(grid) < 1e-12).all()
            continue
        assert (pair.delta(grid) <= pair.theorem.delta(grid) * (1 + 1e-9) + 1e-13).all(), pair


@pytest.mark.parametrize(("mu", "scale", "drawn"), [
    (1.0, 1.0, False), (4.0, 0.5, False), (0.2, 2.0, False), (0.2, 0.8, True), (0.5, 0.8, True),
])  # fmt: skip
def test_two_tilts_on_the_line_attain_it(mu, scale, drawn):
    pair, exact = LogConcavePair(mu=mu, scale=scale), dp.Gaussian(1.0, scale / math.sqrt(mu))
    if drawn:
        x = np.array(HANDLES)
        pair = DrawnPair(mu, *(tuple((mu / 2 * x**2 + side * scale / 2 * x + 2).tolist()) for side in (1, -1)))
    assert pair.lipschitz == pytest.approx(scale)
    for epsilon in (0.0, 0.3, 1.0, 2.0):
        assert pair.delta(epsilon) == pytest.approx(exact.delta(epsilon), rel=1e-8)
    alpha = np.linspace(0.01, 0.99, 9)
    np.testing.assert_allclose(pair.tradeoff(alpha, direction="add"), exact.tradeoff(alpha), atol=1e-6)


@each
def test_potentials_are_strongly_convex_and_their_gap_lipschitz(pair):
    x = np.linspace(-3, 3, 2001) if pair.half_width == math.inf else np.linspace(-1, 1, 2001) * pair.half_width
    first, second = pair.potentials(x)
    for one in (first, second):
        assert (np.diff(one, 2) >= pair.mu * (x[1] - x[0]) ** 2 * (1 - 1e-6) - 1e-12).all()
    assert np.abs(np.diff(second - first) / np.diff(x)).max() <= pair.lipschitz * (1 + 1e-9)
    assert pair.lipschitz <= pair.scale * (1 + 1e-9)


@each
@pytest.mark.parametrize("direction", ["add", "remove"])
def test_tradeoff_points_lie_on_the_dual_of_the_profile(pair, direction):
    """The tests' errors are on the curve that convex duality gives from δ alone."""
    curve = pair.tradeoff_points(direction)
    assert (np.diff(curve.x) >= 0).all()
    assert (np.diff(curve.y) <= 1e-12).all()
    inner = (curve.x > 1e-6) & (curve.x < 1 - 1e-6)
    np.testing.assert_allclose(pair.tradeoff(curve.x[inner], direction=direction), curve.y[inner], atol=2e-6)


def test_densities_are_densities():
    for pair in PAIRS:
        for curve in pair.densities():
            assert len(curve.x) <= 400
            assert np.trapezoid(curve.y, curve.x) == pytest.approx(1, abs=5e-3)


@pytest.mark.parametrize(("kind", "change", "message"), [
    (LogConcavePair, {"mu": 0.0}, "mu must"), (LogConcavePair, {"first": "up"}, "first must"),
    (LogConcavePair, {"half_width": -1.0}, "half_width must"), (LogConcavePair, {"common": "x"}, "common must"),
    (DrawnPair, {"mu": -1.0}, "mu must"), (DrawnPair, {"half_width": 0.0}, "half_width must"),
    (DrawnPair, {"first": (1.0, 2.0)}, "first must be 7 numbers"), (DrawnPair, {"second": (11.0,) * 7}, "numbers from 0 to 10"),
])  # fmt: skip
def test_bad_pairs_are_named(kind, change, message):
    with pytest.raises(dp.ParameterError, match=message):
        kind(**change)


def test_a_pair_behind_walls_is_purely_private_from_its_largest_log_ratio():
    pair = LogConcavePair(mu=2.0, scale=0.6, half_width=1.5)
    for direction in ("add", "remove", "both"):
        edge = pair.epsilon(0.0, direction=direction)
        assert edge == pytest.approx(0.6 * 1.5)
        assert pair.delta(edge, direction=direction) == 0
        assert pair.delta(edge - 0.01, direction=direction) > 0
    assert pair.epsilon([0.0, 0.01])[0] == pytest.approx(0.9, rel=1e-6)


def test_the_slope_of_a_bowl_is_that_of_its_values():
    """The largest gap to a tilt is at the end of the set that lies farther from the bowl's middle."""
    pair = LogConcavePair(scale=3.0, first="bowl", second="right", knot=1.5, half_width=2.0)
    x = np.linspace(-2.0, 2.0, 4001)
    gap = np.diff(pair.piece("right", x) - pair.piece("bowl", x)) / np.diff(x)
    assert pair.lipschitz == pytest.approx(1.5 * np.abs(gap).max(), rel=1e-3)
