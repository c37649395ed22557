r"""ε of one record under objective perturbation, without the expansion and with an error bar.

With b = σTu + b_⊥, u = x/‖x‖, both laws live on the line of b_⊥ (`MarginSeries`), so that

.. math:: δ(ε) = E_{b_⊥}\, H_{e^ε}\bigl(T ∼ N(0,1),\; t(T; b_⊥) ∼ N(0,1)\bigr), \quad t = T − \frac{‖x‖}{σ}f'(m(T; b_⊥))

Inside the mean there are two roots and no rare event, however small δ. The mean over b_⊥ is quasi-Monte Carlo: scrambled Sobol
points, antithetic, in coordinates whose first is z, the direction that moves the margin, drawn where the expansion says δ comes
from; the expansion's own sum over the same z is the denominator of a ratio estimate, as its mean is known.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, special

from dpcore.glm import Problem
from dpcore.individual.exact.expansion import BEYOND, Expansion, newton_root, out_of_range
from dpcore.individual.exact.line import CurvedLines, MarginSeries
from dpcore.individual.exact.pieces import Margins, PiecedLines
from dpcore.individual.exact.straight import Rule, StraightLines
from dpcore.numerics import LOG_SQRT_2PI, log_sum

_SCRAMBLES = 8
_FIRST, _ROUNDS = 2, 7  # Sobol points of each scrambling at first, and how often they may double
_SERIES = 20, 40, 80  # nodes of each line, ever more; as pieces where the others have kinks, or series do not suffice
_PIECES = 72, 144, 288, 576
_SMALL = 2e5  # multiplications of a Hessian of the other rows up to which lines may be pieces
_AFFORDED = 80_000  # nodes of all pieces together
_SCOUTS, _SCOUTED = 49, 1.5  # lines all over z, and how far beyond the quantile of δ
_CONFIDENT = 3.5  # standard errors of eight scramblings in the error bar: Student's t, 99 %
_CHORD = 4.0  # times that a rule with half the steps is further off where δ has bends in z
_WIDER = 1.15  # the sampled z spread a little wider than where the expansion says δ comes from
_PLANE, _REACH = 12, 6.5  # trapezoidal steps over z in two dimensions at first, and its half-width in widths
_TOL = 1e-8
_EDGE, _ISOTROPIC = 1e-12, 1e-12
_STEPS, _SETTLED = 30, 1e-9


@dataclass(frozen=True, eq=False)
class Estimate:
    """log δ at one ε, its error bar, how fast it falls with ε, and the part of the bar that is due to the nodes of the lines."""

    value: float
    bar: float
    fall: float
    nodes: float = 0.0


@dataclass(frozen=True, eq=False)
class ExactRecord:
    """One record against the other rows.

    Parameters
    ----------
    rest : the objective of the other rows
    theta : near its minimiser
    x : the record, not 0
    expansion : what the expansion knows of it, one record
    depth : log δ that is asked for, which says how far out the noise is followed
    """

    rest: Problem
    theta: np.ndarray
    x: np.ndarray
    expansion: Expansion
    depth: float

    seed: ClassVar[int] = 20_260_101

    def epsilon(self, tolerance: float, progress: Callable[[float], None]) -> tuple[float, float]:
        """ε at δ = e^depth, the larger of both directions, and its error bar; stops at the tolerance or after the last round.

        Parameters
        ----------
        tolerance : wanted error bar, nats
        progress : called with the share of the rounds that is done
        """
        starts = {way: float(self.expansion.one_way(self.depth, way)[0]) for way in ("add", "remove")}
        largest = max(starts.values())
        ways = sorted(starts, key=lambda way: -starts[way])
        means = Means(self, largest, ways[0])
        if means.overflows:
            return np.inf, np.inf
        while True:
            progress(means.share)
            epsilon, error, coarse = self._root(means, starts[ways[0]], ways[0])
            other = means.estimate(epsilon, ways[1])
            if other.value + other.bar > self.depth:
                rest = self._root(means, starts[ways[1]], ways[1])
                high = max(epsilon + error, rest[0] + rest[1])
                epsilon, coarse = max((epsilon, coarse), (rest[0], rest[2]))
                error = high - epsilon
            if error <= tolerance or not means.improve(coarse):
                return epsilon, error

    def log_delta(self, epsilon: float, direction: str, tolerance: float) -> tuple[float, float]:
        """log δ(ε) in one direction, and its error bar."""
        means = Means(self, epsilon, direction)
        while True:
            found = means.estimate(epsilon, direction)
            if found.bar <= tolerance or not means.improve(2 * found.nodes > found.bar):
                return found.value, found.bar

    def _root(self, means: Means, start: float, direction: str) -> tuple[float, float, bool]:
        """Where log δ(ε) is `depth`, by bracketed Newton steps, the error bar there, and whether most of it is due to the nodes."""
        at, low, high = start, -1.0, np.inf
        for _ in range(_STEPS):
            found = means.estimate(at, direction, bars=False)
            missed = found.value - self.depth
            if abs(missed) <= _SETTLED or (at == 0 and missed <= 0) or high - low <= 1e-14:
                break
            low, high = (at, high) if missed > 0 else (low, at)
            trial = max(at + missed / found.fall, 0.0) if found.fall > 0 else 0.0
            inside = low < trial < high or (trial == 0 and low < 0)
            at = trial if inside else (4 * at + 1e-6 if np.isinf(high) else 0.5 * (max(low, 0.0) + high))
        found = means.estimate(at, direction)
        missed = found.value - self.depth
        unmet = (
            max(found.bar + missed, 0.0) if at == 0 else found.bar + (0.0 if abs(missed) <= _SETTLED else abs(missed))
        )
        coarse = 2 * found.nodes > found.bar
        if unmet == 0:
            return at, 0.0, coarse
        return at, unmet / found.fall if found.fall > 0 else np.inf, coarse


class Means:
    """The mean over b_⊥ by ever more lines; they are drawn for one ε and direction and serve every other.

    In one dimension there is one line, in two a trapezoidal rule over z, beyond that quasi-Monte Carlo.

    Parameters
    ----------
    record : the record
    epsilon, direction : where δ is wanted most
    """

    def __init__(self, record: ExactRecord, epsilon: float, direction: str) -> None:
        self.record, self.dimension = record, record.x.size
        self.basis, self.finer = _basis(record), 0
        self.levels = self._levels()
        centre, width = record.expansion.peak(epsilon, direction)
        self.centre, self.width = centre, _WIDER * width
        self.ends = self._ends(np.array([self.centre]))
        if self.levels[-1][0] and self.dimension > 1:
            self._scout()
        self.z, self.log_weight = np.empty((0,)), np.empty((0,))
        self.before = self.earlier = 0
        self.shifts = np.empty((0, self.dimension))
        self.known: MarginSeries | Margins | None = None
        self.sobol: list[Any] = []
        self.rounds = 0
        self._refine()

    def _ends(self, z: np.ndarray) -> tuple[float, float]:
        """Ends of T beyond which neither law has mass that matters, as far as the expansion knows the lines through z."""
        reach = np.sqrt(2 * max(-self.record.depth, 1.0)) + BEYOND
        T, _ = self.record.expansion.lines(z[None]).present()
        return min(0.0, float(T.min())) - reach, max(0.0, float(T.max())) + reach

    def _scout(self) -> None:
        """Where in z δ comes from, by lines all over it: the expansion need not know."""
        reach = np.sqrt(2 * max(-self.record.depth, 1.0)) + _SCOUTED
        z, step = np.linspace(-reach, reach, _SCOUTS, retstep=True)
        self.ends = self._ends(z)
        straight = self.record.expansion.lines(z[None])
        lines = _lines(straight, self._known(-self.record.expansion.sigma * z[:, None] * self.basis[:, 1], straight))
        traced = lines.traced()
        rule = Rule(z[None], (-0.5 * z * z - LOG_SQRT_2PI + np.log(step))[None], traced, traced.loss)
        found = {way: newton_root(rule, np.array([0.1]), self.record.depth, way) for way in ("add", "remove")}
        way = max(found, key=lambda way: found[way][0])
        total, mean, deviation = rule.moments(found[way], way)
        if np.isfinite(total[0]):
            self.centre, self.width = float(mean[0]), _WIDER * float(np.hypot(deviation[0], step))

    @property
    def overflows(self) -> bool:
        """Whether the slope of the record's loss goes out of range within reach of the noise."""
        with np.errstate(all="ignore"):
            t, log_slope = self.curved.traced.lines.at(np.array([self.ends]), np.arange(len(self.z))[:, None])
        return bool(out_of_range(t, log_slope).any())

    @property
    def share(self) -> float:
        """Of what may be drawn and solved, what has been."""
        return (self.rounds + self.finer) / (_ROUNDS + len(self.levels) - 1)

    def improve(self, coarse: bool) -> bool:
        """Twice the nodes on each line if these are too coarse, else twice the lines; False where there is no more to do."""
        pieced, nodes = self.levels[self.finer]
        if pieced and 2 * nodes * len(self.z) > _AFFORDED:
            return False
        if self.finer + 1 < len(self.levels) and (coarse or self.dimension == 1):
            self.finer += 1
            self.known = None
            self._solve(self.shifts)
        elif self.rounds < _ROUNDS and self.dimension > 1:
            self._refine()
        else:
            return False
        return True

    def _refine(self) -> None:
        """Draw and solve as many lines again as there are."""
        self.rounds += 1
        self.earlier, self.before = self.before, self.z.size
        u, across = self._points()
        z = self.centre + self.width * u
        if self.dimension <= 2:
            step = 2 * _REACH * self.width / (_PLANE * 2**self._doubled)
            log_weight = -0.5 * z * z - LOG_SQRT_2PI + np.log(step)
            self.log_weight = np.concatenate([self.log_weight - np.log(2.0), log_weight])
        else:
            log_weight = 0.5 * u * u - 0.5 * z * z + np.log(self.width)
            self.log_weight = np.concatenate([self.log_weight, log_weight])
        if self.dimension == 1:
            z, self.log_weight = np.zeros(1), np.zeros(1)
        shifts = self.record.expansion.sigma * across @ self.basis[:, 2:].T
        if self.dimension > 1:
            shifts = shifts - self.record.expansion.sigma * z[:, None] * self.basis[:, 1]
        self.z, self.shifts = np.concatenate([self.z, z]), np.concatenate([self.shifts, shifts])
        self._solve(shifts)

    @property
    def _doubled(self) -> int:
        return 0 if not self.before else int(np.log2((self.before - 1) // _PLANE)) + 1

    def _points(self) -> tuple[np.ndarray, np.ndarray]:
        """New standardised z (k,) and coordinates across (k, n_features − 2), the scramblings in turn."""
        if self.dimension <= 2:
            count = _PLANE * 2**self._doubled
            u = np.linspace(-_REACH, _REACH, count + 1)
            u = u[1::2] if self.before else u
            return u if self.dimension == 2 else np.zeros(1), np.empty((u.size if self.dimension == 2 else 1, 0))
        from scipy.stats import qmc

        if not self.sobol:
            seeds = np.random.SeedSequence(self.record.seed).spawn(_SCRAMBLES)
            self.sobol = [qmc.Sobol(self.dimension - 1, rng=np.random.default_rng(seed)) for seed in seeds]
        count = max(_FIRST, self.before // (2 * _SCRAMBLES))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the first point alone is no balanced set; all together are
            normal = [special.ndtri(np.clip(one.random(count), _EDGE, 1 - _EDGE)) for one in self.sobol]
        both = np.stack([np.concatenate([part, -part]) for part in normal], axis=1).reshape(-1, self.dimension - 1)
        return both[:, 0], both[:, 1:]

    def _levels(self) -> list[tuple[bool, int]]:
        """Ever finer ways to know a line: whether as pieces, and its nodes."""
        rest = self.record.rest
        series = [(False, count) for count in _SERIES]
        if rest.cells * rest.n_features > _SMALL:
            return series
        pieces = [(True, count) for count in _PIECES]
        kinked = rest.clip is not None or bool(rest.loss.kinks(rest.y[:1]))
        return pieces if kinked else series + pieces[2:]

    def _solve(self, shifts: np.ndarray) -> None:
        """Solve new lines and trace all of them, straight and curved."""
        straight = self.record.expansion.lines(self.z[None])
        new = self._known(shifts, straight)
        self.known = new if self.known is None else self.known.joined(new)  # type: ignore[arg-type]
        self.straight = self._rule(straight)
        self.curved, *self.shortened = (
            self._rule(_lines(straight, part)) for part in (self.known, *self.known.shorter())
        )

    def _known(self, shifts: np.ndarray, straight: StraightLines) -> MarginSeries | Margins:
        """New lines at the present level."""
        record, (pieced, count) = self.record, self.levels[self.finer]
        where = (record.rest, record.x, shifts, record.expansion.sigma, *self.ends, _TOL)
        return Margins.of(*where, straight, count) if pieced else MarginSeries.of(*where, count)

    def _rule(self, lines: StraightLines) -> Rule:
        traced = lines.traced()
        return Rule(self.z[None], self.log_weight[None], traced, traced.loss)

    def estimate(self, epsilon: float, direction: str, bars: bool = True) -> Estimate:
        """log δ(ε); without `bars` the bar is left out."""
        at = np.array([epsilon])
        terms, mass = self.curved.log_delta(at, direction)
        plain = float(log_sum(terms)[0])
        fall = float(np.exp(epsilon + mass[0] - plain)) if np.isfinite(plain) else 0.0
        value, bar = self._plane(terms[0]) if self.dimension <= 2 else self._ratio(terms[0], at, direction)
        nodes = 0.0
        if bars and np.isfinite(plain):
            nodes = 2 * max(abs(plain - float(log_sum(part.log_delta(at, direction)[0])[0])) for part in self.shortened)
        return Estimate(value, bar + nodes, fall, nodes)

    def _plane(self, terms: np.ndarray) -> tuple[float, float]:
        value = float(log_sum(terms))
        if self.dimension == 1 or not np.isfinite(value):
            return value, 0.0
        halved, quartered = (
            float(log_sum(terms[:count])) + times * np.log(2.0) if count else -np.inf
            for times, count in ((1, self.before), (2, self.earlier))
        )
        return value, max(abs(value - halved), abs(halved - quartered) / _CHORD)

    def _ratio(self, terms: np.ndarray, at: np.ndarray, direction: str) -> tuple[float, float]:
        """The ratio estimate or the plain mean, whichever spreads less over the scramblings."""
        if (terms == -np.inf).all():
            return -np.inf, 0.0
        own, straight = (
            log_sum(part.reshape(-1, _SCRAMBLES).T) for part in (terms, self.straight.log_delta(at, direction)[0][0])
        )
        candidates = []
        known = self.record.expansion.log_delta(at, direction)[0]
        with np.errstate(invalid="ignore"):
            ratio = own - straight
        for part, base in ((ratio, known), (own, -np.log(terms.size / _SCRAMBLES))):
            if np.isfinite(part).all() and np.isfinite(base):
                share = np.exp(part - part.max())
                value = float(base + part.max() + np.log(share.mean()))
                candidates.append((_CONFIDENT * share.std(ddof=1) / np.sqrt(_SCRAMBLES) / share.mean(), value))
        if not candidates:
            return float(log_sum(terms) - np.log(terms.size)), np.inf
        bar, value = min(candidates)
        return value, float(bar)


def _lines(straight: StraightLines, known: MarginSeries | Margins) -> StraightLines:
    """Lines with the margins that were solved for."""
    if isinstance(known, Margins):
        return PiecedLines(**vars(straight), nodes=known.sorted())
    return CurvedLines(**vars(straight), series=known)


def _basis(record: ExactRecord) -> np.ndarray:
    """Orthonormal columns: x, the part of H₋⁻¹x orthogonal to it, and the rest; (n_features, n_features)."""
    size = record.x.size
    x = record.x / np.linalg.norm(record.x)
    moved = linalg.cho_solve(linalg.cho_factor(record.rest.hessian(record.theta), lower=True), x)
    scale = np.linalg.norm(moved)
    moved = moved - (moved @ x) * x
    others = np.random.default_rng(0).standard_normal((size, size))
    first = moved if np.linalg.norm(moved) > _ISOTROPIC * scale else others[0]
    columns = np.column_stack([x, first, others.T])[:, :size]
    basis, triangle = np.linalg.qr(columns)
    return np.asarray(basis * np.where(np.diag(triangle) < 0, -1.0, 1.0))
