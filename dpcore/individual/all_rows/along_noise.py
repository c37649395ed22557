"""Exposure of every row, of the most exposed record and in the worst case at many levels of noise, from one fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dpcore.individual.exposure import Ball
from dpcore.individual.result import IndividualPrivacy


class AtNoise(NamedTuple):
    """The rows at one level of noise, and ε of the most exposed record of the domain and in the worst case."""

    result: IndividualPrivacy
    for_all: float
    worst_case: float


def along_noise(result: IndividualPrivacy, levels: Sequence[float]) -> Iterator[AtNoise]:
    """What `result` would say at other levels of noise.

    Parameters
    ----------
    result : per-instance privacy, not an expansion
    levels : of the parameter that is the level of its noise

    Raises
    ------
    ParameterError, UnsupportedError
        If no domain is known, or the mechanism has no worst-case guarantee.
    """
    part, domain = result.mechanism.noise, result.public_domain
    noises = np.asarray(levels, dtype=float)
    together = result.exposures.worst_along(
        result.mechanism, result.leverage, Ball(domain.row_norm, domain.target_bound), result.dataset.n_samples,
        float(np.log(result.delta)), noises,
    )  # fmt: skip
    shares = (noises / getattr(result.mechanism, part.name)) ** (1 / part.noise)
    for place, share in enumerate(shares):
        at = result.with_noise(float(share))
        if together is None:
            yield AtNoise(at, at.for_all.known, at.worst_case_epsilon)
        else:
            yield AtNoise(at, float(together[0][place]), float(together[1][place]))
