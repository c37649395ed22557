"""The shipped sample tables equal regenerated ones and load as their registry says."""

from __future__ import annotations

import csv
import hashlib
import io

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from dpcore.data import SAMPLES, load_sample, read_sample, samples
from dpcore.data.samples.__main__ import main
from dpcore.data.samples.sources import MAKERS
from dpcore.errors import ParameterError


@pytest.mark.parametrize("key", SAMPLES)
def test_the_shipped_file_is_the_one_registered_and_equals_a_regenerated_one(key):
    sample = SAMPLES[key]
    shipped = sample.path.read_bytes()
    assert hashlib.sha256(shipped).hexdigest() == sample.sha256
    made = MAKERS[key]()
    separator = ";" if key == "messy" else ","
    rows, again = (list(csv.reader(io.StringIO(text.decode()), delimiter=separator)) for text in (shipped, made))
    assert (len(rows), rows[0]) == (len(again), again[0])
    for row, other in zip(rows[1:], again[1:], strict=True):
        for cell, twin in zip(row, other, strict=True):
            assert cell == twin or float(cell) == pytest.approx(float(twin), rel=1e-12, abs=1e-10)


@pytest.mark.parametrize("key", ["diabetes", "breast_cancer"])
def test_a_sample_of_scikit_learn_holds_its_raw_measurements(key):
    bunch = load_diabetes(scaled=False) if key == "diabetes" else load_breast_cancer()
    target = bunch.target if key == "diabetes" else np.array(["malignant", "benign"])[bunch.target]
    frame = read_sample(key).frame
    np.testing.assert_array_equal(frame[list(bunch.feature_names)].to_numpy(dtype=float), bunch.data)
    assert frame[SAMPLES[key].target].tolist() == target.tolist()


SHAPES = {"diabetes": (442, 10), "breast_cancer": (569, 30), "synthetic_linear_gaussian": (1000, 10)}


@pytest.mark.parametrize("key", SHAPES)
def test_a_sample_loads_into_its_public_domain(key):
    dataset = load_sample(key)
    assert dataset.X.shape == SHAPES[key]
    assert not dataset.report.leaks
    assert dataset.report.values_clipped == dataset.report.targets_clipped == 0
    assert np.linalg.norm(dataset.X, axis=1) == pytest.approx(1.0, rel=1e-12)
    assert (dataset.report.rows_scaled == 0) == key.startswith("synthetic")


def test_the_messy_sample_teaches_every_kind_of_trouble():
    table = read_sample("messy")
    assert (table.separator, table.decimal, table.n_rows) == (";", ",", 96)
    kinds = {"id", "date", "numeric", "boolean", "categorical", "duplicate", "constant", "empty", "text"}
    assert {column.kind for column in table.columns} == kinds
    assert {"=distance_km*1", "<b>year built</b>", "area_m2 (2)", "column 11"} <= set(table.names)
    dataset = load_sample("messy")
    assert dataset.n_samples + dataset.report.rows_dropped == 96
    assert dataset.n_samples >= 60


def test_an_installed_package_without_the_files_makes_them_again(monkeypatch, tmp_path):
    monkeypatch.setattr(samples, "FOLDER", tmp_path)
    assert read_sample("messy").sha256 == SAMPLES["messy"].sha256


def test_writing_and_checking_the_files(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(samples, "FOLDER", tmp_path / "new")
    assert main(["--write"]) == 0
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(s.file for s in SAMPLES.values())
    assert main([]) == 0
    assert "differs" not in capsys.readouterr().out


def test_an_unknown_sample_is_refused():
    with pytest.raises(ParameterError, match="key must be one of 'diabetes'"):
        read_sample("iris")
