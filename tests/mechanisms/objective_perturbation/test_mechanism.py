"""The public class: its arguments, what it says of itself, and that every analysis is reached."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore as dp
from dpcore.errors import ParameterError
from dpcore.mechanisms.objective_perturbation import BOUNDS, ObjectivePerturbation, log_delta_over
from dpcore.profiles import Bound
from dpcore.references import REFERENCES

BASE = {"sigma": 5.0, "lam": 20.0, "lipschitz": 1.0, "smoothness": 1.0}


def make(**options):
    return ObjectivePerturbation(**{**BASE, "dimension": 3, **options})


@pytest.mark.parametrize("bound", BOUNDS)
def test_kind_of_each_curve(bound):
    claimed = {"linearised", "half_normal"}
    known = {"tight": Bound.EXACT, "lower": Bound.LOWER} | dict.fromkeys(claimed, Bound.CLAIMED)
    assert make(bound=bound).bound is known.get(bound, Bound.UPPER)
    assert set(make(bound=bound).card.references) <= set(REFERENCES)
    assert make(bound=bound).card == make(bound=bound, smoothness=1e3).card
    assert len({make(bound=one).card.title for one in BOUNDS}) == len(BOUNDS)


def test_linearised_bound_is_proven_for_one_parameter():
    assert make(bound="linearised", dimension=1).bound is Bound.UPPER
    assert make(bound="linearised", dimension=None).bound is Bound.CLAIMED


@pytest.mark.parametrize("bound", ["hockey_stick", "renyi", "linearised", "non_glm"])
@pytest.mark.parametrize("smoothness", [20.0, 25.0])
def test_silence_where_the_published_log_term_does_not_exist(bound, smoothness):
    silent = make(bound=bound, smoothness=smoothness)
    epsilon = np.array([0.0, 1.0, 100.0])
    np.testing.assert_array_equal(silent.log_delta(epsilon), 0.0)
    assert not silent.says_something(epsilon).any()
    assert silent.epsilon(1e-5) == np.inf
    assert silent.renyi(2.0) == np.inf
    assert any("λ ≤ β" in sentence for sentence in silent.conditions)
    assert make(bound=bound, smoothness=smoothness, log_term="plus").says_something(100.0)


def test_silence_of_the_bound_of_2012():
    mechanism = make(bound="kifer", smoothness=10.0)
    np.testing.assert_array_equal(mechanism.says_something([0.5, 0.999, 1.0, 3.0]), [False, False, True, True])
    assert any("ε < 2β/λ = 1" in sentence for sentence in mechanism.conditions)
    assert mechanism.epsilon(0.9) == 1.0


def test_tight_profile_always_speaks():
    assert make(smoothness=1e6).says_something(0.0)
    assert not any("No guarantee" in sentence for sentence in make(smoothness=1e6).conditions)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sigma": -1.0}, "sigma must be > 0, got -1.0"),
        ({"smoothness": -0.1}, "smoothness must be >= 0"),
        ({"bound": "best"}, "bound must be one of 'tight'"),
        ({"log_term": "sharp"}, "log_term must be one of"),
        ({"monotone": 1}, "monotone must be True or False, got 1"),
        ({"bound": "non_glm", "dimension": None}, "needs dimension"),
        ({"sigma": 1e-30}, "lipschitz/sigma must be in"),
        ({"lam": 1e-30}, "smoothness/lam must be <= 1e+12"),
        ({"loss": "poisson", "clip": 1.0, "lipschitz": np.inf}, "lipschitz must be"),
        ({"clip": 1.0}, "name the loss too"),
        ({"lipschitz": None}, "lipschitz is missing"),
    ],
)
def test_refusals_are_sentences(options, words):
    with pytest.raises(ParameterError, match="^" + ".*" + words.replace("+", r"\+")):
        make(**options)


def test_a_named_loss_supplies_its_constants_over_the_domain():
    with_bias = dp.Domain(row_norm=np.sqrt(2))
    mechanism = ObjectivePerturbation(sigma=5, lam=20, loss="logistic", domain=with_bias)
    assert mechanism.lipschitz == pytest.approx(np.sqrt(2))
    assert mechanism.smoothness == pytest.approx(0.5)
    assert mechanism.monotone
    assert ObjectivePerturbation(sigma=5, lam=20, lipschitz=1.0, smoothness=0.25).monotone
    clipped = ObjectivePerturbation(sigma=5, lam=20, loss="squared", clip=0.5)
    assert (clipped.lipschitz, clipped.smoothness, clipped.monotone) == (0.5, 1.0, False)
    same = ObjectivePerturbation(sigma=5, lam=20, loss=dp.LOSSES["squared"], clip=0.5, monotone=False)
    assert same == clipped == eval(repr(clipped))
    assert ObjectivePerturbation(sigma=5, lam=20, loss="logistic", lipschitz=0.3).lipschitz == 0.3


def test_sweeps_refuse_what_they_cannot_do():
    with pytest.raises(ParameterError, match="bound must be one of"):
        log_delta_over(0.7, sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0, bound="linearised")
    with pytest.raises(ParameterError, match="sigma must be in"):
        log_delta_over(0.7, sigma=-1.0, lam=1.0, lipschitz=1.0, smoothness=1.0)


@pytest.mark.parametrize("loss", ["squared", "poisson"])
def test_a_loss_without_bounds_gives_no_guarantee_and_still_has_rows(loss):
    mechanism = dp.ObjectivePerturbation(sigma=2.0, lam=1.0, loss=loss)
    assert not mechanism.says_something([0.5, 50.0]).any()
    assert (mechanism.delta([0.0, 5.0, 1e6]) == 1).all()
    assert any("clip" in sentence for sentence in mechanism.conditions)
    assert mechanism.with_noise(3.0).sigma == 6.0
    with pytest.raises(dp.UnsupportedError, match="no worst-case guarantee"):
        mechanism.worst_case(dp.Domain(), 10)
    rng = np.random.default_rng(0)
    dataset = dp.Dataset.from_arrays(rng.uniform(-0.5, 0.5, (30, 2)), rng.integers(0, 3, 30).astype(float))
    stated = dp.ObjectivePerturbation(sigma=2.0, lam=1.0, lipschitz=1.0, smoothness=1.0, loss=loss)
    found = dp.individual_privacy(dataset, mechanism).epsilon
    assert (found > 0).any()
    np.testing.assert_array_equal(found, dp.individual_privacy(dataset, stated).epsilon)
