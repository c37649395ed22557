"""The curves over a short range of ε: on a grid fine enough for the width asked for, no finer than a transform can hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore.accountants.pld.convolve import ComposedDelta, Product, composed
from dpcore.accountants.pld.discretize import SPREAD, WIDEST, GridPair, discretize
from dpcore.accountants.pld.grid import aligned_step, node_index, offset_of, tilted_density
from dpcore.accountants.pld.loss_law import Laws, LossLaw, log_any
from dpcore.accountants.pld.outline import NEGLECT, Stretch

# A grid is chosen for a bracket of this share of the width asked for. Doubled, most grids are too coarse at first.
_SHARE = 0.5
# Relative width of the bracket of a grid that only has to show that δ is small. Doubled, it shows so more seldom.
_COARSE = 0.5
# Share of the width that round-off may use up before extended precision is tried. Doubled, it is tried less often.
_NOISE = 0.05
# δ counts as breaking off where the fall of log δ per unit of ε, times ε, is above this plus three times −log δ. The
# width of δ is not asked for there. Doubled, such places take finer grids.
_STEEPEST = 300.0
# Largest ratio of the steps of one grid and the next one tried. Doubled, a wrong guess of how the width falls costs
# more.
_FINER = 64.0
# Largest number of ε at which the width is measured. Doubled, a narrow peak of the width is missed less often.
_PROBES = 8192


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
        # One factor NEGLECT is there because the outline may be wrong by a factor 1/NEGLECT.
        self.log_tail = stretch.log_share + float(np.log(NEGLECT**2 * width))
        self.steepest = (_STEEPEST - 3 * stretch.log_delta) / stretch.high
        self.slopes = [(epsilon, float(np.clip(slope, 1e-3, self.steepest))) for epsilon, slope in stretch.slopes]
        self.allowed = {epsilon: _NOISE * width for epsilon, slope in stretch.slopes if slope < self.steepest}
        self.densities = [tilted_density(law, self._span(law), self.slopes) for law, _ in laws]

    def _span(self, law: LossLaw) -> tuple[float, float]:
        """The losses that matter: below them lies less than the budget for cut tails."""
        x, _, log_mass = law.pilot
        high = x[np.searchsorted(x, max(self.stretch.cut, 0.0), side="right") - 1]
        rare = np.flatnonzero(np.logaddexp.accumulate(log_mass) <= np.log(NEGLECT * self.width / self.total))
        low, high = x[rare[-1] if rare.size else 0], min(high, x[np.flatnonzero(log_mass > -np.inf)[-1]])
        return min(float(low), 0.0), max(float(high), 0.0)

    def log_delta(self, epsilon: np.ndarray, side: str, roughly: bool = False) -> np.ndarray:
        """log δ of one side; the upper one of a coarse grid is larger, and as certain."""
        return (self.coarse if roughly else self.trial).log_delta(epsilon, side)

    @cached_property
    def coarse(self) -> Trial:
        """A grid with a wide bracket, in a small part of the time."""
        trial = Trial(self, self._step(_COARSE))
        return trial if trial.asked >= trial.finest else Trial(self, trial.finest)

    def _step(self, width: float) -> float:
        """About the step at which the bracket of δ has a width."""
        order = max(slope * (1 + slope) for _, slope in self.slopes)
        return float(np.sqrt(_SHARE * width / (SPREAD * order * self.total)))

    @cached_property
    def trial(self) -> Trial:
        """The first grid whose bracket is as narrow as asked, or the last one that it makes sense to try."""
        step = self._step(self.width)
        trial = Trial(self, step)
        if step < 0.99 * trial.finest:
            trial = Trial(self, trial.finest)
        fall, excess = 2.0, self._excess(trial)
        while excess > 0:
            finer = np.clip(np.exp((np.log(_SHARE) - excess) / np.clip(fall, 0.7, 2.0)), 1 / _FINER, 0.8)
            other = Trial(self, max(min(trial.asked, trial.step) * finer, trial.finest))
            if other.asked > 0.81 * trial.asked or (more := self._excess(other)) >= excess:
                break
            fall = (more - excess) / np.log(other.asked / trial.asked)
            trial, excess = other, more
        return trial

    def _excess(self, trial: Trial) -> float:
        """log of the ratio of the largest relative width of δ between the two sides to the width asked for.

        Places where δ breaks off are left out.
        """
        low, high = self.stretch.low, self.stretch.high
        epsilon = np.linspace(low, high, int(min((high - low) / trial.step, _PROBES)) + 33)
        log_low, log_high = trial.log_delta(epsilon, "lower"), trial.log_delta(epsilon, "upper")
        with np.errstate(invalid="ignore"):
            fall = -np.diff(log_high, append=-np.inf) / (epsilon[1] - epsilon[0])
            gap = (log_high - log_low)[fall <= self.steepest]
        return float(np.log(-np.expm1(-gap.max(initial=1e-16)) / self.width))


@dataclass(frozen=True)
class Trial:
    """All mechanisms on one grid with about the step that is asked for, and the curves that follow from them."""

    panel: Panel
    asked: float

    @cached_property
    def pairs(self) -> list[tuple[GridPair, int]]:
        """Both laws of each mechanism, and its count."""
        panel, widest = self.panel, WIDEST / np.sqrt(self.panel.total)
        counted = list(zip(panel.laws, panel.densities, strict=True))
        budget = sum(count ** (1 / 3) * np.trapezoid(np.cbrt(t), x) for (_, count), (x, t) in counted)
        largest = self.asked * np.sqrt(panel.total)
        scale = largest / np.sqrt(budget)
        step = aligned_step(panel.laws, min(self.asked, widest))
        pairs = []
        for (law, count), density in counted:
            grid = offset_of(law, step), step
            narrow = min(widest, 1 / (1 + panel.stretch.tilt))
            index = node_index(law, density, grid, scale * count ** (-1 / 3), largest, narrow)
            pairs.append((discretize(law, *grid, index), count))
        return pairs

    def _product(self, of: str) -> Product:
        return Product.of([(getattr(pair, of), count) for pair, count in self.pairs], self.panel.stretch.tilt)

    @cached_property
    def wider(self) -> Product:
        """The laws with noise, which reach furthest."""
        return self._product("wider")

    @property
    def finest(self) -> float:
        """The step with which the composed tilted loss just fits into the longest transform."""
        first, last = self.wider.extent(self.panel.log_tail)
        return (last - first) * self.step / self.panel.max_points

    @property
    def step(self) -> float:
        """Distance between nodes."""
        return self.wider.step

    def _curve(self, product: Product) -> ComposedDelta:
        panel = self.panel
        window = self.wider.window(2 * panel.max_points, panel.log_tail)
        return composed(product, window, (panel.stretch.low, panel.stretch.high), panel.error, panel.allowed)

    @cached_property
    def plain(self) -> ComposedDelta:
        """H_U."""
        return self._curve(self._product("upper"))

    @cached_property
    def noisy(self) -> ComposedDelta | None:
        """H_W; None where no law has noise."""
        return None if all(pair.wider is pair.upper for pair, _ in self.pairs) else self._curve(self.wider)

    @cached_property
    def _log_infinite(self) -> dict[str, float]:
        """log P[ω = ∞] of the composition; from above with what the grids have cut off."""
        truly = log_any((law.infinite, count) for law, count in self.panel.laws)
        cut = log_any((pair.upper.infinite, count) for pair, count in self.pairs)
        return {"lower": truly - self.panel.error, "upper": cut + self.panel.error}

    @cached_property
    def _log_kept(self) -> float:
        """log of the share of the lower side left without losses below the first nodes; −∞ if cells are too wide."""
        wide = sum(count * pair.widest**2 for pair, count in self.pairs) > WIDEST**2 * (1 + 1e-9)
        lost = sum(count * pair.lost for pair, count in self.pairs)
        return -np.inf if wide or lost >= 1 else float(np.log1p(-lost))

    def log_delta(self, epsilon: np.ndarray, side: str) -> np.ndarray:
        """log H_U from above, or log(2 H_U − H_W) from below, with what lies at infinity."""
        if side == "upper":
            value = self.plain.log_value(epsilon, 1.0)
        else:
            value = self.plain.log_value(epsilon, -1.0) + self._log_kept
            if self.noisy is not None:
                with np.errstate(invalid="ignore", divide="ignore"):
                    more = np.where(value > -np.inf, self.noisy.log_value(epsilon, 1.0) - value, np.inf)
                    value = value + np.log1p(-np.minimum(np.expm1(np.minimum(more, 1.0)), 1.0))
        return np.minimum(np.logaddexp(value, self._log_infinite[side]), 0.0)
