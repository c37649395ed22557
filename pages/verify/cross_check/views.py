"""Two ways to compute each number, side by side: for a mechanism, and for the most exposed rows of a sample."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from dpcore.audit import cross_check
from dpcore.audit.cross_check import Check
from dpcore.data.samples import SAMPLES, load_sample
from dpcore.exhibits.cross_check.figure import agreement_figure
from dpcore.individual import individual_privacy
from dpcore.mechanisms import MECHANISMS
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.profiles import PrivacyProfile
from pages.components import cache, cards, controls, say, state
from pages.components.charts import Chart
from pages.components.words import number

_sentence = say.sentences(__file__)

EXPLANATION = [_sentence("first_way"), _sentence("agreement_many_digits_evidence"), _sentence("quadrature_weaker_side")]
_EXACT = dict.fromkeys(("app", "second way"), "%.12e") | {"relative difference": "%.1e"}


@dataclass(frozen=True)
class Checked:
    """A mechanism and rows of a sample, whose numbers are computed in two ways."""

    kind: str = state.one_of(
        "Mechanism", {key: entry.name for key, entry in MECHANISMS.items()}, "gaussian", menu=True, key="mechanism"
    )
    mechanism: PrivacyProfile = state.control(
        None, lambda asked, key: controls.mechanism_controls(asked.kind, MECHANISMS[asked.kind], prefix="cc")
    )
    epsilon: float = state.linear("Privacy loss ε", 0.0, 8.0, 0.5, step=0.05)
    sample: str = state.one_of(
        "Rows of a sample", {key: one.title for key, one in SAMPLES.items()}, next(iter(SAMPLES)), menu=True
    )
    lam: float = state.log("Regularisation λ", 0.01, 1000.0, 1.0, key="lambda")
    gamma: float = state.log("Inverse temperature γ", 1e-2, 1e3, 1.0)

    @cached_property
    def checks(self) -> list[cross_check.Check]:
        return cross_check.profile_checks(self.mechanism, self.epsilon)

    @cached_property
    def refits(self) -> dict[int, Check]:
        """Checks of the most exposed rows, by their labels."""
        dataset = load_sample(self.sample)
        result = individual_privacy(dataset, PosteriorSampling(gamma=self.gamma, lam=self.lam), delta=1e-6)
        rows = [int(row) for row in result.most_exposed(12)]
        return cache.in_session(cross_check.refit_checks, dataset, result, rows)

    @property
    def rows(self) -> pd.DataFrame:
        """The table of `refits`."""
        found = cross_check.table_of_checks(self.refits.values()).drop(columns="how")
        found.insert(0, "row", list(self.refits))
        return found

    @cached_property
    def agreements(self) -> dict[str, list[Check]]:
        """For the mechanism and for the rows: how well both ways to each number agree."""
        refits = [replace(check, what=f"row {row}") for row, check in self.refits.items()]
        return {
            f"{MECHANISMS[self.kind].name}, δ at ε = {number(self.epsilon)}": self.checks,
            f"{SAMPLES[self.sample].title}, δ of a row": sorted(refits, key=lambda one: one.digits),
        }


def headline(shown: Checked) -> str:
    """How many digits agree at least."""
    found = [one.digits for group in shown.agreements.values() for one in group]
    return f"Formulas and recomputation agree to {math.floor(min(found))} digits or more"


def metrics(shown: Checked) -> list[cards.Metric]:
    """Cards for each number, with the difference of its two ways."""
    largest = max(check.difference for check in shown.refits.values())
    return [
        *(
            cards.Metric(one.what, number(one.first), f"relative difference {number(one.difference, 2)}", help=one.how)
            for one in shown.checks
        ),
        cards.Metric("Rows refitted", str(len(shown.refits)), f"largest difference {number(largest, 2)}",
                     help="The most exposed rows; largest relative difference between the two ways."),
    ]  # fmt: skip


def charts(shown: Checked) -> list[Chart]:
    """A chart with a bar for each comparison."""
    return [
        Chart("Digits that agree", lambda: agreement_figure(shown.agreements, cards.theme_mode()),
              "For each number computed two ways, the number of decimal digits on which both agree",
              caption="Each δ is computed twice: by formula, and by numerical integration or a fit without the row."),
    ]  # fmt: skip


def both_tables(shown: Checked) -> None:
    """Show tables with all digits of both ways."""
    say.subheader(f"{MECHANISMS[shown.kind].name}: δ at ε = {number(shown.epsilon)}", anchor=False)
    say.table(cross_check.table_of_checks(shown.checks), hide_index=True, formats=_EXACT, labels={"app": "closed form"})
    say.subheader(f"{SAMPLES[shown.sample].title}: the most exposed rows, refitted without each", anchor=False)
    say.table(shown.rows, hide_index=True, formats=_EXACT, labels={"app": "closed form"})


def data(shown: Checked) -> pd.DataFrame:
    """Everything computed in two ways: the mechanism's δ, then that of the rows."""
    return pd.concat([cross_check.table_of_checks(shown.checks), shown.rows], ignore_index=True)
