"""Upper bounds of ε of a row that depend on the row itself and on public numbers, but on no other row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from dpcore.data.domain import Domain
from dpcore.individual.exposure import RecordBounds, analysis_of
from dpcore.individual.numbers import BESIDE
from dpcore.individual.publication.noisy_fit import NoisyFit
from dpcore.mechanisms.releases import GlmRelease
from dpcore.profiles import PrivacyProfile

# Lengths of rows are rounded up to multiples of the largest length divided by this. Doubled, bounds are closer by 3 %
# and take twice as long.
_LEVELS = 32
# Decades below the largest bound down to which bounds are told apart. Doubled, bins are twice as wide.
DECADES = 3.0
# Bounds are rounded up to these multiples of the largest bound. With twice as many, they are closer by 4 %.
_GRID = np.logspace(-DECADES, 0.0, int(DECADES * _LEVELS))


@dataclass(frozen=True, eq=False)
class BoundByFit:
    """For linear regression: the largest ε of a row of the data that is possible, given the noisy fit.

    Parameters
    ----------
    mechanism : the release
    log_delta : log δ
    fit : XᵀX and Xᵀy with noise
    cap : ε of the worst case over all data sets, if it may be stated; else inf
    """

    mechanism: GlmRelease
    log_delta: float
    fit: NoisyFit
    cap: float = np.inf

    said: ClassVar[str] = "the largest that noisy sums over the rows leave possible"

    @property
    def largest(self) -> float:
        return float(self._of(self.fit.largest())[0])

    def epsilon(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self._of(self.fit.bounds(X, y))

    def _of(self, bounds: RecordBounds) -> np.ndarray:
        found = analysis_of(self.mechanism).largest_epsilon(self.mechanism, bounds, self.log_delta)
        return np.minimum(found, self.cap)


@dataclass(frozen=True, eq=False)
class BoundByLength:
    """For any other model: ε of the worst case, over all data sets, of a record as long as the row, up to rounding.

    No smaller bound depends on the row alone. The other rows may push the fit far to the wrong side of the row, and be
    far from their own kinks. Then f' = ±L at the row, and their Hessian along it is λI. So the estimate moves by L/λ,
    and the shift is that of the worst case of output perturbation or posterior sampling, whatever the row's target. For
    objective perturbation, the same data give a shift of L/σ; the bound adds the effect that the curvature of some loss
    with these constants would have.

    That the other rows are not like this can be said only after a noisy release of their Hessian, around a fit that is
    released with noise too. In linear regression, f'' = 1 wherever the fit is, so noisy sums suffice (`BoundByFit`).
    For other models, the noise of a fit, of sensitivity L/λ, leaves f'' open unless λ is large, so no such release is
    drawn.

    Parameters
    ----------
    mechanism : the release
    log_delta : log δ
    domain : the public domain
    """

    mechanism: GlmRelease
    log_delta: float
    domain: Domain

    said: ClassVar[str] = "the worst case over all data sets of a row of its length"

    @cached_property
    def largest(self) -> float:
        return float(self._worst(_LEVELS).epsilon(log_delta=self.log_delta))

    def epsilon(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        share = np.linalg.norm(X, axis=1) / self.domain.row_norm
        levels, back = np.unique(np.ceil(_LEVELS * share * (1 - BESIDE)), return_inverse=True)
        for level in set(levels.astype(int).tolist()) - set(self._found):
            self._found[level] = self._at(level)
        return np.array([self._found[int(level)] for level in levels])[back]

    @cached_property
    def _found(self) -> dict[int, float]:
        return {0: 0.0}

    def _at(self, level: int) -> float:
        grid = self.largest * _GRID
        reached = np.asarray(self._worst(level).log_delta(grid)) <= self.log_delta
        return float(grid[np.argmax(reached)]) if reached.any() else self.largest

    def _worst(self, level: int) -> PrivacyProfile:
        return self.mechanism.worst_of_record(
            replace(self.domain, row_norm=self.domain.row_norm * level / _LEVELS, ranges=None)
        )


# `epsilon` is ε̄(x, y) ≥ ε of every row (x, y) of the data; `largest` is its largest value over the domain, and
# `said` are words for what it rests on.
RowBound = BoundByFit | BoundByLength
