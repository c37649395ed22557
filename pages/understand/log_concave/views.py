"""Metrics, charts and words of the log-concave pairs page."""

import math
from collections.abc import Callable

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.exhibits.log_concave import drawn
from dpcore.exhibits.log_concave import figure as figures
from dpcore.exhibits.log_concave.drawn import DrawnPair
from dpcore.exhibits.log_concave.excess import excesses
from dpcore.exhibits.log_concave.pair import PAIR_ORDERS
from dpcore.figures.curves import tradeoff_figure
from dpcore.profiles import curves
from pages.components import cache, cards, drawing, export, say
from pages.components.charts import Chart
from pages.components.page import NothingToShowError
from pages.components.say import md
from pages.components.words import number, probability_from_log, programs
from pages.understand.log_concave.asked import LIKELIER, THEOREM, Pair, State, profile_curves, tradeoff_curves

_sentence, _program = say.sentences(__file__), programs(__file__)

_WHO = ("This pair leaks", "The worst pair leaks")
_EQUAL = 1e-6  # difference of two log δ that rounding may cause


def checked(asked: State) -> State:
    """The choices, if the two densities differ; else an error that says why there is nothing to show."""
    pair = asked.pair
    if pair.theorem is None:
        raise NothingToShowError(
            "Both potentials are equal, so the two densities cannot be told apart at all: choose or draw two different shapes.",
            (lambda: drawn_picture(pair)) if pair.is_drawn else None,
        )
    return asked


def follows(asked: State) -> list[str]:
    """Names of the sliders that charts follow: those that move the densities.

    Of a drawn pair, the picture with the handles does not follow them.
    """
    return [*(("draw_mu",) if asked.mode == "draw" else ("mu", "scale")), *(("width",) if asked.bounded else ())]


def _log_deltas(shown: State) -> tuple[float, float]:
    """log δ of the pair in the order in which it is larger, and of the theorem."""
    return _by_order(shown)[_order(shown)], float(shown.pair.theorem.log_delta(shown.epsilon))


def _by_order(shown: State) -> dict[str, float]:
    """log δ of the pair in both orders."""
    return {order: float(shown.pair.log_delta(shown.epsilon, direction=way)) for order, way in PAIR_ORDERS.items()}


def _order(shown: State) -> str:
    """The order in which the pair's δ is larger; of two equal ones, the one that is drawn above the other."""
    one, other = _by_order(shown).values()
    return list(PAIR_ORDERS)[0 if one > other + _EQUAL else 1]


def _share(shown: State) -> float:
    """Of the theorem's δ that the pair reaches."""
    largest, bound = _log_deltas(shown)
    return math.exp(min(largest - bound, 0.0))


def headline(shown: State) -> str:
    """What the pair leaks beyond ε, and what the theorem allows."""
    leaked, allowed = map(probability_from_log, _log_deltas(shown))
    if _share(shown) > 0.9999:
        return f"This pair leaks {leaked}, as much as the worst, two Gaussians"
    return f"This pair leaks {leaked}; the worst, two Gaussians, {allowed}"


def metrics(shown: State) -> list[cards.Metric]:
    """Cards for δ of the pair in both orders, for the larger one's share of the theorem's δ, and for the slope."""
    pair, share = shown.pair, _share(shown)
    reached = f"of {probability_from_log(_log_deltas(shown)[1])}, shift {number(pair.theorem.shift)}"
    return [
        *(
            cards.Metric(
                md("δ({}) at ε = {!n}", order, shown.epsilon),
                probability_from_log(one),
                LIKELIER[order],
                help=md("As lecture 12 writes it: the most by which {}(S) exceeds $e^ε$ {}(S).", order[-1], order[0]),
            )
            for order, one in _by_order(shown).items()
        ),
        cards.Metric(
            "Share of the bound",
            f"{100 * share:.1f} %",
            f"attained, {reached}" if share > 0.9999 else reached,
            help="The larger of the two against the theorem's bound, which is the same in both orders.",
        ),
        cards.Metric("Largest slope of F̃ − F", number(pair.lipschitz), _slope_words(pair)),
    ]


def _slope_words(pair: Pair) -> str:
    if pair.is_drawn:
        return f"projection moved {number(pair.moved)}" if pair.moved > 1e-9 else "nothing had to move"
    return f"at most G = {number(pair.scale)}"


def drawn_picture(pair: DrawnPair) -> None:
    """Draw the handles, both potentials as drawn and as they are used, and the densities at the bottom."""
    named = [("F", "P", pair.first, figures.FIRST, "solid"), ("F̃", "Q", pair.second, figures.SECOND, "dash")]
    potentials, asked = pair.potential_curves(), pair.drawn_curves()
    lines = []
    for i, (name, density, _, color, dash) in enumerate(named):
        if pair.moved_each[i] > 1e-9:
            lines.append(drawing.Line(asked[i], color, "dot", 1.6, f"{name} as drawn"))
        lines.append(drawing.Line(potentials[i], color, dash, 3, f"{name} of {density}"))
    handles = [
        drawing.Handles(key, name, color, drawn.HANDLES, heights, 0.0, drawn.HIGHEST, 0.05)
        for key, (name, _, heights, color, _) in zip(("lc_drawn_f", "lc_drawn_g"), named, strict=True)
    ]
    drawing.show(
        drawing.Drawing(
            "Two potentials with seven handles each", (-4.0, 4.0), (-0.5, drawn.HIGHEST), "x", "potential", lines, handles,
            [drawing.Line(curve, color) for curve, (_, _, _, color, _) in zip(pair.densities(), named, strict=True)],
            height=330, hint="Drag handles, sweep over the picture, or use arrow keys. Shaded: the densities.",
        ),
        key="lc_drawing",
    )  # fmt: skip


def _excess(shown: State, mode: str) -> go.Figure:
    found, *ends = excesses((shown.pair, shown.pair.worst), shown.epsilon, PAIR_ORDERS[_order(shown)])
    titles = [f"{who} {probability_from_log(one)}" for who, one in zip(_WHO, _log_deltas(shown), strict=True)]
    held, other = found[0].held.name, found[0].allowed.name
    names = f"{held} the record", f"{number(math.exp(shown.epsilon))} × {other} it"
    return figures.areas_figure(found, ends, titles, names, mode)


def charts(shown: State) -> list[Chart]:
    """Charts of the densities (or the drawing in their place), the profiles, and the trade-off curves for a tab."""
    mode, pair = cards.theme_mode(), shown.pair
    named = {LIKELIER[_order(shown)]: "this pair", THEOREM: "two Gaussians"}
    here = {
        curve: (shown.epsilon, math.exp(one), f"{name}: {probability_from_log(one)}")
        for (curve, name), one in zip(named.items(), _log_deltas(shown), strict=True)
    }
    profile = Chart(
        "Profile", lambda: figures.profile_figure(_profiles(shown), mode, here),
        "Delta against epsilon of the pair and of the theorem", "lc_profile",
        caption=_sentence("at_every_epsilon"),
    )  # fmt: skip
    densities = Chart(
        "Densities", lambda: _excess(shown, mode), "Both densities and the area that is δ, beside those of two Gaussians",
        "lc_densities", instead=(lambda: drawn_picture(pair)) if pair.is_drawn else None,
        caption="" if pair.is_drawn else _sentence("what_is_compared"),
    )  # fmt: skip
    return [
        densities,
        profile,
        Chart("Trade-off", lambda: tradeoff_figure(_tradeoffs(shown), mode, colors=figures.COLORS, height=300),
              "Trade-off curves of the pair and of the theorem", "lc_tradeoff", share=0, moves=False),
    ]  # fmt: skip


def _profiles(shown: State) -> list[curves.Curve]:
    return cache.shared(profile_curves, shown.pair, shown.epsilon_max)


def _tradeoffs(shown: State) -> list[curves.Curve]:
    return cache.shared(tradeoff_curves, shown.pair)


def data(shown: State) -> pd.DataFrame:
    """The data behind the curves."""
    drawn = {"delta(epsilon)": _profiles(shown), "type II(type I)": _tradeoffs(shown)}
    return pd.concat([curves.table(of, "x", "y").assign(curve=name) for name, of in drawn.items()], ignore_index=True)


def notes(shown: State) -> list[str]:
    """Sentences computed from what is on the screen."""
    pair, deltas = shown.pair, [math.exp(one) for one in _by_order(shown).values()]
    tilts = pair.theorem.delta(shown.epsilon) <= max(deltas) * (1 + 1e-6)
    said = [
        _sentence("two_tilts_one_gaussian") if tilts else _sentence("away_from_pure_tilts"),
        _sentence("only_slope_difference_counts"),
        _sentence("two_curves_one_guarantee", *map(number, (*deltas, max(deltas)))),
    ]
    if not math.isinf(pair.half_width):
        said.append(_sentence("walls_only_help"))
    if pair.is_drawn:
        said.insert(0, _projection_words(pair))
    elif pair.common != "none":
        said.append(_sentence("curvature_beyond_only_helps"))
    return said


def _projection_words(pair: DrawnPair) -> str:
    if pair.moved > 1e-9:
        return _sentence("drawn_is_moved", pair.mu, pair.drawn_convexity)
    return _sentence("drawn_is_convex", pair.drawn_convexity, pair.mu)


def program(shown: State) -> str:
    """The lines of dpcore that make these numbers."""
    text = repr(shown.pair).replace("half_width=inf", 'half_width=float("inf")')
    return _program("pair", pair=f"{type(shown.pair).__module__.rpartition('.')[2]}.{text}", epsilon=shown.epsilon)


def more(shown: State) -> dict[str, Callable[[], None]]:
    """A tab with the trade-off curves and, if a drawing took their place, the densities."""
    return {"Trade-off": lambda: _more(charts(shown))}


def _more(all_charts: list[Chart]) -> None:
    shown = [chart for chart in all_charts if chart.instead or not chart.share]
    for column, chart in zip(st.columns(len(shown), gap="small"), shown, strict=True):
        with column:
            export.chart(chart.figure, key=chart.key, alt=chart.alt)
