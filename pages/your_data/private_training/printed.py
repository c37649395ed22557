"""Private training: the printed numbers of the source beside what its own settings give here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import dpcore as dp
from dpcore.data import Dataset
from dpcore.exhibits import training
from dpcore.exhibits.training.published import (
    CLIP,
    TABLE_EPSILONS,
    PublishedTable,
    algorithm_1,
    dp_sgd,
    printed_beside,
)
from dpcore.learners import PublicFacts
from pages.components import cache, cards, say
from pages.components.say import md
from pages.components.words import number

WORDS = {
    "reproduced": "reproduced",
    "printed higher": "not reproduced, printed higher",
    "printed lower": "not reproduced, printed lower",
}


def names_at(study: training.LearnerComparison, names: Mapping[str, str]) -> dict[str, str]:
    """Printed name → name in this study, of the learners that run at the source's own settings; none on other rows."""
    facts = PublicFacts.of(study.dataset)
    if not math.isclose(facts.domain.row_norm, CLIP):
        return {}
    printed = {
        "Algorithm 1": ("published", algorithm_1()),
        "DP-SGD, honest": ("honest", dp_sgd("honest")),
        "DP-SGD, dishonest": ("dishonest", dp_sgd("dishonest")),
    }
    return {name: names[key] for name, (key, learner) in printed.items() if study.learners.get(names[key]) == learner}


def verdicts(table: PublishedTable, series: Sequence[training.Series], names: Mapping[str, str]) -> list[str]:
    """One sentence for each printed number that was computed at the source's settings."""
    return [
        md(
            "**{}, ε = {:g}**: printed {:.2f} %, here {:.2f} ± {:.2f} % (95 %, for the difference of two means): {}.",
            one.learner, one.epsilon, 100 * one.printed, 100 * one.found, 100 * one.tolerance, WORDS[one.verdict],
        )
        for one in printed_beside(table, series, names)
    ]  # fmt: skip


def best_of_ten(study: training.LearnerComparison, name: str, table: PublishedTable | None) -> None:
    """What taking the best of a grid adds to the printed settings of Algorithm 1, computed when asked for."""
    if table is None or name not in study.learners:
        return
    with say.expander("What reporting the best of ten adds"):
        epsilon = say.selectbox(md("At ε ="), TABLE_EPSILONS, format_func=number, key="tr_best_epsilon")
        if not say.button("Compute", key="tr_best"):
            say.caption(
                "Ten releases on each of ten splits, the grid of ten learning rates taken for ten draws of the noise."
            )
            return
        try:
            with say.spinner("Releasing a hundred times"):
                found = cache.in_session(_repeated, study.dataset, epsilon, study.delta)
        except dp.DPError as error:
            say.error(f"{error}.")
            return
        printed = table.accuracy["Algorithm 1"][TABLE_EPSILONS.index(epsilon)]
        cards.metric_row(
            [
                cards.Metric("Printed", f"{printed:.2f} %"),
                cards.Metric("Mean of all releases", _percent(found.mean), f"one trial ± {100 * found.deviation:.2f}"),
                cards.Metric("Best of ten averages", _percent(found.best_average), "each over ten splits"),
                cards.Metric("Average of ten bests", _percent(found.average_best), "each of ten draws"),
            ]
        )


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _repeated(dataset: Dataset, epsilon: float, delta: float) -> training.BestOfGrid:
    return training.best_of_grid(dataset, algorithm_1("logistic", epsilon, delta))
