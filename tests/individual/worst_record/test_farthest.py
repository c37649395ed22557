"""Starting points of the search for the record that moves the estimate farthest."""

import numpy as np

from dpcore.individual.worst_record.farthest import _unlike


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
