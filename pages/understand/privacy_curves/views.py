"""Metrics, charts and words of the privacy-curves page."""

import math
from collections.abc import Iterator

import pandas as pd

from dpcore.figures import curves as figures
from dpcore.mechanisms import MECHANISMS
from dpcore.profiles import curves
from dpcore.profiles.renyi import log_delta_at_order
from pages.components import cache, cards, live, people, say
from pages.components.charts import Chart
from pages.components.controls import DIRECTION_WORDS
from pages.components.frames import decks
from pages.components.page import Page
from pages.components.say import md
from pages.components.state import Asked
from pages.components.words import number, probability_from_log, program_text, programs, times
from pages.understand.privacy_curves.state import State

_sentence, _program = say.sentences(__file__), programs(__file__)

POINT = "pc_point"  # the key of the frames that are shown while the pointer is on a chart
KEYS = {"Privacy profile": "pc_delta_chart", "Trade-off": "pc_Trade-off", "Rényi divergence": "pc_Rényi divergence"}


def headline(view: State) -> str:
    """What each mechanism costs at the target δ."""
    found = [f"{name} {number(price)}" for name, price in zip(view.mechanisms, _prices(view), strict=True)]
    found[0] = f"{next(iter(view.mechanisms))} costs ε = {number(_prices(view)[0])}"
    return f"At δ = {number(view.delta)} {', '.join(found[:3])}"


def _prices(view: State) -> list[float]:
    """ε of each mechanism at the target δ."""
    return [view.answer(one, "epsilon", view.delta) for one in view.mechanisms.values()]


def _priced(view: State) -> list[tuple[float, str]]:
    """ε of each mechanism at the target δ, in words with its name unless there are too many for that."""
    few = len(view.mechanisms) <= figures.NAMED
    return [
        (price, f"{name}: ε = {number(price)}" if few else number(price))
        for name, price in zip(view.mechanisms, _prices(view), strict=True)
    ]


def main(asked: Asked) -> str:
    """The name of the first parameter of the first mechanism, whose slider stands under the figure."""
    return next((f"{key}_{one.name}" for key in asked.show[:1] for one in MECHANISMS[key].parameters), "")


def metrics(view: State) -> list[cards.Metric]:
    """Cards: of one mechanism its four answers; of several, ε at the target δ and δ at ε for each."""
    name, first = view.first
    at_delta = f"δ = {number(view.delta)}"
    reference = view.answer(first, "epsilon", view.delta)
    if len(view.mechanisms) == 1:
        log_delta = view.answer(first, "log_delta", view.epsilon)
        return [
            cards.Metric(f"δ at ε = {number(view.epsilon)}", probability_from_log(log_delta)),
            cards.Metric(f"ε at {at_delta}", number(reference)),
            cards.Metric(
                "Detection at 5 % false alarms",
                f"{100 * (1 - view.answer(first, 'tradeoff', 0.05)):.1f} %",
                help="Best detection rate of any attacker who allows 5 % false alarms. Perfect privacy gives 5 %.",
            ),
            cards.Metric(f"Rényi, α = {number(view.alpha)}", f"{number(view.answer(first, 'renyi', view.alpha))} nats"),
        ]
    row = []
    for other, mechanism in view.mechanisms.items():
        value = view.answer(mechanism, "epsilon", view.delta)
        there = probability_from_log(view.answer(mechanism, "log_delta", view.epsilon))
        comparable = other != name and 0 < reference < math.inf and math.isfinite(value)
        row.append(
            cards.Metric(
                f"{other}: ε at {at_delta}", number(value), f"δ = {there} at ε = {number(view.epsilon)}",
                help=f"{times(value / reference)} that of {name}." if comparable else None,
            )
        )  # fmt: skip
    return row


def charts(view: State) -> list[Chart]:
    """The three linked charts. The names in the first one also hold for the others."""
    mode, colors = cards.theme_mode(), figures.palette(list(view.mechanisms))
    small = {"showlegend": False, "margin": {"t": 16}, "height": 260}
    return [
        Chart("Privacy profile", lambda: figures.delta_figure(
                  view.profiles, mode, colors=colors, log_scale=view.log, target=view.delta, look_at=view.point,
                  prices=_priced(view)),
              "Privacy profile: delta against epsilon", KEYS["Privacy profile"], caption=_sentence("how_to_read")),
        Chart("Trade-off", lambda: figures.tradeoff_figure(
                  view.tradeoffs, mode, colors=colors, pinned_by=view.pinned, touch=view.marked[0], **small),
              "Trade-off curve: type-II error against type-I error"),
        Chart("Rényi divergence", lambda: figures.renyi_figure(
                  view.renyi, mode, colors=colors, look_at=view.alpha, touch=view.marked[1], **small),
              "Rényi divergence against its order"),
    ]  # fmt: skip


def in_people(view: State) -> str:
    """What the first mechanism means in people."""
    name, first = view.first
    return people.told(first, view, name)


def data(view: State) -> pd.DataFrame:
    """The data behind the curves."""
    parts = {"delta(epsilon)": view.profiles, "type II(type I)": view.tradeoffs, "Renyi(alpha)": view.renyi}
    return pd.concat(
        [curves.table(part, "x", "y").assign(curve=name) for name, part in parts.items()], ignore_index=True
    )


def follows(view: State) -> list[str]:
    """Sliders that charts or words follow: the parameters of every mechanism shown, and those of the state."""
    parameters = [f"{key}_{p.name}" for key in view.show for p in MECHANISMS[key].parameters]
    return [*parameters, "epsilon", "delta", "alpha", "false_alarms", "prior"]


def rings(view: State) -> dict[str, tuple[str, int]]:
    """For each chart, (key of the frames shown while the pointer is on it, number of the trace with the ring).

    The frame whose ring is nearest to the pointer is shown.
    """
    count = len(view.mechanisms)
    return {key: (POINT, count + (3 if chart == "Trade-off" else 0)) for chart, key in KEYS.items()}


def point_decks(page: Page, view: State) -> Iterator[live.Dealt | None]:
    """The charts at each ε to which a reader may point, at even steps along the axis of ε and along that of δ."""
    first, direction = view.first[1], view.direction
    start = float(first.delta(0.0, direction=direction))
    known = first.epsilon([start * 10 ** (-k / 8) for k in range(96)], direction=direction).tolist()
    even = [view.epsilon_max * i / 80 for i in range(81)]
    yield from decks(page, view, "epsilon", sorted({value for value in known + even if math.isfinite(value)}))


def notes(view: State) -> list[str]:
    """Sentences computed from what is on the screen."""
    name, delta_at = view.first[0], view.point[1]
    attack, (order, divergence) = view.marked
    lines = "thin line in the trade-off chart is" if view.one_sided else "two thin lines in the trade-off chart are"
    slope = md(r"$-e^{-\varepsilon}$") if view.one_sided else md(r"$-e^{\varepsilon}$")
    said = [
        _sentence("rings_mark_one_attack", name, view.epsilon, *attack, slope, delta_at),
        _order_words(view, order, divergence, delta_at),
        _sentence("one_point_not_guarantees", name, lines, view.epsilon, delta_at),
    ]
    edges = {other: cache.answer(one, "epsilon", 0.0) for other, one in view.mechanisms.items()}
    pure = [f"{other} at ε = {number(edge)}" for other, edge in edges.items() if math.isfinite(edge)]
    if pure:
        said.append(_sentence("pure_dp_shows_edge", ", ".join(pure)))
    if len(pure) < len(edges):
        said.append(_sentence("gaussian_has_no_edge"))
    asymmetric = [(other, one.asymmetry) for other, one in view.mechanisms.items() if not one.symmetric]
    if asymmetric:
        (other, why), shown = asymmetric[0], DIRECTION_WORDS[view.direction]
        said.append(md("**Direction matters for {}** (showing: {}). {}", other, shown, why))
    return said


def _order_words(view: State, order: float, divergence: float, delta: float) -> str:
    """A sentence on what the Rényi curve says about the point (ε, δ)."""
    lost = md("**Rényi curves carry less**: from them one can only get back an upper bound on δ(ε). ")
    if math.isnan(order):
        return lost + md("At ε = {!n} no order on this axis gives the best one.", view.epsilon)
    bound = min(float(log_delta_at_order(order - 1, divergence, view.epsilon)), 0.0)
    above = times(math.exp(bound) / delta) if delta else "above"
    return lost + _sentence("best_order", view.epsilon, order, probability_from_log(bound), above)


def program(view: State) -> str:
    """The lines of dpcore that make these numbers."""
    name, first = view.first
    return _program("answers", view=view, name=name, mechanism=program_text(first))
