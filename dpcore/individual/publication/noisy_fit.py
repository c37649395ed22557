"""XᵀX and Xᵀy with Gaussian noise, and bounds that follow from them for all rows of the data at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy import special

from dpcore.data.domain import Domain
from dpcore.errors import ParameterError
from dpcore.individual.exposure import RecordBounds
from dpcore.individual.fit.refits import rows_per_chunk
from dpcore.individual.numbers import BESIDE

Summand = Callable[[np.ndarray, np.ndarray], np.ndarray]  # a sum over some rows X and y

# Step of the released numbers, in units of σ. Doubled, the allowance below holds for half as many rows.
_GRID = 2.0**-30
# Allowance for rounding rows to that grid, in units of σ. It is right up to n_samples·√(numbers released) = 10⁸;
# doubled, up to twice that.
_ROUNDED = 0.05
# s is this share of the largest one for which λI + s(Ĝ − τI) is positive definite. Doubled, that matrix is singular.
_SHARE = 0.5


class Passes(NamedTuple):
    """How to pass over all rows.

    n_features : number of columns of X; total : function that adds up a sum over all rows, in any pieces
    """

    n_features: int
    total: Callable[[Summand], np.ndarray]

    @classmethod
    def in_memory(cls, X: np.ndarray, y: np.ndarray) -> Passes:
        """All rows as one piece."""
        return cls(X.shape[1], lambda of: of(X, y))


@dataclass(frozen=True, eq=False)
class NoisyFit:
    r"""Ĝ = XᵀX + E and ĉ = Xᵀy + e, released with one Gaussian mechanism, and bounds that follow from them.

    One row adds (xxᵀ, (R/B)yx) to (XᵀX, (R/B)Xᵀy), which is at most √2R² in the Frobenius norm. With noise σ on each
    coordinate of an orthonormal basis, the entries of E are independent, of variance σ² on the diagonal and σ²/2 beside
    it. The mean of its largest eigenvalue is at most σ√(2d) (Gaussian comparison), and this eigenvalue is a Lipschitz
    function of the noise. So with probability 1 − β,

    .. math:: ‖E‖ \le τ = σ\left(\sqrt{2d} + \sqrt{2\log(3/β)}\right), \quad
              ‖e‖ \le κ = σ\tfrac BR\sqrt{χ^2_{d, 1−β/3}}

    Then, for H = XᵀX + λI over all rows and every public θ₀,

    .. math::
        H &⪰ λI + s(\hat G − τI), \; 0 \le s \le 1 \\
        |x^⊤(\hat θ − θ_0)| &\le ‖H^{-1}x‖ρ, \quad ρ = ‖\hat c − (\hat G + λI)θ_0‖ + τ‖θ_0‖ + κ

    Parameters
    ----------
    gram, moment : Ĝ (n_features, n_features) and ĉ (n_features,)
    sigma : noise σ of each coordinate of Ĝ
    lam : ridge penalty λ > 0
    row_norm, target_bound : R and B, which are public
    beta : probability, over the noise, that the bounds do not hold

    References: redberg-wang-2021.
    """

    gram: np.ndarray
    moment: np.ndarray
    sigma: float
    lam: float
    row_norm: float
    target_bound: float
    beta: float

    @classmethod
    def draw(
        cls, passes: Passes, domain: Domain, rng: np.random.Generator, *, sigma: float, lam: float, beta: float
    ) -> NoisyFit:
        """A release with noise `sigma`·√2R² on each coordinate, which makes it a Gaussian mechanism of that σ.

        Every row is rounded to a grid of 2⁻³⁰ of the noise, and rows are added up as whole numbers of this grid. The
        noise is rounded too. So the sums are exact, and no digit below the grid is released.

        Parameters
        ----------
        passes : passes over rows that are inside the domain
        domain : the public domain
        rng : random generator
        sigma : noise in units of the sensitivity
        lam, beta : see the class

        Raises
        ------
        ParameterError
            If the noise is too large for the grid.
        """
        features, row_norm, target_bound = passes.n_features, domain.row_norm, domain.target_bound
        first, second = np.triu_indices(features)
        weight = np.where(first == second, 1.0, np.sqrt(2.0))
        noise = sigma * _sensitivity(row_norm, sigma, first.size + features)
        step, scale = noise * _GRID, row_norm / target_bound
        total = passes.total(partial(_grid_moments, weight / step, scale / step))
        released = (total + np.rint(rng.standard_normal(total.size) / _GRID)) * step
        gram = np.zeros((features, features))
        gram[first, second] = released[: first.size] / weight
        gram = np.triu(gram) + np.triu(gram, 1).T
        return cls(gram, released[first.size :] / scale, noise, lam, row_norm, target_bound, beta)

    @cached_property
    def _known(self) -> _Known:
        values, vectors = np.linalg.eigh(self.gram)
        width = values.size
        tau = self.sigma * (np.sqrt(2 * width) + np.sqrt(2 * np.log(3 / self.beta)) + _ROUNDED)
        longest = np.sqrt(special.chdtri(width, self.beta / 3)) + _ROUNDED
        kappa = self.sigma * self.target_bound / self.row_norm * longest
        along = vectors.T @ self.moment
        centres = np.zeros(width), along / (np.maximum(values, 0.0) + self.lam)

        def radius(centre: np.ndarray) -> float:
            missed = along - (values + self.lam) * centre
            return float(np.linalg.norm(missed) + tau * np.linalg.norm(centre) + kappa)

        centre = min(centres, key=radius)
        lowest = values - tau
        return _Known(vectors, centre, radius(centre), lowest, self.lam + max(float(lowest[0]), 0.0))

    def bounds(self, X: np.ndarray, y: np.ndarray) -> RecordBounds:
        """Bounds for rows X (n_records, n_features), y (n_records,) of the data, each from that row alone."""
        known = self._known
        turned = X @ known.vectors
        square = np.square(turned)
        inside = square.sum(axis=1) / self.lam  # xᵀH⁻¹x
        smallest = float(known.lowest[0])  # s = share ≤ 1 keeps λI + s(Ĝ − τI) positive definite
        share = 1.0 if smallest >= 0 else min(1.0, _SHARE * self.lam / -smallest)
        inside = np.minimum(inside, square @ (1 / (self.lam + share * known.lowest)))
        return self._of(np.sqrt(square.sum(axis=1)), inside, np.abs(y - turned @ known.centre))

    def largest(self) -> RecordBounds:
        """Bounds for any record of the domain that is in the data; those from `bounds` are never larger."""
        known = self._known
        norm = np.array([self.row_norm * (1 + BESIDE)])
        fitted = norm * np.linalg.norm(known.centre)
        return self._of(norm, np.square(norm) / known.floor, self.target_bound * (1 + BESIDE) + fitted)

    def _of(self, norm: np.ndarray, inside: np.ndarray, residual: np.ndarray) -> RecordBounds:
        known, square = self._known, np.square(norm)
        inside = np.minimum(inside, square / (self.lam + square))  # H ⪰ λI + xxᵀ
        with np.errstate(divide="ignore", invalid="ignore"):
            leverage = np.fmin(square / self.lam, inside / (1 - inside))
        moved = np.sqrt(inside / known.floor)  # H⁻² ⪯ H⁻¹/λmin(H)
        pull = np.minimum((1 + leverage) * moved, np.sqrt(leverage / self.lam))
        return RecordBounds(norm, leverage, residual + known.radius * moved, pull)


@dataclass(frozen=True, eq=False)
class _Known:
    """What is known from the release.

    vectors : eigenvectors of Ĝ; centre : θ₀ in their coordinates; radius : ρ; lowest : eigenvalues of Ĝ − τI;
    floor : lower bound of λmin(H)
    """

    vectors: np.ndarray
    centre: np.ndarray
    radius: float
    lowest: np.ndarray
    floor: float


def _grid_moments(weight: np.ndarray, scale: float, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The upper triangle of XᵀX, then Xᵀy, in whole numbers of a step.

    Each row is rounded before it is added, so that the sums do not depend on the order of the rows.

    Parameters
    ----------
    weight : weight of each entry of the triangle, over the step
    scale : weight of Xᵀy, over the step
    X, y : some rows
    """
    first, second = np.triu_indices(X.shape[1])
    total = np.zeros(first.size + X.shape[1])
    chunk = rows_per_chunk(total.size)
    for start in range(0, len(X), chunk):
        x, target = X[start : start + chunk], y[start : start + chunk, None]
        total[: first.size] += np.rint(x[:, first] * x[:, second] * weight).sum(axis=0)
        total[first.size :] += np.rint(x * (target * scale)).sum(axis=0)
    return total


def _sensitivity(row_norm: float, sigma: float, coordinates: int) -> float:
    """√2R², enlarged by what rounding a row to the grid of this noise may add."""
    rounded = sigma * np.sqrt(coordinates) * _GRID / 2
    if rounded > 0.5:
        raise ParameterError(f"the noise, {sigma:g} times what one row changes, is too large to be drawn: spend more")
    return float(np.sqrt(2.0) * row_norm**2 * (1 + BESIDE) / (1 - rounded))
