"""The gradient-descent view: noisy steps that really run, beside the bound and the rate of their theorem."""

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.exhibits.learning_limits import descent
from dpcore.exhibits.learning_limits import figure as figures
from dpcore.profiles import curves
from dpcore.references import FormulaCard
from pages.components import cache, cards, controls, export
from pages.components.say import md
from pages.components.words import number, times

COUNTS = (50, 100, 200, 500, 1000, 2000)
DELTA = 1e-5


@dataclass(frozen=True)
class Descent:
    """Budget, records, dimension and steps."""

    epsilon: float
    n: int
    d: int
    steps: int
    card: FormulaCard = descent.DESCENT_CARD

    @property
    def run(self) -> descent.DescentRun:
        return cache.shared(descent.run_descent, self.n, self.d, self.epsilon, DELTA, self.steps)

    def metrics(self) -> list[cards.Metric]:
        """What was measured, its bound, the noise of a step, and pure ε-DP."""
        run, pure = self.run, 4 * self.d / (self.n * self.epsilon)
        return [
            cards.Metric("Excess risk, measured", number(run.mean), f"± {number(2 * run.error)}",
                         help="Mean over 16 runs of the loss at the mean iterate above the minimum; twice its standard error."),
            cards.Metric("Bound", number(run.plan.bound), f"T → ∞: {number(run.plan.limit)}"),
            cards.Metric("Noise per step σ", number(run.plan.sigma), f"{self.steps} steps"),
            cards.Metric("Sampling, ε-DP: bound", number(pure), f"{times(pure / run.plan.limit)} the limit"),
        ]  # fmt: skip

    def draw(self) -> tuple[dict[str, go.Figure], pd.DataFrame]:
        """Both charts, and the data behind them."""
        mode = cards.theme_mode()
        found = cache.shared(descent.descent_curves, COUNTS, self.d, self.epsilon, DELTA, self.steps)
        drawn = {
            "Rate": figures.descent_figure(found, self.n, mode),
            "Path": figures.path_figure(self.run, mode),
        }
        left, right = st.columns([3, 2], gap="small")
        with left:
            export.chart(
                drawn["Rate"], key="ll_rate", alt="Excess risk of noisy gradient descent against the number of records"
            )
        with right:
            export.chart(drawn["Path"], key="ll_path", alt="Excess risk along the steps")
        return drawn, curves.table(found, "n", "excess risk")

    def observations(self) -> list[str]:
        """Statements computed from what is on screen."""
        run, pure = self.run, 4 * self.d / (self.n * self.epsilon)
        return [
            md(
                "**Measured {} under a bound of {}.** The bound holds for every convex loss; this one is gentler.",
                number(run.mean), number(run.plan.bound),
            ),
            md(
                "**√d instead of d**: with δ = 10⁻⁵ descent's limit is {}, sampling under pure ε-DP is bounded by {}. {}",
                number(run.plan.limit), number(pure),
                "Here descent wins." if run.plan.limit < pure else "In so few dimensions pure ε-DP still wins: √(d log(1/δ)) against d.",
            ),
            md(
                "**More steps never cost privacy here**: each gets more noise, σ = 2G√T/(nΔ*), so that all T together spend exactly "
                "(ε, δ). The bound falls with T to its limit, which bounds no finite T; near it more steps only waste work."
            ),
            md(
                "**The lecture's rate leaves its constant out**: GD√(d log(1/δ))/(nε) is a shape, not a bound. The limit is {} it.",
                times(run.plan.limit / descent.rate(self.n, self.d, self.epsilon, DELTA)),
            ),
        ]  # fmt: skip

    def program(self) -> str:
        """The lines of dpcore that make these numbers."""
        return "\n".join(
            [
                "import dpcore as dp",
                f"run = dp.exhibits.learning_limits.descent.run_descent({self.n}, {self.d}, {self.epsilon!r}, {DELTA!r}, {self.steps})",
                "run.mean, run.error, run.plan.bound, run.plan.limit",
            ]
        )


def chosen(epsilon: float) -> Descent:
    """The sidebar's controls."""
    return Descent(
        epsilon,
        controls.count_slider("Records n", 2000, 500, key="ll_people", low=50),
        controls.count_slider("Dimension d", 50, 5, key="ll_dimension"),
        controls.count_slider("Steps T", 200, 50, key="ll_steps"),
    )
