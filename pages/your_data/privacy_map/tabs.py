"""Tabs of the map of definitions: odds (Fact 5), moments (Definition 7), other data sets, several releases, groups, generalisation."""

import math
from typing import Any

import pandas as pd

from dpcore.data.names import grouped
from dpcore.exhibits.paper_figures import figure as paper
from dpcore.exhibits.per_instance import story_figure as figures
from dpcore.exhibits.per_instance.bins import bins
from dpcore.exhibits.privacy_map import moments as moments_study
from dpcore.exhibits.privacy_map import odds as odds_study
from dpcore.exhibits.privacy_map.for_one import pdp_for_one
from dpcore.exhibits.privacy_map.generalisation import GAP_CARD, measure_generalisation
from dpcore.individual import IndividualPrivacy
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.rows.composed import compose_rows
from dpcore.individual.rows.group_privacy import group_privacy
from pages.components import cache, cards, controls, export, glm_release, part, say
from pages.components.words import number
from pages.your_data.privacy_map.views import MapView

_sentence = say.sentences(__file__)

_BINS = 24
_HOW = {
    EpsilonMethod.EXACT: "exact",
    EpsilonMethod.UPPER: "the smaller of both",
    EpsilonMethod.EXPANSION: "by expansion",
}


def for_one(view: MapView) -> None:
    """Show ε of the fixed record over data sets that are drawn anew."""
    result, size = view.result, view.result.dataset.n_samples - 1
    share = say.segmented_control("Rows drawn", [0.25, 0.5, 1.0], default=1.0, required=True, key="pm_share",
                                 format_func=lambda part: f"{100 * part:.0f} % of the others")  # fmt: skip
    taken = max(1, round(size * share))
    drawn = glm_release.of_all(_for_one, result, view.index, taken)
    binned = bins(drawn, _BINS)
    here = float(result.epsilon[view.index])
    drawing = figures.resampled(binned.edges, binned.counts, here, cards.theme_mode(), method=result.exposures.method)
    export.chart(drawing, key="pm_one", alt="Epsilon over data sets")
    mark, known = result.exposures.method.mark, result.method_of(view.index).mark
    lost = f" In {binned.infinite} of {len(drawn)} draws the coefficients were not determined."
    promised = "nothing" if view.value("Personal DP") is None else view.shown("Personal DP")
    found = mark, min(drawn), mark, max(drawn), len(drawn), known, here, lost if binned.infinite else "", promised
    say.markdown(_sentence("redrawn", grouped(size), grouped(taken), *found))


def _for_one(result: IndividualPrivacy, index: int, size: int) -> Any:
    return pdp_for_one(result, index, repeats=100, size=size)


def several(view: MapView) -> None:
    """Show ε of k releases for each row (exact or by Rényi), compared with the sum of their ε."""
    count = controls.count_slider("Releases k", 100, 4, key="pm_count")
    found = glm_release.of_all(_composed, view.result, count)
    how, sign = "exact", ""
    if found.method is EpsilonMethod.EXPANSION:
        how, sign = "by expansion", f" {found.method.sign}"
    columns = {
        f"one release {view.result.method.mark}".rstrip(): view.result.epsilon,
        f"{count} releases, {_HOW[found.method]}{sign}": found.epsilon,
        f"sum, each at δ/{count}{sign}": found.basic,
        f"Rényi{sign}": found.renyi,
    }
    rows = {"rows": ["fixed record", "median row", "most exposed row"]}
    rows |= {name: _three(view, epsilon) for name, epsilon in columns.items()}
    say.table(pd.DataFrame(rows), hide_index=True)
    say.markdown(_sentence("releases_independent_given_data", how))


def _composed(result: IndividualPrivacy, count: int) -> Any:
    return compose_rows([(result, count)], result.delta)


def _three(view: MapView, epsilon: Any) -> list[float]:
    top = int(view.result.most_exposed(1)[0])
    order = sorted(float(value) for value in epsilon)
    return [float(epsilon[view.index]), order[len(order) // 2], float(epsilon[top])]


def group(view: MapView) -> None:
    """Show ε of a group of rows that is removed together."""
    count = view.result.epsilon.size
    size = say.slider("Rows in the group", 1, min(8, count - 1), 3, key="pm_group") if count > 2 else 1
    rows = tuple(dict.fromkeys([view.index, *(int(row) for row in view.result.most_exposed(size + 1))]))[:size]
    say.markdown(f"The fixed record and the most exposed rows: {', '.join(map(view.result.dataset.row_name, rows))}.")
    if not say.toggle("Compute the group's ε", key="pm_group_on"):
        return
    with say.spinner("Leaving the rows out one after another", show_time=True):
        found = cache.in_session(group_privacy, view.result.dataset, view.result.mechanism, rows, view.result.delta)
    mark = view.result.exposures.method.mark
    joint = "not known" if found.joint is None else number(found.joint)
    of_joint = "exact for output perturbation, else Rényi of linear regression"
    cards.metric_row(
        [
            cards.Metric("All of them or none", f"ε {found.method.sign} {number(found.epsilon)}"),
            cards.Metric("From the joint laws", joint, help=of_joint),
            cards.Metric("One row after another", mark + number(found.chain), help=_sentence("epsilon_adds_up")),
            cards.Metric("Most exposed alone", mark + number(found.largest)),
        ]
    )


def learning(view: MapView) -> None:
    """Show moments of ε against the measured generalisation gap."""
    if not say.toggle("Measure on random halves of the data", key="pm_learning"):
        say.markdown(_sentence("if_small_on_average"))
        return
    shift = say.slider(
        "Shift of the population", 0.0, 2.0, 0.0, step=0.25, key="pm_shift",
        help="Standard deviations by which the people the model is used on lie further along the data's widest direction.",
    )  # fmt: skip
    with say.spinner("Releasing from forty random halves", show_time=True):
        found = cache.in_session(measure_generalisation, view.result.dataset, view.result.mechanism, shift)
    moved = (
        "Both losses are weighted by ρ = D′/D, the population moved; ε of its people counts instead. " if shift else ""
    )
    empty = "The bound exceeds 1, so it says nothing about a loss in [0, 1]. " if found.proposition >= 1 else ""
    part.show(
        _sentence("generalisation", moved, empty, found.delta),
        GAP_CARD,
        metrics=[
            cards.Metric("Measured gap", number(found.gap), f"± {number(found.standard_error)}"),
            cards.Metric(f"Proposition {11 if shift else 9} allows", number(found.proposition)),
            cards.Metric("Corollary 12 allows", number(found.corollary)),
            cards.Metric("Training loss", number(found.train_loss)),
        ],
    )


_SHARE = 0.95
_ROOTS = {1: "Mean E ε", 2: "√(E ε²)", 4: "⁴√(E ε⁴)", 8: "⁸√(E ε⁸)"}


def odds(view: MapView) -> None:
    """Show how much one release can change the odds that the fixed record is there, for events of each rarity."""
    result = view.result
    found = odds_study.odds(result.profile(view.index), result.delta)
    if found.epsilon == 0:
        say.info("This record has ε = 0: at this δ no event moves the odds that it is there.")
        return
    mark = result.exposures.method.mark
    covered = found.threshold <= 0.5
    at = found.at(max(found.threshold, found.probability[0])) if covered else math.nan
    said = _sentence("fact_5_says_nothing", found.delta / found.epsilon)
    if covered:
        name = result.dataset.row_name(view.index)
        said = _sentence("odds", name, _exp(2 * found.epsilon), found.threshold, mark, _exp(at))
    part.show(
        said, odds_study.ODDS_CARD,
        figure=paper.lines(
            found.curves, cards.theme_mode(), across="probability of the event, the smaller of both",
            up=f"|log odds| (nats){result.exposures.method.aside}",
        ),
        key="pm_odds", alt="Largest log odds of an event against its probability",
    )  # fmt: skip


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


def moments(view: MapView) -> None:
    """Show moments of ε over the rows, and how closely they bound the tail."""
    found, mark = moments_study.exposure_moments(view.result.epsilon), view.result.method.mark
    counted = float(view.result.quantiles(_SHARE))
    first, last = (found.quantile(_SHARE, order) for order in (found.orders[0], found.orders[-1]))
    part.show(
        _sentence("share_below", 100 * _SHARE, mark, counted, first, found.orders[-1], last, first / last),
        moments_study.MOMENTS_CARD,
        metrics=[
            cards.Metric(_ROOTS[k], mark + number(value ** (1 / k)))
            for k, value in zip(found.orders, found.values, strict=True)
        ],
        figure=paper.lines(
            found.curves, cards.theme_mode(), across=f"ε (nats){view.result.method.aside}", up="share of rows at or above it"
        ),
        key="pm_moments", alt="Share of rows above each epsilon with what the moments allow",
    )  # fmt: skip
