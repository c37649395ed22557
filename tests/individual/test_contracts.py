"""The profiles behind per-instance numbers are profiles like any other."""

import pytest

import dpcore as dp
from dpcore.mechanisms.output_perturbation import GaussianShift
from dpcore.mechanisms.posterior_sampling import PosteriorSampleRecord
from tests.contracts import profile as contracts

PROFILES = [
    GaussianShift(0.3),
    dp.OutputPerturbation(sigma=2.0, lam=1.0).worst_case(dp.Domain(), 100),
    *(PosteriorSampleRecord(*known) for known in ((1e-4, 0.7), (0.2, 0.0), (3.0, 4.0), (1e-8, 30.0))),
    dp.PosteriorSampling(gamma=0.1, lam=5.0).worst_case(dp.Domain(), 10),
]
CASES = [
    pytest.param(profile, check, id=f"{profile!r}-{check.__name__}")
    for profile in PROFILES
    for check in contracts.CHECKS
    if check is not contracts.check_is_a_value  # rebuilt from names of dpcore, where records' profiles are not
    and (check is not contracts.check_overrides_agree_with_the_base_class or "_renyi" in vars(type(profile)))
]


@pytest.mark.parametrize(("profile", "check"), CASES)
def test_contract(profile, check):
    contracts.holds(check, profile)


@pytest.mark.parametrize("profile", [GaussianShift(0.0), PosteriorSampleRecord(0.0, 2.0)], ids=repr)
def test_an_invisible_record_has_no_loss(profile):
    assert (profile.delta(0.0), profile.epsilon(0.0), profile.renyi(2.0)) == (0, 0, 0)
    assert profile.tradeoff(0.3) == pytest.approx(0.7, rel=1e-12)
