"""A Gaussian law given by its centre and the Cholesky factor of its precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg


@dataclass(frozen=True, eq=False)
class GaussianLaw:
    """N(centre, (F Fᵀ)⁻¹).

    Parameters
    ----------
    centre : array (d,)
    factor : array (d, d), lower Cholesky factor F of the precision
    """

    centre: np.ndarray
    factor: np.ndarray

    def log_density(self, outputs: np.ndarray) -> np.ndarray:
        """Up to (d/2) log 2π; outputs of shape (count, d)."""
        scaled = (outputs - self.centre) @ self.factor
        return float(np.log(np.diag(self.factor)).sum()) - 0.5 * np.square(scaled).sum(axis=1)

    def sample(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of shape (count, d)."""
        noise = rng.standard_normal((len(self.centre), count))
        return self.centre + linalg.solve_triangular(self.factor, noise, lower=True, trans="T").T
