"""Every registered learner against every contract of learners."""

import inspect

import pytest

import dpcore as dp
from tests.contracts import learner as contracts
from tests.learners.data import replaced


def run(check, kind, monkeypatch):
    check(kind, monkeypatch) if "monkeypatch" in inspect.signature(check).parameters else check(kind)


@pytest.mark.parametrize("check", contracts.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", dp.LEARNERS)
def test_contract(name, check, monkeypatch):
    run(check, dp.LEARNERS[name], monkeypatch)


@pytest.mark.parametrize(
    "kind", [dp.FiniteClassLearner, dp.RegularizedExponentialLearner], ids=lambda kind: kind.__name__
)
def test_learners_outside_the_registry_keep_the_contract_of_plans(kind):
    contracts.check_with_noise_keeps_the_claim(kind)
    contracts.check_plan_sees_public_facts_only(kind)
    contracts.check_target_is_never_exceeded(kind)
    contracts.check_release_holds_nothing_else_of_the_data(kind)


@pytest.mark.parametrize(("base", "choices"), [
    (dp.NoiseAugmentedLearner, {"variant": "moor", "retrieval": "recycle"}), (dp.NoiseAugmentedLearner, {"variant": "sum", "rows": 8}),
    (dp.DPSGD, {"tuning": "dishonest", "candidates": 2}),
])  # fmt: skip
def test_other_choices_keep_nothing_of_the_data_either(base, choices):
    contracts.check_release_holds_nothing_else_of_the_data(replaced(base, **choices))


def test_a_learner_says_which_loss_it_minimises():
    """The audit's attacker and the study's scores read it off the learner."""
    for name, kind in dp.LEARNERS.items():
        learner = contracts.make(kind)
        assert learner.loss in dp.LOSSES.values(), name
    assert contracts.make(dp.LEARNERS["posterior_sampling"]).loss == dp.LOSSES["squared"]
