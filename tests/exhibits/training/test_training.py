"""Scores, splits, live draws and studies against separate computations."""

import dataclasses
import gc
import weakref

import numpy as np
import pytest
from scipy import optimize
from sklearn import metrics

import dpcore as dp
from dpcore.exhibits import training
from dpcore.exhibits.training.pictures import coefficient_spread
from dpcore.learners import NonPrivate, ObjectivePerturbationLearner, OutputPerturbationLearner
from tests.learners.data import classes, numbers
from tests.refusals import refuses


def test_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, thetas = rng.standard_normal((120, 3)), rng.standard_normal((5, 3))
    X[:40] = X[40:80]  # ties
    y = np.where(rng.random(120) < 0.4, 1.0, -1.0)
    found = training.scores(dp.LOSSES["logistic"], thetas, X, y)
    for k, theta in enumerate(thetas):
        assert found["accuracy"][k] == metrics.accuracy_score(y > 0, X @ theta > 0)
        assert found["auc"][k] == pytest.approx(metrics.roc_auc_score(y, X @ theta), abs=1e-12)
    found = training.scores(dp.LOSSES["huber"], thetas, X, y)
    assert found["mse"] == pytest.approx([metrics.mean_squared_error(y, X @ theta) for theta in thetas])
    counts = rng.poisson(2.0, 120).astype(float)
    found = training.scores(dp.LOSSES["poisson"], thetas, X, counts)
    expected = [metrics.mean_poisson_deviance(counts, np.exp(X @ theta)) for theta in thetas]
    assert found["deviance"] == pytest.approx(expected)
    assert np.isnan(training.scores(dp.LOSSES["logistic"], thetas, X, np.ones(120))["auc"]).all()


def test_splits_part_the_rows_and_repeat():
    data = classes(101, 3)
    one, same, other = (training.split(data, 0.2, repeat, 3) for repeat in (0, 0, 1))
    assert (one.train.n_samples, len(one.y_test)) == (81, 20)
    rows = np.vstack([one.train.X, one.X_test])
    assert {row.tobytes() for row in rows} == {row.tobytes() for row in data.X}
    assert np.array_equal(one.X_test, same.X_test)
    assert not np.array_equal(one.X_test, other.X_test)
    assert one.train.domain == data.domain
    few = training.split(data, 0.2, 0, 3, rows=10)
    assert np.array_equal(few.train.X, one.train.X[:10])
    refuses(dp.ParameterError, "rows must be <= 81", training.split, data, 0.2, 0, 3, rows=82)
    refuses(dp.DataError, "cannot be split", training.split, classes(1, 2), 0.5)


@pytest.fixture(scope="module")
def shown():
    return training.live(classes(500, 3), dp.AMP("logistic", epsilon=2.0), draws=40)


def test_live_draws_are_single_releases(shown):
    """The same noise through an independent optimiser, one draw at a time."""
    data, chosen = classes(500, 3), shown.plan.parameters
    parts = training.split(data, 0.2)
    rng = np.random.default_rng([0, 0, 1])
    b = chosen["sigma"] * rng.standard_normal((40, 3))
    out = chosen["sigma_out"] * rng.standard_normal((40, 3))
    X, y, C, lam = parts.train.X, parts.train.y, chosen["clip"], chosen["lam"]
    for k in (0, 17, 39):

        def gradient(theta, b=b[k]):
            return np.clip(-y / (1 + np.exp(y * (X @ theta))), -C, C) @ X + lam * theta + b

        theta = optimize.root(gradient, np.zeros(3), tol=1e-10).x + out[k]
        assert shown.theta[k] == pytest.approx(theta, abs=3e-3 * chosen["sigma"] / lam)
        accuracy = np.mean((parts.X_test @ shown.theta[k] > 0) == (parts.y_test > 0))
        assert shown.scores["accuracy"][k] == accuracy
    assert shown.names == data.names


def test_live_excess_is_what_the_objective_says(shown):
    parts, chosen = training.split(classes(500, 3), 0.2), shown.plan.parameters

    def clipped(theta):  # each record's loss by integrating its clipped slope
        total = 0.0
        for x, y in zip(parts.train.X, parts.train.y, strict=True):
            u = np.linspace(0, x @ theta, 2001)
            slope = np.clip(-y / (1 + np.exp(y * u)), -chosen["clip"], chosen["clip"])
            total += np.trapezoid(slope, u)
        return total

    gap = (clipped(shown.theta[5]) - clipped(shown.centre)) / 400
    assert shown.excess[5] == pytest.approx(gap, rel=1e-4, abs=1e-7)
    penalty = chosen["lam"] / 2 * (np.sum(shown.theta[5] ** 2) - np.sum(shown.centre**2)) / 400
    assert shown.noise_excess[5] == pytest.approx(gap + penalty, rel=1e-4, abs=1e-7)
    assert shown.excess.mean() <= shown.predicted_excess
    assert shown.noise_excess.min() >= 0


def test_predicted_noise_excess_is_exact_for_a_quadratic():
    learner = ObjectivePerturbationLearner("squared", sigma=2.0, lam=3.0, clip=1e6)
    found = training.live(numbers(200, 4), learner, draws=4000)
    error = found.noise_excess.std() / np.sqrt(4000)
    assert abs(found.noise_excess.mean() - found.predicted_noise_excess) < 4 * error


def test_live_takes_fewer_rows_and_refuses_with_a_sentence():
    data = classes(500, 3)
    learner = ObjectivePerturbationLearner("logistic", epsilon=1.0)
    found = training.live(data, learner, draws=3, rows=50)
    of_fifty = learner.problem(training.split(data, rows=50).train, found.plan)
    assert np.linalg.norm(of_fifty.gradient(found.centre)) < 2e-3 * found.plan.parameters["sigma"]
    with pytest.raises(dp.CalibrationError, match="smallest λ"):
        training.live(data, dp.AMP("logistic", epsilon=1.0, sigma=1.5, lam=0.01))


def test_spread_orders_coefficients_and_covers_nine_draws_in_ten():
    data = classes(400, 6)
    result = training.live(data, ObjectivePerturbationLearner("logistic", 1.0), draws=200)
    spread = coefficient_spread(result, most=4)
    assert len(spread.names) == 4
    assert (np.diff(np.abs(spread.centre)) <= 0).all()
    for name, low, high in zip(spread.names, spread.low, spread.high, strict=True):
        values = result.theta[:, data.names.index(name)]
        assert 0.88 <= np.mean((values >= low) & (values <= high)) <= 0.92


LEARNERS = {
    "objective": ObjectivePerturbationLearner("logistic", epsilon=1.0),
    "output": OutputPerturbationLearner("logistic", epsilon=1.0),
    "none": NonPrivate("logistic"),
}


@pytest.fixture(scope="module")
def study():
    return training.LearnerComparison(classes(400, 3), LEARNERS, epsilons=(0.5, 4.0), repeats=6)


@pytest.fixture(scope="module")
def points(study):
    return {point.key: point for point in study.run()}


def test_study_computes_every_point_once(study, points):
    assert len(points) == 6 * (2 + 2 + 1)
    assert list(study.run(points)) == []
    wider = dataclasses.replace(study, epsilons=(0.5, 2.0, 4.0), repeats=7)
    new = {task.key for task in wider.missing(points)}
    assert len(new) == 6 * 2 + 7
    assert len(wider.select(points)) == len(points)
    other = dataclasses.replace(study, seed=1)
    assert len(other.missing(points)) == len(other.tasks())
    renamed = dataclasses.replace(study, learners={"A": LEARNERS["objective"]})
    assert {point.name for point in renamed.select(points)} == {"A"}


def test_points_are_what_the_learner_does(study, points):
    task = next(task for task in study.tasks() if task.name == "objective" and task.epsilon == 4.0 and task.repeat == 2)
    again = next(iter(study.run(set(points) - {task.key})))
    assert dict(again.scores) == dict(points[task.key].scores)
    parts = training.split(study.dataset, 0.2, 2, 0)
    release = task.learner.fit(parts.train, np.random.default_rng([0, 2, int(task.key[:8], 16)]))
    assert again.scores["accuracy"] == np.mean((parts.X_test @ release.theta > 0) == (parts.y_test > 0))
    assert release.profile.delta(4.0) <= 1e-5


def test_summary_is_mean_and_standard_error(study, points):
    series = {(s.name, s.score): s for s in training.mean_scores(study.select(points))}
    found = series["objective", "accuracy"]
    assert found.epsilon.tolist() == [0.5, 4.0]
    values = [p.scores["accuracy"] for p in points.values() if p.name == "objective" and p.epsilon == 4.0]
    assert found.mean[1] == pytest.approx(np.mean(values))
    assert found.standard_error[1] == pytest.approx(np.std(values, ddof=1) / np.sqrt(6))
    assert found.count.tolist() == [6, 6]
    assert np.isnan(series["none", "accuracy"].epsilon).tolist() == [True]
    for name in ("objective", "output"):
        assert (series[name, "excess"].mean <= series[name, "bound"].mean).all()


def test_a_learner_that_cannot_is_a_point_with_a_sentence():
    learner = ObjectivePerturbationLearner("logistic", epsilon=0.1)
    data = classes(100, 2)
    wrong = dp.Dataset.from_arrays(data.X, np.abs(data.X[:, 0]), domain=data.domain)
    point = next(training.LearnerComparison(wrong, {"a": learner}, epsilons=(0.1,), repeats=1).run())
    assert point.problem
    assert not point.scores
    assert training.mean_scores([point]) == []


def test_study_refuses_bad_settings():
    data = classes(50, 2)
    given = {"dataset": data, "learners": LEARNERS, "epsilons": (1.0,)}
    for name, bad in {"learners": {}, "epsilons": (), "repeats": 0, "test_share": 1.0, "delta": 0.0}.items():
        refuses(dp.ParameterError, name, training.LearnerComparison, **{**given, name: bad})
    refuses(dp.ParameterError, "epsilons", training.LearnerComparison, **{**given, "epsilons": (0.0,)})


def test_solver_counts_follow_theory():
    counts = list(training.solver_counts((100, 400, 1600, 6400)))
    assert {c.solver for c in counts} == set(training.SOLVER_TITLES)
    for name in ("sag", "newton"):
        assert training.slope(counts, name) == pytest.approx(training.THEORY_SLOPES[name], abs=0.15)
    for name in ("gradient_descent", "accelerated_gradient"):
        assert 1.0 < training.slope(counts, name) < training.THEORY_SLOPES[name]  # β n bounds the curvature from above
    last = {c.solver: c.evaluations for c in counts if c.n == 6400}
    assert last["newton"] < last["sag"] < last["gradient_descent"]
    assert all(c.hessians == 0 for c in counts if c.solver != "newton")
    assert np.isnan(training.slope(counts[:2], "sag"))
    allowed = training.sag_bound((100, 400, 1600, 6400))
    for point, most in zip((c for c in counts if c.solver == "sag"), allowed.y, strict=True):
        assert most / 100 < point.evaluations < most


@pytest.mark.parametrize(("n", "lam"), [(50, 1.0), (3000, 0.02), (4, 100.0)])
def test_the_bound_of_sag_is_the_display_of_its_proof(n, lam):
    """Steps are added pass by pass until the bound on E‖∇f‖² over γ² is at most the failure; each pass and each check costs n."""
    smooth, gamma, failure = n / 4 + lam, 1e-3, 0.05
    left = 2 * smooth**2 / lam * (1.5 * n * n * np.log(2) + 4 * smooth * 2 * n * np.log(2) / lam)
    passes = 0
    while left / gamma**2 > failure:
        left *= (1 - min(lam / (16 * smooth), 1 / (8 * n))) ** n
        passes += 1
    assert training.sag_bound((n,), lam=lam, tol=gamma, failure=failure).y[0] == 2 * n * passes
    refuses(dp.errors.ParameterError, "failure", training.sag_bound, (n,), failure=1.0)


def test_a_solver_beyond_its_limit_is_given_up(monkeypatch):
    monkeypatch.setattr("dpcore.exhibits.training.solver_study.MOST_EVALUATIONS", 20_000)
    counts = list(training.solver_counts((500, 1000), ("gradient_descent", "newton")))
    slow = [c for c in counts if c.solver == "gradient_descent"]
    assert all(np.isnan(c.evaluations) and "given up" in c.problem for c in slow)
    assert slow[1].seconds == 0


@pytest.mark.thorough
def test_stopping_rule_trades_noise_for_passes():
    found = training.stopping_tradeoff((1e-4, 1e-2, 1.0), n=400, n_features=4)
    ratio = [point.sigma_out / point.tau for point in found]
    assert ratio == pytest.approx([ratio[0]] * 3)
    assert found[0].evaluations > found[1].evaluations > found[2].evaluations
    assert found[0].risk < found[1].risk < found[2].risk
    exact = dp.AMP("logistic", epsilon=0.9).plan(dp.PublicFacts(400, 4, dp.Domain())).profile.exact
    second = found[1].tau, found[1].sigma_out
    whole = dp.ApproximateMinimaPerturbation(exact.sigma, exact.lam, exact.lipschitz, exact.smoothness, *second)
    assert 0.9e-5 < whole.delta(1.0) <= 1e-5 * (1 + 1e-9)


def test_nothing_of_the_data_outlives_a_study_or_a_live_view():
    data = classes(60, 2)
    left = weakref.ref(data.X)
    training.live(data, LEARNERS["objective"], draws=2)
    list(training.LearnerComparison(data, LEARNERS, epsilons=(1.0,), repeats=1).run())
    del data
    gc.collect()
    assert left() is None
