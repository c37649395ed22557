"""The mechanisms side by side at equal exposure: the noise at which each exposes the most exposed row alike, and its price."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpcore.errors import DPError, UnsupportedError, or_reason
from dpcore.individual.all_rows.assumptions import assumptions_of
from dpcore.individual.analyses.accuracy import Accuracy, accuracy, target_unit
from dpcore.individual.result import IndividualPrivacy, individual_privacy
from dpcore.individual.rows.advice import smallest_factor
from dpcore.mechanisms import RELEASES
from dpcore.mechanisms.releases import GlmRelease, ReleaseEntry

# The search for the noise begins at this share of the noise in use, and ends at 8⁷ times that. Doubled, mechanisms
# that need very little noise get more than they need.
_LEAST = 1e-3


@dataclass(frozen=True)
class EquallyExposing:
    """One mechanism, with as much noise as makes the largest ε of a row equal to that of the release in use.

    Parameters
    ----------
    name : of the mechanism
    mechanism : with this noise, at the same penalty and for the same model; None if no noise does it
    largest, median : ε of the most exposed and of the median row, nats; nan without a mechanism
    worst_case : ε of any record and any data of this size, nats; None if there is no guarantee
    accuracy : of the released model on the rows; None without a mechanism
    why_not : why there is no such mechanism; empty if there is one
    """

    name: str
    mechanism: GlmRelease | None = None
    largest: float = np.nan
    median: float = np.nan
    worst_case: float | None = None
    accuracy: Accuracy | None = None
    why_not: str = ""


def at_equal_exposure(result: IndividualPrivacy) -> tuple[EquallyExposing, ...]:
    r"""Every mechanism at the noise s for which the most exposed row is as exposed as under the release in use.

    .. math:: \max_i ε_i(s) = \max_i ε_i \text{ of the result}, \quad \text{same } λ, \text{ model and } δ

    The mechanism in use comes first. If the ε of the rows are an expansion, so are those compared.

    Parameters
    ----------
    result : as `individual_privacy` gives it

    Raises
    ------
    UnsupportedError
        If ε of the most exposed row is 0 or infinite, so that no noise is comparable.
    """
    target = float(result.epsilon.max())
    if not 0 < target < np.inf:
        raise UnsupportedError(f"mechanisms are compared at the ε of the most exposed row, which is {target:g}")
    own = RELEASES[result.mechanism.release]
    return tuple(_found(result, target, own))


def _found(result: IndividualPrivacy, target: float, own: ReleaseEntry) -> Iterator[EquallyExposing]:
    yield _priced(own.name, result)
    base, dataset = result.mechanism, result.dataset
    model = {"loss": base.loss, "clip": base.clip, "domain": None if base.is_linear else dataset.domain}
    for entry in RELEASES.values():
        if entry is own:
            continue
        try:
            other = entry.at(base.level * _LEAST, base.lam, **model)
            quiet = individual_privacy(dataset, other, result.delta, known=result)

            def excess(factor: float, quiet: IndividualPrivacy = quiet) -> float:
                with np.errstate(divide="ignore"):
                    return float(np.log(quiet.with_noise(factor).epsilon.max() / target))

            factor = smallest_factor(excess)
            if factor is None:
                raise UnsupportedError("however large its noise, the most exposed row stays more exposed")
            yield _priced(entry.name, quiet.with_noise(factor))
        except DPError as error:
            yield EquallyExposing(entry.name, why_not=str(error))


def _priced(name: str, at: IndividualPrivacy) -> EquallyExposing:
    worst, _ = or_reason(lambda: at.worst_case_epsilon)
    data = at.dataset
    price = accuracy(at.mechanism, at.leverage, data.X, data.y, target_unit(data))
    guaranteed = None if assumptions_of(data).no_guarantee else worst
    return EquallyExposing(name, at.mechanism, float(at.epsilon.max()), float(at.quantiles(0.5)), guaranteed, price)
