"""Error bars against integrals over θ: settings that once had a wrong bar, and a few of every kind."""

import numpy as np
import pytest

from dpcore.individual.exact.cells import Cells
from tests.individual.exact import sweep
from tests.individual.exact.sweep import Case, cases, verdict

FAR = [[0.5134875007605519, 0.5826976157961158], [-0.9333890748343283, -0.35886604043837395]]
GAP = [[0.3769505, -0.37682597], [0.68637089, 0.49422437], [-0.61321822, -0.03449404], [-0.44595105, -0.05640615]]
WIDE = [[1.13, 0.73], [-0.23, 0.16], [0.29, 0.35], [-0.42, -0.23], [0.76, 0.45], [0.91, -0.23]]
RNG = np.random.default_rng(1)
KINKED = RNG.uniform(0.3, 1.0, 12) * np.sign(RNG.normal(size=12)), 3 * RNG.normal(size=12)


def case(kind, loss, X, y, lam, noise, delta, row=0, clip=None):
    X, y = np.array(X, dtype=float), np.array(y, dtype=float)
    return Case(kind, loss, X.reshape(len(X), -1), y, row, lam, noise, clip, delta, 0)


def drawn(features, index, embedded=0, kind=None):
    return Case.drawn(features, np.random.default_rng([0, features, index]), kind, embedded)


FOUND = {  # how the case is made, and what may become of it
    **{
        f"a pull that grows like an exponential, λ = {lam:g}": (
            lambda lam=lam: case("objective", "poisson", FAR, [2, 3], lam, 21.22379960583611, 3.38e-9, row=1), word,
        )
        for lam, word in ((9.283, "none left"), (15.0, "none left"), (24.0, "inside"))
    },
    # bends of few rows over a wide range of noise: lines through fixed points once agreed with each other beside them
    **{f"between the points of line {at}": (lambda at=at: drawn(1, at), "inside wide") for at in (3, 4, 21, 49, 98)},
    # where another row bends, lines of z from 0 to 0.15 have no δ: too few, or too far apart, and log δ is 0.03 off
    "a gap along z": (lambda: case("objective", "logistic", GAP, [-1, 1, -1, -1], 0.2483694616, 11.2138268717, 1.0522712873e-5,
                                   row=1, clip=0.1147968437), "inside"),
    **{
        f"rows that bend over short ways, {at}": (lambda at=at: Case.of_kinks(np.random.default_rng([5, 3, at])), "inside")
        for at in (7, 9, 16)  # half of δ of the first comes from |z| around 0.09: lines at 0 and ±0.175 see nothing of it
    },
    "a plane in four dimensions": (lambda: drawn(2, 3, 4, "objective"), "inside"),
    "a plane in four dimensions, of a posterior": (lambda: drawn(2, 0, 4, "posterior"), "inside"),
}  # fmt: skip
QUICK = {  # how the case is made, and the tolerance
    "the kinks of other rows": (case("objective", "huber", *KINKED, 0.02, 3.0, 1e-3), 1e-3),
    "alone": (case("objective", "logistic", [1], [1], 0.5, 1.0, 1e-6), 1e-3),
    "alone, a peak between nodes": (case("objective", "pseudo_huber", [1], [0.72019993], 0.1, 1.0, 1e-6, clip=0.3), 1e-3),
    "alone, in much noise": (case("objective", "pseudo_huber", [1], [-0.8], 0.05, 3.0, 1e-6), 1e-3),
    "mass beyond the window": (case("posterior", "poisson", [-0.403, -0.996], [3, 0], 0.148, 0.246, 0.05), 1e-2),
    "the kinks of other rows of a posterior": (
        case("posterior", "huber", [0.292, -0.965, 0.547, 0.202, -0.929], [1.785, -2.459, 0.915, 0.115, -2.596], 0.295, 6.651, 3e-3),
        1e-3,
    ),
    # of density over 9.5 standard deviations from its mode, along the row and across
    "wider than its curvature says": (
        case("posterior", "huber", [[1.307, 0.049], [0.802, 0.213]], [-1.52, -3.615], 0.00412, 0.00168, 2.4e-9), 1e-2,
    ),
    "wider across": (case("posterior", "logistic", WIDE, [-1, -1, 1, -1, -1, -1], 0.0123, 0.0346, 1.1e-4), 1e-2),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("name", FOUND)
def test_what_once_had_a_wrong_bar_is_covered_or_said_to_leave_no_privacy(name):
    made, words = FOUND[name]
    word, said = verdict(made())
    assert word in words, said


@pytest.mark.parametrize("name", QUICK)
def test_a_bar_covers_what_hides_and_is_no_wider_than_asked_for(name, monkeypatch):
    one, tolerance = QUICK[name]
    monkeypatch.setattr(sweep, "TOLERANCE", tolerance)
    word, said = verdict(one)
    assert word == "inside", said


@pytest.mark.parametrize("index", range(100, 112))
def test_a_few_of_the_sweep(index):
    word, said = verdict(drawn(1, index))
    assert word != "outside", said


@pytest.mark.thorough
@pytest.mark.parametrize(("seed", "index", "truth"), [(8, 9, 0.233823), (101, 42, 0.49777)])
def test_a_hundredth_of_the_lines_that_has_all_of_delta_is_in_the_bar(seed, index, truth):
    """Few lines see little of it, and those of eight scramblings that see none of it agree with each other."""
    epsilon, bar, _ = Case.of_kinks(np.random.default_rng([seed, 3, index])).answer()
    assert abs(epsilon - truth) <= bar < 5e-3


@pytest.mark.thorough
@pytest.mark.parametrize("sizes", [(0, 4, 2, 31), (50, 0, 0, 21)])
def test_no_bar_of_the_sweep_misses(sizes):
    told = [(one, *verdict(one)) for one in cases(*sizes, "objective")]
    assert [found for found in told if found[1] == "outside"] == []


def test_a_point_that_rounding_puts_next_to_an_end_takes_no_region_from_a_cell(monkeypatch):
    """Cells of 1e-12 around a kink at σ = 35: one that crossed an old end once had no bound, nor had all made of it."""
    split, seen = Cells.split, []
    monkeypatch.setattr(Cells, "split", lambda cells, unknown: seen.append(split(cells, unknown)) or seen[-1])
    one = Case.drawn(1, np.random.default_rng([21, 1, 10]), "objective")
    assert one.answer()[0] > 1.6
    inner = np.isfinite(seen[-1].left) & np.isfinite(seen[-1].right)
    assert np.isfinite(seen[-1].known[2][inner]).all()
