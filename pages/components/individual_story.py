"""Tabs of the per-instance page: why a row is exposed and what helps, subgroups, mechanisms side by side, the floor."""

from typing import Any

import pandas as pd

from dpcore.errors import DPError
from dpcore.figures import individual_story as figures
from dpcore.individual import individual_privacy, story, views
from dpcore.individual.floor import floor_curve
from dpcore.individual.story import Subgroup
from dpcore.mechanisms import OutputPerturbation, PosteriorSampling
from pages.components import cache, cards, export, individual_mechanism, individual_views, say
from pages.components.say import md
from pages.components.words import number

COPIES = (1, 3, 10, 30)
FACTORS = (2.0, 4.0, 8.0)
LARGEST = 50_000  # rows up to which the what-ifs refit the data as the sliders move


def pick_row(view: individual_views.View, *, key: str) -> int:
    """Position of the row to look at: the most exposed ones by name, or any by number."""
    top = [int(row) for row in views.most_exposed(view.result, 20)]
    return say.selectbox(
        "Row", top, format_func=lambda row: f"row {view.dataset.row_labels[row]} (ε = {number(float(view.result.epsilon[row]))})",
        key=f"data_{key}_{view.dataset.sha256[:12]}", help="The twenty most exposed rows, most exposed first.",
    )  # fmt: skip


def why(view: individual_views.View, selected: list[int]) -> None:
    """Leverage against residual in words, the row's neighbours, and what would protect it."""
    index = selected[0] if selected else pick_row(view, key="why")
    say.markdown(view.result.explain(index))
    if view.dataset.n_samples > LARGEST:
        say.info(f"The what-ifs refit the data and are offered up to {LARGEST:,} rows.")
        return
    try:
        curves = protections(view, index)
    except DPError as error:
        say.info(f"What would protect this row cannot be computed: {error}")
        return
    now = float(view.result.epsilon[index])
    say.subheader("What would protect this row", anchor=False)
    export.chart(
        figures.protections(curves, now, cards.theme_mode()), key="pi_protect", alt="Epsilon of the row under what-ifs"
    )
    best = min(
        (value, name, label) for name, labels, values in curves for label, value in zip(labels, values, strict=True)
    )
    cards.notice(
        [
            md(
                "**{}: {}** helps most of these: ε falls from {} to {}.", best[1], best[2], number(now), number(best[0])
            ),
            "More people with the same record share its leverage and pull the fit towards it, so both causes shrink. A larger "
            "penalty λ lowers leverage but can raise the residual. Noise leaves both as they are and hides them.",
        ]
    )
    say.subheader("Rows that look like it", anchor=False)
    near = story.neighbours(view.result, index, 8)
    table = individual_views.record_table(view, [index, *(int(row) for row in near.rows)])
    table.insert(1, "shared direction", [1.0, *near.likeness])
    say.table(table, hide_index=True, key="pi_neighbours")
    say.caption(
        "Shared direction is the cosine in the metric of the fit: 1 means that the row pulls the fit the same way. Few rows "
        "near 1 mean high leverage."
    )


def protections(view: individual_views.View, index: int) -> list[tuple[str, list[str], list[float]]]:
    """ε of the row for more people like it, a larger penalty, more noise."""
    noise = [individual_mechanism.stronger(view.result.mechanism, factor) for factor in FACTORS]
    penalty = [individual_mechanism.more_regular(view.result.mechanism, factor) for factor in FACTORS]
    return [
        ("More people like it", [f"{count} more" for count in COPIES], _values(story.with_copies, view, index, COPIES)),
        (
            "Larger λ",
            [f"λ × {factor:g}" for factor in FACTORS],
            _values(story.with_mechanisms, view, index, tuple(penalty)),
        ),
        (
            "More noise",
            [f"noise × {factor:g}" for factor in FACTORS],
            _values(story.with_mechanisms, view, index, tuple(noise)),
        ),
    ]


def _values(compute: Any, view: individual_views.View, index: int, changes: Any) -> list[float]:
    found = cache.in_session(_on, compute.__name__, view.dataset, view.result.mechanism, view.delta, index, changes)
    return [float(value) for value in found]


def _on(name: str, dataset: Any, mechanism: Any, delta: float, index: int, changes: Any) -> Any:
    result = cache.in_session(individual_privacy, dataset, mechanism, delta)
    return getattr(story, name)(result, index, changes)


def by_group(view: individual_views.View) -> None:
    """Exposure by the values of a column."""
    names = [view.dataset.target, *view.dataset.names]
    column = say.selectbox("Column", names, key=f"data_group_{view.dataset.sha256[:12]}")
    groups = story.subgroups(view.result, column)
    export.chart(
        figures.boxes(groups, f"{column} (scaled units)", cards.theme_mode()), key="pi_groups",
        alt="Quantiles of epsilon by subgroup",
    )  # fmt: skip
    low, high = min(groups, key=lambda group: group.quantiles[2]), max(groups, key=lambda group: group.quantiles[2])
    ratio = f", {high.quantiles[2] / low.quantiles[2]:.3g} times as much" if low.quantiles[2] > 0 else ""
    say.markdown(
        md(
            "The median row with **{} {}** has ε = {}; with {} it has "
            "{}{}. The same release protects groups unequally: the smaller or odder a group, the less.",
            column,
            high.label,
            number(high.quantiles[2]),
            low.label,
            number(low.quantiles[2]),
            ratio,
        )
    )
    _table(groups, column)


def side_by_side(view: individual_views.View) -> None:
    """The same data under all three mechanisms, at the same penalty and comparable noise."""
    base = view.result.mechanism
    sigma = base.sigma if not isinstance(base, PosteriorSampling) else base.gamma**-0.5
    lam = base.lam
    mechanisms = [
        PosteriorSampling(gamma=sigma**-2, lam=lam),
        OutputPerturbation(sigma=sigma, lam=lam),
        individual_mechanism.linear_objective(sigma, lam),
    ]
    if view.dataset.n_samples > LARGEST and not say.button("Compute all three", key="pi_compare"):
        return
    groups, worst = [], []
    for mechanism in mechanisms:
        other = individual_views.compute(view.dataset, mechanism, view.delta)
        if other is None:
            return
        groups.append(story.whole(other.result, individual_mechanism.name(mechanism)))
        worst.append(other.worst_case[0])
    export.chart(
        figures.boxes(groups, f"mechanism at λ = {number(lam)}, σ = 1/√γ = {number(sigma)}", cards.theme_mode(), worst=worst),
        key="pi_mechanisms", alt="Quantiles of epsilon by mechanism",
    )  # fmt: skip
    say.markdown(
        "The noise has covariance H⁻¹/γ for the posterior sample, σ²I for output perturbation and σ²H⁻² for objective "
        "perturbation: equal σ does not mean equal accuracy. The plain squared loss has no worst case under objective "
        "perturbation, since the gradient of a record is unbounded."
    )
    _table(groups, "mechanism")


def _table(groups: list[Subgroup] | tuple[Subgroup, ...], label: str) -> None:
    columns = [label, "rows", "5 %", "25 %", "median", "75 %", "95 %", "mean", "most exposed"]
    rows = [(g.label, g.count, *g.quantiles, g.mean, g.largest) for g in groups]
    say.table(pd.DataFrame(rows, columns=columns), hide_index=True)


def floor(view: individual_views.View) -> None:
    """ε against γ, with what remains as γ → 0."""
    if not isinstance(view.result.mechanism, PosteriorSampling):
        say.info("The floor belongs to the posterior sample: choose it in the sidebar.")
        return
    index = int(views.most_exposed(view.result, 1)[0])
    curve = cache.in_session(_floor, view.dataset, view.result.mechanism, view.delta, index)
    label = f"row {view.dataset.row_labels[index]}"
    export.chart(
        figures.floor(curve, cards.theme_mode(), row=label, now=view.result.mechanism.gamma), key="pi_floor",
        alt="Epsilon against gamma with its floor",
    )  # fmt: skip
    say.markdown(
        md(
            "**Turning γ down does not take ε to 0.** However hot the posterior, {} keeps ε = {} and the "
            "median row {} at this δ: the *width* of the posterior, H⁻¹/γ, is narrower by the factor "
            "1/(1 + μ) along x with the row than without it, and scaling by γ cancels in that ratio. A larger λ, more data, or a "
            "larger δ lowers the floor; objective perturbation has one too, output perturbation has none.",
            label,
            number(curve.row_floor),
            number(curve.median_floor),
        )
    )


def _floor(dataset: Any, mechanism: Any, delta: float, index: int) -> Any:
    return floor_curve(cache.in_session(individual_privacy, dataset, mechanism, delta), index)
