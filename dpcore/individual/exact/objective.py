r"""ε of one record under objective perturbation, without the expansion and with an error bar.

With b = σTu + b_⊥, u = x/‖x‖, both laws are compared on the line of b_⊥ (`LawsOnLines`), so that

.. math:: δ(ε) = E_{b_⊥}\, H_{e^ε}\bigl(T ∼ N(0,1),\; t(T; b_⊥) ∼ N(0,1)\bigr), \quad t = T − \frac{‖x‖}{σ}f'(m(T; b_⊥))

On each line, H is computed from a few points, without sampling a rare event, however small δ is. What is not known of
it is part of the error bar (`Cells`).

- In one dimension there is one line. - In two dimensions, if no f'' jumps, the mean is a trapezoidal rule over z, the
coordinate of b_⊥ that moves the margin.
  It reaches as far out as δ can come from. It is the mean of interleaved rules; their spread gives the error bar.
- Otherwise a row may bend, and contribute to δ, on an interval of z shorter than any step. So if an f'' jumps, and in
  more dimensions, the mean is over scrambled Sobol points and their mirror images, in coordinates whose first is z.

Half of these points are drawn where a rule over z finds most of δ, half from the law of z. So none has more than twice
its weight, even if the rule is wrong. The sum that the expansion gives over the same z is the denominator of a ratio
estimate, as its mean is known. If an f'' jumps, the error bar includes what lines may add that were never drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, optimize, special

from dpcore.glm import Problem
from dpcore.individual.exact.cells import Cells, LawsOnLines
from dpcore.individual.exact.expansion import BEYOND, Expansion
from dpcore.individual.exact.found import NO_PRIVACY
from dpcore.individual.exact.hockey_stick import Traced, log_hockey_stick
from dpcore.individual.exact.newton import SETTLED
from dpcore.individual.exact.scrambled import SCRAMBLINGS, bar_of, next_points, sobol
from dpcore.numerics import CUT, LAST_DIGITS, LOG_SQRT_2PI, log_sum

# How often the number of lines may double. Doubled, there may be 128 times as many lines in the end.
_ROUNDS = 7
# A crude distance of two ε, relative to 1 + ε: the error of a rule that only says where lines are drawn, and how far
# from one end of a bracket the other is searched for first. Doubled, that rule is less exact.
_CRUDE = 0.02
# First step of z, in its standard deviations; four times that if the rule only says where lines are drawn. Doubled,
# there are half as many lines at first.
_STEP = 0.175
# A rule over z is the mean of eight interleaved rules; its error is this many times their standard deviation. Doubled,
# error bars are twice as wide.
_SPREAD = 0.5
# What rounding may change in ε: nats, or relative to ε if ε < 1. Doubled, bars are wider by as much.
_ROUNDED = 1e-7
# Largest number of cells of all lines, and of rounds of splitting or drawing. Doubled, it may take twice as long.
_AFFORDED, _LONGEST = 60_000, 40
_SPLITS = 6  # how often cells are split before ε is computed again; doubled, cells may be finer than necessary
_NODES = 0.1  # share of the bar due to cells above which cells are split; doubled, lines are added sooner
_UNSEEN = 4.6  # weight, in lines, of what all draws miss with probability 0.01: −log 0.01; doubled, with 0.0001
_CORRECTED = 2  # how often the mean over the lines is corrected, each time at a better ε; doubled, it takes longer


@dataclass(frozen=True, eq=False)
class ExactRecord:
    """One record against the other rows.

    Parameters
    ----------
    rest, whole : the objectives of the other rows, and of all rows
    theta : a point near their minimisers
    x : the record, not 0
    expansion : the expansion of this one record
    depth : log δ at which ε is asked for
    """

    rest: Problem
    whole: Problem
    theta: np.ndarray
    x: np.ndarray
    expansion: Expansion
    depth: float

    seed: ClassVar[int] = 20_260_101

    def epsilon(self, tolerance: float, progress: Callable[[float], None]) -> tuple[float, float]:
        """ε at δ = e^depth, the larger of both directions, and its error bar.

        The search stops at the tolerance or after the last round. ε is ∞ if it is above `NO_PRIVACY`; the error bar is
        ∞ if it may be above.

        Parameters
        ----------
        tolerance : wanted error bar, nats
        progress : called with the share of the rounds that is done
        """
        if self._beyond:
            return np.inf, np.inf
        means = Means(self, self.scouted())
        low, high = 0.0, np.inf  # the narrowest bracket so far: new lines begin with coarse cells
        for done in range(1, _LONGEST + 1):
            progress(max(means.share, done / _LONGEST))
            ends = means.bracket()
            low, high = ends if ends[0] >= NO_PRIVACY or not ends[1] - ends[0] > high - low else (low, high)
            if low >= NO_PRIVACY or high - low <= 2 * tolerance or done == _LONGEST or not means.improve(*ends):
                break
        if low >= NO_PRIVACY:
            return np.inf, np.inf
        middle = 0.5 * (low + high)
        return (middle, 0.5 * (high - low) + _ROUNDED * min(middle, 1.0)) if np.isfinite(high) else (low, np.inf)

    @property
    def laws(self) -> LawsOnLines:
        """The laws of the record on lines."""
        r = self.expansion.records
        return LawsOnLines(self.rest, self.whole, self.x, r.loss(self.expansion.loss), r.y, self.expansion.sigma)

    @property
    def _beyond(self) -> bool:
        """Whether a tail of mass 4δ has so little mass with the record, on half of all lines, that ε > `NO_PRIVACY`."""
        mass = self.depth + np.log(4.0)
        if mass > np.log(0.5):
            return False
        T = np.array([1.0, -1.0]) * special.ndtri_exp(mass)
        laws = self.laws
        T, theta = laws.solved(self.rest, np.zeros((2, self.x.size)), T)
        t = T - laws.slope(theta @ self.x)
        within = special.log_ndtr(np.array([t[0], -t[1]]))
        return bool((within + NO_PRIVACY < self.depth).any())

    @cached_property
    def jumps(self) -> bool:
        """Whether the f'' of another row jumps."""
        return bool(np.isfinite(self.rest.kinks()).any())

    @property
    def is_drawn(self) -> bool:
        """Whether lines are drawn: in three or more dimensions, and in two if the f'' of another row jumps."""
        return self.x.size > 2 or (self.x.size == 2 and self.jumps)

    def scouted(self) -> tuple[float, float]:
        """Mean and width of the z from which δ comes; 0 and 1 if no lines are drawn, or if this is not known."""
        if not self.is_drawn:
            return 0.0, 1.0
        rule = Means(self, None)
        low, high = rule.bracket(within=True)
        while high - low > _CRUDE * (1 + low) and low < NO_PRIVACY and rule.finer(low, high):
            low, high = rule.bracket(within=True)
        at = min(0.5 * (low + high), NO_PRIVACY)
        share = np.max([np.exp(rule.log_weight) * np.sum(rule.lines(at, way), axis=0) for way in _WAYS], axis=0)
        if not share.sum() > 0:
            return 0.0, 1.0
        share /= share.sum()
        mean = float(share @ rule.z)
        return mean, float(np.hypot(np.sqrt(share @ np.square(rule.z - mean)), 0.5 * _STEP))


_WAYS = ("add", "remove")


class Means:
    """The mean over b_⊥ from more and more lines, and what is known about it.

    Parameters
    ----------
    record : the record
    drawn : mean and width of z for drawing lines; None for a rule over z alone, which finds these two
    """

    cells: Cells

    def __init__(self, record: ExactRecord, drawn: tuple[float, float] | None) -> None:
        self.record = record
        self.centre, self.width = drawn or (0.0, 1.0)
        self.dimension = record.x.size
        self.final, self.drawn = drawn is not None, drawn is not None and record.is_drawn
        self.basis = _basis(record)
        self.reach = float(np.sqrt(2 * max(-record.depth, 1.0)) + BEYOND)
        self.laws = record.laws
        self.z, self.log_weight = np.empty(0), np.empty(0)
        self.before = self.rounds = 0
        self.sobol: list[Any] = []
        self.refine()

    @property
    def share(self) -> float:
        """About which share of the lines and cells that can be afforded has been used."""
        return min(max(self.rounds / (_ROUNDS + 1), self.cells.at.size / _AFFORDED), 1.0)

    def refine(self) -> None:
        """Add as many lines as there are already, or the first ones."""
        self.rounds += 1
        self.before = self.z.size
        if self.dimension == 1:
            z, log_weight, across = np.zeros(1), np.zeros(1), np.empty((1, 0))
        elif not self.drawn:
            steps = 2 * int(np.ceil(self.reach / (_STEP if self.final else 4 * _STEP)))
            z = np.linspace(-self.reach, self.reach, steps * 2 ** (self.rounds - 1) + 1)
            log_step = np.log(z[1] - z[0])
            z = z[1::2] if self.before else z
            log_weight, across = log_step - 0.5 * z * z - LOG_SQRT_2PI, np.zeros((z.size, self.dimension - 2))
        else:
            z, across = self._points()
            u = (z - self.centre) / self.width
            both = np.logaddexp(-0.5 * u * u - np.log(self.width), -0.5 * z * z)
            log_weight = np.log(2 / (self.z.size + z.size)) - 0.5 * z * z - both
        self.log_weight = self.log_weight - np.log(2.0)
        self.z, self.log_weight = np.concatenate([self.z, z]), np.concatenate([self.log_weight, log_weight])
        across = np.column_stack([z, across])[:, : self.dimension - 1]
        shifts = -self.record.expansion.sigma * across @ self.basis[:, 1:].T
        new = Cells.of(self.laws, shifts, self.reach, self.record.depth)
        self.cells = self.cells.joined(new) if self.rounds > 1 else new
        vars(self).pop("straight", None)

    def _points(self) -> tuple[np.ndarray, np.ndarray]:
        """New z (k,) and other coordinates (k, n_features − 2), the scramblings in turn; half of the z ~ N(0, 1)."""
        if not self.sobol:
            seeds = np.random.SeedSequence(self.record.seed).spawn(SCRAMBLINGS)
            self.sobol = [sobol(self.dimension - 1, seed) for seed in seeds]
        each = max(1, self.before // (4 * SCRAMBLINGS))
        normal = [special.ndtri(next_points(one, 2 * each)) for one in self.sobol]
        both = np.stack([np.concatenate([part, -part]) for part in normal], axis=1)
        drawn = np.tile(np.repeat([True, False], each), 2)
        both[drawn, :, 0] = self.centre + self.width * both[drawn, :, 0]
        both = both.reshape(-1, self.dimension - 1)
        return both[:, 0], both[:, 1:]

    @cached_property
    def straight(self) -> Traced:
        """The same lines under the expansion."""
        return self.record.expansion.lines(self.z[None]).traced()

    def lines(self, epsilon: float, direction: str) -> tuple[np.ndarray, np.ndarray]:
        """δ(ε) of each line at least, and how much larger it may be, in units of e^`Cells.depth`, (n_lines,)."""
        sure, unknown = self.cells.masses(epsilon, direction)
        return self.cells.by_line(sure), self.cells.by_line(unknown)

    def logs(self, epsilon: float, direction: str) -> tuple[float, float]:
        """log δ(ε) of the mean over all lines, at least and at most, in units of e^`Cells.depth`."""
        low, high = self.seen(epsilon, direction)
        shift, bar = self.correction(epsilon, direction)
        below, above = _in_logs(bar)
        return max(low + shift - below, -CUT), max(high + shift + above, -CUT)

    def seen(self, epsilon: float, direction: str) -> tuple[float, float]:
        """The same of the lines that there are, as if they were all: only what is not known within cells counts."""
        sure, unknown = self.cells.totals(np.exp(self.log_weight), epsilon, direction)
        with np.errstate(divide="ignore"):
            ends = np.log(sure), np.log(sure + unknown)
        return max(float(ends[0]), -CUT), max(float(ends[1]), -CUT)

    def correction(self, epsilon: float, direction: str) -> tuple[float, float]:
        """log of the mean over all lines minus log of that over these lines, and the relative error bar of the mean."""
        if self.dimension == 1 or not self.final:
            return 0.0, 0.0
        sure, unknown = self.lines(epsilon, direction)
        middle, weight = sure + 0.5 * unknown, np.exp(self.log_weight)
        with np.errstate(all="ignore"):
            mean = float(np.log(weight @ middle))
            value, bar = self._ratio(middle, epsilon, direction) if self.drawn else self._plane(weight * middle)
        return (value - mean, bar) if np.isfinite(value - mean + bar) else (0.0, np.inf)

    def _plane(self, part: np.ndarray) -> tuple[float, float]:
        """log of the rule over z, and its relative error bar.

        The rule is the mean of eight rules, each over every eighth node; the bar is half their standard deviation. They
        all agree if δ is smooth in z. But as ε grows, lines lose their δ one after the other. A jump J in z then costs
        a rule of step h up to Jh/2; if another row bends, the loss may also lie between two nodes only.
        """
        part = part[np.argsort(self.z)]
        woven = np.array([part[first::SCRAMBLINGS].sum() for first in range(SCRAMBLINGS)]) * SCRAMBLINGS / part.sum()
        return float(np.log(part.sum())), float(_SPREAD * woven.std(ddof=1))

    def _ratio(self, middle: np.ndarray, epsilon: float, direction: str) -> tuple[float, float]:
        """log of the ratio estimate or of the plain mean, whichever has the smaller error bar, and this relative bar.

        The spread of eight scramblings of few lines tells nothing about lines that were never drawn. So if an f''
        jumps, the bar includes what `_UNSEEN` such lines would add, if each had as large an unexplained part as any
        line that was drawn.
        """
        at = np.full(self.z.shape, epsilon)
        with np.errstate(divide="ignore"):
            own, straight = np.log(middle), log_hockey_stick(self.straight, at, direction)[0]
            own, straight = (self.log_weight + part for part in (own, straight))
        known = float(self.record.expansion.log_delta(at[:1], direction)[0])
        sums, expected = (log_sum(part.reshape(-1, SCRAMBLINGS).T) for part in (own, straight))
        candidates = []
        for part, base, told in (
            (sums - expected, known, straight - known),
            (sums, np.log(SCRAMBLINGS), np.full(own.shape, -np.inf)),
        ):
            if np.isfinite(part).all() and np.isfinite(base):
                share = np.exp(part - part.max())
                value = float(base + part.max() + np.log(share.mean()))
                bar = bar_of(share) / share.mean()
                if self.record.jumps:
                    bar += _UNSEEN * np.abs(np.exp(own - value) - np.exp(told)).max()
                candidates.append((float(bar), value))
        bar, value = min(candidates, default=(np.inf, float(log_sum(own))))
        for other, elsewhere in candidates:  # if both estimates disagree, neither bar is large enough
            bar = max(bar, np.expm1(abs(elsewhere - value)) - other) if other < 1 else bar
        return value, float(bar)

    def bracket(self, within: bool = False) -> tuple[float, float]:
        """Lower and upper end of ε, the larger of both directions; (`NO_PRIVACY`, ∞) above that, and ∞ if it may be.

        With `within`, only what is not known within cells counts, not the error bar of the mean over all lines. If the
        relative bar of a direction is 1 or more, its lower end is 0. Its upper end then only tells which direction is
        the larger one; if it is this one, the upper end is ∞.
        """
        unit, ends = self.cells.depth - self.record.depth, []
        for way in _WAYS:
            low = high = shift = bar = 0.0
            for k in range(1 + _CORRECTED if self.final and self.dimension > 1 else 1):
                if k:
                    shift, bar = self.correction(min(0.5 * (low + high), NO_PRIVACY), way)
                    bar = 0.0 if within else bar
                below, above = _in_logs(bar)

                def least(epsilon: float, way: str = way, by: float = unit + shift - below) -> float:
                    return self.seen(epsilon, way)[0] + by

                def most(epsilon: float, way: str = way, by: float = unit + shift + above) -> float:
                    return self.seen(epsilon, way)[1] + by

                low = _root(least)
                high = _root(most, low)
                if bar >= 1:
                    break
            ends.append((low, high, bar >= 1))
        low, high, unknown = max(low for low, *_ in ends), *max(end[1:] for end in ends)
        return float(low), float(high) if high < NO_PRIVACY and not unknown else np.inf

    def improve(self, low: float, high: float) -> bool:
        """Split cells if they are coarse for the bracket or for its ε, else double the lines; False at the end."""
        cells = self.bracket(within=True) if self.dimension > 1 else (low, high)
        coarse = cells[1] - cells[0] > _NODES * min(high - low, 1 + low)
        if (coarse or self.dimension == 1) and self.finer(*cells):
            return True
        if self.dimension == 1 or self.rounds > _ROUNDS or 2 * len(self.cells.T) > _AFFORDED:
            return False
        self.refine()
        return True

    def finer(self, low: float, high: float) -> bool:
        """Split the cells on which ε between `low` and `high` depends most; False if there are none, or too many."""
        start = self.cells.at.size
        for _ in range(_SPLITS):
            if self.cells.at.size > _AFFORDED:
                break
            weight, unknown = np.exp(self.log_weight)[self.cells.at], np.zeros(self.cells.at.size)
            for epsilon in (low, min(high, NO_PRIVACY)):
                for way in _WAYS:
                    unknown += np.log1p(weight * self.cells.masses(epsilon, way)[1])
            self.cells = self.cells.split(unknown)
        return self.cells.at.size > start


def _in_logs(bar: float) -> tuple[float, float]:
    """How far the true value may be below and above the logarithm of a mean, by its relative error bar."""
    return float(-np.log1p(-bar)) if bar < 1 else np.inf, float(np.log1p(bar))


def _root(excess: Callable[[float], float], start: float = 0.0) -> float:
    """An ε ≥ `start` at which a function falls to 0; `start` if it is negative there, `NO_PRIVACY` if none is found."""
    low, step = start, _CRUDE * (1 + start)
    if start >= NO_PRIVACY or not excess(low) > 0:
        return start
    while excess(high := min(low + step, NO_PRIVACY)) > 0:
        if high >= NO_PRIVACY:
            return NO_PRIVACY
        low, step = high, 4 * step
    return float(optimize.brentq(excess, low, high, xtol=SETTLED, rtol=8.9e-16))


def _basis(record: ExactRecord) -> np.ndarray:
    """Orthonormal columns: x, the part of H₋⁻¹x orthogonal to it, and the rest; (n_features, n_features)."""
    size = record.x.size
    x = record.x / np.linalg.norm(record.x)
    moved = linalg.cho_solve(linalg.cho_factor(record.rest.hessian(record.theta), lower=True), x)
    scale = np.linalg.norm(moved)
    moved = moved - (moved @ x) * x
    others = np.random.default_rng(0).standard_normal((size, size))
    first = moved if np.linalg.norm(moved) > LAST_DIGITS * scale else others[0]
    columns = np.column_stack([x, first, others.T])[:, :size]
    basis, triangle = np.linalg.qr(columns)
    return np.asarray(basis * np.where(np.diag(triangle) < 0, -1.0, 1.0))
