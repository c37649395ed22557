"""The published data sets: as their generator gives them, or a sentence."""

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import dpcore as dp
from dpcore.data.samples import published
from dpcore.studies import published as printed
from tests.data.samples.adult_layout import COLUMNS, LEVELS, adult_rows, as_published, with_header


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


ROWS = adult_rows(600, np.random.default_rng(0))
KAGGLE = tuple(name.replace("-", ".") for name in COLUMNS)
OPENML = (*COLUMNS[:-1], "class")
SPACED = tuple(name.replace("-", " ").title() for name in COLUMNS)


@pytest.mark.parametrize(
    "file",
    [
        as_published(ROWS),
        as_published(ROWS, test=True),
        as_published(ROWS[:300]) + as_published(ROWS[300:], test=True),
        with_header(ROWS),
        with_header(ROWS, KAGGLE),
        with_header(ROWS, OPENML, ";"),
        with_header(ROWS, SPACED, "\t"),
        pd.DataFrame(ROWS, columns=OPENML),
    ],
    ids=["data", "test", "both", "header", "points", "class", "spaces", "frame"],
)
def test_adult_reads_every_usual_spelling_as_the_same_data(file):
    data = published.adult(file)
    assert data == published.adult(with_header(ROWS))
    complete = [row for row in ROWS if "?" not in row]
    assert np.array_equal(data.y, [1.0 if row[-1] == ">50K" else -1.0 for row in complete])
    assert data.n_features == 6 + 8 + 16 + 7 + 14 + 6 + 5 + 1 + 41 + 1
    assert data.domain == dp.Domain(rows="normalize")


def test_adult_is_encoded_by_public_ranges_in_rows_of_norm_one():
    data = published.adult(as_published(ROWS))
    row = next(row for row in ROWS if "?" not in row)
    numbers = [
        2 * (float(row[COLUMNS.index(name)]) - low) / (high - low) - 1
        for name, (low, high) in published.ADULT_RANGES.items()
    ]
    ones = [f"{name}={row[COLUMNS.index(name)]}" for name in LEVELS if name != "sex"]
    raw = (
        dict(zip(published.ADULT_RANGES, numbers, strict=True))
        | dict.fromkeys(ones, 1.0)
        | {"sex": float(row[9] == "Male")}
    )
    expected = np.array([raw.get(name, 0.0) for name in data.names[:-1]])
    expected *= np.sqrt(0.96) / np.linalg.norm(expected)
    assert np.allclose(data.X[0], [*expected, 0.2], rtol=1e-12, atol=0)


def test_what_is_not_adult_is_named():
    with pytest.raises(dp.DataError, match="it has no column 'fnlwgt', 'income'"):
        published.adult(with_header([row[:2] + row[3:-1] for row in ROWS], COLUMNS[:2] + COLUMNS[3:-1]))
    with pytest.raises(dp.DataError, match="holds no bytes"):
        published.adult(b"")
    with pytest.raises(dp.DataError):
        published.adult(b"|1x3 Cross validator\n")


def test_presets_point_at_things_that_exist():
    for table in printed.TABLES.values():
        assert table.data in published.PUBLISHED
        assert table.reference in dp.REFERENCES
        assert all(len(row) == len(printed.TABLE_EPSILONS) for row in table.accuracy.values())
    for figure in printed.FIGURE_2.values():
        assert figure["data"] in published.PUBLISHED
        assert figure["table"] in printed.TABLES
