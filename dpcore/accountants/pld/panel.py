"""The grid for a short range of ε: fine enough for the width asked for, no finer than a transform can hold."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from dpcore.accountants.pld.convolve import LOG_TAIL, Tilted, loss_extent, window_of
from dpcore.accountants.pld.discretize import SPREAD, GridPair, discretize, log_moment_ratios
from dpcore.accountants.pld.grid import Density, aligned_step, lattice_index, node_index, offset_of
from dpcore.accountants.pld.loss_law import Laws, LossLaw, log_any
from dpcore.accountants.pld.outline import Stretch
from dpcore.accountants.pld.side import CertifiedSide, certified_side

_SHARE = 0.7  # of the width asked for that the grid may use up
_NEGLECT = 1e-3  # of the width asked for that cutting the tails may use up
_FLATTEST = 1e-3  # slopes below this ask for no finer grid
_COARSE = 8.0  # first grid tried, in steps of the one that smooth losses need
_PASSES = 8
_WORSE = 2.0  # a grid with this many times the best width: losses smaller than a step stood better on one node
_STUCK = 0.98  # a finer grid that expects this much of the coarser one's width is the last,
_MANY_NODES = 50_000  # where it has this many nodes
_CORRECTIONS = 3
_PROBES = 33
_FEW_NODES = 100
_STEEPEST = 300.0  # slope times ε, beyond three times −log δ, from which on δ breaks off and ε is what counts
_ORDINARY = -600.0  # log δ down to which ordinary floats hold every tail that matters
_AHEAD = 1e-4  # of the range, over which the slope of a curve is measured


class Panel:
    """Both curves of one plan; the grid is chosen first, each side is convolved when it is first asked for.

    Parameters
    ----------
    laws : the losses and how often each occurs
    stretch : range of ε and the tilt for it
    overlap : share of the range added on either side
    width : width of the bracket asked for
    max_points : longest transform
    """

    def __init__(self, laws: Laws, stretch: Stretch, overlap: float, width: float, max_points: int) -> None:
        self.step: float
        self.laws, self.stretch, self.width, self.max_points = laws, stretch, width, max_points
        margin = 2 * overlap * (stretch.high - stretch.low)
        self.low, self.high = stretch.low - margin, stretch.high + margin
        self.total = sum(count for _, count in laws)
        self._found: CertifiedSide | None = None
        self.steepest = (_STEEPEST - 3 * stretch.log_delta) / stretch.high
        self._choose([(epsilon, float(np.clip(slope, _FLATTEST, self.steepest))) for epsilon, slope in stretch.slopes])

    def _choose(self, slopes: list[tuple[float, float]]) -> None:
        """The grid, for how fast log δ falls at each ε of `slopes`."""
        self.slopes = slopes
        self.densities = [Density.of(law, self._span(law), slopes) for law, _ in self.laws]
        self.pairs, spread, stuck = self._refine()
        if self.stretch.lighter is not None and spread > _SHARE * self.width and not stuck:
            best = self.stretch, self.step, self.pairs
            self.stretch = self.stretch.lighter
            self.pairs, smaller, _ = self._refine()
            if smaller >= spread:
                self.stretch, self.step, self.pairs = best

    def _span(self, law: LossLaw) -> tuple[float, float]:
        """The losses that matter: below them lies less than the budget for cut tails."""
        x, _, log_mass = law.pilot
        inside = x <= max(self.stretch.cut, 0.0)
        x, log_mass, tilt = x[inside], log_mass[inside], self.stretch.tilt
        log_total = np.logaddexp.reduce(log_mass + tilt * x)
        below = np.logaddexp.accumulate(log_mass) + tilt * x
        near = np.flatnonzero(below <= log_total + np.log(_NEGLECT * self.width / self.total))
        low = x[near[-1]] if near.size else x[0]
        return min(float(low), 0.0), max(float(x[-1]), 0.0)

    def _refine(self) -> tuple[list[GridPair], float, bool]:
        """The grid for the tilt of the stretch, the relative width to expect of it, and whether finer grids no longer matter."""
        target = _SHARE * self.width
        order = max(slope * (1 + slope) for _, slope in self.slopes)
        step = _COARSE * np.sqrt(0.5 * target / (SPREAD * order * self.total))
        finest, best, previous = 0.0, np.inf, np.inf
        for _ in range(_PASSES):
            trial = max(step, finest)
            pairs = self._pairs(trial)
            spread = self._spread(pairs, self.slopes)
            worse = spread > _WORSE * best
            if not worse:
                self.step, found, expected = trial, pairs, spread
            best = min(best, spread)
            stuck = spread > _STUCK * previous and sum(pair.upper.index.size for pair in pairs) > _MANY_NODES
            if spread <= target or step <= finest or stuck or (worse and best <= self.width):
                break
            previous = spread
            finest = self._finest(pairs)
            step = trial * np.clip(np.sqrt(0.95 * target / spread), 1 / _COARSE, 0.8)
        return found, expected, stuck

    @property
    def _log_tail(self) -> float:
        return min(self.stretch.log_share + float(np.log(_NEGLECT * self.width)), LOG_TAIL)

    def _finest(self, pairs: list[GridPair]) -> float:
        """The smallest step with which the loss fits in the longest transform."""
        first, last = loss_extent(self._factors(pairs, "upper"), pairs[0].step, self._log_tail)
        return (last - first) * pairs[0].step / self.max_points

    def _factors(self, pairs: list[GridPair], side: str) -> list[Tilted]:
        return [
            Tilted.of(pair, getattr(pair, side), count, self.stretch.tilt)
            for pair, (_, count) in zip(pairs, self.laws, strict=True)
        ]

    def _pairs(self, step: float) -> list[GridPair]:
        roots = [density.cube_root_integral() for density in self.densities]
        budget = sum(count ** (1 / 3) * root for (_, count), root in zip(self.laws, roots, strict=True))
        largest = step * np.sqrt(self.total)
        scale = step * np.sqrt(self.total / budget)
        step = aligned_step(self.laws, step)
        precision = np.float64 if self.stretch.log_delta > _ORDINARY else np.longdouble
        pairs = []
        for (law, count), density in zip(self.laws, self.densities, strict=True):
            offset = offset_of(law, step)
            index = lattice_index(law, offset, step, *density.ends)
            if index is None:
                index = node_index(density, offset, step, scale * count ** (-1 / 3), largest)
            pairs.append(discretize(law, offset, step, index, self.stretch.tilt, precision))
        return pairs

    def _spread(self, pairs: list[GridPair], slopes: list[tuple[float, float]]) -> float:
        """log of the ratio of the two sides' composed moments, about the relative width: the largest over the slopes."""
        total = np.zeros(len(slopes))
        for pair, (_, count) in zip(pairs, self.laws, strict=True):
            total += count * log_moment_ratios(pair, slopes)
        return float(total.max())

    @cached_property
    def upper(self) -> CertifiedSide:
        """The upper side; where log δ falls faster than the outline said, on a grid fine enough for the measured width."""
        curve = self._curve("upper")
        for _ in range(_CORRECTIONS):
            slopes = self._measured(curve)
            if not slopes or (self._spread(self.pairs, slopes) <= self.width and not self._is_lumpy):
                break
            self._found = self._curve("lower")
            width = self._width(self._found, curve)
            finer = np.clip(np.sqrt(_SHARE * self.width / width), 1 / _COARSE, 0.8)
            step = max(min(self.step, self.pairs[0].step) * finer, self._finest(self.pairs))
            if width <= self.width or step > 0.95 * self.step:
                break
            self._found = None
            self.step, self.pairs = step, self._pairs(step)
            curve = self._curve("upper")
        return curve

    @property
    def _is_lumpy(self) -> bool:
        """Whether a law has few losses: the width then differs much from one ε to the next."""
        return min(pair.upper.index.size for pair in self.pairs) < _FEW_NODES

    def _width(self, lower: CertifiedSide, upper: CertifiedSide) -> float:
        """Relative width of δ between the two sides at some ε: the largest."""
        epsilon = np.linspace(self.stretch.low, self.stretch.high, _PROBES)
        log_low, log_high = lower.log_delta(epsilon), upper.log_delta(epsilon)
        return float(-np.expm1((log_low - log_high)[log_high > -np.inf].min(initial=0.0)))

    def _measured(self, curve: CertifiedSide) -> list[tuple[float, float]]:
        """(ε, −d log δ/dε) on the curve, at the left end and where the outline's slopes are, but not where δ breaks off."""
        epsilon = np.array([self.stretch.low, *(one for one, _ in self.slopes if one > self.stretch.low)])
        ahead = epsilon + np.maximum(2 * curve.step, _AHEAD * (self.stretch.high - self.stretch.low))
        fall = (curve.log_delta(epsilon) - curve.log_delta(ahead)) / (ahead - epsilon)
        smooth = (fall > _FLATTEST) & (fall < self.steepest)
        return list(zip(epsilon[smooth].tolist(), fall[smooth].tolist(), strict=True))

    @cached_property
    def lower(self) -> CertifiedSide:
        """The lower side, on the grid of the upper one."""
        _ = self.upper
        return self._found or self._curve("lower")

    def _curve(self, side: str) -> CertifiedSide:
        factors = self._factors(self.pairs, "upper")
        window = window_of(factors, self.pairs[0].step, 2 * self.max_points, self._log_tail)
        errors = [law.mechanism.evaluation_error for law, _ in self.laws]
        if not all(getattr(pair, side).index.size for pair in self.pairs):
            slack = sum(count * error for (_, count), error in zip(self.laws, errors, strict=True))
            return CertifiedSide.of_infinite(log_any((law.infinite, count) for law, count in self.laws), slack)
        factors = self._factors(self.pairs, side)
        return certified_side(
            self.pairs, factors, side, window, errors, self.stretch.tilt, (self.low, self.high), self.width
        )
