"""Every record of the errata: its number a second way, the printed form off, the corrected form right or on the safe side."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.errata import ERRATA, SOURCES, counterexamples
from dpcore.errata.record import in_words
from tests.errata.oracles import COMPUTED, TOLERANCE

SIMULATED = {"napp-bern": 0.05}  # off by the simulation's own error
BOUNDS = {
    "pdp-lemma4", "pdp-eq3", "pdp-thm14-tail", "pdp-thm14-equal", "adaops-confidence", "objpert-d2", "objpert-linearised",
    "lec10-bullet", "napp-lemma7", "napp-thm8", "napp-gaussian-norm", "pdp-prop11", "pdp-cor12",
}  # fmt: skip
OTHERS = {  # the third number belongs to the printed form, or the corrected one is a claim of its own
    "napp-claims", "napp-claims-vs-plus", "napp-claims-retrieval", "pdp-prop16-dp", "adaops-noise", "adaops-gamma",
    "adaops-delta", "lec12-khat",
}  # fmt: skip
BELOW = {
    "napp-lemma7",
    "napp-thm8",
    "napp-gaussian-norm",
    "pdp-prop11",
    "pdp-cor12",
    "pdp-lemma4",
    "pdp-thm14-tail",
    "pdp-thm14-equal",
    "adaops-confidence",
    "objpert-31-threshold",
    "objpert-31-sign",
}
LOOSE = {"objpert-32-alpha1", "objpert-det-loose", "lec12-ball", "lec10-glm"}


def corners(erratum):
    """Defaults, and one other setting well inside the ranges."""
    inside = {}
    for p in erratum.parameters:
        middle = np.sqrt(p.low * p.default) if p.scale == "log" else (p.low + p.default) / 2
        inside[p.name] = float(round(middle)) if p.scale == "integer" else float(middle)
    return [erratum.defaults, inside]


@pytest.mark.parametrize("key", ERRATA)
def test_the_number_a_second_way(key):
    erratum = ERRATA[key]
    for values in corners(erratum):
        expected = COMPUTED[key](**values)
        found = erratum.demonstrate(**values).computed
        assert found == pytest.approx(expected, rel=TOLERANCE.get(key, 1e-8), abs=1e-7), values


@pytest.mark.parametrize("key", ERRATA)
def test_the_printed_form_is_off_and_the_corrected_one_is_not(key):
    numbers = ERRATA[key].demonstrate()
    assert abs(numbers.printed - numbers.computed) > 0.005 * abs(numbers.computed)
    tolerance = TOLERANCE.get(key, 1e-4)
    if key in BOUNDS:
        assert numbers.corrected >= numbers.computed * (1 - 1e-9)
    elif key not in OTHERS:
        assert numbers.corrected == pytest.approx(
            numbers.computed, rel=SIMULATED.get(key, max(tolerance, 1e-4)), abs=1e-6
        )
    if key in BELOW:
        assert numbers.printed < numbers.computed
    if key in LOOSE:
        assert numbers.printed > numbers.computed


@pytest.mark.parametrize("key", ["napp-lemma7", "napp-thm8", "napp-gaussian-norm", "pdp-prop11", "pdp-cor12"])
def test_corrected_bounds_hold_wherever_the_sliders_stand(key):
    erratum, rng = ERRATA[key], np.random.default_rng(11)
    missed = 0
    for _ in range(30):
        values = {p.name: rng.uniform(p.low, p.high) for p in erratum.parameters}
        values |= {p.name: round(values[p.name]) for p in erratum.parameters if p.scale == "integer"}
        numbers = erratum.demonstrate(**values)
        assert numbers.corrected >= numbers.computed - 1e-9, values
        missed += numbers.printed < numbers.computed
    assert missed > 0


def test_corrected_numbers_that_have_a_meaning_of_their_own():
    prop16 = ERRATA["pdp-prop16-dp"].demonstrate(gamma=1e-3, lam=4.0, n=100, delta=1e-5)
    assert prop16.computed == pytest.approx(7e-3, rel=0.1)
    assert prop16.corrected <= 1e-5
    assert ERRATA["adaops-noise"].demonstrate().corrected <= 1
    assert ERRATA["adaops-gamma"].demonstrate().corrected == pytest.approx(0.25)
    assert ERRATA["adaops-delta"].demonstrate().corrected == pytest.approx(1)
    khat = ERRATA["lec12-khat"].demonstrate(t=0.2)
    assert khat.corrected == pytest.approx(khat.printed, rel=1e-8)  # E_K + t, once the cap is gone
    assert ERRATA["objpert-d2"].demonstrate().computed > ERRATA["objpert-d2"].demonstrate().printed


@pytest.mark.parametrize(("order", "shift", "kappa"), [(1.1, 5.0, 0.1), (50.0, 0.05, 0.001), (4.0, 1.0, 0.05)])
def test_the_fast_divergence_is_that_of_the_mechanism(order, shift, kappa):
    found = ERRATA["objpert-linearised"].demonstrate(order=order, shift=shift, kappa=kappa).computed
    mechanism = dp.ObjectivePerturbation(sigma=1 / shift, lam=1 / kappa, lipschitz=1.0, smoothness=1.0)
    assert found == pytest.approx(float(mechanism.renyi(order)), rel=1e-7)


@pytest.mark.parametrize("key", ["napp-claims", "napp-claims-vs-plus", "napp-claims-retrieval"])
def test_noise_augmentation_breaks_its_claim_and_the_certified_form_does_not(key):
    numbers = ERRATA[key].demonstrate()
    assert numbers.printed == 0
    assert numbers.computed > 0.02
    assert numbers.corrected == pytest.approx(0, abs=1e-12)


def test_certified_epsilon_is_attained():
    """A little less than the certified ε is too little: the bound is not merely safe."""
    setting = counterexamples.Scalar(1.0, 0.25, 0.5, 1.0)
    theta = np.array([-1.0, 0.5])  # unclipped; noise on the side where the shift counts in full
    ratio = np.log(setting.law(theta, True) / setting.law(theta, False))
    assert np.abs(ratio).max() == pytest.approx(setting.rate + np.log1p(1 / (2 * setting.floor)), rel=0.5)
    assert counterexamples.certified_delta(1.0, 0.25) == 0


@pytest.mark.parametrize("present", [True, False])
def test_output_laws_of_the_counterexample_sum_to_one(present):
    for strength, target in ((0.25, 1.0), (1.0, 0.3), (0.0, -1.0)):
        setting = counterexamples.Scalar(1.0, strength, 0.5, target)
        edges = setting.grid()
        middle = (edges[1:] + edges[:-1]) / 2
        total = setting.atom(present) + float(setting.law(middle, present) @ np.diff(edges))
        assert total == pytest.approx(1, abs=2e-3)


@pytest.mark.parametrize("key", ERRATA)
def test_records_are_complete_and_sweep(key):
    erratum = ERRATA[key]
    assert erratum.source in SOURCES
    assert erratum.source in dp.REFERENCES
    assert erratum.matters.endswith(".")
    assert erratum.consequence.endswith((".", ".)"))
    assert erratum.printed_latex.count("{") == erratum.printed_latex.count("}")
    assert erratum.corrected_latex.count("{") == erratum.corrected_latex.count("}")
    numbers = erratum.demonstrate()
    sentence = erratum.sentence(numbers)
    assert in_words(numbers.computed) in sentence or in_words(numbers.corrected) in sentence
    for end in (lambda p: p.low, lambda p: p.high):
        extreme = erratum.demonstrate(**{p.name: end(p) for p in erratum.parameters})
        assert not np.isnan([extreme.printed, extreme.corrected, extreme.computed]).any()
    if erratum.points < 10:
        return
    sweep = erratum.sweep()
    assert len(sweep.x) == len(sweep.printed) == len(sweep.corrected) == len(sweep.computed)
    assert sweep.x[0] == erratum.parameters[0].low


def test_every_known_erratum_has_its_record():
    assert len(ERRATA) == 64
    assert set(COMPUTED) == set(ERRATA)


@pytest.mark.parametrize(("value", "shown"), [
    (-0.2049, "−0.205"), (1.234e-5, "1.23 × 10⁻⁵"), (0.0, "0"), (-4e12, "−4 × 10¹²"), (float("inf"), "∞"), (12.0, "12"),
])  # fmt: skip
def test_numbers_in_sentences(value, shown):
    assert in_words(value) == shown


def test_arguments_are_checked():
    erratum = ERRATA["pdp-lemma4"]
    with pytest.raises(dp.ParameterError, match="parameter"):
        erratum.demonstrate(sigma=1.0)
    with pytest.raises(dp.ParameterError, match="gamma"):
        erratum.demonstrate(gamma=-1.0)
