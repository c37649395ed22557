"""The estimators are scikit-learn estimators, and what they predict follows from what they released."""

import pickle
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import special
from sklearn.base import clone
from sklearn.model_selection import cross_validate
from sklearn.utils.estimator_checks import check_estimator

import dpcore as dp
from tests.contracts.reachable import RANDOM, leaves, written
from tests.refusals import refuses

NAMED = [kind for kind in dp.sklearn.ESTIMATORS if "loss" not in kind().get_params()]
KINDS = [*NAMED, partial(dp.sklearn.estimator_for, "pseudo_huber")]
EACH = pytest.mark.parametrize("estimator", KINDS, ids=lambda kind: repr(kind()))
TAGGED = {"PrivatePoissonRegressor": "poor_score"}  # 200 counts with a budget of 1 leave a score below 0.5


@EACH
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(estimator):
    results = check_estimator(estimator(epsilon=1.0), on_fail=None, on_skip=None)  # noise: the tag non_deterministic
    assert len(results) > 40
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []
    tags = estimator().__sklearn_tags__()
    assert tags.non_deterministic
    poor = bool(tags.regressor_tags and tags.regressor_tags.poor_score)
    assert poor == (type(estimator()).__name__ in TAGGED)


def _rows(n=400, d=3):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, X @ np.array([1.0, -1.0, 0.5])[:d]


def test_prediction_is_the_released_model():
    X, u = _rows()
    model = dp.sklearn.PrivateLogisticRegression(epsilon=3.0, row_norm=2.0, random_state=1)
    model.fit(X, np.where(u > 0, "b", "a"))
    rows = X * np.minimum(1, 2 / np.linalg.norm(X, axis=1))[:, None]
    margin = rows @ model.coef_ + model.intercept_
    assert model.decision_function(X) == pytest.approx(margin, abs=1e-9)
    assert model.predict_proba(X)[:, 1] == pytest.approx(special.expit(margin), abs=1e-9)
    assert list(model.classes_) == ["a", "b"]
    assert (model.predict(X) == np.where(margin > 0, "b", "a")).all()
    assert isinstance(model.release_, dp.Release)
    assert model.release_.parameters["clip"] == pytest.approx(0.8 * 0.5 * np.hypot(2, 0.2 * 2))  # with the constant
    assert model.profile_.delta(3.0) <= 1e-5
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert dict(again.release_.parameters) == dict(model.release_.parameters)


@pytest.mark.parametrize("method", ["amp", "output_perturbation", "posterior_sampling"])
def test_targets_are_scaled_by_their_public_range(method):
    X, u = _rows(3000)
    options = {"epsilon": 8.0, "method": method, "row_norm": 3.0, "random_state": 0}
    small = dp.sklearn.PrivateRidge(target_range=(-4.0, 4.0), **options).fit(X, u)
    large = dp.sklearn.PrivateRidge(target_range=(100 - 40.0, 100 + 40.0), **options).fit(X, 100 + 10 * u)
    assert large.predict(X) == pytest.approx(100 + 10 * small.predict(X), rel=1e-6)
    rows = X * np.minimum(1, 3 / np.linalg.norm(X, axis=1))[:, None]
    assert large.predict(X) == pytest.approx(rows @ large.coef_ + large.intercept_, rel=1e-9)


def test_counts():
    X, u = _rows(4000)
    y = np.random.default_rng(1).poisson(np.exp(u / 2)).astype(float)
    model = dp.sklearn.PrivatePoissonRegressor(epsilon=8.0, row_norm=3.0, largest_count=20.0, random_state=0).fit(X, y)
    expected = model.predict(X)
    assert (expected > 0).all()
    assert expected.max() <= 20 * (1 + 1e-12)
    assert np.corrcoef(expected, np.exp(u / 2))[0, 1] > 0.9
    few = clone(model).set_params(largest_count=2.0)
    assert np.array_equal(few.fit(X, y).coef_, few.fit(X, np.minimum(y, 2)).coef_)


@pytest.mark.parametrize("name", dp.LOSSES)
def test_every_registered_loss_has_an_estimator(name):
    """Its release is that of the learner with this loss, and it predicts in the units of the target."""
    X, u = _rows(2000)
    kind = dp.LOSSES[name].target.name
    y = {"binary": np.where(u > 0, "b", "a"), "numeric": np.clip(u / 4, -1, 1), "count": np.round(np.exp(u / 2))}[kind]
    model = dp.sklearn.estimator_for(name, epsilon=8.0, row_norm=3.0, random_state=0)
    assert clone(model).get_params() == model.get_params()
    assert model.fit(X, y).score(X, y) > {"binary": 0.8, "numeric": 0.6, "count": 0.3}[kind]
    assert set(model.predict(X)) <= set("ab") if kind == "binary" else model.predict(X).shape == u.shape
    other = dp.sklearn.estimator_for(dp.LOSSES[name], epsilon=8.0, row_norm=3.0, random_state=0).fit(X, y)
    assert np.array_equal(other.coef_, model.coef_)
    assert model.release_.parameters == other.release_.parameters


def test_a_loss_for_other_targets_is_refused_with_the_way_out():
    X, u = _rows()
    words = r"PrivateRegressor is for numeric targets, .* use dp.sklearn.estimator_for"
    refuses(dp.ParameterError, words, dp.sklearn.PrivateRegressor("logistic").fit, X, u)


def test_a_general_estimator_is_the_named_one_with_its_loss():
    X, u = _rows()
    y, options = np.clip(u / 4, -1, 1), {"epsilon": 5.0, "row_norm": 3.0, "random_state": 0}
    named = dp.sklearn.PrivateHuberRegressor(threshold=0.25, **options).fit(X, y)
    general = dp.sklearn.PrivateRegressor(dp.glm.Huber(0.25), **options).fit(X, y)
    assert np.array_equal(named.coef_, general.coef_)


def test_refusals():
    X, u = _rows()
    logistic = dp.sklearn.PrivateLogisticRegression
    refuses(dp.UnsupportedError, "unregularised intercept", logistic(regularise_intercept=False).fit, X, u > 0)
    refuses(dp.ParameterError, "method", logistic(method="posterior_sampling").fit, X, u > 0)
    refuses(dp.ParameterError, "low < high", dp.sklearn.PrivateRidge(target_range=(1.0, 1.0)).fit, X, u)
    refuses(dp.DataError, "counts >= 0", dp.sklearn.PrivatePoissonRegressor().fit, X, u)


@pytest.mark.parametrize(
    "state", [None, np.random.default_rng(4), np.random.RandomState(4)], ids=["none", "new", "old"]
)
def test_no_two_fits_share_their_noise_unless_a_seed_says_so(state):
    """Of the same rows the noise alone differs; a copy in another process is a pickled one."""
    X, u = _rows()
    model = dp.sklearn.PrivateLogisticRegression(random_state=state)
    copies = [clone(model), clone(model), pickle.loads(pickle.dumps(model))]
    found = [one.fit(X, u > 0).coef_[0] for one in (model, model, clone(model), *copies)]
    folds = cross_validate(model, X, u > 0, cv=[(np.arange(400), [0])] * 2, return_estimator=True)["estimator"]
    assert len({*found, *(one.coef_[0] for one in folds)}) == 8
    before = pickle.dumps(model.random_state)
    assert pickle.dumps(model.fit(X, u > 0).random_state) == before  # what drew the noise is not in the model
    seeded = [clone(model.set_params(random_state=5)).fit(X, u > 0).coef_[0] for _ in range(2)]
    assert seeded[0] == seeded[1]
    with pytest.raises(dp.ParameterError, match="random_state must be a whole number"):
        model.set_params(random_state=np.random.SeedSequence(1)).fit(X, u > 0)


@pytest.mark.parametrize(
    ("estimator", "method"),
    [*product(KINDS, dp.sklearn.TRAINING_METHODS), (dp.sklearn.PrivateRidge, "posterior_sampling")],
)
def test_a_fitted_estimator_holds_what_was_released(estimator, method):
    """Of other rows, all that can be reached or is written into a pickle is the same, but for θ and what follows from it."""
    X, u = _rows()
    y = np.where(u > 0, 1.0, 0.0)
    fits = [estimator(method=method, epsilon=3.0).fit(share * X, y) for share in (1.0, 0.5)]
    first, other = map(leaves, fits)
    assert not [path for path, value in first.items() if isinstance(value, RANDOM)]
    assert first.keys() == other.keys()
    follows = {".coef_", ".intercept_", ".release_.theta"}
    assert {path for path in first if repr(first[path]) != repr(other[path])} == follows
    changed = [two for one, two in zip(*map(written, fits), strict=True) if one != two]
    assert changed == [fits[1].release_.theta.tobytes(), fits[1].coef_.tobytes(), fits[1].intercept_]


def test_stated_classes_are_a_model_where_the_rows_hold_one_of_them():
    X, _ = _rows()
    model = dp.sklearn.PrivateLogisticRegression(epsilon=3.0, classes=("yes", "no"), random_state=0)
    for label in ("no", "yes"):
        assert (model.fit(X, [label] * 400).predict(X) == label).mean() > 0.9
        assert list(model.classes_) == ["no", "yes"]
    refuses(dp.UnsupportedError, "state them as classes", clone(model).set_params(classes=None).fit, X, ["no"] * 400)
    with pytest.raises(dp.DataError, match=r"labels other than the stated classes \['no', 'yes'\]"):
        model.fit(X, ["no"] * 399 + ["perhaps"])
    refuses(dp.UnsupportedError, "3 classes", model.set_params(classes=["a", "b", "c"]).fit, X, ["a"] * 400)
