"""The sample tables hold what their origins say and load as their registry says."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from dpcore.data import SAMPLES, linear_gaussian, load_sample, read_sample


@pytest.mark.parametrize("key", SAMPLES)
def test_the_shipped_file_is_the_one_registered(key):
    assert hashlib.sha256(SAMPLES[key].path.read_bytes()).hexdigest() == SAMPLES[key].sha256


@pytest.mark.parametrize("key", ["diabetes", "breast_cancer"])
def test_a_sample_of_scikit_learn_holds_its_raw_measurements(key):
    bunch = load_diabetes(scaled=False) if key == "diabetes" else load_breast_cancer()
    target = bunch.target if key == "diabetes" else np.array(["malignant", "benign"])[bunch.target]
    frame = read_sample(key).frame
    assert frame.columns.tolist() == [*bunch.feature_names, SAMPLES[key].target]
    np.testing.assert_array_equal(frame[list(bunch.feature_names)].to_numpy(dtype=float), bunch.data)
    assert frame[SAMPLES[key].target].tolist() == target.tolist()


def test_the_synthetic_sample_is_the_model_with_its_seed_to_ten_decimals():
    made = linear_gaussian(1000, 10, 0.25, np.random.default_rng(20190618)).dataset
    frame = read_sample("synthetic_linear_gaussian").frame
    assert frame.columns.tolist() == [*made.names, "y"]
    np.testing.assert_allclose(frame, np.column_stack([made.X, made.y]), rtol=1e-12, atol=1e-10)


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
