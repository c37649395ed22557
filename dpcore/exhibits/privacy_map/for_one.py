"""pDP for one: ε of a fixed person in other data sets."""

from contextlib import suppress

import numpy as np

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import DataError
from dpcore.individual.exposure import Exposures, analysis_of
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy
from dpcore.mechanisms.releases import GlmRelease


def _added(dataset: Dataset, mechanism: GlmRelease, x: np.ndarray, y: float) -> Exposures:
    analysis = analysis_of(mechanism)
    return analysis.of_added(mechanism, analysis.fit(mechanism, dataset), x[None], np.array([y]))


def without_row(dataset: Dataset, index: int) -> tuple[Dataset, np.ndarray, float]:
    """The data set of the other rows, and x and y of the row itself."""
    keep = np.delete(np.arange(dataset.n_samples), index)
    if not keep.size:
        raise DataError("a single row has no others to be compared with")
    return Dataset.from_arrays(dataset.X[keep], dataset.y[keep]), dataset.X[index], float(dataset.y[index])


def pdp_for_one(
    result: IndividualPrivacy,
    index: int,
    *,
    repeats: int = 100,
    size: int | None = None,
    rng: int | np.random.Generator = 0,
) -> np.ndarray:
    """ε of one person in other data sets, whose rows are drawn with replacement from the other rows; (repeats,), nats.

    Parameters
    ----------
    result : the analysis of the data as they are
    index : position of the row that stays
    repeats : number of data sets drawn
    size : rows of each of them; by default the number of other rows
    rng : generator, or a seed

    Data sets that do not determine the coefficients count as ε = ∞.
    """
    others, x, y = without_row(result.dataset, position(index, result.epsilon.size))
    repeats = validation.at_least_one("repeats", repeats)
    size = others.n_samples if size is None else validation.at_least_one("size", size)
    rng = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    found, added = np.full(repeats, np.inf), {}
    for k in range(repeats):
        rows = rng.integers(others.n_samples, size=size)
        with suppress(DataError):
            added[k] = _added(Dataset.from_arrays(others.X[rows], others.y[rows]), result.mechanism, x, y)
    if added:
        found[list(added)] = Exposures.joined(list(added.values())).epsilon(float(np.log(result.delta)))
    return found
