"""log δ and ε of many records under objective perturbation, the other rows being expanded to third order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore.glm import Loss
from dpcore.glm.threads import over_blocks
from dpcore.individual.exact.by_margin import ByMargin
from dpcore.individual.exact.evenly import even_epsilon
from dpcore.individual.exact.expansion_renyi import expansion_renyi
from dpcore.individual.exact.fast_inverse import newton
from dpcore.individual.exact.halving import Integrated
from dpcore.individual.exact.straight import Rule, StraightLines
from dpcore.individual.fit.glm import Records
from dpcore.numerics import log_sum

# If the spread of the margin due to z is below this, relative to its whole spread and to 1, z is left out. Doubled, it
# is left out for more records.
_FLAT = 1e-6
# BEYOND: how far T is followed beyond the quantile of δ, in standard deviations. _LARGEST: largest |t| that counts as
# finite, as its square is. Doubled, more lines are followed further out.
BEYOND, _LARGEST = 3.0, 1e100
# Nats below 1 to which δ is followed at first if only ε is given, and to which it is followed if that is not enough.
# Doubled, smaller δ are followed.
_SHALLOW, _DEEPEST = 25.0, 775.0
# Directions in the plane of T and z in which it is checked whether numbers overflow.
_ROUND = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)
# _ROUNDS: largest number of Newton steps. _SETTLED: distance from log δ (nats) at which a root is accepted. With the
# first doubled, records that do not settle take twice as long; with the second, errors may be twice as large.
_ROUNDS, _SETTLED = 40, 1e-10
# ε at which a search begins if there is no better start. Doubled, such searches begin elsewhere.
_ANY = 0.1
# Records that are computed together, and multiplications for each of them, about. With the first doubled, twice the
# memory; with the second, a second thread is used from half as many records on.
_BLOCK, _EFFORT = 2048, 1 << 15
# log of the smallest δ for which an overflow is looked for, and how often the interval down to it is halved.
_SMALLEST, _BISECTIONS = -700.0, 40


@dataclass(frozen=True, eq=False)
class Expansion:
    r"""Laws of many records with margin m₋ + sz − gT, bent by κ (`StraightLines`); all arrays (n_records,).

    .. math:: δ(ε) = E_{z∼N(0,1)}\, δ_z(ε)

    It is integrated over the margin instead (`ByMargin`), as there is a closed form given the margin; if s is 0, one z
    is enough.

    Parameters
    ----------
    loss : f, not clipped
    records : what the expansion knows of each record
    sigma : noise σ
    """

    loss: Loss
    records: Records
    sigma: float

    def take(self, rows: np.ndarray | slice) -> Expansion:
        """Some of the records."""
        return Expansion(self.loss, Records(*(value[rows] for value in vars(self.records).values())), self.sigma)

    def lines(self, z: np.ndarray) -> StraightLines:
        """The lines through nodes z (n_records, n_nodes), record by record."""
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

    def log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        """log δ of every record at its ε ≥ 0 (n_records,) in one direction; −∞ if it is below −775."""

        def by_margin(laws: ByMargin, rows: np.ndarray) -> np.ndarray:
            value = Integrated(laws, _SHALLOW).value(epsilon[rows], direction)
            deep = np.flatnonzero(value < -_SHALLOW)
            if deep.size:
                value[deep] = Integrated(laws.take(deep), _DEEPEST).value(epsilon[rows[deep]], direction)
            return value

        def by_line(line: Rule, rows: np.ndarray) -> np.ndarray:
            return line.log_delta(epsilon[rows], direction)[0][:, 0]

        found = self._in_parts(by_margin, by_line, -np.inf)
        return np.where(found < -_DEEPEST, -np.inf, np.minimum(found, 0.0))

    def above(self, epsilon: np.ndarray, log_delta: float, direction: str) -> np.ndarray:
        """Whether δ(ε) of every record exceeds δ in one direction; log δ(ε) is computed only as far as this needs."""

        def by_margin(laws: ByMargin, rows: np.ndarray) -> np.ndarray:
            return Integrated(laws, -log_delta).value(epsilon[rows], direction, log_delta)

        def by_line(line: Rule, rows: np.ndarray) -> np.ndarray:
            return line.log_delta(epsilon[rows], direction)[0][:, 0]

        return self._in_parts(by_margin, by_line, -np.inf) > log_delta

    def epsilon(self, log_delta: float, start: np.ndarray | None = None) -> np.ndarray:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions, from a guess (n_records,) > 0 if given; ∞ at δ = 0."""
        if log_delta == -np.inf:
            return np.where(self.records.norm > 0, np.inf, 0.0)
        start = self._start(log_delta) if start is None else np.where((start > 0) & (start < np.inf), start, _ANY)

        unsettled = np.zeros(start.shape, dtype=bool)

        def by_margin(laws: ByMargin, rows: np.ndarray) -> np.ndarray:
            found, settled = even_epsilon(laws, log_delta)
            endless = self.take(rows).overflows(log_delta)
            unsettled[rows] = ~settled & ~endless
            return np.where(endless, np.inf, found)

        def by_line(line: Rule, rows: np.ndarray) -> np.ndarray:
            ways = (newton_root(line, start[rows], log_delta, way) for way in ("add", "remove"))
            return np.where(self.take(rows).overflows(log_delta), np.inf, np.maximum(*ways))

        def by_halving(laws: ByMargin, rows: np.ndarray) -> np.ndarray:
            return Integrated(laws, -log_delta).epsilon(log_delta, start[rest[rows]])

        result = self._in_parts(by_margin, by_line, 0.0)
        rest = np.flatnonzero(unsettled)  # all at once: with few records, the call costs more than the computation
        half = min(rest.size // 2 + 1, _BLOCK)
        result[rest] = self.take(rest)._in_parts(by_halving, by_line, 0.0, half)
        return result

    def _in_parts(
        self,
        by_margin: Callable[[ByMargin, np.ndarray], np.ndarray],
        by_line: Callable[[Rule, np.ndarray], np.ndarray],
        otherwise: float,
        at_once: int = _BLOCK,
    ) -> np.ndarray:
        """The results of all records, block by block: by the margin or, if z matters little, by the line through z = 0.

        Parameters
        ----------
        by_margin, by_line : functions of the laws, or of the lines, and of the positions of the records
        otherwise : the result of a record of norm 0
        at_once : records in a block
        """
        r, result = self.records, np.full(self.records.y.size, otherwise)
        seen = r.norm > 0
        with np.errstate(all="ignore"):
            scale = self.sigma * np.hypot(r.spread, r.leverage / r.norm)
        flat = ~(self.sigma * r.spread > _FLAT * np.minimum(scale, 1.0))

        def work(blocks: list[slice]) -> None:
            with np.errstate(all="ignore"):
                for block in blocks:
                    rows = block.start + np.flatnonzero((seen & ~flat)[block])
                    if rows.size:
                        result[rows] = by_margin(ByMargin(self.loss, self.take(rows).records, self.sigma), rows)
                    rows = block.start + np.flatnonzero((seen & flat)[block])
                    if rows.size:
                        zero = np.zeros((rows.size, 1))
                        result[rows] = by_line(self.take(rows).nodes(zero, zero), rows)

        over_blocks(work, result.size, at_once, result.size * _EFFORT)
        return result

    def overflows(self, log_delta: float | np.ndarray) -> np.ndarray:
        """Whether the slope of a record's loss overflows within reach of the noise; log δ is that of all or of each."""
        if np.isfinite(self.loss.slope_bound()) or np.isfinite(self.records.limit).all():
            return np.zeros(self.records.y.size, dtype=bool)
        reach = np.sqrt(2 * np.maximum(-np.asarray(log_delta), 1.0)) + BEYOND
        reach = np.broadcast_to(reach, self.records.y.shape)[:, None]
        T, z = reach * np.cos(_ROUND), reach * np.sin(_ROUND)
        lines = self.lines(z)
        with np.errstate(all="ignore"):
            t, log_slope = lines.at(T.ravel(), np.arange(lines.centre.size))
        return np.asarray(out_of_range(t, log_slope).reshape(z.shape).any(axis=1))

    @property
    def floor(self) -> np.ndarray:
        """log of the δ below which ε of a record is ∞, as numbers overflow (n_records,); −∞ if none overflow."""
        low, high = np.full(self.records.y.shape, _SMALLEST), np.zeros(self.records.y.shape)
        endless = np.flatnonzero(self.overflows(low) & (self.records.norm > 0))
        result = np.full(self.records.y.shape, -np.inf)
        if endless.size:
            some, low, high = self.take(endless), low[endless], high[endless]
            for _ in range(_BISECTIONS):
                middle = 0.5 * (low + high)
                inside = some.overflows(middle)
                low, high = np.where(inside, middle, low), np.where(inside, high, middle)
            result[endless] = np.where(some.overflows(0.0), 0.0, high)
        return result

    def renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        """D_α of every record (n_records, n_orders), nats."""
        return expansion_renyi(self.loss, self.records, self.sigma, alpha, direction)

    def _start(self, log_delta: float) -> np.ndarray:
        """ε of the pair of laws with f'' fixed at its value at the margin under the other rows."""
        r = self.records
        with np.errstate(all="ignore"):
            loss = r.loss(self.loss)
            mu = np.maximum(loss.second_derivative(r.margin, r.y) * r.leverage, 1e-12)
            shift = np.hypot(r.norm * loss.derivative(r.margin, r.y) / self.sigma, mu * r.norm * r.spread / r.leverage)
            excess = mu * (2 + mu)
            start, _ = newton(excess, shift * (1 + mu) / np.sqrt(excess), log_delta)
        return np.where(np.isfinite(start) & (start > 1e-9), start, _ANY)


def out_of_range(t: np.ndarray, log_slope: np.ndarray) -> np.ndarray:
    """Where the law with the record has values on a line that are not finite, or whose squares are not."""
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
