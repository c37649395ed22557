"""Starting points of the search for the record that moves the estimate farthest."""

import numpy as np

from dpcore.individual.exposure import Ball
from dpcore.individual.fit.leverage import leverage
from dpcore.individual.worst_record.farthest import Move, _unlike, largest_move
from tests.individual.conftest import random_data


def angles(*degrees):
    radians = np.deg2rad(degrees)
    return np.column_stack([np.cos(radians), np.sin(radians)]) * np.linspace(1.0, 2.0, len(degrees))[:, None]


def test_starting_points_that_climb_the_same_hill_are_left_out():
    """cos 11.5° = 0.98: of directions closer than that the first stands for all."""
    starts = angles(0, 5, 10, 20, 25, 90, 185, 180)
    np.testing.assert_array_equal(_unlike(starts), starts[[0, 3, 5, 6]])
    np.testing.assert_array_equal(_unlike(starts[:3]), starts[:1])


def test_no_more_than_six_hills_are_climbed():
    starts = angles(*range(0, 300, 30))
    np.testing.assert_array_equal(_unlike(starts), starts[:6])


def test_the_highest_starting_points_are_climbed_first(monkeypatch):
    """With climbs that stay where they start, the record found is the first of them."""
    heights = []

    def stay(self, start, radius):
        heights.append(float(self(start)[0]))
        return start

    monkeypatch.setattr(Move, "climb", stay)
    data, lam = random_data(3, 40, 4), 0.1
    found = largest_move(leverage(data, lam), np.eye(4), Ball(1.0, 1.0), data.X[:3])
    inverse = np.linalg.inv(data.X.T @ data.X + lam * np.eye(4))
    residual = 1.0 + abs(found @ inverse @ data.X.T @ data.y)
    height = np.log(residual * np.linalg.norm(inverse @ found) / (1 + found @ inverse @ found))
    assert len(heights) > 1
    assert heights == sorted(heights, reverse=True)
    np.testing.assert_allclose(heights[0], height, rtol=1e-10)
