"""Certified sides of runs against what the libraries themselves say of them, recorded or live."""

import json
from collections import OrderedDict
from pathlib import Path

import dp_accounting
import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant

import dpcore as dp
from dpcore.exhibits.check_run.study import RECORDED
from tests.refusals import refuses

HERE = Path(__file__).parent / "recorded"
SAID = json.loads(
    (HERE / "libraries.json").read_text(encoding="utf-8")
)  # what the libraries named in it exported and said
DELTA = 1e-5
GAUSSIAN, LAPLACE = dp_event.GaussianDpEvent(1.3), dp_event.LaplaceDpEvent(2.0)
SGD = dp_event.SelfComposedDpEvent(dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(1.0)), 300)
EVENTS = {
    "gaussian": GAUSSIAN,
    "laplace": dp_event.SelfComposedDpEvent(LAPLACE, 3),
    "discrete laplace": dp_event.SelfComposedDpEvent(dp_event.DiscreteLaplaceDpEvent(0.4, 1), 2),
    "sgd": SGD,
    "composed": dp_event.ComposedDpEvent([SGD, GAUSSIAN, LAPLACE, dp_event.NoOpDpEvent()]),
    "sampled twice": dp_event.PoissonSampledDpEvent(0.3, dp_event.PoissonSampledDpEvent(0.5, GAUSSIAN)),
    "several on one sample": dp_event.PoissonSampledDpEvent(0.2, dp_event.SelfComposedDpEvent(GAUSSIAN, 4)),
    "truncated": dp_event.TruncatedSubsampledGaussianDpEvent(1000, 0.02, 35, 1.0),
}  # fmt: skip
SHAPES = {
    "json": lambda event: json.dumps(event.to_named_tuple()),
    "named tuple": lambda event: event.to_named_tuple(),
    "printed": repr,
}


ALIKE = {  # for what dp_accounting takes in another form only
    "sampled twice": dp_event.PoissonSampledDpEvent(0.15, GAUSSIAN),
    "several on one sample": dp_event.PoissonSampledDpEvent(0.2, dp_event.GaussianDpEvent(0.65)),
}


def pld(event, delta=DELTA):
    return PLDAccountant().compose(event).get_epsilon(delta)


@pytest.mark.parametrize("name", EVENTS)
def test_pld_of_dp_accounting_lies_between_the_sides_or_is_flagged(name):
    """It rounds losses up, so it may lie above; a tighter one of ours would be wrong, as would a much looser one."""
    said = pld(ALIKE.get(name, EVENTS[name]))
    found = dp.check_run({"event": EVENTS[name].to_named_tuple(), "epsilon": said, "delta": DELTA})
    low, high = found.epsilon
    assert 0 < low <= high
    assert low * (1 - 1e-9) <= said <= high * 1.002 + 1e-4
    assert found.claimed == said
    assert found.verdict != "refuted"
    if said > 1.001 * high:
        assert "gives away" in found.flags[0]
    assert low > 0.99 * high or name == "truncated"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_the_same_in_every_shape(name, shape):
    assert dp.check_run(SHAPES[shape](EVENTS[name])).pipeline == dp.check_run(EVENTS[name].to_named_tuple()).pipeline


def test_randomised_response_as_dp_accounting_takes_it():
    event = dp_event.RandomizedResponseDpEvent(0.4, 3)
    accountant = PLDAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE).compose(event)
    low, high = dp.check_run(repr(event), 1e-3).epsilon
    assert low == pytest.approx(accountant.get_epsilon(1e-3), abs=2e-4)
    assert high == pytest.approx(low, rel=1e-3)


def test_a_tree_as_dp_accounting_takes_it():
    event = dp_event.SingleEpochTreeAggregationDpEvent(3.0, [7, 8])
    rdp_accountant = dp_accounting.rdp.RdpAccountant(
        neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_SPECIAL
    )
    said = rdp_accountant.compose(event).get_epsilon(DELTA)
    found = dp.check_run(repr(event))
    assert found.pipeline == ((dp.Gaussian(3.0 / 2), 1),)
    assert found.epsilon[1] < said < 1.3 * found.epsilon[1]


@pytest.mark.parametrize(("event", "said"), [
    (dp_event.NonPrivateDpEvent(), "no finite ε"),
    (dp_event.SampledWithReplacementDpEvent(100, 10, GAUSSIAN), "several times"),
    (dp_event.RepeatAndSelectDpEvent(GAUSSIAN, 3.0, 1.0), r"dp\.Tuned"),
    (dp_event.PoissonSampledDpEvent(0.1, dp_event.SelfComposedDpEvent(LAPLACE, 2)), "same sample"),
])  # fmt: skip
def test_what_cannot_be_bounded_is_refused_with_a_sentence(event, said):
    with pytest.raises(dp.UnsupportedError, match=said):
        dp.check_run(event.to_named_tuple())


@pytest.mark.parametrize("rule", ["rdp", "gdp", "prv"])
def test_opacus_says_what_is_recomputed(rule):
    state, said = SAID["opacus"][rule]["state"], SAID["opacus"][rule]["epsilon"]
    found = dp.check_run(OrderedDict(state), DELTA)
    low, high = found.epsilon
    assert any("Poisson" in flag for flag in found.flags)
    if rule == "prv":  # its guarantee: at most 0.01 above, where it is asked for no other error
        assert found.claimed is None
        assert dp.check_run({**state, "epsilon": said, "delta": DELTA}).verdict == "holds"
        assert high < said < high + 0.02
    else:
        assert found.claimed == pytest.approx(said, rel=1e-9)
        assert (found.verdict == "refuted") == (said < low) == (rule == "gdp")


def test_opacus_adds_entries_of_its_history():
    said = SAID["opacus"]["two"]
    found = dp.check_run(json.dumps(said["state"]), 1e-6)
    assert len(found.pipeline) == 2
    assert found.claimed == pytest.approx(said["epsilon"], rel=1e-9)
    event = dp_event.ComposedDpEvent([
        dp_event.SelfComposedDpEvent(dp_event.PoissonSampledDpEvent(q, dp_event.GaussianDpEvent(s)), n)
        for s, q, n in said["state"]["history"]
    ])  # fmt: skip
    assert found.epsilon[0] <= pld(event, 1e-6) <= found.epsilon[1] * 1.001


def test_jax_privacy_lies_between_the_sides():
    """Its value for a scaled batch is looser than its own pipeline; all others are the certified side to four digits."""
    for name, one in SAID["jax"].items():
        found = dp.check_run(f"{one['repr']}\nnum_updates = {one['updates']}\nepsilon = {one['epsilon']!r}")
        assert found.delta == DELTA
        assert found.verdict in ("inside", "holds"), name
        assert found.epsilon[1] == pytest.approx(one["epsilon"], rel=1e-4) or name == "scaled"
    event = dp_event.ComposedDpEvent([
        dp_event.SelfComposedDpEvent(dp_event.PoissonSampledDpEvent(q, dp_event.GaussianDpEvent(s)), n)
        for s, q, n in ((1.0, 0.01, 400), (1.5, 0.01, 100), (1.5, 0.02, 500))
    ])  # fmt: skip
    one = SAID["jax"]["scaled"]
    assert dp.check_run(f"{one['repr']}\nnum_updates = 1000").epsilon[1] == pytest.approx(pld(event), rel=1e-3)


def test_fixed_batches_and_dropped_records_are_named():
    fixed, cyclic, cut = (
        SAID["jax"][name]["repr"] + "\nnum_updates = 1000" for name in ("fixed", "cyclic", "truncated")
    )
    poisson = dp.check_run(SAID["jax"]["poisson"]["repr"] + "\nnum_updates = 1000").epsilon
    assert dp.check_run(fixed).epsilon[0] > poisson[1] * 1.2
    assert "fixed size" in dp.check_run(fixed).flags[0]
    assert dp.check_run(cyclic).epsilon[0] == 0
    assert "5000 records, rounded down" in dp.check_run(cyclic).flags[0]
    assert "cut to 600" in dp.check_run(cut).flags[0]


def test_flower_says_what_is_recomputed_and_replaced_clients_are_named():
    for name in ("poisson", "all"):
        found = dp.check_run(SAID["flower"][name]["state"])
        assert found.claimed == pytest.approx(SAID["flower"][name]["epsilon"], rel=1e-6)
        assert found.verdict == "holds"
    fixed = dp.check_run({**SAID["flower"]["fixed"]["state"], "epsilon": SAID["flower"]["fixed"]["epsilon"]})
    assert fixed.verdict == "open"
    assert "between both sides" in fixed.flags[0]
    assert "replaced by another" in fixed.flags[1]


def test_both_numbers_of_tensorflow_privacy_are_checked():
    plain, micro, user, tight = (dp.check_run(SAID["tf"][name]) for name in ("plain", "micro", "user", "pld"))
    assert (plain.claimed, plain.claim[1], plain.verdict) == (21.901, 1e-5, "holds")
    assert tight.verdict == "inside"
    assert any("certified under it is 1.134" in flag for flag in tight.flags)
    assert any("refuted" in flag and "not 1.281" in flag for flag in plain.flags)
    assert micro.pipeline == ((dp.Gaussian(0.55), 15),)
    assert user.pipeline == ((dp.Gaussian(1.1), 16),)
    assert any("twice the clipping norm" in flag for flag in micro.flags)
    assert any("group privacy" in flag for flag in user.flags)


def test_opendp_maps_are_the_largest_losses():
    for name, (text, said) in SAID["opendp"].items():
        found = dp.check_run(text)
        if name == "zcdp":
            assert found.epsilon[1] < said < 1.2 * found.epsilon[1]
        elif said is not None:
            assert float(found.epsilon_at(1e-13)[1]) == pytest.approx(said, rel=1e-6)
    assert dp.check_run(SAID["opendp"]["gaussian_int"][0]).pipeline == ((dp.DiscreteGaussian(3.0, 1), 1),)
    half = dp.check_run(json.dumps({"measurement": json.loads(SAID["opendp"]["count"][0]), "sensitivity": 0.5}))
    assert half.pipeline == ((dp.Laplace(2.0, 0.5), 1),)


@pytest.mark.parametrize(("first", "taken"), [("make_clamp", True), ("make_split_lines", False)])
def test_a_count_is_bounded_behind_what_changes_each_record_by_itself_alone(first, taken):
    measurement = json.loads(SAID["opendp"]["count"][0])
    given = measurement["__kwargs__"]
    before = {"__function__": first, "__kwargs__": {}}
    given["transformation0"] = {
        "__function__": "make_chain_tt", "__kwargs__": {"transformation0": before, "transformation1": given["transformation0"]},
    }  # fmt: skip
    if taken:
        assert dp.check_run(measurement).pipeline == dp.check_run(SAID["opendp"]["count"][0]).pipeline
    else:
        refuses(dp.UnsupportedError, first, dp.check_run, measurement)


@pytest.mark.parametrize(("text", "epsilon"), [
    ("PureDPBudget(epsilon=1.5)", 1.5),
    ("ApproxDPBudget(epsilon=1, delta=1e-06)", 1.0),
    ("PureDPBudget(1)\nApproxDPBudget(0.5, 1e-6)", 1.5),
])  # fmt: skip
def test_a_budget_of_tumult_bounds_from_above_alone(text, epsilon):
    found = dp.check_run(text)
    low, high = found.epsilon
    assert low == 0 < high <= epsilon * (1 + 1e-9)
    assert found.claimed == epsilon
    assert found.verdict in ("inside", "holds")
    assert "names no mechanism" in " ".join(found.flags)


def test_concentrated_budgets_add_up_before_they_are_converted():
    both, one = dp.check_run("RhoZCDPBudget(rho=0.1)\nRhoZCDPBudget(rho=0.05)"), dp.check_run("RhoZCDPBudget(rho=0.15)")
    assert both.epsilon[1] == pytest.approx(one.epsilon[1], rel=1e-12)
    assert one.epsilon[1] > float(dp.Gaussian(1 / np.sqrt(0.3)).epsilon(DELTA))


STATE = {"history": [[0.8, 0.01, 200]], "mechanism": "prv"}


@pytest.mark.parametrize(("beside", "said", "above"), [
    ({}, "does not say how batches were drawn", (dp.Subsampled(dp.Gaussian(0.8), 0.01), 200)),
    ({"poisson_sampling": True}, "prv", (dp.Subsampled(dp.Gaussian(0.8), 0.01), 200)),
    ({"poisson_sampling": False}, "shuffled, not Poisson", (dp.Gaussian(0.8), 2)),
    ({"adjacency": "replace_one", "poisson_sampling": True}, "noise counts half", (dp.Subsampled(dp.Gaussian(0.4), 0.01), 200)),
    ({"dataset_size": 1000, "expected_batch_size": 10, "poisson_sampling": True}, "rounded down",
     (dp.Subsampled(dp.Gaussian(0.8), 0.011), 200)),
    ({"dataset_size": 1005, "expected_batch_size": 10, "poisson_sampling": True}, "divides the sum",
     (dp.Subsampled(dp.Gaussian(0.8), 0.01), 200)),
    ({"dataset_size": 1000, "batch_size": 12, "poisson_sampling": True}, "more than the sample rate",
     (dp.Subsampled(dp.Gaussian(0.8), 0.012), 200)),
])  # fmt: skip
def test_how_batches_were_drawn_is_named_and_bounded(beside, said, above):
    found = dp.check_run({**STATE, **beside})
    assert found.pipeline == (above,)
    assert any(said in flag for flag in found.flags)
    assert 0 < found.epsilon[0] <= found.epsilon[1]


@pytest.mark.parametrize(("beside", "said"), [
    ({"adjacency": "remove_two"}, "adjacency must be"),
    ({"poisson_sampling": "no"}, "poisson_sampling must be"),
    ({"poisson_sampling": False, "adjacency": "replace_one"}, "leave adjacency out"),
    ({"history": [[0.0, 0.01, 5]]}, "no finite ε"),
    ({"history": [[1.0, 1.5, 5]]}, r"Opacus: sample rate must be in \(0, 1\]"),
    ({"history": [[1.0, 0.5, 0.5]]}, "history, entry 1: steps"),
])  # fmt: skip
def test_a_state_that_makes_no_sense_is_refused(beside, said):
    with pytest.raises(dp.DataError, match=said):
        dp.check_run({**STATE, **beside})


def test_a_claim_is_compared_at_its_own_delta_with_the_digits_it_has():
    sure = dp.check_run({**STATE, "poisson_sampling": True, "epsilon": 3, "delta": 1e-6}, delta=1e-4)
    assert sure.claim == (3.0, 1e-6)
    assert "the claim is for δ = 1e-06" in " ".join(sure.flags)
    low = sure.at(1e-6).epsilon[0]
    for said, verdict in ((low - 0.006, "refuted"), (low - 0.004, "inside"), (low + 0.006, "holds")):
        text = f"{round(said, 2) if verdict == 'inside' else said:.6f}"
        text = f"{low:.2f}" if verdict == "inside" else text
        assert dp.check_run({**STATE, "epsilon": text, "delta": 1e-6}).verdict == verdict


@pytest.mark.parametrize("name", RECORDED)
def test_every_recorded_run_has_a_finite_upper_side(name):
    found = dp.check_run(RECORDED[name].text)
    low, high = found.epsilon
    assert 0 <= low <= high < np.inf
    assert (found.verdict == "refuted") == (name in ("shuffled", "gdp"))
    assert all(flag.endswith(".") for flag in found.flags)
