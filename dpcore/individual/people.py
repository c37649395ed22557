"""How exposed rows are, in people: two columns that say it of each row without ε."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from dpcore.individual.exposure import Exposures
from dpcore.individual.method import EpsilonMethod
from dpcore.profiles.in_people import InPeople, implied, in_people
from dpcore.profiles.profile import Bound, reflect

_FALSE_ALARMS = 0.05  # α of the column `recognised_of_100`: the usual level of a test
PEOPLE = ("recognised_of_100", "guessed_of_100")
MEANING = (
    "Recognised of 100: of 100 people with such a record in the data, how many an attacker recognises who wrongly accuses 5 of "
    "100 whose record is not; 5 without the release. Guessed of 100: how often of 100 times his guess is right if in and out are "
    "equally likely; a coin is right 50 times. Where only ε of a row is known, not its curve, both are the most that ε allows."
)
_SECTION = (np.sqrt(5) - 1) / 2  # by which each step of the golden section shortens the interval of ε
_STEPS = 14  # doubled, a detection is nearer to the least by less than 0.0002 of its excess over α
_WIDTH = 3.0  # half that interval, in standard deviations of the loss; doubled, it takes one or two more steps


def row_in_people(result: Any, index: int, false_alarms: float = 0.05, prior: float = 0.5) -> InPeople:
    """`in_people` of the row at a position of an `IndividualPrivacy`: of its whole curve, else of its ε and δ alone.

    Raises
    ------
    ParameterError
    """
    if has_curves(result):
        return in_people(result.profile(index), false_alarms, prior)
    found = in_people((float(_at_most(result)[index]), result.delta), false_alarms, prior)
    expanded = result.method_of(index) is EpsilonMethod.EXPANSION
    return replace(found, bound=Bound.ESTIMATE) if expanded else found


def has_curves(result: Any) -> bool:
    """Whether the whole privacy curve of every row is known exactly, not its ε at one δ alone."""
    return result.method is EpsilonMethod.EXACT and result.exactly is None


def people_columns(result: Any, rows: Any = slice(None)) -> dict[str, np.ndarray]:
    r"""The columns `PEOPLE` of rows of an `IndividualPrivacy`, explained in `MEANING`; (n_rows,) each.

    .. math:: 100 \min_ε \; δ(ε) + 0.05 \, e^ε, \quad 50 (1 + δ(0))

    Every ε gives an upper bound of the first, so that no error of the search makes it too small.
    """
    epsilon = _at_most(result)[rows]
    if not has_curves(result):
        return implied_columns(epsilon, result.delta)
    found = _of_curves(result.exposures.take(rows), len(epsilon))
    return dict(zip(PEOPLE, (100 * value for value in found), strict=True))


def implied_columns(epsilon: np.ndarray, delta: float) -> dict[str, np.ndarray]:
    """The largest values of the columns `PEOPLE` that ε of each row at δ allows."""
    return dict(zip(PEOPLE, (100 * value for value in implied(epsilon, delta, _FALSE_ALARMS)), strict=True))


def _at_most(result: Any) -> np.ndarray:
    """ε of every row, with its error bar added if it has one."""
    epsilon = result.epsilon.copy()
    if result.exactly is not None:
        epsilon[result.exactly.rows] += result.exactly.error
    return epsilon


def _of_curves(exposures: Exposures, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Detection and right guesses; ε is looked for around that of two unit normal laws with the same δ(0)."""
    far = np.exp(exposures.one_way(np.zeros(count), "remove"))
    shift = np.minimum(-2 * special.ndtri((1 - far) / 2), 40.0)

    def detected(at: np.ndarray) -> np.ndarray:
        log_value = exposures.one_way(np.maximum(at, 0.0), "remove")
        if (at < 0).any():
            below = np.minimum(at, 0.0)
            log_value = np.where(at < 0, reflect(below, exposures.one_way(-below, "add")), log_value)
        return np.exp(log_value) + np.exp(at) * _FALSE_ALARMS

    middle = shift * (-special.ndtri(_FALSE_ALARMS) - shift / 2)
    low, high = middle - _WIDTH * shift, middle + _WIDTH * shift
    left, right = high - _SECTION * (high - low), low + _SECTION * (high - low)
    at_left, at_right = detected(left), detected(right)
    for _ in range(_STEPS):
        first = at_left < at_right
        low, high = np.where(first, low, left), np.where(first, right, high)
        new = np.where(first, high - _SECTION * (high - low), low + _SECTION * (high - low))
        kept, at_kept, at_new = np.where(first, left, right), np.minimum(at_left, at_right), detected(new)
        left, right = np.where(first, new, kept), np.where(first, kept, new)
        at_left, at_right = np.where(first, at_new, at_kept), np.where(first, at_kept, at_new)
    return np.clip(np.minimum(at_left, at_right), _FALSE_ALARMS, np.minimum(far + _FALSE_ALARMS, 1.0)), (1 + far) / 2
