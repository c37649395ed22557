"""Every registered mechanism, its subsampled version and extreme parameters, against every contract."""

import pytest

import dpcore as dp
from tests.contracts import profile as contracts

REGISTERED = {
    f"{name}-{i}": profile
    for name, entry in dp.MECHANISMS.items()
    for i, profile in enumerate(contracts.registry_profiles(entry))
}
SUBSAMPLED = {f"subsampled-{name}": dp.Subsampled(entry.default(), 0.2) for name, entry in dp.MECHANISMS.items()}
EXTREME = {
    repr(profile): profile
    for profile in (
        dp.Gaussian(1e-6),
        dp.Gaussian(1e6),
        dp.Gaussian(2.0, sensitivity=3e-5),
        dp.Laplace(2e-3),
        dp.Laplace(1e6),
        dp.RandomizedResponse(1e-9),
        dp.RandomizedResponse(500.0, categories=10**6),
        dp.ExponentialMechanism(1e-9),
        dp.ExponentialMechanism(500.0),
        dp.Subsampled(dp.Gaussian(1.0), 1e-10),
        dp.Subsampled(dp.Gaussian(0.5), 1 - 1e-15),
        dp.Subsampled(dp.Gaussian(0.05), 1e-3),
        dp.Subsampled(dp.Gaussian(1e4), 0.5),
        dp.Subsampled(dp.Subsampled(dp.Laplace(0.5), 0.3), 0.1),
    )
}
PROFILES = {**REGISTERED, **SUBSAMPLED, **EXTREME}


@pytest.mark.parametrize("check", contracts.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", PROFILES)
def test_contract(name, check):
    check(PROFILES[name])
