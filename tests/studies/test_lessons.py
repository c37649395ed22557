"""Every lesson has a reachable answer that its default is not, hints that lead there, and numbers checked elsewhere."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, laplace, norm

import dpcore as dp
from dpcore.studies import lessons
from pages.components.controls import round_values
from pages.understand.learn.words import LESSONS

DATA = dp.load_sample("diabetes")


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


def test_attacker_against_the_normal_law():
    assert read("epsilon", 3.0).value == pytest.approx(norm.cdf(norm.ppf(0.05) + 1 / 3))


def test_questions_against_the_normal_law():
    for k in (5, 7, 8):
        epsilon, shift = read("composition", k).value, math.sqrt(k) / 10
        delta = norm.cdf(shift / 2 - epsilon / shift) - math.exp(epsilon) * norm.cdf(-shift / 2 - epsilon / shift)
        assert delta == pytest.approx(1e-5, rel=1e-6)


def test_most_exposed_of_the_eight_is_so_by_refitting():
    found = lessons.exposures(DATA)
    everything = dp.individual_privacy(DATA, dp.PosteriorSampling(gamma=20.0, lam=1.0), delta=1e-6)
    np.testing.assert_array_equal(found.epsilon, everything.epsilon[found.rows])
    assert found.epsilon.max() == everything.epsilon.max()
    moves = []
    for row in found.rows:
        keep = np.arange(DATA.n_samples) != row
        X, y = DATA.X[keep], DATA.y[keep]
        H = X.T @ X + np.eye(X.shape[1])
        moves.append(
            abs(DATA.y[row] - DATA.X[row] @ np.linalg.solve(H, X.T @ y))
            * math.sqrt(DATA.X[row] @ np.linalg.solve(H, DATA.X[row]))
        )
    assert int(np.argmax(moves)) == int(np.argmax(found.epsilon))


def test_audit_proves_no_more_than_the_truth():
    """Laplace noise of scale 1 has ε = 1; over 60 seeds the bound exceeds it no more often than 5 % allows."""
    exceeded = sum(lessons.audit_bound.__wrapped__(seed) > 1 for seed in range(60))
    assert binomtest(exceeded, 60, 0.05, alternative="greater").pvalue > 0.01
    assert lessons.audit_bound() > 0.9
    detection, alarm = laplace.sf(1, 1), laplace.sf(1)
    assert lessons.audit_bound() < math.log(detection / alarm)


def test_claimed_limit_is_the_largest_detection_of_pure_privacy():
    allowed = read("audit", 0.5).curves[1]
    outcomes = dp.RandomizedResponse(0.5)
    np.testing.assert_allclose(allowed.y, 1 - outcomes.tradeoff(allowed.x), atol=1e-9)
