"""All rows but one, factorised once: the exposure of any record that stands in that row's place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.glm.threads import SINGLE_THREADED_BLAS
from dpcore.individual.exposure import ANALYSES, Exposures
from dpcore.individual.fit.leverage import NEARLY_DECISIVE, Leverage, factorise, moments
from dpcore.individual.fit.refits import triangular
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.reasons import position
from dpcore.mechanisms.releases import GlmRelease


@dataclass(frozen=True, eq=False)
class Rest:
    r"""XᵀX and Xᵀy of the other rows Z; a record (x, y) in the row's place has the exposure of one added to Z.

    .. math:: H = X_Z^⊤X_Z + λI, \quad μ = x^⊤H^{-1}x, \quad r = y − x^⊤H^{-1}X_Z^⊤y_Z
    """

    dataset: Dataset
    index: int
    gram: np.ndarray = field(repr=False)
    moment: np.ndarray = field(repr=False)
    _fits: dict[float, Leverage] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, result: IndividualPrivacy, index: int, moment: np.ndarray | None = None) -> Rest:
        """The rows beside the one at this position; `moment` is Xᵀy of all rows where it is known.

        A row that nearly decides the fit is left out of the sums, any other subtracted from those of all rows.
        """
        dataset, index = result.dataset, position(index, result.epsilon.size)
        if 1 - result.leverage.in_sample[index] < 1e3 * NEARLY_DECISIVE:
            return cls.left_out(dataset, index)
        x, y = dataset.X[index], dataset.y[index]
        total = dataset.X.T @ dataset.y if moment is None else moment
        return cls(dataset, index, result.leverage.gram - np.outer(x, x), total - y * x)

    @classmethod
    def left_out(cls, dataset: Dataset, index: int) -> Rest:
        """The rows before and after the one at this position, summed."""
        X, y = dataset.X, dataset.y
        parts = [moments(X[rows], y[rows]) for rows in (slice(0, index), slice(index + 1, None)) if len(X[rows])]
        features = dataset.n_features
        gram, moment = np.zeros((features, features)), np.zeros(features)
        for one, other in parts:
            gram, moment = gram + one, moment + other
        return cls(dataset, index, gram, moment)

    def fit(self, lam: float) -> Leverage:
        """Ridge fit of the other rows, as a leverage without rows.

        Raises
        ------
        DataError
            If they do not determine the coefficients.
        """
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

    def exposures(self, mechanism: GlmRelease, X: np.ndarray, y: np.ndarray) -> Exposures:
        """Records X (k, n_features), y (k,) in the place of the row."""
        fit = self.fit(mechanism.lam)
        kind = ANALYSES.find(mechanism)
        if not mechanism.shaped_by_data:
            return kind.of_added(mechanism, fit, X, y)
        records = [slice(k, k + 1) for k in range(len(X))]  # the shape of the noise is that of the rows with the record
        fits = [replace(fit, gram=self.gram + np.outer(x, x)) for x in X]
        return Exposures.joined(
            [kind.of_added(mechanism, one, X[k], y[k]) for one, k in zip(fits, records, strict=True)]
        )

    def epsilon(self, mechanism: GlmRelease, delta: float) -> float:
        """Exact ε at δ of the row itself, nats."""
        return float(self.own(mechanism).epsilon(float(np.log(delta)))[0])

    def own(self, mechanism: GlmRelease) -> Exposures:
        """The row itself, shape (1,)."""
        own = slice(self.index, self.index + 1)
        return self.exposures(mechanism, self.dataset.X[own], self.dataset.y[own])

    def with_copies(self, count: int) -> Rest:
        """The other rows and further people with the same record."""
        x, y = self.dataset.X[self.index], self.dataset.y[self.index]
        return Rest(self.dataset, self.index, self.gram + count * np.outer(x, x), self.moment + count * y * x)
