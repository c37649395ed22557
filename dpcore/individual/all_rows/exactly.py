"""Which rows are worth computing without the expansion, and what is found of them: the one rule for page, report and command."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from dpcore.errors import DPError, NoPrivacyError
from dpcore.individual.exact.found import ExactRows
from dpcore.individual.exposure import analysis_of, part_of
from dpcore.individual.result import IndividualPrivacy

# Seconds of processor time for all rows; doubled, the longest wait doubles, and more data have every row exact.
_BUDGET = 5.0
# Most exposed rows that are exact whatever they take; doubled, the wait doubles on data too large for all rows.
_TOP = 5
# Nats, or of ε where that is above 1; doubled, objective perturbation is spared some of its lines.
TOLERANCE = 1e-3


def all_affordable(result: IndividualPrivacy) -> bool:
    """Whether every row of an expansion can be computed without it within the budget."""
    data = result.dataset
    each = analysis_of(result.mechanism).exact_effort(data.n_samples, data.n_features)
    return data.n_samples * each <= _BUDGET


def with_known(result: IndividualPrivacy, known: Mapping[int, ExactRows]) -> IndividualPrivacy:
    """The result with the best known ε of each row."""
    return result.with_exact(ExactRows.joined(known.values())) if known else result


def wanted(result: IndividualPrivacy, known: Mapping[int, ExactRows], refused: Collection[int] = ()) -> list[int]:
    """Positions still to be computed without the expansion, the most exposed by it first; none where ε is no expansion.

    All rows where they are affordable. Elsewhere the expansion may rank the most exposed row low, so the row of the largest
    leverage and the one of the largest gradient are looked at beside those that it ranks first, and one more as long as the
    most exposed as then known is not one of them.

    Parameters
    ----------
    result : as `individual_privacy` gives it
    known, refused : positions computed already, and those for which that is not possible
    """
    if not result.is_expansion:
        return []
    if all_affordable(result):
        rows = result.most_exposed(result.epsilon.size)
    else:
        fit = result.leverage
        pull = np.abs(fit.residual) * np.linalg.norm(result.dataset.X, axis=1)
        others = [np.argmax(np.nan_to_num(values)) for values in (fit.out_of_sample, pull)]
        rows = np.concatenate([result.most_exposed(_TOP), others, with_known(result, known).most_exposed(1)])
    return [row for row in dict.fromkeys(int(row) for row in rows) if row not in known and row not in refused]


def exact_row(result: IndividualPrivacy, row: int, progress: Callable[[float], None] = lambda share: None) -> ExactRows:
    """One row to a thousandth of its ε, or of a nat where ε is less; ε = ∞ where there is no privacy at this δ.

    Raises
    ------
    DPError
        If the data do not allow this accuracy.
    """
    by_expansion = result.exposures.take(np.array([row])).epsilon(float(np.log(result.delta)))
    tolerance = TOLERANCE * max(1.0, float(by_expansion[0]))
    try:
        return result.exact([row], tolerance, progress)
    except NoPrivacyError:
        none = np.zeros(1)
        return ExactRows(np.array([row]), none + np.inf, none, by_expansion, none + np.nan, none + tolerance)


def best_known(
    result: IndividualPrivacy, progress: Callable[[float], None] = lambda share: None
) -> tuple[IndividualPrivacy, dict[int, str]]:
    """The result with its rows computed without the expansion, all or the most exposed, and why some could not be.

    Parameters
    ----------
    result : as `individual_privacy` gives it
    progress : called with the share of the work that is done; what it raises stops the work
    """
    known: dict[int, ExactRows] = {}
    refused: dict[int, str] = {}
    while missing := wanted(result, known, refused):
        for place, row in enumerate(missing):
            try:
                known[row] = exact_row(result, row, part_of(progress, place, len(missing)))
            except DPError as error:
                refused[row] = str(error)
    return with_known(result, known), refused
