"""Persons with several rows: found by an id that repeats, else by equal cells; ε per person is that of all of the rows."""

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.data import Domain
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.rows.persons import exposed_persons, persons_of
from tests.errata.oracles import gaussian_epsilon
from tests.individual.oracles import ridge

N = 60


def frame(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(size=N), "y": rng.normal(size=N)}).round(3)


def load(table: pd.DataFrame, **options) -> dp.Dataset:
    options = {"domain": Domain(ranges={"a": (-4, 4), "b": (-4, 4), "y": (-4, 4)})} | options
    return dp.load_csv(table.to_csv(index=False).encode(), "y", **options)


def groups(dataset: dp.Dataset) -> list[list[int]]:
    return [rows.tolist() for rows in persons_of(dataset).groups]


def together(dataset: dp.Dataset, rows, sigma: float) -> float:
    """ε of some rows together, from two fits with λ = 1."""
    rest = np.delete(np.arange(dataset.n_samples), rows)
    shift = ridge(dataset.X, dataset.y, 1.0) - ridge(dataset.X[rest], dataset.y[rest], 1.0)
    return gaussian_epsilon(float(np.linalg.norm(shift)) / sigma, 1e-5)


def test_copies_are_found_and_counted():
    table = frame()
    assert persons_of(load(table)).sentence == ""
    copied = pd.concat([table, table.iloc[:20], table.iloc[:1]], ignore_index=True)
    dataset = load(copied)
    assert groups(dataset) == [[0, N, N + 20], *([k, N + k] for k in range(1, 20))]
    assert persons_of(dataset).sentence.startswith("21 rows are exact copies of an earlier row in all columns used: ")
    assert groups(load(copied, features=["a"])) == groups(dataset)
    copied.loc[N + 3, "b"] += 0.001
    assert [3, N + 3] not in groups(load(copied))
    assert [3, N + 3] in groups(load(copied, features=["a"]))
    arrays = dp.Dataset.from_arrays([[1.0], [2.0], [1.0], [1.0]], [1.0, 1.0, 1.0, 2.0])
    assert groups(arrays) == [[0, 2]]
    assert persons_of(arrays).sentence.startswith("1 row is an exact copy of an earlier row")


@pytest.mark.parametrize("ids", ["numbers", "texts"])
def test_an_id_that_repeats_is_a_person(ids):
    table = pd.concat([frame(), frame().iloc[:1]], ignore_index=True)
    own = np.arange(len(table)) + 1000
    own[[5, 9]] = own[2]
    table["patient_id"] = own if ids == "numbers" else [f"P-{one}" for one in own]
    dataset = load(table, features=["a", "b"])
    assert groups(dataset) == [[2, 5, 9]]  # the copy has an id of its own
    assert persons_of(dataset).sentence.startswith("2 rows repeat the id ('patient_id') of an earlier row: ")
    table.loc[2, "a"] = np.nan  # left out; positions are those of the rows used
    assert groups(load(table, features=["a", "b"])) == [[4, 8]]
    table["school_id"], table["a"] = np.arange(len(table)) % 4, np.arange(len(table)) / 20
    assert groups(load(table.drop(columns="patient_id"), features=["a", "b"])) == []  # four ids are no persons'


@pytest.mark.parametrize("name", ["pid", "customer", "E-Mail", "client no", "who"])
@pytest.mark.parametrize("ids", ["numbers", "texts"])
def test_a_column_that_names_persons_tells_them_by_its_name_or_its_many_texts(name, ids):
    table = frame()
    own = np.arange(N) + 1000
    own[[5, 9]] = own[2]
    table[name] = own if ids == "numbers" else [f"C{one:05}" for one in own]
    told = groups(load(table, features=["a", "b"]))
    assert told == ([] if (name, ids) == ("who", "numbers") else [[2, 5, 9]])


def test_a_text_with_few_levels_names_no_person():
    table = frame()
    table["ward"] = [f"ward {place % 25}" for place in range(N)]
    assert groups(load(table, features=["a", "b"])) == []


def test_rows_that_hide_each_other_are_together_as_exposed_as_they_are():
    """Without the second row of a pair that cancels, the first one alone moves the fit; both together hardly do."""
    table = frame()
    table["pid"] = np.arange(N)
    table.loc[[3, 9], ["a", "b", "pid"]] = [[2.0, 1.0, 3]] * 2
    table.loc[[3, 9], "y"] = 3.0, -3.0
    dataset = load(table, features=["a", "b"])
    result = dp.individual_privacy(dataset, dp.OutputPerturbation(sigma=0.05, lam=1.0), 1e-5)
    (found,) = exposed_persons(result, persons_of(dataset))
    assert found.epsilon == pytest.approx(together(dataset, [3, 9], 0.05), rel=1e-6)
    assert found.epsilon < 0.9 * found.largest


def test_a_person_is_as_exposed_as_all_of_the_rows_together():
    dataset = load(pd.concat([frame(), frame().iloc[[7, 7, 7, 30]]], ignore_index=True))
    result = dp.individual_privacy(dataset, dp.OutputPerturbation(sigma=0.5, lam=1.0), 1e-5)
    found = exposed_persons(result, persons_of(dataset))
    assert {one.rows for one in found} == {(8, N + 1, N + 2, N + 3), (31, N + 4)}
    for one in found:
        assert one.epsilon == pytest.approx(together(dataset, np.array(one.rows) - 1, 0.5), rel=1e-6)
        assert one.largest == pytest.approx(result.epsilon[np.array(one.rows) - 1].max(), rel=1e-12)
        assert one.epsilon > 1.5 * one.largest
    summary = ExposureSummary.of(result)
    assert summary.persons == found
    assert summary.repeated == persons_of(dataset).sentence
