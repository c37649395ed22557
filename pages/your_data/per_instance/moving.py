"""What moves on the per-instance page while noise or penalty are dragged."""

from collections.abc import Iterator, Sequence
from math import ceil, isfinite

from dpcore.data import Dataset
from dpcore.figures.deck import Deck
from dpcore.figures.per_instance import rows as figures
from dpcore.individual import analysis_of, individual_privacy
from dpcore.individual.all_rows.along_noise import AtNoise, along_noise
from dpcore.individual.all_rows.pictured import histogram
from dpcore.mechanisms import RELEASES, GlmRelease
from pages.components import controls, live
from pages.components.words import number
from pages.your_data.per_instance.views import HISTOGRAM, ExposureView, beside, markers

_PATIENCE = 2.0  # seconds of processor time that the rows of all positions may take, about
_FEWEST = 12  # positions that are worth showing
_AFRESH = 2.0  # times as dear is a level of noise or a penalty that no other helps to find


def offers(view: ExposureView) -> dict[str, live.Offer]:
    """The histogram moves with noise and penalty where its lines are known at once: always where ε is an expansion.

    Of an expansion the frames have no line for the most exposed record: the chart that the page draws on release has
    none either, until the search for it is over.
    """
    guaranteed, mechanism = not view.assumed.no_guarantee, view.result.mechanism
    known = (value is not None and isfinite(value) for value, _ in (view.for_all, view.worst_case))
    if not view.result.is_expansion and guaranteed and not all(known):
        return {}
    noise, arguments = mechanism.noise, (view.delta, guaranteed)
    lowest, first = mechanism.at_noise(noise.low), mechanism.with_penalty(1.0)
    found: dict[str, live.Offer] = {}
    if _dealt_positions(view.dataset, mechanism, _levels(mechanism)):
        found[f"pi_{noise.name}"] = (noise_decks, view.dataset, lowest, *arguments)
    if _dealt_positions(view.dataset, mechanism, _penalties(mechanism), _AFRESH):
        found["pi_lambda"] = (penalty_decks, view.dataset, first, *arguments)
    return found


def noise_decks(dataset: Dataset, mechanism: GlmRelease, delta: float, guaranteed: bool) -> Iterator[live.Dealt | None]:
    """The histogram with its lines at each level of noise."""
    levels = _levels(mechanism)
    places = _dealt_positions(dataset, mechanism, levels)
    result = individual_privacy(dataset, mechanism, delta)
    yield from _dealt(levels, places, along_noise(result, [levels[place] for place in places], guaranteed))


def penalty_decks(
    dataset: Dataset, mechanism: GlmRelease, delta: float, guaranteed: bool
) -> Iterator[live.Dealt | None]:
    """The histogram with its lines at each penalty."""
    penalties, level = _penalties(mechanism), getattr(mechanism, mechanism.noise.name)
    places = _dealt_positions(dataset, mechanism, penalties, _AFRESH)
    results = (individual_privacy(dataset, mechanism.with_penalty(penalties[place]), delta) for place in places)
    yield from _dealt(penalties, places, (next(along_noise(result, [level], guaranteed)) for result in results))


def _levels(mechanism: GlmRelease) -> list[float]:
    return controls.round_values(mechanism.noise.low, mechanism.noise.high)


def _penalties(mechanism: GlmRelease) -> list[float]:
    penalty = RELEASES[mechanism.release].parameters[0]
    return controls.round_values(penalty.low, penalty.high)


def _dealt_positions(dataset: Dataset, mechanism: GlmRelease, values: Sequence[float], times: float = 1.0) -> range:
    """The positions that have a frame of their own: as many, evenly spaced, as two seconds allow; none if those are few.

    A thousand rows of a logistic regression take up to 4 ms under output perturbation, 40 ms as a posterior sample and 0.5 s
    under objective perturbation, at each level of noise; at each penalty they take as many `times` that.
    """
    affordable = int(_PATIENCE / (dataset.n_samples * times * analysis_of(mechanism).effort))
    step = ceil(len(values) / max(affordable, 1))
    return range(0, len(values), step) if len(values) >= _FEWEST * step else range(0)


def _dealt(values: list[float], places: range, found: Iterator[AtNoise]) -> Iterator[live.Dealt | None]:
    """The frames; a position without one of its own shows the nearest."""
    binned, lines = [], []
    for at in found:
        lines.append(markers(at.result, at.for_all, at.worst_case))
        binned.append(histogram(at.result, beside=beside(lines[-1])))
        yield None
    nearest = [min(round(place / places.step), len(places) - 1) for place in range(len(values))]
    tracks = figures.histogram_tracks([binned[at] for at in nearest], [lines[at] for at in nearest])
    yield HISTOGRAM, Deck(tuple(map(number, values)), tracks)
