"""Subsample-and-aggregate: one row moves it by no more than its noise covers, and its error is the one predicted."""

import numpy as np
import pytest

from dpcore.exhibits.paper_figures.efficiency import simulate_aggregation, subsample_and_aggregate
from tests.errata.oracles import gaussian_delta


def test_one_row_moves_the_mean_by_two_blocks_share_at_most():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((64, 2)), rng.standard_normal(64)
    still = 1e-12
    fits = [np.linalg.lstsq(X[8 * j : 8 * j + 8], y[8 * j : 8 * j + 8], rcond=None)[0] for j in range(8)]
    clipped = [fit / max(1, np.linalg.norm(fit)) for fit in fits]
    before = subsample_and_aggregate(X, y, 8, still, np.random.default_rng(1))
    assert before == pytest.approx(np.mean(clipped, axis=0), abs=1e-9)
    moved = []
    for value in (-1e6, 1e6):
        y[5] = value
        moved.append(subsample_and_aggregate(X, y, 8, still, np.random.default_rng(1)))
    assert np.linalg.norm(moved[0] - moved[1]) == pytest.approx(2 / 8, rel=1e-4)


def test_noise_is_what_the_budget_asks_for_and_the_error_what_is_predicted():
    found = simulate_aggregation(2.0, 1e-5, 4_000, repeats=200, rng=1)
    blocks = round(4_000**0.6)
    sampled = 0.04 * 9 / 4_000 * (27 / 23)
    sigma = np.sqrt((found.predicted - sampled) / 3) * blocks / 2
    assert gaussian_delta(2.0, 1 / sigma) == pytest.approx(1e-5, rel=1e-3)
    assert found.measured == pytest.approx(found.predicted, rel=0.15)
    assert found.cramer_rao < found.measured
