"""Upper bounds of the ε of a row that depend on the row itself and on public numbers, on no other row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpcore.data.domain import Domain
from dpcore.individual.exposure import RecordBounds, analysis_of
from dpcore.individual.publication.noisy_fit import ROUND_OFF, NoisyFit
from dpcore.mechanisms.releases import GlmRelease
from dpcore.profiles import PrivacyProfile

# Lengths of rows are rounded up to so many parts of the longest; doubled, bounds are closer by 3 % and take twice as long.
_LEVELS = 32
# Values are rounded up to these multiples of the largest; with twice as many they are closer by 4 %.
_GRID = np.logspace(-3.0, 0.0, 93)


@dataclass(frozen=True, eq=False)
class BoundByFit:
    """Linear regression: the largest ε that the noisy fit leaves possible for a row of the data.

    Parameters
    ----------
    mechanism : the release
    log_delta : log δ
    fit : XᵀX and Xᵀy with noise
    cap : the worst case over all data sets, where one may be stated; else inf
    """

    mechanism: GlmRelease
    log_delta: float
    fit: NoisyFit
    cap: float = np.inf

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
    """Any other model: the worst case over all data sets of a record as long as the row, up to rounding.

    Nothing smaller depends on the row alone. Where the other rows push the fit far to the wrong side of the row and are far
    from their own kinks, f' = ±L at the row and their Hessian is λI along it: the estimate moves by L/λ, and the release by
    the shift of the worst case of output perturbation or posterior sampling, whatever the row's target. Of objective
    perturbation the same data give shift L/σ; the bound adds what the curvature of some loss with these constants would.
    That other rows are not like this can be said after a release of their Hessian with noise only, around a fit released
    with noise too. In linear regression f'' = 1 wherever the fit is, so that noisy sums suffice (`BoundByFit`); elsewhere
    the noise of a fit, of sensitivity L/λ, leaves f'' open unless λ is large, and no such release is drawn.

    Parameters
    ----------
    mechanism : the release
    log_delta : log δ
    domain : public
    """

    mechanism: GlmRelease
    log_delta: float
    domain: Domain

    @cached_property
    def largest(self) -> float:
        return float(self._worst(_LEVELS).epsilon(log_delta=self.log_delta))

    def epsilon(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        share = np.linalg.norm(X, axis=1) / self.domain.row_norm
        levels, back = np.unique(np.ceil(_LEVELS * share * (1 - ROUND_OFF)), return_inverse=True)
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


RowBound = (
    BoundByFit | BoundByLength
)  # ε̄(x, y) ≥ ε of every row (x, y) of the data, and the largest value over the domain
