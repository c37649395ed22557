"""What moves on the objective-perturbation page while σ, λ or ε is dragged."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpcore.figures import objective_perturbation as figures
from dpcore.figures.deck import Deck
from pages.components import cache, controls, live
from pages.components.words import number
from pages.understand.objective_perturbation.views import RANGES, ObjectiveView, profile_curves

SLIDERS = {"sigma": "op_sigma", "lam": "op_lambda"}
EPSILONS = [i / 20 for i in range(161)]


def offers(view: str, state: ObjectiveView) -> dict[str, live.Offer]:
    """What moves in the privacy profile; the other views take too long for frames."""
    if view != "profile" or not state.shown:
        return {}
    found: dict[str, live.Offer] = {
        slider: (parameter_decks, replace(state, **{name: RANGES[name][0]}), name) for name, slider in SLIDERS.items()
    }
    return found | {"op_epsilon": (epsilon_decks, replace(state, epsilon=0.0))}


def parameter_decks(state: ObjectiveView, name: str) -> Iterator[live.Dealt | None]:
    """Both charts at each value of one parameter."""
    values = controls.round_values(*RANGES[name])
    found, at = [], []
    for value in values:
        moved = replace(state, **{name: value})
        found.append(profile_curves(moved, lambda function, *args, **options: function(*args, **options)))
        at.append(moved.points)
        yield None
    labels, (profiles, ratios) = tuple(map(number, values)), zip(*found, strict=True)
    yield "op_profile", Deck(labels, figures.bounds_tracks(profiles, at, floor=state.floor))
    yield "op_gap", Deck(labels, figures.ratio_tracks(ratios))


def epsilon_decks(state: ObjectiveView) -> Iterator[live.Dealt | None]:
    """The rings at each ε."""
    sampled, _ = profile_curves(state, cache.shared)
    at = []
    for epsilon in EPSILONS:
        at.append(replace(state, epsilon=epsilon).points)
        yield None
    frames: Sequence = [sampled] * len(EPSILONS)
    yield "op_profile", Deck(tuple(map(number, EPSILONS)), figures.bounds_tracks(frames, at, floor=state.floor))
