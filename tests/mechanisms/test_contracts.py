"""Every registered mechanism, its subsampled version and extreme parameters, against every contract."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.mechanisms.selection import selection_probabilities
from tests import every
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
        dp.Gaussian(1e-6), dp.Gaussian(1e6), dp.Gaussian(2.0, sensitivity=3e-5), dp.Laplace(2e-3), dp.Laplace(1e6),
        dp.RandomizedResponse(1e-9), dp.RandomizedResponse(500.0, categories=10**6),
        dp.ExponentialMechanism(1e-9), dp.ExponentialMechanism(500.0),
        dp.Subsampled(dp.Gaussian(1.0), 1e-10), dp.Subsampled(dp.Gaussian(0.5), 1 - 1e-15),
        dp.Subsampled(dp.Gaussian(0.05), 1e-3), dp.Subsampled(dp.Gaussian(1e4), 0.5),
        dp.Subsampled(dp.Subsampled(dp.Laplace(0.5), 0.3), 0.1),
    )
}  # fmt: skip
PROFILES = {**REGISTERED, **SUBSAMPLED, **EXTREME}


@pytest.mark.parametrize("name", PROFILES)
def test_contract(name):
    every.hold(lambda check: check(PROFILES[name]), {check.__name__: check for check in contracts.CHECKS})


CLOSED = {
    (name, direction): (profile, profile.log_moment(direction))
    for name, profile in {**REGISTERED, **SUBSAMPLED, "many categories": dp.RandomizedResponse(1.5, 7)}.items()
    for direction in ("add", "remove")
    if profile.log_moment(direction) is not None
}


@pytest.mark.parametrize(("name", "direction"), CLOSED)
def test_a_closed_moment_is_the_renyi_divergence_of_its_order(name, direction):
    """log E[e^{sω}] = s D_{1+s}, and E[ω] is its slope at 0, on the imaginary axis too."""
    profile, (moment, _) = CLOSED[name, direction]
    for s in (0.05, 0.7, 2.0, 6.0):
        divergence = float(profile.renyi(1 + s, direction=direction))
        assert moment(np.array([s + 0j]))[0].real == pytest.approx(s * divergence, rel=1e-7, abs=1e-13)
    step = 1e-4 / max(1.0, float(profile.renyi(3.0, direction=direction)))
    turned = moment(1e-6 + 1j * np.array([-step, step]))
    slope = (turned[1] - turned[0]).imag / (2 * step)
    assert slope == pytest.approx(float(profile.renyi(1.0, direction=direction)), rel=1e-3, abs=1e-12)


REFUSED = {  # what is built, of what, and of which sentence
    dp.Staircase: [((1.0, gamma), "^gamma must be") for gamma in (0.0, 1.0, -0.1, np.nan)],
    dp.RandomizedResponse: [((1.0, bad), "^categories must be") for bad in (1, 2.5, "2", None, True, [2, 3], np.nan)],
    dp.Subsampled: [((base, 0.1), "base must be a mechanism such as") for base in (None, 1.0, dp.Gaussian, [dp.Gaussian(1.0)])],
    dp.DiscreteGaussian: [((-1.0,), "sigma must be > 0"), ((1.0, 0.5), "a whole"), ((1.0, 0), "sensitivity must be >= 1")],
    selection_probabilities: [(([], 1.0), "errors must"), (([np.inf], 1.0), "errors must"), (([1.0], 0.0), "epsilon must")],
    dp.RegularizedExponential: [
        ((0.0, 1.0, 1.0, 10), "^k must"), (("1", 1.0, 1.0, 10), "^k must"), ((1.0, -1.0, 1.0, 10), "^mu must"),
        ((1.0, 1.0, np.inf, 10), "^lipschitz must"), ((1.0, 1.0, 1.0, 2.5), "^n must"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("build", REFUSED, ids=lambda build: build.__name__)
def test_bad_parameters_are_named(build):
    for arguments, sentence in REFUSED[build]:
        with pytest.raises(dp.ParameterError, match=sentence):
            build(*arguments)
