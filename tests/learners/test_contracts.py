"""Every registered learner against every contract of learners, and the contracts against learners that are wrong on purpose."""

import contextlib
import dataclasses
import functools
import inspect

import numpy as np
import pytest

import dpcore as dp
from dpcore.learners import (
    LEARNERS,
    FiniteClassLearner,
    NoiseAugmentedLearner,
    OutputPerturbationLearner,
    PublicFacts,
    RegularizedExponentialLearner,
    Release,
)
from tests.contracts import learner as contracts
from tests.learners.data import replaced


def run(check, kind, monkeypatch):
    check(kind, monkeypatch) if "monkeypatch" in inspect.signature(check).parameters else check(kind)


@pytest.mark.parametrize("check", contracts.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", LEARNERS)
def test_contract(name, check, monkeypatch):
    run(check, LEARNERS[name], monkeypatch)


def unnamed_noise(self, dataset, plan, rng):
    honest = OutputPerturbationLearner._release(self, dataset, plan, rng)
    return Release(honest.theta + 1e-3 * rng.standard_normal(2), plan.profile, plan.parameters, plan.notes)


def squared_noise(self, facts):
    plan = OutputPerturbationLearner.plan(self, facts)
    return dataclasses.replace(plan, noise={"sigma_out": 2})


def no_named_noise(self, facts):
    return dataclasses.replace(OutputPerturbationLearner.plan(self, facts), noise={})


def no_profile(self, facts):
    plan = OutputPerturbationLearner.plan(self, facts)
    return dataclasses.replace(plan, profile=dp.Gaussian(plan.profile.sigma / 2, plan.profile.sensitivity))


def global_noise(self, dataset, plan, rng):
    np.random.standard_normal(1)  # noqa: NPY002 (the fault under test)
    return OutputPerturbationLearner._release(self, dataset, plan, rng)


def a_peek(self, facts):
    plan = OutputPerturbationLearner.plan(self, facts)
    return dataclasses.replace(plan, parameters={**plan.parameters, "drawn": np.random.default_rng().random()})


def in_units_of_one(self, facts):
    plan = OutputPerturbationLearner.plan(self, facts)
    return dataclasses.replace(
        plan, parameters={**plan.parameters, "sigma_out": plan.parameters["sigma_out"] / plan.parameters["clip"]}
    )


def steps_taken(self, dataset, plan, rng):
    honest = OutputPerturbationLearner._release(self, dataset, plan, rng)
    norm = dp.solve(self.problem(dataset, plan), plan.parameters["tau"]).gradient_norm
    return Release(honest.theta, plan.profile, {**plan.parameters, "reached": norm}, plan.notes)


def minimiser_within(self, dataset, plan, rng):
    released = OutputPerturbationLearner._release(self, dataset, plan, rng)
    object.__setattr__(released, "report", (*released.report, functools.partial(self.law, dataset, plan)))
    return released


def its_generator(self, dataset, plan, rng):
    released = OutputPerturbationLearner._release(self, dataset, plan, rng)
    object.__setattr__(released, "later", lambda: rng.standard_normal())
    return released


def unverified(self, dataset, plan, rng):
    problem = dp.Problem(self.loss, dataset.X, dataset.y, lam=plan.parameters["lam"])
    theta = np.linalg.solve(problem.hessian(np.zeros(2)), -problem.gradient(np.zeros(2)))
    with contextlib.suppress(dp.ConvergenceError):
        theta = dp.solve(problem, 1e-8).theta
    return Release(theta, plan.profile, plan.parameters, plan.notes)


def another_law(self, dataset, plan):
    return OutputPerturbationLearner.law(self, dataset, plan.with_noise(0.5))


WRONG = {
    "noise that the plan does not name": ({"_release": unnamed_noise}, "check_with_noise_scales_all_noise"),
    "noise of another power": ({"plan": squared_noise}, "check_with_noise_scales_all_noise"),
    "a plan without its noise": ({"plan": no_named_noise}, "check_with_noise_scales_all_noise"),
    "half the noise the target needs": ({"plan": no_profile}, "check_target_is_never_exceeded"),
    "a plan that draws": ({"plan": a_peek}, "check_plan_sees_public_facts_only"),
    "a global generator": ({"_release": global_noise}, "check_a_seed_repeats_the_release_and_nothing_else_does"),
    "noise for gradients of at most 1": ({"plan": in_units_of_one}, "check_units_of_the_data_are_free"),
    "a release that says how well it was solved": (
        {"_release": steps_taken},
        "check_release_holds_nothing_else_of_the_data",
    ),
    "a release that can compute its minimiser": (
        {"_release": minimiser_within},
        "check_release_holds_nothing_else_of_the_data",
    ),
    "a release that keeps its generator": ({"_release": its_generator}, "check_release_holds_nothing_else_of_the_data"),
    "a release without convergence": ({"_release": unverified}, "check_no_release_without_convergence"),
    "the law of another plan": ({"law": another_law}, "check_law_is_that_of_the_output"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_learner_fails_its_contract(name, monkeypatch):
    changed, check = WRONG[name]
    with pytest.raises((AssertionError, dp.DPError, pytest.fail.Exception)):
        run(getattr(contracts, check), replaced(OutputPerturbationLearner, **changed), monkeypatch)


@pytest.mark.parametrize("kind", [FiniteClassLearner, RegularizedExponentialLearner], ids=lambda kind: kind.__name__)
def test_learners_outside_the_registry_keep_the_contract_of_plans(kind):
    contracts.check_with_noise_keeps_the_claim(kind)
    contracts.check_plan_sees_public_facts_only(kind)
    contracts.check_target_is_never_exceeded(kind)
    contracts.check_release_holds_nothing_else_of_the_data(kind)


@pytest.mark.parametrize(("base", "choices"), [
    (NoiseAugmentedLearner, {"variant": "moor", "retrieval": "recycle"}), (NoiseAugmentedLearner, {"variant": "sum", "rows": 8}),
    (dp.DPSGD, {"tuning": "dishonest", "candidates": 2}),
])  # fmt: skip
def test_other_choices_keep_nothing_of_the_data_either(base, choices):
    contracts.check_release_holds_nothing_else_of_the_data(replaced(base, **choices))


def test_a_learner_says_which_loss_it_minimises():
    """The audit's attacker and the study's scores read it off the learner."""
    for name, kind in LEARNERS.items():
        learner = contracts.make(kind)
        assert learner.loss in dp.LOSSES.values(), name
    assert FiniteClassLearner().loss is None
    assert contracts.make(LEARNERS["posterior_sampling"]).loss == dp.LOSSES["squared"]
    assert PublicFacts.of(contracts.data()).n_samples == 60


def test_the_trade_off_of_an_integrated_profile_has_no_warning():
    """δ of a stopping solver is integrated numerically and flat to the last digit in places."""
    profile = contracts.planned(LEARNERS["amp"])[1].profile
    curve = profile.tradeoff(np.linspace(0, 1, 12))
    assert ((curve >= 0) & (curve <= 1 - np.linspace(0, 1, 12))).all()
    assert (np.diff(curve) <= 1e-12).all()
