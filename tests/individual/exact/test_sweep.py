"""Error bars against integrals over θ: settings that once had a wrong bar, and a few of every kind; all by `sweep`."""

import numpy as np
import pytest

from dpcore.individual.exact.cells import Cells
from tests.individual.exact.sweep import Case, main, verdict

FAR = (
    np.array([[0.5134875007605519, 0.5826976157961158], [-0.9333890748343283, -0.35886604043837395]]),
    np.array([2.0, 3.0]),
)


@pytest.mark.thorough
@pytest.mark.parametrize(("lam", "expected"), [(9.283, "none left"), (15.0, "none left"), (24.0, "inside")])
def test_a_pull_that_grows_like_an_exponential_is_covered_or_said_to_leave_no_privacy(lam, expected):
    case = Case("objective", "poisson", *FAR, 1, lam, 21.22379960583611, None, 3.38e-9, 0)
    assert verdict(case)[0] == expected


@pytest.mark.thorough
@pytest.mark.parametrize("index", [3, 4, 21, 49, 98])
def test_what_hides_between_the_points_of_a_line_is_in_the_bar(index):
    """Bends of few rows over a wide range of noise: lines through fixed points once agreed with each other beside them."""
    case = Case.drawn(1, np.random.default_rng([0, 1, index]))
    assert case.kind == "objective"
    assert verdict(case)[0] in ("inside", "wide")


@pytest.mark.parametrize("index", range(100, 112))
def test_a_few_of_the_sweep(index):
    word, said = verdict(Case.drawn(1, np.random.default_rng([0, 1, index])))
    assert word != "outside", said


@pytest.mark.thorough
def test_a_gap_along_z_is_in_the_bar():
    """Where another row bends, lines of z from 0 to 0.15 have no δ: too few, or too far apart, and log δ is 0.03 off."""
    X = [[0.3769505, -0.37682597], [0.68637089, 0.49422437], [-0.61321822, -0.03449404], [-0.44595105, -0.05640615]]
    y = np.array([-1.0, 1.0, -1.0, -1.0])
    case = Case(
        "objective", "logistic", np.array(X), y, 1, 0.2483694616, 11.2138268717, 0.1147968437, 1.0522712873e-5, 0
    )
    word, said = verdict(case)
    assert word == "inside", said


@pytest.mark.thorough
def test_what_hides_between_two_lines_is_in_the_bar():
    """Half of δ comes from |z| around 0.09, where a row bends: lines at 0 and ±0.175 see nothing of it."""
    epsilon, bar, _ = Case.of_kinks(np.random.default_rng([5, 3, 7])).answer()
    assert abs(epsilon - 0.27841) < bar < 2e-3


@pytest.mark.thorough
@pytest.mark.parametrize(("seed", "index", "truth"), [(8, 9, 0.233823), (101, 42, 0.49777)])
def test_a_hundredth_of_the_lines_that_has_all_of_delta_is_in_the_bar(seed, index, truth):
    """Few lines see little of it, and those of eight scramblings that see none of it agree with each other."""
    epsilon, bar, _ = Case.of_kinks(np.random.default_rng([seed, 3, index])).answer()
    assert abs(epsilon - truth) <= bar < 5e-3


@pytest.mark.thorough
@pytest.mark.parametrize("index", [7, 9, 16])
def test_rows_that_bend_over_short_ways(index):
    word, said = verdict(Case.of_kinks(np.random.default_rng([5, 3, index])))
    assert word == "inside", said


@pytest.mark.thorough
@pytest.mark.parametrize(("index", "embedded"), [(3, 4)])
def test_a_plane_of_the_sweep(index, embedded):
    word, said = verdict(Case.drawn(2, np.random.default_rng([0, 2, index]), "objective", embedded))
    assert word == "inside", said


@pytest.mark.thorough
def test_no_bar_of_a_plane_misses():
    assert main(["--kind", "objective", "--lines", "0", "--planes", "4", "--kinks", "2", "--seed", "31"]) == 0


@pytest.mark.thorough
def test_no_bar_of_the_sweep_misses():
    assert main(["--kind", "objective", "--lines", "50", "--planes", "0", "--seed", "21"]) == 0


def test_a_point_that_rounding_puts_next_to_an_end_takes_no_region_from_a_cell(monkeypatch):
    """Cells of 1e-12 around a kink at σ = 35: one that crossed an old end once had no bound, nor had all made of it."""
    split, seen = Cells.split, []
    monkeypatch.setattr(Cells, "split", lambda cells, unknown: seen.append(split(cells, unknown)) or seen[-1])
    case = Case.drawn(1, np.random.default_rng([21, 1, 10]), "objective")
    assert case.answer()[0] > 1.6
    inner = np.isfinite(seen[-1].left) & np.isfinite(seen[-1].right)
    assert np.isfinite(seen[-1].known[2][inner]).all()
