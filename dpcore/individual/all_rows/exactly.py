"""Which rows are computed without the expansion, and what is found: one rule for page, report and command."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from dpcore.errors import DPError, NoPrivacyError
from dpcore.individual.exact.found import ExactRows
from dpcore.individual.exposure import TOLERANCE, analysis_of, part_of
from dpcore.individual.result import IndividualPrivacy

# Seconds of processor time. If all rows take no longer, all are computed without the expansion. Doubled, the longest
# wait doubles, and every row is exact for more data sets.
_BUDGET = 5.0
# Number of most exposed rows that are computed without the expansion, however long it takes. Doubled, the wait doubles
# on data too large for all rows.
_TOP = 5
# Number of rows known from which on the row that is then the most exposed is left to the expansion. Where the expansion
# is too high, each row found gives way to the next, through all of them. Doubled, such data take twice as long.
_MOST = 15


def all_affordable(result: IndividualPrivacy) -> bool:
    """Whether every row of an expansion can be computed without it within the budget."""
    data = result.dataset
    each = analysis_of(result.mechanism).exact_effort(data.n_samples, data.n_features)
    return data.n_samples * each <= _BUDGET


def with_known(result: IndividualPrivacy, known: Mapping[int, ExactRows]) -> IndividualPrivacy:
    """The result with the best known ε of each row."""
    return result.with_exact(ExactRows.joined(list(known.values()))) if known else result


def wanted(result: IndividualPrivacy, known: Mapping[int, ExactRows], refused: Collection[int] = ()) -> list[int]:
    """Positions still to be computed without the expansion, the most exposed first; none if ε is no expansion.

    These are all rows if they are affordable. If they are not, they are the rows that the expansion ranks first. As it
    may rank the most exposed row low, the row of the largest leverage and the row of the largest gradient are added. So
    is the row that is the most exposed by what is known so far, until `_MOST` rows are known.

    Parameters
    ----------
    result : as `individual_privacy` gives it
    known, refused : positions that are computed already, and those for which it is not possible
    """
    if not result.is_expansion:
        return []
    if all_affordable(result):
        rows = result.most_exposed(result.epsilon.size)
    else:
        fit = result.leverage
        pull = np.abs(fit.residual) * np.linalg.norm(result.dataset.X, axis=1)
        others = [np.argmax(np.nan_to_num(values)) for values in (fit.out_of_sample, pull)]
        rows = np.concatenate([result.most_exposed(_TOP), others])
        if len(known) + len(refused) < _MOST:
            rows = np.append(rows, with_known(result, known).most_exposed(1))
    return [row for row in dict.fromkeys(int(row) for row in rows) if row not in known and row not in refused]


def exact_row(result: IndividualPrivacy, row: int, progress: Callable[[float], None] = lambda share: None) -> ExactRows:
    """ε of one row with an error of a thousandth of it, or of a nat if ε < 1; ∞ if there is no privacy at this δ.

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
    """The result with all or the most exposed rows computed without the expansion, and why it failed for some.

    Parameters
    ----------
    result : as `individual_privacy` gives it
    progress : called with the share of the work that is done; an exception it raises stops the work
    """
    known: dict[int, ExactRows] = {}
    refused: dict[int, str] = {}
    while missing := wanted(result, known, refused):
        count = max(len(known) + len(refused) + len(missing), 0 if all_affordable(result) else _MOST)
        for row in missing:
            try:
                known[row] = exact_row(result, row, part_of(progress, len(known) + len(refused), count))
            except DPError as error:
                refused[row] = str(error)
    return with_known(result, known), refused
