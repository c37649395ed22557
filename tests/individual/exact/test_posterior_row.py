"""Exact rows of a posterior sample against integrals over all coefficients and against sampling."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

import dpcore as dp
from dpcore.glm.losses import LOSSES
from dpcore.individual.analyses.glm_posterior import PosteriorExpansion
from dpcore.individual.exact.hyperplanes import Hyperplanes
from dpcore.individual.exact.posterior_row import PosteriorRow
from dpcore.individual.exposure import Aim
from dpcore.individual.fit.glm import GlmFit
from tests.individual.exact.quadrature import Setting


def exact(dataset, mechanism, rows, delta, tolerance=1e-3, **options):
    return dp.individual_privacy(dataset, mechanism, delta).exact(rows, tolerance, **options)


def epsilon_of_masses(without, within, delta):
    """Where the larger hockey stick of two laws on the same places is δ."""
    ways = (without, within), (within, without)

    def missing(epsilon):
        return max(np.maximum(p - np.exp(epsilon) * q, 0).sum() for p, q in ways) - delta

    return optimize.brentq(missing, 0.0, 50.0, xtol=1e-12)


def plane_epsilon(dataset, loss, mechanism, row, delta):
    """ε from both densities on a grid over θ in two dimensions; shares no code with the product."""
    gamma, lam, clip = mechanism.gamma, mechanism.lam, mechanism.clip
    setting = Setting(loss, dataset.X, dataset.y, lam, clip, row, gamma=gamma)
    best = setting.minimiser(True)
    bend = setting.parts(best[None], (2,))[0]
    root = np.linalg.cholesky(np.linalg.inv((setting.X.T * bend) @ setting.X + lam * np.eye(2)) / gamma)
    side = np.linspace(-13, 13, 401)
    grid = best + np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2) @ root.T
    logs = [-gamma * setting.value(grid, whole) for whole in (False, True)]
    return epsilon_of_masses(*(np.exp(one - special.logsumexp(one)) for one in logs), delta)


def small(loss, n=60, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, -1] /= 2
    u = X.sum(axis=1)
    targets = {
        "numeric": lambda: u + rng.standard_t(3, size=n),
        "binary": lambda: np.where(rng.uniform(size=n) < special.expit(u), 1.0, -1.0),
        "count": lambda: rng.poisson(np.exp(u / 2)).astype(float),
    }
    return dp.Dataset.from_arrays(X, targets[LOSSES[loss].target.name]())


@pytest.mark.parametrize("clip", [None, 0.6])
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_against_integrals_over_all_coefficients(loss, clip):
    dataset = small(loss)
    mechanism = dp.PosteriorSampling(gamma=0.8, lam=2.0, loss=loss, clip=clip)
    result = dp.individual_privacy(dataset, mechanism, 1e-5)
    row = int(result.most_exposed(1)[0])
    delta = 1e-5 if clip is None else 1e-3
    found = exact(dataset, mechanism, row, delta)
    assert found.epsilon[0] == pytest.approx(plane_epsilon(dataset, loss, mechanism, row, delta), abs=1e-3)


def lone_row(delta=1e-5):
    """The first row of a logistic regression in the plane, which pulls hard, and its loss on a margin."""
    dataset = dp.Dataset.from_arrays(np.array([[0.9, 0.4], [0.3, -0.5], [0.2, 0.8]]), np.array([-1.0, 1.0, 1.0]))
    mechanism = dp.PosteriorSampling(gamma=2.0, lam=0.8, loss="logistic")
    row = PosteriorRow(mechanism, dataset, GlmFit.of(dataset, mechanism), 0, float(np.log(delta)))
    return row, lambda m: 2.0 * np.logaddexp(0.0, m)


def on_a_margin(log_q, fall, m):
    """Both laws of a margin on a grid, without the row (∝ q) and with it."""
    return [np.exp(law - special.logsumexp(law)) for law in (log_q, log_q - fall(m))]


def test_the_bar_of_drawing_is_seven_halves_standard_errors_of_eight(monkeypatch):
    """Seven scramblings find one normal law of the margin and the last another: their ε from two grids."""
    row, fall = lone_row()
    centre, scale = float(row.records.margin[0]), float(row.scale[0])
    m = centre + scale * np.linspace(-14, 14, 400_001)
    bend = 1e-3

    def normal(m, moved):
        return -0.5 * np.square((m - centre) / scale) + moved * (m - centre) / scale

    def drawn(planes, scramblings, log_points, seed):
        return np.stack([normal(planes.margins, bend * (k == 7)) for k in range(scramblings)]), np.full(13, 1e4)

    monkeypatch.setattr(Hyperplanes, "log_densities", drawn)
    with np.errstate(all="ignore"):
        known = row._try(13, 4)
    seven, last = (epsilon_of_masses(*on_a_margin(normal(m, moved), fall, m), 1e-5) for moved in (0.0, bend))
    assert known.drawn == pytest.approx(3.5 * abs(last - seven) / 8, rel=0.02)
    assert known.error == pytest.approx(known.drawn + known.interpolated + known.beyond)
    assert known.epsilon == pytest.approx((7 * seven + last) / 8, abs=1e-5)


@pytest.mark.parametrize(("effective", "apart", "tolerance"), [(49, 0.0, 0.5), (10_000, 0.1, 1e-3)])
def test_few_effective_points_are_refused_and_so_is_a_bar_above_the_tolerance(effective, apart, tolerance, monkeypatch):
    row, _ = lone_row()

    def drawn(planes, scramblings, log_points, seed):
        standard = (planes.margins - row.records.margin[0]) / row.scale[0]
        moved = apart * np.arange(scramblings)[:, None] * standard
        return moved - 0.5 * np.square(standard), np.full(standard.size, float(effective))

    monkeypatch.setattr(Hyperplanes, "log_densities", drawn)
    with pytest.raises(dp.UnsupportedError, match=f"effective sample size {effective}"):
        row.known(tolerance)


@pytest.mark.parametrize(("low", "high"), [(-9.0, 6.0), (-7.0, 9.0), (-7.0, 6.2), (-6.4, 6.4)])
def test_the_bar_of_the_window_is_what_lies_beyond_it_and_little_more(low, high):
    """With the record the law sits to the left of the law without it: now one and now the other has more beyond an end."""
    delta = 1e-5
    row, fall = lone_row(delta)
    centre, scale = float(row.records.margin[0]), float(row.scale[0])
    z = np.linspace(-20, 20, 400_001)
    m = centre + scale * z
    laws = on_a_margin(-0.5 * z * z, fall, m)
    outside = max(law[(z < low) | (z > high)].sum() for law in laws)
    truth = epsilon_of_masses(*laws, delta)
    moved = truth - epsilon_of_masses(*laws, delta + outside)
    cut = row.laws(np.zeros((1, 1)), low, high)
    with np.errstate(all="ignore"):
        epsilon = float(cut.epsilon(np.log(delta))[0])
        found = row._beyond(cut, low, high, epsilon)
    assert abs(truth - epsilon) <= found
    assert moved <= found * (1 + 1e-3) <= 1.2 * moved


def test_a_window_beyond_which_too_much_lies_or_the_law_still_rises_has_no_bar():
    row, _ = lone_row()
    for low, high in ((-5.5, 9.0), (-9.0, 5.5), (1.0, 9.0), (-9.0, -2.0)):
        with np.errstate(all="ignore"):
            assert row._beyond(row.laws(np.zeros((1, 1)), low, high), low, high, 1.0) == np.inf


def test_of_the_squared_loss_it_is_the_closed_form():
    dataset, mechanism = small("squared", d=4), dp.PosteriorSampling(gamma=0.7, lam=0.3)
    fit = PosteriorExpansion.fit(mechanism, dataset)
    rows, log_delta = np.array([0, 3]), np.log(1e-6)
    found, error, _ = PosteriorExpansion.exact(mechanism, dataset, fit, rows, Aim(log_delta, 1e-3))
    np.testing.assert_allclose(found, dp.individual_privacy(dataset, mechanism, 1e-6).epsilon[rows], rtol=1e-9)
    assert (error < 1e-9).all()


def test_the_effective_sample_is_the_share_that_importance_weights_leave():
    """Weights of a normal law drawn from a Student law of eight degrees leave 1/∫φ²/t₈ of the points, and fewer where it is bent."""
    ratio = integrate.quad(lambda z: stats.norm.pdf(z) ** 2 / stats.t.pdf(z, 8), -30, 30)[0]
    mechanism = {"clip": 1e6, "gamma": 0.8, "lam": 2.0}
    normal = exact(small("squared"), dp.PosteriorSampling(loss="squared", **mechanism), [0, 1], 1e-5)
    assert normal.effective == pytest.approx(1 / ratio, abs=0.01)
    bent = exact(small("poisson", n=12), dp.PosteriorSampling(gamma=0.3, lam=0.3, loss="poisson"), 0, 1e-3, 0.05)
    assert 0 < bent.effective[0] < 1 / ratio - 0.02
    line = exact(small("logistic", d=1), dp.PosteriorSampling(gamma=0.8, lam=2.0, loss="logistic"), 0, 1e-5)
    assert np.isnan(line.effective[0])


@pytest.mark.thorough
def test_a_posterior_that_is_far_from_normal_is_refused():
    dataset = small("logistic", n=6, d=4)
    with pytest.raises(dp.UnsupportedError, match="too far from a normal law"):
        exact(dataset, dp.PosteriorSampling(gamma=1e-2, lam=1e-3, loss="logistic"), 0, 1e-6)


def test_curvatures_beyond_the_arithmetic_are_refused():
    """Poisson rows on a plane in four dimensions: next to 4e15 nothing is left of λ = 0.1."""
    rng = np.random.default_rng(0)
    X = np.array([[0.2, 0.4], [0.9, 0.1], [0.4, 0.8], [-0.2, 0.9]]) @ np.linalg.qr(rng.normal(size=(4, 4)))[0][:2]
    dataset = dp.Dataset.from_arrays(X, np.array([1.0, 9.0, 3.0, 5.0]))
    with pytest.raises(dp.UnsupportedError, match="too far from a normal law"):
        exact(dataset, dp.PosteriorSampling(gamma=0.02, lam=0.01, loss="poisson"), 0, 1e-6)


@pytest.mark.parametrize(
    ("n", "d", "gamma", "delta"), [(1, 2, 1.0, 1e-6), (4, 6, 1.0, 1e-6), (60, 2, 1.0, 1e-300), (60, 2, 1e4, 1e-12)]
)
def test_extremes(n, d, gamma, delta):
    dataset = small("logistic", n=n, d=d)
    mechanism = dp.PosteriorSampling(gamma=gamma, lam=3.0, loss="logistic")
    result = dp.individual_privacy(dataset, mechanism, delta)
    found = result.exact(0, 1e-2)
    assert found.error[0] <= 1e-2
    assert found.epsilon[0] == pytest.approx(result.epsilon[0], rel=0.3 if delta > 1e-300 else 0.7)


def test_a_row_of_zeros_has_no_exposure():
    X = np.array([[0.0, 0.0], [1.0, -1.0], [0.5, 2.0]])
    dataset = dp.Dataset.from_arrays(X, np.array([1.0, -1.0, 1.0]))
    found = exact(dataset, dp.PosteriorSampling(gamma=2.0, lam=1.0, loss="logistic"), 0, 1e-6)
    assert (found.epsilon[0], found.error[0]) == (0.0, 0.0)
