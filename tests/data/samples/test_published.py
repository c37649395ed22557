"""The published data sets: as their generator gives them, or a sentence."""

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import dpcore as dp
from dpcore.data.samples import published
from tests.data.samples.adult_layout import COLUMNS, LEVELS, adult_rows, as_published, with_header
from tests.refusals import refuses


def test_synthetic_l_is_the_published_generator_with_rows_of_norm_one():
    data = published.synthetic_l(form="rows")
    X, y = datasets.make_classification(10000, 40, n_informative=30, class_sep=2, random_state=1000)
    assert np.allclose(data.X, X / np.linalg.norm(X, axis=1, keepdims=True), atol=1e-12)
    assert np.array_equal(data.y, 2 * y - 1)
    assert data.domain == dp.Domain(rows="normalize")
    wide = published.synthetic_l()
    assert wide.names[-1] == "intercept"
    assert np.allclose(np.linalg.norm(wide.X, axis=1), 1)
    assert np.allclose(wide.X[:, :-1], np.sqrt(0.96) * data.X)


def test_the_published_form_has_a_column_of_one_beside_rows_of_norm_one():
    data = published.synthetic_h("published")
    X, y = datasets.make_classification(2000, 2000, n_informative=10, n_redundant=0, class_sep=2, random_state=1)
    assert np.allclose(data.X[:, :-1], X / np.linalg.norm(X, axis=1, keepdims=True), atol=1e-12)
    assert (data.X[:, -1] == 1).all()
    assert np.array_equal(data.y, 2 * y - 1)
    assert data.domain.row_norm == pytest.approx(np.sqrt(2))
    low = published.synthetic_l(500, form="published")
    assert np.array_equal(low.X[:, :-1], published.synthetic_l(500, form="rows").X)
    assert (low.X[:, -1] == 1).all()
    refuses(dp.ParameterError, "form must be one of", published.synthetic_l, 500, form="bare")


def gisette_files(rows=6):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 1000, (rows, 5000))
    y = np.where(np.arange(rows) % 2, 1, -1)
    uci = b"\n".join(b" ".join(b"%d" % value for value in row) + b" " for row in X) + b"\n"
    labels = b"\n".join(b"%d" % value for value in y) + b"\n"
    libsvm = b"\n".join(
        b"%+d " % label + b" ".join(b"%d:%d" % (j + 1, value) for j, value in enumerate(row) if value)
        for label, row in zip(y, X, strict=True)
    )
    return X, y, uci, labels, libsvm


def test_gisette_is_read_as_published_in_two_ways():
    X, y, uci, labels, libsvm = gisette_files()
    for files in ((uci, labels), (labels, uci), (libsvm,)):
        data = published.gisette(*files)
        assert np.allclose(data.X[:, :-1], X / np.linalg.norm(X, axis=1, keepdims=True), atol=1e-12)
        assert np.array_equal(data.y, y)
        assert data.n_features == 5001


def test_what_is_not_gisette_is_named():
    _, _, uci, labels, _ = gisette_files()
    for files in ((uci,), (labels, labels), (uci, b"1\n-1\n"), (uci, uci), (uci, b" \n"), (b"1 1:2\n",)):
        refuses(dp.DataError, r"This is not the Gisette data set.*gisette_train\.labels", published.gisette, *files)


def test_adult_without_network_is_a_sentence(monkeypatch):
    def refuse(*_, **__):
        raise OSError("no route")

    monkeypatch.setattr(datasets, "fetch_openml", refuse)
    refuses(dp.DataError, "could not be fetched from OpenML", published.adult)


ROWS = adult_rows(600, np.random.default_rng(0))
KAGGLE = tuple(name.replace("-", ".") for name in COLUMNS)
OPENML = (*COLUMNS[:-1], "class")
SPACED = tuple(name.replace("-", " ").title() for name in COLUMNS)


@pytest.mark.parametrize("file", [
    as_published(ROWS),
    as_published(ROWS, test=True),
    as_published(ROWS[:300]) + as_published(ROWS[300:], test=True),
    with_header(ROWS),
    with_header(ROWS, KAGGLE),
    with_header(ROWS, OPENML, ";"),
    with_header(ROWS, SPACED, "\t"),
    pd.DataFrame(ROWS, columns=OPENML),
], ids=["data", "test", "both", "header", "points", "class", "spaces", "frame"])  # fmt: skip
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
    cells, ranges = dict(zip(COLUMNS, row, strict=True)), published.ADULT_RANGES.items()
    raw = {name: 2 * (float(cells[name]) - low) / (high - low) - 1 for name, (low, high) in ranges}
    raw |= {f"{name}={cells[name]}": 1.0 for name in LEVELS if name != "sex"} | {"sex": float(cells["sex"] == "Male")}
    expected = np.array([raw.get(name, 0.0) for name in data.names[:-1]])
    expected *= np.sqrt(0.96) / np.linalg.norm(expected)
    assert np.allclose(data.X[0], [*expected, 0.2], rtol=1e-12, atol=0)


def test_adult_in_the_published_form_divides_numbers_by_their_largest_value():
    data = published.adult(as_published(ROWS), "published")
    row = next(row for row in ROWS if "?" not in row)
    largest = {"age": 90, "fnlwgt": 1_490_400, "education-num": 16, "capital-gain": 99_999, "capital-loss": 4_356,
               "hours-per-week": 99}  # fmt: skip
    shares = np.array([float(row[COLUMNS.index(name)]) / top for name, top in largest.items()])
    ones = 8 - (row[9] != "Male")  # one per category; sex is a single column of 0 and 1
    expected = shares / np.sqrt(shares @ shares + ones)
    assert [data.X[0, data.names.index(name)] for name in largest] == pytest.approx(expected)
    assert (data.X[:, -1] == 1).all()
    assert np.allclose(np.linalg.norm(data.X, axis=1), np.sqrt(2))
    both = published.adult_in_forms(as_published(ROWS), ("own", "published"))
    assert both == {"own": published.adult(as_published(ROWS)), "published": data}


def test_what_is_not_adult_is_named():
    short = with_header([row[:2] + row[3:-1] for row in ROWS], COLUMNS[:2] + COLUMNS[3:-1])
    for file, words in (
        (short, "it has no column 'fnlwgt', 'income'"),
        (b"", "holds no bytes"),
        (b"|1x3 Cross validator\n", "."),
    ):
        refuses(dp.DataError, words, published.adult, file)
