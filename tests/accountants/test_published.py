"""The source's composition of objective perturbation against samples of its loss variable and against our curves."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.accountants.published import published_epsilon
from tests.accountants import oracles


@pytest.mark.parametrize("times", [1, 5, 64])
def test_published_composition_is_that_of_the_loss_variable(times):
    shift, jump = 1 / 8, -np.log(0.9)
    half_normal = np.abs(np.random.default_rng(times).standard_normal((200_000, times))).sum(axis=1) * shift
    losses = times * (jump + shift**2 / 2) + half_normal
    for delta in (0.9, 0.3, 0.03):
        epsilon = published_epsilon(shift, jump, times, delta)
        sample = np.maximum(-np.expm1(epsilon - losses), 0.0)
        if epsilon > 0:
            assert sample.mean() == pytest.approx(delta, abs=5 * sample.std() / np.sqrt(losses.size) + 1e-4)


def test_published_composition_of_one_step_is_theorem_3_1_and_of_many_is_looser_than_its_curve():
    bound = dp.ObjectivePerturbation(8.0, 10.0, 1.0, 1.0, "hockey_stick")
    for delta in (0.1, 1e-3, 1e-9):
        truth = float(bound.epsilon(delta))
        assert truth * (1 - 1e-12) <= published_epsilon(1 / 8, -np.log(0.9), 1, delta) <= truth * (1 + 1e-3) + 1e-5
    assert published_epsilon(1 / 8, -np.log(0.9), 64, 1e-5) > 1.4 * float(dp.compose([(bound, 64)]).epsilon(1e-5)[1])
    epsilon = published_epsilon(1.0, 0.1, 3, 1e-30)
    exact = oracles.contour_log_delta([(oracles.half_normal_moment(1.0), 3)], epsilon - 3 * 0.1, digits=10)
    assert np.log(1e-30) - 1e-3 <= exact <= np.log(1e-30)
