"""Posterior samples of any GLM: the laws of a record's margin against plain numerical integration and closed forms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dpcore as dp
from dpcore.glm.losses import LOSSES, Clipped
from dpcore.individual.analyses.glm_posterior import PosteriorExpansion
from dpcore.individual.analyses.posterior_sampling import PosteriorSample
from dpcore.individual.exact.margin_laws import MarginLaws
from dpcore.individual.fit.glm import GlmFit

TARGETS = {"numeric": (-1.0, 0.4), "binary": (-1.0, 1.0), "count": (0.0, 3.0)}
LAWS = [(0.05, -0.6, 4.0), (1.0, 0.9, 0.03), (40.0, 0.2, 0.7)]  # γ, m₋ and h₋


def stick(loss, gamma, margin, leverage, y, epsilon, direction, skew=0.0):
    """δ(ε) by the trapezoidal rule over the margin; shares no code with the product."""
    scale = np.sqrt(leverage / gamma)
    z = np.linspace(-12, 12, 180_001) if skew == 0 else np.linspace(-35, 35, 350_001)
    without = np.exp(-0.5 * z * z if skew == 0 else -(np.exp(skew * z) - 1 - skew * z) / skew**2)
    without /= np.trapezoid(without, z)
    tilt = -gamma * loss.value(margin + scale * z, np.full(z.shape, y))
    ratio = tilt - tilt.max() - np.log(np.trapezoid(without * np.exp(tilt - tilt.max()), z))
    present, absent = without * np.exp(ratio), without
    one, other = (absent, present) if direction == "add" else (present, absent)
    return np.trapezoid(np.maximum(one - np.exp(epsilon) * other, 0.0), z)


def one_law(loss, gamma, *parts):
    margin, leverage, y, limit, skew = (np.array([part]) for part in parts)
    endless = np.full(1, np.inf)
    return MarginLaws(
        loss, gamma, margin, np.sqrt(leverage / gamma), y, limit, np.zeros((1, 1)), -endless, endless, skew
    )


@np.errstate(all="ignore")
def stick_of(laws, epsilon, direction):
    return np.exp(laws.hockey(np.array([epsilon]), direction)[0][0])


@pytest.mark.parametrize(
    ("name", "limit", "skew"),
    [
        *((name, limit, 0.0) for name in LOSSES for limit in (np.inf, 0.3)),
        *((name, np.inf, skew) for name in ("logistic", "poisson", "huber") for skew in (-0.45, 1e-7, 0.3)),
    ],
)
def test_hockey_sticks_are_those_of_plain_integration_of_straight_and_bent_laws(name, limit, skew):
    loss = LOSSES[name]
    plain = loss if np.isinf(limit) else Clipped(loss, np.asarray(limit))
    close, least = (5e-6, 1e-12) if skew == 0 else (2e-5, 1e-10)
    for y in TARGETS[loss.target.name]:
        for gamma, margin, leverage in LAWS[skew != 0 :]:
            laws = one_law(loss, gamma, margin, leverage, y, limit, skew)
            for direction in ("add", "remove"):
                for epsilon in (0.0, 0.3):
                    flat = 0.0 if abs(skew) < 1e-6 else skew
                    expected = stick(plain, gamma, margin, leverage, y, epsilon, direction, flat)
                    assert stick_of(laws, epsilon, direction) == pytest.approx(expected, rel=close, abs=least)


def test_the_expansion_is_near_integrals_over_all_coefficients():
    """The normal law alone is off by up to a tenth here."""
    table = json.loads((Path(__file__).parents[1] / "exact" / "posterior_in_two_dimensions.json").read_text())
    dataset = dp.Dataset.from_arrays(np.array(table["X"]), np.array(table["y"]))
    result = dp.individual_privacy(dataset, dp.PosteriorSampling(gamma=1.0, lam=1.0, loss="logistic"), 1e-5)
    for entry in table["rows"]:
        assert result.epsilon[entry["row"]] == pytest.approx(entry["posterior_eps_at_1e-5"], rel=0.03)


def linear(gamma=1.3, lam=0.4, n=60, d=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * [1.0, 0.3, 2.0]
    dataset = dp.Dataset.from_arrays(
        X, X.sum(axis=1) + rng.normal(size=n), domain=dp.Domain(row_norm=9.0, target_bound=9.0)
    )
    return dataset, dp.PosteriorSampling(gamma=gamma, lam=lam)


@pytest.mark.parametrize("gamma", [1e-6, 0.3, 1e4])
def test_of_the_squared_loss_rows_and_added_records_are_those_of_the_closed_form(gamma):
    dataset, mechanism = linear(gamma)
    fit, lever = GlmFit.of(dataset, mechanism), dp.leverage(dataset, mechanism.lam)
    found = PosteriorExpansion.of_rows(mechanism, dataset, fit)
    known = PosteriorSample.of_rows(mechanism, dataset, lever)
    for log_delta in (-2.0, np.log(1e-6), np.log(1e-300)):
        np.testing.assert_allclose(found.epsilon(log_delta), known.epsilon(log_delta), rtol=1e-9, atol=1e-11)
    for epsilon in (0.0, 0.2):
        np.testing.assert_allclose(found.log_delta(epsilon), known.log_delta(epsilon), rtol=1e-8, atol=1e-9)
    for direction in ("add", "remove"):
        divergences = (rows.renyi([1.0, 1.5, 4.0, 60.0], direction) for rows in (found, known))
        np.testing.assert_allclose(*divergences, rtol=1e-7, atol=1e-10)
    X, y = np.array([[3.0, -1.0, 2.0], [0.0, 0.0, 0.0]]), np.array([-4.0, 2.0])
    added = PosteriorExpansion.of_added(mechanism, fit, X, y).epsilon(np.log(1e-5))
    np.testing.assert_allclose(added, PosteriorSample.of_added(mechanism, lever, X, y).epsilon(np.log(1e-5)), rtol=1e-9)
    assert added[1] == 0


def test_a_tail_that_falls_off_a_cliff_has_its_root_too():
    data = dp.load_sample("breast_cancer")
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1e-4, lam=1.0, loss="logistic"), 1e-6)
    np.testing.assert_allclose(result.log_delta_at(result.epsilon), np.log(1e-6), rtol=0, atol=1e-6)
