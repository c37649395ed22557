"""Curves of a pair, chosen or drawn, beside the Gaussian that dominates it."""

from dpcore.profiles import Bound, curves
from dpcore.studies.log_concave.drawn import DrawnPair
from dpcore.studies.log_concave.pair import LogConcavePair

Pair = LogConcavePair | DrawnPair


def profile_curves(pair: Pair, epsilon_max: float, direction: str) -> list[curves.Curve]:
    """δ(ε) of the pair and of the theorem."""
    theorem = curves.delta_curve("Gaussian of the theorem", pair.theorem, epsilon_max)
    return [
        curves.delta_curve("this pair", pair, epsilon_max, direction=direction, points=121),
        curves.Curve(theorem.name, theorem.x, theorem.y, Bound.UPPER),
    ]


def pair_tradeoff(pair: Pair, direction: str) -> curves.Curve:
    """The pair's own trade-off curve."""
    return pair.tradeoff_points(direction)
