"""Words, formulas and code of the composition page."""

from __future__ import annotations

import math
from dataclasses import replace

import dpcore as dp
from dpcore.accountants.pld import ComposedCurve
from dpcore.accountants.rdp import RenyiComposition
from dpcore.accountants.saddle import SaddleCurve
from dpcore.accountants.theorems import AdvancedComposition, BasicComposition, OptimalComposition
from dpcore.references import FormulaCard
from pages.components import say
from pages.components.words import program_text, programs
from pages.understand.composition.state import METHODS, State

_sentence, _program = say.sentences(__file__), programs(__file__)

CARDS = {
    "pld": ComposedCurve.card,
    "saddle": SaddleCurve.card,
    "renyi": RenyiComposition.card,
    "advanced": AdvancedComposition.card,
    "optimal": OptimalComposition.card,
    "basic": BasicComposition.card,
}

_ALWAYS = {
    "loss": (_sentence("root_k_not_k"), _sentence("weighted_tail"), _sentence("many_small_steps_look")),
    "renyi": (_sentence("renyi_adds_up"), _sentence("phase_transition")),
    "tuning": (
        _sentence("keeping_only_best_run"),
        _sentence("number_runs_must_be"),
        _sentence("candidates_drawn_random_for"),
    ),
}


def formula_cards(asked: State) -> list[FormulaCard]:
    """Cards of the accountants shown, or of tuning."""
    if asked.view == "tuning":
        return [dp.Tuned.card, CARDS["pld"]]
    shown = ("renyi",) if asked.view == "renyi" else tuple(method for method in METHODS if method in asked.methods)
    return [CARDS[method] for method in shown or ("pld",)]


def observations(asked: State) -> list[str]:
    """Sentences computed from what is on the screen."""
    high = asked.epsilon_at()
    computed = {"accountants": _accountants, "growth": _growth}
    said = computed[asked.view](asked, high) if asked.view in computed else [*_ALWAYS[asked.view]]
    if any(row.kind == "objective_published" for row in asked.rows):
        tight = tuple(
            replace(row, kind="objective_tight") if row.kind == "objective_published" else row for row in asked.rows
        )
        value = replace(asked, rows=tight).epsilon_at()
        said.append(_sentence("published_bound_not_accountant", value, high, asked.delta))
    return said


def _accountants(asked: State, high: float) -> list[str]:
    said = [_sentence("accountants_disagree_about_proofs")]
    if "renyi" in asked.methods:
        renyi = asked.epsilon_at("renyi")
        if math.isfinite(renyi) and high > 0:
            said.append(_sentence("renyi_converts", renyi / high, asked.delta))
    said.append(_sentence("small_delta"))
    return said


def _growth(asked: State, high: float) -> list[str]:
    published = [row for row in asked.rows if row.kind == "objective_published"]
    said = [_sentence("curve_says_more_than")] if published else []
    return [*said, _sentence("basic_composition_grows_like"), _sentence("one_run_costs", high, asked.delta)]


def program(asked: State) -> str:
    """The lines of dpcore that make these numbers."""
    steps = ", ".join(f"({program_text(row.mechanism())}, {row.count})" for row in asked.rows)
    return _program(asked.view if asked.view in ("tuning", "loss") else "pipeline", asked=asked, steps=steps)
