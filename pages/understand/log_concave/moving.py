"""What moves on the log-concave page while μ or G of a chosen pair is dragged."""

import math
from collections.abc import Iterator
from dataclasses import replace

from dpcore.exhibits.log_concave import figure as figures
from dpcore.figures.deck import Deck
from pages.components import controls, live
from pages.components.words import number
from pages.understand.log_concave.sampled import Pair, profile_curves
from pages.understand.log_concave.views import DRAWN_RANGE, HALF_WIDTHS, RANGE

CHOSEN = {"lc_mu": ("mu", RANGE), "lc_scale": ("scale", RANGE)}
DRAWN = {"lc_draw_mu": ("mu", DRAWN_RANGE)}
BOUNDED = {"lc_width": ("half_width", HALF_WIDTHS)}


def offers(pair: Pair, epsilon_max: float) -> dict[str, live.Offer]:
    """What moves with each slider; of a drawn pair not the picture with the handles."""
    sliders = (DRAWN if pair.is_drawn else CHOSEN) | ({} if math.isinf(pair.half_width) else BOUNDED)
    return {
        slider: (decks, replace(pair, **{name: ends[0]}), name, ends, epsilon_max)
        for slider, (name, ends) in sliders.items()
    }


def taken(follows: dict[str, live.Offer]) -> live.Taken | None:
    """Figures taken away move with μ."""
    slider = next(iter(follows))
    return live.taken(follows, slider, "μ =", {"Densities": "lc_densities", "Profile": "lc_profile"})


def decks(pair: Pair, name: str, ends: tuple[float, float], epsilon_max: float) -> Iterator[live.Dealt | None]:
    """Densities and profiles at each value of one parameter; none where both densities become the same on the way."""
    values, densities, profiles = controls.round_values(*ends), [], []
    for value in values:
        moved = replace(pair, **{name: value})
        if moved.theorem is None:
            return
        densities.append(moved.densities())
        profiles.append(profile_curves(moved, epsilon_max))
        yield None
    labels = tuple(map(number, values))
    yield "lc_profile", Deck(labels, figures.profile_tracks(profiles))
    yield "lc_densities", Deck(labels, figures.densities_tracks(densities))
