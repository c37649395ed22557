"""The published data sets: as their generator gives them, or a sentence."""

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import dpcore as dp
from dpcore.data import published
from dpcore.presets import private_training


def test_synthetic_l_is_the_published_generator_with_rows_of_norm_one():
    data = published.synthetic_l(intercept=False)
    X, y = datasets.make_classification(10000, 40, n_informative=30, class_sep=2, random_state=1000)
    assert np.allclose(data.X, X / np.linalg.norm(X, axis=1, keepdims=True), atol=1e-12)
    assert np.array_equal(data.y, 2 * y - 1)
    assert data.domain == dp.Domain(rows="normalize")
    wide = published.synthetic_l()
    assert wide.names[-1] == "intercept"
    assert np.allclose(np.linalg.norm(wide.X, axis=1), 1)
    assert np.allclose(wide.X[:, :-1], np.sqrt(0.96) * data.X)


def test_adult_without_network_is_a_sentence(monkeypatch):
    def refuse(*_, **__):
        raise OSError("no route")

    monkeypatch.setattr(datasets, "fetch_openml", refuse)
    with pytest.raises(dp.DataError, match="could not be fetched from OpenML"):
        published.adult()


def test_adult_is_encoded_with_public_ranges():
    rows = [
        (39, "Private", 13, "<=50K"),
        (50, "Self-emp", 9, ">50K"),
        (28, None, 16, "<=50K"),
        (61, "Private", 1, ">50K"),
    ]
    frame = pd.DataFrame(rows, columns=["age", "workclass", "education-num", "class"])
    data = published.adult(frame)
    assert data.n_samples == 3
    assert set(data.y) == {-1.0, 1.0}
    assert np.allclose(np.linalg.norm(data.X, axis=1), 1)
    age, schooling = (2 * (39 - 17) / 73 - 1), (2 * (13 - 1) / 15 - 1)
    assert data.X[0, data.names.index("age")] / data.X[0, data.names.index("education-num")] == pytest.approx(
        age / schooling
    )


def test_presets_point_at_things_that_exist():
    for table in private_training.TABLES.values():
        assert table.data in published.PUBLISHED
        assert table.reference in dp.REFERENCES
        assert all(len(row) == len(private_training.TABLE_EPSILONS) for row in table.accuracy.values())
    for figure in private_training.FIGURE_2.values():
        assert figure["data"] in published.PUBLISHED
        assert figure["table"] in private_training.TABLES
