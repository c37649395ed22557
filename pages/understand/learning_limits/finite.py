"""The finite-class view: what privacy costs a learner that chooses among |H| hypotheses."""

from dpcore.exhibits import learning_limits
from dpcore.exhibits.learning_limits import figure as figures
from dpcore.profiles import curves
from pages.components import cache, cards, say
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import number, times
from pages.understand.learning_limits.state import View

_sentence = say.sentences(__file__)

COUNTS = (10, 20, 40, 80, 160, 320, 640, 1300, 2500, 5000, 10000)


class Finite(View):
    """A finite class: its size, records, budget, failure probability and label noise."""

    card = learning_limits.FINITE_CARD

    @property
    def setting(self) -> str:
        return "agnostic" if self.asked.noise > 0 else "realisable"

    @property
    def bound(self) -> learning_limits.RiskBound:
        return learning_limits.risk_bound(
            self.asked.size, self.asked.n, self.asked.epsilon, self.asked.beta, self.setting
        )

    @property
    def measured(self) -> float:
        asked = self.asked
        return cache.shared(
            learning_limits.measured_excess, asked.size, asked.n, asked.epsilon, asked.beta, asked.noise
        )

    def headline(self) -> str:
        """The cost of privacy as a multiple of the cost of sampling."""
        return f"Privacy costs {times(self.bound.privacy / self.bound.statistical)} what sampling costs"

    def metrics(self) -> list[cards.Metric]:
        """Cards for the bound on the excess risk, for its parts, and for the measured excess."""
        bound = self.bound
        return [
            cards.Metric("Excess risk at most", number(bound.total), f"{self.setting}, β = {number(self.asked.beta)}"),
            cards.Metric("Part of sampling", number(bound.statistical), "without privacy"),
            cards.Metric("Part of privacy", number(bound.privacy), f"{times(bound.privacy / bound.statistical)} sampling"),
            cards.Metric("Measured", number(self.measured), "simulated data", help=_sentence("how_measured")),
        ]  # fmt: skip

    def under(self) -> str:
        """How the ratio of both costs changes with more records."""
        if self.asked.noise > 0:
            return _sentence("free_in_the_end")
        return "Both fall as 1/n, so the ratio stays 1/ε for ever: without wrong labels privacy is never free."

    @property
    def found(self) -> list[curves.Curve]:
        asked = self.asked
        counts = tuple(sorted({*COUNTS, asked.n}))
        return cache.shared(
            learning_limits.finite_class_risks, asked.size, asked.epsilon, asked.beta, asked.noise, counts
        )

    def charts(self) -> list[Chart]:
        """A chart of the risk against the number of records."""
        mode = cards.theme_mode()
        return [
            Chart("Risk", lambda: figures.finite_class_risk_figure(self.found, self.asked.n, mode),
                  "Excess risk against the number of records", "ll_risk")
        ]  # fmt: skip

    def notes(self) -> list[str]:
        """Sentences computed from what is on the screen."""
        bound = self.bound
        said = [_sentence("bound_not_truth", self.measured, bound.total), _sentence("rates_carry_no_constants")]
        if self.measured == 0:
            said.append(_sentence("measured_zero"))
        if self.asked.noise == 0:
            said.append(
                md("**Only a rate elsewhere, a bound here**: the constant 1 needs all of ε on the errors, not ε/2.")
            )
        return said
