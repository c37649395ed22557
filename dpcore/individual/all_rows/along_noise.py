"""Exposure of every row, of the most exposed record and in the worst case at many levels of noise, from one fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dpcore.errors import or_reason
from dpcore.individual.exposure import Ball
from dpcore.individual.result import IndividualPrivacy

_FARTHEST = 3.0  # change of log ε from one level to the next up to which it is followed
_LEAST = 1e-9  # ε at which a search for a larger one begins
_LARGEST = 1e100  # stands for ∞ in a guess


class AtNoise(NamedTuple):
    """The rows at one level of noise, and ε of the most exposed record of the domain and in the worst case, if known."""

    result: IndividualPrivacy
    for_all: float | None
    worst_case: float | None


def along_noise(result: IndividualPrivacy, levels: Sequence[float], guaranteed: bool = True) -> Iterator[AtNoise]:
    """What `result` would say at other levels of noise.

    Where ε is an expansion, the most exposed record takes a search of its own at each level: it is left out.

    Parameters
    ----------
    result : per-instance privacy
    levels : of the parameter that is the level of its noise
    guaranteed : whether anything is to be said about other records than the rows

    Raises
    ------
    ParameterError, UnsupportedError
        If ε is no expansion, and no domain is known or the mechanism has no worst-case guarantee.
    """
    noises = np.asarray(levels, dtype=float)
    together = None if result.is_expansion or not guaranteed else _together(result, noises)
    for place, at in enumerate(_rows(result, noises)):
        if not guaranteed:
            yield AtNoise(at, None, None)
        elif result.is_expansion:
            yield AtNoise(at, None, _worst(at))
        elif together is None:
            yield AtNoise(at, at.for_all.known, at.worst_case_epsilon)
        else:
            yield AtNoise(at, float(together[0][place]), float(together[1][place]))


def _worst(result: IndividualPrivacy) -> float | None:
    return or_reason(lambda: result.worst_case_epsilon)[0]


def _together(result: IndividualPrivacy, noises: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    domain = result.public_domain
    return result.exposures.worst_along(
        result.mechanism, result.leverage, Ball(domain.row_norm, domain.target_bound), result.worst_case,
        float(np.log(result.delta)), noises,
    )  # fmt: skip


def _rows(result: IndividualPrivacy, noises: np.ndarray) -> Iterator[IndividualPrivacy]:
    """The rows at each level; where log ε would be if it went on as over the last two is where the next is searched."""
    part = result.mechanism.noise
    shares = (noises / getattr(result.mechanism, part.name)) ** (1 / part.noise)
    known: list[tuple[float, np.ndarray]] = []
    for share in shares:
        near = None
        if len(known) == 2:
            (before, earlier), (last, later) = known
            ahead = np.log(share / last) / np.log(last / before) if last != before != share else 0.0
            near = np.exp(later + np.clip(ahead * (later - earlier), -_FARTHEST, _FARTHEST))
        at = result if share == 1 else result.with_noise(float(share), near)
        known = [*known[-1:], (float(share), np.log(np.clip(at.epsilon, _LEAST, _LARGEST)))]
        yield at
