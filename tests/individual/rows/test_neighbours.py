"""Rows that share a leverage."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Dataset
from dpcore.individual.rows.neighbours import neighbours
from tests.individual.conftest import OPS


def test_neighbours_share_the_direction(small):
    X = np.vstack([small.X, 0.5 * small.X[4]])
    result = dp.individual_privacy(Dataset.from_arrays(X, np.append(small.y, 0.0)), OPS)
    found = neighbours(result, 4, 3)
    assert found.rows[0] == 60
    assert found.likeness[0] == pytest.approx(1.0)
    assert 4 not in found.rows
    inverse = np.linalg.inv(X.T @ X + np.eye(3))
    i = found.rows[1]
    expected = abs(X[4] @ inverse @ X[i]) / np.sqrt((X[4] @ inverse @ X[4]) * (X[i] @ inverse @ X[i]))
    assert found.likeness[1] == pytest.approx(expected, rel=1e-10)
