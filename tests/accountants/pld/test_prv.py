"""The bracket lies inside the intervals of prv_accountant, which are 10⁴ times wider."""

from __future__ import annotations

import pytest
from prv_accountant import GaussianMechanism, LaplaceMechanism, PoissonSubsampledGaussianMechanism, PRVAccountant

import dpcore as dp

CASES = {
    "gaussian": (GaussianMechanism(20.0), 400, dp.Gaussian(20.0)),
    "laplace": (LaplaceMechanism(0.05), 300, dp.Laplace(20.0)),
    "subsampled": (
        PoissonSubsampledGaussianMechanism(sampling_probability=0.01, noise_multiplier=1.0),
        1000,
        dp.Subsampled(dp.Gaussian(1.0), 0.01),
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("delta", [1e-3, 1e-5])
def test_bracket_lies_in_the_interval_of_prv(name, delta):
    theirs, count, ours = CASES[name]
    accountant = PRVAccountant(prvs=[theirs], max_self_compositions=[count], eps_error=0.02, delta_error=delta / 1e4)
    below, middle, above = accountant.compute_epsilon(delta=delta, num_self_compositions=[count])
    low, high = dp.compose([(ours, count)]).epsilon(delta)
    assert below <= low <= high <= above
    assert high - low < 1e-3 * (above - below)
    assert middle == pytest.approx(float(high), abs=0.02)
