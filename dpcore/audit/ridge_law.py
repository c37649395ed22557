"""The law of a released linear regression, computed from the rows alone, without an engine of `dpcore.individual`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.learners.laws import GaussianLaw
from dpcore.mechanisms import GlmRelease


@dataclass(frozen=True, eq=False)
class RidgeLaw:
    """N(θ̂, SSᵀ) of a release fitted to some rows.

    Parameters
    ----------
    theta : array (n_features,), θ̂
    factor : array (n_features, n_features), lower Cholesky factor of H = XᵀX + λI
    gram : array (n_features, n_features), XᵀX of all rows, which may shape the noise
    release : GlmRelease
    """

    theta: np.ndarray
    factor: np.ndarray
    gram: np.ndarray
    release: GlmRelease

    @classmethod
    def of(cls, release: GlmRelease, X: np.ndarray, y: np.ndarray, gram: np.ndarray) -> RidgeLaw:
        """The law of a release fitted to these rows, by one linear solve."""
        hessian = X.T @ X + release.lam * np.eye(X.shape[1])
        return cls(np.linalg.solve(hessian, X.T @ y), np.linalg.cholesky(hessian), gram, release)

    @property
    def root(self) -> np.ndarray:
        """S, the square root of the covariance."""
        return self.release.spread(self, np.eye(self.theta.size))

    @property
    def precision(self) -> np.ndarray:
        """(SSᵀ)⁻¹."""
        inverse = np.linalg.inv(self.root)
        return inverse.T @ inverse

    def density(self) -> GaussianLaw:
        """The same law as something to draw from."""
        return GaussianLaw(self.theta, np.linalg.cholesky(self.precision))
