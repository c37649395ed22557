"""Objective perturbation of a sample: no release of made-up records exceeds the curve, and one record alone reaches a part of it."""

import numpy as np
import pytest
from scipy import integrate, special, stats

import dpcore as dp
from dpcore.exhibits.gallery.objective import phases
from dpcore.exhibits.objective_perturbation.sampled_records import of_sample, same_balance

SETTING = {"sigma": 2.0, "lam": 1.0, "lipschitz": 1.0, "smoothness": 1.0}
RATE = 0.3


def density(t, records):
    """Of the minimiser in one parameter: φ(J'/σ) J''/σ, each record a signed logistic loss with |f'| ≤ 1, f'' ≤ 1."""
    slope, bend = 1.0 * t, np.ones_like(t)
    for sign in records:
        share = special.expit(-4 * sign * t)
        slope, bend = slope - sign * share, bend + 4 * share * (1 - share)
    return stats.norm.pdf(slope / 2) * bend / 2


def mixture(t, records, kept=()):
    """Over all Poisson samples."""
    if not records:
        return density(t, kept)
    first, *rest = records
    return (1 - RATE) * mixture(t, rest, kept) + RATE * mixture(t, rest, (*kept, first))


@pytest.mark.parametrize("others", [(), (1,), (-1, 1)])
def test_a_sample_with_other_records_stays_below(others):
    curve = of_sample(dp.ObjectivePerturbation(**SETTING), RATE)
    t = np.linspace(-20, 20, 8001)
    present, absent = mixture(t, (1, *others)), mixture(t, others)
    assert integrate.trapezoid(present, t) == pytest.approx(1, abs=1e-6)
    for epsilon in (0.0, 0.1, 0.25):
        for direction, p, q in (("remove", present, absent), ("add", absent, present)):
            true = integrate.trapezoid(np.maximum(p - np.exp(epsilon) * q, 0), t)
            most = float(curve.delta(epsilon, direction=direction))
            assert true <= most * (1 + 1e-4)
            if not others and epsilon < 0.2:
                assert true > 0.3 * most


def test_a_linear_loss_of_one_record_is_the_subsampled_gaussian():
    """A monotone loss, record added: the tight profile is the Gaussian one, so the two normal laws mixed reach the curve."""
    curve = of_sample(dp.ObjectivePerturbation(**SETTING), RATE)
    z = np.linspace(-9, 9, 20_001)
    absent = stats.norm.pdf(z)
    present = (1 - RATE) * absent + RATE * stats.norm.pdf(z - 0.5)
    for epsilon in (0.0, 0.1, 0.2):
        true = integrate.trapezoid(np.maximum(absent - np.exp(epsilon) * present, 0), z)
        assert curve.delta(epsilon, direction="add") == pytest.approx(true, rel=1e-4)
        other = integrate.trapezoid(np.maximum(present - np.exp(epsilon) * absent, 0), z)
        assert curve.delta(epsilon, direction="remove") >= other * (1 - 1e-6)


def test_the_same_balance_scales_noise_and_penalty():
    whole = dp.ObjectivePerturbation(**SETTING)
    scaled = dp.Subsampled(dp.ObjectivePerturbation(2.0 * RATE, RATE, 1.0, 1.0), RATE)
    assert same_balance(whole, RATE).delta(0.5) == scaled.delta(0.5)
    for wrong in (0.0, 1.5):
        with pytest.raises(dp.errors.ParameterError, match="rate"):
            same_balance(whole, wrong)


@pytest.mark.parametrize(("sigma", "rate", "sgd_sigma"), [(100.0, 0.1, 10.0), (40.0, 0.5, 20.0)])
def test_the_phases_of_figure_5_by_series(sigma, rate, sgd_sigma):
    """At order 1000: Σ C(α, k)(1 − q)^{α−k} q^k e^{k(k−1)/2σ²} for the sampled Gaussian, Theorem 3.2 written out for the others."""
    ours, sgd, gaussian = phases(sigma, rate, sgd_sigma, 1e4, points=3).drawing.strokes
    k = np.arange(1001)
    logs = special.gammaln(1001) - special.gammaln(k + 1) - special.gammaln(1001 - k)
    logs += (1000 - k) * np.log1p(-rate) + k * np.log(rate) + k * (k - 1) / (2 * sgd_sigma**2)
    assert sgd.y[-1] == pytest.approx(special.logsumexp(logs) / 999, rel=1e-6)
    assert gaussian.y == pytest.approx(gaussian.x / (2 * sigma**2))
    t = ours.x - 1
    moment = np.log(2) + (t / sigma) ** 2 / 2 + stats.norm.logcdf(t / sigma)
    assert ours.y == pytest.approx(-np.log1p(-1e-4) + 1 / (2 * sigma**2) + moment / t)
