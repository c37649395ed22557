"""The base class on its own: what a mechanism gets for free, and what "both directions" means."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import dpcore as dp
from dpcore.mechanisms.shifted_normal import log_shifted_normal
from dpcore.profiles import PrivacyProfile
from dpcore.profiles.profile import reflect
from tests.contracts import profile as contracts

FPR = np.array([0.0, 1e-6, 0.01, 0.2, 0.5, 0.9, 1.0])


class Minimal(PrivacyProfile):
    """The Gaussian of unit shift, by the protected method alone."""

    def _log_delta(self, epsilon, direction):
        return log_shifted_normal(epsilon, 1.0)


class MinimalPublic(PrivacyProfile):
    """The same by the public method alone, as another package would write it."""

    def log_delta(self, epsilon, direction="both", **options):
        return dp.Gaussian(1.0).log_delta(epsilon, direction)


class Leaky(PrivacyProfile):
    """Reveals everything once in a hundred runs: no ε makes δ < 0.01."""

    symmetric = True

    def _log_delta(self, epsilon, direction):
        return np.logaddexp(np.log(0.01), np.log(0.99) + log_shifted_normal(epsilon, 1.0))


@pytest.mark.parametrize("profile", [Minimal(), MinimalPublic()], ids=["protected", "public"])
def test_a_mechanism_needs_only_one_method(profile):
    reference = dp.Gaussian(1.0)
    epsilon = np.linspace(-3, 6, 19)
    for direction in ("both", "add", "remove"):
        np.testing.assert_array_equal(profile.delta(epsilon, direction), reference.delta(epsilon, direction))
        epsilons = (one.epsilon([1e-9, 0.1], direction) for one in (profile, reference))
        np.testing.assert_array_equal(*epsilons)
        np.testing.assert_allclose(profile.tradeoff(FPR, direction), reference.tradeoff(FPR, direction), rtol=1e-9)
        orders = [1.0, 1.5, 20.0, np.inf]
        np.testing.assert_allclose(profile.renyi(orders, direction), reference.renyi(orders, direction), rtol=1e-12)
    assert dp.Subsampled(profile, 0.1).delta(0.3) == dp.Subsampled(reference, 0.1).delta(0.3)
    assert dp.calibrate(lambda s: profile, 1.0, 0.5) == 1e-3


# need a name, or overrides
SEPARATE = ("check_is_a_value", "check_limits", "check_overrides_agree_with_the_base_class")


@pytest.mark.parametrize("profile", [Minimal(), dp.Subsampled(Minimal(), 0.3)], ids=["minimal", "sub"])
@pytest.mark.parametrize(
    "check", [c for c in contracts.CHECKS if c.__name__ not in SEPARATE], ids=lambda check: check.__name__
)
def test_contracts_hold_for_mechanisms_of_others(profile, check):
    check(profile)


def test_a_public_method_may_call_the_one_it_replaces():
    class Padded(dp.Gaussian):
        def log_delta(self, epsilon, direction="both", **options):
            return np.maximum(super().log_delta(epsilon, direction), -20.0)

    padded, plain = Padded(1.0), dp.Gaussian(1.0)
    assert padded.delta(1.0) == plain.delta(1.0)
    assert padded.log_delta(50.0) == -20.0
    assert padded.epsilon(1e-8) == plain.epsilon(1e-8)
    assert padded.epsilon(1e-9) == np.inf


def test_a_mechanism_must_define_its_profile():
    with pytest.raises(TypeError, match="_log_delta"):
        type("Empty", (PrivacyProfile,), {})()


def test_a_floor_of_delta_is_never_reached():
    leaky = Leaky()
    contracts.check_reflection(leaky)
    assert leaky.delta(np.inf) == pytest.approx(0.01, rel=1e-15)
    assert leaky.epsilon(0.01 + 1e-6) < np.inf
    np.testing.assert_array_equal(leaky.epsilon([0.5, 0.009, 0.0]) == np.inf, [False, True, True])
    np.testing.assert_array_equal(leaky.renyi([1.0, 1 + 1e-9, 2.0, 1e6, np.inf]), np.inf)
    assert leaky.tradeoff(0.0) == pytest.approx(0.99, rel=1e-14)


def test_both_tradeoff_is_the_convex_envelope_of_the_two_directions():
    """And so it is its own inverse: T(T(α)) = α wherever T falls; the two directions are inverse to each other."""
    profile = dp.Subsampled(dp.Gaussian(0.8), 0.25)
    fpr = np.linspace(0, 1, 801)
    points = np.vstack([np.column_stack([fpr, profile.tradeoff(fpr, way)]) for way in ("add", "remove")])
    hull = points[ConvexHull(points).vertices]
    lower = hull[hull[:, 0] + hull[:, 1] <= 1 + 1e-12]
    lower = lower[np.argsort(lower[:, 0])]
    envelope = np.interp(fpr, lower[:, 0], lower[:, 1])
    both = profile.tradeoff(fpr)
    np.testing.assert_allclose(both, envelope, rtol=0, atol=2e-6)
    inner = (both > 0.01) & (both < 0.99)
    np.testing.assert_allclose(profile.tradeoff(both[inner]), fpr[inner], rtol=0, atol=1e-9)
    inside = np.linspace(0.01, 0.9, 30)
    np.testing.assert_allclose(profile.tradeoff(profile.tradeoff(inside, "add"), "remove"), inside, rtol=1e-9)


def test_epsilon_from_log_delta_beyond_the_range_of_floats():
    """δ(ε) underflows from ε ≈ 40 on, yet no ε makes the Gaussian purely private."""
    profile = dp.Gaussian(1.0)
    assert (profile.delta(100.0), profile.epsilon(0.0)) == (0, np.inf)
    epsilon = profile.epsilon(log_delta=[-1e3, -1e6, -1e12])
    assert (profile.log_delta(epsilon) <= [-1e3, -1e6, -1e12]).all()
    np.testing.assert_allclose(profile.log_delta(epsilon), [-1e3, -1e6, -1e12], rtol=1e-12)
    assert profile.epsilon(log_delta=-np.inf) == np.inf
    assert dp.Laplace(2.0).epsilon(log_delta=-np.inf) == 0.5


def test_reflection_keeps_the_digits_of_small_results():
    """1 − e^ε(1 − δ) for tiny |ε| and δ is |ε| + δ."""
    assert np.exp(reflect(np.array(-1e-18), np.log(1e-20))) == pytest.approx(1.01e-18, rel=1e-14)
    assert reflect(np.array(-np.inf), np.array(-1.0)) == 0
    assert reflect(np.array(-2.0), np.array(-np.inf)) == pytest.approx(np.log(-np.expm1(-2.0)), rel=1e-15)
    assert reflect(np.array(-50.0), np.array(-1e-30)) == pytest.approx(-1e-30 * np.exp(-50), rel=1e-13)
