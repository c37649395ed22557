"""The pictured excess: its curves are the densities, its area is δ, its axes hold what is drawn."""

import numpy as np
import pytest

from dpcore.exhibits.log_concave.excess import excesses
from dpcore.exhibits.log_concave.pair import LogConcavePair
from tests.exhibits.log_concave.test_drawn import PAIRS as DRAWN
from tests.exhibits.log_concave.test_pair import PAIRS


@pytest.mark.parametrize("pair", [*PAIRS, *DRAWN], ids=repr)
@pytest.mark.parametrize(("direction", "names"), [("add", ("without", "with")), ("remove", ("with", "without"))])
def test_the_area_in_sight_is_delta_and_both_curves_are_densities(pair, direction, names):
    (one, worst), far, high = excesses((pair, pair.worst), 0.4, direction)
    for found in (one, worst):
        assert (found.held.name, found.allowed.name) == names
        x, held, allowed = found.held.x, found.held.y, found.allowed.y
        assert (x[0], x[-1]) == (-far, far)
        assert [np.trapezoid(held, x), np.trapezoid(allowed, x) / np.exp(0.4)] == pytest.approx([1, 1], abs=0.03)
        assert np.trapezoid(np.maximum(held - allowed, 0), x) == pytest.approx(found.delta, abs=0.02)
        assert held.max() <= high
    assert one.delta <= worst.delta * (1 + 1e-9)


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_the_worst_pair_leaks_what_the_theorem_allows(pair):
    for epsilon in (0.0, 0.5, 2.0):
        assert pair.worst.delta(epsilon) == pytest.approx(pair.theorem.delta(epsilon), rel=1e-8)


def test_the_worst_pair_lies_as_the_pair_does():
    for first, second in (("left", "right"), ("right", "left"), ("hinge", "left"), ("left", "hinge")):
        pair = LogConcavePair(1.0, 2.0, first, second)
        found, *_ = excesses((pair, pair.worst), 0.4, "remove")
        sides = [np.sign(one.held.x @ (one.held.y - one.allowed.y / np.exp(0.4))) for one in found]
        assert sides[0] == sides[1]


def test_names_stand_on_the_outer_sides():
    (one,), *_ = excesses((PAIRS[0].worst,), 0.0, "remove")
    left, right = sorted(place for place, _ in one.beside())
    assert left < -PAIRS[0].lipschitz / 2 < PAIRS[0].lipschitz / 2 < right
