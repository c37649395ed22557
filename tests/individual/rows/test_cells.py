"""Which cell exposes a row: every number against a refit of the edited table."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.data import Dataset, Domain
from dpcore.individual.rows.cells import Typical, exposing_cells, main_pair
from dpcore.individual.rows.rest import rests
from dpcore.mechanisms.objective_perturbation.linear_regression import objective_of
from tests.individual.conftest import random_data
from tests.individual.staff import staff_csv

MECHANISMS = {
    "posterior": dp.PosteriorSampling(gamma=2.0, lam=0.5),
    "output": dp.OutputPerturbation(sigma=0.4, lam=0.5),
    "frozen shape": dp.OutputPerturbation(sigma=0.4, lam=0.5, shape="gram"),
    "objective": objective_of(0.8, 0.5),
}
STATED = Domain(ranges={"salary": (0, 500_000), "years": (0, 50), "satisfaction": (0, 10)})
FROM_FILE = Domain(from_data=True, rows="normalize")


def typical(frame, name, row):
    others = frame[name].drop(index=row).dropna()
    return others.median() if others.nunique() > 2 and others.dtype.kind in "if" else others.value_counts().idxmax()


@pytest.mark.parametrize(("name", "domain"), [*zip(MECHANISMS, 2 * [STATED, FROM_FILE], strict=True)])
def test_every_cell_equals_a_refit_of_the_edited_table(name, domain):
    mechanism = MECHANISMS[name]
    data = dp.load_csv(staff_csv(90, gaps=12), "satisfaction", domain=domain, missing="median", intercept=True)
    result = dp.individual_privacy(data, mechanism, 1e-5)
    frame = data.original()
    without = int(frame["salary"].isna().argmax())
    for row in (0, int(np.argmax(result.epsilon)), without, data.n_samples - 1):
        found = exposing_cells(result, row)
        assert {cell.column for cell in found if cell.value == "missing"} == set(frame.columns[frame.loc[row].isna()])
        assert {cell.column for cell in found} == set(frame.columns)
        assert [cell.is_target for cell in found].count(True) == 1
        for cell in found:
            edited = frame.astype(object)
            edited.loc[row, cell.column] = typical(frame, cell.column, row)
            X, y = data.encode(edited)
            truth = dp.individual_privacy(Dataset.from_arrays(X, y), mechanism, 1e-5).epsilon[row]
            assert cell.epsilon == pytest.approx(truth, rel=1e-9, abs=1e-12)
            assert cell.contribution == pytest.approx(result.epsilon[row] - truth, rel=1e-9, abs=1e-9)
            assert cell.share == pytest.approx(cell.contribution / result.epsilon[row], abs=1e-9)
        assert [cell.contribution for cell in found] == sorted((c.contribution for c in found), reverse=True)


@pytest.mark.parametrize("count", [5, 6, 7, 8])
def test_a_typical_number_is_the_median_of_the_other_rows(count):
    column = np.random.default_rng(count).permutation(np.square(np.arange(1.0, count + 1)))
    typical = Typical(pd.DataFrame({"c": [*column, np.nan]}))
    for row in range(count):
        assert typical.of("c", row) == np.median(np.delete(column, row))
    assert typical.of("c", count) == np.median(column)


def test_a_cell_like_the_typical_one_exposes_nothing():
    x, y = np.tile([0.1, 0.1, 0.7], 20), np.tile([0.2, 0.3, 0.2, 0.2], 15)
    lines = "\n".join(["x,y", *(f"{a},{b}" for a, b in zip(x, y, strict=True))])
    data = dp.load_csv(lines.encode(), "y", domain=Domain(ranges={"x": (0, 3), "y": (0, 3)}))
    result = dp.individual_privacy(data, MECHANISMS["posterior"])
    found = {cell.column: cell.contribution for cell in exposing_cells(result, 0)}
    assert found == {"x": 0.0, "y": 0.0}


@pytest.mark.parametrize(
    ("name", "size"), [(name, size) for name in MECHANISMS for size in (1.0, 1e3)] + [("output", 1e7)]
)
def test_the_rest_of_a_row_that_decides_the_fit(name, size):
    mechanism = MECHANISMS[name]
    base = random_data(5, 40, 3)
    X = np.vstack([base.X, size * np.ones((1, 3))])
    data = Dataset.from_arrays(X, np.append(base.y, 0.3 * size))
    result = dp.individual_privacy(data, mechanism)
    assert rests(result)(40).epsilon(mechanism, result.delta) == pytest.approx(result.epsilon[40], rel=1e-9)
    other = rests(result)(40).exposures(mechanism, np.array([[0.1, 0.2, 0.3]]), np.array([0.5])).epsilon(np.log(1e-6))
    changed = Dataset.from_arrays(np.vstack([base.X, [[0.1, 0.2, 0.3]]]), np.append(base.y, 0.5))
    assert other[0] == pytest.approx(dp.individual_privacy(changed, mechanism).epsilon[40], rel=1e-9)


def managers() -> bytes:
    """A board of four among 300 people; one of them has a large bonus, and a large salary that agrees with it."""
    rng = np.random.default_rng(5)
    salary, board = 40_000 + 5_000 * rng.standard_normal(300), np.arange(300) % 75 == 70
    bonus = 0.1 * salary * rng.random(300)
    salary[70], bonus[70] = 900_000, 400_000
    lines = [f"{s:.0f},{b:.0f},{'board' if x else 'shop'}" for s, b, x in zip(salary, bonus, board, strict=True)]
    return "\n".join(["salary,bonus,unit", *lines]).encode()


def test_two_cells_that_expose_a_row_together_are_named_together():
    data = dp.load_csv(managers(), "salary", domain=Domain(from_data="keep"))
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0))
    row = int(np.argmax(result.epsilon))
    assert data.row_labels[row] == 71
    assert exposing_cells(result, row)[0].share < 0.5
    pair, frame, truth = main_pair(result, row), data.original(), {}
    for both in combinations(("salary", "bonus", "unit"), 2):
        edited = frame.astype(object)
        for name in both:
            edited.loc[row, name] = typical(frame, name, row)
        changed = Dataset.from_arrays(*data.encode(edited))
        truth[both] = dp.individual_privacy(changed, result.mechanism).epsilon[row]
    best = min(truth, key=truth.get)
    assert {cell.column for cell in pair.cells} == set(best)
    assert pair.epsilon == pytest.approx(truth[best], rel=1e-9)
    assert pair.share == pytest.approx(1 - pair.epsilon / result.epsilon[row])


def test_no_pair_is_named_where_one_cell_says_enough():
    data = dp.load_csv(staff_csv(), "satisfaction", domain=STATED)
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0))
    assert main_pair(result, int(np.argmax(result.epsilon))) is None
    with pytest.raises(dp.ParameterError, match="index must be"):
        main_pair(result, data.n_samples)
