"""Two ways to compute each number, side by side: for a mechanism, and for the most exposed rows of a sample."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from dpcore.audit import cross_check
from dpcore.audit.cross_check import Check
from dpcore.data.samples import SAMPLES, load_sample
from dpcore.exhibits.cross_check.figure import digits_figure
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
    epsilon: float = state.linear("Privacy loss ε", 0.0, 8.0, 0.5, step=0.1)
    sample: str = state.one_of(
        "Rows of a sample", {key: one.title for key, one in SAMPLES.items()}, next(iter(SAMPLES)), menu=True
    )
    lam: float = state.log("Regularisation λ", 0.01, 1000.0, 1.0, key="lambda")
    gamma: float = state.log("Inverse temperature γ", 1e-2, 1e3, 1.0)

    @cached_property
    def checks(self) -> list[Check]:
        """Both directions of the chosen mechanism."""
        return cross_check.profile_checks(self.mechanism, self.epsilon)

    @cached_property
    def mechanisms(self) -> dict[str, Check]:
        """For every mechanism, the chosen one as chosen: the direction in which fewer digits are the same."""
        found = {
            entry.name: self.checks if key == self.kind else cross_check.profile_checks(entry.default(), self.epsilon)
            for key, entry in MECHANISMS.items()
        }
        return {name: min(both, key=lambda one: one.digits) for name, both in found.items()}

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


def follows(shown: Checked) -> list[str]:
    """The slider that the digits follow."""
    return ["epsilon"]


def headline(shown: Checked) -> str:
    """How many digits are the same in all mechanisms."""
    least = min(one.digits for one in shown.mechanisms.values())
    return f"{len(shown.mechanisms)} mechanisms computed twice: {least} digits or more agree"


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
    """The digits of every mechanism, and those of the rows refitted."""
    mode = cards.theme_mode()
    rows = {f"row {row}": one for row, one in shown.refits.items()}
    return [
        Chart("Digits that agree", lambda: digits_figure(shown.mechanisms, mode, chosen=MECHANISMS[shown.kind].name),
              "For every mechanism δ computed two ways, digit below digit, and how many are the same",
              caption=_sentence("two_lines", shown.epsilon)),
        Chart("Digits of rows", lambda: digits_figure(rows, mode),
              "For the most exposed rows δ computed two ways, digit below digit, and how many are the same", moves=False,
              caption=_sentence("rows_refitted", SAMPLES[shown.sample].title)),
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
