"""log δ and ε of many records under objective perturbation, the other rows being expanded to third order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore.glm import Loss
from dpcore.glm.threads import over_blocks
from dpcore.individual.exact.by_margin import FADED, ByMargin
from dpcore.individual.exact.evenly import even_epsilon
from dpcore.individual.exact.expansion_renyi import expansion_renyi
from dpcore.individual.exact.fast_inverse import newton
from dpcore.individual.exact.halving import Integrated, halved_epsilon
from dpcore.individual.exact.hockey_stick import Traced, log_hockey_stick
from dpcore.individual.exact.newton import MOST_STEPS, newton_both_ways
from dpcore.individual.exact.straight import StraightLines
from dpcore.individual.fit.glm import Records
from dpcore.individual.numbers import ENDLESS
from dpcore.numerics import LARGEST_EXPONENT, OfRows

# If the spread of the margin due to z is below this, relative to its whole spread and to 1, z is left out. Doubled, it
# is left out for more records.
_FLAT = 1e-6
# How far T is followed beyond the quantile of δ, in standard deviations. Doubled, lines are followed further out.
BEYOND = 3.0
# ε at which a search begins if there is no better start. Doubled, such searches begin elsewhere.
_ANY = 0.1
# Largest ε on a line: above it, log δ, a difference of numbers as large as ε, is lost in the arithmetic. Doubled, few more
# are found.
_HIGHEST = 1e12
# Records that are computed together, and multiplications for each of them, about. With the first doubled, twice the
# memory; with the second, a second thread is used from half as many records on.
_BLOCK, _EFFORT = 2048, 30_000


@dataclass(frozen=True, eq=False)
class Expansion(OfRows):
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

    def lines(self, z: np.ndarray) -> StraightLines:
        """The lines through nodes z (n_records, n_nodes), record by record."""
        r, count = self.records, z.shape[1]
        with np.errstate(all="ignore"):
            fall = np.where(r.norm > 0, self.sigma * r.leverage / r.norm, 0.0)
        centre = r.margin[:, None] + self.sigma * r.spread[:, None] * z
        parts = (fall, r.norm / self.sigma, r.y, r.limit, r.origin, r.skew)
        return StraightLines(self.loss, centre.ravel(), *(np.repeat(part, count) for part in parts))

    def log_delta(self, epsilon: np.ndarray, direction: str, level: float = np.nan) -> np.ndarray:
        """log δ of every record at its ε ≥ 0 (n_records,) in one direction; −∞ if it is below −700.

        With a level, it is only as accurate as it takes to know on which side of the level it is.
        """

        def by_margin(laws: ByMargin, rows: np.ndarray) -> np.ndarray:
            at, depth = epsilon[rows], FADED if np.isnan(level) else -level
            value = Integrated(laws, direction, laws.first(depth)).value(np.arange(rows.size), at, level)
            deep = np.flatnonzero(value < -depth)
            if deep.size and np.isnan(level):
                laws = laws.take(deep)
                whole = Integrated(laws, direction, laws.first(LARGEST_EXPONENT))
                value[deep] = whole.value(np.arange(deep.size), at[deep])
            return value

        def by_line(line: Traced, rows: np.ndarray) -> np.ndarray:
            return log_hockey_stick(line, epsilon[rows], direction)[0]

        found = self._in_parts(by_margin, by_line, -np.inf)
        return np.where(found < -LARGEST_EXPONENT, -np.inf, np.minimum(found, 0.0))

    def epsilon(self, log_delta: float) -> np.ndarray:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions; ∞ at δ = 0."""
        if log_delta == -np.inf:
            return np.where(self.records.norm > 0, np.inf, 0.0)
        unsettled = np.zeros(self.records.y.shape, dtype=bool)

        def by_margin(laws: ByMargin, rows: np.ndarray) -> np.ndarray:
            found, settled = even_epsilon(laws, log_delta)
            endless = self.take(rows).overflows(log_delta)
            unsettled[rows] = ~settled & ~endless
            return np.where(endless, np.inf, found)

        def by_line(line: Traced, rows: np.ndarray) -> np.ndarray:
            def of_some(part: np.ndarray, epsilon: np.ndarray, direction: str) -> tuple[np.ndarray, np.ndarray]:
                value, lost = log_hockey_stick(line.take(part), epsilon, direction)
                return value, -np.exp(epsilon + lost - value)

            found = newton_both_ways(of_some, log_delta, self.take(rows)._start(log_delta))
            return np.where((found > _HIGHEST) | self.take(rows).overflows(log_delta), np.inf, found)

        def by_halving(laws: ByMargin, rows: np.ndarray) -> np.ndarray:
            near = result[rest[rows]]
            return halved_epsilon(laws, log_delta, np.where((near > 0) & (near < np.inf), near, _ANY))

        result = self._in_parts(by_margin, by_line, 0.0)
        rest = np.flatnonzero(unsettled)  # all at once: with few records, the call costs more than the computation
        half = min(rest.size // 2 + 1, _BLOCK)
        result[rest] = self.take(rest)._in_parts(by_halving, by_line, 0.0, half)
        return result

    def _in_parts(
        self,
        by_margin: Callable[[ByMargin, np.ndarray], np.ndarray],
        by_line: Callable[[Traced, np.ndarray], np.ndarray],
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
                        result[rows] = by_line(self.take(rows).lines(np.zeros((rows.size, 1))).traced(), rows)

        over_blocks(work, result.size, at_once, result.size * _EFFORT)
        return result

    def overflows(self, log_delta: float | np.ndarray) -> np.ndarray:
        """Whether the slope of a record's loss overflows within reach of the noise; log δ is that of all or of each."""
        if np.isfinite(self.loss.slope_bound()) or np.isfinite(self.records.limit).all():
            return np.zeros(self.records.y.size, dtype=bool)
        reach = np.sqrt(2 * np.maximum(-np.asarray(log_delta), 1.0)) + BEYOND
        with np.errstate(all="ignore"):  # the margin moves most in the direction of this angle and in the opposite one
            angle = np.nan_to_num(np.arctan2(self.records.spread, self.records.leverage / self.records.norm))
        z, T = (np.stack([part, -part], axis=1) for part in (reach * np.sin(angle), -reach * np.cos(angle)))
        lines = self.lines(z)
        with np.errstate(all="ignore"):
            t, log_slope = lines.at(T.ravel(), np.arange(lines.centre.size))
        return ((np.abs(t) > ENDLESS) | ~np.isfinite(log_slope)).reshape(z.shape).any(axis=1)

    @property
    def floor(self) -> np.ndarray:
        """log of the δ below which ε of a record is ∞, as numbers overflow (n_records,); −∞ if none overflow."""
        low, high = np.full(self.records.y.shape, -LARGEST_EXPONENT), np.zeros(self.records.y.shape)
        endless = np.flatnonzero(self.overflows(low) & (self.records.norm > 0))
        result = np.full(self.records.y.shape, -np.inf)
        if endless.size:
            some, low, high = self.take(endless), low[endless], high[endless]
            for _ in range(MOST_STEPS):
                middle = 0.5 * (low + high)
                inside = some.overflows(middle)
                low, high = np.where(inside, middle, low), np.where(inside, high, middle)
            result[endless] = np.where(some.overflows(0.0), 0.0, high)
        return result

    def renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        """D_α of every record (n_records, n_orders), nats."""
        seen, result = np.flatnonzero(self.records.norm > 0), np.zeros((self.records.y.size, alpha.size))
        result[seen] = expansion_renyi(ByMargin(self.loss, self.take(seen).records, self.sigma), alpha, direction)
        return result

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
