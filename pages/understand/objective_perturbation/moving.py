"""What moves on the objective-perturbation page while σ, λ or ε is dragged."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import study
from dpcore.figures.deck import Deck
from dpcore.mechanisms.objective_perturbation import SWEPT
from dpcore.profiles import curves
from pages.components import cache, controls, live
from pages.components.words import number
from pages.understand.objective_perturbation.views import (
    BOUNDS,
    LOOKED_AT,
    POINTS,
    RANGES,
    ObjectiveView,
    gaps,
    profile_curve,
    profile_curves,
)

SLIDERS = {"sigma": "op_sigma", "lam": "op_lambda"}
EPSILONS = [i / 20 for i in range(161)]
CHARTS = {"Privacy profile": "op_profile", "Gap to the lower bound": "op_gap"}


def offers(view: str, state: ObjectiveView) -> dict[str, live.Offer]:
    """What moves in the privacy profile; the other views take too long for frames."""
    if view != "profile" or not state.shown:
        return {}
    found: dict[str, live.Offer] = {
        slider: (parameter_decks, replace(state, **{name: RANGES[name][0]}), name) for name, slider in SLIDERS.items()
    }
    return found | {"op_epsilon": (epsilon_decks, replace(state, epsilon=0.0))}


def taken(follows: dict[str, live.Offer]) -> live.Taken | None:
    """Figures taken away move with σ."""
    return live.taken(follows, "op_sigma", "noise σ =", CHARTS)


def parameter_decks(state: ObjectiveView, name: str) -> Iterator[live.Dealt | None]:
    """Both charts at each value of one parameter."""
    values = controls.round_values(*RANGES[name])
    moved = [replace(state, **{name: value}) for value in values]
    known: dict[str, list[curves.Curve]] = {}
    for bound in BOUNDS:
        if bound in (*state.shown, "lower"):
            known[bound] = []
            for curve in _frames(moved, bound):
                known[bound].append(curve)
                yield None
    rings = [
        study.swept_points([one.mechanism(bound) for one in moved], state.epsilon)
        if bound in state.shown
        else [None] * len(moved)
        for bound in LOOKED_AT
    ]
    profiles = [list(frame) for frame in zip(*(known[bound] for bound in BOUNDS if bound in state.shown), strict=True)]
    at = [[(state.epsilon, delta) for delta in deltas] for deltas in zip(*rings, strict=True)]
    labels = tuple(map(number, values))
    yield "op_profile", Deck(labels, figures.bounds_tracks(profiles, at, floor=state.floor))
    ratios = [gaps(frame, lower) for frame, lower in zip(profiles, known["lower"], strict=True)]
    yield "op_gap", Deck(labels, figures.ratio_tracks(ratios))


def _frames(moved: Sequence[ObjectiveView], bound: str) -> Iterator[curves.Curve]:
    """The curve of one bound at each position, many at once where that is known."""
    if bound in SWEPT:
        mechanisms = [one.mechanism(bound) for one in moved]
        swept = study.swept_curves(BOUNDS[bound], mechanisms, moved[0].epsilon_max, points=POINTS)
        yield from (replace(curve, note=one.note(bound)) for curve, one in zip(swept, moved, strict=True))
    else:
        yield from (profile_curve(one, bound, _at_once) for one in moved)


def _at_once(function: Callable[..., curves.Curve], *args: Any, **options: Any) -> curves.Curve:
    return function(*args, **options)


def epsilon_decks(state: ObjectiveView) -> Iterator[live.Dealt | None]:
    """The rings at each ε."""
    sampled, _ = profile_curves(state, cache.shared)
    at = []
    for epsilon in EPSILONS:
        at.append(replace(state, epsilon=epsilon).points)
        yield None
    frames: Sequence = [sampled] * len(EPSILONS)
    yield "op_profile", Deck(tuple(map(number, EPSILONS)), figures.bounds_tracks(frames, at, floor=state.floor))
