"""The choices on the log-concave page: both potentials (from a list or drawn), and the ε and δ to look at."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dpcore.exhibits.log_concave import drawn
from dpcore.exhibits.log_concave.drawn import DrawnPair
from dpcore.exhibits.log_concave.pair import COMMON, PAIR_ORDERS, PIECES, LogConcavePair
from dpcore.profiles import Bound, curves
from pages.components import drawing, state
from pages.components.say import md

Pair = LogConcavePair | DrawnPair
LIKELIER = {"P‖Q": "Q likelier", "Q‖P": "P likelier"}
TESTED = {"P‖Q": "P is tested", "Q‖P": "Q is tested"}
THEOREM = "Gaussian of the theorem"


def profile_curves(pair: Pair, epsilon_max: float) -> list[curves.Curve]:
    """δ(ε) of the pair in both orders, and by the theorem."""
    both = [
        curves.delta_curve(LIKELIER[order], pair, epsilon_max, direction=direction, points=121)
        for order, direction in PAIR_ORDERS.items()
    ]
    theorem = curves.delta_curve(THEOREM, pair.theorem, epsilon_max)
    return [*both, curves.Curve(theorem.name, theorem.x, theorem.y, Bound.UPPER)]


def tradeoff_curves(pair: Pair) -> list[curves.Curve]:
    """The trade-off curves of the pair in both orders, and the theorem's curve."""
    both = []
    for order, direction in {"P‖Q": "add", "Q‖P": "remove"}.items():
        points = pair.tradeoff_points(direction)
        both.append(curves.Curve(f"T({order}), {TESTED[order]}", points.x, points.y))
    theorem = curves.tradeoff_curve(THEOREM, pair.theorem)
    return [*both, curves.Curve(theorem.name, theorem.x, theorem.y, Bound.LOWER)]


RANGE = (0.1, 10.0)  # the ends of the sliders of μ and of G
DRAWN_RANGE = (0.1, 1.0)  # the ends of the slider of μ of a drawn pair
MODES = {"choose": "Choose", "draw": "Draw"}


def _is_chosen(asked: Any) -> bool:
    return asked.mode == "choose"


def _is_drawn(asked: Any) -> bool:
    return asked.mode == "draw"


def _has_place(asked: Any) -> bool:
    return _is_chosen(asked) and bool({asked.first, asked.second} & {"kink", "hinge", "bowl"})


def _heights(label: str, tilt: Sequence[float]) -> Any:
    return state.control(
        tuple(tilt), lambda asked, key: drawing.heights(label, tilt, 0.0, drawn.HIGHEST, key=key), when=_is_drawn
    )


@dataclass(frozen=True)
class State:
    """Both potentials (from a list or drawn), and the ε and δ to look at."""

    mode: str = state.one_of(
        "Potentials", MODES, "choose", help="Draw: drag the handles of both potentials in the picture."
    )
    draw_mu: float = state.log(
        "Least curvature μ", *DRAWN_RANGE, 0.5, when=_is_drawn,
        help="What you draw is moved to the nearest potential of at least this curvature.",
    )  # fmt: skip
    mu: float = state.log("Least curvature μ", *RANGE, 1.0, when=_is_chosen)
    scale: float = state.log(
        "Largest difference of slopes G",
        *RANGE,
        2.0,
        when=_is_chosen,
        help=md("Each potential gets (G/2)·g with |g′| ≤ 1"),
    )
    first: str = state.one_of(md("Without the record, F adds g₁ ="), PIECES, "hinge", menu=True, when=_is_chosen)
    second: str = state.one_of(md("With the record, F̃ adds g₂ ="), PIECES, "left", menu=True, when=_is_chosen)
    knot: float = state.linear("Place c of the kink, hinge or bowl", -2.0, 2.0, 0.5, step=0.1, when=_has_place)
    common: str = state.one_of("Both potentials add", COMMON, "none", menu=True, when=_is_chosen)
    bounded: bool = state.toggle(md("Bounded set [−B, B]"))
    width: float = state.log("Half-width B", *RANGE, 2.0, when=lambda asked: asked.bounded)
    drawn_f: tuple[float, ...] = _heights("Heights of F", drawn.TILTS[0])
    drawn_g: tuple[float, ...] = _heights("Heights of F̃", drawn.TILTS[1])
    epsilon: float = state.linear(md("Look at ε ="), 0.0, 5.0, 0.5, step=0.05)
    epsilon_max: float = state.log("ε axis up to", 0.5, 20.0, 2.0)

    @cached_property
    def pair(self) -> Pair:
        """The two densities."""
        half_width = self.width if self.bounded else math.inf
        if self.mode == "draw":
            return DrawnPair(self.draw_mu, self.drawn_f, self.drawn_g, half_width)
        return LogConcavePair(self.mu, self.scale, self.first, self.second, self.knot, self.common, half_width)
