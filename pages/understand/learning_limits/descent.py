"""The gradient-descent view: noisy descent that is really run, compared with the bound and rate of its theorem."""

from dpcore.exhibits.learning_limits import descent
from dpcore.exhibits.learning_limits import figure as figures
from dpcore.profiles import curves
from pages.components import cache, cards, say
from pages.components.charts import Chart
from pages.components.words import number, times
from pages.understand.learning_limits.state import View

_sentence = say.sentences(__file__)

COUNTS = (50, 100, 200, 500, 1000, 2000)
DELTA = 1e-5


class Descent(View):
    """Budget, records, dimension and steps."""

    card = descent.DESCENT_CARD
    delta = DELTA

    @property
    def run(self) -> descent.DescentRun:
        return cache.shared(
            descent.run_descent, self.asked.people, self.asked.dimension, self.asked.epsilon, DELTA, self.asked.steps
        )

    def headline(self) -> str:
        """The measured excess risk, and what the bound allows."""
        return f"Noisy descent loses {number(self.run.mean)}; its bound allows {number(self.run.plan.bound)}"

    def metrics(self) -> list[cards.Metric]:
        """Cards for the measured excess risk, its bound, the noise of a step, and pure ε-DP."""
        run, pure = self.run, 4 * self.asked.dimension / (self.asked.people * self.asked.epsilon)
        return [
            cards.Metric("Excess risk, measured", number(run.mean), f"± {number(2 * run.error)}",
                         help="Mean over 16 runs of the loss at the mean iterate above the minimum; twice its standard error."),
            cards.Metric("Bound", number(run.plan.bound), f"T → ∞: {number(run.plan.limit)}"),
            cards.Metric("Noise per step σ", number(run.plan.sigma), f"{self.asked.steps} steps"),
            cards.Metric("Sampling, ε-DP: bound", number(pure), f"{times(pure / run.plan.limit)} the limit"),
        ]  # fmt: skip

    @property
    def found(self) -> list[curves.Curve]:
        return cache.shared(
            descent.descent_curves, COUNTS, self.asked.dimension, self.asked.epsilon, DELTA, self.asked.steps
        )

    def charts(self) -> list[Chart]:
        """Charts of the risk against the number of records, and along the steps."""
        mode = cards.theme_mode()
        return [
            Chart("Rate", lambda: figures.descent_figure(self.found, self.asked.people, mode),
                  "Excess risk of noisy gradient descent against the number of records", "ll_rate"),
            Chart("Path", lambda: figures.path_figure(self.run, mode), "Excess risk along the steps", "ll_path"),
        ]  # fmt: skip

    def notes(self) -> list[str]:
        """Sentences computed from what is on the screen."""
        run, pure = self.run, 4 * self.asked.dimension / (self.asked.people * self.asked.epsilon)
        rate = descent.rate(self.asked.people, self.asked.dimension, self.asked.epsilon, DELTA)
        wins, loses = "Here descent wins.", "In so few dimensions pure ε-DP still wins: √(d log(1/δ)) against d."
        return [
            _sentence("measured_under_bound", run.mean, run.plan.bound),
            _sentence("root_of_d", run.plan.limit, pure, wins if run.plan.limit < pure else loses),
            _sentence("more_steps_never_cost"),
            _sentence("rate_leaves_constant_out", run.plan.limit / rate),
        ]
