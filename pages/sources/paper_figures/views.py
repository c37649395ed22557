"""The page of the per-instance paper's figures: metrics, claims, words, data."""

import math
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dpcore.exhibits.paper_figures import figure as paper
from dpcore.exhibits.paper_figures.study import (
    DEVIATIONS,
    NEAR_D,
    NEAR_N,
    NEAR_NOISE,
    NEAR_SEED,
    PaperFigures,
    paper_figures,
)
from dpcore.individual.all_rows.pictured import histogram
from pages.components import cache, cards, say, state
from pages.components.page import Chart, NothingToShowError, place
from pages.components.say import md
from pages.components.words import number, times

VERDICTS = {
    "reproduced": "Reproduced at these sizes",
    "smaller": "Not reproduced: less than printed",
    "larger": "Not reproduced: more than printed",
}


PRESETS = {
    "Near the printed ratios": {"pf_n": NEAR_N, "pf_d": NEAR_D, "pf_noise": NEAR_NOISE, "pf_seed": NEAR_SEED},
    "Few rows": {"pf_n": 100, "pf_d": 5},
    "A thousand rows": {"pf_n": 1000, "pf_d": 10},
    "Many rows": {"pf_n": 10000, "pf_d": 10},
}
SOURCES = {
    "Near the printed ratios": "The paper prints no n, d or seed: sizes at which Figure 1's two ratios come out."
}


@dataclass(frozen=True)
class Sizes:
    """The linear Gaussian model, and both figures on data drawn from it."""

    n: int = state.whole("Rows n", 1, 10_000, NEAR_N)
    d: int = state.whole("Columns d", 1, 30, NEAR_D)
    noise: float = state.log("Noise of the model", 0.01, 1.0, NEAR_NOISE)
    seed: int = state.linear("Seed", 0, 20, NEAR_SEED, step=1)

    @property
    def given(self) -> tuple[int, int, float, int]:
        return self.n, self.d, self.noise, self.seed

    @property
    def found(self) -> PaperFigures:
        return cache.kept(paper_figures, *self.given)


def computed(shown: Sizes) -> Sizes:
    """The model, its figures computed."""
    if shown.n < 2:
        raise NothingToShowError("A data set needs at least two rows: raise n.")
    with say.spinner("Computing both figures", show_time=True):
        _ = shown.found
    return shown


def headline(shown: Sizes) -> str:
    """Three accounts of one release."""
    found = shown.found
    median = float(found.result.quantiles(0.5))
    if not 0 < median < found.worst_case < math.inf:
        return f"The median row loses ε = {number(median)}; the worst case says {number(found.worst_case)}"
    return f"The worst case says {times(found.worst_case / median)} what the median row loses"


def metrics(shown: Sizes) -> list[cards.Metric]:
    """Median row, most exposed, any record, worst case."""
    found = shown.found
    median = float(found.result.quantiles(0.5))
    values = {
        "Median row": median, "Most exposed row": float(found.result.epsilon.max()), "pDP for all": found.for_all,
        "DP worst case": found.worst_case,
    }  # fmt: skip
    return [
        cards.Metric(
            name,
            f"ε = {number(value)}",
            f"{times(value / median)} the median" if median > 0 and value != median else None,
        )
        for name, value in values.items()
    ]


def body(shown: Sizes) -> list[Chart]:
    """Figure 1; both panes of Figure 2 are for below."""
    mode, found = cards.theme_mode(), shown.found
    binned = histogram(found.result, beside=[found.for_all, found.worst_case])
    first = Chart(
        "Figure 1", lambda: paper.first(found, binned, mode), "Histogram of epsilon with worst cases", "pf_first"
    )
    place(first)
    return [first, *_panes(shown)]


def _panes(shown: Sizes) -> list[Chart]:
    mode, found = cards.theme_mode(), shown.found
    return [
        Chart(
            "Figure 2 left",
            lambda: paper.second_left(found, mode),
            "Boxes of epsilon by noise with worst cases",
            "pf_left",
        ),
        Chart("Figure 2 right", lambda: paper.second_right(found, mode), "Epsilon against excess risk", "pf_right"),
    ]


def below(shown: Sizes) -> None:
    """Both panes of Figure 2."""
    for column, chart in zip(st.columns(2, gap="small"), _panes(shown), strict=True):
        with column:
            say.subheader(chart.title.replace(" l", ", l").replace(" r", ", r"), anchor=False)
            place(chart)


def observations(shown: Sizes) -> list[str]:
    """Each claim with the ratio found here and the verdict at these sizes, and where this differs from the paper."""
    found = shown.found
    claims = [
        md(
            "**“{}”** ({}): here {}; it says {} to {}. {}.",
            one.words, one.of, times(one.found), times(one.low), times(one.high), VERDICTS[one.verdict],
        )
        for one in found.claims
    ]  # fmt: skip
    return [
        *claims,
        md(
            "**The floor**: at γ = {} the mean ε of the posterior sample is still {} and falls no "
            "further: its covariance alone shows each row. The exponential mechanism's account, 2γ, goes on to 0 because it assumes a "
            "posterior restricted to ‖θ‖ ≤ 1, where the covariance tends to that of the uniform law.",
            number(found.gammas[0]),
            number(found.posterior[0].mean),
        ),
        *DEVIATIONS,
    ]


def table(shown: Sizes) -> pd.DataFrame:
    """The numbers behind both panes of Figure 2."""
    found = shown.found
    rows = [
        ("left", group.label, *group.quantiles, group.mean, group.largest, worst, None, None)
        for group, worst in zip(found.groups, found.group_worst, strict=True)
    ]
    rows += [
        ("right", group.label, *group.quantiles, group.mean, group.largest, worst, pure, risk)
        for group, worst, pure, risk in zip(
            found.posterior, found.posterior_worst, found.exponential, found.excess, strict=True
        )
    ]
    columns = [
        "pane", "setting", "5 %", "25 %", "median", "75 %", "95 %", "mean", "most exposed", "worst case",
        "exponential mechanism", "excess risk",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def program(shown: Sizes) -> str:
    """The lines of dpcore that make these numbers."""
    return f"""import dpcore as dp
found = dp.exhibits.paper_figures.study.paper_figures(n={shown.n}, d={shown.d}, noise={shown.noise}, seed={shown.seed})
found.worst_case, found.for_all, found.result.epsilon
[(claim.words, claim.found, claim.verdict) for claim in found.claims]"""
