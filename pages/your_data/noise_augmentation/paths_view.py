"""The iterations: where they go, how far finitely many rows and steps stay away, and what the source would hand back."""

import pandas as pd
import streamlit as st

from dpcore.exhibits.noise_augmentation import paths_figure as figures
from dpcore.exhibits.noise_augmentation.figure import paths_figure
from dpcore.exhibits.noise_augmentation.pictures import path_picture
from dpcore.exhibits.noise_augmentation.rounds import recycling_rounds
from dpcore.profiles import Bound
from pages.components import cards, export, say
from pages.components.say import md
from pages.components.words import count, number
from pages.your_data.noise_augmentation.shown import Shown, cached, guarantee
from pages.your_data.noise_augmentation.state import AugmentationView


def show(state: AugmentationView) -> Shown:
    """The paths, then what is left of the distance to the limit, of the convexity needed, of the noise and of the budget."""
    case = state.case()
    learner = state.learner(case)
    plan = learner.plan(case.facts)
    weighting, noise = plan.parameters["weighting"], plan.parameters["noise"]
    picture = cached(
        state, path_picture, case, weighting, noise, selection=learner.selection, rows=state.rows if state.finite else None,
        limit=state.limit, cut=state.cut,
    )  # fmt: skip
    trace = picture.trace
    change = float(trace.percentage_change[-1]) if len(trace.steps) > 1 else 0.0
    claimed = plan.profile.bound is Bound.CLAIMED
    cards.metric_row([
        guarantee(state, plan),
        cards.Metric("Iterations", str(len(trace.steps)), "settled" if trace.converged else "still moving"),
        cards.Metric("Last change of the loss", f"{number(change)} %", f"noise ‖b‖ = {number(picture.noise_norm)}"),
        cards.Metric("Retrievable share", f"{100 * picture.retrieved:.0f} %", "of (1 − r)ε, claimed" if claimed else "not given back"),
    ])  # fmt: skip
    mode = cards.theme_mode()
    fig = paths_figure(picture, mode)
    export.chart(fig, key="na_paths_chart", alt="Coefficients over the iterations")
    drawn = {"Who gives the convexity (Fig. 2)": figures.scheme_figure(picture, mode)}
    if len(picture.apart):
        drawn["Distance to the limit"] = figures.apart_figure(picture, state.rows if state.finite else None, mode)
    if learner.selection == "vs":
        drawn["Noise above the cut"] = figures.noise_figure(picture, mode)
    rounds = None
    if claimed and state.kind != "bridge":
        rounds = cached(
            state, recycling_rounds, case, weighting, noise, state.epsilon, selection=learner.selection, cut=state.cut
        )
        drawn["Rounds of recycling"] = figures.rounds_figure(rounds, state.epsilon, mode)
    columns = st.columns(2, gap="small")
    for k, (title, chart) in enumerate(drawn.items()):
        with columns[k % 2]:
            say.caption(title)
            export.chart(chart, key=f"na_{title}", alt=title)
    data = pd.DataFrame(trace.paths, columns=[f"theta{j + 1}" for j in range(trace.paths.shape[1])])
    data.insert(0, "t", range(1, len(data) + 1))
    gone = float((trace.theta == 0).sum())
    off = (
        max((abs(float(value)) for value in trace.theta - picture.limit), default=0.0)
        if picture.limit is not None
        else float("nan")
    )
    facts = {"flipping": float(trace.oscillating.sum()), "zeros": gone, "off": off, "retrieved": picture.retrieved}
    facts["least"], facts["floor"] = float(picture.alone.min()) / 2, picture.floor
    facts["below"] = float((picture.noise < 0).sum())
    if len(picture.apart):
        data["distance"] = picture.apart
        facts["apart"], facts["apart_without"] = float(picture.apart[-1]), float(picture.apart_without[-1])
    if rounds is not None:
        facts["one"], facts["last"] = float(rounds.budget[1]), float(rounds.budget[-1])
        facts["before"], facts["after"] = float(rounds.distance[0]), float(rounds.distance[-1])
    return Shown({"Iterations": fig, **drawn}, data, facts)


def words(state: AugmentationView, facts: dict[str, float]) -> list[str]:
    """What the charts below the paths say, and where it holds."""
    said = []
    if "apart" in facts:
        rows = (
            md(" with {} rows, {} without", count(state.rows), number(facts["apart_without"])) if state.finite else ""
        )
        said.append(
            md("**Distance to the limit after the last iteration: {}**", number(facts["apart"]))
            + rows
            + md(
                ". Iterations alone converge at a constant rate; rows leave an error of order 1/√nₑ that no T removes."
            )
        )
    said.append(
        md(
            "**Fig. 2 from these data**: the target alone gives each coefficient a convexity of {} or more; 2Λ₀ = {} is needed. "
            "The sum pays 2Λ₀ on top of every bar, the maximum only where a bar is too short. Retrievable is the share of the least "
            "total that lies beyond 2Λ₀, {:.0f} % here.",
            number(2 * facts["least"]),
            number(2 * facts["floor"]),
            100 * facts["retrieved"],
        )
    )
    if state.selection == "vs" and state.variant != "certified":
        said.append(
            md(
                "**Cut c** (Eqs. 9 and 10, c ≤ 0): {:.0f} entries of b are negative; each pushes its |θ| away from 0. c = 0 is VS+, no cut "
                "is VS. With any cut the support of θ moves with the record: no ε holds.",
                facts["below"],
            )
        )
    if "one" in facts:
        said.append(
            md(
                "**Recycling**: the first round scales the noise for {} nats, four for {}, never above ε. "
                "The lasso without noise is {} away, after four rounds {}. What is retrieved is read off the data.",
                number(facts["one"]),
                number(facts["last"]),
                number(facts["before"]),
                number(facts["after"]),
            )
        )
    return said
