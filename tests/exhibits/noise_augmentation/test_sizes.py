"""Corollary 5, the sample size and the two comparisons, each against arithmetic or a quadrature of its own."""

import math

import numpy as np
import pytest
from scipy import integrate
from sklearn.linear_model import Lasso

from dpcore.exhibits.noise_augmentation.settings import SETTINGS, case_of, example
from dpcore.exhibits.noise_augmentation.sizes import cms_curves, sample_size, second_terms, sigma_curves
from dpcore.learners.napp import Regularizer
from tests.errata.oracles import gaussian_delta


def test_corollary_5_solves_its_quadratic_and_lies_between_eq_4_and_the_exact_gaussian():
    epsilons, delta, zeta = (0.3, 1.0, 4.0), 1e-4, 2.0
    found = sigma_curves(epsilons, delta, zeta)
    t = math.sqrt(-2 * math.log(delta))
    for k, epsilon in enumerate(epsilons):
        assert found["Corollary 5"][k] == pytest.approx(max(np.roots([epsilon, -2 * zeta * t, -(zeta**2)])))
        assert found["Eq. (4), simplified form"][k] == pytest.approx(2 * zeta * math.sqrt(epsilon + t**2) / epsilon)
        shift = zeta / found["least possible"][k]
        assert gaussian_delta(epsilon / 2, shift) == pytest.approx(delta, rel=1e-6)
    inside = found["Corollary 5"]
    assert ((found["least possible"] < inside) & (inside < found["Eq. (4), simplified form"])).all()


def test_the_sample_size_meets_the_target_exactly_and_none_does_below_the_least():
    case, epsilon, strength, wanted, constant = example("linear", 200), 0.8, 3.0, 2.0, 0.7
    found = sample_size(case, Regularizer("lasso", strength), epsilon, 0.0, wanted, constant)
    truth = np.r_[np.linspace(1, 0.2, 8), np.zeros(8)]
    floor = 1.0 / epsilon  # ζ₃ = (0.25)² 16 = 1, r = ½
    reach = 16 * 1.0 / (0.5 * epsilon) * math.log(16 / 0.05)  # ζ = 1
    regular = strength * truth.sum() + floor * truth @ truth
    promised = (regular + 2 * reach**2 / (2 * floor)) / found.records - constant * math.log(0.05) / (4 * floor)
    assert promised == pytest.approx(wanted)
    assert found.least == pytest.approx(-constant * math.log(0.05) / (4 * floor))
    below = sample_size(case, Regularizer("lasso", strength), epsilon, 0.0, 0.99 * found.least, constant)
    assert below.records == math.inf


def test_the_bound_of_cms_is_what_the_source_prints_and_its_noise_term_twice_too_large():
    sizes, lam, epsilon, p, square, constant = (100, 1000), 0.03, 0.5, 10, 4.0, 1.5
    found = cms_curves(sizes, lam, epsilon, p, square, constant)
    for k, n in enumerate(sizes):
        noise = 16 * p**2 * math.log(p / 0.05) ** 2 / (epsilon**2 * n**2 * lam)
        tail = constant * math.log(1 / 0.05) / (n * lam)
        assert found["as printed, and CMS"][k] == pytest.approx(lam / 2 * square + noise + tail)
        assert found["Theorem 10, k = nλ"][k] == pytest.approx(lam / 2 * square + (noise + tail) / 2)


def test_the_second_term_by_quadrature_at_scikit_learn_s_lasso():
    case = example("linear", 120)
    case = case_of("", SETTINGS["linear"], case.X, np.clip(case.y, -0.9, 0.9))  # no gradient is clipped at the fit
    strength, epsilons, n = 0.4, (0.4, 3.0), len(case.y)
    best = Lasso(alpha=strength / n, fit_intercept=False, tol=1e-14, max_iter=10**6).fit(case.X, case.y).coef_
    found = second_terms(case, strength, epsilons)
    for k, epsilon in enumerate(epsilons):
        floor = 1.0 / epsilon
        beyond = lambda t, f=floor: max(2 * f * t - strength, 0.0)  # noqa: E731
        area = sum(integrate.quad(beyond, 0, abs(size), points=[strength / (2 * floor)])[0] for size in best if size)
        assert found["MOOR, (R(θ̂) − Λ‖θ̂‖₁)/n"][k] == pytest.approx(area / n, rel=1e-4, abs=1e-12)
        assert found["Kifer et al., Λ₀‖θ̂‖²/n"][k] == pytest.approx(floor * best @ best / n, rel=1e-5)
        assert area / n < floor * best @ best / n
