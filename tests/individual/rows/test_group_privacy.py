"""Several rows together."""

from itertools import pairwise

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.rows.composed import compose_rows
from dpcore.individual.rows.group_privacy import chained_epsilon, group_privacy
from tests.individual.conftest import IDS, MECHANISMS, OUTPUT, random_data
from tests.individual.oracles import laws, normal_divergence

FEW = (
    np.array([[1.0, 0.0], [0.6, 0.0], [-0.8, 0.0], [0.0, 1.0], [0.0, 0.5], [0.0, -0.7]]),
    [1.0, -0.5, 0.2, 0.1, 0.4, -0.3],
)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=IDS)
def test_a_group_leaves_by_the_divergence_of_its_joint_laws(small, mechanism):
    """Of a group of one the contract of analyses asks."""
    delta, rows = 1e-5, [7, 8, 20]
    pair = laws(mechanism, small.X, small.y), laws(mechanism, np.delete(small.X, rows, 0), np.delete(small.y, rows))
    group, orders = group_privacy(small, mechanism, rows, delta), 1 + np.geomspace(1e-2, 1e4, 4001)
    if group.method is EpsilonMethod.EXACT:
        shift = np.linalg.norm(pair[0][0] - pair[1][0]) / mechanism.sigma
        assert group.joint == pytest.approx(float(dp.Gaussian(1.0, shift).epsilon(delta)), rel=1e-8)
        return
    values = [
        min(normal_divergence(a, *way) + np.log1p(-1 / a) - np.log(delta * a) / (a - 1) for a in orders)
        for way in (pair, pair[::-1])
    ]
    assert group.joint == pytest.approx(max(values), rel=1e-2)


def test_the_smaller_of_two_proven_bounds_is_taken(small):
    """Of one row the chain is its exact ε, which Rényi divergences exceed; of several rows the joint laws win."""
    mechanism = dp.PosteriorSampling(gamma=1.0, lam=1.0)
    alone, three = (group_privacy(small, mechanism, rows, 1e-6) for rows in ([7], [7, 8, 20]))
    assert alone.epsilon == alone.chain < 0.95 * alone.joint
    assert three.epsilon == three.joint < 0.95 * three.chain


def excess(p, q, epsilon):
    return np.maximum(p - np.exp(epsilon) * q, 0.0).sum()


def step_epsilon(p, q, delta):
    """Smallest ε at which both directions of two discrete laws meet δ: the largest over their likeliest sets."""
    found = []
    for one, other in ((p, q), (q, p)):
        order = np.argsort(-one / other)
        mass, rest = np.cumsum(one[order]), np.cumsum(other[order])
        found.append(np.log(np.maximum((mass - delta) / rest, 1.0)).max())
    return max(found)


@pytest.mark.parametrize("length", [3, 4])
def test_a_chain_holds_both_ways(length):
    """Random chains of discrete laws whose steps differ much in size, from either end."""
    rng, delta, tightest = np.random.default_rng(0), 1e-2, 0.0
    for _ in range(400):
        log_laws = np.cumsum(rng.normal(size=(length, 6)) * rng.choice((0.05, 2.0), (length, 1)), axis=0)
        chain = np.exp(log_laws) / np.exp(log_laws).sum(axis=1, keepdims=True)
        steps = [lambda log_delta, pair=pair: step_epsilon(*pair, np.exp(log_delta)) for pair in pairwise(chain)]
        epsilon = chained_epsilon(steps, delta)
        assert epsilon == pytest.approx(chained_epsilon(steps[::-1], delta), rel=1e-9)
        reached = max(excess(chain[0], chain[-1], epsilon), excess(chain[-1], chain[0], epsilon))
        assert reached <= delta * (1 + 1e-9)
        tightest = max(tightest, reached / delta)
    assert tightest > 0.5


@pytest.mark.parametrize("kind", [dp.PosteriorSampling, dp.OutputPerturbation], ids=lambda kind: kind.__name__)
def test_a_group_that_alone_determines_a_coefficient_is_refused(kind):
    """Every row can be spared, but not all three that know the second column."""
    few = dp.Dataset.from_arrays(*FEW)
    assert group_privacy(few, kind(1.0, lam=0.0), [0]).epsilon > 0
    for rows in ([3, 4, 5], [3, 4]):  # of the last one the leverage would be 1
        with pytest.raises(dp.DataError, match=f"Without the {len(rows)} rows of this group.*use a larger lam"):
            group_privacy(few, kind(1.0, lam=0.0), rows)
        assert group_privacy(few, kind(1.0, lam=0.1), rows).epsilon > 0


def test_a_chain_of_rows_ends_where_a_row_outgrows_every_share_of_delta():
    """Of a posterior sample ε of a row is about μ log(1/δ), so that no share of δ pays for the next row where μ ≥ 1."""
    few = dp.Dataset.from_arrays(*FEW)
    long, short = (group_privacy(few, dp.PosteriorSampling(1.0, lam=lam), [3, 4]) for lam in (0.1, 1.0))
    assert np.isfinite([long.chain, long.epsilon, short.chain]).tolist() == [False, True, True]


def test_group_rows_are_checked(small):
    for rows in ([], [60], [-1], np.arange(60), [0.5]):
        with pytest.raises(dp.ParameterError, match="rows must be"):
            group_privacy(small, OUTPUT, rows)
    with pytest.raises(dp.ParameterError, match="at least one pair"):
        compose_rows([], 1e-5)
    other = dp.individual_privacy(random_data(2, 60, 3), OUTPUT)
    with pytest.raises(dp.ParameterError, match="same data set"):
        compose_rows([(dp.individual_privacy(small, OUTPUT), 1), (other, 1)], 1e-5)
