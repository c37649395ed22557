"""The data set: validated, read-only, equal by its digest."""

from __future__ import annotations

import copy
import hashlib
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import dpcore as dp
from dpcore.data import ColumnReport, Dataset, Domain, IngestReport, Note
from tests.refusals import refuses

X = np.array([[0.5, -0.25], [0.0, 1.0], [0.125, 0.5]])
Y = np.array([1.0, -1.0, 0.5])


def test_arrays_are_copied_and_cannot_be_written():
    source, target = X.copy(), Y.copy()
    dataset = dp.Dataset.from_arrays(source, target, names=["a", "b"])
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
    assert (dataset.n_samples, dataset.n_features) == (3, 2)
    np.testing.assert_array_equal(dataset.row_labels, [1, 2, 3])


def test_nothing_is_scaled_and_no_intercept_is_added():
    dataset = Dataset.from_arrays(100 * X, 50 * Y)
    np.testing.assert_array_equal(dataset.X, 100 * X)
    np.testing.assert_array_equal(dataset.y, 50 * Y)
    assert dataset.names == ("x1", "x2")
    assert (dataset.target, dataset.domain, dataset.report) == ("y", None, IngestReport())


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
    assert one == two
    assert hash(one) == hash(two)
    assert one.sha256 == two.sha256
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
    assert len({dataset.sha256 for dataset in datasets}) == len(datasets)
    assert len(set(datasets)) == len(datasets)
    assert datasets[0] != "something else"
    assert len(datasets[0].sha256) == len(hashlib.sha256().hexdigest())


def test_the_same_numbers_in_another_shape_differ():
    assert Dataset.from_arrays([[1.0, 2.0]], [3.0]) != Dataset.from_arrays([[1.0], [2.0]], [3.0, 3.0])


def test_a_data_set_survives_pickling_and_copying_and_stays_read_only():
    dataset = Dataset.from_arrays(X, Y, domain=Domain(row_norm=2, ranges={"x1": (0, 1)}))
    for again in (pickle.loads(pickle.dumps(dataset)), copy.deepcopy(dataset)):
        assert again == dataset
        assert again.domain == dataset.domain
        assert hash(again.domain) == hash(dataset.domain)
        for array in (again.X, again.y, again.row_labels):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


@pytest.mark.parametrize(("arguments", "message"), [
    ((X[0], Y), r"two dimensions .* shape \(2,\)"),
    ((X[:, :0], Y), "3 rows and 0 columns"),
    ((X[:0], Y[:0]), "0 rows and 2 columns"),
    ((X, Y[:2]), "X has 3 rows but y has 2 values"),
    ((X, Y[:, None]), r"y must have one dimension, but has the shape \(3, 1\)"),
    ((np.where(X == 1.0, np.nan, X), Y), r"X\[1, 1\] is nan"),
    ((np.where(X == 1.0, -np.inf, X), Y), r"X\[1, 1\] is -inf"),
    ((X, [1.0, np.nan, 2.0]), r"y\[1\] is nan"),
    (([["a", "b"]], [1.0]), "X must hold numbers"),
    ((X, [1.0, None, 2.0]), r"y\[1\] is nan"),
    ((X * 1j, Y), "X must hold numbers"),
    (([[10**400]], [1.0]), "X must hold numbers"),
    ((sparse.csr_array(X), Y), "X must"),
    ((np.ma.masked_less(X, 0.0), Y), "masked array"),
    ((np.array([["2020-01-01"]], dtype="M8[D]"), [1.0]), "X must hold numbers"),
])  # fmt: skip
def test_arrays_that_cannot_be_used(arguments, message):
    with pytest.raises(dp.DataError, match=message) as caught:
        Dataset.from_arrays(*arguments)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("names", "message"),
    [(["a"], "1 names for 2 columns"), (["a", "a"], "name 'a' is used more than once"), (["a", 3], "must be text")],
)
def test_names_that_cannot_be_used(names, message):
    refuses(dp.DataError, message, Dataset.from_arrays, X, Y, names=names)


def test_a_domain_must_contain_every_row():
    assert Dataset.from_arrays(X, Y, domain=Domain()).domain == Domain()
    with pytest.raises(dp.DataError, match=r"Row 2 \(the first is 1\) has norm 1, but the domain allows 0.9"):
        Dataset.from_arrays(X, Y, domain=Domain(row_norm=0.9))
    with pytest.raises(dp.DataError, match=r"target of row 1 .* is 1, but the domain allows \|y\| <= 0.75"):
        Dataset.from_arrays(X, Y, domain=Domain(target_bound=0.75))
    with pytest.raises(dp.DataError, match=r"Row 1 .* has norm 1.41421e\+308"):
        Dataset.from_arrays([[1e308, 1e308], [0, 0]], [0, 0], domain=Domain(row_norm=1e300))


def test_extreme_numbers_are_accepted_without_warnings():
    dataset = Dataset.from_arrays([[1e308, -1e308, 5e-324]], [-1e308], domain=Domain(1.5e308, 1e308))
    np.testing.assert_array_equal(dataset.X, [[1e308, -1e308, 5e-324]])


def test_row_labels_must_match():
    refuses(dp.DataError, "2 row labels for 3 rows", Dataset, X, Y, ("a", "b"), row_labels=np.array([0, 1]))


def test_the_report_counts_and_knows_leaks():
    report = IngestReport(
        notes=(Note("info", "Fine."),), columns=(ColumnReport("a", "numeric", True, "feature"),), rows_read=4
    )
    assert report.counts["rows_read"] == sum(report.counts.values()) == 4
    assert not report.leaks
    assert IngestReport(notes=(Note("leak", "The range was taken from the data."),)).leaks
    refuses(dp.ParameterError, "level must be one of", Note, "loud", "No such level.")
