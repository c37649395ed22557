"""Every record of the errata: its number a second way, the printed form off, the corrected form right or on the safe side."""

import dataclasses

import numpy as np
import pytest

import dpcore as dp
from dpcore.errata import ERRATA, Kind
from dpcore.errata.record import in_words
from tests import every
from tests.errata.oracles import COMPUTED, TOLERANCE
from tests.refusals import refuses

SLOW = {"pdp-prop16-eff", "pdp-prop16-dp", "pdp-thm14-tail"}


def corners(erratum):
    """Defaults, and one other setting well inside the ranges."""
    inside = {}
    for p in erratum.parameters:
        middle = np.sqrt(p.low * p.default) if p.scale == "log" else (p.low + p.default) / 2
        inside[p.name] = float(round(middle)) if p.scale == "integer" else float(middle)
    return [erratum.defaults, inside]


@pytest.mark.parametrize("key", COMPUTED)
def test_the_number_a_second_way(key):
    erratum = ERRATA[key]
    for values in corners(erratum):
        expected = COMPUTED[key](**values)
        found = erratum.demonstrate(**values).computed
        assert found == pytest.approx(expected, rel=TOLERANCE.get(key, 1e-8), abs=1e-7), values


def misprinted(numbers, error):
    """Corrected = computed, beside how far the printed number is off."""
    size = max(abs(numbers.computed), abs(numbers.printed - numbers.computed))
    return abs(numbers.corrected - numbers.computed) <= error * size + 1e-15


RELATIONS = {  # what has to hold wherever the sliders stand, and what makes the record worth showing where they stand first
    Kind.MISPRINT: (
        misprinted,
        lambda n: abs(n.printed - n.computed) > 0.01 * max(abs(n.computed), abs(n.printed)),
    ),
    Kind.FAILS: (
        lambda n, error: n.computed <= n.corrected + 1e-4 * abs(n.computed) + 1e-12,
        lambda n: n.printed < 0.99 * n.computed,
    ),
    Kind.LOOSE: (
        lambda n, error: n.computed <= n.corrected + 2e-4 * abs(n.computed) <= n.printed + 4e-4 * abs(n.computed),
        lambda n: n.printed > 1.01 * n.computed,
    ),
    Kind.REFUTED: (lambda n, error: n.corrected <= n.printed + 1e-12, lambda n: n.computed > n.printed + 0.02),
}  # fmt: skip


@pytest.mark.parametrize("key", ERRATA)
def test_numbers_are_related_as_the_kind_says(key):
    erratum, rng = ERRATA[key], np.random.default_rng(11)
    always, first = RELATIONS[erratum.kind]
    assert first(erratum.demonstrate())
    settings = corners(erratum)
    for _ in range(0 if key in SLOW else 8):
        inside = {p.name: rng.uniform(p.low, p.high) for p in erratum.parameters}
        settings.append(inside | {p.name: round(inside[p.name]) for p in erratum.parameters if p.scale == "integer"})
    for values in settings:
        assert always(erratum.demonstrate(**values), TOLERANCE.get(key, 1e-8)), values


@pytest.mark.thorough
@pytest.mark.parametrize(("order", "shift", "kappa"), [(1.1, 5.0, 0.1), (50.0, 0.05, 0.001), (4.0, 1.0, 0.05)])
def test_the_fast_divergence_is_that_of_the_mechanism(order, shift, kappa):
    found = ERRATA["objpert-linearised"].demonstrate(order=order, shift=shift, kappa=kappa).corrected
    mechanism = dp.ObjectivePerturbation(sigma=1 / shift, lam=1 / kappa, lipschitz=1.0, smoothness=1.0)
    assert found == pytest.approx(float(mechanism.renyi(order)), rel=1e-7)


@pytest.mark.thorough
@every.each(ERRATA)
def test_records_are_complete_and_sweep(key):
    erratum = ERRATA[key]
    assert erratum.source in dp.REFERENCES
    assert erratum.matters.endswith(".")
    assert erratum.consequence.endswith((".", ".)"))
    assert all(latex.count("{") == latex.count("}") for latex in (erratum.printed_latex, erratum.corrected_latex))
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


@every.each(ERRATA)
def test_symbols_explained_are_those_of_the_formula(key):
    erratum = ERRATA[key]
    found, nameless = erratum.explained()
    assert nameless == []
    assert found
    assert all(symbol.split("_")[0] in erratum.corrected_latex for symbol in found)
    assert all(words and words[-1] not in ".,;" for words in found.values())


def test_a_symbol_without_words_is_named():
    erratum = dataclasses.replace(ERRATA["pdp-cov"], corrected_latex=r"\mathrm{Cov}=H^{-1}/\gamma+\xi w e^{-H}")
    assert erratum.explained() == ({name: erratum.symbols[name] for name in ("H", r"\gamma")}, [r"\xi", "w"])


def test_every_known_erratum_has_its_record():
    assert len(ERRATA) == 98
    assert set(COMPUTED) >= {key for key, erratum in ERRATA.items() if erratum.kind is not Kind.MISPRINT}


@pytest.mark.parametrize(("value", "shown"), [
    (-0.2049, "−0.205"), (1.234e-5, "1.23 × 10⁻⁵"), (0.0, "0"), (-4e12, "−4 × 10¹²"), (float("inf"), "∞"), (12.0, "12"),
])  # fmt: skip
def test_numbers_in_sentences(value, shown):
    assert in_words(value) == shown


def test_arguments_are_checked():
    erratum = ERRATA["pdp-lemma4"]
    refuses(dp.ParameterError, "parameter", erratum.demonstrate, sigma=1.0)
    refuses(dp.ParameterError, "gamma", erratum.demonstrate, gamma=-1.0)
