"""The tight profile against the theorem in 20-digit arithmetic, against an unstructured search, and against itself."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import norm

from dpcore.mechanisms.objective_perturbation.tight import log_tight
from dpcore.mechanisms.shifted_normal import log_shifted_normal
from tests.mechanisms.objective_perturbation.tight_oracles import Theorem, dynamic_program

DIRECTIONS = ("add", "remove")


# (Δ, κ, ε, monotone): one ramp, arc only, arc and ramp, capped ramps, both signs, near ε = log(1+κ), extremes
SETTINGS = [
    (0.2, 0.05, 0.03, True), (1.0, 5.0, 1.0, True), (1.0, 5.0, 1.0, False), (0.1, 0.2, 4.0, True),
    (10.0, 100.0, 1.0, True), (0.01, 100.0, 3.0, False), (1e-4, 1.0, 0.7, True), (0.3, 1.0, 0.6931, True),
    (0.3, 1.0, 0.6932, True), (2.784e-4, 71.7, 4.286392, True), (1.1e-3, 1e-6, 2.5e-6, True),
]  # fmt: skip


@pytest.mark.parametrize(("shift", "kappa", "epsilon", "monotone"), SETTINGS)
def test_matches_the_theorem_and_is_never_below(shift, kappa, epsilon, monotone):
    exact = Theorem(epsilon, shift, kappa, monotone).log_value()
    excess = float(mp.expm1(mp.mpf(float(log_tight(epsilon, shift, kappa, "remove", monotone))) - exact))
    assert 0 < excess < 1e-9


@pytest.mark.parametrize(("shift", "kappa", "epsilon"), [(1.5, 1.1, 2.0), (0.6, 2.5, 0.1)])
@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_unstructured_search_reaches_it_and_never_more(shift, kappa, epsilon, monotone, direction):
    found = dynamic_program(epsilon, shift, kappa, direction, monotone)
    claimed = float(np.exp(log_tight(epsilon, shift, kappa, direction, monotone)))
    assert found == pytest.approx(claimed, rel=2e-5)


def two_tails(epsilon, shift, kappa, rounds=12, points=161):
    """The addition direction as a maximum over both thresholds of the two tails, by scan and zoom."""
    centres, width = (1.5, 1.5), 6.0
    best = 0.0
    for _ in range(rounds):
        a1, a2 = np.meshgrid(*(centre + np.linspace(-width, width, points) for centre in centres))
        rise = np.clip(kappa * (a1 + a2), 0.0, 2 * shift)
        second = np.clip((a1 - a2 + rise) / 2, np.maximum(rise - shift, 0.0), np.minimum(shift, rise))
        lost = norm.sf(a1 + rise - second) + norm.sf(a2 + second)
        value = np.where(a1 + a2 >= 0, norm.sf(a1) + norm.sf(a2) - np.exp(epsilon) * lost, -np.inf)
        where = np.unravel_index(value.argmax(), value.shape)
        centres, width, best = (a1[where], a2[where]), width / 5, max(best, value[where])
    return best


@pytest.mark.parametrize(
    ("shift", "kappa", "epsilon"),
    [(0.35, 0.28, 0.5), (0.8, 0.1, 0.2), (0.6, 2.5, 0.1), (0.9, 0.2, 0.0), (2.5, 4.0, 3.0), (0.7, 0.4, 1.8)],
)
def test_addition_direction_for_general_losses(shift, kappa, epsilon):
    claimed = float(np.exp(log_tight(epsilon, shift, kappa, "add", False)))
    searched = two_tails(epsilon, shift, kappa)
    assert searched <= claimed <= searched * (1 + 1e-9)


def test_addition_direction_for_monotone_losses_is_gaussian():
    epsilon = np.linspace(0, 10, 50)
    np.testing.assert_array_equal(log_tight(epsilon, 0.7, 0.4, "add", True), log_shifted_normal(epsilon, 0.7))


def random_parameters(rng, count):
    """Wide log-uniform draws, a fifth of them within rounding of the case boundary ε = log(1+κ)."""
    shift, kappa = 10 ** rng.uniform(-6, 3, count), 10 ** rng.uniform(-10, 6, count)
    epsilon = np.where(rng.random(count) < 0.1, 0.0, 10 ** rng.uniform(-14, 4, count))
    offsets = rng.choice([0, 1e-15, -1e-15, 1e-10, -1e-10, 1e-5, -1e-5, 0.1, -0.1], count)
    near = rng.random(count) < 0.2
    return np.where(near, np.log1p(kappa) * (1 + offsets), epsilon), shift, kappa


def slack(value):
    """The stated margins of the kernel, twice: 1e-11 and rounding of a large exponent."""
    return 3e-11 + 1e-13 * np.abs(value)


def test_finite_and_ordered_over_eighteen_decades():
    epsilon, shift, kappa = random_parameters(np.random.default_rng(11), 20_000)
    for direction in DIRECTIONS:
        monotone = log_tight(epsilon, shift, kappa, direction, True)
        general = log_tight(epsilon, shift, kappa, direction, False)
        assert np.isfinite([monotone, general]).all()
        assert (general <= 0).all()
        assert (log_shifted_normal(epsilon, shift) <= monotone).all()
        assert (monotone <= general + slack(general)).all()


def test_limits():
    assert log_tight(np.inf, 0.3, 1.0, "remove", True) == -np.inf
    straight = log_shifted_normal(np.array([0.0, 1.0]), 0.3)
    np.testing.assert_array_equal(log_tight([0.0, 1.0], 0.3, 0.0, "remove", False), straight)
    np.testing.assert_allclose(log_tight([0.0, 1.0], 0.3, 1e-12, "remove", True), straight, atol=1e-9)
    assert np.isfinite(log_tight([1e6, 1e12, 1e15], 0.3, 1.0, "remove", True)).all()
