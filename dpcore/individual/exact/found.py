"""What a computation without the expansion finds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class ExactEpsilon(NamedTuple):
    """ε of some records and what is known of its accuracy, arrays (k,).

    Parameters
    ----------
    epsilon : ε, nats
    error : error bar of each; 0 where ε is a closed form
    effective : effective sample size of the importance weights as a share of the points drawn, the smallest over the
        hyperplanes; nan where nothing is weighted
    """

    epsilon: np.ndarray
    error: np.ndarray
    effective: np.ndarray

    @classmethod
    def unweighted(cls, epsilon: np.ndarray, error: np.ndarray) -> ExactEpsilon:
        """Found without importance weights."""
        return cls(epsilon, error, np.full(epsilon.shape, np.nan))


@dataclass(frozen=True, eq=False)
class ExactRows:
    """ε of some rows found without the expansion, shapes (k,), nats.

    Parameters
    ----------
    rows : positions
    epsilon : ε at the δ of the result
    error : error bar of each; 0 where ε is a closed form
    expansion : what the expansion gives for them
    effective : effective sample size of the importance weights as a share of the points drawn; nan where none are weighted
    tolerance : the error that was asked for
    """

    rows: np.ndarray
    epsilon: np.ndarray
    error: np.ndarray
    expansion: np.ndarray
    effective: np.ndarray
    tolerance: np.ndarray

    @classmethod
    def joined(cls, parts: Iterable[ExactRows]) -> ExactRows:
        """The rows of all parts, one after the other."""
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    @property
    def reached(self) -> np.ndarray:
        """Whether each error bar is within the tolerance that was asked for."""
        return self.error <= self.tolerance

    @property
    def missed(self) -> str:
        """Which error bars are wider than asked for, in a sentence; empty where none is."""
        over = ~self.reached
        if not over.any():
            return ""
        return (
            f"The error bars of {np.count_nonzero(over)} of {over.size} rows are wider than asked for (± "
            f"{self.error[over].max():.2g} instead of ± {self.tolerance[over].min():.2g}), all draws being made: ε of these "
            "rows is known to its own error bar only."
        )

    @property
    def expansion_error(self) -> float:
        """Largest relative error of the expansion among these rows: measured, not a bound for the others."""
        seen = (self.epsilon > 0) & np.isfinite(self.expansion)
        return float(np.max(np.abs(self.expansion[seen] / self.epsilon[seen] - 1), initial=0.0))
