"""Records in a row's place or beside all rows, for models without a closed form: each against a data set that holds them."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual.rows.cells import exposing_cells
from dpcore.individual.rows.in_place import exact_in_place, typical_records
from dpcore.individual.rows.rest import rests
from tests.individual.conftest import labelled
from tests.individual.oracles import precise_fit

MECHANISM = dp.OutputPerturbation(0.3, 0.5, loss="logistic")


@pytest.fixture(scope="module")
def result():
    return dp.individual_privacy(labelled(2, 80, 3), MECHANISM, 1e-5)


def epsilon(X, y, row):
    """ε of one row by two fits."""
    moved = precise_fit("logistic", X, y, 0.5) - precise_fit("logistic", np.delete(X, row, 0), np.delete(y, row), 0.5)
    return float(dp.Gaussian(0.3, float(np.linalg.norm(moved))).epsilon(1e-5))


def test_a_record_in_a_rows_place_is_two_fits_apart(result):
    data, row = result.dataset, 7
    x, y = np.array([[0.4, -0.2, 0.6]]), np.array([-1.0])
    found, error, _ = exact_in_place(result, x, y, row)
    X, targets = data.X.copy(), data.y.copy()
    X[row], targets[row] = x[0], y[0]
    truth = epsilon(X, targets, row)
    assert found[0] == pytest.approx(truth, rel=1e-5)
    assert error[0] < 1e-3
    near = rests(result)(row).exposures(MECHANISM, x, y).epsilon(np.log(1e-5))[0]
    assert near == pytest.approx(truth, rel=0.05)
    assert near != pytest.approx(truth, rel=1e-5)


def test_a_record_that_joins(result):
    x, y, seen = np.array([[0.4, -0.2, 0.6], [0.1, 0.1, 0.1]]), np.array([-1.0, 1.0]), []
    found, _, _ = exact_in_place(result, x, y, progress=seen.append)
    data = result.dataset
    for k in range(2):
        assert found[k] == pytest.approx(epsilon(np.vstack([data.X, x[k]]), np.append(data.y, y[k]), 80), rel=1e-5)
    assert seen == [0.0, 0.5]


def test_cells_are_compared_with_the_row_under_the_same_fit(result):
    row = int(np.argmax(result.epsilon))
    cells = exposing_cells(result, row)
    own = rests(result)(row).epsilon(MECHANISM, 1e-5)
    assert all(cell.epsilon + cell.contribution == pytest.approx(own, rel=1e-12) for cell in cells)
    X, y = typical_records(result, row, [cell.column for cell in cells])
    again = rests(result)(row).exposures(MECHANISM, X, y).epsilon(np.log(1e-5))
    assert again == pytest.approx([cell.epsilon for cell in cells], rel=1e-9)
    assert min(again) < own
