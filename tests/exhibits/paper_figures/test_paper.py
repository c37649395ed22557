"""Figures 1 and 2 of the per-instance paper: every number by another route, and the claims."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.paper_figures.study import PAPER_DELTA, PaperClaim, PaperFigures, paper_data
from tests.errata.oracles import gaussian_epsilon


@pytest.fixture(scope="module")
def found():
    return PaperFigures(200, 4, 0.1, 1)


def test_figure_one_by_refits_and_the_attained_worst_case(found):
    data = paper_data(200, 4, 0.1, 1)
    assert np.linalg.norm(data.X, axis=1) == pytest.approx(1.0)
    assert np.abs(data.y).max() <= 1
    H = data.X.T @ data.X + np.eye(4)
    theta = np.linalg.solve(H, data.X.T @ data.y)
    for row in (0, int(found.result.epsilon.argmax())):
        X, y = np.delete(data.X, row, 0), np.delete(data.y, row)
        moved = np.linalg.norm(theta - np.linalg.solve(X.T @ X + np.eye(4), X.T @ y))
        assert found.result.epsilon[row] == pytest.approx(gaussian_epsilon(moved / 4, PAPER_DELTA), rel=1e-6, abs=1e-9)

    # n equal rows of length ρ against a unit record on the other side
    def moved_by(z):
        length, size = z
        h = 1 + 200 * length**2
        return size * (1 + size * 200 * length / h) / (h + size**2)

    best = max(moved_by((a, b)) for a in np.linspace(0.001, 1, 800) for b in np.linspace(0.05, 1, 40))
    assert found.worst_case == pytest.approx(gaussian_epsilon(best / 4, PAPER_DELTA), rel=1e-3)
    assert found.worst_case > found.for_all > found.result.epsilon.max()


def test_figure_two_uses_the_same_data_and_the_expected_risk(found):
    data = paper_data(200, 4, 0.1, 1)
    for group, sigma in zip(found.left.groups, found.left.values, strict=True):
        again = dp.individual_privacy(data, dp.OutputPerturbation(sigma, 1.0), PAPER_DELTA).epsilon
        found_of = group.quantiles[2], group.mean, group.largest
        assert found_of == pytest.approx((np.median(again), again.mean(), again.max()))
    assert found.excess == pytest.approx([4 / (2 * gamma * 200) for gamma in found.right.values], rel=0.12)
    assert found.exponential == pytest.approx([2 * gamma for gamma in found.right.values])
    for side in (found.left, found.right):
        assert all(worst > group.largest for group, worst in zip(side.groups, side.worst, strict=True))


def test_claims_are_ratios_of_what_is_drawn(found):
    users, universe = found.claims("first")
    assert universe.found == pytest.approx(found.worst_case / found.for_all)
    assert users.found == pytest.approx(found.worst_case / found.result.epsilon.max())
    means = [np.mean(dp.individual_privacy(paper_data(200, 4, 0.1, 1), dp.PosteriorSampling(gamma, 1.0), PAPER_DELTA).epsilon)
             for gamma in found.right.values]  # fmt: skip
    (left,), (right,) = found.claims("left"), found.claims("right")
    assert right.found == pytest.approx((np.array(found.right.worst) / means).min())
    assert left.found > right.found


def test_a_ratio_reproduces_a_printed_size_only_within_it():
    assert PaperClaim("", "", 5.5, 6.5, 5.49).verdict == "smaller"
    assert PaperClaim("", "", 5.5, 6.5, 5.5).verdict == PaperClaim("", "", 5.5, 6.5, 6.49).verdict == "reproduced"
    assert PaperClaim("", "", 5.5, 6.5, 6.5).verdict == "larger"


def test_a_shape_taken_from_the_data_has_no_worst_case_to_compare_with():
    found = PaperFigures(60, 2, 0.1, 1, shape="gram")
    assert found.worst_case is None
    assert set(found.left.worst) == {None}
    assert found.claims("first") == found.claims("left") == ()
    assert found.claims("right")
