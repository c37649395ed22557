"""Composition per row."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.rows.composed import compose_rows
from tests.individual.conftest import IDS, MECHANISMS, OPS, OUTPUT


@pytest.mark.parametrize("mechanism", MECHANISMS[:2], ids=IDS[:2])
def test_composition_is_an_upper_value_of_the_certified_bracket(small, mechanism):
    result = dp.individual_privacy(small, mechanism)
    composed = compose_rows([(result, 4)], 1e-5)
    row = int(result.epsilon.argmax())
    bracket = dp.compose([(result.profile(row), 4)])
    low, high = float(bracket.lower.epsilon(1e-5)), float(bracket.upper.epsilon(1e-5))
    assert low * (1 - 1e-9) <= composed.epsilon[row] <= min(composed.basic[row], composed.renyi[row]) * (1 + 1e-12)
    if composed.method is EpsilonMethod.EXACT:
        assert composed.epsilon[row] == pytest.approx(high, rel=1e-4)
    assert (composed.epsilon >= result.epsilon_at(1e-5) * (1 - 1e-9)).all()


def test_gaussian_composition_is_the_root_of_the_sum_of_squares(small):
    first = dp.individual_privacy(small, OUTPUT)
    second = dp.individual_privacy(small, dp.OutputPerturbation(sigma=2.0, lam=3.0))
    composed = compose_rows([(first, 2), (second, 1)], 1e-5)
    shift = np.sqrt(2 * first.exposures.shift**2 + second.exposures.shift**2)
    expected = [float(dp.Gaussian(sigma=1.0, sensitivity=float(s)).epsilon(1e-5)) for s in shift[:5]]
    assert composed.method is EpsilonMethod.EXACT
    assert composed.epsilon[:5] == pytest.approx(expected, rel=1e-9)


def test_the_order_of_different_releases_makes_no_difference(small):
    parts = [(dp.individual_privacy(small, mechanism), 1) for mechanism in (OUTPUT, OPS)]
    one, other = compose_rows(parts, 1e-5), compose_rows(parts[::-1], 1e-5)
    np.testing.assert_allclose(one.epsilon, other.epsilon, rtol=1e-12)
    assert one.method is other.method is EpsilonMethod.UPPER
