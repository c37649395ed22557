"""Rows that repeat another: how many, and ε per person beside ε per row."""

import pandas as pd

from dpcore.data import Dataset
from dpcore.individual import individual_privacy
from dpcore.individual.rows.persons import PersonExposure, exposed_persons, is_quick, persons_of
from dpcore.mechanisms.releases import GlmRelease
from pages.components import cache, say
from pages.components.say import md
from pages.components.words import number
from pages.your_data.per_instance.views import ExposureView


def show(view: ExposureView) -> None:
    """A sentence and the most exposed persons, where rows repeat."""
    persons = cache.kept(persons_of, view.dataset)
    if not persons.groups:
        return
    say.warning(persons.sentence, icon=":material/group:")
    if not is_quick(persons) and not say.toggle("Compute ε per person", key="pi_persons"):
        return
    found, best = cache.kept(_exposed, view.dataset, view.result.mechanism, view.delta), view.best
    if found:
        alone = best.method.mark
        rows = []
        for one in found:
            largest = max(float(best.epsilon[view.dataset.position(label)]) for label in one.rows)
            rows.append((one.called, one.method.mark + number(max(one.epsilon, largest)), alone + number(largest)))
        columns = ["rows of one person", "ε per person", "ε of its most exposed row"]
        say.table(pd.DataFrame(rows, columns=columns), hide_index=True, key="pi_persons_table")
        say.caption(md("The persons whose rows have the largest sum of ε; by group privacy, proven."))


def _exposed(dataset: Dataset, mechanism: GlmRelease, delta: float) -> tuple[PersonExposure, ...]:
    result = cache.in_session(individual_privacy, dataset, mechanism, delta)
    return exposed_persons(result, persons_of(dataset))
