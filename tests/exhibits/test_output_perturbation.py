"""Output perturbation on data: minimisers against scikit-learn, changes against refits of every row, bounds hold."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from sklearn.linear_model import LogisticRegression

import dpcore as dp
from dpcore.exhibits.output_perturbation.adversary import adversarial_data
from dpcore.exhibits.output_perturbation.study import fit_all, objective_sweep, sweep_lambda, usable_losses
from tests.errata.oracles import gaussian_delta
from tests.learners.data import classes, numbers
from tests.refusals import refuses

LAMBDAS = (0.1, 1.0, 10.0, 100.0)


def minimiser(data, lam, keep=slice(None)):
    model = LogisticRegression(C=1 / lam, fit_intercept=False, tol=1e-12, max_iter=10_000)
    return model.fit(data.X[keep], data.y[keep]).coef_[0]


def mean_loss(data, theta):
    return float(np.logaddexp(0, -data.y * (data.X @ theta)).mean())


def test_bias_and_change_against_scikit_learn():
    data = classes(15, 3)
    found = sweep_lambda(data, "logistic", 1.0, 1e-5, 0.05, LAMBDAS)
    comparator = mean_loss(data, minimiser(data, 0.01))
    for i, lam in enumerate(LAMBDAS):
        theta = minimiser(data, lam)
        moves = [np.linalg.norm(minimiser(data, lam, np.arange(15) != row) - theta) for row in range(15)]
        assert found.bias[i] == pytest.approx(mean_loss(data, theta) - comparator, abs=1e-6)
        assert found.measured_change[i] == pytest.approx(max(moves), rel=1e-3)
        assert found.measured_change[i] <= found.sensitivity[i]
    assert found.sensitivity == pytest.approx(1 / np.array(LAMBDAS))


@pytest.mark.parametrize(("epsilon", "meets"), [(0.3, True), (1.0, True), (10.0, False), (20.0, False)])
def test_both_noises_against_the_exact_profile(epsilon, meets):
    found = sweep_lambda(classes(40, 3), "logistic", epsilon, 1e-5, 0.05, LAMBDAS)
    ratio = float(found.sensitivity[0] / found.noise[0])
    assert gaussian_delta(epsilon, ratio) == pytest.approx(1e-5, rel=1e-6)
    classical = epsilon / math.sqrt(2 * math.log(1.25e5))
    assert found.sensitivity / found.classical == pytest.approx(classical)
    assert found.classical_delta == pytest.approx(gaussian_delta(epsilon, classical), rel=1e-8)
    assert found.classical_meets is meets
    kind = found.change_curves()[3].bound
    assert kind is (dp.Bound.UPPER if meets else dp.Bound.CLAIMED)


def test_bounds_by_hand():
    data = classes(40, 3)
    found = sweep_lambda(data, "logistic", 1.0, 1e-5, 0.1, LAMBDAS)
    norm = np.linalg.norm(minimiser(data, 0.01))
    drawn, least = np.random.default_rng(7).normal(size=(4000, 3)), mean_loss(data, minimiser(data, 0.01))
    for i, lam in enumerate(LAMBDAS):
        around = minimiser(data, lam) + found.noise[i] * drawn
        excess = [mean_loss(data, theta) - least for theta in around]
        assert found.quantile[i] == pytest.approx(sorted(excess)[3600], rel=0.2)  # exceeded by one draw in ten
        assert found.bias[i] + found.spread[i] == pytest.approx(np.mean(excess), rel=0.1)
        s2 = found.noise[i] ** 2
        ridge, curvature = lam / 2 * norm**2, 40 * 0.25 + lam
        assert 40 * found.mean_bound[i] == pytest.approx(ridge + curvature * 3 * s2 / 2, rel=1e-4)
        assert 40 * found.bound[i] == pytest.approx(ridge + curvature * 3 * s2 * math.log(30), rel=1e-4)
        assert 40 * found.sharper[i] == pytest.approx(ridge + curvature * s2 * stats.chi2.ppf(0.9, 3) / 2, rel=1e-4)
        length = found.noise[i] * math.sqrt(stats.chi2.ppf(0.9, 3))  # each loss grows by at most L times the noise's
        assert found.lipschitz_bound[i] == pytest.approx(ridge / 40 + length, rel=1e-4)
    assert (found.quantile <= found.lipschitz_bound).all()
    assert found.best == int(np.argmin(found.bias + found.spread))


def test_what_cannot_be_studied_is_said():
    refuses(
        dp.UnsupportedError, "no bounded gradient", sweep_lambda, classes(40, 3), "squared", 1.0, 1e-5, 0.1, LAMBDAS
    )
    bare = dp.Dataset.from_arrays([[1.0], [0.5]], [1.0, -1.0])
    refuses(dp.DataError, "no public domain", sweep_lambda, bare, "logistic", 1.0, 1e-5, 0.1, LAMBDAS)
    assert usable_losses(classes(40, 3)) == ["logistic", "smoothed_hinge", "huber", "pseudo_huber"]
    assert usable_losses(numbers(40, 3)) == ["huber", "pseudo_huber"]


@pytest.mark.parametrize(("loss", "domain"), [("logistic", dp.Domain(2.0, 1.0)), ("huber", dp.Domain(1.0, 3.0))])
def test_adversarial_data_move_the_minimiser_as_far_as_refits_do(loss, domain):
    """Both minimisers again, over explicit rows; never beyond L/λ; far as soon as there are records enough."""
    model, n = dp.LOSSES[loss], 300
    lipschitz = model.constants(domain).lipschitz
    found = adversarial_data(loss, domain, n, 3, (0.01, 1.0, 100.0))
    for i, lam in enumerate(found.lam):
        x = np.append(np.full(n - 1, found.row[i]), found.record[i])
        y = np.append(np.full(n - 1, found.row_target[i]), found.record_target[i])
        assert np.abs(x).max() <= domain.row_norm * (1 + 1e-12)
        assert np.abs(y).max() <= domain.target_bound

        def risk(theta, rows, lam=lam, x=x, y=y):
            return float(model.value(x[rows] * theta, y[rows]).sum() + lam / 2 * theta**2)

        reach = 2 * n * lipschitz / lam
        whole, rest = (
            optimize.minimize_scalar(risk, (-reach, reach), args=(slice(m),), tol=1e-13).x for m in (n, n - 1)
        )
        assert found.change[i] == pytest.approx(abs(whole - rest), rel=1e-4)
        assert found.change[i] <= lipschitz / lam * (1 + 1e-9)
    assert (found.change[:2] > 0.4 * lipschitz / found.lam[:2]).all()


def test_one_record_alone_moves_an_unregularised_minimiser_without_end():
    """max_r of θ with λθ = r/(1 + e^{rθ}) is √(max_u u/(1 + e^u)/λ), 0.5277/√λ."""
    best = optimize.minimize_scalar(lambda u: -u / (1 + math.exp(u)), (0.1, 3.0), method="bounded", bounds=(0.1, 3.0))
    found = adversarial_data("logistic", dp.Domain(1.0, 1.0), 1, 1, (1e-8, 1e-4, 1e-2))
    assert found.change == pytest.approx(np.sqrt(-best.fun / found.lam), rel=2e-2)
    assert (found.change <= np.sqrt(-best.fun / found.lam)).all()


def test_rows_of_one_length_come_in_pairs():
    """The pairs in two dimensions, minimised there, move as far as the rows on one axis say."""
    domain = dp.Domain(1.0, 1.0, rows="normalize")
    assert adversarial_data("logistic", domain, 5, 1, (0.1,)).row == [1.0]
    found = adversarial_data("logistic", domain, 100, 2, (0.1,))
    assert (found.m, found.record) == (98, [1.0])
    across = math.sqrt(1 - found.row[0] ** 2)
    X = np.array([[found.row[0], across], [found.row[0], -across]] * 49 + [[1.0, 0.0]])
    y = np.append(np.full(98, found.row_target[0]), found.record_target[0])

    def minimum(rows):
        def risk(theta):
            margin = y[rows] * (X[rows] @ theta)
            pull = -X[rows].T @ (y[rows] / (1 + np.exp(margin))) + 0.1 * theta
            return np.logaddexp(0, -margin).sum() + 0.05 * theta @ theta, pull

        return optimize.minimize(risk, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-9}).x

    assert found.change[0] == pytest.approx(np.linalg.norm(minimum(slice(99)) - minimum(slice(98))), rel=1e-5)
    assert found.change[0] > 5


def test_noise_in_the_objective_on_the_same_data():
    """Its σ meets the budget and a smaller one does not; its excess against objectives minimised by scipy."""
    data = classes(40, 3)
    fits = fit_all(data, "logistic", LAMBDAS)
    found = objective_sweep(data, "logistic", 1.0, 1e-5, fits, draws=8)
    for lam, sigma in zip(found.lam, found.sigma, strict=True):
        profile = dp.ObjectivePerturbation(sigma, lam, 1.0, 0.25)
        assert profile.delta(1.0) <= 1e-5 * (1 + 1e-9)
        assert dp.ObjectivePerturbation(0.999 * sigma, lam, 1.0, 0.25).delta(1.0) > 1e-5
    noise = np.random.default_rng(0).standard_normal((8, 3))
    comparator = mean_loss(data, minimiser(data, 0.01))
    for i, lam in ((2, 10.0), (3, 100.0)):

        def risk(theta, b, lam=lam):
            return 40 * mean_loss(data, theta) + lam / 2 * theta @ theta + b @ theta

        ends = [optimize.minimize(risk, np.zeros(3), args=(found.sigma[i] * b,), tol=1e-10).x for b in noise]
        expected = np.mean([mean_loss(data, theta) for theta in ends]) - comparator
        assert found.excess[i] == pytest.approx(expected, rel=1e-4)
    assert found.best == int(found.excess.argmin())


def test_no_noise_hides_the_curvature_of_one_record_under_a_small_penalty():
    data = classes(40, 3)
    found = objective_sweep(data, "logistic", 0.01, 1e-12, fit_all(data, "logistic", (1e-6, 1e4)), draws=2)
    assert found.sigma[0] == np.inf
    assert np.isnan(found.excess[0])
    assert found.best == 1
