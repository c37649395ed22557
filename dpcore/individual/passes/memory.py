"""`individual_privacy` in steps, for data so large that one wants to see it advance and be able to stop it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.individual.exposure import AT_ONCE, analysis_of
from dpcore.individual.result import IndividualPrivacy
from dpcore.mechanisms.releases import GlmRelease, same_model

STAGES = ("leverage of every row", "distance moved by every row", "ε of every row")


def individual_privacy_in_steps(
    dataset: Dataset,
    mechanism: GlmRelease,
    delta: float,
    progress: Callable[[str, float], None],
    step: int = AT_ONCE,
    known: IndividualPrivacy | None = None,
) -> IndividualPrivacy:
    """The result of `individual_privacy`, told how far it is; an exception raised by `progress` ends it.

    Parameters
    ----------
    dataset, mechanism, delta : as in `individual_privacy`
    progress : told what is being done and the share done of all, in [0, 1]
    step : rows between two calls of `progress`
    known : an earlier result: its leverage serves again for the same data and λ, and the laws of its rows for the same
        mechanism, so that another δ costs nothing but the ε of every row

    Raises
    ------
    ParameterError, DataError, UnsupportedError
    """
    analysis = analysis_of(mechanism)
    delta = validation.probability("delta", delta, allow_zero=False, allow_one=False)
    step = validation.integer("step", step, minimum=1)
    progress(STAGES[0], 0.0)
    if known is not None and (known.dataset.sha256 != dataset.sha256 or not same_model(known.mechanism, mechanism)):
        known = None
    influence = analysis.fit(mechanism, dataset) if known is None else known.leverage
    progress(STAGES[1], 0.3)
    exposures = None if known is None or known.mechanism != mechanism else known.exposures
    if exposures is None:
        exposures = analysis.of_rows(mechanism, dataset, influence)
    n, log_delta = dataset.n_samples, float(np.log(delta))
    epsilon = exposures.in_pieces(log_delta, n, lambda share: progress(STAGES[2], 0.4 + 0.6 * share), step)
    return IndividualPrivacy(mechanism, delta, analysis.method, dataset.domain, influence, epsilon, dataset, exposures)
