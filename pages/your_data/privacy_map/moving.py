"""The frames of the map of definitions that are shown while the noise is dragged."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from dpcore.data import Dataset
from dpcore.mechanisms.releases import GlmRelease
from pages.components import controls, frames, live
from pages.components.glm_release import Released
from pages.components.page import Page
from pages.components.words import number
from pages.your_data.privacy_map.views import MapView, at_row, the_map


def offers(page: Page, view: MapView) -> dict[str, live.Offer]:
    """The slider of the noise, which the map follows if no row needs long integrals."""
    result = view.result
    if result.is_expansion:
        return {}
    noise, lowest = result.mechanism.noise, result.mechanism.at_noise(result.mechanism.noise.low)
    return {f"pm_{noise.name}": (noise_decks, page, result.dataset, lowest, result.delta, view.index)}


def noise_decks(
    page: Page, dataset: Dataset, mechanism: GlmRelease, delta: float, index: int
) -> Iterator[live.Dealt | None]:
    """The map and its words at each level of noise."""
    levels = controls.round_values(mechanism.noise.low, mechanism.noise.high, few=True)
    still = replace(page, study=partial(at_row, index), figures=lambda view: [the_map(view)])
    asked = [(number(level), Released(dataset, mechanism.at_noise(level), delta)) for level in levels]
    return frames.along(still, asked)
