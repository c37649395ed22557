"""All rows but one, fitted once: the exposure of any record that stands in that row's place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.glm.threads import SINGLE_THREADED_BLAS
from dpcore.individual.exposure import Exposures, analysis_of
from dpcore.individual.fit.glm import GlmFit
from dpcore.individual.fit.leverage import NEARLY_DECISIVE, Leverage, factorise, moments
from dpcore.individual.fit.refits import triangular
from dpcore.individual.fit.third import bends_matter
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy
from dpcore.mechanisms.releases import GlmRelease


class Rest(ABC):
    """The rows Z beside one; a record (x, y) in the row's place has the exposure of one added to Z."""

    dataset: Dataset
    index: int

    @staticmethod
    def of(result: IndividualPrivacy, index: int) -> Rest:
        """The rows beside the one at this position."""
        return rests(result)(index)

    @staticmethod
    def left_out(dataset: Dataset, index: int, mechanism: GlmRelease) -> Rest:
        """The same for rows whose fit is not known."""
        return RidgeRest.left_out_of(dataset, index) if mechanism.is_linear else GlmRest.left_out_of(dataset, index)

    @abstractmethod
    def fit(self, mechanism: GlmRelease) -> Leverage:
        """The fit of the other rows that a release perturbs, as a leverage without rows.

        Raises
        ------
        DataError
            If they do not determine the coefficients.
        """

    @abstractmethod
    def with_copies(self, count: int) -> Rest:
        """The other rows and further people with the same record."""

    def exposures(self, mechanism: GlmRelease, X: np.ndarray, y: np.ndarray) -> Exposures:
        """Records X (k, n_features), y (k,) in the place of the row."""
        fit, kind = self.fit(mechanism), analysis_of(mechanism)
        if not mechanism.shaped_by_data:
            return kind.of_added(mechanism, fit, X, y)
        records = [slice(k, k + 1) for k in range(len(X))]  # the shape of the noise is that of the rows with the record
        fits = [replace(fit, gram=fit.gram + np.outer(x, x)) for x in X]
        return Exposures.joined(
            [kind.of_added(mechanism, one, X[k], y[k]) for one, k in zip(fits, records, strict=True)]
        )

    def epsilon(self, mechanism: GlmRelease, delta: float) -> float:
        """ε at δ of the row itself, nats."""
        return float(self.own(mechanism).epsilon(float(np.log(delta)))[0])

    def own(self, mechanism: GlmRelease) -> Exposures:
        """The row itself, shape (1,)."""
        own = slice(self.index, self.index + 1)
        return self.exposures(mechanism, self.dataset.X[own], self.dataset.y[own])


def rests(result: IndividualPrivacy) -> Callable[[int], Rest]:
    """What gives the rows beside each row of a result; what all of them have in common is computed once."""
    if not result.mechanism.is_linear:
        return lambda index: GlmRest.beside(result, position(index, result.epsilon.size))
    moment = result.dataset.X.T @ result.dataset.y
    return lambda index: RidgeRest.beside(result, position(index, result.epsilon.size), moment)


@dataclass(frozen=True, eq=False)
class RidgeRest(Rest):
    r"""XᵀX and Xᵀy of the other rows Z of a linear regression.

    .. math:: H = X_Z^⊤X_Z + λI, \quad μ = x^⊤H^{-1}x, \quad r = y − x^⊤H^{-1}X_Z^⊤y_Z
    """

    dataset: Dataset
    index: int
    gram: np.ndarray = field(repr=False)
    moment: np.ndarray = field(repr=False)
    _fits: dict[float, Leverage] = field(default_factory=dict, repr=False)

    @classmethod
    def beside(cls, result: IndividualPrivacy, index: int, moment: np.ndarray) -> RidgeRest:
        """The rows beside one of a result, whose Xᵀy is given.

        A row that nearly decides the fit is left out of the sums, any other subtracted from those of all rows.
        """
        dataset = result.dataset
        if 1 - result.leverage.in_sample[index] < 1e3 * NEARLY_DECISIVE:
            return cls.left_out_of(dataset, index)
        x, y = dataset.X[index], dataset.y[index]
        return cls(dataset, index, result.leverage.gram - np.outer(x, x), moment - y * x)

    @classmethod
    def left_out_of(cls, dataset: Dataset, index: int) -> RidgeRest:
        """The rows before and after the one at this position, summed."""
        X, y = dataset.X, dataset.y
        parts = [moments(X[rows], y[rows]) for rows in (slice(0, index), slice(index + 1, None)) if len(X[rows])]
        features = dataset.n_features
        gram, moment = np.zeros((features, features)), np.zeros(features)
        for one, other in parts:
            gram, moment = gram + one, moment + other
        return cls(dataset, index, gram, moment)

    def fit(self, mechanism: GlmRelease) -> Leverage:
        lam = mechanism.lam
        if lam not in self._fits:
            with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
                factor, theta = factorise(
                    self.dataset.names, self.gram, self.moment, lam, lambda: self._triangular(lam)
                )
            self._fits[lam] = Leverage.of_no_rows(lam, theta, factor, self.gram)
        return self._fits[lam]

    def _triangular(self, lam: float) -> tuple[np.ndarray | None, np.ndarray]:
        keep = np.delete(np.arange(self.dataset.n_samples), self.index)
        return triangular(Dataset.from_arrays(self.dataset.X[keep], self.dataset.y[keep], self.dataset.names), lam)

    def with_copies(self, count: int) -> RidgeRest:
        x, y = self.dataset.X[self.index], self.dataset.y[self.index]
        return RidgeRest(self.dataset, self.index, self.gram + count * np.outer(x, x), self.moment + count * y * x)


@dataclass(frozen=True, eq=False)
class GlmRest(Rest):
    r"""The other rows Z of any model, fitted again, starting near the minimiser.

    .. math:: \hat θ_Z = \arg\min \sum_{j∈Z} f(x_j^⊤θ; y_j) + \tfrac λ2‖θ‖²

    Parameters
    ----------
    dataset, index : all rows, and the position of the one that is left out
    copies : people with the same record who are there all the same
    start : where the search for θ̂ begins, or None
    """

    dataset: Dataset
    index: int
    copies: int = 0
    start: np.ndarray | None = field(default=None, repr=False)
    _fits: dict[Any, GlmFit] = field(default_factory=dict, repr=False)

    @classmethod
    def beside(cls, result: IndividualPrivacy, index: int) -> GlmRest:
        """The rows beside one of a result: the search begins one Newton step from the fit to all rows."""
        start = result.leverage.step_without(result.dataset.X[index], index)
        return cls(result.dataset, index, start=start)

    @classmethod
    def left_out_of(cls, dataset: Dataset, index: int) -> GlmRest:
        """The rows beside one."""
        return cls(dataset, index)

    def fit(self, mechanism: GlmRelease) -> GlmFit:
        key = mechanism.lam, mechanism.loss, mechanism.clip, bends_matter(mechanism)
        if key not in self._fits:
            started = next(reversed(self._fits.values())).theta if self._fits else self.start
            rows = self._rows()
            self._fits[key] = GlmFit.of_others(*rows, mechanism, started).bent(mechanism, *rows)
        return self._fits[key]

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        X, y, index = self.dataset.X, self.dataset.y, self.index
        again = np.full(self.copies, index)
        order = np.concatenate([np.arange(index), again, np.arange(index + 1, len(X))])
        return X[order], y[order]

    def with_copies(self, count: int) -> GlmRest:
        return GlmRest(self.dataset, self.index, self.copies + count, self.start)
