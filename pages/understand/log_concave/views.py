"""Metrics, charts and words of the log-concave pairs page."""

import math

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.exhibits.log_concave import drawn
from dpcore.exhibits.log_concave import figure as figures
from dpcore.exhibits.log_concave.drawn import DrawnPair
from dpcore.exhibits.log_concave.pair import COMMON, PAIR_ORDERS, PIECES, LogConcavePair
from dpcore.profiles import curves
from pages.components import cache, cards, controls, drawing, export, say
from pages.components.say import md
from pages.components.words import number, probability_from_log
from pages.understand.log_concave.sampled import LIKELIER, Pair, profile_curves, tradeoff_curves

RANGE = (0.1, 10.0)  # of μ and of G
DRAWN_RANGE = (0.1, 1.0)  # of μ of a drawn pair
HALF_WIDTHS = (0.1, 10.0)
MODES = {"choose": "Choose", "draw": "Draw"}
DRAWN = {"lc_drawn_f": "Heights of F", "lc_drawn_g": "Heights of F̃"}


def pair_controls() -> Pair:
    """The sidebar's controls for both potentials, chosen from a list or drawn."""
    mode = say.segmented_control(
        "Potentials", list(MODES), format_func=MODES.get, default="choose", required=True, key="lc_mode",
        help="Draw: drag the handles of both potentials in the picture.",
    )  # fmt: skip
    if mode == "choose":
        return _chosen()
    mu = controls.log_slider(
        "Strong convexity μ", *DRAWN_RANGE, 0.5, key="lc_draw_mu",
        help="What you draw is moved to the nearest potential of at least this curvature.",
    )  # fmt: skip
    half_width = _half_width()
    heights = [
        drawing.heights(label, default, 0.0, drawn.HIGHEST, key=key)
        for (key, label), default in zip(DRAWN.items(), drawn.TILTS, strict=True)
    ]
    return DrawnPair(mu, *heights, half_width)


def _half_width() -> float:
    bounded = say.toggle(md("Bounded set [−B, B]"), key="lc_bounded")
    return controls.log_slider("Half-width B", *HALF_WIDTHS, 2.0, key="lc_width") if bounded else math.inf


def _chosen() -> LogConcavePair:
    mu = controls.log_slider("Strong convexity μ", *RANGE, 1.0, key="lc_mu")
    scale = controls.log_slider(
        "Lipschitz bound G", *RANGE, 1.0, key="lc_scale", help=md("Each potential gets (G/2)·g with |g′| ≤ 1")
    )
    first = say.selectbox(md("F adds g₁ ="), list(PIECES), index=0, key="lc_first", format_func=PIECES.get)
    second = say.selectbox(md("F̃ adds g₂ ="), list(PIECES), index=3, key="lc_second", format_func=PIECES.get)
    knot = 0.0
    if {first, second} & {"kink", "hinge", "bowl", "drawn"}:
        knot = controls.linear_slider("Place c", -2.0, 2.0, 0.0, step=0.1, key="lc_knot")
    slopes = (-1.0, 0.0, 1.0)
    if "drawn" in (first, second):
        ends = say.slider("First and last slope", -1.0, 1.0, (-1.0, 1.0), step=0.1, key="lc_ends")
        middle = controls.linear_slider("Middle slope", -1.0, 1.0, 0.0, step=0.1, key="lc_middle")
        slopes = (ends[0], min(max(middle, ends[0]), ends[1]), ends[1])
    common = say.selectbox("Both add", list(COMMON), format_func=COMMON.get, key="lc_common")
    return LogConcavePair(mu, scale, first, second, knot, slopes, common, _half_width())


def metrics(pair: Pair, epsilon: float) -> None:
    """δ of the pair in both orders, the share of the theorem's δ that the larger reaches, the slope."""
    log_deltas = {order: float(pair.log_delta(epsilon, direction=one)) for order, one in PAIR_ORDERS.items()}
    log_theorem = float(pair.theorem.log_delta(epsilon))
    share = math.exp(min(max(log_deltas.values()) - log_theorem, 0.0))
    reached = f"of {probability_from_log(log_theorem)}, shift {number(pair.theorem.shift)}"
    cards.metric_row(
        [
            *(
                cards.Metric(md("δ({}) at ε = {}", order, number(epsilon)), probability_from_log(one), LIKELIER[order])
                for order, one in log_deltas.items()
            ),
            cards.Metric(
                "Share of the bound",
                f"{100 * share:.1f} %",
                f"attained, {reached}" if share > 0.9999 else reached,
                help="The larger of the two against the theorem's bound, which is the same in both orders.",
            ),
            cards.Metric("Largest slope of F̃ − F", number(pair.lipschitz), _slope_words(pair)),
        ]
    )


def _slope_words(pair: Pair) -> str:
    if pair.is_drawn:
        return f"projection moved {number(pair.moved)}" if pair.moved > 1e-9 else "nothing had to move"
    return f"at most G = {number(pair.scale)}"


def drawn_picture(pair: DrawnPair) -> None:
    """Handles of both potentials, what was drawn, what it was moved to, and the densities at the bottom."""
    named = [("F", "P", pair.first, figures.FIRST, "solid"), ("F̃", "Q", pair.second, figures.SECOND, "dash")]
    potentials, asked = pair.potential_curves(), pair.drawn_curves()
    lines = []
    for i, (name, density, _, color, dash) in enumerate(named):
        if pair.moved_each[i] > 1e-9:
            lines.append(drawing.Line(asked[i], color, "dot", 1.6, f"{name} as drawn"))
        lines.append(drawing.Line(potentials[i], color, dash, 3, f"{name} of {density}"))
    handles = [
        drawing.Handles(key, name, color, drawn.HANDLES, heights, 0.0, drawn.HIGHEST, 0.05)
        for key, (name, _, heights, color, _) in zip(DRAWN, named, strict=True)
    ]
    drawing.show(
        drawing.Drawing(
            "Two potentials with seven handles each", (-4.0, 4.0), (-0.5, drawn.HIGHEST), "x", "potential", lines, handles,
            [drawing.Line(curve, color) for curve, (_, _, _, color, _) in zip(pair.densities(), named, strict=True)],
            height=330, hint="Drag handles, sweep over the picture, or use arrow keys. Shaded: the densities.",
        ),
        key="lc_drawing",
    )  # fmt: skip


def draw(pair: Pair, epsilon_max: float) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """Densities, profiles and trade-off curves, with the data behind them."""
    mode = cards.theme_mode()
    profiles = cache.shared(profile_curves, pair, epsilon_max)
    tradeoffs = cache.shared(tradeoff_curves, pair)
    drawn = {
        "Densities": figures.densities_figure(pair.densities(), mode),
        "Profile": figures.profile_figure(profiles, mode, floor=1e-10),
        "Trade-off": figures.pair_tradeoff_figure(tradeoffs, mode),
    }
    left, right = st.columns([1, 1], gap="small")
    with left:
        if pair.is_drawn:
            drawn_picture(pair)
        else:
            export.chart(drawn["Densities"], key="lc_densities", alt="The two densities")
    with right:
        export.chart(drawn["Profile"], key="lc_profile", alt="Delta against epsilon of the pair and of the theorem")
    frame = pd.concat(
        [
            curves.table(profiles, "x", "y").assign(curve="delta(epsilon)"),
            curves.table(tradeoffs, "x", "y").assign(curve="type II(type I)"),
        ],
        ignore_index=True,
    )
    return drawn, frame


def observations(pair: Pair, epsilon: float) -> list[str]:
    """Statements computed from what is on screen."""
    deltas = {order: float(pair.delta(epsilon, direction=one)) for order, one in PAIR_ORDERS.items()}
    tilts = pair.theorem.delta(epsilon) <= max(deltas.values()) * (1 + 1e-6)
    said = [
        md(
            "**Two tilts of one Gaussian attain the theorem**: the densities are Gaussians a distance G/μ apart, and the curves coincide."
        )
        if tilts
        else md(
            "**Away from pure tilts the pair stays strictly inside.** Two parabolas of curvature μ with different tilts attain it."
        ),
        md(
            "**Only the slope of the difference counts**, not its size: F̃ − F may grow without end, yet one density hides the other as "
            "long as both are curved by μ."
        ),
        md(
            "**Two curves, one guarantee.** δ(P‖Q) = {} is the most by which Q(S) can exceed $e^{{\\varepsilon}}P(S)$, δ(Q‖P) = {} the "
            "most by which P(S) can exceed $e^{{\\varepsilon}}Q(S)$. The theorem bounds both by the same curve. Either data set may be "
            "the one with the record, so the privacy of a mechanism is the larger: {}.",
            *map(number, deltas.values()),
            number(max(deltas.values())),
        ),
    ]
    if not math.isinf(pair.half_width):
        said.append(
            md(
                "**Walls only help**: on a bounded set the log ratio is bounded, so δ reaches 0 at a finite ε and "
                "the theorem cannot see it."
            )
        )
    if pair.is_drawn:
        said.insert(0, _projection_words(pair))
    elif pair.common != "none":
        said.append(
            md(
                "**Curvature beyond μ only helps**: the common term makes both densities narrower than the theorem assumes."
            )
        )
    return said


def _projection_words(pair: DrawnPair) -> str:
    if pair.moved > 1e-9:
        return md(
            "**What you drew is not {}-strongly convex**: its least bend is {}. The solid "
            "curves are the nearest potentials that are (least squares in the handles' heights); the dotted ones are your drawing.",
            number(pair.mu),
            number(pair.drawn_convexity),
        )
    return md(
        "**What you drew is strongly convex already** (least bend {}, asked {}), so nothing "
        "was moved. Between handles the potentials are parabolas of curvature μ; all further bending sits at the handles.",
        number(pair.drawn_convexity),
        number(pair.mu),
    )


def program(pair: Pair, epsilon: float) -> str:
    """The lines of dpcore that make these numbers."""
    text = repr(pair).replace("half_width=inf", 'half_width=float("inf")')
    return "\n".join(
        [
            "import dpcore as dp",
            f"pair = dp.exhibits.log_concave.{type(pair).__module__.rpartition('.')[2]}.{text}",
            f"pair.delta({epsilon!r}, direction='remove')  # δ(P‖Q): sup Q(S) - e^ε P(S)",
            f"pair.delta({epsilon!r}, direction='add')  # δ(Q‖P): sup P(S) - e^ε Q(S)",
            f"pair.theorem.delta({epsilon!r})",
            "pair.tradeoff(0.05), pair.theorem.tradeoff(0.05)",
        ]
    )


def equal(pair: Pair) -> None:
    """What stays on screen where there is nothing to compare: the handles, if they were drawn equal."""
    if pair.is_drawn:
        drawn_picture(pair)


def more_title(pair: Pair) -> str:
    """Name of the second tab."""
    return "Trade-off and densities" if pair.is_drawn else "Trade-off"


def more(pair: Pair, drawn: dict[str, go.Figure]) -> None:
    """The trade-off curves, and the densities where the drawing took their place."""
    left, right = st.columns([1, 1], gap="small") if pair.is_drawn else (st.container(), None)
    with left:
        export.chart(drawn["Trade-off"], key="lc_tradeoff", alt="Trade-off curves of the pair and of the theorem")
    if right is not None:
        with right:
            export.chart(drawn["Densities"], key="lc_densities", alt="The two densities")
