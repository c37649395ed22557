"""What is assumed of the data: strengths of signals against integrals and other libraries, generated data against both."""

import numpy as np
import pytest
from scipy import integrate, special, stats
from sklearn.metrics import d2_tweedie_score, r2_score

import dpcore as dp
from dpcore.decisions.difficulty import Difficulty, make_data, poisson_quantile
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.glm.losses import find


@pytest.mark.parametrize("best", [0.6, 0.9, 0.98])
def test_labels_are_as_hard_as_told(best):
    people = Difficulty(best).population(find("logistic"), dp.Domain())
    mean = integrate.quad(lambda z: special.expit(people.strength * abs(z)) * stats.norm.pdf(z), -12, 12, points=[0])[0]
    assert mean == pytest.approx(best, abs=1e-3)
    assert people.scores(np.array([1.0]), np.array([0.0]))[0] == pytest.approx(best, abs=2.5e-3)
    assert people.scores(np.array([0.0]), np.array([1.0]))[0] == pytest.approx(0.5, abs=1e-9)


def test_shares_explained_are_those_of_another_library():
    number = Difficulty(0.7, target_share=0.2).population(find("squared"), dp.Domain())
    assert r2_score(number.y, 0.1 * number.z) == pytest.approx(
        number.scores(np.array([0.1]), np.array([0.0]))[0], abs=1e-9
    )
    assert r2_score(number.y, np.sqrt(0.7) * 0.2 * number.z) == pytest.approx(0.7, abs=0.01)
    assert number.own(0.7) == pytest.approx(0.3 * number.y.var())
    counts = Difficulty(0.25).population(find("poisson"), dp.Domain(target_bound=20.0))
    told = np.exp(counts.strength * counts.z)
    assert d2_tweedie_score(counts.y, told, power=1) == pytest.approx(0.25, abs=2e-3)
    found = counts.scores(np.array([counts.strength]), np.array([0.0]))[0]
    assert found == pytest.approx(d2_tweedie_score(counts.y, told, power=1), abs=1e-9)


def test_poisson_quantiles():
    chance = np.random.default_rng(0).random(4000)
    mean = np.geomspace(1e-3, 40, 4000)
    assert poisson_quantile(chance, mean).tolist() == stats.poisson.ppf(chance, mean).tolist()


@pytest.mark.parametrize(("loss", "bound"), [("logistic", 1.0), ("huber", 2.0), ("poisson", 9.0)])
def test_generated_data_are_the_population(loss, bound):
    """The score of the signal on many generated records, and of half signal, half anything else."""
    loss, assumed = find(loss), Difficulty(row_share=0.5)
    facts = dp.PublicFacts(60_000, 6, dp.Domain(row_norm=2.0, target_bound=bound))
    people = assumed.population(loss, facts.domain)
    data, direction = make_data(facts, loss, assumed, np.random.default_rng(3))
    assert np.linalg.norm(data.X, axis=1) == pytest.approx(1.0)
    other = np.eye(6)[0] - direction[0] * direction
    other /= np.linalg.norm(other)
    for along, across in ((0.5, 0.0), (0.3, 0.3)):
        u = data.X @ (along * direction + across * other) * np.sqrt(6)
        own = loss.scores[0].measure(u[None], data.y)[0]
        assert people.scores(np.array([along]), np.array([across]))[0] == pytest.approx(people.shared(own), abs=0.02)
    again, _ = make_data(facts, loss, assumed, np.random.default_rng(3))
    assert again.y.tolist() == data.y.tolist()


def test_a_constant_costs_budget_too():
    assumed, n, epsilon = Difficulty(constant=0.7), 40, 0.1
    rng = np.random.default_rng(0)
    kept = (n * 0.4 + rng.laplace(scale=1 / epsilon, size=400_000) > 0).mean()
    assert assumed.constant_score(find("logistic"), n, epsilon) == pytest.approx(
        0.7 * kept + 0.3 * (1 - kept), abs=1e-3
    )
    assert assumed.constant_score(find("squared"), n, epsilon) == 0


@pytest.mark.parametrize(("given", "said"), [
    ({"best": 1.0}, "best must be"), ({"row_share": 1.2}, "row_share must be <= 1"), ({"target_share": 0.0}, "target_share must be > 0"),
    ({"constant": 0.4}, "constant must be in"),
])  # fmt: skip
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(ParameterError, match=said):
        Difficulty(**given)


def test_targets_that_do_not_allow_it_are_refused():
    with pytest.raises(ParameterError, match=r"best must be > 0\.5"):
        Difficulty(0.5).population(find("logistic"), dp.Domain())
    with pytest.raises(UnsupportedError, match="target_bound = 1"):
        Difficulty().population(find("logistic"), dp.Domain(target_bound=2.0))
    with pytest.raises(ParameterError, match="no linear signal"):
        Difficulty(0.9).population(find("poisson"), dp.Domain(target_bound=2.0))
