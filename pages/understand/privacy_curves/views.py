"""Metrics, charts and words of the privacy-curves page."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.figures import curves as figures
from dpcore.profiles import PrivacyProfile, curves, marks
from dpcore.profiles.renyi import log_delta_at_order
from pages.components import cache, cards, export
from pages.components.controls import DIRECTION_WORDS
from pages.components.say import md
from pages.components.words import number, probability_from_log, program_text, times


@dataclass(frozen=True)
class CurveView:
    """What the sidebar asks to see."""

    mechanisms: Mapping[str, PrivacyProfile]
    epsilon: float
    delta: float
    order: float
    direction: str
    epsilon_max: float
    log_scale: bool

    @property
    def point(self) -> tuple[float, float]:
        """(ε, δ) of the first mechanism, where the reader looks."""
        return self.epsilon, float(self.first[1].delta(self.epsilon, direction=self.direction))

    @property
    def one_sided(self) -> bool:
        """Whether δ(ε) as shown promises something of one of the attacker's errors only."""
        return marks.mirrored(self.first[1], self.direction)

    @property
    def pinned(self) -> curves.Pin:
        """What that point alone implies for the trade-off curve."""
        return curves.pin(*self.point, one_sided=self.one_sided)

    @property
    def first(self) -> tuple[str, PrivacyProfile]:
        return next(iter(self.mechanisms.items()))


def metrics(view: CurveView) -> None:
    """One mechanism: its four answers. Several: ε at the target δ and δ at ε, for each."""
    name, first = view.first
    at_delta = f"δ = {number(view.delta)}"
    reference = float(first.epsilon(view.delta, direction=view.direction))
    if len(view.mechanisms) == 1:
        log_delta = float(first.log_delta(view.epsilon, direction=view.direction))
        cards.metric_row(
            [
                cards.Metric(f"δ at ε = {number(view.epsilon)}", probability_from_log(log_delta)),
                cards.Metric(f"ε at {at_delta}", number(reference)),
                cards.Metric(
                    "Detection at 5 % false alarms",
                    f"{100 * (1 - float(first.tradeoff(0.05, direction=view.direction))):.1f} %",
                    help="Best detection rate of any attacker who allows 5 % false alarms. Perfect privacy gives 5 %.",
                ),
                cards.Metric(
                    f"Rényi, α = {number(view.order)}",
                    f"{number(float(first.renyi(view.order, direction=view.direction)))} nats",
                ),
            ]
        )
        return
    row = []
    for other, mechanism in view.mechanisms.items():
        value = float(mechanism.epsilon(view.delta, direction=view.direction))
        there = probability_from_log(float(mechanism.log_delta(view.epsilon, direction=view.direction)))
        comparable = other != name and 0 < reference < math.inf and math.isfinite(value)
        row.append(
            cards.Metric(
                f"{other}: ε at {at_delta}", number(value), f"δ = {there} at ε = {number(view.epsilon)}",
                help=f"{times(value / reference)} that of {name}." if comparable else None,
            )
        )  # fmt: skip
    cards.metric_row(row)


ORDER_RANGE = (1.1, 100.0)
CHARTS = {"Privacy profile": "pc_delta_chart", "Trade-off": "pc_Trade-off", "Rényi divergence": "pc_Rényi divergence"}


def sampling(view: CurveView, chart: str) -> tuple[Callable[..., curves.Curve], tuple[float, ...]]:
    """The function that samples the curves of a chart, and what it is told of the view beside the direction."""
    return {
        "Privacy profile": (curves.delta_curve, (view.epsilon_max,)),
        "Trade-off": (curves.tradeoff_curve, ()),
        "Rényi divergence": (curves.renyi_curve, (max(64.0, 2 * view.order),)),
    }[chart]


Marked = tuple[list[tuple[float, float]], list[tuple[float, float]]]


def marked(view: CurveView, epsilon: Sequence[float], renyi: curves.Curve) -> Marked:
    """The attacks on the first mechanism that attain δ at each ε, on its trade-off curve and on its Rényi curve."""
    mechanism = view.first[1]
    found = marks.attacks(mechanism, list(epsilon), view.direction)
    orders = marks.best_order(renyi, mechanism, list(epsilon), view.direction)
    return (
        list(zip(found.false_alarms.tolist(), found.misses.tolist(), strict=True)),
        list(zip(*(part.tolist() for part in orders), strict=True)),
    )


def sampled(view: CurveView, chart: str) -> list[curves.Curve]:
    """The curves of a chart, one for each mechanism."""
    sample, ends = sampling(view, chart)
    return [
        cache.shared(sample, name, mechanism, *ends, direction=view.direction)
        for name, mechanism in view.mechanisms.items()
    ]


def charts(view: CurveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """Draw the three linked charts; return them with the data behind them."""
    shown = {chart: sampled(view, chart) for chart in CHARTS}
    drawn = pictures(view, shown, cards.theme_mode())
    left, right = st.columns([3, 2], gap="small")
    with left:
        export.chart(
            drawn["Privacy profile"], key=CHARTS["Privacy profile"], alt="Privacy profile: delta against epsilon"
        )
    with right:
        for title, alt in (
            ("Trade-off", "Trade-off curve: type-II error against type-I error"),
            ("Rényi divergence", "Rényi divergence against its order"),
        ):
            export.chart(drawn[title], key=CHARTS[title], alt=alt)
    frame = pd.concat(
        [
            curves.table(shown["Privacy profile"], "x", "y").assign(curve="delta(epsilon)"),
            curves.table(shown["Trade-off"], "x", "y").assign(curve="type II(type I)"),
            curves.table(shown["Rényi divergence"], "x", "y").assign(curve="Renyi(alpha)"),
        ],
        ignore_index=True,
    )
    return drawn, frame


def pictures(view: CurveView, shown: Mapping[str, Sequence[curves.Curve]], mode: str) -> dict[str, go.Figure]:
    """The three figures of these curves."""
    colors = figures.palette(list(view.mechanisms))
    (touch,), (order,) = marked(view, [view.epsilon], shown["Rényi divergence"][0])
    return {
        "Privacy profile": figures.delta_figure(
            shown["Privacy profile"], mode, colors=colors, log_scale=view.log_scale, target=view.delta, look_at=view.point,
        ),
        "Trade-off": figures.tradeoff_figure(
            shown["Trade-off"], mode, colors=colors, pinned_by=view.pinned, touch=touch
        ).update_layout(showlegend=False, margin={"t": 16}),
        "Rényi divergence": figures.renyi_figure(
            shown["Rényi divergence"], mode, colors=colors, look_at=view.order, touch=order
        ).update_layout(showlegend=False, margin={"t": 16}),
    }  # fmt: skip


def observations(view: CurveView) -> list[str]:
    """Statements computed from what is on screen."""
    name, delta_at = view.first[0], view.point[1]
    (attack,), ((order, divergence),) = marked(view, [view.epsilon], sampled(view, "Rényi divergence")[0])
    lines = "thin line in the trade-off chart is" if view.one_sided else "two thin lines in the trade-off chart are"
    said = [
        md(
            "**The rings mark one attack on {}.** At ε = {} the best one has false alarms {} and misses {}: there the trade-off "
            "curve has slope {}, and δ = {}. Point at its curve in any chart: the other two mark the same attack.",
            name,
            number(view.epsilon),
            number(attack[0]),
            number(attack[1]),
            md(r"$-e^{-\varepsilon}$") if view.one_sided else md(r"$-e^{\varepsilon}$"),
            number(delta_at),
        ),
        _order_words(view, order, divergence, delta_at),
        md(
            "**One point is not a guarantee's whole story.** {} is (ε, δ)-DP at *every* point of its curve. The {} "
            "all that (ε = {}, δ = {}) alone promises; "
            "the curve lies above everywhere except where it touches.",
            name,
            lines,
            number(view.epsilon),
            number(delta_at),
        ),
    ]
    pure = [other for other, m in view.mechanisms.items() if math.isfinite(float(m.epsilon(0.0)))]
    if pure:
        limits = ", ".join(f"{other} at ε = {number(float(view.mechanisms[other].epsilon(0.0)))}" for other in pure)
        said.append(
            md(
                "**Pure DP shows as an edge**: δ drops to zero at a finite ε ({}), and the Rényi curve levels off there.",
                limits,
            )
        )
    if any(math.isinf(float(m.epsilon(0.0))) for m in view.mechanisms.values()):
        said.append(
            md(
                "**Gaussian noise has no edge**: δ stays positive for every ε, and the Rényi curve grows with α forever."
            )
        )
    asymmetric = [other for other, m in view.mechanisms.items() if not m.symmetric]
    if asymmetric:
        shown = DIRECTION_WORDS[view.direction]
        said.append(
            md(
                "**Direction matters for {}** (showing: {}). {}",
                asymmetric[0],
                shown,
                view.mechanisms[asymmetric[0]].asymmetry,
            )
        )
    return said


def _order_words(view: CurveView, order: float, divergence: float, delta: float) -> str:
    """What the Rényi curve can say of the point looked at."""
    lost = md("**Rényi curves carry less**: from them one can only get back an upper bound on δ(ε). ")
    if math.isnan(order):
        return lost + md("At ε = {} no order on this axis gives the best one.", number(view.epsilon))
    bound = float(log_delta_at_order(order - 1, divergence, view.epsilon, "tight"))
    return lost + md(
        "At ε = {} the best order is α = {}, which gives δ ≤ {}, {} the exact δ.",
        number(view.epsilon),
        number(order),
        probability_from_log(min(bound, 0.0)),
        times(math.exp(min(bound, 0.0)) / delta) if delta else "above",
    )


def program(view: CurveView) -> str:
    """The lines of dpcore that make these numbers."""
    name, first = view.first
    return "\n".join(
        [
            "import dpcore as dp",
            f"mechanism = {program_text(first)}  # {name}",
            f"mechanism.delta({view.epsilon!r}, direction={view.direction!r})    # δ at ε",
            f"mechanism.epsilon({view.delta!r}, direction={view.direction!r})  # ε at δ",
            f"mechanism.tradeoff(0.05), mechanism.renyi({view.order!r})",
        ]
    )
