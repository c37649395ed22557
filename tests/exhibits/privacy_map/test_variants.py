"""Table 1 of the source."""

import numpy as np
import pytest
from scipy import integrate, stats

import dpcore as dp
from dpcore.exhibits.privacy_map.variants import personal_epsilon, variants, worst_divergence
from tests.individual.conftest import OPS, OUTPUT, random_data

LONGEST = dp.OutputPerturbation(sigma=0.001, lam=200.0)  # far above the squares of all rows together


def test_the_map_of_variants_is_ordered_as_its_suprema(ds):
    result = dp.individual_privacy(ds, OUTPUT)
    row = int(result.epsilon.argmax())
    found = {variant.name: variant for variant in variants(result, row, repeats=5)}
    assert len(found) == 16
    value = {name: variant.value for name, variant in found.items()}
    assert value["Approximate DP"] >= value["Personal DP"] >= value["Per-instance DP"] >= value["pDP of the data set"]
    assert value["Approximate DP"] >= value["pDP for all"] >= value["Per-instance DP"]
    assert (value["Pure DP"], value["zCDP"]) == (np.inf, pytest.approx(value["Rényi DP"] / 2))
    assert value["Per-instance zCDP"] == pytest.approx(value["Per-instance Rényi DP"] / 2)
    shift = result.exposures.shift[row]
    tv = integrate.quad(lambda t: abs(stats.norm.pdf(t) - stats.norm.pdf(t, shift)) / 2, -12, 12, points=[shift / 2])[0]
    assert value["Per-instance TV"] == pytest.approx(tv, rel=1e-6)
    assert value["On-average KL privacy"] == pytest.approx(np.mean(result.exposures.shift**2 / 2))


@pytest.mark.parametrize(
    "mechanism", [OPS, OUTPUT, LONGEST], ids=["posterior", "output", "the longest rows are the worst"]
)
def test_personal_dp_is_attained_by_a_data_set_and_beats_random_ones(ds, mechanism):
    small = dp.Dataset.from_arrays(ds.X[:9], ds.y[:9] * (mechanism is not LONGEST), domain=dp.Domain())
    result = dp.individual_privacy(small, mechanism, 1e-4)
    x, y = small.X[2], small.y[2]
    found = personal_epsilon(result, 2)
    unit = x / np.linalg.norm(x)
    best = 0.0
    for length in np.linspace(0.01, 1, 60):
        rows = np.tile(length * unit, (8, 1))
        for target in (-1.0, 1.0):
            joined = dp.Dataset.from_arrays(np.vstack([rows, x]), np.append(np.full(8, target), y))
            best = max(best, dp.individual_privacy(joined, mechanism, 1e-4).epsilon[-1])
    assert found == pytest.approx(best, rel=1e-3)
    assert found >= best * (1 - 1e-9)
    rng = np.random.default_rng(0)
    for _ in range(30):
        X = rng.normal(size=(8, 3))
        X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
        joined = dp.Dataset.from_arrays(np.vstack([X, x]), np.append(rng.choice([-1.0, 1.0], 8), y))
        assert dp.individual_privacy(joined, mechanism, 1e-4).epsilon[-1] <= found * (1 + 1e-9)


@pytest.mark.thorough
def test_the_worst_divergence_is_that_of_the_worst_records():
    result = dp.individual_privacy(random_data(5, 20, 2, domain=dp.Domain()), dp.PosteriorSampling(gamma=0.01, lam=5.0))
    worst = result.worst_case
    found = worst_divergence(result, 2.0)
    assert found <= float(worst.renyi(2.0)) * (1 + 1e-6)
    mu, shift = worst.frontier(np.array([1.0]))
    assert found >= type(result.exposures)(mu, shift).renyi(2.0, "add")[0, 0]
