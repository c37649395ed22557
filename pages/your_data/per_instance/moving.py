"""What moves on the per-instance page while noise or penalty are dragged."""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite

from dpcore.data import Dataset
from dpcore.figures.deck import Deck
from dpcore.figures.per_instance import rows as figures
from dpcore.individual import individual_privacy
from dpcore.individual.all_rows.along_noise import AtNoise, along_noise
from dpcore.individual.all_rows.pictured import histogram
from dpcore.mechanisms import RELEASES, GlmRelease
from pages.components import controls, live
from pages.components.words import number
from pages.your_data.per_instance.views import HISTOGRAM, ExposureView, markers


def offers(view: ExposureView) -> dict[str, live.Offer]:
    """The histogram moves with noise and penalty where every ε has a closed form and both guarantees are known."""
    known = (value is not None and isfinite(value) for value, _ in (view.for_all, view.worst_case))
    if view.result.is_expansion or not all(known):
        return {}
    mechanism, noise = view.result.mechanism, view.result.mechanism.noise
    lowest = replace(mechanism, **{noise.name: noise.low})
    return {
        f"pi_{noise.name}": (noise_decks, view.dataset, lowest, view.delta),
        "pi_lambda": (penalty_decks, view.dataset, mechanism.with_penalty(1.0), view.delta),
    }


def noise_decks(dataset: Dataset, mechanism: GlmRelease, delta: float) -> Iterator[live.Dealt | None]:
    """The histogram with its lines at each level of noise."""
    levels = controls.round_values(mechanism.noise.low, mechanism.noise.high)
    yield from _dealt(levels, along_noise(individual_privacy(dataset, mechanism, delta), levels))


def penalty_decks(dataset: Dataset, mechanism: GlmRelease, delta: float) -> Iterator[live.Dealt | None]:
    """The histogram with its lines at each penalty."""
    penalty = RELEASES[mechanism.release].parameters[0]
    penalties, level = controls.round_values(penalty.low, penalty.high), getattr(mechanism, mechanism.noise.name)
    results = (individual_privacy(dataset, mechanism.with_penalty(lam), delta) for lam in penalties)
    yield from _dealt(penalties, (next(along_noise(result, [level])) for result in results))


def _dealt(values: list[float], found: Iterator[AtNoise]) -> Iterator[live.Dealt | None]:
    binned, lines = [], []
    for at in found:
        lines.append(markers(at.result, at.for_all, at.worst_case))
        binned.append(histogram(at.result, beside=[line.epsilon for line in lines[-1]]))
        yield None
    yield HISTOGRAM, Deck(tuple(map(number, values)), figures.histogram_tracks(binned, lines))
