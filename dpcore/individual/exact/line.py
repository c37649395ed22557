"""The line of one record: how far each strength of the noise along x moves the margin, the other rows as they are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.polynomial import chebyshev

from dpcore.glm import Problem
from dpcore.glm.batch import solve_batch
from dpcore.individual.exact.straight import StraightLines

_SHORTER = 0.5, 0.65, 0.8  # of a series
_INVERSIONS = 25
_STEEPEST = 1e-12  # share of the average fall below which no point of a line falls


@dataclass(frozen=True, eq=False)
class MarginSeries:
    r"""Margins along lines as Chebyshev series in T, one line a row.

    .. math:: m(T; b_⊥) = x^⊤\arg\min_θ \left(J_−(θ) + b_⊥^⊤θ + σT\frac{x^⊤θ}{‖x‖}\right), \qquad T_\text{low} ≤ T ≤ T_\text{high}

    θ is also the minimiser of J₋ + b⊥ᵀθ among all θ of the margin m, and σT/‖x‖ its multiplier. J₋, the objective of the other
    rows, does not know the record: m(T) falls strictly and has none of the kinks of the record's own loss, only those of the
    others', which are small where the others are many.

    Parameters
    ----------
    coefficients : (n_lines, n_nodes)
    low, high : ends of T
    """

    coefficients: np.ndarray
    low: float
    high: float

    @classmethod
    def of(
        cls, rest: Problem, x: np.ndarray, shifts: np.ndarray, sigma: float, low: float, high: float, tol: float,
        nodes: int,
    ) -> MarginSeries:  # fmt: skip
        """The lines of a record x through shifts b⊥ (n_lines, n_features), solved at Chebyshev points, all together.

        Parameters
        ----------
        rest : the objective of the other rows
        x : the record (n_features,), not 0
        shifts : b⊥ of each line
        sigma : noise σ
        low, high : ends of T
        tol : gradient norm of every solution, in units of σ
        nodes : of each line
        """
        points = chebyshev.chebpts1(nodes)
        T = 0.5 * (low + high) + 0.5 * (high - low) * points
        along = (sigma / np.linalg.norm(x) * T)[:, None] * x
        linear = (shifts[:, None, :] + along).reshape(-1, x.size)
        margins = solve_batch(rest, linear, tol * sigma).theta @ x
        values = margins.reshape(len(shifts), nodes)
        return cls(values @ np.linalg.inv(chebyshev.chebvander(points, nodes - 1)).T, low, high)

    def joined(self, other: MarginSeries) -> MarginSeries:
        """The lines of both."""
        return MarginSeries(np.concatenate([self.coefficients, other.coefficients]), self.low, self.high)

    def shorter(self) -> list[MarginSeries]:
        """The first parts of the series: what the differences change is an error bar, whose size holds where kinks let the
        coefficients fall with the square of their number only; several, as one may agree with the whole by chance."""
        counts = [int(share * self.coefficients.shape[1]) for share in _SHORTER]
        return [MarginSeries(self.coefficients[:, :count], self.low, self.high) for count in counts]


@dataclass(frozen=True, eq=False)
class CurvedLines(StraightLines):
    """Lines whose margins are series: beyond the ends of T straight. `centre` and `fall` are only where to begin."""

    series: MarginSeries = field(kw_only=True)

    def margin(self, T: np.ndarray, line: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """m and −dm/dT > 0, by Clenshaw's recurrence for the series and its derivative together."""
        s = self.series
        half = 0.5 * (s.high - s.low)
        inside = np.clip(T, s.low, s.high)
        at = (inside - 0.5 * (s.high + s.low)) / half
        ahead = after = slope_ahead = slope_after = np.zeros(np.broadcast(T, line).shape)
        for column in s.coefficients.T[:0:-1]:
            slope_ahead, slope_after = 2 * ahead + 2 * at * slope_ahead - slope_after, slope_ahead
            ahead, after = column[line] + 2 * at * ahead - after, ahead
        m = s.coefficients[:, 0][line] + at * ahead - after
        fall = -(ahead + at * slope_ahead - slope_after) / half
        fall = np.maximum(fall, _STEEPEST * self.fall[line])
        return m - fall * (T - inside), fall

    def inverse(self, m: np.ndarray) -> np.ndarray:
        """T (n_lines, k) where the margins are m (n_lines, k): Newton steps that stay within twice the ends."""
        line = np.arange(self.centre.size)[:, None]
        reach = 2 * max(abs(self.series.low), abs(self.series.high))
        T = np.clip((self.centre[:, None] - m) / self.fall[:, None], -reach, reach)
        for _ in range(_INVERSIONS):
            value, fall = self.margin(T, line)
            T = np.clip(T + (value - m) / fall, -reach, reach)
        return T
