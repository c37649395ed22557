"""Upper bounds of ε from a row alone: above the truth for every record within them, on any data."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual.exposure import RecordBounds, analysis_of
from dpcore.individual.publication.plan import PublicationPlan
from dpcore.individual.publication.terms import Terms
from tests.individual.conftest import passes
from tests.individual.exact.sweep import Case
from tests.individual.publication.oracles import KINDS, adversarial

LINEAR = {
    "posterior": dp.PosteriorSampling(gamma=2.0, lam=1.0),
    "output": dp.OutputPerturbation(sigma=0.3, lam=1.0),
    "objective": dp.ObjectivePerturbation(sigma=1.5, lam=1.0, lipschitz=1.0, smoothness=1.0, loss="squared"),
}


def plan(mechanism, fit_sigma, domain=None, delta=1e-6):
    return PublicationPlan(mechanism, domain or dp.Domain(), delta, Terms(1.0), fit_sigma, 5.0)


@pytest.mark.parametrize("key", LINEAR)
@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.08])
def test_no_record_within_the_bounds_is_more_exposed(key, delta):
    """Exact ε of records along one feature, whose μ, residual and pull lie anywhere below the bounds, μ and pull tied by H."""
    rng = np.random.default_rng(int(1 / delta) % 97)
    mechanism, analysis = LINEAR[key], analysis_of(LINEAR[key])
    count, width = 60, 2
    for _ in range(5):
        H = np.diag(1 + np.exp(rng.uniform(-3, 5, size=width)))
        X = rng.normal(size=(count, width)) * np.exp(rng.uniform(-3, 1, size=(count, 1)))
        residual = np.exp(rng.uniform(-6, 2, size=count))
        moved = X / np.diag(H)
        leverage = np.einsum("ij,ij->i", X, moved)
        fit = dp.Leverage.of_no_rows(1.0, np.zeros(width), np.linalg.cholesky(H), H)
        exact = analysis.of_added(mechanism, fit, X, residual * (1 + leverage)).epsilon(np.log(delta))
        inside = RecordBounds(
            *(value * np.exp(rng.exponential(size=count) * rng.integers(0, 2, size=count))
              for value in (np.linalg.norm(X, axis=1), leverage, residual, np.linalg.norm(moved, axis=1)))
        )  # fmt: skip
        assert (exact <= analysis.largest_epsilon(mechanism, inside, np.log(delta)) * (1 + 1e-9)).all()


@pytest.mark.parametrize("key", ["posterior", "output"])
def test_a_record_that_reaches_its_bounds_has_them(key):
    mechanism, analysis = LINEAR[key], analysis_of(LINEAR[key])
    fit = dp.Leverage.of_no_rows(1.0, np.zeros(1), np.array([[2.0]]), np.array([[3.0]]))
    exact = analysis.of_added(mechanism, fit, np.array([[0.8]]), np.array([0.6])).epsilon(np.log(1e-6))
    leverage = 0.64 / 4
    bounds = RecordBounds(*np.array([[0.8], [leverage], [0.6 / (1 + leverage)], [0.2]]))
    assert analysis.largest_epsilon(mechanism, bounds, np.log(1e-6)) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("key", LINEAR)
@pytest.mark.parametrize("kind", KINDS)
def test_bound_is_above_every_row_of_every_draw(key, kind):
    for seed in range(3):
        X, y = adversarial(kind, np.random.default_rng(seed))
        exact = dp.individual_privacy(dp.Dataset.from_arrays(X, y), LINEAR[key]).epsilon
        for sigma in (0.1, 5.0):
            bound = plan(LINEAR[key], sigma).bound(passes(X, y), np.random.default_rng(seed))
            found = bound.epsilon(X, y)
            assert ((exact <= found * (1 + 1e-9)) & (found <= bound.largest * (1 + 1e-9))).all()


def test_bound_tells_rows_apart_where_noise_is_small():
    X, y = adversarial("plain", np.random.default_rng(1))
    for key, limit in (("posterior", 1.1), ("output", 1.4), ("objective", 1.6)):
        exact = dp.individual_privacy(dp.Dataset.from_arrays(X, y), LINEAR[key]).epsilon
        found = plan(LINEAR[key], 0.003).bound(passes(X, y), np.random.default_rng(0)).epsilon(X, y)
        assert np.median(found / exact) < limit


def test_bound_of_a_row_looks_at_no_other_row():
    X, y = adversarial("plain", np.random.default_rng(1))
    for mechanism, sigma in ((LINEAR["posterior"], 1.0), (dp.PosteriorSampling(2.0, 1.0, loss="huber"), None)):
        bound = plan(mechanism, sigma).bound(passes(X, y), np.random.default_rng(0))
        assert bound.epsilon(X[5:8], y[5:8]) == pytest.approx(bound.epsilon(X, y)[5:8], rel=1e-9)


@pytest.mark.parametrize(("kind", "noise"), [("objective", 2.0), ("posterior", 0.8), ("output", 0.4)])
def test_other_models_by_integrals_on_a_line(kind, noise):
    """Few rows, so that some come near the worst case of their length: never above it."""
    rng, near = np.random.default_rng(0), []
    x, y = rng.uniform(-1, 1, size=(5, 1)), np.sign(rng.normal(size=5))
    cases = [Case(kind, "logistic", x, y, row, 1.5, noise, None, 1e-4, 0) for row in range(5)]
    mechanism = dp.ObjectivePerturbation(noise, 1.5, loss="logistic") if kind == "objective" else cases[0].release
    bounds = plan(mechanism, None, delta=1e-4).bound(passes(x, y), rng).epsilon(x, y)
    for case, bound in zip(cases, bounds, strict=True):
        (above, off), (below, _) = case.truth()(bound * (1 + 1e-6), 0.2 * bound)
        assert above <= np.log(1e-4) + 3 * off
        near.append(below > np.log(1e-4))
    assert any(near)


def test_longer_rows_have_larger_bounds():
    bound = plan(dp.PosteriorSampling(1.0, 2.0, loss="logistic"), None).bound(
        passes(np.zeros((0, 2)), np.zeros(0)), None
    )
    X = np.array([[0.0, 0.0], [0.3, 0.0], [0.0, 0.6], [0.6, 0.8]])
    found = bound.epsilon(X, np.ones(4))
    assert found[0] == 0
    assert (np.diff(found) > 0).all()
    worst = dp.PosteriorSampling(1.0, 2.0, loss="logistic").worst_case(dp.Domain(), 0).epsilon(1e-6)
    assert found[3] == bound.largest == pytest.approx(float(worst), rel=1e-9)
