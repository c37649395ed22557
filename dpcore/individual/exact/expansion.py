"""Objective perturbation where the other rows are taken to third order: log δ and ε of many records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.glm import Loss
from dpcore.glm.threads import over_blocks
from dpcore.individual.analyses.fast_inverse import newton
from dpcore.individual.exact.expansion_renyi import expansion_renyi
from dpcore.individual.exact.straight import Rule, StraightLines
from dpcore.individual.fit.glm import Records
from dpcore.numerics import LOG_SQRT_2PI, log_sum

_HERMITE = [np.polynomial.hermite_e.hermegauss(count) for count in (3, 5, 11, 24)]
_SIMPLE = 0.04, 5e-4  # shift of z, and of its width, by the weights δ_z up to which three nodes leave 1e-9
_WIDE, _WIDE_AT_KINKS = (41, 81, 161, 321, 641), (31, 61, 121, 241)  # nodes of trapezoidal rules where those disagree
_AGREE, _AGREE_AT_KINKS = 1e-9, 1e-3  # of log δ, between two rules
_CLEAR_RUNG, _CLEAR = 2, 0.05  # from this rule on it is clear: distance to the last one, in distances to the level of δ
_MIRRORED = (
    1.5,
    25.0,
)  # a peak this far out may have a second one opposite, which counts if it is less than so many nats lower
_UNLIKELY = 5.0  # nats below the target at which three nodes suffice to set a direction aside
_FARTHEST, _PROBES = (
    40.0,
    np.array([-1.0, -0.6, -0.35, -0.2, 0.2, 0.35, 0.6, 1.0]),
)  # of |z|, and shares of it looked at
_OUTWARDS = np.array([-1.0, -0.8, -0.6, -0.4, 0.4, 0.6, 0.8, 1.0])  # shares of the z beyond which φ is below δ
_SEVERAL = 1.3  # times one peak's width and 1, beyond which the spread of z means several peaks
BEYOND, _LARGEST = 3.0, 1e100  # T followed beyond the quantile of δ; t whose square is still in range
_ROUND = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)
_ROUNDS, _SETTLED, _SLACK = 40, 1e-10, 1e-10
_BLOCK, _EFFORT = 2048, 1 << 15


@dataclass(frozen=True, eq=False)
class Expansion:
    r"""Laws of many records with m = m₋ + sz − gT, all arrays (n_records,).

    .. math:: δ(ε) = E_{z∼N(0,1)}\, δ_z(ε)

    The mean over z is a Gauss–Hermite sum around the peak of φ(z)δ_z, finer until two of them agree, else a trapezoidal rule,
    finer until it agrees with the one between its nodes.

    Parameters
    ----------
    loss : f, not clipped
    records : what the expansion knows of each record
    sigma : noise σ
    """

    loss: Loss
    records: Records
    sigma: float

    @property
    def _agree(self) -> float:
        return _AGREE_AT_KINKS if self.records.loss(self.loss).kinks(self.records.y) else _AGREE

    def take(self, rows: np.ndarray | slice) -> Expansion:
        """Some of the records."""
        return Expansion(self.loss, Records(*(value[rows] for value in vars(self.records).values())), self.sigma)

    def lines(self, z: np.ndarray) -> StraightLines:
        """The lines through nodes z (n_records, n_nodes), those of one record after each other."""
        r, count = self.records, z.shape[1]
        with np.errstate(all="ignore"):
            fall = np.where(r.norm > 0, self.sigma * r.leverage / r.norm, 0.0)
        centre = r.margin[:, None] + self.sigma * r.spread[:, None] * z
        parts = (fall, r.norm / self.sigma, r.y, r.limit, r.origin, r.skew)
        return StraightLines(self.loss, centre.ravel(), *(np.repeat(part, count) for part in parts))

    def nodes(self, z: np.ndarray, log_weight: np.ndarray) -> Rule:
        """A rule with its lines traced."""
        traced = self.lines(z).traced()
        return Rule(z, log_weight, traced, traced.loss)

    def hermite(self, rung: int, centre: np.ndarray, width: np.ndarray) -> Rule:
        """A Gauss–Hermite rule moved to a peak."""
        x, weight = _HERMITE[rung]
        z = centre[:, None] + width[:, None] * x
        log_weight = np.log(weight) + 0.5 * x * x - 0.5 * z * z + np.log(width)[:, None] - LOG_SQRT_2PI
        return self.nodes(z, log_weight)

    def wide(self, reach: float, count: int, between: bool = False) -> Rule:
        """A trapezoidal rule of so many nodes over |z| ≤ reach, or the rule of the points midway between them."""
        points = np.linspace(-reach, reach, count)
        points = 0.5 * (points[1:] + points[:-1]) if between else points
        z = np.broadcast_to(points, (self.records.y.size, points.size))
        return self.nodes(z, -0.5 * z * z - LOG_SQRT_2PI + np.log(2 * reach / (count - 1)))

    def log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        """log δ of every record at its ε ≥ 0 (n_records,) in one direction."""
        result = np.empty(epsilon.size)

        def work(blocks: list[slice]) -> None:
            for rows in blocks:
                _, result[rows] = self.take(rows)._ladder(epsilon[rows], direction)

        over_blocks(work, epsilon.size, _BLOCK, epsilon.size * _EFFORT)
        return np.where(self.records.norm > 0, np.minimum(result, 0.0), -np.inf)

    def above(self, epsilon: np.ndarray, log_delta: float, direction: str) -> np.ndarray:
        """Whether δ(ε) of every record exceeds δ in one direction: as `log_delta` says, with no more work than that takes."""
        result = np.empty(epsilon.size)

        def work(blocks: list[slice]) -> None:
            for rows in blocks:
                _, result[rows] = self.take(rows)._ladder(epsilon[rows], direction, level=log_delta)

        over_blocks(work, epsilon.size, _BLOCK, epsilon.size * _EFFORT)
        return (result > log_delta) & (self.records.norm > 0)

    def epsilon(self, log_delta: float) -> np.ndarray:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions; ∞ at δ = 0."""
        if log_delta == -np.inf:
            return np.where(self.records.norm > 0, np.inf, 0.0)
        result = np.empty(self.records.y.size)

        def work(blocks: list[slice]) -> None:
            for rows in blocks:
                part = self.take(rows)
                result[rows] = np.where(part._overflows(log_delta), np.inf, part._epsilon(log_delta))

        over_blocks(work, result.size, _BLOCK, result.size * _EFFORT)
        return np.where(self.records.norm > 0, result, 0.0)

    def _overflows(self, log_delta: float) -> np.ndarray:
        """Whether the slope of a record's loss goes out of range within reach of the noise."""
        if np.isfinite(self.loss.slope_bound()) or np.isfinite(self.records.limit).all():
            return np.zeros(self.records.y.size, dtype=bool)
        reach = np.sqrt(2 * max(-log_delta, 1.0)) + BEYOND
        T, z = reach * np.cos(_ROUND), reach * np.sin(_ROUND)
        lines = self.lines(np.broadcast_to(z, (self.records.y.size, z.size)))
        with np.errstate(all="ignore"):
            t, log_slope = lines.at(np.tile(T, self.records.y.size), np.arange(lines.centre.size))
        return np.asarray(out_of_range(t, log_slope).reshape(-1, z.size).any(axis=1))

    def renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        """D_α of every record (n_records, n_orders), nats."""
        return expansion_renyi(self.loss, self.records, self.sigma, alpha, direction)

    def _epsilon(self, log_delta: float) -> np.ndarray:
        found, _ = self._ladder(self._start(log_delta), "add", log_delta)
        other = np.flatnonzero(self._likely(found, log_delta, "remove"))
        if other.size:
            part = self.take(other)
            value = part._ladder(found[other], "remove", level=log_delta)[1]
            more = value > log_delta + _SLACK
            found[other[more]], _ = part.take(np.flatnonzero(more))._ladder(found[other[more]], "remove", log_delta)
        return found

    def one_way(self, log_delta: float, direction: str) -> np.ndarray:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ in one direction."""
        return self._ladder(self._start(log_delta), direction, log_delta)[0]

    def peak(self, epsilon: float, direction: str) -> tuple[float, float]:
        """Mean and standard deviation of z under the weights δ_z(ε) of the first record; of all peaks if there are several."""
        one, at = self.take(np.zeros(1, dtype=np.intp)), np.array([epsilon])
        z = np.linspace(-_FARTHEST, _FARTHEST, 2 * int(_FARTHEST) + 1)[None]
        terms = one.nodes(z, -0.5 * z * z).log_delta(at, direction)[0][0]
        if not np.isfinite(terms).any():
            return 0.0, 1.0
        share = np.exp(terms - terms.max())
        share /= share.sum()
        mean = float(share @ z[0])
        overall = float(np.sqrt(share @ np.square(z[0] - mean)))
        centre, width = np.array([z[0, terms.argmax()]]), np.ones(1)
        for _ in range(2):
            _, centre, width = one.hermite(2, centre, width).moments(at, direction)
        if overall > _SEVERAL * (float(width[0]) + 1):
            return mean, overall
        return float(centre[0]), float(width[0])

    def _silent(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        """Whether δ_z(ε) is 0 also far out in z."""
        z = np.broadcast_to(_FARTHEST * _PROBES, (epsilon.size, _PROBES.size))
        return np.asarray(self.nodes(z, np.zeros(z.shape)).moments(epsilon, direction)[0] == -np.inf)

    def _far_out(self, log_delta: float, direction: str) -> np.ndarray:
        """Whether φ(z)δ_z(0) is anywhere out to where it can still matter not far below δ."""
        z = np.broadcast_to(np.sqrt(-2 * log_delta) * _OUTWARDS, (self.records.y.size, _OUTWARDS.size))
        terms, _ = self.nodes(z, -0.5 * z * z).log_delta(np.zeros(len(z)), direction)
        return np.asarray((terms > log_delta - _UNLIKELY).any(axis=1))

    def _likely(self, epsilon: np.ndarray, log_delta: float, direction: str) -> np.ndarray:
        """Whether δ(ε) may exceed δ, from three nodes and, where those give 0, from two as far out as can matter."""
        zero = np.zeros(epsilon.size)
        value, _, _ = self.hermite(0, zero, zero + 1).moments(epsilon, direction)
        silent = np.flatnonzero(value == -np.inf)
        if silent.size:
            far = np.broadcast_to(np.sqrt(-2 * log_delta) * np.array([-1.0, 1.0]), (silent.size, 2))
            value[silent], _, _ = self.take(silent).nodes(far, np.zeros(far.shape)).moments(epsilon[silent], direction)
        return value > log_delta - _UNLIKELY

    def _start(self, log_delta: float) -> np.ndarray:
        """ε of the law with f'' as it is at the margin under the other rows."""
        r = self.records
        with np.errstate(all="ignore"):
            loss = r.loss(self.loss)
            mu = np.maximum(loss.second_derivative(r.margin, r.y) * r.leverage, 1e-12)
            shift = np.hypot(r.norm * loss.derivative(r.margin, r.y) / self.sigma, mu * r.norm * r.spread / r.leverage)
            excess = mu * (2 + mu)
            start, _ = newton(excess, shift * (1 + mu) / np.sqrt(excess), log_delta)
        return np.where(np.isfinite(start) & (start > 1e-9), start, 0.1)

    def _ladder(
        self, epsilon: np.ndarray, direction: str, log_delta: float | None = None, level: float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """ε and log δ(ε) at it, ε as given or, with a target, where it is met; finer rules until two agree.

        With a level: until it is clear on which side of it log δ(ε) is.
        """
        epsilon = epsilon.copy()
        nodes = self.hermite(0, np.zeros(epsilon.size), np.ones(epsilon.size))
        if log_delta is not None:
            epsilon = newton_root(nodes, epsilon, log_delta, direction)
        value, centre, width = nodes.moments(epsilon, direction)
        bent = (np.abs(centre) > _SIMPLE[0]) | (np.abs(width - 1) > _SIMPLE[1]) | (value == -np.inf)
        open_ = np.flatnonzero(bent | (self._agree > _AGREE))
        for rung in range(1, len(_HERMITE)):
            if not open_.size:
                return epsilon, value
            nodes = self.take(open_).hermite(rung, centre[open_], width[open_])
            finer, middle, spread = nodes.moments(epsilon[open_], direction)
            with np.errstate(invalid="ignore"):
                apart = np.abs(finer - value[open_])
                agrees = apart <= self._agree
                if level is not None and rung >= _CLEAR_RUNG:
                    agrees |= np.isfinite(finer) & (apart <= _CLEAR * np.abs(finer - level))
            more = np.flatnonzero(~agrees)
            at = open_[more]
            if log_delta is not None and more.size:
                nodes = nodes.take(more)
                epsilon[at] = newton_root(nodes, epsilon[at], log_delta, direction)
                finer[more], middle[more], spread[more] = nodes.moments(epsilon[at], direction)
            value[open_], centre[open_], width[open_] = finer, middle, spread
            if log_delta is not None:
                hidden = np.flatnonzero((epsilon[open_] == 0) & (finer < log_delta - _UNLIKELY))
                agrees[hidden] = ~self.take(open_[hidden])._far_out(log_delta, direction)
            elif rung > 1 and (nothing := np.flatnonzero(finer == -np.inf)).size:
                agrees[nothing] = self.take(open_[nothing])._silent(epsilon[open_[nothing]], direction)
            agrees &= ~self.take(open_)._mirrored(epsilon[open_], middle, finer, direction, level)
            open_ = open_[~agrees]
        if open_.size:
            epsilon[open_], value[open_] = self.take(open_)._widest(epsilon[open_], direction, log_delta, level)
        return epsilon, value

    def _mirrored(
        self, epsilon: np.ndarray, centre: np.ndarray, value: np.ndarray, direction: str, level: float | None
    ) -> np.ndarray:
        """Whether φ(z)δ_z may have a second peak opposite to the one at `centre`, and that matters."""
        result = np.zeros(epsilon.size, dtype=bool)
        least = value - _MIRRORED[1] if level is None else np.where(value > level, np.inf, level - _UNLIKELY)
        far = np.flatnonzero((np.abs(centre) > _MIRRORED[0]) & (least < np.inf))
        if far.size:
            z = -centre[far, None]
            opposite, _, _ = self.take(far).nodes(z, -0.5 * z * z).moments(epsilon[far], direction)
            result[far] = opposite > least[far]
        return result

    def _widest(
        self, epsilon: np.ndarray, direction: str, log_delta: float | None, level: float | None
    ) -> tuple[np.ndarray, np.ndarray]:
        depth = -next((one for one in (log_delta, level) if one is not None), 0.0)
        reach = 9.0 + float(np.sqrt(2 * max(depth - 25, 0.0)))
        found, value = self._trapezoidal(epsilon, direction, reach, log_delta, level)
        deepest = np.min(value, where=np.isfinite(value), initial=-25.0)
        if log_delta is None and level is None and (deepest < -25 or (value == -np.inf).any()):
            reach = 9.0 + float(np.sqrt(-2 * deepest - 50))
            _, value = self._trapezoidal(epsilon, direction, max(reach, _FARTHEST), None, None)
        return found, value

    def _trapezoidal(
        self, epsilon: np.ndarray, direction: str, reach: float, log_delta: float | None, level: float | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """`_ladder` by trapezoidal rules over |z| ≤ reach, the finest one for what no two of them agree on."""
        counts = _WIDE if self._agree == _AGREE else _WIDE_AT_KINKS
        epsilon, value, open_ = epsilon.copy(), np.empty(epsilon.size), np.arange(epsilon.size)
        for count in counts:
            some = self.take(open_)
            nodes = some.wide(reach, count)
            if log_delta is not None:
                epsilon[open_] = newton_root(nodes, epsilon[open_], log_delta, direction)
            value[open_], _, _ = nodes.moments(epsilon[open_], direction)
            if count == counts[-1]:
                break
            other, _, _ = some.wide(reach, count, between=True).moments(epsilon[open_], direction)
            with np.errstate(invalid="ignore"):
                apart = np.abs(other - value[open_])
                agrees = apart <= self._agree
                if level is not None:
                    agrees |= apart <= _CLEAR * np.abs(value[open_] - level)
            open_ = open_[~agrees]
            if not open_.size:
                break
        return epsilon, value


def out_of_range(t: np.ndarray, log_slope: np.ndarray) -> np.ndarray:
    """Where a line with the record has values that are no numbers any more, or whose squares are none."""
    return (np.abs(t) > _LARGEST) | ~np.isfinite(log_slope)


def newton_root(nodes: Rule, start: np.ndarray, log_delta: float, direction: str) -> np.ndarray:
    r"""Smallest ε ≥ 0 with δ(ε) ≤ δ by Newton steps on log δ, kept inside a bracket.

    .. math:: \frac{d\log δ}{dε} = −e^{ε}\,\frac{\text{mass of the subtracted law where the integrand is positive}}{δ(ε)}
    """
    result, active = start.copy(), np.arange(start.size)
    at, low, high = start.copy(), np.full(start.size, -1.0), np.full(start.size, np.inf)
    for _ in range(_ROUNDS):
        terms, mass = nodes.log_delta(at, direction)
        value = log_sum(terms)
        above = value > log_delta
        low, high = np.where(above, at, low), np.where(above, high, at)
        with np.errstate(all="ignore"):
            step = (value - log_delta) * np.exp(value - at - mass)
            trial = np.where(value == -np.inf, 0.0, np.maximum(at + step, 0.0))
            middle = np.where(np.isinf(high), 4 * at + 1e-6, 0.5 * (np.maximum(low, 0.0) + high))
        trial = np.where((trial > low) & (trial < high) | (trial == 0) & (low < 0), trial, middle)
        done = (np.abs(value - log_delta) <= _SETTLED) | ((at == 0) & ~above) | (high <= low * (1 + 4e-16))
        result[active] = np.where(done, at, trial)
        rest = np.flatnonzero(~done)
        if not rest.size:
            break
        if rest.size < 0.7 * active.size:
            nodes, active = nodes.take(rest), active[rest]
            at, low, high = trial[rest], low[rest], high[rest]
        else:
            at = np.where(done, at, trial)
    return result
