"""The grid for a short range of ε: fine enough for the width asked for, no finer than a transform can hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpcore.accountants.pld.convolve import LOG_TAIL, Product, Tilted
from dpcore.accountants.pld.discretize import SPREAD, WIDEST, GridLaw, GridPair, discretize, log_moment_ratios
from dpcore.accountants.pld.grid import Density, aligned_step, lattice_index, node_index, offset_of
from dpcore.accountants.pld.loss_law import Laws, LossLaw, log_any
from dpcore.accountants.pld.outline import Stretch
from dpcore.accountants.pld.side import Between, CertifiedSide, certified_sides

_SHARE = 0.7  # of the width asked for that the grid may use up
_NEGLECT = 1e-3  # of the width asked for that cutting the tails may use up
_FLATTEST = 1e-3  # slopes below this ask for no finer grid
_WIDER = 1 / 32  # of the distance to 0: noise in cells so wide does not come back to where the tilted loss lies
_COARSE = 1.3  # first grid tried, in steps of the one that smooth losses need
_ENOUGH = 0.9  # of the width asked for, with which a grid is not made finer
_PASSES = 8
_FINEST = 2.0**-30  # of the range of one loss: no grid is finer, however short the range of ε
_FITS = 0.99  # of the smallest step that fits in a transform, below which it is taken instead
_CORRECTIONS = 4
_FINER = 64.0  # largest factor between the steps of a grid and of the next, measured
_PROBES, _MOST_PROBES = 33, 8192
_FEW_NODES = 100
_STEEPEST = 300.0  # slope times ε, beyond three times −log δ, from which on δ breaks off and ε is what counts
_ROUNDED = 1e-9  # relative, of the widths of cells
_ORDINARY = -600.0  # log δ down to which ordinary floats hold every tail that matters
_AHEAD = 1e-4  # of the range, over which the slope of a curve is measured


@dataclass(frozen=True)
class Trial:
    """The laws of all mechanisms on one grid, tilted by `tilt`."""

    laws: Laws
    pairs: list[GridPair]
    tilt: float
    step: float
    log_tail: float

    @cached_property
    def upper(self) -> Product:
        """The laws that dominate the mechanisms."""
        return self._product([pair.upper for pair in self.pairs])

    @cached_property
    def wider(self) -> Product:
        """These with noise."""
        return self._product([pair.wider for pair in self.pairs])

    def _product(self, laws: list[GridLaw]) -> Product:
        parts = zip(self.pairs, laws, self.laws, strict=True)
        return Product([Tilted.of(pair, law, count, self.tilt) for pair, law, (_, count) in parts], self.pairs[0].step)

    @cached_property
    def length(self) -> float:
        """What the composed tilted loss extends over."""
        first, last = self.wider.extent(self.log_tail)
        return (last - first) * self.wider.step

    def spread(self, slopes: list[tuple[float, float]]) -> float:
        """log of the ratio of the two sides' composed moments, about the relative width: the largest over the slopes."""
        counted = zip(self.pairs, self.laws, strict=True)
        return float(np.sum([count * log_moment_ratios(pair, slopes) for pair, (_, count) in counted], axis=0).max())

    @property
    def is_lumpy(self) -> bool:
        """Whether a law has few losses: the width then differs much from one ε to the next."""
        return min(pair.upper.index.size for pair in self.pairs) < _FEW_NODES


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
        self.laws, self.stretch, self.width, self.max_points = laws, stretch, width, max_points
        margin = 2 * overlap * (stretch.high - stretch.low)
        self.low, self.high = stretch.low - margin, stretch.high + margin
        self.total = sum(count for _, count in laws)
        self._found: Between | None = None
        self.steepest = (_STEEPEST - 3 * stretch.log_delta) / stretch.high
        self._choose([(epsilon, float(np.clip(slope, _FLATTEST, self.steepest))) for epsilon, slope in stretch.slopes])

    def _choose(self, slopes: list[tuple[float, float]]) -> None:
        """The grid, for how fast log δ falls at each ε of `slopes`."""
        self.slopes = slopes
        self.densities = [Density.of(law, self._span(law), slopes) for law, _ in self.laws]
        self.trial, spread = self._refine()
        if self.stretch.lighter is not None and spread > _ENOUGH * self.width:
            best = self.stretch, self.trial
            self.stretch = self.stretch.lighter
            self.trial, smaller = self._refine()
            if smaller >= spread:
                self.stretch, self.trial = best

    def _span(self, law: LossLaw) -> tuple[float, float]:
        """The losses that matter: below them lies less than the budget for cut tails."""
        x, _, log_mass = law.pilot
        high = x[np.searchsorted(x, max(self.stretch.cut, 0.0), side="right") - 1]
        rare = np.flatnonzero(np.logaddexp.accumulate(log_mass) <= np.log(_NEGLECT * self.width / self.total))
        low, high = x[rare[-1] if rare.size else 0], min(high, x[np.flatnonzero(log_mass > -np.inf)[-1]])
        return min(float(low), 0.0), max(float(high), 0.0)

    def _refine(self) -> tuple[Trial, float]:
        """The grid for the tilt of the stretch, and the relative width to expect of it."""
        target = _SHARE * self.width
        order = max(slope * (1 + slope) for _, slope in self.slopes)
        step = _COARSE * np.sqrt(0.5 * target / (SPREAD * order * self.total))
        step = max(step, _FINEST * max(float(np.ptp(density.x)) for density in self.densities))
        for attempt in range(_PASSES):
            trial = self._trial(step)
            finest = trial.length / self.max_points
            if attempt == 0 and step < _FITS * finest:
                step = finest
                continue
            spread = trial.spread(self.slopes)
            if spread <= _ENOUGH * self.width or step <= finest:
                break
            step = max(step * np.clip(np.sqrt(0.95 * target / spread), 1 / _FINER, 0.8), finest)
        return trial, spread

    @property
    def _log_tail(self) -> float:
        return min(self.stretch.log_share + float(np.log(_NEGLECT * self.width)), LOG_TAIL)

    def _trial(self, asked: float) -> Trial:
        roots = [density.cube_root_integral() for density in self.densities]
        budget = sum(count ** (1 / 3) * root for (_, count), root in zip(self.laws, roots, strict=True))
        largest = asked * np.sqrt(self.total)
        scale = asked * np.sqrt(self.total / budget)
        widest = WIDEST / np.sqrt(self.total)
        step = aligned_step(self.laws, min(asked, widest))
        precision = np.float64 if self.stretch.log_delta > _ORDINARY else np.longdouble
        pairs = []
        for (law, count), density in zip(self.laws, self.densities, strict=True):
            offset = offset_of(law, step)
            index = lattice_index(law, offset, step, *density.ends)
            if index is None:
                narrow = 1 / (1 + self.stretch.tilt) + _WIDER * np.maximum(-density.x, 0.0)
                narrow = np.minimum(narrow, widest)
                index = node_index(density, law, offset, step, scale * count ** (-1 / 3), largest, narrow)
            pairs.append(discretize(law, offset, step, index, precision))
        return Trial(self.laws, pairs, self.stretch.tilt, asked, self._log_tail)

    @cached_property
    def upper(self) -> CertifiedSide:
        """The upper side; where log δ falls faster than the outline said, on a grid fine enough for the measured width."""
        curve, tried = self._above(), []
        for _ in range(_CORRECTIONS):
            slopes = self._measured(curve)
            if not slopes or (self.trial.spread(slopes) <= self.width and not self.trial.is_lumpy):
                break
            self._found = self._below()
            tried.append((np.log(self.trial.step), np.log(self._width(self._found, curve) / self.width)))
            order = (
                np.clip((tried[-1][1] - tried[-2][1]) / (tried[-1][0] - tried[-2][0]), 0.7, 2.0) if tried[1:] else 2.0
            )
            finer = np.clip(np.exp((np.log(_SHARE) - tried[-1][1]) / order), 1 / _FINER, 0.8)
            step = max(min(self.trial.step, self.trial.upper.step) * finer, self.trial.length / self.max_points)
            if tried[-1][1] <= 0 or step > 0.95 * self.trial.step:
                break
            self._found = None
            self.trial = self._trial(step)
            curve = self._above()
        return curve

    def _width(self, lower: Between, upper: CertifiedSide) -> float:
        """Relative width of δ between the two sides at some ε: the largest."""
        length = self.stretch.high - self.stretch.low
        epsilon = np.linspace(
            self.stretch.low, self.stretch.high, int(np.clip(length / upper.step, _PROBES, _MOST_PROBES))
        )
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
    def lower(self) -> Between:
        """The lower side, on the grid of the upper one."""
        _ = self.upper
        return self._found or self._below()

    def _below(self) -> Between:
        """The lower side on the grid of the last upper one."""
        infinite = log_any((law.infinite, count) for law, count in self.laws)
        square = sum(count * pair.widest**2 for pair, (_, count) in zip(self.trial.pairs, self.laws, strict=True))
        if square > WIDEST**2 * (1 + _ROUNDED):
            return Between(None, None, infinite)
        if all(pair.wider is pair.upper for pair in self.trial.pairs):
            return Between(self._plain, None, infinite)
        return Between(self._plain, replace(self._sides("wider")[1], log_infinite=-np.inf), infinite)

    def _above(self) -> CertifiedSide:
        """The upper side on the present grid."""
        self._plain, above = self._sides("upper")
        return above

    def _sides(self, of: str) -> tuple[CertifiedSide, CertifiedSide]:
        window = self.trial.wider.window(2 * self.max_points, self._log_tail)
        errors = [law.mechanism.evaluation_error for law, _ in self.laws]
        return certified_sides(
            self.trial.pairs,
            getattr(self.trial, of),
            of,
            window,
            errors,
            self.stretch.tilt,
            (self.low, self.high),
            self.width,
        )
