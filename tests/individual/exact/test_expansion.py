"""ε of the expansion against a rule of many short panels that knows where everything narrow is, down to δ = 1e-300."""

import numpy as np
import pytest
from scipy import special

from dpcore.glm import LOSSES, Clipped
from dpcore.individual.exact.expansion import Expansion
from dpcore.individual.fit.glm import Records
from tests.individual.exact.given import given

SIGMA = 3.0
CASES = {
    "logistic": (LOSSES["logistic"], np.inf, 1.0, 0.0),
    "logistic, bent": (LOSSES["logistic"], np.inf, 1.0, -0.03),
    "logistic, clipped, bent": (LOSSES["logistic"], 0.4, -1.0, 0.06),
    "poisson, bent": (LOSSES["poisson"], np.inf, 3.0, 0.06),
    "poisson, clipped": (LOSSES["poisson"], 0.8, 0.0, 0.0),
    "huber": (LOSSES["huber"], np.inf, 1.3, 0.0),
    "huber, bent": (LOSSES["huber"], np.inf, 1.3, 0.06),
    "smoothed hinge": (LOSSES["smoothed_hinge"], np.inf, 1.0, 0.0),
    "smoothed hinge, clipped": (LOSSES["smoothed_hinge"], 0.5, -1.0, 0.0),
    "pseudo-Huber": (LOSSES["pseudo_huber"], np.inf, -0.5, 0.0),
    "squared": (LOSSES["squared"], np.inf, 0.9, 0.0),
    "squared, clipped": (LOSSES["squared"], 0.7, 0.9, 0.0),
}
SPREADS = [0.0, 1e-7, 1e-4, 1e-2, 0.3, 3.0]  # orthogonal spread, in units of that along the record


def records(y, limit, skew):
    """Margins that the noise moves little, with all of the spreads; not a straight line of the noise with a skew."""
    n = len(SPREADS)
    rng = np.random.default_rng(5)
    norm = rng.uniform(0.5, 2.0, n)
    leverage = norm**2 * 10 ** rng.uniform(-3, -1, n)
    margin = rng.normal(size=n)
    spread, fixed = leverage / norm * SPREADS, (np.full(n, part) for part in (y, limit))
    return given(margin, leverage, norm, spread, *fixed, margin + 0.7, np.full(n, skew))


def log_gaussian(v, e):
    """log δ(e) of a Gaussian mechanism of sensitivity v, of (1 − e^e)₊ at v = 0."""
    if v.max() == 0:
        return np.where(e < 0, np.log(-np.expm1(np.minimum(e, 0.0))), -np.inf)
    first, second = special.log_ndtr(v / 2 - e / v), e + special.log_ndtr(-v / 2 - e / v)
    return first + np.log(-np.expm1(np.minimum(second - first, 0.0)))


def log_delta(loss, one, epsilon, direction, sigma=SIGMA):
    """Given the margin both laws of the noise along x are normal; with κ the margin is not a straight line of the noise."""
    k = one.skew
    f = loss if np.isinf(one.limit) else Clipped(loss, np.array(one.limit))
    S, y, reach = sigma * np.hypot(one.spread, one.leverage / one.norm), np.array(one.y), 39.0

    def parts(x):
        grown = 1 + k * (one.margin - one.origin + S * x)
        m = one.origin + np.log(grown) / k if k else one.margin + S * x
        moved, rate = x + one.leverage / S * f.derivative(m, y), 1 + one.leverage * f.second_derivative(m, y) / grown
        ratio = 0.5 * (x - moved) * (x + moved) + np.log(rate)
        v = one.norm * one.spread * np.abs(f.derivative(m, y)) / S
        removed = direction == "remove"
        density = -0.5 * (moved * moved if removed else x * x) + (np.log(rate) if removed else 0.0)
        return density, epsilon + (-ratio if removed else ratio), v

    grid = np.linspace(-reach, reach, 20_001)
    e = parts(grid)[1]
    low = np.flatnonzero((e[1:] > 0) != (e[:-1] > 0))
    ends = np.array([grid[low], grid[low + 1]])
    for _ in range(60):
        middle = ends.mean(axis=0)
        left = (parts(middle)[1] > 0) == (e[low] > 0)
        ends = np.where([left, ~left], middle, ends)
    kinks = [((one.origin + np.expm1(k * (at - one.origin)) / k if k else at) - one.margin) / S for at in f.kinks(y)]
    steps = np.concatenate([[0.0], 10.0 ** np.linspace(-10, 0, 41)])
    cuts = np.concatenate(
        [np.linspace(-reach, reach, 400), kinks, *(at + side * steps for at in ends[0] for side in (-1, 1))]
    )
    cuts = np.unique(np.clip(cuts, -reach, reach))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = 0.5 * np.diff(cuts)[:, None]
    density, e, v = parts(cuts[:-1, None] + half * (1 + nodes))
    terms = density + log_gaussian(v, e) + np.log(half * weights)
    return special.logsumexp(terms[~np.isnan(terms)]) - 0.5 * np.log(2 * np.pi)


@pytest.mark.parametrize("name", CASES)
def test_epsilon_is_where_delta_is_met_to_a_part_in_a_million(name):
    """And δ at half of it in either direction, where it is not the larger one alone."""
    loss, limit, y, skew = CASES[name]
    known = records(y, limit, skew)
    expansion = Expansion(loss, known, SIGMA)
    for delta in (1e-1, 1e-5, 1e-300):
        found = expansion.epsilon(float(np.log(delta)))
        half = {way: expansion.log_delta(0.5 * found, way) for way in ("add", "remove")}
        for row, epsilon in enumerate(found):
            one = Records(*(value[row] for value in vars(known).values()))
            with np.errstate(all="ignore"):
                more, less = (
                    max(log_delta(loss, one, at, way) for way in ("add", "remove"))
                    for at in (max(epsilon * (1 - 1e-6) - 1e-12, 0.0), epsilon * (1 + 1e-6) + 1e-12)
                )
                there = {way: log_delta(loss, one, 0.5 * epsilon, way) for way in half if epsilon > 0}
            assert less <= np.log(delta)
            assert more >= np.log(delta) or epsilon == 0
            for way, expected in there.items():
                assert half[way][row] == pytest.approx(expected, rel=1e-4, abs=1e-4) or expected < -700


def test_roots_on_a_line_give_the_epsilon_of_integrals_over_the_margin_where_little_is_left_of_the_spread():
    """At large leverage ω is nearly flat where ε is, and its roots are hard to come by: six secant steps miss 6e-6 of ε."""
    rng, n = np.random.default_rng(0), 60
    norm = rng.uniform(0.3, 2.0, n)
    leverage = norm**2 * 10 ** rng.uniform(0, 1.5, n)
    margin = 2 * rng.normal(size=n)

    def epsilon(share):
        known = given(margin, leverage, norm, share * leverage / norm, np.ones(n), np.full(n, np.inf))
        return Expansion(LOSSES["logistic"], known, SIGMA).epsilon(float(np.log(1e-5)))

    np.testing.assert_allclose(epsilon(0.0), epsilon(3e-5), rtol=1e-6)


def test_the_centre_of_a_law_that_an_exponential_hides_is_found():
    """Poisson records of large leverage: the law with the record is narrow, and far in the tail of that without it."""
    margin, leverage, norm = np.array([-0.906, -1.117]), np.array([4.812, 6.728]), np.array([1.802, 1.774])
    known = given(margin, leverage, norm, np.zeros(2), np.full(2, 3.0), np.full(2, np.inf))
    found = Expansion(LOSSES["poisson"], known, 0.3).epsilon(float(np.log(0.01)))
    for row, epsilon in enumerate(found):
        one = known.take(row)
        with np.errstate(all="ignore"):
            more, less = (
                max(log_delta(LOSSES["poisson"], one, epsilon * factor, way, 0.3) for way in ("add", "remove"))
                for factor in (1 - 1e-6, 1 + 1e-6)
            )
        assert less < np.log(0.01) < more


def test_epsilon_on_a_line_is_right_as_far_as_its_digits_go_and_infinite_above():
    """Where f' grows like e^m, δ is the mass of the tail beyond the threshold, so that ε is −ω at the quantile of δ."""
    leverage, one = np.geomspace(0.3, 20.0, 60), np.ones(60)
    known = given(0 * one, leverage, one, 0 * one, 2 * one, np.inf * one)
    found = Expansion(LOSSES["poisson"], known, SIGMA).epsilon(float(np.log(1e-5)))
    T = special.ndtri(1e-5)
    mean = np.exp(-SIGMA * leverage * T)
    expected = 0.5 * (np.square(T - (mean - 2) / SIGMA) - T * T) - np.log1p(leverage * mean)
    np.testing.assert_allclose(found, np.where(expected < 1e12, expected, np.inf), rtol=1e-4, atol=2.0)
