"""What a published distribution says: bands that hold, quantiles that hold, and nothing but released numbers in it."""

import json

import numpy as np
import pytest

from dpcore.individual.publication.statement import PublishedExposure, at_most
from dpcore.mechanisms.exact_noise import exact_discrete_noise

EDGES = tuple(np.concatenate([[0.0], np.geomspace(0.1, 10.0, 12)]))


def published(counts, sigma=4.0, alpha=0.1):
    return PublishedExposure(
        "a release", 1e-6, EDGES, tuple(map(int, counts)), sigma, 1.0, 1e-6, 0.05, alpha, "a bound", "Together: much."
    )


def test_bands_and_quantiles_hold_as_often_as_they_say():
    """Known counts, fresh noise: all shares at once, and every quantile, fail in at most α of the draws."""
    true = np.array([0, 3, 10, 40, 90, 120, 80, 30, 12, 5, 1, 1])
    share = np.concatenate([[0.0], np.cumsum(true) / true.sum()])
    rng, failed, widths = np.random.default_rng(1), 0, []
    for _ in range(300):
        found = published(true + exact_discrete_noise(4.0, true.size, rng))
        low, estimate, high = np.array([(one.low, one.estimate, one.high) for one in found.shares]).T
        quantiles = [share[EDGES.index(found.quantile(q))] >= q for q in (0.25, 0.5, 0.9, 0.99)]
        failed += not ((low <= share).all() and (share <= high).all() and all(quantiles))
        assert ((low <= estimate) & (estimate <= high)).all()
        assert (np.diff(estimate) >= 0).all()
        widths.append((high - low).max())
    assert failed <= 0.1 * 300
    assert np.mean(widths) < 0.5


def test_without_noise_shares_are_those_of_the_counts():
    true = np.array([0, 3, 10, 40, 90, 120, 80, 30, 12, 5, 1, 1])
    found = published(true, sigma=1e-9)
    share = np.concatenate([[0.0], np.cumsum(true) / true.sum()])
    assert np.array([(one.low, one.high) for one in found.shares]) == pytest.approx(
        np.column_stack([share] * 2), abs=1e-9
    )
    assert found.rows == true.sum()
    assert found.quantile(0.5) == EDGES[int(np.argmax(share >= 0.5))]
    assert (found.shares[-1].low, found.shares[0].high) == (1.0, 0.0)


def test_counts_that_noise_has_drowned_say_nothing():
    found = published([-3, 2, -5, 1, -2, 0, 4, -1, 0, -6, 2, 1], sigma=30.0)
    assert (found.quantile(0.5), found.shares[6].low, found.rows) == (EDGES[-1], 0.0, 0)


def test_statement_names_what_was_spent_and_what_it_rests_on():
    said = published([0, 0, 400, 500, 80, 10, 5, 0, 0, 0, 0, 0]).statement
    parts = ["a release", "δ = 1e-06", "ε = 1 at", "0.85", "a bound", "Together: much.", "one row added or removed"]
    assert [part for part in parts if part not in said] == []


def test_export_is_a_function_of_the_released_numbers():
    found = published([0, 0, 400, 500, 80, 10, 5, 0, 0, 0, 0, 0])
    fields = json.loads(found.to_json())
    assert set(fields) == {*vars(found), "shares", "statement"}
    fields = {name: tuple(v) if isinstance(v, list) else v for name, v in fields.items() if name in vars(found)}
    again = PublishedExposure(**fields)
    assert again == found
    assert again.to_json() == found.to_json()


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.3291, "0.33"), (0.3281, "0.329"), (5640.1, "5.65e+03"), (1.0, "1"), (0.0, "0"), (99.95, "100")],
)
def test_a_bound_is_one_as_it_is_written(value, shown):
    assert at_most(value) == shown
    assert float(shown) >= value
