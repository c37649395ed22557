"""Private training: the printed numbers of the source, compared with those that its own settings give here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import plotly.graph_objects as go

import dpcore as dp
from dpcore.data import Dataset
from dpcore.exhibits import training
from dpcore.exhibits.training import figure as figures
from dpcore.exhibits.training import published
from dpcore.learners import PublicFacts
from pages.components import cache, cards, say
from pages.components.charts import Chart, place
from pages.components.say import md
from pages.components.words import number

_sentence = say.sentences(__file__)

WORDS = {
    "reproduced": "reproduced",
    "printed higher": "not reproduced, printed higher",
    "printed lower": "not reproduced, printed lower",
}


def names_at(study: training.LearnerComparison, names: Mapping[str, str]) -> dict[str, str]:
    """Printed name → name in this study, for learners at the source's own settings; empty if the row norm differs."""
    facts = PublicFacts.of(study.dataset)
    if not math.isclose(facts.domain.row_norm, published.CLIP):
        return {}
    printed = {
        "Algorithm 1": ("published", published.algorithm_1()),
        "DP-SGD, honest": ("honest", published.dp_sgd("honest")),
        "DP-SGD, dishonest": ("dishonest", published.dp_sgd("dishonest")),
    }
    return {name: names[key] for name, (key, learner) in printed.items() if study.learners.get(names[key]) == learner}


def verdicts(table: published.PublishedTable, series: Sequence[training.Series], names: Mapping[str, str]) -> list[str]:
    """One sentence for each printed number that was computed at the source's settings."""
    return [
        _sentence("printed_and_here", one.learner, one.epsilon, 100 * one.printed, 100 * one.found, 100 * one.tolerance, WORDS[one.verdict])
        for one in published.printed_beside(table, series, names)
    ]  # fmt: skip


def _at_one(
    title: str, key: str, epsilons: Sequence[float], before: str, doing: str, compute: Callable[[float], list[cards.Metric]]
) -> None:  # fmt: skip
    """Show cards for one ε, which are computed when they are asked for.

    Parameters
    ----------
    title, key : title of the section to open, and key of its button
    epsilons : the values of ε to choose from
    before, doing : words shown before the button is pressed, and while the cards are computed
    compute : function from ε to the cards
    """
    with say.expander(title):
        epsilon = say.selectbox(md("At ε ="), epsilons, format_func=number, key=f"{key}_epsilon")
        if not say.button("Compute", key=key):
            say.caption(before)
            return
        try:
            with say.spinner(doing):
                found = compute(epsilon)
        except dp.DPError as error:
            say.error(f"{error}.")
            return
        cards.metric_row(found)


def best_of_ten(study: training.LearnerComparison, name: str, table: published.PublishedTable | None) -> None:
    """Show how much the best of a grid improves on the printed settings of Algorithm 1."""
    if table is None or name not in study.learners:
        return

    def compute(epsilon: float) -> list[cards.Metric]:
        found = cache.in_session(_repeated, study.dataset, epsilon, study.delta)
        printed = table.accuracy["Algorithm 1"][published.TABLE_EPSILONS.index(epsilon)]
        return [
            cards.Metric("Printed", f"{printed:.2f} %"),
            cards.Metric("Mean of all releases", _percent(found.mean), f"one trial ± {100 * found.deviation:.2f}"),
            cards.Metric("Best of ten averages", _percent(found.best_average), "each over ten splits"),
            cards.Metric("Average of ten bests", _percent(found.average_best), "each of ten draws"),
        ]

    before = "Ten releases on each of ten splits, the grid of ten learning rates taken for ten draws of the noise."
    title = "What reporting the best of ten adds"
    _at_one(title, "tr_best", published.TABLE_EPSILONS, before, "Releasing a hundred times", compute)


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _repeated(dataset: Dataset, epsilon: float, delta: float) -> training.BestOfGrid:
    return training.best_of_grid(dataset, published.algorithm_1("logistic", epsilon, delta))


def honest_tuning(study: training.LearnerComparison, name: str) -> None:
    """Show the cost of choosing the learning rate at one ε if the privacy of the choice is counted too."""
    learner = study.learners.get(name)
    if learner is None:
        return

    def compute(epsilon: float) -> list[cards.Metric]:
        aimed = replace(learner, epsilon=epsilon, delta=study.delta)
        cost = cache.shared(training.tuning_cost, aimed, PublicFacts.of(study.dataset))
        return [
            cards.Metric("Mean number of rates tried", number(cost.mean_runs)),
            cards.Metric("Noise multiplier, honest", number(cost.noise_honest), f"{number(cost.noise_one_run)} for one run"),
            cards.Metric("One run with that noise", f"ε = {number(cost.epsilon_one_run)}", f"of {number(epsilon)} with tuning"),
            cards.Metric(f"Grid of {learner.candidates}, all counted", f"ε = {number(cost.epsilon_all_runs)}",
                         f"claimed {number(epsilon)}", worse=True),
        ]  # fmt: skip

    before = "Accounts for DP-SGD with a random, secret number of learning rates: some seconds for each ε."
    _at_one("What honest tuning costs", "tr_honest", study.epsilons, before, "Accounting", compute)


def without_data(source: str) -> None:
    """Show what is known about a published study whose data are not loaded."""
    build, alt, words = WITHOUT_DATA[source]
    place(Chart("Known without the data", build, alt, "tr_chart_printed"))
    say.caption(words)


def _table_2() -> go.Figure:
    found = published.TABLES["table_2"].shares
    return figures.study_figure([], math.nan, "test accuracy", cards.theme_mode(), published=found)


def _settings() -> go.Figure:
    return figures.settings_figure(
        published.EPSILONS, *cache.shared(published.published_settings, published.EPSILONS), cards.theme_mode()
    )


WITHOUT_DATA = {
    "adult": (
        _table_2, "Accuracy on Adult as printed in the source, by learner and epsilon",
        "Drawn are the numbers of Table 2 of the source. With the data, what is computed here stands beside them.",
    ),
    "gisette": (
        _settings, "Noise and regularisation of the published settings against epsilon",
        _sentence("source_prints_no_number"),
    ),
}  # fmt: skip

_AT_ONE = dict(zip(published.TABLE_EPSILONS, published.TABLES["table_2"].accuracy["Algorithm 1"], strict=True))[1.0]
HEADLINES = {
    "adult": f"On Adult ε = 1 buys {_AT_ONE:g} %, as printed",
    "gisette": "More budget, less noise: the settings printed for Gisette",
}
