"""Records that a few dozen nodes settle: their ε against integrals on thousands of nodes, and which they are."""

import numpy as np
import pytest

from dpcore.glm import LOSSES
from dpcore.individual.exact import evenly
from dpcore.individual.exact.by_margin import ByMargin
from dpcore.individual.exact.evenly import even_epsilon
from dpcore.individual.fit.glm import Records
from tests.individual.exact.given import given
from tests.individual.exact.test_expansion import SIGMA, log_delta

LOG_DELTA = float(np.log(1e-5))
CASES = {  # loss, limit of |f'|, y, and what share of the records is settled at least; fewer are where kinks are not followed
    "logistic": (LOSSES["logistic"], np.inf, 1.0, 0.72),
    "logistic, clipped": (LOSSES["logistic"], 0.4, -1.0, 0.85),
    "poisson": (LOSSES["poisson"], np.inf, 2.0, 0.5),
    "huber": (LOSSES["huber"], np.inf, 1.3, 0.6),
    "smoothed hinge": (LOSSES["smoothed_hinge"], np.inf, 1.0, 0.62),
    "squared": (LOSSES["squared"], np.inf, 0.9, 0.55),
}


def records(y, limit, n=40, seed=0):
    """From hardly to much visible, with margins that the noise moves a little or through all of f."""
    rng = np.random.default_rng(seed)
    norm = rng.uniform(0.3, 2.0, n)
    leverage = norm**2 * 10 ** rng.uniform(-4, -0.3, n)
    spread = leverage / norm * 10 ** rng.uniform(-1.5, 0.5, n)
    margin = rng.normal(size=n)
    return given(
        margin, leverage, norm, spread, np.full(n, y), np.full(n, limit), margin + 0.3, rng.uniform(-0.03, 0.03, n)
    )


def row_of(known, row=0):
    return Records(*(value[row] for value in vars(known).values()))


def record_of(*values):
    """A record alone among records."""
    return given(*(np.array([value]) for value in values))


@np.errstate(all="ignore")
def delta(loss, record, epsilon, direction, sigma=SIGMA):
    return np.exp(log_delta(loss, record, epsilon, direction, sigma))


@np.errstate(all="ignore")
def evenly_found(loss, known, sigma=SIGMA, log_target=LOG_DELTA):
    """ε, and which records are settled."""
    return even_epsilon(ByMargin(loss, known, sigma), log_target)


@pytest.mark.parametrize(("loss", "limit", "y", "share"), CASES.values(), ids=CASES)
def test_settled_records_meet_delta_in_the_larger_direction(loss, limit, y, share):
    known = records(y, limit)
    epsilon, settled = evenly_found(loss, known)
    assert settled.mean() >= share
    for row in np.flatnonzero(settled)[:10]:
        most = max(delta(loss, row_of(known, row), epsilon[row], way) for way in ("add", "remove"))
        if epsilon[row] > 0:
            assert most == pytest.approx(1e-5, rel=1e-6)
        else:
            assert most <= 1e-5


def test_records_whose_loss_reaches_epsilon_on_both_sides_are_settled_where_their_sides_differ_or_not():
    """The noise moves f' of a well-fitted record through 0: nodes around one place see only a part of δ."""
    apart, one = np.linspace(-0.005, 0.005, 5), np.ones(5)
    known = given(0.4 + apart, 1e-3 * one, one, 1e-3 * one, 0.4 * one, np.inf * one, 0.4 + apart, 1e-3 * one)
    loss, sigma = LOSSES["pseudo_huber"], 30.0
    epsilon, settled = evenly_found(loss, known, sigma)
    assert settled.all()
    for row, found in enumerate(epsilon):
        most = max(delta(loss, row_of(known, row), found, way, sigma) for way in ("add", "remove"))
        assert most == pytest.approx(1e-5, rel=1e-6)


def test_a_record_far_from_where_its_loss_bends_is_priced_by_its_removal():
    """The noise seldom brings its margin back: with the record it does more often."""
    margin, norm = np.array([7.2, -6.6]), np.array([1.97, 1.80])
    known = given(
        margin, np.array([0.77, 0.97]), norm, np.array([0.24, 0.36]), np.full(2, 1.3), np.full(2, np.inf), margin + 0.3,
        np.full(2, 1e-4),
    )  # fmt: skip
    huber = LOSSES["huber"]
    epsilon, settled = evenly_found(huber, known)
    assert settled.all()
    for row in range(2):
        assert delta(huber, row_of(known, row), epsilon[row], "add") < 0.8e-5
        assert delta(huber, row_of(known, row), epsilon[row], "remove") == pytest.approx(1e-5, rel=1e-6)


HIDDEN_BUMPS = {  # loss, margin, leverage, norm, spread, y, limit, origin, skew; σ, log δ: all that the removal gives away ...
    "beside the nodes": ("logistic", (-0.52624, 0.031476, 1, 0.0023459, -1, np.inf, -0.54212, -0.022854), 346.57, -12.399),
    "in a wide law": ("logistic", (-0.25811, 0.39450, 1, 0.067701, 1, np.inf, -0.090271, -0.017487), 35.717, -12.876),
    "between two searches": (
        "poisson",
        (-0.2518804364451298, 0.7502372627875962, 1, 0.0014337173412803867, 4, 0.5643295150266191, -0.2858825845188993, 0.03612535697898),
        1.4268491914901291, -12.596661734467475,
    ),
    "beside a kink of a wide law": (
        "poisson", (1.635967, 0.06726213, 1, 0.7694411, 0, 1.6947, 1.777933, -0.0304571), 77.42368, -27.38051,
    ),
    "between kink and bend": ("huber", (-2.18913, 0.291795, 1, 0.00149128, -2.09332, 0.0773114, -2.33657, 0), 1.12016, -12.708),
    "between the kinks": ("pseudo_huber", (-0.028218, 0.029071, 1, 4.678e-4, 0.00101, 0.065953, -0.027392, 0.00274), 8.1216, -13.8155),
}  # fmt: skip


@pytest.mark.parametrize("case", HIDDEN_BUMPS)
def test_a_bump_that_nodes_miss_is_no_small_delta(case):
    """All that the removal gives away lies where hardly a node is."""
    loss, known, sigma, log_target = HIDDEN_BUMPS[case]
    loss, known = LOSSES[loss], record_of(*known)
    epsilon, settled = evenly_found(loss, known, sigma, log_target)
    with np.errstate(all="ignore"):
        removed = log_delta(loss, row_of(known), epsilon[0], "remove", sigma)
    assert not settled or removed <= log_target + 1e-6


def test_what_delta_is_below_in_any_case_counts_a_bump_between_nodes():
    values = (17.31892, 0.144125, 0.560015, 0.02336555, -1, np.inf, 17.231927, -0.0148125)
    known, logistic, epsilon = record_of(*values), LOSSES["logistic"], np.array([0.02852459])
    with np.errstate(all="ignore"):
        nodes = evenly.placed(ByMargin(logistic, known, 65.31145), epsilon, "remove", np.array([[2.645]]), evenly._ONE)
        seen, _, _, most = nodes.log_delta(epsilon)
        truth = log_delta(logistic, given(*values), epsilon[0], "remove", 65.31145)
    assert seen < truth - 50 < truth < most


def test_sums_that_miss_a_narrow_bend_do_not_agree_by_chance():
    known = record_of(0.17595769, 0.003229543, 1, 0.04896177, 0.19965478, np.inf, 0.29774162, 0)
    loss, sigma = LOSSES["pseudo_huber"], 116.7337314
    epsilon, settled = evenly_found(loss, known, sigma, np.log(1e-6))
    with np.errstate(all="ignore"):
        added = log_delta(loss, row_of(known), epsilon[0], "add", sigma)
    assert not settled or added == pytest.approx(np.log(1e-6), abs=1e-5)


def test_a_record_that_pulls_beyond_the_reach_of_the_noise_is_hidden_and_one_nearer_is_not():
    margin, one = np.array([1.5, 1.1]), np.ones(2)
    known = given(margin, 0.01 * one, one, 0.005 * one, one, np.inf * one)
    epsilon, settled = evenly_found(LOSSES["smoothed_hinge"], known)
    assert (settled[0], epsilon[0]) == (True, 0)
    assert epsilon[1] > 0 or not settled[1]


def test_a_clipped_record_whose_kink_the_noise_does_not_reach_is_a_gaussian_mechanism():
    """One record is near its kink, so that δ is more than that of a slope of .4 alone would be."""
    one = np.ones(2)
    known = given(np.array([9.0, 0.2]), 0.02 * one, one, 0.03 * one, -one, 0.4 * one)
    assert np.isnan(ByMargin(LOSSES["logistic"], known, SIGMA).straight(LOG_DELTA)).tolist() == [False, True]
    epsilon, settled = evenly_found(LOSSES["logistic"], known)
    for way in ("add", "remove"):
        assert delta(LOSSES["logistic"], row_of(known), epsilon[0], way) == pytest.approx(1e-5, rel=1e-9)
    assert settled[0]


def test_a_record_so_well_fitted_that_its_loss_is_flat_in_doubles_is_seen_where_wide_noise_goes():
    margin, one = np.array([45.0, 4000.0]), np.ones(2)
    known = given(margin, 20.0 * one, one, 8.0 * one, one, np.inf * one)
    epsilon, settled = evenly_found(LOSSES["logistic"], known)
    assert epsilon[0] > 1 or not settled[0]
    assert (settled[1], epsilon[1]) == (True, 0)
