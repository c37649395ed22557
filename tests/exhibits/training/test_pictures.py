"""Summaries behind the pictures of private training, against direct formulas."""

from __future__ import annotations

import numpy as np

import dpcore as dp
from dpcore.data.samples.synthetic import logistic_data
from dpcore.exhibits import training
from dpcore.exhibits.training.pictures import baseline, coefficient_spread, of_score, summary


def test_spread_orders_coefficients_and_covers_nine_draws_in_ten():
    data = logistic_data(400, 6, 10.0, 3)
    result = training.live(data, dp.ObjectivePerturbationLearner("logistic", 1.0), draws=200)
    spread = coefficient_spread(result, most=4)
    assert len(spread.names) == 4
    assert (np.diff(np.abs(spread.centre)) <= 0).all()
    for name, low, high in zip(spread.names, spread.low, spread.high, strict=True):
        values = result.theta[:, data.names.index(name)]
        assert 0.88 <= np.mean((values >= low) & (values <= high)) <= 0.92


def test_summary_leaves_out_what_is_not_a_number():
    found = summary(np.array([np.nan, *range(101)]))
    assert (found.low, found.median, found.high) == (5.0, 50.0, 95.0)
    assert np.isnan(summary(np.array([np.nan])).median)


def test_baseline_is_the_learner_without_a_target():
    data = logistic_data(300, 3, 10.0, 1)
    learners = {"AMP": dp.AMP("logistic", 1.0), "none": dp.LEARNERS["non_private"]("logistic")}
    points = list(training.LearnerComparison(data, learners, (0.5, 2.0), repeats=2).run())
    series = training.mean_scores(points)
    plain = [point.scores["accuracy"] for point in points if point.name == "none"]
    assert baseline(series, "accuracy") == np.mean(plain)
    assert [entry.name for entry in of_score(series, "accuracy")] == ["AMP"]
    assert np.isnan(baseline([], "accuracy"))
