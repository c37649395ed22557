"""What is proposed for a file: mechanism, parameters, edits, and what they mean for everyone in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.data.ingest.encode import make_dataset
from dpcore.data.ingest.table import Table
from dpcore.decisions.answers import Answers
from dpcore.decisions.everyone import everyone
from dpcore.decisions.file_edits import FileEdit, edited_file, read_again
from dpcore.decisions.prices import Price
from dpcore.individual.reasons import quantiles
from dpcore.individual.result import IndividualPrivacy, individual_privacy
from dpcore.individual.rows.persons import persons_by
from dpcore.mechanisms.releases import GlmRelease


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
    sign : what the ε of `after` are: "=" exact, "≈" an expansion, "≤" an upper bound
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
    sign: str = "="

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
        noise = self.mechanism.noise.name
        return {"lam": self.mechanism.lam, noise: getattr(self.mechanism, noise)}

    def file(self, table: Table) -> bytes:
        """The edited file as CSV (UTF-8)."""
        return edited_file(table, self.edits)

    def apply(self, table: Table) -> Table:
        """The table that is read from the edited file."""
        return read_again(table, self.edits)

    def rerun(self, table: Table) -> tuple[IndividualPrivacy, Spread]:
        """The exposure of every row of the edited file under the release, and the spread of ε of everyone.

        Raises
        ------
        DataError
        """
        dataset = make_dataset(self.apply(table), **self.reading)
        result = individual_privacy(dataset, self.mechanism, self.answers.delta)
        return result, Spread.of(everyone(result, groups_of(dataset, self.answers.person)))


def groups_of(dataset: Dataset, person: str) -> tuple[np.ndarray, ...]:
    """Positions of the rows of each person with several; none if every row is another person ("")."""
    return persons_by(dataset, person).groups if person else ()
