"""What is said about all rows together, from a result in memory or gathered block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from dpcore.data.domain import Domain
from dpcore.data.ingest_report import IngestReport
from dpcore.errors import or_reason
from dpcore.individual.all_rows import pictured
from dpcore.individual.all_rows.assumptions import Assumptions, assumptions_of
from dpcore.individual.all_rows.pictured import Histogram, Points
from dpcore.individual.exact.found import ExactRows
from dpcore.individual.exposure import analysis_of
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.reasons import QUANTILE_LEVELS
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.persons import PersonExposure, exposed_persons, persons_of
from dpcore.mechanisms.releases import GlmRelease
from dpcore.profiles import Bound

# Number of most exposed rows in the table. Doubled, the table is twice as long.
TOP = 100


@dataclass(frozen=True, eq=False)
class ExposureSummary:
    """Exposure of all rows under one release, in a size that does not depend on their number.

    Fields whose name does not say what they are:

    quantiles : ε at the levels `QUANTILE_LEVELS`
    top : the most exposed rows in decreasing order, with ids if known
    for_all : ε of the most exposed record of the public domain, if it were added to these data; None if unknown
    worst_case : the same for any data; None if unknown
    unknown : the reason, for each of these two that is None
    precision : relative half-width within which the quantiles are known (0 if exact)
    exactly : the rows computed without the expansion, if ε of all rows is an expansion
    for_all_error : error bar of for_all, if it was computed without the expansion
    repeated : a sentence on how many rows repeat another
    persons : ε of the most exposed persons
    clipping : a sentence on which rows a clip cuts
    """

    mechanism: GlmRelease
    delta: float
    method: EpsilonMethod
    domain: Domain | None
    n_samples: int
    names: tuple[str, ...]
    target: str
    report: IngestReport
    mean: float
    largest: float
    quantiles: dict[float, float]
    top: pd.DataFrame
    histogram: Histogram
    points: Points
    for_all: float | None
    worst_case: float | None
    worst_case_bound: Bound | None
    unknown: dict[str, str]
    caveat: str
    precision: float = 0.0
    exactly: ExactRows | None = None
    for_all_error: float | None = None
    repeated: str = "Copies of rows and ids that repeat are not looked for in a file read in pieces."
    persons: tuple[PersonExposure, ...] = ()
    clipping: str = ""

    confidentiality: ClassVar[str] = IndividualPrivacy.confidentiality

    @property
    def assumptions(self) -> Assumptions:
        """What these numbers take for granted, in sentences."""
        return Assumptions(self.report, self.domain, self.target, self.n_samples)

    @property
    def said(self) -> str:
        """Sentences on what ε of the rows is and how large its error may be; empty if all rows have a closed form."""
        return self.method.said if self.exactly is None else self.exactly.said(self.method)

    @property
    def for_all_method(self) -> EpsilonMethod:
        """What `for_all` is."""
        return analysis_of(self.mechanism).method if self.for_all_error is None else EpsilonMethod.EXACT

    @property
    def worst_case_method(self) -> EpsilonMethod:
        """What `worst_case` is."""
        return EpsilonMethod.EXACT if self.worst_case_bound in (None, Bound.EXACT) else EpsilonMethod.UPPER

    @classmethod
    def of(cls, result: IndividualPrivacy, top: int = TOP) -> ExposureSummary:
        """The summary of a result in memory."""
        data, no_guarantee = result.dataset, assumptions_of(result.dataset).no_guarantee
        expands = result.exposures.method is EpsilonMethod.EXPANSION
        if no_guarantee and expands:  # a search for the most exposed record would be of no use
            found, why_not = None, f"no guarantee: {no_guarantee}"
        else:
            found, why_not = or_reason(lambda: result.for_all)
        for_all = None if found is None else found.known
        worst, no_worst = or_reason(lambda: result.worst_case_epsilon)
        unknown = {name: why for name, why in (("for_all", why_not), ("worst_case", no_worst)) if why}
        rows, persons = result.most_exposed(top), persons_of(data)
        beside = [value for value in (for_all, worst) if not no_guarantee and value is not None]
        return cls(
            result.mechanism, result.delta, result.method, result.domain, data.n_samples, data.names, data.target,
            data.report, result.moments(1), float(result.epsilon.max()),
            dict(zip(QUANTILE_LEVELS, (float(v) for v in result.quantiles(list(QUANTILE_LEVELS))), strict=True)),
            _with_ids(result, rows), pictured.histogram(result, beside), pictured.points(result),
            for_all, worst, None if worst is None else result.worst_case.bound, unknown, result.caveat, exactly=result.exactly,
            for_all_error=None if found is None else found.error, repeated=persons.sentence,
            persons=exposed_persons(result, persons), clipping=result.clipping,
        )  # fmt: skip


def _with_ids(result: IndividualPrivacy, rows: np.ndarray) -> pd.DataFrame:
    """Exposure of some rows, with the ids that the owner gave them, if known."""
    frame, ids = result.frame(rows), result.dataset.row_ids(rows)
    if any(ids):
        frame.insert(1, "id", ids)
    return frame
