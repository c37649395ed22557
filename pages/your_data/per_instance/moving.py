"""The frames of the per-instance page that are shown while the noise or the penalty is dragged.

The page's own study at every position would take minutes, and drawing its histogram at all of them three seconds.
Here a few fits give all positions, and only the moving parts of the histogram are computed: half a second for a sample.
"""

from collections.abc import Iterator

from dpcore.data import Dataset
from dpcore.exhibits.per_instance import rows_figure as figures
from dpcore.figures.deck import Deck
from dpcore.individual.all_rows.along_noise import MOST_FITS, AtLevel, along_noise, along_penalty, fits_affordable
from dpcore.individual.all_rows.pictured import histogram
from dpcore.mechanisms import RELEASES, GlmRelease
from pages.components import controls, live
from pages.components.glm_release import placed
from pages.components.words import number
from pages.your_data.per_instance.views import HISTOGRAM, ExposureView, beside, markers


def offers(view: ExposureView) -> dict[str, live.Offer]:
    """The sliders of noise and penalty that the histogram follows, if its lines are known at once.

    It always follows if ε is an expansion. The frames then have no line for the most exposed record. The chart that the
    page draws when the slider is released has none either, until the search for that record is over.
    """
    if not view.moves:
        return {}
    prefix = placed("pi", view.dataset)
    guaranteed, mechanism = not view.assumed.no_guarantee, view.result.mechanism
    noise, arguments = mechanism.noise, (view.delta, guaranteed)
    lowest, first = mechanism.at_noise(noise.low), mechanism.with_penalty(1.0)
    found: dict[str, live.Offer] = {f"{prefix}_{noise.name}": (noise_decks, view.dataset, lowest, *arguments)}
    if fits_affordable(view.dataset, mechanism):
        found[f"{prefix}_lambda"] = (penalty_decks, view.dataset, first, *arguments)
    return found


def ahead(view: ExposureView) -> list[str]:
    """The sliders whose frames are computed in advance: the noise, and the penalty if the fits take little time."""
    quick = fits_affordable(view.dataset, view.result.mechanism) == MOST_FITS
    prefix = placed("pi", view.dataset)
    return [f"{prefix}_{view.result.mechanism.noise.name}", *([f"{prefix}_lambda"] if quick else [])]


def noise_decks(dataset: Dataset, mechanism: GlmRelease, delta: float, guaranteed: bool) -> Iterator[live.Dealt | None]:
    """The histogram with its lines at each level of noise."""
    levels = controls.round_values(mechanism.noise.low, mechanism.noise.high)
    yield from _dealt(levels, along_noise(dataset, mechanism, delta, levels, guaranteed))


def penalty_decks(
    dataset: Dataset, mechanism: GlmRelease, delta: float, guaranteed: bool
) -> Iterator[live.Dealt | None]:
    """The histogram with its lines at each penalty."""
    penalty = RELEASES[mechanism.release].parameters[0]
    penalties = controls.round_values(penalty.low, penalty.high)
    yield from _dealt(penalties, along_penalty(dataset, mechanism, delta, penalties, guaranteed))


def _dealt(values: list[float], found: Iterator[AtLevel | None]) -> Iterator[live.Dealt | None]:
    """The frames of the histogram, from its values at each position of a slider."""
    binned, lines = [], []
    for at in found:
        if at is not None:
            lines.append(markers(at, at.worst_case))
            binned.append(histogram(at, beside(lines[-1]), at.weights))
        yield None
    yield HISTOGRAM, Deck(tuple(map(number, values)), figures.histogram_tracks(binned, lines))
