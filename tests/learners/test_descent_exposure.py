"""ε of rows under noisy gradient descent, against compositions of the steps they really met."""

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.rdp import RdpAccountant

import dpcore as dp
from tests.refusals import refuses

LENGTHS = np.array([1.0, 0.9, 0.5, 0.25, 0.05, 0.0])


def standing_still(**more):
    """Rows of different length whose slope stays ½, as the steps are tiny: the gradient of each is as long at every step."""
    X = np.zeros((60, 2))
    X[: LENGTHS.size, 0] = LENGTHS
    data = dp.Dataset.from_arrays(X, np.where(np.arange(60) % 2, 1.0, -1.0), domain=dp.Domain())
    learner = dp.DPSGD("logistic", epsilon=2.0, clip=0.5, epochs=4, batch=6, learning_rate=1e-12, **more)
    return learner.plan(dp.PublicFacts.of(data)).parameters, dp.learners.descent_exposure(data, learner, 0)


def test_a_row_that_stays_as_long_is_bounded_by_its_own_composition():
    chosen, found = standing_still()
    assert found.worst_case == pytest.approx(2.0, rel=2e-3)
    for length, epsilon in zip(LENGTHS[:-1], found.epsilon, strict=False):
        step = dp.Subsampled(dp.Gaussian(chosen["noise_multiplier"] / length), chosen["sampling_rate"])
        truth, _ = dp.compose([(step, chosen["steps"])]).epsilon(1e-5)
        event = dp_event.PoissonSampledDpEvent(
            chosen["sampling_rate"], dp_event.GaussianDpEvent(chosen["noise_multiplier"] / length)
        )
        other = (
            RdpAccountant(orders=np.geomspace(1.05, 2000, 400)).compose(event, int(chosen["steps"])).get_epsilon(1e-5)
        )
        assert truth <= epsilon <= min(other * 1.06, found.worst_case)
    assert found.norm[: LENGTHS.size] == pytest.approx(LENGTHS, abs=1e-6)
    assert np.all(found.epsilon <= found.worst_case)
    assert np.all(found.epsilon[LENGTHS.size :] <= found.epsilon[4])


def test_what_is_released_is_one_run_of_the_learner():
    data = dp.load_sample("breast_cancer")
    learner = dp.DPSGD("logistic", epsilon=1.0, epochs=3)
    assert np.array_equal(dp.learners.descent_exposure(data, learner, 3).theta, learner.fit(data, rng=3).theta)


def test_tuning_is_refused():
    refuses(dp.UnsupportedError, "one run", standing_still, tuning="honest")
