"""What moves on the log-concave page while μ or G of a chosen pair is dragged."""

from collections.abc import Iterator
from dataclasses import replace

from dpcore.figures import log_concave as figures
from dpcore.figures.deck import Deck
from pages.components import controls, live
from pages.components.words import number
from pages.understand.log_concave.sampled import Pair, profile_curves
from pages.understand.log_concave.views import RANGE

VALUES = controls.round_values(*RANGE)
SLIDERS = {"lc_mu": "mu", "lc_scale": "scale"}


def offers(pair: Pair, epsilon_max: float) -> dict[str, live.Offer]:
    """What moves with each slider; a drawn pair has a picture of its own that is dragged."""
    if pair.is_drawn:
        return {}
    return {slider: (decks, replace(pair, **{name: RANGE[0]}), name, epsilon_max) for slider, name in SLIDERS.items()}


def taken(follows: dict[str, live.Offer]) -> live.Taken | None:
    """Figures taken away move with μ."""
    return live.taken(follows, "lc_mu", "μ =", {"Densities": "lc_densities", "Profile": "lc_profile"})


def decks(pair: Pair, name: str, epsilon_max: float) -> Iterator[live.Dealt | None]:
    """Densities and profiles at each value of one parameter."""
    densities, profiles = [], []
    for value in VALUES:
        moved = replace(pair, **{name: value})
        densities.append(moved.densities())
        profiles.append(profile_curves(moved, epsilon_max))
        yield None
    labels = tuple(map(number, VALUES))
    yield "lc_profile", Deck(labels, figures.profile_tracks(profiles))
    yield "lc_densities", Deck(labels, figures.densities_tracks(densities))
