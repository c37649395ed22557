"""Values between computed positions of a slider, against the functions themselves."""

import numpy as np

from dpcore.individual.all_rows.between import at_every_position

X = np.linspace(np.log(1e-2), np.log(1e3), 136)


def told(curves, **options):
    """Values of all curves, and the positions at which any was computed, with how many."""
    asked = []

    def compute(place, rows):
        asked.append((place, len(rows)))
        return curves[place][rows]

    steps = at_every_position(X, compute, curves.shape[1], **options)
    breaks = 0
    while True:
        try:
            next(steps)
            breaks += 1
        except StopIteration as end:
            assert breaks >= len(asked)
            return end.value, asked


def test_smooth_and_bent_curves_are_told_from_few_positions():
    pull = np.geomspace(0.01, 100.0, 200)
    level = np.exp(X)[:, None]
    curves = np.where(pull > 30, np.maximum(pull / level, 0.2 * (pull / level) ** 0.3), np.log1p(pull / level))
    found, asked = told(curves)
    assert sum(count for _, count in asked) < 136 * 200 / 5
    off = abs(np.log(found / curves))
    assert np.median(off) < 1e-3
    assert np.quantile(off, 0.99) < 0.02
    assert len({place for place, _ in asked}) == len(asked), "no position is computed twice"


def test_curves_that_reach_zero_are_zero_from_there_on_and_endless_ones_endless():
    level = np.exp(X)[:, None]
    ends = np.geomspace(0.5, 50.0, 20)
    curves = np.maximum(ends / level - 1, 0.0)
    curves[:, 10:] = np.where(level < ends[10:] / 40, np.inf, curves[:, 10:])
    found, _ = told(curves)
    np.testing.assert_array_equal(found == 0, curves == 0)
    np.testing.assert_array_equal(np.isinf(found), np.isinf(curves))
