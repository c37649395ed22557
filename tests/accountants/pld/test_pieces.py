"""The pieces that a certified curve is made of, each against a formula of its own."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import norm

import dpcore as dp
from dpcore.accountants.pld.composed import Accountant, ComposedCurve
from dpcore.accountants.pld.convolve import ComposedDelta
from dpcore.accountants.pld.discretize import _NOISE, WIDEST, discretize
from dpcore.accountants.pld.grid import aligned_step, node_index
from dpcore.accountants.pld.loss_law import LossLaw, nonnegative
from dpcore.accountants.pld.panel import Panel
from tests.accountants.homemade import Leaking, Outcomes


def test_many_negative_masses_are_spread_without_loss():
    """P-mass and Q-mass stay, and each node dropped gives only to its neighbours."""
    rng = np.random.default_rng(1)
    x, mass = np.cumsum(rng.uniform(0.01, 0.03, 400)) - 3, rng.normal(1, 1, 400)
    mass[[0, -1]] = 50.0
    found = nonnegative(x, mass)
    assert np.count_nonzero(mass < 0) > 60
    assert found.min() >= 0
    assert found.sum() == pytest.approx(mass.sum(), rel=1e-12)
    assert found @ np.exp(-x) == pytest.approx(mass @ np.exp(-x), rel=1e-12)
    assert np.all(found[300:] @ np.exp(-x[300:]) < mass[295:].clip(0) @ np.exp(-x[295:]))


def _curve(losses, masses, at):
    return (masses * np.maximum(-np.expm1(np.subtract.outer(at, losses)), 0)).sum(axis=1)


def _dyadic(rng, first, last):
    """Nodes from first to last with random cells of 1, 2, 4 and 8 steps, one step wide around 0."""
    nodes, waiting = [], [(8 * i, 8) for i in range(first // 8, last // 8 + 1)]
    while waiting:
        at, width = waiting.pop()
        if width == 1 or (rng.random() < 0.6 and not -1 <= at <= 0 and not at <= 0 <= at + width):
            nodes.append(at)
        else:
            waiting += [(at, width // 2), (at + width // 2, width // 2)]
    return np.array(sorted([*nodes, 8 * (last // 8 + 1)]))


def _composed(losses, masses, count):
    x, p = losses, masses
    for _ in range(count - 1):
        x, p = np.add.outer(x, losses).ravel(), np.outer(p, masses).ravel()
    return x, p


@pytest.mark.parametrize("spread", [0.01, 1.0])
@pytest.mark.parametrize("cells", [8, 30, 300])
@pytest.mark.parametrize("count", [1, 2])
def test_a_few_losses_lie_between_a_law_and_twice_it_less_that_with_noise(cells, spread, count):
    """At every node and every loss, however coarse the nodes are, alone and composed."""
    rng = np.random.default_rng(2)
    for _ in range(3):
        present = rng.dirichlet(np.full(rng.integers(3, 7), 1.0))
        without = present * np.exp(rng.normal(0, spread, present.size))
        mechanism = Outcomes(tuple(present), tuple(without / without.sum()))
        for direction in ("add", "remove"):
            law, (p, q) = LossLaw(mechanism, direction), mechanism.laws(direction)
            losses, step = np.log(p / q), (law.top - law.bottom) / cells
            index = _dyadic(rng, int(law.bottom // step) - 1, int(law.top // step) + 1)
            pair = discretize(law, 0.0, step, index)
            truth_law = _composed(losses, p, count)
            at = np.concatenate([step * index, *(offset + truth_law[0] for offset in (-1e-3 * step, 0.0, 1e-3 * step))])
            sides = (_composed(step * side.index, side.mass, count) for side in (pair.upper, pair.wider))
            truth, upper, wider = (_curve(*one, at) for one in (truth_law, *sides))
            assert np.all((2 * upper - wider <= truth + 1e-13) & (truth <= upper * (1 + 1e-11) + 1e-13))


@pytest.mark.parametrize("deviation", [1e-3, 0.05, WIDEST / 2])
def test_the_noise_is_enough(deviation):
    """What the Gaussian loss added to a cell of 2σ adds to (1 − a)_+ is twice the bound on what Z adds, at every a."""
    mu, variance = _NOISE * 2 * deviation, np.expm1(deviation**2)
    for log_a in deviation * np.linspace(-8, 8, 321):
        a = np.exp(log_a)
        added = norm.cdf(mu / 2 - log_a / mu) - a * norm.cdf(-mu / 2 - log_a / mu) - max(1 - a, 0)
        moments = 0.5 * (np.sqrt(a * a * variance + (1 - a) ** 2) - abs(1 - a))
        t = np.geomspace(1e-3, 20 / deviation, 2000) + (a < 1)
        order = t if a >= 1 else t - 1
        log_fall = order * np.log(order) - (order + 1) * np.log(order + 1) + (t * log_a if a < 1 else -t * log_a)
        chernoff = np.exp(log_fall + order * (order + 1) * deviation**2 / 2).min()
        assert added >= 2 * min(moments, chernoff) - 1e-16


def test_a_side_left_of_its_first_node_is_the_sum_over_its_losses():
    curve = partial(_curve, np.array([0.25, 1.0, 1.5]), np.array([0.3, 0.2, 0.1]))
    nodes, at = 0.25 * np.arange(7), np.array([-2.0, -0.4, -0.1, 0.0, 0.1, 0.3, 1.2])
    side = ComposedDelta(0.0, 0.25, curve(nodes), 0.6, 0.0, 0.0, 0.0, 1.5, 1.0, 0.0, 0.0)
    np.testing.assert_allclose(np.exp(side.log_value(at, 1.0)), curve(at), rtol=1e-12)


def test_one_step_suits_two_mechanisms():
    """Losses ±0.1, ±0.15 and 0 lie on a grid of 0.1/4, and not on one of 0.1/5."""
    laws = [(LossLaw(dp.RandomizedResponse(e), "add"), count) for e, count in ((0.1, 5), (0.15, 1))]
    cells = np.array([0.1, 0.15]) / aligned_step(laws, 0.03)
    assert cells == pytest.approx(np.rint(cells), rel=1e-9)


@pytest.mark.parametrize("offset", [-0.3, 0.0, 0.4])
def test_the_cell_around_no_loss_is_one_step_wide(offset):
    density = np.array([np.linspace(-500.0, 500.0, 101), np.full(101, 1e-3)])
    nodes = offset + node_index(LossLaw(dp.Gaussian(1.0), "add"), density, (offset, 1.0), 1e3, 1e3, 1e3)
    assert nodes[nodes <= 0].max() > -1.0
    assert nodes[nodes > 0].min() <= 1.0


def test_a_curve_alone_is_the_one_of_its_bracket():
    bracket = dp.compose([(dp.Laplace(2.0), 3)])
    asked = bracket.upper.parts, "upper", bracket.upper.width, bracket.upper.max_points
    alone, given = ComposedCurve(*asked), ComposedCurve(*asked, Accountant(asked[0], *asked[2:]))
    assert alone == bracket.upper
    assert alone.log_delta(0.7) == given.log_delta(0.7) == bracket.upper.log_delta(0.7)
    assert bracket.lower.accountant is bracket.upper.accountant


def test_deep_values_do_not_depend_on_what_else_is_asked():
    upper = dp.compose([(dp.Gaussian(20.0), 400)]).upper
    epsilon = np.array([0.5, 20.0, 60.0])
    assert upper.log_delta(epsilon).tolist() == [upper.log_delta(one) for one in epsilon]


def test_slack_is_more_than_the_errors_of_the_mechanisms():
    count = 3000
    state = dp.compose([(dp.Laplace(50.0), count)]).upper.accountant.direction("add")
    errors = count * dp.Laplace(50.0).evaluation_error
    panel: Panel = state.panel(0)
    rounding = panel.trial.plain.slack - errors
    assert rounding > count * np.finfo(float).eps * 30
    assert panel.trial.noisy.slack > errors


def test_rare_infinite_losses_beside_unbounded_ones():
    """A Gaussian answer that with a small chance is given without noise."""
    chance, count = 1e-4, 4
    bracket = dp.compose([(Leaking(dp.Gaussian(2.0), chance), count)])
    kept = np.exp(count * np.log1p(-chance))
    for epsilon in (0.0, 1.0, 20.0):
        truth = 1 - kept + kept * dp.Gaussian(1.0).delta(epsilon)
        low, high = bracket.delta(epsilon)
        assert low * (1 - 1e-10) <= truth <= high * (1 + 1e-10)
        assert high - low <= 1e-5
    assert bracket.upper.epsilon(0.5 * (1 - kept)) == np.inf
