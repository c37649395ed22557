"""The curves over a short range of ε: on a grid fine enough for the width asked for, no finer than a transform can hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore.accountants.pld.convolve import ComposedDelta, Product, composed
from dpcore.accountants.pld.discretize import SPREAD, WIDEST, GridPair, discretize
from dpcore.accountants.pld.grid import Density, aligned_step, lattice_index, node_index, offset_of
from dpcore.accountants.pld.loss_law import Laws, LossLaw, log_any
from dpcore.accountants.pld.outline import Stretch

# Share of the width asked for that a grid is chosen for. Doubled, most grids are too coarse at first.
_SHARE = 0.7
# Share of the width that cutting tails may use up. Doubled, transforms are a percent shorter.
_NEGLECT = 1e-3
# Share of the width that round-off may use up before extended precision is tried. Doubled, it is tried less often.
_NOISE = 0.05
# log of the tilted mass outside the window, at most. Doubled, transforms are a third longer.
_LOG_TAIL = -20.0
# Slope of log δ times ε, beyond three times −log δ, at which δ breaks off and ε is what counts. Doubled, caps take finer grids.
_STEEPEST = 300.0
# Part of the distance to 0 that a cell left of it may be wide. Doubled, noise there reaches the losses that decide.
_WIDER = 1 / 32
# log δ below which masses are extended floats. Doubled, ordinary ones are used where they lose small tails.
_ORDINARY = -600.0
# Grids tried. Doubled, brackets that no grid narrows take twice as long.
_TRIALS = 5
# Largest ratio of the steps of two grids in turn. Doubled, a wrong guess of how the width falls costs more.
_FINER = 64.0
# Power of the step with which the width falls, below which so long a transform is the last. Doubled, it comes sooner.
_STUCK, _MANY = 0.3, 2**18
# Least and most values of ε at which the width is measured. Doubled, a narrow peak of it is missed less often.
_PROBES, _MOST_PROBES = 33, 8192


@dataclass(frozen=True)
class Trial:
    """The laws of all mechanisms on one grid, and the curves that come of them."""

    laws: Laws
    pairs: list[GridPair]
    asked: float
    tilt: float
    error: float
    log_tail: float
    largest: int
    span: tuple[float, float]
    allowed: dict[float, float]

    def _product(self, of: str) -> Product:
        counted = zip(self.pairs, self.laws, strict=True)
        return Product.of([(getattr(pair, of), count) for pair, (_, count) in counted], self.tilt)

    @cached_property
    def wider(self) -> Product:
        """The laws with noise, which reach furthest."""
        return self._product("wider")

    @property
    def length(self) -> float:
        """What the composed tilted loss extends over."""
        first, last = self.wider.extent(self.log_tail)
        return (last - first) * self.wider.step

    @property
    def step(self) -> float:
        """Distance between nodes."""
        return self.wider.step

    def _curve(self, product: Product) -> ComposedDelta:
        return composed(product, self.wider.window(self.largest, self.log_tail), self.span, self.error, self.allowed)

    @cached_property
    def plain(self) -> ComposedDelta:
        """H_U."""
        return self._curve(self._product("upper"))

    @cached_property
    def noisy(self) -> ComposedDelta | None:
        """H_W; None where no law has noise."""
        return None if all(pair.wider is pair.upper for pair in self.pairs) else self._curve(self.wider)

    @cached_property
    def _log_infinite(self) -> tuple[float, float]:
        """log P[ω = ∞] of the composition from below, and from above with what the grids have cut off."""
        counted = list(zip(self.pairs, self.laws, strict=True))
        truly = log_any((law.infinite, count) for _, (law, count) in counted)
        cut = log_any((pair.upper.infinite, count) for pair, (_, count) in counted)
        return truly - self.error, cut + self.error

    @cached_property
    def _log_kept(self) -> float:
        """log of the share of the lower side that is left without losses below the first nodes; −∞ where cells are too wide."""
        counted = list(zip(self.pairs, self.laws, strict=True))
        wide = sum(count * pair.widest**2 for pair, (_, count) in counted) > WIDEST**2 * (1 + 1e-9)
        lost = sum(count * pair.lost for pair, (_, count) in counted)
        return -np.inf if wide or lost >= 1 else float(np.log1p(-lost))

    def log_delta(self, epsilon: np.ndarray, side: str) -> np.ndarray:
        """log H_U from above, or log(2 H_U − H_W) from below, with what lies at infinity."""
        if side == "upper":
            return np.minimum(np.logaddexp(self.plain.log_value(epsilon, 1.0), self._log_infinite[1]), 0.0)
        value = self.plain.log_value(epsilon, -1.0) + self._log_kept
        if self.noisy is not None:
            with np.errstate(invalid="ignore", divide="ignore"):
                more = np.where(value > -np.inf, self.noisy.log_value(epsilon, 1.0) - value, np.inf)
                value = value + np.log1p(-np.minimum(np.expm1(np.minimum(more, 1.0)), 1.0))
        return np.logaddexp(value, self._log_infinite[0])


class Panel:
    """Both curves over one range of ε, on the first grid that is fine enough.

    Parameters
    ----------
    laws : the losses and how often each occurs
    stretch : range of ε and the tilt for it
    error : relative error of all profiles together
    width : width of the bracket asked for
    max_points : longest transform
    """

    def __init__(self, laws: Laws, stretch: Stretch, error: float, width: float, max_points: int) -> None:
        self.laws, self.stretch, self.error, self.width, self.max_points = laws, stretch, error, width, max_points
        self.total = sum(count for _, count in laws)
        self.steepest = (_STEEPEST - 3 * stretch.log_delta) / stretch.high
        self.slopes = [(epsilon, float(np.clip(slope, 1e-3, self.steepest))) for epsilon, slope in stretch.slopes]
        self.allowed = {epsilon: _NOISE * width for epsilon, slope in stretch.slopes if slope < self.steepest}
        self.densities = [Density.of(law, self._span(law), self.slopes) for law, _ in laws]

    def _span(self, law: LossLaw) -> tuple[float, float]:
        """The losses that matter: below them lies less than the budget for cut tails."""
        x, _, log_mass = law.pilot
        high = x[np.searchsorted(x, max(self.stretch.cut, 0.0), side="right") - 1]
        rare = np.flatnonzero(np.logaddexp.accumulate(log_mass) <= np.log(_NEGLECT * self.width / self.total))
        low, high = x[rare[-1] if rare.size else 0], min(high, x[np.flatnonzero(log_mass > -np.inf)[-1]])
        return min(float(low), 0.0), max(float(high), 0.0)

    def log_delta(self, epsilon: np.ndarray, side: str) -> np.ndarray:
        """log δ of one side."""
        return self.trial.log_delta(epsilon, side)

    @cached_property
    def trial(self) -> Trial:
        """The first grid whose bracket is as narrow as asked, or the last one that it makes sense to try."""
        order = max(slope * (1 + slope) for _, slope in self.slopes)
        step = np.sqrt(_SHARE * self.width / (SPREAD * order * self.total))
        tried: list[tuple[float, float]] = []
        while True:
            trial = self._trial(step)
            finest = trial.length / self.max_points
            if not tried and step < 0.99 * finest:
                step = finest
                trial = self._trial(step)
            excess = float(np.log(max(self._width(trial) / self.width, 1e-9)))
            tried.append((np.log(step), excess))
            fall = 2.0 if len(tried) == 1 else (excess - tried[-2][1]) / (tried[-1][0] - tried[-2][0])
            stuck = fall < _STUCK and trial.length > _MANY * trial.step
            finer = np.clip(np.exp((np.log(_SHARE) - excess) / np.clip(fall, 0.7, 2.0)), 1 / _FINER, 0.8)
            step = max(min(step, trial.step) * finer, finest)
            if excess <= 0 or stuck or len(tried) == _TRIALS or step > 0.81 * trial.asked:
                return trial

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
        log_tail = min(self.stretch.log_share + float(np.log(_NEGLECT * self.width)), _LOG_TAIL)
        span = self.stretch.low, self.stretch.high
        return Trial(
            self.laws, pairs, asked, self.stretch.tilt, self.error, log_tail, 2 * self.max_points, span, self.allowed
        )

    def _width(self, trial: Trial) -> float:
        """Relative width of δ between the two sides at some ε: the largest, but where δ breaks off."""
        low, high = self.stretch.low, self.stretch.high
        epsilon = np.linspace(low, high, int(np.clip((high - low) / trial.step, _PROBES, _MOST_PROBES)))
        log_low, log_high = trial.log_delta(epsilon, "lower"), trial.log_delta(epsilon, "upper")
        with np.errstate(invalid="ignore"):
            fall = -np.diff(log_high, append=-np.inf) / (epsilon[1] - epsilon[0])
            gap = (log_high - log_low)[fall <= self.steepest]
        return float(-np.expm1(-gap.max(initial=0.0)))
