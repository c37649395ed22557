"""Targets of every kind: two levels, one level against the rest, class codes, counts, amounts."""

import re

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from tests.refusals import refuses

PLANTS = ("oak", "elm", "fir")
ROWS = 60
RAW = {
    "plant": [PLANTS[i % 3] if i != 7 else "" for i in range(ROWS)],
    "class": [1 + i % 4 for i in range(ROWS)],
    "quality": [3 + i % 7 for i in range(ROWS)],
    "visits": [i * i % 23 for i in range(ROWS)],
    "left": ["yn"[i % 4 > 1] for i in range(ROWS)],
    "grade": [2 + 2 * (i % 3 > 0) for i in range(ROWS)],
    "height": [150.5 + i * 7 % 40 for i in range(ROWS)],
    "weight": [40.5 + i * 11 % 37 for i in range(ROWS)],
}
CSV = pd.DataFrame(RAW).to_csv(index=False).encode()
PUBLIC = dp.Domain(target_bound=2.0, ranges={"height": (140.0, 200.0), "weight": (30.0, 90.0)})
OPTIONS = {"features": ["height", "weight"], "domain": PUBLIC}
KEPT = [i for i in range(ROWS) if RAW["plant"][i]]


def load(target: str, **options) -> dp.Dataset:
    return dp.load_csv(CSV, target, **(OPTIONS | options))


def notes(dataset: dp.Dataset) -> str:
    return " ".join(note.text for note in dataset.report.notes)


@pytest.mark.parametrize("level", PLANTS)
def test_one_level_of_a_text_is_told_from_all_others_and_that_is_said(level):
    ds = load("plant", positive=level)
    np.testing.assert_array_equal(ds.y, [2.0 if RAW["plant"][i] == level else -2.0 for i in KEPT])
    others = sorted(set(PLANTS) - {level})
    assert f"'{level}' became 2, '{others[0]}' and '{others[1]}' became -2; the 3 levels count as public" in notes(ds)
    assert ds.report.rows_dropped == 1
    assert dp.target_kind(ds).positive == dp.target_kind(ds, ds.target).positive == level
    assert dp.target_kind(ds, "visits") == dp.target_kind(ds.origin.table, "visits")


@pytest.mark.parametrize(("column", "positive"), [("class", "3"), ("grade", 2)])
def test_codes_are_told_apart_by_their_value(column, positive):
    ds = load(column, positive=positive)
    np.testing.assert_array_equal(ds.y, [2.0 if value == int(positive) else -2.0 for value in RAW[column]])
    assert "3 became 2, 1, 2 and 4 became -2" in notes(ds) or column != "class"


@pytest.mark.parametrize(("target", "options", "sentence"), [
    ("plant", {}, "holds 3 levels ('elm', 'fir' and 'oak'), and only two can be told apart"),
    ("class", {}, "holds class codes (1, 2, 3 and 4), not amounts: name the one"),
    ("class", {"domain": dp.Domain(from_data=True)}, "holds class codes (1, 2, 3 and 4), not amounts: name the one"),
    ("plant", {"positive": "ash"}, "has no level 'ash' that could be the positive one; its levels are 'elm', 'fir'"),
    ("quality", {"positive": 12}, "has no level '12' that could be the positive one; its levels are 3, 4"),
    ("visits", {"positive": 3, "counts": True}, "give counts or positive"),
    ("height", {"counts": True}, "not whole, so it is no count"),
    ("left", {"counts": True}, "holds texts, so it cannot be kept as counts"),
])  # fmt: skip
def test_what_no_target_can_be_gets_a_sentence(target, options, sentence):
    refuses(dp.DataError, re.escape(sentence), load, target, features=["weight"], **options)


def test_a_negative_number_is_no_count_and_more_numbers_than_levels_are_amounts():
    refuses(dp.DataError, "holds -2, so it is no count", dp.load_csv, b"a,b\n1,1\n2,-2\n4,5\n", "b", counts=True)
    text = b"a,b\n" + b"".join(f"{i % 5},{i * i}\n".encode() for i in range(80))
    refuses(dp.DataError, "more than 50 different numbers", dp.load_csv, text, "b", features=["a"], positive=4)


def test_class_codes_are_amounts_where_their_range_is_stated():
    ds = load("class", domain=dp.Domain(ranges={**PUBLIC.ranges, "class": (1.0, 4.0)}))
    np.testing.assert_allclose(ds.y, [2 * (value - 1) / 3 - 1 for value in RAW["class"]], atol=1e-15)


@pytest.mark.parametrize(("level", "sign"), [(None, 1.0), ("y", 1.0), ("Y", 1.0), ("n", -1.0)])
def test_of_two_levels_either_can_be_the_positive_one(level, sign):
    ds = load("left", positive=level)
    np.testing.assert_array_equal(ds.y, [sign * (2.0 if cell == "y" else -2.0) for cell in RAW["left"]])


@pytest.mark.parametrize("domain", [
    dp.Domain(target_bound=9.0, ranges=PUBLIC.ranges),
    dp.Domain(target_bound=1.0, ranges={**PUBLIC.ranges, "visits": (0.0, 9.0)}),
])  # fmt: skip
def test_counts_keep_their_units_up_to_a_public_bound(domain):
    ds = load("visits", counts=True, domain=domain)
    np.testing.assert_array_equal(ds.y, [min(value, 9) for value in RAW["visits"]])
    assert ds.domain.target_bound == 9.0
    assert ds.report.targets_clipped == sum(value > 9 for value in RAW["visits"]) > 0
    assert "kept as counts; those above 9 count as 9" in notes(ds)
    assert dp.target_kind(ds).kind == "count"
    again = load("visits", counts=True, domain=ds.domain)
    assert again == ds


def test_counts_read_off_the_file_leak_their_bound():
    ds = load("visits", counts=True, domain=dp.Domain(from_data=True))
    np.testing.assert_array_equal(ds.y, RAW["visits"])
    assert ds.domain.target_bound == max(RAW["visits"])
    assert "visits" in ds.report.ranges_from_file
    assert any(note.level == "leak" and "'visits'" in note.text for note in ds.report.notes)


def test_a_record_is_encoded_as_its_row_was():
    for target, options in (("plant", {"positive": "fir"}), ("class", {"positive": 2}), ("visits", {"counts": True})):
        ds = load(target, **options)
        X, y = ds.encode(ds.original([3, 20, 41]))
        np.testing.assert_array_equal(y, ds.y[[3, 20, 41]])
        np.testing.assert_array_equal(X, ds.X[[3, 20, 41]])


def test_a_level_that_comes_late_in_a_large_file_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("dpcore.data.stream.chunks.HEAD_BYTES", 400)
    path = tmp_path / "late.csv"
    path.write_bytes(CSV.replace(b"\n", b"\n") + b"ash,2,4,1,y,4,160.5,50.5\n" * 2)
    mechanism = dp.PosteriorSampling(gamma=1.0, lam=1.0)
    streamed = dp.stream_privacy(path, "plant", mechanism, 1e-6, positive="ash", **OPTIONS)
    ds = dp.load_csv(path, "plant", positive="ash", **OPTIONS)
    assert [note.text for note in streamed.summary.report.notes] == [note.text for note in ds.report.notes]
    exact = dp.individual_privacy(ds, mechanism, 1e-6)
    assert streamed.summary.largest == pytest.approx(float(exact.epsilon.max()), rel=1e-9)


@pytest.mark.parametrize(("column", "kind", "readings", "reason"), [
    ("plant", "classes", ("classes",), "3 levels ('elm', 'fir' and 'oak'); one of them"),
    ("class", "classes", ("classes", "numeric", "count"), "4 different whole numbers, 1 to 4, and the name says"),
    ("quality", "numeric", ("numeric", "count", "classes"), "the name says they are a score, which has an order"),
    ("visits", "count", ("count", "numeric", "classes"), "the name says they are counts"),
    ("left", "binary", ("binary",), "two levels, 'n' and 'y'"),
    ("grade", "binary", ("binary", "count", "numeric"), "two values, 2 and 4"),
    ("height", "numeric", ("numeric",), "numbers"),
])  # fmt: skip
def test_what_a_column_is_best_read_as_and_why(column, kind, readings, reason):
    reading = dp.target_kind(dp.read_table(CSV), column)
    assert (reading.kind, reading.readings) == (kind, readings)
    assert reason in reading.reason


def test_codes_from_0_called_target_are_classes_and_whole_numbers_from_0_may_be_counts():
    table = dp.read_table(
        b"target,sick,other\n" + b"".join(f"{i % 3},{i % 13},{5 + i % 9}\n".encode() for i in range(40))
    )
    assert dp.target_kind(table, "target").kind == "classes"
    assert dp.target_kind(table, "sick").readings == ("numeric", "count", "classes")
    assert "whole numbers from 0 to 12, which may be counts" in dp.target_kind(table, "sick").reason
    assert dp.target_kind(table, "other").kind == "numeric"
