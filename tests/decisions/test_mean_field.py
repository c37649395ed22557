"""The law of the coefficients against closed forms of linear regression, bracketed roots, and fits on generated data."""

import numpy as np
import pytest
from scipy.optimize import brentq

import dpcore as dp
from dpcore.decisions.difficulty import Difficulty
from dpcore.decisions.mean_field import Predicted, predict, predict_law, proximal_slope, smallest_eigenvalue, unit_of
from dpcore.errors import UnsupportedError
from dpcore.glm.losses import find
from dpcore.learners import DPSGD, FitWithNoise

SQUARED, HARD = find("squared"), Difficulty(best=0.5, row_share=0.8)


def law(fit, n, d, loss=SQUARED, assumed=HARD):
    facts = dp.PublicFacts(n, d, dp.Domain())
    return predict_law(fit, facts, assumed, assumed.population(loss, facts.domain))


def residual(assumed=HARD):
    """Variance of what no linear predictor of the signal explains, and the slope on the signal."""
    people = assumed.population(SQUARED, dp.Domain())
    slope = float((people.z * people.y).mean())
    return float(np.square(people.y - slope * people.z).mean()), slope


@pytest.mark.parametrize(("n", "d"), [(400, 10), (300, 100)])
def test_least_squares(n, d):
    """s²/(n − d) for each coefficient; noise Σ on the gradient adds Σ² n/(n − d)³, the mean of tr(XᵀX)⁻² over d."""
    noise, slope = residual()
    found = law(FitWithNoise(lam=1e-9), n, d)
    assert found.along == pytest.approx(slope, rel=3e-3)
    assert found.each**2 == pytest.approx(noise / (n - d), rel=0.02)
    unit = unit_of(dp.PublicFacts(n, d, dp.Domain()), HARD)
    pulled = law(FitWithNoise(lam=1e-9, pull=3.0), n, d)
    assert pulled.each**2 - found.each**2 == pytest.approx((3 / unit) ** 2 * n / (n - d) ** 3, rel=0.03)


def test_noise_on_the_result_and_a_sample_add_their_variance():
    n, d = 1000, 5
    unit = unit_of(dp.PublicFacts(n, d, dp.Domain()), HARD)
    plain = law(FitWithNoise(lam=1.0), n, d).each ** 2
    assert law(FitWithNoise(lam=1.0, spread=0.3), n, d).each ** 2 - plain == pytest.approx((0.3 * unit) ** 2, rel=1e-6)
    sampled = law(FitWithNoise(lam=1.0, gamma=0.2), n, d).each ** 2 - plain
    assert sampled == pytest.approx(1 / (0.2 * (n - d + 1 / unit**2)), rel=0.01)


def test_a_penalty_as_large_as_the_curvature_halves_the_signal():
    """Of many records: μ = slope n/(n + Λ), and each coefficient has the variance n E r²/(n + Λ)² of the residuals r."""
    n, d = 10**6, 5
    unit, people = unit_of(dp.PublicFacts(n, d, dp.Domain()), HARD), HARD.population(SQUARED, dp.Domain())
    found = law(FitWithNoise(lam=n * unit**2), n, d)
    assert found.along == pytest.approx(residual()[1] / 2, rel=1e-3)
    rest = np.square(people.y - found.along * people.z).mean()
    assert found.each**2 == pytest.approx(rest / (4 * n), rel=1e-3)


def test_descent_to_the_end_is_the_fit():
    n, d = 2000, 8
    unit = unit_of(dp.PublicFacts(n, d, dp.Domain()), HARD)
    long = law(FitWithNoise(steps=400, rate=0.05 / (n * unit**2)), n, d)
    end = law(FitWithNoise(lam=1e-9), n, d)
    assert (long.along, long.each) == pytest.approx((end.along, end.each), rel=0.01)
    one = law(FitWithNoise(steps=1, rate=0.05 / (n * unit**2), pull=2.0), n, d)
    assert one.along == pytest.approx(0.05 * end.along, rel=1e-3)
    noise = 0.05 / n * 2.0 / unit
    assert one.each**2 == pytest.approx(noise**2 + 0.05**2 * np.square(people_y()).mean() / n, rel=1e-6)
    both, quiet = (law(FitWithNoise(steps=2, rate=0.05 / (n * unit**2), pull=pull), n, d) for pull in (200.0, 0.0))
    assert both.each**2 - quiet.each**2 == pytest.approx((100 * noise) ** 2 * (1 + 0.95**2), rel=5e-3)


def people_y():
    return HARD.population(SQUARED, dp.Domain()).y


@pytest.mark.parametrize("name", dp.LOSSES)
@pytest.mark.parametrize("limit", [np.inf, 0.35])
def test_a_proximal_point_is_the_root(name, limit):
    loss = find(name)
    people = Difficulty().population(loss, dp.Domain(target_bound=10.0 if name == "poisson" else 1.0))
    u = np.linspace(-3, 3, len(people.y))
    slope, bend = proximal_slope(people, u, 0.7, limit, np.zeros_like(u))
    higher, _ = proximal_slope(people, u + 1e-5, 0.7, limit, slope)
    for i in range(7, len(u), 311):
        y = people.y[i]

        def gap(at, y=y, i=i):
            return at + 0.7 * float(np.clip(loss.derivative(np.array(at), np.array(y)), -limit, limit)) - u[i]

        assert slope[i] == pytest.approx((u[i] - brentq(gap, -30, 30, xtol=1e-13)) / 0.7, abs=1e-6)
    smooth = np.abs((higher - slope) / 1e-5 - bend) < 1e-3
    assert smooth.mean() > 0.99  # but at a kink
    assert np.abs(slope).max() <= limit


@pytest.mark.parametrize(
    ("loss", "n", "d", "epsilon"), [("logistic", 800, 12, 1.0), ("squared", 800, 6, 2.0), ("huber", 600, 8, 4.0)]
)
def test_predictions_are_what_fits_on_generated_data_reach(loss, n, d, epsilon):
    from dpcore.decisions.check import check_once, means_of

    answer = dp.recommend(dp.PublicFacts(n, d, dp.Domain()), loss, epsilon, difficulty=Difficulty(0.8, 0.7))
    found = means_of([check_once(answer, seed) for seed in range(16)])
    assert len(answer.ranking) >= 4
    for one in answer.ranking:
        assert one.predicted == pytest.approx(found[one.key].mean, abs=3 * found[one.key].error + 0.01)
        assert one.low < found[one.key].mean < one.high


def test_the_interval_holds_nine_of_ten_releases():
    from dpcore.decisions.check import check_once

    answer = dp.recommend(dp.PublicFacts(500, 5, dp.Domain()), "logistic", 0.3)
    scores = np.array([check_once(answer, seed)["output_perturbation"] for seed in range(60)])
    one = next(one for one in answer.ranking if one.key == "output_perturbation")
    assert 0.8 <= ((scores >= one.low) & (scores <= one.high)).mean() <= 0.99


def test_more_clipping_than_signal_still_ends():
    """At θ = 0 every slope is cut off, so that the clipped curvature is 0 there."""
    loss, facts = find("logistic"), dp.PublicFacts(10**9, 10, dp.Domain())
    found = Predicted.of(FitWithNoise(1.0, 0.4, 1.6), loss, facts, Difficulty())
    assert found.mean == pytest.approx(0.9, abs=2e-3)


def test_smallest_eigenvalue():
    facts = dp.PublicFacts(900, 100, dp.Domain(row_norm=2.0))
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 100)) * unit_of(facts, HARD)
    assert smallest_eigenvalue(facts, HARD) == pytest.approx(np.linalg.eigvalsh(X.T @ X)[0], rel=0.1)
    assert smallest_eigenvalue(dp.PublicFacts(50, 100, dp.Domain()), HARD) == 0


def test_what_no_formula_describes_is_refused():
    with pytest.raises(UnsupportedError, match="no formula"):
        predict(DPSGD("logistic", 1.0, optimizer="adam"), dp.PublicFacts(500, 5, dp.Domain()), Difficulty())
