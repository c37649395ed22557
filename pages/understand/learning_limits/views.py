"""Controls, metrics and charts of the learning-limits page."""

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.figures import learning_limits as figures
from dpcore.profiles import curves
from dpcore.references import FormulaCard
from dpcore.studies import learning_limits
from dpcore.studies.learning_limits import convexity
from pages.components import cache, cards, controls, export, say
from pages.components.say import md
from pages.components.words import number, times
from pages.understand.learning_limits import squeeze
from pages.understand.learning_limits.squeeze import Squeezed

VIEWS = {"finite": "Finite class", "packing": "Packing", "convexity": "Convexity"}
COUNTS = (10, 20, 40, 80, 160, 320, 640, 1300, 2500, 5000, 10000)
RECORDS = (2, 4, 6, 8, 12, 16, 24, 32, 40, 50, 60)


@dataclass(frozen=True)
class Finite:
    """Finite-class view: class, records, budget, failure probability and label noise."""

    epsilon: float
    size: int
    n: int
    beta: float
    noise: float
    card: FormulaCard = learning_limits.FINITE_CARD

    @property
    def setting(self) -> str:
        return "agnostic" if self.noise > 0 else "realisable"

    @property
    def bound(self) -> learning_limits.RiskBound:
        return learning_limits.risk_bound(self.size, self.n, self.epsilon, self.beta, self.setting)

    @property
    def measured(self) -> float:
        return cache.shared(learning_limits.measured_excess, self.size, self.n, self.epsilon, self.beta, self.noise)


@dataclass(frozen=True)
class Packed:
    """Packing view: the bins and data sets, and the learner put to the test."""

    packing: learning_limits.Packing
    learner: str
    card: FormulaCard = learning_limits.PACKING_CARD

    @property
    def name(self) -> str:
        return learning_limits.LEARNERS[self.learner][0]

    @property
    def success(self) -> float:
        return cache.shared(learning_limits.worst_success, self.packing, self.learner)


def choose(view: str) -> Finite | Packed | Squeezed:
    """The sidebar's controls for one view."""
    if view == "convexity":
        return squeeze.squeezed()
    epsilon = controls.log_slider("Privacy loss ε", 0.05, 4.0, 0.5, key="ll_epsilon")
    if view == "packing":
        learner = say.selectbox(
            "Learner", list(learning_limits.LEARNERS), format_func=lambda key: learning_limits.LEARNERS[key][0],
            key="ll_learner", bind="query-params", persist_state="session",
        )  # fmt: skip
        n = int(controls.linear_slider("Records n", 2, 60, 8, step=2, key="ll_records"))
        bins = say.select_slider(
            "Bins k", [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], value=256, key="ll_bins", bind="query-params",
            persist_state="session",
        )  # fmt: skip
        edits = say.segmented_control(
            "Replacing one record is", [2, 1], format_func={2: "2 edits", 1: "1 edit"}.get, default=2, required=True,
            key="ll_edits", bind="query-params", persist_state="session",
            help="Two where records are added and removed, one where a record is replaced. The learners here are ε-DP "
            "under adding and removing.",
        )  # fmt: skip
        return Packed(learning_limits.Packing(int(bins), n, epsilon, edits), learner)
    return Finite(
        epsilon,
        int(controls.log_slider(md("Hypotheses |H|"), 2, 1000, 100, key="ll_size")),
        int(controls.log_slider("Records n", 10, 10_000, 500, key="ll_n")),
        controls.log_slider("Failure probability β", 0.01, 0.5, 0.05, key="ll_beta"),
        controls.linear_slider(
            "Share of wrong labels", 0.0, 0.45, 0.1, step=0.05, key="ll_noise", help="0 is the realisable setting"
        ),
    )


def metrics(shown: Finite | Packed | Squeezed) -> None:
    """Three or four numbers that answer the view's question."""
    if isinstance(shown, Finite):
        bound = shown.bound
        row = [
            cards.Metric("Excess risk at most", number(bound.total), f"{shown.setting}, β = {number(shown.beta)}"),
            cards.Metric("Part of sampling", number(bound.statistical), "without privacy"),
            cards.Metric("Part of privacy", number(bound.privacy), f"{times(bound.privacy / bound.statistical)} sampling"),
            cards.Metric("Measured", number(shown.measured), "simulated data", help=md("The (1 − β)-quantile of the true "
                         "excess risk over 40 simulated data sets; each data set's output law is exact.")),
        ]  # fmt: skip
    elif isinstance(shown, Packed):
        packing = shown.packing
        row = [
            cards.Metric("Forced outside bin 1", number(packing.forced_outside), "if all others succeed"),
            cards.Metric("Left outside bin 1", number(1 - learning_limits.SUCCESS), "if bin 1 succeeds too"),
            cards.Metric("Contradiction", "yes" if packing.contradiction else "no", f"from k = {number(packing.bins_needed)} bins"),
            cards.Metric(f"{shown.name}", number(shown.success), f"limit {number(packing.limit)}",
                         help="Worst-case probability of success of this learner, and the largest any ε-DP learner can have."),
        ]  # fmt: skip
    else:
        found = shown.found
        row = [
            cards.Metric(
                "Strong convexity", number(found.convexity), _verdict(found, "strongly convex", shown.convexity)
            ),
            cards.Metric("Smoothness", number(found.smoothness), _verdict(found, "smooth", shown.smoothness)),
            cards.Metric("Lipschitz constant", number(found.lipschitz), _verdict(found, "Lipschitz", shown.lipschitz)),
        ]
    cards.metric_row(row)


def _verdict(found: convexity.Sandwich, name: str, claimed: float) -> str:
    if found.dents and name == "strongly convex":
        return "not convex"
    return f"claim {number(claimed)} fails here" if name in found.failures else f"claim {number(claimed)} holds here"


def draw(shown: Finite | Packed | Squeezed) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """The view's charts and the data behind them."""
    mode = cards.theme_mode()
    if isinstance(shown, Finite):
        found = cache.shared(
            learning_limits.finite_class_risks, shown.size, shown.epsilon, shown.beta, shown.noise, COUNTS
        )
        drawn = {"Risk": figures.finite_class_risk_figure(found, shown.n, mode)}
        export.chart(drawn["Risk"], key="ll_risk", alt="Excess risk against the number of records")
        return drawn, curves.table(found, "n", "excess risk")
    if isinstance(shown, Packed):
        packing = shown.packing
        law = cache.shared(learning_limits.law_on_first, packing, shown.learner)
        success = cache.shared(learning_limits.success_curves, packing.bins, packing.epsilon, RECORDS, packing.edits)
        drawn = {
            "Packing": figures.bins_figure(packing, law, shown.name, mode),
            "Success": figures.success_figure(success, packing.n, mode),
        }
        left, right = st.columns([1, 1], gap="small")
        with left:
            export.chart(drawn["Packing"], key="ll_packing", alt="Probability of each bin on the first data set")
        with right:
            export.chart(drawn["Success"], key="ll_success", alt="Worst-case success of each learner against n")
        return drawn, curves.table(success, "n", "worst-case success")
    found = shown.found
    drawn = {"Sandwich": figures.sandwich_figure(found, shown.x, found.height(shown.x), mode)}
    squeeze.picture(shown)
    return drawn, curves.table([found.function, found.tangent, found.below, found.above], "y", "value")
