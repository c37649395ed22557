"""Approximate minima perturbation: the cell bracket against closed forms and quadrature, and the Rényi form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import dpcore as dp
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.mechanisms.objective_perturbation import ApproximateMinimaPerturbation, ObjectivePerturbation
from dpcore.mechanisms.objective_perturbation.approximate import RenyiSum
from dpcore.mechanisms.objective_perturbation.convolution import GaussianComposition
from dpcore.mechanisms.objective_perturbation.tight import TightProfile
from dpcore.profiles import Bound
from dpcore.profiles.bracket import Bracket, Midpoint

BASE = {"sigma": 5.0, "lam": 2.0, "lipschitz": 1.0, "smoothness": 1.0}


def sides(profile, shift):
    upper = GaussianComposition(profile, shift)
    return Bracket(upper.lower, upper.upper, Midpoint(upper.lower, upper.upper))


def make(**options):
    return ApproximateMinimaPerturbation(**{**BASE, "tau": 0.05, "sigma_out": 1.0, "dimension": 2, **options})


@pytest.mark.parametrize(
    ("first", "second"), [(0.2, 0.1), (1.0, 0.5), (0.05, 0.3), (3.0, 3.0), (0.5, 1e-3), (0.3, 1e-9)]
)
def test_two_gaussians_are_one_gaussian(first, second):
    bracket = sides(dp.Gaussian(1.0, first), second)
    exact = dp.Gaussian(1.0, float(np.hypot(first, second)))
    epsilon = np.unique(np.concatenate([[0.0], exact.epsilon(log_delta=-np.geomspace(0.1, 300, 40))]))
    lower, upper = bracket.log_delta(epsilon)
    truth = exact.log_delta(epsilon)
    assert ((lower <= truth) & (truth <= upper)).all()
    assert (upper - lower)[truth > -40].max() < 1e-3
    middle = bracket.estimate.log_delta(epsilon)
    assert ((lower <= middle) & (middle <= upper)).all()
    negative = -np.geomspace(1e-3, 5, 9)
    low, truth, high = (one.log_delta(negative, direction="add") for one in (bracket.lower, exact, bracket.upper))
    assert ((low <= truth) & (truth <= high)).all()


def composed(profile, shift, epsilon, direction):
    """E[h(ε − ω)] with ω ~ N(s²/2, s²), by Gauss–Legendre panels on either side of the kink at ω = ε."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    kink = float(np.clip((epsilon - shift**2 / 2) / shift, -12, 12))
    edges = np.unique(np.concatenate([np.linspace(-12, kink, 9), np.linspace(kink, 12, 9)]))
    half = np.diff(edges)[:, None] / 2
    z = edges[:-1, None] + half * (1 + nodes)
    values = profile.delta(epsilon - shift * z - shift**2 / 2, direction=direction) * norm.pdf(z)
    return (half * weights * values).sum()


@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.parametrize(
    ("profile", "shift"),
    [(TightProfile(0.5, 0.5, True), 0.3), (TightProfile(1.0, 0.4, False), 0.1), (TightProfile(0.3, 2.0, True), 1.0)],
)
def test_bracket_holds_the_convolution(profile, shift, direction):
    bracket = sides(profile, shift)
    for epsilon in (0.0, 0.4, 1.5):
        truth = composed(profile, shift, epsilon, direction)
        lower, upper = bracket.delta(epsilon, direction=direction)
        assert lower / (1 + 1e-9) <= truth <= upper * (1 + 1e-9)
        assert upper - lower <= 1e-3 * truth


def test_hockey_stick_bound_composes_its_privacy_loss():
    """E over both losses of (1 − e^{ε−ω₁−ω₂})_+, with ω₁ = ℓ + Δ²/2 + |N(0, Δ²)|."""
    mechanism = make(bound="hockey_stick", log_term="plus", tau=0.4)
    delta_1, jump, shift = 0.2, np.log(1.5), mechanism.second_shift
    nodes, weights = np.polynomial.legendre.leggauss(400)
    z, w = 9 * nodes, 9 * weights * norm.pdf(9 * nodes)
    half, half_w = 4.5 * (nodes + 1), 9 * weights * norm.pdf(4.5 * (nodes + 1))
    loss = (jump + delta_1**2 / 2 + delta_1 * half)[:, None] + shift**2 / 2 + shift * z
    for epsilon in (0.0, 0.3, 1.2):
        truth = (half_w[:, None] * w * np.maximum(-np.expm1(epsilon - loss), 0)).sum()
        lower, upper = mechanism.bracket.delta(epsilon)
        assert lower / (1 + 1e-5) <= truth <= upper * (1 + 1e-5)
        assert upper == mechanism.delta(epsilon)


@pytest.mark.parametrize("bound", ["tight", "hockey_stick", "renyi", "linearised", "non_glm"])
def test_nothing_added_where_the_solver_is_exact(bound):
    exact = ObjectivePerturbation(**BASE, bound=bound, dimension=2)
    same = make(bound=bound, tau=0.0)
    epsilon = np.linspace(0, 3, 7)
    np.testing.assert_array_equal(same.log_delta(epsilon), exact.log_delta(epsilon))
    assert same.bound is exact.bound


@pytest.mark.parametrize("bound", ["tight", "hockey_stick", "renyi", "linearised", "non_glm"])
def test_renyi_form_of_theorem_4_1(bound):
    orders = np.array([1.0, 1.1, 1.3])
    exact = ObjectivePerturbation(**BASE, bound=bound, dimension=2).renyi(orders)
    added = 2 * 0.05**2 * orders / (1.0**2 * 2.0**2)
    np.testing.assert_allclose(make(bound=bound).renyi(orders), exact + added, rtol=1e-12)


def test_what_it_says_of_itself():
    assert make().bound is Bound.UPPER
    assert make(bound="linearised").bound is Bound.CLAIMED
    bracket = make().bracket
    assert (bracket.lower.bound, bracket.upper.bound, bracket.curve) == (Bound.LOWER, Bound.UPPER, Bound.EXACT)
    assert any("τ = 0.05" in sentence for sentence in make().conditions)
    assert not any("exact minimiser" in sentence for sentence in make().conditions)
    twin = eval(repr(make(bound="renyi", monotone=False)))
    assert len({twin, make(bound="renyi", monotone=False)}) == 1
    assert not make(bound="renyi", smoothness=3.0).says_something(1.0)
    with pytest.raises(UnsupportedError, match="has no lower side"):
        _ = make(bound="renyi").bracket


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tau": -1.0}, "tau must be >= 0, got -1.0"),
        ({"sigma_out": 0.0}, "sigma_out must be > 0"),
        ({"bound": "kifer"}, "bound must be one of 'tight', 'hockey_stick', 'renyi'"),
        ({"tau": 1e6}, "stop the solver later"),
        ({"lam": -1.0}, "lam must be > 0"),
    ],
)
def test_refusals_are_sentences(options, words):
    with pytest.raises(ParameterError, match=words):
        make(**options)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0])
def test_renyi_form_adds_the_second_release(epsilon):
    """The conversion of the sum over a dense grid of orders: two Gaussians of shifts 0.3 and 0.4, and Theorem 3.2 with s."""
    order = np.geomspace(1e-3, 1e5, 400_001)
    alpha = order + 1

    def converted(divergence):
        return float((order * (divergence - epsilon + np.log(order / alpha)) - np.log(alpha)).min())

    found = RenyiSum(dp.Gaussian(1.0, 0.3), 0.4).log_delta(epsilon)
    assert found == pytest.approx(converted(alpha * 0.25 / 2), abs=1e-7)
    mechanism = make(bound="renyi", sigma_out=0.2)
    theorem = np.log(2) + alpha * 0.2**2 / 2 + norm.logcdf(order * 0.2) / order + np.log(2) / order
    assert mechanism.second_shift == pytest.approx(0.25)
    expected = min(converted(theorem + alpha * 0.25**2 / 2), 0.0)
    assert mechanism.log_delta(epsilon) == pytest.approx(expected, abs=1e-7)
