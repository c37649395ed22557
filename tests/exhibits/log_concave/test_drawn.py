"""Drawn pairs against adaptive quadrature, and the projection against what makes it the nearest point."""

import numpy as np
import pytest

from dpcore.exhibits.log_concave.drawn import HANDLES, HIGHEST, TILTS, DrawnPair

DENTED = (8.0, 4.5, 0.5, 4.0, 1.5, 4.0, 8.0)
STEEP = (10.0, 0.0, 10.0, 0.0, 10.0, 0.0, 3.0)
PAIRS = [
    DrawnPair(),
    DrawnPair(0.3, DENTED, TILTS[1]),
    DrawnPair(0.1, STEEP, (9.0, 6.0, 4.0, 2.5, 0.2, 3.0, 9.0)),
    DrawnPair(1.0, TILTS[0], DENTED, half_width=1.7),
]


def nearest(heights, mu):
    """The nearest strongly convex heights."""
    return DrawnPair(mu, tuple(heights)).projected[0]


def drawings(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield tuple(rng.uniform(0, HIGHEST, 7).tolist()), float(10 ** rng.uniform(-1, 0.3))


def potential(mu, heights):
    """μx²/2 and a polygon through what the heights are more than it, carried on straight beyond the outer handles."""
    x = np.array(HANDLES, dtype=float)
    polygon = heights - mu / 2 * x**2

    def value(at):
        i = np.clip(np.searchsorted(x, at) - 1, 0, x.size - 2)
        return mu / 2 * at**2 + polygon[i] + (polygon[i + 1] - polygon[i]) * (at - x[i]) / (x[i + 1] - x[i])

    return value


def test_projection_is_the_nearest_strongly_convex_point():
    """In the cone, its residual orthogonal to it and obtuse to every generator: together these characterise it."""
    x = np.array(HANDLES)
    generators = [np.ones(7), -np.ones(7), x, -x, *(np.maximum(x - knot, 0) for knot in HANDLES[1:-1])]
    for heights, mu in drawings(3, 200):
        found = nearest(heights, mu)
        assert np.diff(found, 2).min() >= mu - 1e-9
        beyond, residual = found - mu / 2 * x**2, np.array(heights) - found
        assert residual @ beyond == pytest.approx(0, abs=1e-8)
        assert max(residual @ one for one in generators) <= 1e-8


def test_convex_drawings_are_left_alone_and_others_say_how_far_they_moved():
    pair = PAIRS[0]
    assert pair.moved == 0
    assert [tuple(one) for one in pair.projected] == [pair.first, pair.second]
    assert pair.drawn_convexity == pytest.approx(0.5)
    dented = DrawnPair(0.3, DENTED, TILTS[1])
    assert dented.moved_each == pytest.approx((np.abs(nearest(DENTED, 0.3) - DENTED).max(), 0.0))
    assert dented.drawn_convexity == pytest.approx(-6.0)
    for curves, drawn in ((dented.drawn_curves(), (DENTED, TILTS[1])), (dented.potential_curves(), dented.projected)):
        for curve, heights in zip(curves, drawn, strict=True):
            np.testing.assert_allclose(np.interp(HANDLES, curve.x, curve.y), heights)


def test_equal_drawings_have_no_theorem_and_no_loss():
    pair = DrawnPair(0.5, DENTED, DENTED)
    assert (pair.theorem, pair.delta(0.0) < 1e-12) == (None, True)
