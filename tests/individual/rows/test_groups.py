"""Groups on original columns: every row in exactly one, no group hides another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpcore as dp
from dpcore.data import Dataset, Domain
from dpcore.individual.rows.groups import columns, group_rows, subgroups

OPS = dp.PosteriorSampling(gamma=1.0, lam=1.0)


def houses(rows: int = 600, islands: int = 37) -> bytes:
    """A housing file in which few houses lie on an island; rooms differ, so that scaled rows do in every column."""
    rng = np.random.default_rng(2)
    lines = ["house,rooms,income,near,island,note,price"]
    for k in range(rows):
        island = int(k < islands)
        near = "" if k % 50 == 7 else ("bay", "inland", "ocean")[int(rng.integers(3))]
        price = 2 + rng.normal() + 3 * island
        lines.append(f"H{k},{rng.integers(3, 900)},{rng.uniform(1, 9):.3f},{near},{island},n{k % 4},{price:.3f}")
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def result():
    options = {"features": ["rooms", "income", "island"], "domain": Domain(rows="normalize", from_data=True)}
    return dp.individual_privacy(dp.load_csv(houses(), "price", **options), OPS)


def test_a_small_group_of_a_scaled_column_is_seen(result):
    """After the rows are scaled, island takes dozens of values; in the file it takes two."""
    assert np.unique(result.dataset.X[:, 2]).size > 30
    no, yes = subgroups(result, "island").groups
    assert ((no.label, no.count), (yes.label, yes.count)) == (("0", 563), ("1", 37))
    island = result.dataset.original()["island"].to_numpy() == 1
    assert yes.quantiles[2] == pytest.approx(np.median(result.epsilon[island]))
    assert yes.largest == result.epsilon[island].max()
    assert yes.quantiles[2] > 3 * no.quantiles[2]


def test_columns_that_are_not_used_are_offered(result):
    assert columns(result.dataset) == ("price", "rooms", "income", "near", "island", "note")
    assert [group.label for group in subgroups(result, "note").groups] == ["n0", "n1", "n2", "n3"]
    near = subgroups(result, "near")
    assert [group.label for group in near.groups] == ["bay", "inland", "ocean", "missing"]
    assert near.groups[-1].count == 12
    with pytest.raises(dp.ParameterError, match="rows cannot be grouped by 'house': name a column"):
        subgroups(result, "house")
    with pytest.raises(dp.ParameterError, match="bins must be"):
        subgroups(result, "rooms", 1)


def test_levels_whose_rows_were_all_left_out_are_named():
    data = (
        b"kind,x,y\n"
        + b"".join(b"%s,%d,%d\n" % ((b"a", b"b")[k % 2], k % 7, k % 5) for k in range(20))
        + b"c,,3\nc,,2\n"
    )
    found = subgroups(dp.individual_privacy(dp.load_csv(data, "y", ["x"]), OPS), "kind")
    assert [(group.label, group.count) for group in found.groups] == [("a", 10), ("b", 10)]
    assert (found.left_out, found.absent) == (2, ("c",))


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(-30, 30), min_size=2, max_size=200), st.integers(2, 9), st.sampled_from([1, 1e-6, 1e9]))
def test_every_row_is_in_exactly_one_group(values, bins, scale):
    x = np.array(values) * scale
    found = [*group_rows(Dataset.from_arrays(x[:, None], np.zeros(len(x)), ["x"]), "x", bins).members.values()]
    np.testing.assert_array_equal(np.sort(np.concatenate(found)), np.arange(len(values)))
    assert all(len(rows) for rows in found)
    distinct, counts = np.unique(x, return_counts=True)
    group_of = np.empty(len(values), dtype=int)
    for k, rows in enumerate(found):
        group_of[rows] = k
    assert (np.diff(group_of[np.argsort(x, kind="stable")]) >= 0).all()
    assert len(set(zip(x, group_of, strict=True))) == distinct.size  # equal values together
    for value in distinct[counts >= len(values) / bins] if distinct.size > 12 else distinct:
        assert np.unique(x[group_of == group_of[x == value][0]]).size == 1


def test_many_zeros_do_not_swallow_the_rest():
    x = np.concatenate([np.zeros(160), np.arange(1, 41)])
    found = group_rows(Dataset.from_arrays(x[:, None], np.zeros(200), ["hours"]), "hours")
    assert {label: len(rows) for label, rows in found.members.items()} == {"0": 160, "1 to 40": 40}
    spread = group_rows(Dataset.from_arrays(np.arange(200.0)[:, None], np.zeros(200), ["hours"]), "hours")
    assert [len(rows) for rows in spread.members.values()] == [50, 50, 50, 50]
    assert next(iter(spread.members)) == "0 to 49"


@pytest.mark.parametrize(
    ("values", "labels"), [((1 / 3, 2 / 3), ("0.3333", "0.6667")), ((1.00001, 1.00002), ("1.00001", "1.00002"))]
)
def test_labels_have_as_many_digits_as_tell_them_apart(values, labels):
    found = group_rows(Dataset.from_arrays(np.repeat(values, 3)[:, None], np.zeros(6), ["x"]), "x")
    assert tuple(found.members) == labels
