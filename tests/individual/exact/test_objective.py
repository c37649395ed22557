"""Exact rows of objective perturbation: integrals over θ, sampling, closed forms, extremes."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual import ExactRows
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.analyses.glm_objective import GlmObjective
from dpcore.individual.analyses.objective_perturbation import LinearObjective
from dpcore.individual.exact import objective
from dpcore.individual.exact.objective import ExactRecord, Means
from dpcore.individual.exposure import ANALYSES
from dpcore.individual.fit.glm import GlmFit, problem_of
from dpcore.interfaces.report import report_html
from tests.individual.conftest import in_ball
from tests.individual.exact.quadrature import Plane, Setting


def exact_record(dataset, mechanism, row, delta=1e-6):
    """One row with the machinery of `exact`."""
    fit = GlmFit.of(dataset, mechanism)
    keep = np.arange(dataset.n_samples) != row
    one = GlmObjective.of_rows(mechanism, dataset, fit).take(np.array([row])).expansion
    rest = problem_of(mechanism, dataset.X[keep], dataset.y[keep])
    whole = problem_of(mechanism, dataset.X, dataset.y)
    return ExactRecord(rest, whole, fit.theta, dataset.X[row], one, float(np.log(delta)))


def log_delta(record, epsilon, direction, tolerance):
    """log δ(ε) in one direction to a tolerance, and its error bar."""
    means = Means(record, record.scouted())
    while True:
        low, high = means.logs(epsilon, direction)
        within = np.subtract(*means.seen(epsilon, direction)[::-1])
        if high + means.cells.depth < np.log(1e-7):
            return -np.inf, 0.0
        if high - low <= 2 * tolerance:
            return 0.5 * (low + high) + means.cells.depth, 0.5 * (high - low)
        if not (within > 0.3 * (high - low) and means.finer(epsilon, epsilon)):
            means.refine()


CLIPPED = [  # losses and their clip
    ("logistic", None), ("logistic", 0.3), ("poisson", 50.0), ("poisson", 0.9), ("huber", None), ("smoothed_hinge", None),
    ("pseudo_huber", None), ("squared", 0.5),
]  # fmt: skip


def small_plane(loss, n=9, seed=5):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.7, 0.7, size=(n, 2))
    X[0] = [0.8, 0.5]
    y = {"logistic": np.sign(rng.normal(size=n)), "poisson": rng.poisson(1.0, n) * 1.0}
    y["smoothed_hinge"] = y["logistic"]
    return dp.Dataset.from_arrays(X, y.get(loss, rng.normal(size=n)))


@pytest.mark.parametrize(("loss", "clip"), CLIPPED)
def test_every_loss_by_integrals_over_the_plane_in_both_directions(loss, clip):
    dataset, epsilons = small_plane(loss), (0.1, 0.5)
    mechanism = dp.ObjectivePerturbation(sigma=0.9, lam=1.5, loss=loss, clip=clip, lipschitz=9.0, smoothness=9.0)
    record = exact_record(dataset, mechanism, 0)
    setting = Setting(loss, dataset.X, dataset.y, 1.5, clip, 0, sigma=0.9)
    sums = Plane(setting, np.log(0.05)).both_ways(epsilons)[0]
    for direction, expected in zip(("remove", "add"), 0.05 * sums, strict=True):
        for epsilon, delta in zip(epsilons, expected, strict=True):
            # Where an f'' jumps most of the bar is for lines that were not met, which takes many lines to rule out.
            found, bar = log_delta(record, epsilon, direction, 0.02 if record.jumps else 1e-3)
            assert np.exp(found) == pytest.approx(delta, rel=1e-3 + bar, abs=1e-6)


def ten_dimensions(n=120, seed=2):
    rng = np.random.default_rng(seed)
    X = in_ball(rng.normal(size=(n, 10)) * np.linspace(0.2, 1.0, 10))
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-X @ rng.normal(size=10) * 3)), 1.0, -1.0)
    return dp.Dataset.from_arrays(X, y)


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12, 1e-300])
def test_the_squared_loss_is_its_closed_form_within_the_error_bar(delta):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) * [1.0, 0.6, 0.3, 0.1]
    dataset = dp.Dataset.from_arrays(X, X @ rng.normal(size=4) + rng.normal(size=30))
    mechanism = dp.ObjectivePerturbation(sigma=1.3, lam=0.4, loss="squared", lipschitz=1.0)
    analysis = ANALYSES.find(mechanism)
    assert analysis is LinearObjective
    closed = analysis.of_rows(mechanism, dataset, analysis.fit(mechanism, dataset)).epsilon(float(np.log(delta)))
    for row in (0, int(closed.argmax())):
        found, bar = exact_record(dataset, mechanism, row, delta).epsilon(3e-3, lambda share: None)
        if closed[row] > 1000:
            assert found == np.inf
        else:
            assert abs(found - closed[row]) <= bar + 1e-6 * closed[row]
            assert bar < 1e-2


@pytest.mark.thorough
def test_a_tolerance_that_is_not_reached_is_said(monkeypatch):
    monkeypatch.setattr(objective, "_ROUNDS", 1)
    result = dp.individual_privacy(ten_dimensions(), dp.ObjectivePerturbation(sigma=1.5, lam=1.0, loss="logistic"))
    rows = result.most_exposed(2)
    within = result.exact(rows, 0.5)
    assert (within.reached.all(), within.missed) == (True, "")
    found = ExactRows.joined([result.exact(rows[:1], 1e-9), result.exact(rows[1:], 0.5)])
    assert found.reached.tolist() == [False, True]
    assert found.error[0] > 1e-9
    assert f"1 of 2 rows are wider than asked for (± {found.error[0]:.2g} instead of ± 1e-09)" in found.missed
    np.testing.assert_array_equal(found.rows, rows)
    assert np.isnan(found.effective).all()


@pytest.mark.thorough
def test_extremes():
    def exact(X, y, row=0, sigma=1.0, delta=1e-6):
        mechanism = dp.ObjectivePerturbation(sigma=sigma, lam=0.5, loss="logistic")
        result = dp.individual_privacy(dp.Dataset.from_arrays(np.array(X), np.array(y)), mechanism, delta)
        found = result.exact(row)
        return float(found.epsilon[0]), float(found.error[0]), float(found.expansion[0])

    alone = exact([[0.6, -0.3]], [1.0])
    assert alone[0] == pytest.approx(alone[2], rel=1e-3)
    assert exact([[0.0, 0.0], [0.4, 0.2]], [1.0, -1.0]) == (0.0, 0.0, 0.0)
    wide = exact(np.random.default_rng(0).uniform(-0.3, 0.3, (4, 7)), [1.0, -1.0, 1.0, 1.0])
    assert wide[0] == pytest.approx(wide[2], rel=0.1)
    assert wide[1] < 1e-2
    hidden = exact([[0.6, -0.3], [0.4, 0.2], [0.1, 0.8]], [1.0, -1.0, 1.0], sigma=1e6)
    assert 0 <= hidden[0] < 1e-3
    assert np.isfinite(hidden).all()
    deep = exact([[0.6, -0.3], [0.4, 0.2], [0.1, 0.8]], [1.0, -1.0, 1.0], delta=1e-300)
    assert deep[0] > exact([[0.6, -0.3], [0.4, 0.2], [0.1, 0.8]], [1.0, -1.0, 1.0])[0]
    assert np.isfinite(deep).all()


def test_a_pull_beyond_all_numbers_is_refused():
    mechanism = dp.ObjectivePerturbation(sigma=1.0, lam=1e-4, loss="poisson")
    data = dp.Dataset.from_arrays(np.array([[0.7, 0.1], [0.0, 0.0]]), np.array([2.0, 1.0]))
    result = dp.individual_privacy(data, mechanism, 0.1)
    with pytest.raises(
        dp.UnsupportedError, match="row 1: its ε is above 1\u202f000, which is no privacy at this delta"
    ):
        result.exact(0)
    assert result.epsilon.tolist() == [np.inf, 0.0]
    assert "ε of 1 row is ∞: under this noise the pull" in result.caveat
    assert "no finite bound on ε" in result.explain(0)
    assert result.exposures.above(1e6, np.log(0.1)).tolist() == [True, False]
    for epsilon in (1.0, 1e6):
        assert result.log_delta_at(epsilon)[0] >= np.log(0.1)
        assert result.profile(0).log_delta(epsilon) == pytest.approx(result.log_delta_at(epsilon)[0])
    summary = ExposureSummary.of(result)
    assert (summary.histogram.infinite, summary.histogram.zeros) == (1, 1)
    assert "beyond what numbers hold" in report_html(summary, hashes={})
