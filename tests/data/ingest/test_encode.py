"""From table to data set: every number by hand."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

from dpcore.data import Domain, load_csv, make_dataset, read_table

TABLE = """size,city,balcony,score,rent
10,Bonn,yes,1.5,100
20,Ulm,no,NA,300
30,Bonn,yes,2.5,200
50,Köln,no,3.5,NA
70,,yes,4.5,400
""".encode()


def test_without_a_domain_numbers_stay_as_they_are():
    dataset = load_csv(TABLE, target="rent")
    assert dataset.names == ("size", "city=Bonn", "city=Köln", "city=Ulm", "balcony", "score")
    np.testing.assert_array_equal(dataset.X, [[10, 1, 0, 0, 1, 1.5], [30, 1, 0, 0, 1, 2.5]])
    np.testing.assert_array_equal([dataset.y, dataset.row_labels], [[100, 200], [1, 3]])
    assert (dataset.report.rows_read, dataset.report.rows_dropped) == (5, 3)
    assert any("3 of 5 rows were left out" in note.text and "row 2" in note.text for note in dataset.report.notes)
    assert any("No public domain" in note.text for note in dataset.report.notes)
    assert not dataset.report.leaks


def test_one_call_has_the_options_of_two_with_the_same_defaults():
    one, two = (inspect.signature(call).parameters.values() for call in (load_csv, make_dataset))
    assert {each.name: each.default for each in list(one)[1:]} == {each.name: each.default for each in list(two)[1:]}
    given = {"missing": "mean", "intercept": True, "max_categories": 3, "label": "size", "positive": "yes"}
    once, twice = load_csv(TABLE, "balcony", **given), make_dataset(read_table(TABLE), "balcony", **given)
    assert (once, once.provenance) == (twice, twice.provenance)


@pytest.mark.parametrize(("rule", "score"), [("mean", (1.5 + 2.5 + 4.5) / 3), ("median", 2.5), ("zero", 0.0)])
def test_missing_cells_can_be_filled(rule, score):
    dataset = load_csv(TABLE, target="rent", missing=rule)
    bonn, ulm = {"mean": (2 / 3, 1 / 3), "median": (1.0, 0.0), "zero": (0.0, 0.0)}[rule]
    assert (dataset.n_samples, dataset.X[1]) == (4, pytest.approx([20, 0, 0, 1, 0, score], rel=1e-15))
    assert dataset.X[3] == pytest.approx([70, bonn, 0, ulm, 1, 4.5], rel=1e-15)
    assert (dataset.report.cells_imputed, dataset.report.rows_dropped) == (4, 1)
    assert dataset.report.leaks == (rule != "zero")


def test_fills_do_not_overflow():
    data = b"x,z,y\n1e308,1,1\n1.2e308,2,2\n1.4e308,3,2\n1e308,4,3\n,5,3\n"
    for rule, value in (("mean", 1.15e308), ("median", 1.1e308)):
        assert load_csv(data, target="y", missing=rule).X[4, 0] == pytest.approx(value, rel=1e-15)


def test_filling_with_zero_means_the_middle_of_a_public_range():
    domain = Domain(9, 9, ranges={"x": (50, 150)})
    dataset = load_csv(b"x,z,y\n50,1,1\n,2,2\n150,3,2\n", "y", domain=domain, missing="zero")
    np.testing.assert_array_equal(dataset.X[:, 0], [-1, 0, 1])


def test_public_ranges_map_affinely_and_count_what_they_clip():
    domain = Domain(row_norm=10, target_bound=2, ranges={"size": (0, 40), "rent": (100, 300), "score": (1.5, 3.5)})
    dataset = load_csv(TABLE, target="rent", features=["score", "size"], domain=domain, missing="median")
    np.testing.assert_array_equal(dataset.X, [[-1, -0.5], [0, 0], [0, 0.5], [1, 1]])
    np.testing.assert_array_equal(dataset.y, [-2, 2, 0, 2])
    assert dataset.names == ("score", "size")
    assert (dataset.report.rows_scaled, dataset.report.targets_clipped, dataset.report.values_clipped) == (0, 1, 2)


def test_only_clipping_depends_on_no_other_row():
    domain = Domain(row_norm=1.0, target_bound=1.0)
    dataset = load_csv(b"a,b,y\n3,4,0.5\n0.3,0.4,-7\n0,0,1\n", target="y", domain=domain)
    np.testing.assert_allclose(dataset.X, [[0.6, 0.8], [0.3, 0.4], [0, 0]], rtol=2e-15)
    np.testing.assert_array_equal(dataset.y, [0.5, -1, 1])
    assert (dataset.report.rows_scaled, dataset.report.targets_clipped, dataset.report.values_clipped) == (1, 1, 0)
    assert not dataset.report.leaks
    assert dataset.domain == domain
    assert any(note.level == "warning" and "public range of the target" in note.text for note in dataset.report.notes)


@pytest.mark.parametrize("rows", ["clip", "normalize"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("missing", ["drop", "zero"])
def test_a_row_is_scaled_the_same_way_whatever_the_other_rows_are(rows, intercept, missing):
    domain = Domain(1.0, 1.0, rows, ranges={"a": (0, 10)})
    lines = ["3,4,0.5", "9,NA,0.25", "0.3,0.4,-7", "25,1e308,1", "2,0.25,0.75"]
    full = load_csv("\n".join(["a,b,y", *lines]).encode(), "y", domain=domain, intercept=intercept, missing=missing)
    rest = load_csv("\n".join(["a,b,y", *lines[1:]]).encode(), "y", domain=domain, intercept=intercept, missing=missing)
    np.testing.assert_array_equal(full.X[1:], rest.X)
    np.testing.assert_array_equal(full.y[1:], rest.y)
    assert not full.report.leaks


def test_ranges_from_the_data_are_marked_as_a_leak():
    domain = Domain(5, 1, ranges={"b": (0, 10)}, from_data=True)
    constant = load_csv(b"a,b,y\n2,1,5\n4,NA,10\n2,7,25\n", target="y", domain=Domain(5, from_data=True))
    np.testing.assert_array_equal(constant.X, [[0, -1], [0, 1]])
    dataset = load_csv(b"a,b,c,y\n2,1,0,5\n4,5,1,10\n8,10,1,25\n", target="y", domain=domain)
    np.testing.assert_allclose(dataset.X, [[-1, -0.8, 0], [-1 / 3, 0, 1], [1, 1, 1]], rtol=1e-15)
    np.testing.assert_allclose(dataset.y, [-1, -0.5, 1], rtol=1e-15)
    leaks = [note.text for note in dataset.report.notes if note.level == "leak"]
    assert len(leaks) == 2
    assert "'a'" in leaks[0]
    assert "'b'" not in leaks[0]
    assert "target 'y'" in leaks[1]


@pytest.mark.parametrize(("cells", "expected"), [
    (["yes", "no", "yes", "no"], [3, -3, 3, -3]),
    (["0", "1", "1", "0"], [-3, 3, 3, -3]),
    (["2", "1", "1", "2"], [3, -3, -3, 3]),
    (["benign", "malignant", "benign", "benign"], [-3, 3, -3, -3]),
])  # fmt: skip
def test_two_level_targets_become_plus_and_minus_b(cells, expected):
    data = "x,y\n" + "".join(f"{i * i + 0.5},{cell}\n" for i, cell in enumerate(cells))
    dataset = load_csv(data.encode(), target="y", domain=Domain(target_bound=3))
    np.testing.assert_array_equal(dataset.y, expected)
    assert any("became -3 and 3" in note.text for note in dataset.report.notes)
    np.testing.assert_array_equal(load_csv(data.encode(), target="y").y, np.array(expected) / 3)


def test_two_real_values_are_not_labels_and_a_public_range_decides():
    assert list(load_csv(b"x,y\n1,0.25\n2,0.5\n5,0.5\n", "y", domain=Domain()).y) == [0.25, 0.5, 0.5]
    assert list(load_csv(b"x,y\n1,10\n2,20\n5,20\n", "y").y) == [10, 20, 20]
    assert list(load_csv(b"x,y\n1,0\n2,1\n5,1\n", "y", domain=Domain(ranges={"y": (0, 2)})).y) == [-1, 0, 0]
    assert list(load_csv(b"x,y\n1,10\n2,20\n5,20\n", "y", domain=Domain(ranges={"y": (0, 40)})).y) == [-0.5, 0, 0]


@pytest.mark.parametrize("rows", ["clip", "normalize"])
def test_the_intercept_is_constant_and_counts_in_the_row_norm(rows):
    dataset = load_csv(b"a,b,y\n3,4,0.5\n0.3,0.4,-0.5\n30,-40,1\n", "y", domain=Domain(2.0, rows=rows), intercept=True)
    assert dataset.names == ("a", "b", "intercept")
    assert (dataset.X[:, 2], len(set(dataset.X[:, 2]))) == (pytest.approx([math.sqrt(2)] * 3, rel=2e-15), 1)
    inner = [math.sqrt(2), 0.5 if rows == "clip" else math.sqrt(2), math.sqrt(2)]
    assert np.hypot(dataset.X[:, 0], dataset.X[:, 1]) == pytest.approx(inner, rel=2e-15)
    assert np.linalg.norm(dataset.X, axis=1).max() <= 2.0
    assert list(load_csv(b"a,y\n3,4\n5,6\n7,9\n", "y", intercept=True).X[:, 1]) == [1, 1, 1]


def test_columns_that_are_left_out_and_why():
    header = "id,when,empty,const,size,copy,size,note,rent"
    note = "long remark " * 5
    rows = [f"{i + 7},2020-01-{i + 1:02d},,EUR,{i * i}.5,{i * i}.50,{i * i}.5,{note}{i},{i % 7}" for i in range(20)]
    dataset = load_csv("\n".join([header, *rows]).encode(), target="rent")
    assert dataset.names == ("size",)
    found = {column.name: (column.used, column.reason) for column in dataset.report.columns}
    assert (found["rent"], found["size"][0]) == ((True, "target"), True)
    for name, reason in {
        "id": "id: the name says",
        "when": "date: holds dates",
        "empty": "empty: every cell",
        "const": "constant: always 'EUR'",
        "copy": "duplicate: same content as 'size'",
        "size (2)": "duplicate: same content as 'size'",
        "note": "text: free text",
    }.items():
        assert (found[name][0], found[name][1][: len(reason)]) == (False, reason)
    assert any(one.level == "warning" and "'id' looks like an identifier" in one.text for one in dataset.report.notes)


CITIES = ("city=Bonn", "city=Köln", "city=Ulm")


@pytest.mark.parametrize(("data", "target", "options", "names"), [
    (b"id,x,y\n11,1.5,2\n12,2.5,4\n13,1,9\n", "y", {"features": ["x", "id"]}, ("x", "id")),
    (TABLE, "rent", {"features": ["score", "city", "size", "score"], "missing": "zero"}, ("score", *CITIES, "size")),
    (TABLE, " rent ", {"features": "size"}, ("size",)),
    (b"intercept,b,y\n3,4,5\n5,6,7\n7,9,11\n", "y", {"intercept": True}, ("intercept", "b", "intercept (2)")),
    (b"c,c=a,y\na,1,1\nb,2,3\nd,5,4\na,3,4\n", "y", {}, ("c=a", "c=b", "c=d", "c=a (2)")),
])  # fmt: skip
def test_features_stand_as_asked_for_an_identifier_too_and_no_two_have_one_name(data, target, options, names):
    assert load_csv(data, target, **options).names == names


def test_a_copy_of_the_target_is_no_feature():
    data = b"a,b,x,y\n1,1.0,5,1\n2,2.0,3,2\n4,4.0,2,4\n"
    for target in "aby":
        dataset = load_csv(data, target)
        assert dataset.names == ("x",)
        assert sum("same content as the target" in note.text for note in dataset.report.notes) == 2


def test_blocks_of_rows_are_joined_without_a_seam():
    rng = np.random.default_rng(5)
    values = np.round(rng.normal(size=(30_000, 12)), 6)
    values[rng.random(30_000) < 0.1, 3] = np.nan
    text = "\n".join(",".join("" if math.isnan(x) else repr(x) for x in row) for row in values.tolist())
    header = ",".join(f"c{j}" for j in range(12))
    dataset = load_csv(f"{header}\n{text}".encode(), "c11", domain=Domain(0.5, 10))
    kept = ~np.isnan(values[:, 3])
    inner = values[kept, :11]
    norms = np.sqrt((inner**2).sum(axis=1))
    np.testing.assert_allclose(dataset.X, inner * np.minimum(1, 0.5 / norms)[:, None], rtol=1e-14, atol=0)
    np.testing.assert_array_equal(dataset.row_labels, 1 + np.flatnonzero(kept))
    assert dataset.report.rows_scaled == np.count_nonzero(norms > 0.5)


def test_the_table_is_not_changed():
    table = read_table(TABLE)
    before = table.frame.copy()
    make_dataset(table, "rent", domain=Domain(from_data=True), missing="median", intercept=True)
    assert table.frame.equals(before)
