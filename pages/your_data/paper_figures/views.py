"""The page of the per-instance paper's figures: metrics, claims, words, data."""

import pandas as pd
import streamlit as st

from dpcore.exhibits.paper_figures import figure as paper
from dpcore.exhibits.paper_figures.study import DEVIATIONS, PaperFigures
from dpcore.individual.all_rows.pictured import histogram
from pages.components import cards, export, say
from pages.components.say import md
from pages.components.words import number, times

VERDICTS = {
    "reproduced": "Reproduced at these sizes",
    "smaller": "Not reproduced: less than printed",
    "larger": "Not reproduced: more than printed",
}


def metrics(found: PaperFigures) -> None:
    """Median row, most exposed, any record, worst case."""
    median, most = float(found.result.quantiles(0.5)), float(found.result.epsilon.max())

    def against(value: float) -> str | None:
        return f"{times(value / median)} the median" if median > 0 else None

    cards.metric_row(
        [
            cards.Metric("Median row", f"ε = {number(median)}"),
            cards.Metric("Most exposed row", f"ε = {number(most)}", against(most)),
            cards.Metric("pDP for all", f"ε = {number(found.for_all)}", against(found.for_all)),
            cards.Metric("DP worst case", f"ε = {number(found.worst_case)}", against(found.worst_case)),
        ]
    )


def charts(found: PaperFigures) -> dict:
    """Figure 1, and both panes of Figure 2."""
    mode = cards.theme_mode()
    binned = histogram(found.result, beside=[found.for_all, found.worst_case])
    drawn = {
        "Figure 1": paper.first(found, binned, mode),
        "Figure 2 left": paper.second_left(found, mode),
        "Figure 2 right": paper.second_right(found, mode),
    }
    say.subheader("Figure 1: one release, three accounts of it", anchor=False)
    export.chart(drawn["Figure 1"], key="pf_first", alt="Histogram of epsilon with worst cases")
    left, right = st.columns(2, gap="small")
    with left:
        say.subheader("Figure 2, left", anchor=False)
        export.chart(drawn["Figure 2 left"], key="pf_left", alt="Boxes of epsilon by noise with worst cases")
    with right:
        say.subheader("Figure 2, right", anchor=False)
        export.chart(drawn["Figure 2 right"], key="pf_right", alt="Epsilon against excess risk")
    return drawn


def claims(found: PaperFigures) -> list[str]:
    """Each claim with the ratio found here and the verdict at these sizes."""
    return [
        md(
            "**“{}”** ({}): here {}; it says {} to {}. {}.",
            claim.words,
            claim.of,
            times(claim.found),
            times(claim.low),
            times(claim.high),
            VERDICTS[claim.verdict],
        )
        for claim in found.claims
    ]


def observations(found: PaperFigures) -> list[str]:
    """The claims, and where this differs from the paper."""
    floor = found.posterior[0]
    return [
        *claims(found),
        md(
            "**The floor**: at γ = {} the mean ε of the posterior sample is still {} and falls no "
            "further: its covariance alone shows each row. The exponential mechanism's account, 2γ, goes on to 0 because it assumes a "
            "posterior restricted to ‖θ‖ ≤ 1, where the covariance tends to that of the uniform law.",
            number(found.gammas[0]),
            number(floor.mean),
        ),
        *DEVIATIONS,
    ]


def table(found: PaperFigures) -> pd.DataFrame:
    """The numbers behind both panes of Figure 2."""
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


PROGRAM = """import dpcore as dp
found = dp.exhibits.paper_figures.study.paper_figures(n={n}, d={d}, noise={noise}, seed={seed})
found.worst_case, found.for_all, found.result.epsilon
[(claim.words, claim.found, claim.verdict) for claim in found.claims]"""
