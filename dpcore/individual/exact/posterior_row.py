"""ε of single rows under a posterior sample without an expansion, with an error bar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcore.data.dataset import Dataset
from dpcore.errors import UnsupportedError
from dpcore.individual.exact.by_margin import FADED
from dpcore.individual.exact.hyperplanes import Hyperplanes
from dpcore.individual.exact.margin_laws import MarginLaws
from dpcore.individual.exact.scrambled import SCRAMBLINGS, bar_of
from dpcore.individual.fit.glm import GlmFit, problem_of
from dpcore.mechanisms.posterior_sampling import PosteriorSampling

# Number of hyperplanes at first; it is doubled, but for one, until interpolation is accurate enough or there are as
# many as the second number. With the second doubled, rows that are refused would take twice as long.
_PLANES = (13, 97)
# Factor on the measured error of interpolation. Doubled, this part of the error bar is twice as wide.
_SAFETY = 1.5
# Logarithm to base 2 of the number of points of a scrambling: fewest and most. With the second doubled, rows that are
# refused would take 2 000 times as long.
_LOG_POINTS = (4, 11)
# Effective sample size below which an ε is not believed. Doubled, more points are drawn, or more rows are refused.
_FEWEST_EFFECTIVE = 50.0
# How many nats below δ the mass beyond the window must be. Doubled, windows are widened more often.
_CLEAR = 8.0
# Largest factor by which a window is widened. Doubled, windows may become wider than necessary.
_WIDEST = 8.0
# Share of the window over which the slope at its end is measured. Doubled, the slope is less local.
_RIM = 0.01


@dataclass(frozen=True)
class Known:
    """What is known about a row.

    Parameters
    ----------
    epsilon : ε, nats
    drawn, interpolated, beyond : what its error bar consists of: draws, interpolation, and mass beyond the window
    effective : effective sample size behind it, the smallest over the hyperplanes
    share : the same as a share of the points drawn; nan if none were drawn
    """

    epsilon: float
    drawn: float
    interpolated: float
    beyond: float
    effective: float
    share: float

    @property
    def error(self) -> float:
        """Half the width of the error bar of ε, nats."""
        return self.drawn + self.interpolated + self.beyond


class PosteriorRow:
    r"""One row against the other rows: the density of its margin is q without it and ∝ q·e^{−γf} with it.

    q is the product of a normal density and e^{B(z)}. The polynomial B is interpolated from log q on hyperplanes at
    Chebyshev nodes.

    Parameters
    ----------
    mechanism : the release
    dataset, fit : all rows, and their fit
    row : position of the row
    log_delta : log δ
    """

    def __init__(self, mechanism: PosteriorSampling, dataset: Dataset, fit: GlmFit, row: int, log_delta: float) -> None:
        self.mechanism, self.row, self.log_delta = mechanism, row, log_delta
        X, y = (np.delete(values, row, axis=0) for values in (dataset.X, dataset.y))
        self.x, self.y = dataset.X[row], float(dataset.y[row])
        self.rest = GlmFit.of_others(X, y, mechanism, fit.theta)
        self.problem = problem_of(mechanism, X, y)
        self.records = self.rest.added(self.x[None], np.array([self.y]))
        self.scale = np.sqrt(self.records.leverage / mechanism.gamma)
        self.widening = 1.0

    def laws(self, correction: np.ndarray, low: float, high: float) -> MarginLaws:
        """The margin's laws under each of several corrections (n_laws, k) of the normal density."""
        one, none = np.ones(len(correction)), np.zeros(len(correction))
        record = self.records
        return MarginLaws(
            self.rest.loss, self.mechanism.gamma, record.margin * one, self.scale * one, record.y * one,
            record.limit * one, correction, low * one, high * one, none,
        )  # fmt: skip

    def window(self) -> tuple[float, float]:
        """The interval on which the densities matter, in standard deviations of the normal law."""
        peak = float(self.laws(np.zeros((1, 1)), -np.inf, np.inf).peak[0])
        reach = self.widening * np.sqrt(2 * (FADED - self.log_delta))
        return min(peak, 0.0) - reach, max(peak, 0.0) + reach

    def known(self, tolerance: float) -> Known:
        """ε with an error bar within the tolerance.

        Raises
        ------
        UnsupportedError
            If the posterior is too far from normal for this accuracy.
        """
        try:
            with np.errstate(all="ignore"):
                found = self._refined(tolerance)
        except np.linalg.LinAlgError as error:
            raise UnsupportedError(
                f"row {self.row}: the posterior is too far from a normal law for an ε: where it matters, some curvatures are "
                "lost beside others in the arithmetic; choose a larger lam"
            ) from error
        if found.effective < _FEWEST_EFFECTIVE or not found.error <= tolerance:
            raise UnsupportedError(
                f"row {self.row}: the posterior is too far from a normal law for an ε to ± {tolerance:g} (found "
                f"{found.epsilon:.4g} ± {found.error:.2g}, effective sample size {found.effective:.0f}): ask for a larger "
                "tolerance, or choose a larger lam"
            )
        return found

    def _refined(self, tolerance: float) -> Known:
        """ε, after the window has been widened, then planes added, then points, as long as each limits the accuracy."""
        planes, log_points = _PLANES[0], _LOG_POINTS[0]
        while True:
            found = self._try(planes, log_points)
            if found.beyond > tolerance / 4 and self.widening < _WIDEST:
                self.widening *= np.sqrt(2)
            elif found.interpolated > tolerance / 2 and planes < _PLANES[1]:
                planes = 2 * planes - 1
            elif (found.drawn > tolerance / 2 or found.effective < _FEWEST_EFFECTIVE) and log_points < _LOG_POINTS[1]:
                log_points += 1
            else:
                return found

    def _try(self, planes: int, log_points: int) -> Known:
        """ε as known, and the parts of its error due to drawing, to interpolation, and to mass beyond the window."""
        low, high = self.window()
        z = np.polynomial.chebyshev.chebpts1(planes)
        places = (low + high) / 2 + (high - low) / 2 * z
        direction = np.linalg.solve(self.rest.factor @ self.rest.factor.T, self.x) / self.records.leverage
        cut = Hyperplanes(
            self.problem, self.mechanism.gamma, self.x, self.rest.theta, direction,
            float(self.records.margin[0]) + float(self.scale[0]) * places,
        )  # fmt: skip
        log_q, effective = cut.log_densities(SCRAMBLINGS, log_points, self.row)
        together = special.logsumexp(log_q, axis=0) - np.log(SCRAMBLINGS)
        bent = np.vstack([together, log_q]) + 0.5 * places**2
        bent -= bent.mean(axis=1, keepdims=True)
        correction = np.polynomial.chebyshev.chebfit(z, bent.T, planes - 1).T
        order = np.arange(planes)
        shorter = [correction[0] * (order != one) for one in order[planes // 2 :]]
        laws = self.laws(np.vstack([correction, *shorter]), low, high)
        epsilon = laws.epsilon(self.log_delta)
        beyond = self._beyond(laws.take(np.arange(1)), low, high, float(epsilon[0]))
        drawn = bar_of(epsilon[1 : SCRAMBLINGS + 1])
        # Each coefficient is dropped alone: together, opposite effects would cancel.
        moved = np.abs(epsilon[SCRAMBLINGS + 1 :] - epsilon[0])
        interpolated = _SAFETY * float(moved.sum())
        fewest = float(effective.min())
        share = fewest / (2 * SCRAMBLINGS * 2**log_points) if np.isfinite(fewest) else np.nan
        return Known(float(epsilon[0]), drawn, interpolated, beyond, fewest, share)

    def _beyond(self, law: MarginLaws, low: float, high: float, epsilon: float) -> float:
        """How much the mass beyond the window can change ε.

        Beyond an end, a log-concave density has at most the mass height/slope, the slope being that of its logarithm.
        """
        ends, rows = np.array([[low, high]]), np.zeros(1, dtype=np.intp)
        inside = low + (high - low) * np.array([[_RIM, 1 - _RIM]])
        log_mass = []
        for extra, share in ((0.0, 0.0), (1.0, law.log_share[:, None])):
            outer, inner = (law.log_normal(rows, z) - extra * law.potential(rows, z) for z in (ends, inside))
            slope = (inner - outer) / (_RIM * (high - low))
            log_mass.append(np.where(slope > 0, outer - np.log(slope), np.inf) - law.log_mass[:, None] - share)
        log_share = float(special.logsumexp(log_mass, axis=2).max()) - self.log_delta
        if not log_share <= -_CLEAR:
            return np.inf
        return float(epsilon - law.epsilon(self.log_delta + np.exp(log_share))[0])
