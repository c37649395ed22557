"""Every learner of the project attacked on a hard pair: its declared profile survives, and broken twins do not."""

import dataclasses

import numpy as np
import pytest

import dpcore as dp
from dpcore.audit import audit, exact_audit, judge, learner_game
from dpcore.audit.attacks import available
from dpcore.audit.cross_check import hockey_stick_of
from dpcore.audit.game import empty_row
from dpcore.learners import LEARNERS, ObjectivePerturbationLearner, OutputPerturbationLearner, Plan

BUDGET = {"epsilon": 3.0, "delta": 0.05}
LOSSES = {
    "amp": "squared",
    "output_perturbation": "squared",
    "objective_perturbation": "logistic",
    "dp_sgd": "logistic",
}
RUNS, SEED = 300, 2026


def one_record(target: float = 1.0) -> dp.Dataset:
    """A record of full length and nobody else: the zero rows carry no gradient."""
    bound = max(1.0, abs(target))
    return dp.Dataset.from_arrays([[1.0], [0.0]], [target, 1.0], domain=dp.Domain(target_bound=bound))


def small_data() -> dp.Dataset:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    X[0] = [1.0, 0.0]
    y = np.where(rng.random(12) < 0.5, 1.0, -1.0)
    return dp.Dataset.from_arrays(X, y, domain=dp.Domain())


def learner(key: str) -> dp.learners.Learner:
    options = dict(BUDGET) if key != "non_private" else {}
    if key in LOSSES:
        options["loss"] = LOSSES[key]
    if key == "dp_sgd":
        options |= {"epochs": 1, "batch": 6}
    return LEARNERS[key](**options)


@pytest.mark.parametrize(
    ("key", "data"),
    [*((key, one_record) for key in LEARNERS), ("dp_sgd", small_data), ("noise_augmentation", small_data)],
)
def test_no_learner_is_refuted(key, data):
    game = learner_game(learner(key), data(), 0)
    result = audit(game, RUNS, SEED, attack=available(game)[0], delta=BUDGET["delta"])
    assert not result.refuted, result.p_value
    if key != "non_private":
        assert result.epsilon_lower <= BUDGET["epsilon"]


@pytest.mark.parametrize("key", ["objective_perturbation", "output_perturbation", "posterior_sampling"])
@pytest.mark.parametrize("target", [1.0, -1.0])
def test_exact_laws_stay_below_the_declared_profile(key, target):
    game = learner_game(learner(key), one_record(target), 0)
    result = exact_audit(game)
    assert not result.refuted, result.excess
    assert max(hockey_stick_of(game.pair.densities, one, 0.0) for one in ("add", "remove")) > 0.05


def broken(base: type, **changes: float) -> type:
    """A learner that declares the profile of its base but runs with other numbers."""

    class Broken(base):
        def _release(self, dataset, plan, rng):
            altered = {name: plan.parameters[name] * factor for name, factor in changes.items()}
            honest = super()._release(dataset, Plan(plan.profile, {**plan.parameters, **altered}, plan.notes), rng)
            return dataclasses.replace(honest, parameters=plan.parameters)

    return Broken


FAR = 20.0  # a target that no fit reaches, so that the record pulls with its whole clipped gradient
STRICT, LAX = {"epsilon": 1.0, "delta": 0.01}, {"epsilon": 3.0, "delta": 0.05}
BROKEN = {
    "half the noise, objective": (broken(ObjectivePerturbationLearner, sigma=0.5), FAR, LAX | {"clip": 1.0}),
    "half the noise, output": (broken(OutputPerturbationLearner, sigma_out=0.5), FAR, LAX | {"clip": 1.0, "lam": 1.0}),
    "too small λ, output": (broken(OutputPerturbationLearner, lam=0.3), FAR, STRICT | {"clip": 1.0, "lam": 1.0}),
    "too small λ, objective": (broken(ObjectivePerturbationLearner, lam=0.01), 1.0, STRICT | {"clip": 1.0}),
    "unclipped, objective": (broken(ObjectivePerturbationLearner, clip=1e3), FAR, STRICT | {"clip": 0.2}),
    "unclipped, output": (broken(OutputPerturbationLearner, clip=1e3), FAR, STRICT | {"clip": 0.2, "lam": 1.0}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_learners_are_refuted(name):
    kind, target, options = BROKEN[name]
    game = learner_game(kind("squared", **options), one_record(target), 0)
    outputs = [game.play(present, 750, np.random.default_rng([SEED, present])) for present in (False, True)]
    assert judge(game, *outputs).refuted
    if "too small λ, objective" not in name:
        assert judge(game, *outputs, "classifier").refuted


def test_removing_a_row_leaves_the_fit_to_the_others():
    data = small_data()
    keep = np.arange(1, data.n_samples)
    others = dp.Problem("logistic", data.X[keep], data.y[keep], lam=0.7)
    emptied = empty_row(data, 0)
    same = dp.Problem("logistic", emptied.X, emptied.y, lam=0.7)
    assert dp.solve(same, 1e-11).theta == pytest.approx(dp.solve(others, 1e-11).theta, abs=1e-10)


def test_rows_that_cannot_be_found_are_refused():
    with pytest.raises(dp.DataError, match="all zeros"):
        learner_game(learner("output_perturbation"), one_record(), 1)
    with pytest.raises(dp.DataError, match="There is no row at index"):
        learner_game(learner("output_perturbation"), one_record(), 7)
