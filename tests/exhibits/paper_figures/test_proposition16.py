"""Proposition 16 and Remark 15 against refits, densities and draws of their own."""

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import dpcore as dp
from dpcore.exhibits.paper_figures import proposition16 as study
from dpcore.exhibits.paper_figures.study import PAPER_DELTA, paper_data
from tests.errata.oracles import four_phis

SIZES = (40, 3, 0.2, 1)


def test_the_average_of_the_rows_is_theirs_alone():
    found = study.over_condition(*SIZES, 10.0, (1.0, 0.1, 1e-4))
    larger = study.over_size(*SIZES, 10.0, (0.1, 100.0))
    assert found.rows == pytest.approx(np.full(3, found.rows[0]), rel=1e-8)
    assert larger.rows == pytest.approx(np.full(2, found.rows[0]), rel=1e-8)
    assert larger.elsewhere == pytest.approx(np.full(2, found.elsewhere[0]), rel=1e-8)
    for curve in (found.elsewhere, found.everyone, larger.everyone):
        assert curve[-1] > 30 * curve[0]
    assert found.leading == pytest.approx(0.2 * np.sqrt(2 * 3 * 10 * np.log(2e6) / 40))


def test_the_average_from_one_refit_per_row():
    rng = np.random.default_rng(1)
    sphere = lambda n: (lambda Z: Z / np.linalg.norm(Z, axis=1, keepdims=True))(rng.standard_normal((n, 3)))  # noqa: E731
    X, _, direction = sphere(40), sphere(400), sphere(1)[0]
    y = X @ direction + 0.2 * rng.standard_normal(40)
    squares = []
    for row in range(40):
        others, targets = np.delete(X, row, 0), np.delete(y, row)
        gram = others.T @ others
        mu, r = X[row] @ np.linalg.solve(gram, X[row]), y[row] - X[row] @ np.linalg.solve(gram, others.T @ targets)
        excess = lambda e, mu=mu, r=r: four_phis(mu, abs(r), 10.0, e) - PAPER_DELTA  # noqa: E731
        squares.append(optimize.brentq(excess, 0, 30, xtol=1e-9) ** 2)
    assert study.over_condition(*SIZES, 10.0, (1.0,)).rows[0] == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-6)


def test_the_excess_follows_its_law_and_the_bound_holds():
    found = study.excess_tail(*SIZES, 4.0)
    density = lambda t: stats.gamma(1.5, scale=1 / 4.0).pdf(t)  # noqa: E731
    for at in (0, 20, 40):
        assert integrate.quad(density, found.exact[at], 40)[0] == pytest.approx(found.delta[at], rel=1e-3, abs=1e-12)
    assert (found.exact < found.bound).all()
    assert (found.bound[0], found.mean) == (pytest.approx(3 * np.log(6) / 4), pytest.approx(3 / 8))
    assert found.seen == pytest.approx(stats.gamma(1.5, scale=1 / 4.0).isf(found.seen_delta), rel=0.1)


def test_no_corrected_equation_lies_below_what_it_bounds_and_the_printed_one_does():
    curves = {curve.name: curve for curve in study.agnostic(*SIZES, 1e-3, 3)}
    y = {name: curve.y for name, curve in curves.items()}
    assert (y["Any record, these data"] <= y["(9) corrected"]).all()
    assert (y["Worst case of DP"] <= y["(10) corrected"]).all()
    assert (y["Any record, these data"] <= y["Worst case of DP"]).all()
    assert (y["(10) as printed"] < y["Worst case of DP"]).any()
    assert curves["(10) as printed"].bound is dp.Bound.CLAIMED
    data = paper_data(*SIZES)
    theta = np.linalg.solve(data.X.T @ data.X + np.eye(3), data.X.T @ data.y)
    h, r, log = 1 + np.linalg.eigvalsh(data.X.T @ data.X)[0], 1 + np.linalg.norm(theta), np.log(2e6)
    assert y["(9) corrected"][0] == pytest.approx(r * (2e-3 * log / h) ** 0.5 + 5e-4 * r**2 / (1 + h) + (0.5 + log) / h)


@pytest.mark.parametrize(("leverage", "residual"), [(0.01, 0.3), (3.0, -1.0)])
def test_remark_15_lies_above_theorem_14_and_that_above_the_record(leverage, residual):
    simple, theorem, short, exact = study.remark_15(leverage, residual)
    assert (exact.y <= theorem.y).all()
    assert (theorem.y <= simple.y * (1 + 1e-12)).all()
    gamma, epsilon, r = float(exact.x[12]), float(exact.y[12]), abs(residual)
    assert four_phis(leverage, r, gamma, epsilon) == pytest.approx(PAPER_DELTA, rel=1e-3)
    assert short.y[12] == pytest.approx(2 * r * np.sqrt(2 * gamma * leverage * np.log(2 / PAPER_DELTA)))
