"""The mechanisms at equal exposure: computed anew, the most exposed row is as exposed under each."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual.all_rows.equal_exposure import at_equal_exposure
from dpcore.mechanisms import RELEASES
from tests.refusals import refuses

CASES = {
    "linear": ("diabetes", dp.ObjectivePerturbation(sigma=0.3, lam=10.0, loss="squared")),
    "logistic": ("breast_cancer", dp.PosteriorSampling(gamma=1.0, lam=1.0, loss="logistic")),
}


@pytest.mark.parametrize("case", CASES)
def test_the_most_exposed_row_is_as_exposed_under_each(case):
    sample, mechanism = CASES[case]
    data = dp.load_sample(sample)
    result = dp.individual_privacy(data, mechanism, 1e-6)
    found = at_equal_exposure(result)
    assert found[0].mechanism == mechanism
    assert {one.name for one in found} == {entry.name for entry in RELEASES.values()}
    for one in found:
        again = dp.individual_privacy(data, one.mechanism, 1e-6)
        assert (one.mechanism.lam, one.mechanism.loss) == (mechanism.lam, mechanism.loss)
        assert again.epsilon.max() == pytest.approx(result.epsilon.max(), rel=2e-3)
        assert (one.largest, one.median) == pytest.approx((again.epsilon.max(), np.median(again.epsilon)), rel=1e-9)
        if one.worst_case is not None:
            assert one.worst_case == pytest.approx(again.worst_case_epsilon, rel=1e-9)


def test_the_price_is_the_error_of_draws():
    data = dp.load_sample("diabetes")
    low, high = data.encoder.target_range
    for one in at_equal_exposure(dp.individual_privacy(data, dp.OutputPerturbation(sigma=0.5, lam=10.0), 1e-6)):
        if one.mechanism is not None:
            draws = one.mechanism.draw(dp.leverage(data, lam=10.0), 4000, np.random.default_rng(0))
            rmse = (high - low) / 2 * np.sqrt(np.mean(np.square(data.y[:, None] - data.X @ draws.T)))
            assert one.accuracy.value == pytest.approx(rmse, rel=0.02)


def test_where_no_noise_is_enough_the_reason_is_given():
    data = dp.load_sample("diabetes")
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    (refused,) = (one for one in at_equal_exposure(result) if one.mechanism is None)
    assert refused.name == "Objective perturbation"
    assert "stays more exposed" in refused.why_not
    loudest = dp.ObjectivePerturbation(sigma=1e6, lam=1.0, loss="squared")
    assert dp.individual_privacy(data, loudest, 1e-6).epsilon.max() > result.epsilon.max()
    nothing = dp.Dataset.from_arrays(np.zeros((5, 1)), np.ones(5))
    none = dp.individual_privacy(nothing, dp.OutputPerturbation(1.0, 1.0))
    refuses(dp.UnsupportedError, "ε of the most exposed row, which is 0", at_equal_exposure, none)


def test_without_a_guarantee_no_worst_case_is_compared():
    data = dp.load_csv(
        b"a,y\n" + b"".join(b"%d,%d\n" % (k % 7, k % 5) for k in range(40)), "y", domain=dp.Domain(from_data=True)
    )
    found = at_equal_exposure(dp.individual_privacy(data, dp.OutputPerturbation(1.0, 1.0)))
    assert [one.worst_case for one in found] == [None] * 3
