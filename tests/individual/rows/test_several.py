"""Composition and group privacy per row, divergences in closed form, subgroups, generalisation, Table 1."""

import numpy as np
import pytest
from scipy import integrate, stats

import dpcore as dp
from dpcore.data import Dataset, Domain
from dpcore.individual.rows.composed import compose_row, compose_rows
from dpcore.individual.rows.group_privacy import group_privacy
from dpcore.individual.rows.neighbours import neighbours
from dpcore.studies.per_instance import generalisation as general
from dpcore.studies.per_instance.floor import floor_curve, floors
from dpcore.studies.per_instance.for_one import pdp_for_one
from dpcore.studies.per_instance.variants import personal_epsilon, variants, worst_divergence
from tests.individual.conftest import random_data

OPS = dp.PosteriorSampling(gamma=0.5, lam=1.0)
OUTPUT = dp.OutputPerturbation(sigma=0.5, lam=1.0)
OBJECTIVE = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, loss="squared")
MECHANISMS = [OPS, OUTPUT, OBJECTIVE]
IDS = ["posterior", "output", "objective"]


@pytest.fixture(scope="module")
def ds():
    return random_data(1, 60, 3, domain=Domain())


def laws(mechanism, X, y):
    """Mean and covariance of the release, from scratch."""
    H = X.T @ X + mechanism.lam * np.eye(X.shape[1])
    inverse = np.linalg.inv(H)
    covariance = {
        dp.PosteriorSampling: lambda: inverse / mechanism.gamma,
        dp.OutputPerturbation: lambda: mechanism.sigma**2 * np.eye(len(H)),
        dp.ObjectivePerturbation: lambda: mechanism.sigma**2 * inverse @ inverse,
    }[type(mechanism)]()
    return inverse @ X.T @ y, covariance


def divergence(alpha, first, second):
    """Rényi divergence of multivariate normal laws, from the textbook formula."""
    (m1, c1), (m2, c2) = first, second
    mixed = alpha * c2 + (1 - alpha) * c1
    if np.linalg.eigvalsh(mixed)[0] <= 0:
        return np.inf
    logdet = [np.linalg.slogdet(c)[1] for c in (mixed, c1, c2)]
    quadratic = 0.5 * alpha * (m1 - m2) @ np.linalg.solve(mixed, m1 - m2)
    return quadratic - (logdet[0] - (1 - alpha) * logdet[1] - alpha * logdet[2]) / (2 * (alpha - 1))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=IDS)
def test_renyi_divergences_of_rows_are_those_of_the_d_dimensional_laws(ds, mechanism):
    result = dp.individual_privacy(ds, mechanism)
    alpha = np.array([1.5, 2.0, 6.0])
    found = {way: result.exposures.renyi(alpha, way) for way in ("add", "remove")}
    for row in (0, 30, int(result.epsilon.argmax())):
        with_ = laws(mechanism, ds.X, ds.y)
        without = laws(mechanism, np.delete(ds.X, row, 0), np.delete(ds.y, row))
        for k, order in enumerate(alpha):
            assert found["add"][row, k] == pytest.approx(divergence(order, without, with_), rel=1e-8, abs=1e-12)
            assert found["remove"][row, k] == pytest.approx(divergence(order, with_, without), rel=1e-8, abs=1e-12)
        near = result.exposures.renyi([1.0, 1.0 + 1e-6], "add")[row]
        assert near[0] == pytest.approx(near[1], rel=1e-4, abs=1e-12)


@pytest.mark.parametrize("mechanism", MECHANISMS[:2], ids=IDS[:2])
def test_composition_is_an_upper_value_of_the_certified_bracket(ds, mechanism):
    result = dp.individual_privacy(ds, mechanism)
    composed = compose_rows([(result, 4)], 1e-5)
    row = int(result.epsilon.argmax())
    bracket = compose_row([(result, 4)], row)
    low, high = float(bracket.lower.epsilon(1e-5)), float(bracket.upper.epsilon(1e-5))
    assert composed.epsilon[row] >= low * (1 - 1e-9)
    assert composed.epsilon[row] <= min(composed.basic[row], composed.renyi[row]) * (1 + 1e-12)
    if composed.exact:
        assert composed.epsilon[row] == pytest.approx(high, rel=1e-4)
    assert (composed.epsilon >= result.epsilon_at(1e-5) * (1 - 1e-9)).all()


def test_gaussian_composition_is_the_root_of_the_sum_of_squares(ds):
    first = dp.individual_privacy(ds, OUTPUT)
    second = dp.individual_privacy(ds, dp.OutputPerturbation(sigma=2.0, lam=3.0))
    composed = compose_rows([(first, 2), (second, 1)], 1e-5)
    shift = np.sqrt(2 * first.exposures.shift**2 + second.exposures.shift**2)
    expected = [float(dp.Gaussian(sigma=1.0, sensitivity=float(s)).epsilon(1e-5)) for s in shift[:5]]
    assert composed.exact
    assert composed.epsilon[:5] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=IDS)
def test_a_group_of_one_is_its_row_and_groups_hold_against_the_joint_laws(ds, mechanism):
    delta = 1e-5
    result = dp.individual_privacy(ds, mechanism, delta)
    alone = group_privacy(ds, mechanism, [7], delta)
    assert alone.largest == pytest.approx(result.epsilon[7], rel=1e-9)
    assert alone.chain == pytest.approx(result.epsilon[7], rel=1e-6)
    assert alone.joint >= result.epsilon[7] * (1 - 1e-9)
    rows = [7, 8]
    group = group_privacy(ds, mechanism, rows, delta)
    first = laws(mechanism, ds.X, ds.y)
    second = laws(mechanism, np.delete(ds.X, rows, 0), np.delete(ds.y, rows))
    draws = np.random.default_rng(0).multivariate_normal(*second, 200_000)
    loss = stats.multivariate_normal(*second).logpdf(draws) - stats.multivariate_normal(*first).logpdf(draws)
    assert np.mean(np.maximum(0, 1 - np.exp(group.epsilon - loss))) <= delta * 3
    if group.exact:
        shift = np.linalg.norm(first[0] - second[0]) / mechanism.sigma
        assert group.joint == pytest.approx(float(dp.Gaussian(1.0, shift).epsilon(delta)), rel=1e-8)


def test_group_rows_are_checked(ds):
    for rows in ([], [60], [-1], np.arange(60), [0.5]):
        with pytest.raises(dp.ParameterError, match="rows must be"):
            group_privacy(ds, OUTPUT, rows)
    with pytest.raises(dp.ParameterError, match="at least one pair"):
        compose_rows([], 1e-5)
    other = dp.individual_privacy(random_data(2, 60, 3), OUTPUT)
    with pytest.raises(dp.ParameterError, match="same data set"):
        compose_rows([(dp.individual_privacy(ds, OUTPUT), 1), (other, 1)], 1e-5)


def test_neighbours_share_the_direction(ds):
    X = np.vstack([ds.X, 0.5 * ds.X[4]])
    result = dp.individual_privacy(Dataset.from_arrays(X, np.append(ds.y, 0.0)), OPS)
    found = neighbours(result, 4, 3)
    assert found.rows[0] == 60
    assert found.likeness[0] == pytest.approx(1.0)
    assert 4 not in found.rows
    inverse = np.linalg.inv(X.T @ X + np.eye(3))
    i = found.rows[1]
    expected = abs(X[4] @ inverse @ X[i]) / np.sqrt((X[4] @ inverse @ X[4]) * (X[i] @ inverse @ X[i]))
    assert found.likeness[1] == pytest.approx(expected, rel=1e-10)


def test_pdp_for_one_draws_other_data_sets(ds):
    result = dp.individual_privacy(ds, OPS)
    drawn = pdp_for_one(result, 5, repeats=20, rng=3)
    assert drawn.shape == (20,)
    assert drawn.min() < result.epsilon[5] < drawn.max()
    rows = np.random.default_rng(3).integers(59, size=59)
    X, y = np.delete(ds.X, 5, 0)[rows], np.delete(ds.y, 5)[rows]
    again = dp.individual_privacy(Dataset.from_arrays(np.vstack([X, ds.X[5]]), np.append(y, ds.y[5])), OPS)
    assert drawn[0] == pytest.approx(again.epsilon[-1], rel=1e-9)
    smaller = pdp_for_one(result, 5, repeats=20, size=10, rng=3)
    assert smaller.mean() > drawn.mean()
    undetermined = dp.individual_privacy(ds, dp.PosteriorSampling(gamma=1.0, lam=0.0))
    assert np.isinf(pdp_for_one(undetermined, 5, repeats=2, size=2)).all()


def test_generalisation_bounds_by_sampling_and_order():
    rng = np.random.default_rng(0)
    epsilon, other = rng.exponential(0.1, 200), rng.exponential(0.2, 300)
    pairs = np.exp(epsilon[:, None] + other) - 1 + 1e-3 + np.exp(epsilon)[:, None] * 1e-3
    assert general.cross_domain_bound(epsilon, other, 1e-3) == pytest.approx(pairs.mean(), rel=1e-12)
    assert general.generalisation_bound(epsilon, 0.0) == pytest.approx(np.exp(epsilon).mean() ** 2 - 1)
    assert general.simple_bound(epsilon, other, 1e-3) >= general.cross_domain_bound(epsilon, other, 1e-3)
    assert general.generalisation_bound(np.zeros(3), 0.0) == 0


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=IDS)
def test_draws_follow_the_law_and_the_gap_stays_below_the_promise(ds, mechanism):
    theta = general.draw(mechanism, ds, 4_000, np.random.default_rng(1))
    mean, covariance = laws(mechanism, ds.X, ds.y)
    white = np.linalg.solve(np.linalg.cholesky(covariance), (theta - mean).T)
    assert stats.kstest(white.ravel(), "norm").pvalue > 1e-4
    found = general.measure_generalisation(ds, mechanism, repeats=6, draws=5)
    assert found.gap - 4 * found.standard_error <= found.proposition <= found.corollary
    assert 0 <= found.train_loss <= 1


def test_generalisation_needs_rows_and_a_known_mechanism():
    with pytest.raises(dp.DataError, match="four rows"):
        general.measure_generalisation(random_data(1, 3, 1), OPS)
    with pytest.raises(dp.UnsupportedError, match="no per-instance analysis"):
        general.draw(dp.ApproximateMinimaPerturbation(
            sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0, tau=1e-3, sigma_out=1.0
        ), random_data(1, 9, 1), 1, np.random.default_rng(0))  # fmt: skip


def test_the_map_of_variants_is_ordered_as_its_suprema(ds):
    result = dp.individual_privacy(ds, OUTPUT)
    row = int(result.epsilon.argmax())
    found = {variant.name: variant for variant in variants(result, row, repeats=5)}
    assert len(found) == 16
    value = {name: variant.value for name, variant in found.items()}
    assert value["Approximate DP"] >= value["Personal DP"] >= value["Per-instance DP"] >= value["pDP of the data set"]
    assert value["Approximate DP"] >= value["pDP for all"] >= value["Per-instance DP"]
    assert value["Pure DP"] == np.inf
    assert value["zCDP"] == pytest.approx(value["Rényi DP"] / 2)
    assert value["Per-instance zCDP"] == pytest.approx(value["Per-instance Rényi DP"] / 2)
    shift = result.exposures.shift[row]
    tv = integrate.quad(lambda t: abs(stats.norm.pdf(t) - stats.norm.pdf(t, shift)) / 2, -12, 12, points=[shift / 2])[0]
    assert value["Per-instance TV"] == pytest.approx(tv, rel=1e-6)
    assert value["On-average KL privacy"] == pytest.approx(np.mean(result.exposures.shift**2 / 2))


def test_a_variant_without_an_answer_says_why(ds):
    found = {v.name: v for v in variants(dp.individual_privacy(ds, OBJECTIVE), 0, repeats=2)}
    assert found["Approximate DP"].value is None
    assert "no worst-case guarantee" in found["Approximate DP"].note
    assert found["Per-instance DP"].value > 0


@pytest.mark.parametrize("mechanism", [OPS, OUTPUT], ids=IDS[:2])
def test_personal_dp_is_attained_by_a_data_set_and_beats_random_ones(ds, mechanism):
    small = Dataset.from_arrays(ds.X[:9], ds.y[:9], domain=Domain())
    result = dp.individual_privacy(small, mechanism, 1e-4)
    x, y = small.X[2], small.y[2]
    found = personal_epsilon(result, 2)
    unit = x / np.linalg.norm(x)
    best = 0.0
    for length in np.linspace(0.01, 1, 60):
        rows = np.tile(length * unit, (8, 1))
        for target in (-1.0, 1.0):
            joined = Dataset.from_arrays(np.vstack([rows, x]), np.append(np.full(8, target), y))
            best = max(best, dp.individual_privacy(joined, mechanism, 1e-4).epsilon[-1])
    assert found == pytest.approx(best, rel=1e-3)
    assert found >= best * (1 - 1e-9)
    rng = np.random.default_rng(0)
    for _ in range(30):
        X = rng.normal(size=(8, 3))
        X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
        joined = Dataset.from_arrays(np.vstack([X, x]), np.append(rng.choice([-1.0, 1.0], 8), y))
        assert dp.individual_privacy(joined, mechanism, 1e-4).epsilon[-1] <= found * (1 + 1e-9)


def test_the_worst_divergence_is_that_of_the_worst_records():
    result = dp.individual_privacy(random_data(5, 20, 2, domain=Domain()), dp.PosteriorSampling(gamma=0.01, lam=5.0))
    worst = result.worst_case
    assert worst_divergence(result, 2.0) <= float(worst.renyi(2.0)) * (1 + 1e-6)
    mu, shift = worst.frontier(np.array([1.0]))
    assert worst_divergence(result, 2.0) >= type(result.exposures)(mu, shift).renyi(2.0, "add")[0, 0]


def test_a_hot_posterior_still_shows_the_row(ds):
    result = dp.individual_privacy(ds, OPS, 1e-4)
    row = int(np.argmax(result.leverage.out_of_sample))
    curve = floor_curve(result, row)
    cold = dp.individual_privacy(ds, dp.PosteriorSampling(gamma=1e-12, lam=1.0), 1e-4)
    assert floors(result) == pytest.approx(cold.epsilon, rel=1e-4, abs=1e-7)
    assert curve.row_floor == pytest.approx(cold.epsilon[row], rel=1e-4)
    assert (curve.row >= curve.row_floor * (1 - 1e-9)).all()
    at = dp.individual_privacy(ds, dp.PosteriorSampling(gamma=float(curve.gamma[40]), lam=1.0), 1e-4)
    assert curve.row[40] == pytest.approx(at.epsilon[row], rel=1e-8)
    assert curve.median[40] == pytest.approx(np.median(at.epsilon), rel=1e-8)
    assert (floors(dp.individual_privacy(ds, OUTPUT)) == 0).all()
    with pytest.raises(dp.UnsupportedError, match="posterior sample"):
        floor_curve(dp.individual_privacy(ds, OUTPUT), row)
