"""The data set: validated, read-only, equal by its digest."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import dpcore as dp
from dpcore.data import Dataset, Domain, IngestReport
from tests.refusals import refuses

X = np.array([[0.5, -0.25], [0.0, 1.0], [0.125, 0.5]])
Y = np.array([1.0, -1.0, 0.5])


def test_arrays_are_copied_and_cannot_be_written():
    source, target = X.copy(), Y.copy()
    dataset = dp.Dataset.from_arrays(source, target)
    source[:] = target[:] = 7.0
    np.testing.assert_array_equal(dataset.X, X)
    np.testing.assert_array_equal(dataset.y, Y)
    for array in (dataset.X, dataset.y, dataset.row_labels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        dataset.target = "z"
    assert dataset.X.flags.c_contiguous
    assert (dataset.X.dtype, dataset.y.dtype) == (np.float64, np.float64)
    assert (dataset.names, dataset.target, dataset.domain, dataset.report) == (("x1", "x2"), "y", None, IngestReport())
    np.testing.assert_array_equal(dataset.row_labels, [1, 2, 3])


def test_read_only_input_that_views_a_writable_array_is_copied_too():
    source = X.copy()
    view = source.view()
    view.setflags(write=False)
    dataset = Dataset.from_arrays(view, Y)
    source[0, 0] = 9.0
    assert dataset.X[0, 0] == 0.5
    source.setflags(write=False)
    dataset = Dataset.from_arrays(source, Y)
    source.setflags(write=True)  # its owner may
    source[0, 0] = 3.0
    assert dataset.X[0, 0] == 9.0


@pytest.mark.parametrize(
    "other", [np.asfortranarray(X), X.tolist(), pd.DataFrame(X, columns=["x1", "x2"]), X.astype("f4")]
)
def test_equality_and_hash_follow_the_numbers(other):
    one, two = Dataset.from_arrays(X, Y), Dataset.from_arrays(other, Y.tolist())
    assert (one, hash(one), one.sha256) == (two, hash(two), two.sha256)
    assert repr(one) == repr(two)
    assert one.sha256 in repr(one)


def test_anything_that_differs_changes_the_digest():
    base = {"X": X, "y": Y, "names": ["a", "b"], "target": "y", "domain": Domain(row_norm=2.0)}
    changed = [
        {"X": np.where(X == 1.0, np.nextafter(1.0, 2.0), X)},
        {"y": Y[::-1]},
        {"names": ["a", "c"]},
        {"target": "z"},
        {"domain": None},
        {"domain": Domain(row_norm=2.0, rows="normalize")},
        {"domain": Domain(row_norm=2.0, ranges={"a": (0, 1)})},
    ]
    datasets = [Dataset.from_arrays(**(base | change)) for change in [{}, *changed]]
    datasets += [
        Dataset.from_arrays([[1.0, 2.0]], [3.0]),
        Dataset.from_arrays([[1.0], [2.0]], [3.0, 3.0]),
    ]  # other shapes
    assert len({dataset.sha256 for dataset in datasets}) == len(datasets)
    assert len(set(datasets)) == len(datasets)
    assert datasets[0] != "something else"


def test_a_data_set_survives_pickling_and_copying_and_stays_read_only():
    dataset = Dataset.from_arrays(X, Y, domain=Domain(row_norm=2, ranges={"x1": (0, 1)}))
    for again in (pickle.loads(pickle.dumps(dataset)), copy.deepcopy(dataset)):
        assert (again, again.domain, hash(again.domain)) == (dataset, dataset.domain, hash(dataset.domain))
        for array in (again.X, again.y, again.row_labels):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


@pytest.mark.parametrize(("given", "message"), [
    ({"X": X[0]}, r"two dimensions .* shape \(2,\)"),
    ({"X": X[:0], "y": Y[:0]}, "0 rows and 2 columns"),
    ({"y": Y[:2]}, "X has 3 rows but y has 2 values"),
    ({"X": np.where(X == 1.0, np.nan, X)}, r"X\[1, 1\] is nan"),
    ({"y": [1.0, np.nan, 2.0]}, r"y\[1\] is nan"),
    ({"X": [["a", "b"]], "y": [1.0]}, "X must hold numbers"),
    ({"X": sparse.csr_array(X)}, "X must"),
    ({"X": np.ma.masked_less(X, 0.0)}, "masked array"),
    ({"X": np.array([["2020-01-01"]], dtype="M8[D]"), "y": [1.0]}, "X must hold numbers"),
    ({"names": ["a"]}, "1 names for 2 columns"),
    ({"names": ["a", "a"]}, "name 'a' is used more than once"),
    ({"domain": Domain(row_norm=0.9)}, r"Row 2 \(the first is 1\) has norm 1, but the domain allows 0.9"),
    ({"domain": Domain(target_bound=0.75)}, r"target of row 1 .* is 1, but the domain allows \|y\| <= 0.75"),
    ({"X": [[1e308, 1e308]], "y": [0], "domain": Domain(row_norm=1e300)}, r"Row 1 .* has norm 1.41421e\+308"),
])  # fmt: skip
def test_what_cannot_be_a_data_set_is_said(given, message):
    refuses(dp.DataError, message, Dataset.from_arrays, **{"X": X, "y": Y, **given})


def test_extreme_numbers_and_rows_on_the_edge_of_the_domain_are_accepted_without_warnings():
    assert Dataset.from_arrays(X, Y, domain=Domain()).domain == Domain()
    dataset = Dataset.from_arrays([[1e308, -1e308, 5e-324]], [-1e308], domain=Domain(1.5e308, 1e308))
    np.testing.assert_array_equal(dataset.X, [[1e308, -1e308, 5e-324]])


def test_row_labels_must_match():
    refuses(dp.DataError, "2 row labels for 3 rows", Dataset, X, Y, ("a", "b"), row_labels=np.array([0, 1]))
