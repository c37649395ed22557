"""Hockey-stick divergences of records, the other rows being expanded to third order: two normal laws at each margin."""

from __future__ import annotations

import numpy as np
from scipy import special

from dpcore.glm import Clipped, Loss
from dpcore.individual.fit.glm import Records
from dpcore.individual.numbers import BESIDE
from dpcore.numerics import LARGEST_ROOT, LAST_DIGITS, OfRows, increasing_roots, log_normal

# Distance of the first nodes in x, and in asinh x (in units of a width) around a mark. Doubled, there are half as many.
_STEP = 0.75
# The law with the record has nodes of its own if x̃' at its peak is above this, or if it reaches further than the law
# without it. Doubled, there are fewer such nodes.
_NARROW = 1.5
# What is this many nats below the peak of an integrand, or below δ, is left out: ε is right to eleven digits. With a
# tenth less, ends of integrals matter in one record of a hundred.
FADED = 25.0


class ByMargin(OfRows):
    r"""Records with margin m = m(q), q = m₋ + Sx, x ∼ N(0, 1), S² = s² + g²: given x, ω is linear in the noise.

    .. math:: \tilde x = x + \frac{h_-}{S}f'(m), \quad ω_x = \frac{x² − \tilde x²}{2} + \log\tilde x', \quad
              v = \frac{‖x‖s}{σS}|f'(m)|, \quad
              \tilde x' = 1 + h_- f''(m)\frac{dm}{dq}

    .. math:: δ_\text{remove}(ε) = ∫φ(\tilde x)\,\tilde x'\,G(v, ε − ω_x)\,dx, \quad
              δ_\text{add}(ε) = ∫φ(x)\,G(v, ε + ω_x)\,dx, \quad
              G(v, e) = Φ\left(\tfrac v2 − \tfrac ev\right) − e^e Φ\left(−\tfrac v2 − \tfrac ev\right)

    G is δ(e) of a Gaussian mechanism of sensitivity v: given x, T is normal, and t(T) is T shifted. The first nodes
    follow both laws and the bend of f, with nodes at its kinks. `halving` halves panels between them until their
    Legendre coefficients are small.

    Parameters
    ----------
    loss : f, not clipped
    records : what the expansion knows of each record, ‖x‖ and s above 0
    sigma : noise σ

    Attributes
    ----------
    bend : x near which f bends (n_records,)
    kinks : x on either side of each jump of x̃', and where m(q) becomes straight (n_records, k)
    """

    def __init__(self, loss: Loss, records: Records, sigma: float) -> None:
        self.plain = loss
        self.margin, self.origin, self.skew = records.margin, records.origin, records.skew
        self.y, self.limit, self.leverage = records.y, records.limit, records.leverage
        self.scale = sigma * np.hypot(records.spread, records.leverage / records.norm)
        self.pull = records.norm / self.scale * records.spread
        self.bend, self.kinks = self._x(self._centre()[:, None])[:, 0], self._kinks()

    def _loss(self, rows: np.ndarray) -> Loss:
        return Clipped(self.plain, self.limit[rows]) if np.isfinite(self.limit).any() else self.plain

    def slopes(self, rows: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """f', x̃ − x and x̃' − 1 at x, of the records at positions `rows`, which broadcast against x."""
        y, limit, m = self.y[rows], self.limit[rows], self.margin[rows] + self.scale[rows] * x
        gain = self.leverage[rows]
        if self.skew.any():
            moved, rate = bent(m - self.origin[rows], self.skew[rows])
            m, gain = self.origin[rows] + moved, gain * rate
        whole = self.plain.derivative(m, y)
        slope = np.clip(whole, -np.minimum(limit, LARGEST_ROOT), np.minimum(limit, LARGEST_ROOT))
        bend = np.minimum(self.plain.second_derivative(m, y), LARGEST_ROOT) * (np.abs(whole) <= limit)
        return slope, slope * (self.leverage / self.scale)[rows], bend * gain

    def at(self, rows: np.ndarray, x: np.ndarray, direction: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log density, ±ω and v at x (k, n_nodes) of the records at these positions (k,)."""
        slope, back, gain = self.slopes(rows[:, None], x)
        log_rate, moved = np.log1p(gain), x + back
        loss, width = log_rate - back * (x + 0.5 * back), np.abs(slope) * self.pull[rows, None]
        if direction == "add":
            return log_normal(x), loss, width
        return log_rate + log_normal(moved), -loss, width

    def first(self, depth: float) -> np.ndarray:
        """Nodes x (n_records, n_nodes) of a trapezoidal rule wherever either law is above e^−depth, and further."""
        every, reach = np.arange(self.y.size), np.sqrt(2 * (depth + FADED))
        rows, ends = np.tile(every, 3), np.repeat([-reach, 0.0, reach], every.size)

        def missed(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            _, back, gain = self.slopes(rows, x)
            return x + back - ends, 1 + gain

        other = ends - missed(ends)[0]
        roots = increasing_roots(missed, np.minimum(ends, other), np.maximum(ends, other), ends)
        (left, peak, right), (_, steep, _) = (part.reshape(3, -1) for part in (roots, missed(roots)[1]))
        low, high = np.minimum(left, -reach), np.maximum(right, reach)
        parts = [
            np.minimum(-reach + _STEP * np.arange(int(2 * reach / _STEP) + 2), reach)[None] + np.zeros((every.size, 1)),
            _around(np.clip(self.bend, low, high), np.maximum(1 / self.scale, BESIDE), low, high),
            np.clip(self.kinks, low[:, None], high[:, None]),
            np.stack([low, high], axis=1),
        ]
        apart = np.flatnonzero((steep > _NARROW) | (low < -reach) | (high > reach))
        if apart.size:
            more = _around(peak[apart], _NARROW / steep[apart], left[apart], right[apart])
            own = np.repeat(low[:, None], more.shape[1], axis=1)
            own[apart] = more
            parts.append(own)
        return np.sort(np.concatenate(parts, axis=1), axis=1)

    def _x(self, m: np.ndarray) -> np.ndarray:
        """x at which the margins are m (n_records, k)."""
        origin = self.origin[:, None]
        moved = unbent(m - origin, self.skew[:, None]) if self.skew.any() else m - origin
        return (moved + origin - self.margin[:, None]) / self.scale[:, None]

    def bumps(self) -> np.ndarray:
        """x at which an integrand may have a further bump: where f bends, and half-way to its kinks (n_records, k)."""
        bend, kinks = self.bend[:, None], self.kinks
        near = np.clip(kinks[:, : kinks.shape[1] // 2], -LARGEST_ROOT, LARGEST_ROOT)
        return np.column_stack([bend, 0.5 * (bend + near)])

    def _centre(self) -> np.ndarray:
        """A margin near which f bends."""
        found, y = self.plain.minimiser(self.y), self.y
        for slope in (0.5, -0.5):
            found = np.where(np.isfinite(found), found, self.plain.predictor_at(np.full(y.shape, slope), y))
        ends = (self.plain.predictor_at(end * self.limit, y) for end in (-1, 1))
        found = np.clip(found, *ends)
        return np.where(np.isfinite(found), found, self.margin)

    def _kinks(self) -> np.ndarray:
        """x on either side of each jump of x̃', and where m(q) becomes straight (n_records, k)."""
        kinks = self._loss(np.arange(self.y.size)).kinks(self.y)
        found = []
        if kinks:
            m = np.clip(np.stack(kinks, axis=1), -LARGEST_ROOT, LARGEST_ROOT)
            apart = LAST_DIGITS * (1 + np.abs(m) + np.abs(self.margin[:, None]))
            found = [self._x(m - apart), self._x(m + apart)]
        if self.skew.any():
            straight = self.origin - 0.5 / np.where(self.skew == 0, np.nan, self.skew)
            found.append(((straight - self.margin) / self.scale)[:, None])
        return np.nan_to_num(np.concatenate(found, axis=1), nan=LARGEST_ROOT) if found else np.empty((self.y.size, 0))

    def straight(self, log_delta: float) -> np.ndarray:
        """If f' is constant, both laws are unit normal laws: their distance, else nan (n_records,).

        f' counts as constant if it is, except with a probability far below δ (or δ itself, if f' = 0). ω is then linear
        in the noise. As f is convex, it is enough that f' is the same at both ends of an interval.
        """
        slope, back, _ = self.slopes(np.arange(self.y.size), np.zeros(self.y.size))
        nats = np.where(slope == 0, np.log(2), FADED)
        reach = np.abs(back) - special.ndtri_exp(log_delta - nats)
        ends, _, _ = self.slopes(np.arange(self.y.size)[:, None], reach[:, None] * [-1.0, 1.0])
        same = (ends == slope[:, None]).all(axis=1)
        return np.where(same, np.hypot(slope * self.pull, back), np.nan)


def _around(place: np.ndarray, width: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Points even in asinh((x − place)/width) from low to high (n_records, k); superfluous ones lie at `high`."""
    first, last = (np.arcsinh((end - place) / width)[:, None] for end in (low, high))
    middle = np.floor(-first / _STEP) * _STEP  # `place` is then one of the points
    count = int(np.ceil((last - first).max(initial=0.0) / _STEP)) + 2
    at = np.clip(_STEP * np.arange(count) - middle, first, last)
    return np.clip(place[:, None] + width[:, None] * np.sinh(at), low[:, None], high[:, None])


def bent(q: np.ndarray, kappa: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log(1 + κq)/κ and its derivative, continued by the tangent where κq < −1/2; q itself at κ = 0."""
    grown = kappa * q
    with np.errstate(all="ignore"):
        inside = np.maximum(grown, -0.5)
        value = np.where(grown == 0, q, np.log1p(inside) / kappa)
        if (straight := grown < -0.5).any():
            value = np.where(straight, value + 2 * (grown + 0.5) / kappa, value)
        return value, 1 / (1 + inside)


def unbent(moved: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """The q at which `bent` has the value `moved`."""
    grown = kappa * moved
    with np.errstate(all="ignore"):
        inside = np.where(grown == 0, moved, np.expm1(grown) / kappa)
        return np.where(grown < np.log(0.5), (0.5 * (grown - np.log(0.5)) - 0.5) / kappa, inside)
