"""Tabs of the map: one record's exposure as odds (Fact 5), and the moments of all rows' (Definition 7)."""

import math

from dpcore.exhibits.paper_figures import figure as figures
from dpcore.exhibits.privacy_map import moments as moments_study
from dpcore.exhibits.privacy_map import odds as odds_study
from pages.components import cards, part, say
from pages.components.say import md
from pages.components.words import number, times
from pages.your_data.privacy_map.views import MapView

_SHARE = 0.95
_ROOTS = {1: "Mean E ε", 2: "√(E ε²)", 4: "⁴√(E ε⁴)", 8: "⁸√(E ε⁸)"}


def odds(view: MapView) -> None:
    """By how much one release can move the odds that the fixed record is there, by how rare the event is."""
    result = view.result
    found = odds_study.odds(result.profile(view.index), result.delta)
    if found.epsilon == 0:
        say.info("This record has ε = 0: at this δ no event moves the odds that it is there.")
        return
    mark = result.exposures.method.mark
    covered = found.threshold <= 0.5
    at = found.at(max(found.threshold, found.probability[0])) if covered else math.nan
    part.show(
        md(
            "Whoever thinks {} as likely present as absent can be brought to odds of **at most {} : 1** by any event of "
            "probability δ/ε = {} or more (Fact 5); the most telling such event reaches {}{} : 1. Rarer events may say more.",
            result.dataset.row_name(view.index), number(_exp(2 * found.epsilon)), number(found.threshold), mark, number(_exp(at)),
        )
        if covered
        else md(
            "δ/ε = {} exceeds ½: Fact 5 is about no event here. What (ε, δ) alone says is drawn, beside the record itself.",
            number(found.delta / found.epsilon),
        ),
        odds_study.ODDS_CARD,
        figure=figures.lines(
            found.curves, cards.theme_mode(), across="probability of the event, the smaller of both",
            up=f"|log odds| (nats){result.exposures.method.aside}",
        ),
        key="pm_odds", alt="Largest log odds of an event against its probability",
    )  # fmt: skip


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


def moments(view: MapView) -> None:
    """Moments of ε over the rows, and how much of the tail they know."""
    found, mark = moments_study.exposure_moments(view.result.epsilon), view.result.method.mark
    counted = float(view.result.quantiles(_SHARE))
    first, last = (found.quantile(_SHARE, order) for order in (found.orders[0], found.orders[-1]))
    part.show(
        md(
            "**{:.0f} % of the rows are below ε = {}{}.** The mean alone promises {}; all moments up to order {} promise {}, {} closer. "
            "Moments are of these data and as confidential as the rows.",
            100 * _SHARE, mark, number(counted), number(first), found.orders[-1], number(last), times(first / last),
        ),
        moments_study.MOMENTS_CARD,
        metrics=[
            cards.Metric(_ROOTS[k], mark + number(value ** (1 / k)))
            for k, value in zip(found.orders, found.values, strict=True)
        ],
        figure=figures.lines(
            found.curves, cards.theme_mode(), across=f"ε (nats){view.result.method.aside}", up="share of rows at or above it"
        ),
        key="pm_moments", alt="Share of rows above each epsilon with what the moments allow",
    )  # fmt: skip
