"""The page of the per-instance paper's figures: metrics, claims, words, data."""

import math
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from dpcore.exhibits.paper_figures import figure as paper
from dpcore.exhibits.paper_figures.study import (
    DEVIATIONS,
    FIGURE_1,
    FIGURE_2_LEFT,
    FIGURE_2_RIGHT,
    MANY_N,
    NEAR_D,
    NEAR_N,
    NEAR_NOISE,
    NEAR_SEED,
    PAPER_LAM,
    PAPER_SIGMA,
    PaperFigures,
)
from dpcore.individual.all_rows.pictured import histogram
from dpcore.mechanisms.output_perturbation import SHAPE_WORDS
from pages.components import cache, cards, say, screen, state
from pages.components.charts import Chart
from pages.components.page import NothingToShowError
from pages.components.words import number, programs, times

_sentence, _program = say.sentences(__file__), programs(__file__)

VERDICTS = {
    "reproduced": "Reproduced at these sizes",
    "smaller": "Not reproduced: less than printed",
    "larger": "Not reproduced: more than printed",
}


_DRAWN = {
    FIGURE_1: "found.worst_case, found.for_all, found.result.epsilon",
    FIGURE_2_LEFT: "found.left.groups, found.left.worst",
    FIGURE_2_RIGHT: "found.right.groups, found.right.worst, found.excess",
}  # what a figure draws, by dpcore
FIGURES = {FIGURE_1: "Figure 1", FIGURE_2_LEFT: "Figure 2, left", FIGURE_2_RIGHT: "Figure 2, right"}


@dataclass(frozen=True)
class Settings:
    """One figure, its release, and the linear Gaussian model that its data are drawn from."""

    figure: str = state.one_of("Figure", FIGURES, FIGURE_1)
    sigma: float = state.log("Noise σ", 0.1, 100.0, PAPER_SIGMA, when=lambda asked: asked.figure != FIGURE_2_RIGHT)
    gamma: float = state.log(
        "Inverse temperature γ", 1e-3, 100.0, 1.0, when=lambda asked: asked.figure == FIGURE_2_RIGHT
    )
    lam: float = state.log("Regularisation λ", 0.01, 100.0, PAPER_LAM, key="lambda")
    delta: float = state.delta(exponent=-6)
    shape: str = state.one_of(
        "Shape A of the noise", SHAPE_WORDS, "identity", menu=True, when=lambda asked: asked.figure != FIGURE_2_RIGHT,
        help="Its covariance is σ²A⁻¹. Fisher and democratic noise take A from the data as if it were public: no guarantee.",
    )  # fmt: skip
    n: int = state.whole("Rows n", 1, 10_000, NEAR_N, when=lambda asked: asked.figure == FIGURE_1)
    many: int = state.whole("Rows n", 1, 10_000, MANY_N, when=lambda asked: asked.figure != FIGURE_1)
    d: int = state.whole("Columns d", 1, 30, NEAR_D)
    noise: float = state.log("Noise of the model", 0.01, 1.0, NEAR_NOISE)
    seed: int = state.linear("Seed", 0, 20, NEAR_SEED, step=1)

    @property
    def rows(self) -> int:
        return self.n if self.figure == FIGURE_1 else self.many

    @property
    def given(self) -> tuple[int, int, float, int]:
        return self.rows, self.d, self.noise, self.seed

    @cached_property
    def found(self) -> PaperFigures:
        return cache.kept(PaperFigures, *self.given, self.sigma, self.lam, self.gamma, self.delta, self.shape)

    @property
    def at(self) -> tuple[float, float, float | None, str]:
        """(Mean ε, largest ε over the rows, ε of the worst case if known, words that name the chosen release)."""
        if self.figure == FIGURE_1:
            epsilon, named = self.found.result.epsilon, f"σ = {number(self.sigma)}"
            return float(epsilon.mean()), float(epsilon.max()), self.found.worst_case, named
        left = self.figure == FIGURE_2_LEFT
        pane, value, sign = (self.found.left, self.sigma, "σ") if left else (self.found.right, self.gamma, "γ")
        place = pane.values.index(value)
        group = pane.groups[place]
        return group.mean, group.largest, pane.worst[place], f"{sign} = {number(value)}"

    @property
    def multiple(self) -> str:
        """How many times the average row's ε the worst case is; empty if it is not, or not known."""
        mean, _, worst, _ = self.at
        return times(worst / mean) if worst is not None and 0 < mean < worst < math.inf else ""


def computed(shown: Settings) -> Settings:
    """The settings, after the chosen figure has been computed."""
    if shown.rows < 2:
        raise NothingToShowError("A data set needs at least two rows: raise n.")
    with say.spinner("Computing the figure", show_time=True):
        _ = shown.at
    return shown


def headline(shown: Settings) -> str:
    """How the worst case compares with the average row."""
    mean, _, worst, at = shown.at
    if worst is None:
        return f"At {at} the average row loses ε = {number(mean)}; no worst case is known for this noise"
    if not shown.multiple:
        return f"At {at} the average row loses ε = {number(mean)}; the worst case says {number(worst)}"
    return f"At {at} the worst case is {shown.multiple} the average row’s ε"


def metrics(shown: Settings) -> list[cards.Metric]:
    """Cards for the average row, the most exposed row, any record, and the worst case."""
    mean, largest, worst, _ = shown.at
    values = {"Average row": mean, "Most exposed row": largest}
    values |= {"pDP for all": shown.found.for_all} if shown.figure == FIGURE_1 else {}
    metrics = [
        cards.Metric(
            name,
            f"ε = {number(value, 4)}",
            f"{times(value / mean)} the average" if mean > 0 and value != mean else None,
        )
        for name, value in (values | ({"DP worst case": worst} if worst is not None else {})).items()
    ]
    unknown = cards.Metric("DP worst case", "no guarantee", help="The shape of the noise is taken from the data.")
    return metrics if worst is not None else [*metrics, unknown]


def charts(shown: Settings) -> list[Chart]:
    """The charts of the chosen figure."""
    mode, found = cards.theme_mode(), shown.found
    if shown.figure == FIGURE_1:
        beside = [one for one in (found.for_all, found.worst_case) if one is not None]
        return [
            Chart("Figure 1",
                  lambda: paper.first(found, histogram(found.result, beside=beside), mode, multiple=shown.multiple,
                                      narrow=screen.size() == "phone"),
                  "Rows by epsilon, with the worst record for these data and for any data", "pf_first",
                  caption=_sentence("each_row_beside_the_promise"))
        ]  # fmt: skip
    if shown.figure == FIGURE_2_LEFT:
        alt = "Boxes of epsilon by noise, with the worst case"
        return [Chart("Figure 2 left", lambda: paper.second_left(found, mode), alt, "pf_left")]
    return [Chart("Figure 2 right", lambda: paper.second_right(found, mode), "Epsilon against excess risk", "pf_right")]


def judged(shown: Settings) -> list[str]:
    """Each sentence of the paper about the figure, with the ratio found here and whether that confirms it."""
    return [
        _sentence("claim_and_here", one.words, one.of, one.found, one.low, one.high, VERDICTS[one.verdict])
        for one in shown.found.claims(shown.figure)
    ] or ["The paper's sentence compares with a worst case: of this noise none is known."]  # fmt: skip


def notes(shown: Settings) -> list[str]:
    """Each claim with its verdict, the floor of the right pane, and how this differs from the paper."""
    found, floor = shown.found, []
    if shown.figure == FIGURE_2_RIGHT:
        floor = [_sentence("floor", found.right.values[0], found.right.groups[0].mean)]
    return [*judged(shown), *floor, *DEVIATIONS]


def data(shown: Settings) -> pd.DataFrame:
    """The numbers behind the figure."""
    found = shown.found
    if shown.figure == FIGURE_1:
        return pd.DataFrame({"row": range(1, shown.rows + 1), "epsilon": found.result.epsilon})
    pane = found.left if shown.figure == FIGURE_2_LEFT else found.right
    rows = [
        (group.label, *group.quantiles, group.mean, group.largest, worst)
        for group, worst in zip(pane.groups, pane.worst, strict=True)
    ]
    columns = ["setting", "5 %", "25 %", "median", "75 %", "95 %", "mean", "most exposed", "worst case"]
    frame = pd.DataFrame(rows, columns=columns)
    if shown.figure == FIGURE_2_RIGHT:
        frame = frame.assign(**{"exponential mechanism": found.exponential, "excess risk": found.excess})
    return frame


def program(shown: Settings) -> str:
    """The lines of dpcore that make these numbers."""
    return _program("figure", shown=shown, drawn=_DRAWN[shown.figure])
