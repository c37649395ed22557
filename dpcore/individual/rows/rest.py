"""A fit to all rows but one, for the exposure of any record that takes that row's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.individual.exposure import Exposures, analysis_of
from dpcore.individual.fit.glm import GlmFit
from dpcore.individual.fit.leverage import NEARLY_DECISIVE, Leverage, moments, ridge_fit
from dpcore.individual.fit.refits import triangle
from dpcore.individual.fit.third import bends_matter
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy
from dpcore.mechanisms.releases import GlmRelease

_Sums = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Rest:
    r"""All rows but one, Z. A record (x, y) in that row's place has the exposure of a record added to Z.

    .. math:: \hat θ_Z = \arg\min \sum_{j∈Z} f(x_j^⊤θ; y_j) + \tfrac λ2‖θ‖², \quad
              \text{in linear regression } H = X_Z^⊤X_Z + λI, \; μ = x^⊤H^{-1}x, \; r = y − x^⊤H^{-1}X_Z^⊤y_Z

    Parameters
    ----------
    dataset, index : all rows, and the position of the one that is left out
    copies : number of people with the same record who remain in Z
    sums : XᵀX and Xᵀy of Z; None if they have not been computed yet
    start : where the search for θ̂_Z begins, for models other than linear regression; or None
    """

    dataset: Dataset
    index: int
    copies: int = 0
    sums: _Sums | None = field(default=None, repr=False)
    start: np.ndarray | None = field(default=None, repr=False)
    _fits: dict[Any, Leverage] = field(default_factory=dict, repr=False)

    def fit(self, mechanism: GlmRelease) -> Leverage:
        """The fit to the other rows that a release perturbs; it holds no rows.

        Raises
        ------
        DataError
            If the other rows do not determine the coefficients.
        """
        key = mechanism.lam, mechanism.loss, mechanism.clip, bends_matter(mechanism)
        if key not in self._fits:
            self._fits[key] = self._fitted(mechanism)
        return self._fits[key]

    def _fitted(self, mechanism: GlmRelease) -> Leverage:
        lam = mechanism.lam
        if mechanism.is_linear:
            return ridge_fit(self.dataset.names, *self._sums, lam, lambda: triangle(*self._rows(), lam))
        started = next(reversed(self._fits.values())).theta if self._fits else self.start
        rows = self._rows()
        return GlmFit.of_others(*rows, mechanism, started).bent(mechanism, *rows)

    @cached_property
    def _sums(self) -> _Sums:
        return self.sums or moments(*self._rows())

    def _rows(self) -> _Sums:
        others = np.delete(np.arange(self.dataset.n_samples), self.index)
        order = np.append(others, np.full(self.copies, self.index))
        return self.dataset.X[order], self.dataset.y[order]

    def with_copies(self, count: int) -> Rest:
        """The other rows, and `count` further people with the same record."""
        return replace(self, copies=self.copies + count, sums=None, _fits={})

    def exposures(self, mechanism: GlmRelease, X: np.ndarray, y: np.ndarray) -> Exposures:
        """Exposures of records X (k, n_features), y (k,), each in the place of the row."""
        fit, kind = self.fit(mechanism), analysis_of(mechanism)
        if not mechanism.shaped_by_data:
            return kind.of_added(mechanism, fit, X, y)
        fits = [replace(fit, gram=fit.gram + np.outer(x, x)) for x in X]  # the record too shapes the noise
        return Exposures.joined(
            [kind.of_added(mechanism, one, X[k : k + 1], y[k : k + 1]) for k, one in enumerate(fits)]
        )

    def epsilon(self, mechanism: GlmRelease, delta: float) -> float:
        """ε at δ of the row itself, nats."""
        return float(self.own(mechanism).epsilon(float(np.log(delta)))[0])

    def own(self, mechanism: GlmRelease) -> Exposures:
        """Exposures of the row itself, shape (1,)."""
        own = slice(self.index, self.index + 1)
        return self.exposures(mechanism, self.dataset.X[own], self.dataset.y[own])


def rests(result: IndividualPrivacy) -> Callable[[int], Rest]:
    """A function from the position of a row to its `Rest`; what all rows have in common is computed once.

    In linear regression, the row is subtracted from the sums over all rows, unless it nearly decides the fit. For other
    models, the search for the fit begins one Newton step away from the fit to all rows.
    """
    data, fit = result.dataset, result.leverage
    moment = data.X.T @ data.y if result.mechanism.is_linear else None

    def beside(index: int) -> Rest:
        index = position(index, data.n_samples)
        x, y = data.X[index], data.y[index]
        if moment is None:
            return Rest(data, index, start=fit.step_without(x, index))
        decides = 1 - fit.in_sample[index] < 1e3 * NEARLY_DECISIVE
        return Rest(data, index, sums=None if decides else (fit.gram - np.outer(x, x), moment - y * x))

    return beside
