"""`calibrate` returns the smallest noise that meets the target, exactly as computed and against the oracle."""

import re

import numpy as np
import pytest

import dpcore as dp
from tests import oracles
from tests.refusals import refuses

RNG = np.random.default_rng(20240507)


def meets(make, noise, epsilon, delta):
    return make(noise).delta(epsilon) <= delta


def test_gaussian_noise_is_exact_on_both_sides():
    for _ in range(30):
        epsilon, delta = 10 ** RNG.uniform(-6, 3), 10 ** RNG.uniform(-290 if RNG.random() < 0.5 else -15, -0.1)
        noise = dp.calibrate(dp.Gaussian, epsilon=epsilon, delta=delta, bracket=(1e-7, 1e12))
        assert meets(dp.Gaussian, noise, epsilon, delta)
        assert not meets(dp.Gaussian, noise * (1 - 1e-9), epsilon, delta)
        with oracles.mp.workdps(40):
            target = oracles.mp.log(oracles.mp.mpf(delta))
        assert oracles.gaussian_log_delta(epsilon, noise) <= target + 1e-12
        assert oracles.gaussian_log_delta(epsilon, noise * (1 - 1e-10)) >= target - 1e-10


@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 1.0, 7.3, 300.0])
def test_pure_laplace(epsilon):
    """δ = 0: the scale is 1/ε, rounded up."""
    noise = dp.calibrate(dp.Laplace, epsilon=epsilon, delta=0.0)
    assert dp.Laplace(noise).delta(epsilon) == 0
    assert dp.Laplace(noise).renyi(np.inf) <= epsilon * (1 + 1e-15)
    assert noise == pytest.approx(1 / epsilon, rel=1e-14)
    assert dp.Laplace(noise * (1 - 1e-9)).delta(epsilon) > 0


@pytest.mark.parametrize("rate", [1e-3, 0.2, 1.0])
def test_subsampled(rate):
    def make(noise):
        return dp.Subsampled(dp.Gaussian(noise), rate)

    noise = dp.calibrate(make, epsilon=0.5, delta=1e-8)
    assert meets(make, noise, 0.5, 1e-8)
    assert not meets(make, noise * (1 - 1e-9), 0.5, 1e-8)
    assert noise <= dp.calibrate(dp.Gaussian, epsilon=0.5, delta=1e-8) * (1 + 1e-12)


def test_the_ends_of_the_bracket():
    assert dp.calibrate(dp.Gaussian, 1.0, 1e-5, bracket=(10.0, 20.0)) == 10.0
    noise = dp.calibrate(dp.Gaussian, 1.0, 1e-5)
    assert dp.calibrate(dp.Gaussian, 1.0, 1e-5, bracket=(1e-3, noise)) == pytest.approx(noise, rel=1e-13)
    refuses(dp.CalibrationError, "no noise", dp.calibrate, dp.Gaussian, 1.0, 1e-5, bracket=(1e-3, noise * (1 - 1e-9)))


def test_no_noise_is_enough():
    words = r"no noise up to 10 gives \(1e-09, 1e-30\)-DP.*raise the bracket's upper end or relax the target"
    refuses(dp.CalibrationError, words, dp.calibrate, dp.Gaussian, epsilon=1e-9, delta=1e-30, bracket=(1e-3, 10.0))
    refuses(dp.CalibrationError, "no noise", dp.calibrate, dp.Gaussian, epsilon=1.0, delta=0.0)


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"epsilon": -1.0}, "epsilon must be >= 0, got -1.0"),
    ({"delta": 1.0}, "delta must be in [0, 1), got 1.0"),
    ({"bracket": (1.0, 1.0)}, "bracket must be increasing, got (1, 1)"),
    ({"bracket": (0.0, 1.0)}, "bracket low must be > 0, got 0.0"),
    ({"bracket": (1.0, 2.0, 3.0)}, "bracket must be a pair (low, high), got (1.0, 2.0, 3.0)"),
    ({"make": dp.Gaussian(1.0)}, "make must be a function from noise to a mechanism, got Gaussian(sigma=1.0"),
])  # fmt: skip
def test_bad_arguments(arguments, sentence):
    given = {"make": dp.Gaussian, "epsilon": 1.0, "delta": 1e-5, **arguments}
    refuses(dp.ParameterError, f"^{re.escape(sentence)}", dp.calibrate, **given)
