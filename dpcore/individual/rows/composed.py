"""Several releases from one data set: composition per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.individual.exposure import ALPHAS
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.result import IndividualPrivacy
from dpcore.numerics import BLOCK
from dpcore.profiles.renyi import epsilon_over_orders

CountedRelease = tuple[IndividualPrivacy, int]


@dataclass(frozen=True, eq=False)
class ComposedRows:
    """ε of every row after all releases, nats, shape (n_samples,).

    Parameters
    ----------
    epsilon : the smallest known value
    basic : the sum of ε of the parts, each at an equal share of δ
    renyi : ε from the sum of the Rényi divergences
    method : what `epsilon` is
    """

    epsilon: np.ndarray
    basic: np.ndarray
    renyi: np.ndarray
    method: EpsilonMethod


def compose_rows(releases: Sequence[CountedRelease], delta: float) -> ComposedRows:
    """Privacy of each row over independent releases of one data set.

    Any function of the outputs, computed without the data, keeps the value (post-processing).

    Parameters
    ----------
    releases : pairs of a per-instance result and how often its mechanism ran; all from the same data set
    delta : δ in (0, 1)

    Raises
    ------
    ParameterError

    References: wang-2019 (Fact 6).
    """
    delta = validation.open_probability("delta", delta)
    checked = _checked(releases)
    count = sum(times for _, times in checked)
    basic = sum((times * result.epsilon_at(delta / count) for result, times in checked), np.zeros(()))
    renyi = _by_renyi(checked, delta)
    parts = [(result.exposures, times) for result, times in checked]
    together = parts[0][0].combined(parts)
    epsilon = np.minimum(basic, renyi) if together is None else together.epsilon(float(np.log(delta)))
    expanded = any(result.exposures.method is EpsilonMethod.EXPANSION for result, _ in checked)
    method = EpsilonMethod.EXPANSION if expanded else EpsilonMethod.EXACT
    return ComposedRows(epsilon, basic, renyi, method.composed(exactly=together is not None))


def _checked(releases: Sequence[CountedRelease]) -> list[CountedRelease]:
    checked = [(result, validation.integer("count", times, minimum=1)) for result, times in releases]
    if not checked:
        raise ParameterError("releases must hold at least one pair (result, count)")
    if len({result.dataset.sha256 for result, _ in checked}) > 1:
        raise ParameterError("all releases must be of the same data set")
    return checked


def _by_renyi(releases: Sequence[CountedRelease], delta: float) -> np.ndarray:
    size = releases[0][0].epsilon.size
    at_once, found = max(1, BLOCK // size), []
    for direction in ("add", "remove"):
        best = np.full(size, np.inf)
        for start in range(0, ALPHAS.size, at_once):
            alphas = ALPHAS[start : start + at_once]
            curves = (times * result.exposures.renyi(alphas, direction) for result, times in releases)
            best = np.minimum(best, epsilon_over_orders(alphas - 1, sum(curves, np.zeros(())), delta))
        found.append(best)
    return np.maximum(*found)
