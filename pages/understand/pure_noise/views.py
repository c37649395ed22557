"""State, cards, charts and words of the page on pure noise."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from dpcore.exhibits.pure_noise import figure as figures
from dpcore.exhibits.pure_noise import study
from dpcore.mechanisms import Gaussian, Laplace, Staircase
from dpcore.profiles import curves
from dpcore.references import FormulaCard
from pages.components import cache, cards, controls, say, state
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import count, number, programs, times

_sentence, _program = say.sentences(__file__), programs(__file__)

EPSILONS = (0.05, 20.0)
_AT = tuple(controls.round_values(*EPSILONS)[::3])  # the values of ε at which the curves are computed


@dataclass(frozen=True)
class State:
    """The budget, and the number of answers that share it."""

    epsilon: float = state.log("Privacy loss ε", *EPSILONS, 3.0)
    answers: int = state.whole(md("Answers k that share ε"), 1, 1000, 1)
    delta: float = state.delta()

    @cached_property
    def errors(self) -> dict[str, float]:
        """Mean error of each noise."""
        return study.errors(self.epsilon, self.answers, self.delta)


def headline(shown: State) -> str:
    """The noise with the smallest error, compared with Laplace noise."""
    found = shown.errors
    best = min(found, key=found.__getitem__)
    answers = "" if shown.answers == 1 else f", {count(shown.answers)} answers"
    return (
        f"At ε = {number(shown.epsilon)}{answers}, {best} errs least: {times(found[best] / found['Laplace'])} Laplace"
    )


def metrics(shown: State) -> list[cards.Metric]:
    """Cards for the mean error of each noise, and for the number of answers from which Gaussian beats Laplace noise."""
    found = shown.errors
    laplace = found["Laplace"]
    turn = study.enough(shown.epsilon, shown.delta)
    return [
        cards.Metric("Laplace", number(laplace), "mean error, in sensitivities"),
        cards.Metric("Staircase", number(found["Staircase"]), f"{times(found['Staircase'] / laplace)} Laplace"),
        cards.Metric(f"Gaussian, δ = {number(shown.delta)}", number(found["Gaussian"]), f"{times(found['Gaussian'] / laplace)} Laplace"),
        cards.Metric("Gaussian pays from", f"{count(turn)} answers" if turn else "never here", f"at ε = {number(shown.epsilon)}",
                     help="The least number of answers for which Gaussian noise errs less than Laplace noise."),
    ]  # fmt: skip


def charts(shown: State) -> list[Chart]:
    """Error against ε, and the noise itself."""
    mode, errors = cards.theme_mode(), shown.errors
    ratios = {name: errors[name] / errors["Laplace"] for name in ("Staircase", "Gaussian")}
    here = [(shown.epsilon, ratio, f"{name}: {times(ratio)}") for name, ratio in ratios.items()]
    return [
        Chart("Mean error", lambda: figures.error_figure(_curves(shown), shown.epsilon, mode, here=here),
              "Mean error against epsilon, in units of that of Laplace noise", caption=_sentence("same_epsilon")),
        Chart("Noise", lambda: figures.noise_laws_figure(study.densities(shown.epsilon, shown.answers, shown.delta), mode),
              "Densities of the three kinds of noise"),
    ]  # fmt: skip


def _curves(shown: State) -> list[curves.Curve]:
    return cache.shared(study.curves, _AT, shown.answers, shown.delta)


def data(shown: State) -> pd.DataFrame:
    """The numbers behind the first chart."""
    return curves.table(_curves(shown), "epsilon", "mean error")


def notes(shown: State) -> list[str]:
    """Sentences computed from what is on the screen."""
    found, each = shown.errors, shown.epsilon / shown.answers
    of_one = study.errors(shown.epsilon, 1, shown.delta)
    return [
        _sentence("staircase_never_worse_than", each, found["Staircase"] / found["Laplace"]),
        _sentence("no_pure_guarantee", shown.delta, of_one["Gaussian"] / of_one["Laplace"]),
        _sentence("many_answers_turn_order"),
    ]


def formulas(shown: State) -> list[FormulaCard]:
    """The formula cards of the three mechanisms."""
    return [Laplace.card, Staircase.card, Gaussian.card]


def program(shown: State) -> str:
    """The lines of dpcore that make these numbers."""
    return _program("errors", shown=shown)
