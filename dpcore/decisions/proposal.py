"""What a curator answers, and what is proposed: one release of a file, and what it means for everyone in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Ranges
from dpcore.data.ingest.csv import read_table
from dpcore.data.ingest.encode import make_dataset
from dpcore.data.ingest.table import Table
from dpcore.data.names import safe_csv
from dpcore.decisions.file_edits import FileEdit
from dpcore.errors import ParameterError
from dpcore.individual.reasons import quantiles
from dpcore.mechanisms.releases import GlmRelease


@dataclass(frozen=True)
class Answers:
    """The answers to three questions: who may appear more than once, what columns can be at all, what is wanted.

    Parameters
    ----------
    epsilon : nobody's ε may be larger, nats; None if an accuracy is asked for
    accuracy : the score that the released model must reach, in the units of `Proposal.score`; None if ε is given
    person : column whose equal cells belong to one person; "" if every row is another person
    ranges : public (low, high) of columns, known without the file; they override those of the data set's domain
    delta : δ in (0, 1)

    Raises
    ------
    ParameterError
        If not exactly one of `epsilon` and `accuracy` is given, or one of them is not > 0.
    """

    epsilon: float | None = None
    accuracy: float | None = None
    person: str = ""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=lambda: Ranges({}))
    delta: float = 1e-6

    def __post_init__(self) -> None:
        if (self.epsilon is None) == (self.accuracy is None):
            raise ParameterError(
                "say which ε may be spent or which accuracy is needed: give epsilon or accuracy, not both"
            )
        for name in ("epsilon", "accuracy"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, validation.positive(name, getattr(self, name)))
        object.__setattr__(self, "ranges", Ranges(self.ranges))
        object.__setattr__(self, "delta", validation.open_probability("delta", self.delta))


@dataclass(frozen=True)
class Spread:
    """ε of everyone, nats: the median, the 99 % quantile and the largest, over `count` persons (rows, if one each)."""

    median: float
    p99: float
    largest: float
    count: int

    @classmethod
    def of(cls, epsilon: np.ndarray) -> Spread:
        """The spread of ε (n_persons,)."""
        median, p99 = (float(value) for value in quantiles(epsilon, [0.5, 0.99]))
        return cls(median, p99, float(epsilon.max()), int(epsilon.size))


@dataclass(frozen=True)
class Price:
    """Scores on some rows of the file as it is, with its targets as they are.

    Parameters
    ----------
    name : name of the score; a root mean squared error is in units of the target as in the file
    released : of the proposed release, its mean over releases, noise included
    unprotected : of the same model fitted to the file as it is, without noise
    trivial : of the best model that knows no features: the mean, or the most frequent level
    higher_is_better : whether a larger score is better
    share : whether the score is a share of the rows
    rows : number of the rows
    """

    name: str
    released: float
    unprotected: float
    trivial: float
    higher_is_better: bool
    share: bool
    rows: int

    @property
    def is_useful(self) -> bool:
        """Whether the release is better than the trivial model."""
        return (self.released > self.trivial) if self.higher_is_better else (self.released < self.trivial)


@dataclass(frozen=True, eq=False)
class Proposal:
    """One release of a file, the edits of the file that go with it, and what both mean for everyone in it.

    All numbers are computed from the data without noise and are confidential, the score of the release too.

    Parameters
    ----------
    answers : what was answered
    mechanism : the release, with its parameters
    edits : changes of the file, in the order in which they are made
    before : ε of everyone under the release in use, on the file as it is
    after : ε of everyone under the proposed release, on the edited file
    price : scores on all rows of the file
    price_without : scores on the rows that are not among the 1 % most exposed ones
    worst_case : ε of the guarantee for any record of the public domain in any data set of this size, nats; None if there
        is no guarantee
    sentences : what is proposed, what it does to everyone, what it costs, and what it does not cover
    reading : how the file becomes a data set, the options of `make_dataset`
    exact : whether every ε of `after` is exact; otherwise they are an expansion or an upper bound
    """

    answers: Answers
    mechanism: GlmRelease
    edits: tuple[FileEdit, ...]
    before: Spread
    after: Spread
    price: Price
    price_without: Price
    worst_case: float | None
    sentences: tuple[str, ...]
    reading: Mapping[str, Any]
    exact: bool = True

    confidentiality: ClassVar[str] = (
        "The proposal is computed from the data without noise and is itself sensitive, and so is the score of the released "
        "model: it was measured on the same rows. Do not publish them without protection."
    )

    @property
    def score(self) -> float:
        """The score of the release on all rows, noise included."""
        return self.price.released

    @property
    def trivial(self) -> float:
        """The score of the trivial model on all rows."""
        return self.price.trivial

    @property
    def parameters(self) -> dict[str, float]:
        """λ and the noise of the release, by name."""
        return {
            "lam": self.mechanism.lam,
            self.mechanism.noise.name: getattr(self.mechanism, self.mechanism.noise.name),
        }

    def file(self, table: Table) -> bytes:
        """The edited file as CSV (UTF-8)."""
        return edited_file(table, self.edits)

    def apply(self, table: Table) -> Table:
        """The table that is read from the edited file."""
        return read_table(self.file(table), table.name)

    def dataset(self, table: Table) -> Dataset:
        """The data set that is made of the edited file."""
        return make_dataset(self.apply(table), **self.reading)


def edited_file(table: Table, edits: tuple[FileEdit, ...]) -> bytes:
    """The file of a table after these edits, as CSV in which no text is run as a formula."""
    frame: pd.DataFrame = table.frame
    for edit in edits:
        frame = edit.change(frame)
    return safe_csv(frame)
