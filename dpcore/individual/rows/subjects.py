"""The subject of advice, whose ε is to be lowered: one row, or a share of all rows."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.individual.exposure import Aim, analysis_of, exact_row_of
from dpcore.individual.fit.leverage import Leverage
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.result import individual_privacy
from dpcore.individual.rows.rest import Rest
from dpcore.mechanisms.releases import GlmRelease


class Subject(ABC):
    """The subject whose ε is to be lowered: one row, or a share of all rows."""

    def __init__(self, dataset: Dataset, delta: float) -> None:
        self.dataset, self.delta = dataset, delta

    @abstractmethod
    def epsilon(self, mechanism: GlmRelease) -> float:
        """Its ε under a mechanism."""

    def surely(self, mechanism: GlmRelease, tolerance: float) -> float:
        """An upper value of its ε: computed without the expansion and with its error bar added, if that is known."""
        return self.epsilon(mechanism)

    @abstractmethod
    def excess(self, mechanism: GlmRelease, target: float) -> float:
        """A continuous function that is ≤ 0 if and only if ε ≤ target: log δ(target) − log δ, or log ε − log target."""

    @abstractmethod
    def fit(self, mechanism: GlmRelease) -> Leverage:
        """The fit to all rows that a release perturbs."""

    @abstractmethod
    def of(self, dataset: Dataset) -> Subject:
        """The same subject in a changed data set."""


class OneRow(Subject):
    """The row at position `index`."""

    def __init__(self, dataset: Dataset, delta: float, index: int) -> None:
        super().__init__(dataset, delta)
        self.index = index
        self.rest = Rest(dataset, index)
        self._all = self.rest.with_copies(1)

    def epsilon(self, mechanism: GlmRelease) -> float:
        return self.rest.epsilon(mechanism, self.delta)

    def surely(self, mechanism: GlmRelease, tolerance: float) -> float:
        found = exact_row_of(mechanism, self.dataset, self.index, Aim(float(np.log(self.delta)), tolerance))
        return float(found.epsilon[0] + found.error[0])

    def excess(self, mechanism: GlmRelease, target: float) -> float:
        return float(self.rest.own(mechanism).log_delta(np.array(target))[0]) - float(np.log(self.delta))

    def fit(self, mechanism: GlmRelease) -> Leverage:
        return self._all.fit(mechanism)

    def of(self, dataset: Dataset) -> OneRow:
        return OneRow(dataset, self.delta, self.index)

    def among(self, copies: int) -> OneRow:
        """The same row, when further people with the same record have joined."""
        own = np.append(np.arange(self.dataset.n_samples), np.full(copies, self.index))
        return self.of(Dataset.from_arrays(self.dataset.X[own], self.dataset.y[own], self.dataset.names))


class MostRows(Subject):
    """A share of all rows, in (0, 1); its ε is this quantile of ε over the rows."""

    def __init__(self, dataset: Dataset, delta: float, share: float) -> None:
        super().__init__(dataset, delta)
        self.share = share
        self._fits: dict[float, Leverage] = {}

    def epsilon(self, mechanism: GlmRelease) -> float:
        return float(individual_privacy(self.dataset, mechanism, self.delta).quantiles(self.share))

    def excess(self, mechanism: GlmRelease, target: float) -> float:
        rows = analysis_of(mechanism).of_rows(mechanism, self.dataset, self.fit(mechanism))
        log_delta = float(np.log(self.delta))
        if rows.method is EpsilonMethod.EXPANSION:  # most rows are far below δ, where log δ is slower than ε
            with np.errstate(divide="ignore"):
                return float(np.log(np.quantile(rows.epsilon(log_delta), self.share, method="higher") / target))
        return float(np.quantile(rows.log_delta(np.array(target)), self.share, method="higher")) - log_delta

    def fit(self, mechanism: GlmRelease) -> Leverage:
        if mechanism.lam not in self._fits:
            self._fits[mechanism.lam] = analysis_of(mechanism).fit(mechanism, self.dataset)
        return self._fits[mechanism.lam]

    def of(self, dataset: Dataset) -> MostRows:
        return MostRows(dataset, self.delta, self.share)
