"""Curves of a pair, chosen or drawn, beside the Gaussian that dominates it."""

from dpcore.exhibits.log_concave.drawn import DrawnPair
from dpcore.exhibits.log_concave.pair import PAIR_ORDERS, LogConcavePair
from dpcore.profiles import Bound, curves

Pair = LogConcavePair | DrawnPair
LIKELIER = {"P‖Q": "Q likelier", "Q‖P": "P likelier"}
TESTED = {"P‖Q": "P is tested", "Q‖P": "Q is tested"}
THEOREM = "Gaussian of the theorem"


def profile_curves(pair: Pair, epsilon_max: float) -> list[curves.Curve]:
    """δ(ε) of the pair in both orders, and of the theorem."""
    both = [
        curves.delta_curve(f"δ({order}), {LIKELIER[order]}", pair, epsilon_max, direction=direction, points=121)
        for order, direction in PAIR_ORDERS.items()
    ]
    theorem = curves.delta_curve(THEOREM, pair.theorem, epsilon_max)
    return [*both, curves.Curve(theorem.name, theorem.x, theorem.y, Bound.UPPER)]


def tradeoff_curves(pair: Pair) -> list[curves.Curve]:
    """The pair's own trade-off curves in both orders, and the theorem's."""
    both = []
    for order, direction in {"P‖Q": "add", "Q‖P": "remove"}.items():
        points = pair.tradeoff_points(direction)
        both.append(curves.Curve(f"T({order}), {TESTED[order]}", points.x, points.y))
    theorem = curves.tradeoff_curve(THEOREM, pair.theorem)
    return [*both, curves.Curve(theorem.name, theorem.x, theorem.y, Bound.LOWER)]
