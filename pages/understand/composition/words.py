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
from pages.components.say import md
from pages.components.words import number, program_text, script, times
from pages.understand.composition.state import METHODS, State

CARDS = {
    "pld": ComposedCurve.card,
    "saddle": SaddleCurve.card,
    "renyi": RenyiComposition.card,
    "advanced": AdvancedComposition.card,
    "optimal": OptimalComposition.card,
    "basic": BasicComposition.card,
}

_ALWAYS = {
    "loss": (
        md(
            "**√k, not k.** The mean of the loss grows like k, its standard deviation like √k. While every run is private, the mean is "
            "tiny and the spread decides: ε of k runs follows √k. Where the mean takes over, the curve bends up towards k."
        ),
        md(
            "**δ is a tail, weighted.** Only losses above ε count, and a loss just above ε counts little: that is why δ(ε) is smaller than "
            "the plain probability P(ω > ε)."
        ),
        md(
            "**Many small steps look Gaussian**: a normal law with variance twice its mean. Spikes are atoms: pure mechanisms have a "
            "largest loss that occurs with positive probability, and composing them gives a lattice of such points before it blurs."
        ),
    ),
    "renyi": (
        md(
            "**Rényi curves of steps add up order by order**, so the steps that dominate small orders (many small noises) and large "
            "orders (few rare events) can be read off directly."
        ),
        md(
            "**Subsampling has a phase transition**: at small α its curve runs along a Gaussian's with the noise "
            "divided by q; at some order "
            "it leaps up towards the unsampled mechanism. Objective perturbation has no such leap."
        ),
    ),
    "tuning": (
        md(
            "**Keeping only the best run is cheaper than publishing all of them**, and it is not free: a tuned result that claims the "
            "ε of a single run claims too little."
        ),
        md(
            "**The number of runs must be random and secret.** A fixed, known number can cost far more. With a geometric or logarithmic "
            "number the price grows like the logarithm of its mean; a Poisson number is more concentrated, so it is less often useless, "
            "and its proven price grows faster once the mean is large."
        ),
        md(
            "**Candidates are drawn at random for each run**, independently of the data; that is why covering s "
            "candidates takes more than s "
            "runs."
        ),
    ),
}


def formula_cards(asked: State) -> list[FormulaCard]:
    """Cards of the accountants shown, or of tuning."""
    if asked.view == "tuning":
        return [dp.Tuned.card, CARDS["pld"]]
    shown = ("renyi",) if asked.view == "renyi" else tuple(method for method in METHODS if method in asked.methods)
    return [CARDS[method] for method in shown or ("pld",)]


def observations(asked: State) -> list[str]:
    """Statements computed from what is on screen."""
    high = asked.epsilon_at()
    computed = {"accountants": _accountants, "growth": _growth}
    said = computed[asked.view](asked, high) if asked.view in computed else [*_ALWAYS[asked.view]]
    if any(row.kind == "objective_published" for row in asked.rows):
        tight = tuple(
            replace(row, kind="objective_tight") if row.kind == "objective_published" else row for row in asked.rows
        )
        value = replace(asked, rows=tight).epsilon_at()
        said.append(
            md(
                "**The published bound, not the accountant, is the loose part**: with the tight profile of objective perturbation the "
                "same pipeline has ε = {} instead of {} at δ = {}.",
                number(value),
                number(high),
                number(asked.delta),
            )
        )
    return said


def _accountants(asked: State, high: float) -> list[str]:
    said = [
        md(
            "**Accountants disagree about proofs, not about privacy.** The pipeline has one privacy profile. PLD pins it between two "
            "certified sides; every other line is a valid but looser statement about the same thing."
        ),
    ]
    if "renyi" in asked.methods:
        renyi = asked.epsilon_at("renyi")
        if math.isfinite(renyi) and high > 0:
            said.append(
                md(
                    "**Rényi pays for converting**: {} the ε at δ = {}. The divergences add up "
                    "exactly; the loss is in turning a curve of moments into one (ε, δ).",
                    times(renyi / high),
                    number(asked.delta),
                )
            )
    said.append(
        md(
            "**Small δ is where tools break.** Ordinary Fourier convolution drowns a tail of 10⁻¹² in round-off of 10⁻¹⁶ × everything "
            "else. Here each loss distribution is tilted by $e^{\\theta\\omega}$ first, so the tail is computed where it is large, "
            "and what round-off remains is added to the upper and subtracted from the lower side."
        )
    )
    return said


def _growth(asked: State, high: float) -> list[str]:
    published = [row for row in asked.rows if row.kind == "objective_published"]
    said = [
        md("**The curve says more than its loss variable.** The source composes the loss variable of its proof (D.11), which is never "
        "negative; the true loss is. PLD composes the largest curve that a pair of distributions can have below Theorem 3.1 in both "
        "directions: equally proven, and less than half the ε after many repetitions.")
    ] if published else []  # fmt: skip
    return [
        *said,
        md(
            "**Basic composition grows like k, everything else like √k** until the mean loss, which grows like k, takes over: the lines "
            "bend upwards where the pipeline has no privacy left."
        ),
        md(
            "**One run costs ε = {}** at δ = {}; a hundred runs cost much less than a hundred times that.",
            number(high),
            number(asked.delta),
        ),
    ]


def program(asked: State) -> str:
    """The lines of dpcore that make these numbers."""
    steps = ", ".join(f"({program_text(row.mechanism())}, {row.count})" for row in asked.rows)
    lines = [f"pipeline = [{steps}]", 'bracket = dp.compose(pipeline, method="pld")']
    if asked.view == "tuning":
        lines.append(f'dp.Tuned(bracket.upper, "poisson", mean=15.4).epsilon({asked.delta!r})  # the best of K runs')
    elif asked.view == "loss":
        lines.append(
            f"laws = dp.exhibits.composition.drift(pipeline, {asked.epsilon!r}, {asked.direction!r}, [{asked.runs}])"
        )
        lines.append("[(law.times, law.delta) for law in laws]  # the weighted tail after so many runs")
    lines.append(f"bracket.epsilon({asked.delta!r})  # (lower, upper) of ε at δ")
    lines.append(f"bracket.delta({asked.epsilon!r})    # (lower, upper) of δ at ε")
    return script(*lines)
