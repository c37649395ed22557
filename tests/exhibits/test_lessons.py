"""Every lesson has a reachable answer that its default is not, hints that lead there, and numbers checked elsewhere."""

import math

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import binomtest, laplace, norm

import dpcore as dp
from dpcore.exhibits.exponential_mechanism import study as exponential
from dpcore.exhibits.lessons import study as lessons
from pages.components.controls import round_values
from pages.understand.learn.words import LESSONS
from tests.errata.oracles import gaussian_delta

DATA = dp.load_sample("diabetes")
WHOLE = ("composition", "exposed", "limits")  # lessons of whole numbers


def positions(key):
    _, *ends, _, kind = LESSONS[key].slider
    if kind == "log":
        return round_values(*ends)
    if kind == "list":
        return list(getattr(lessons, ends[0]))
    return [round(float(v), 10) for v in np.arange(ends[0], ends[1] + kind / 2, kind)]


def read(key, position):
    return lessons.LESSONS[key](position, *((DATA,) if key in lessons.WITH_DATA else ()))


@pytest.mark.parametrize("key", lessons.LESSONS)
def test_answer_is_on_the_slider_and_not_its_default(key):
    readings = [read(key, position) for position in positions(key)]
    solved = [reading.solved for reading in readings]
    assert 1 <= sum(solved) <= max(1, len(solved) // 4)
    default = LESSONS[key].slider[-2]
    assert default in positions(key)
    assert not read(key, default).solved
    if key != "exposed":
        first, last = solved.index(True), len(solved) - 1 - solved[::-1].index(True)
        for i, reading in enumerate(readings):
            assert reading.too_far == (-1 if i < first else 1 if i > last else 0)


@pytest.mark.parametrize("key", lessons.LESSONS)
def test_the_truth_is_where_the_answer_is(key):
    """Independent of the slider, among the positions that solve or within a step of them."""
    readings = [read(key, position) for position in positions(key)]
    assert len({reading.truth for reading in readings}) == 1
    solved = [position for position, reading in zip(positions(key), readings, strict=True) if reading.solved]
    around = positions(key)[max(0, positions(key).index(solved[0]) - 1) : positions(key).index(solved[-1]) + 2]
    assert around[0] <= readings[0].truth <= around[-1]


def test_truths_against_the_normal_law_and_quadrature():
    sigma = read("epsilon", 1.0).truth
    assert norm.sf(norm.isf(0.05) - 1 / sigma) == pytest.approx(0.10, rel=1e-12)
    epsilon = read("curves", 0.3).truth
    assert gaussian_delta(epsilon, 0.5) == pytest.approx(1e-3)
    epsilon, z = read("temperature", 0.2).truth, exponential.line_landscape(100, 0.3, 0.3).records
    grid = np.linspace(-1, 1, 20_001)
    away = np.abs(grid[:, None] - z)
    loss = np.where(away < 0.05, away**2 / 0.1 + 0.025, away).mean(axis=1)
    weight = np.exp(-epsilon * 100 / 4 * (loss - loss.min()))
    assert (weight @ (loss - loss.min())) / weight.sum() == pytest.approx(0.02, rel=1e-4)


def test_second_numbers_against_quadrature():
    """ε of the noise at δ = 10⁻⁵, and the chance that the factor of an output exceeds e^ε."""
    sigma, epsilon = 2.8, read("epsilon", 2.8).beside
    edge = 0.5 + sigma**2 * epsilon  # where the factor of an output is e^ε
    delta = integrate.quad(lambda x: norm.pdf(x, 1, sigma) - math.exp(epsilon) * norm.pdf(x, 0, sigma), edge, 60)[0]
    assert delta == pytest.approx(1e-5, rel=1e-6)
    reading = read("curves", 1.05)
    edge = 0.5 + 4 * 1.05
    assert reading.beside == pytest.approx(norm.sf(edge, 1, 2), rel=1e-12)
    assert reading.beside > 5 * reading.value


def test_attacker_and_questions_against_the_normal_law():
    assert read("epsilon", 3.0).value == pytest.approx(norm.cdf(norm.ppf(0.05) + 1 / 3))
    for k in (5, 7, 8):
        assert gaussian_delta(read("composition", k).value, math.sqrt(k) / 10) == pytest.approx(1e-5, rel=1e-6)


def test_the_exposures_of_the_eight_are_those_of_the_library():
    found = lessons.exposures(DATA)
    everything = dp.individual_privacy(DATA, dp.PosteriorSampling(gamma=20.0, lam=1.0), delta=1e-6)
    np.testing.assert_array_equal(found.epsilon, everything.epsilon[found.rows])
    assert found.epsilon.max() == everything.epsilon.max()


def test_audit_proves_no_more_than_the_truth():
    """Laplace noise of scale 1 has ε = 1; over 60 seeds the bound exceeds it no more often than 5 % allows."""
    exceeded = sum(lessons.audit_bound(seed) > 1 for seed in range(60))
    assert binomtest(exceeded, 60, 0.05, alternative="greater").pvalue > 0.01
    assert lessons.audit_bound() > 0.9
    detection, alarm = laplace.sf(1, 1), laplace.sf(1)
    assert lessons.audit_bound() < math.log(detection / alarm)
    caught, alarms = lessons.audit_counts()
    low, high = binomtest(caught, 20_000).proportion_ci(0.95).low, binomtest(alarms, 20_000).proportion_ci(0.95).high
    assert lessons.audit_bound() == pytest.approx(math.log(low / high), rel=1e-9)  # 2.5 % beyond each


def test_claimed_limit_is_the_largest_detection_of_pure_privacy():
    allowed = read("audit", 0.5).curves[1]
    outcomes = dp.RandomizedResponse(0.5)
    np.testing.assert_allclose(allowed.y, 1 - outcomes.tradeoff(allowed.x), atol=1e-9)
