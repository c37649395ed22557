"""pDP for one: ε of a fixed person in other data sets."""

from contextlib import suppress

import numpy as np

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import DataError
from dpcore.individual.exposure import Exposures, analysis_of
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy


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
    index, data, mechanism = position(index, result.epsilon.size), result.dataset, result.mechanism
    others = np.delete(np.arange(data.n_samples), index)
    if not others.size:
        raise DataError("a single row has no others to be compared with")
    repeats = validation.at_least_one("repeats", repeats)
    size = others.size if size is None else validation.at_least_one("size", size)
    rng = np.random.default_rng(rng)
    analysis, found, added = analysis_of(mechanism), np.full(repeats, np.inf), {}
    for k in range(repeats):
        rows = others[rng.integers(others.size, size=size)]
        with suppress(DataError):
            fit = analysis.fit(mechanism, Dataset.from_arrays(data.X[rows], data.y[rows]))
            added[k] = analysis.of_added(mechanism, fit, data.X[[index]], data.y[[index]])
    if added:
        found[list(added)] = Exposures.joined(list(added.values())).epsilon(float(np.log(result.delta)))
    return found
