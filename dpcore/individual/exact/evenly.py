"""ε of very many records by a few dozen nodes each, placed where the integrand is; says which of them it settles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.individual.exact.by_margin import ByMargin, gaussian
from dpcore.numerics import LOG_SQRT_2PI

_NODES = 45  # odd; twice as many settle hardly any more records
_DEPTH = 32.0  # nats below the peak to which nodes reach
_CENTRING, _NEAR, _ROUNDS = 3, 2, 3  # Newton steps to the threshold, those on every other node, and placings
_AGREE = 1e-5  # relative difference to every other node, whose square the error is
_MISSED = 1e-10  # share of the integral that may lie at the ends, or be met beyond the threshold
_STEP, _SLACK = 1e-5, 1e-10  # relative Newton step whose square the error is; excess of log δ in the other direction
_BEYOND = 8  # parts into which what lies beyond the threshold is cut; doubled, hardly any more records are settled
_LEAST_PANEL = 1e-9
_FARTHEST = 1e6  # of a threshold, beyond which rounding moves the nodes; doubled, nothing one sees


def _equal(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes on [0, 1], weights, and those of every other node, of a sum in equal steps."""
    nodes = np.linspace(0.0, 1.0, count)
    weights = np.full(count, 1 / (count - 1))
    return nodes, weights, 2 * weights[::2]


def _clenshaw_curtis(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same of the rule of Clenshaw and Curtis, for integrands that do not vanish at the ends."""

    def weights(size: int) -> np.ndarray:
        order = np.arange(0, size, 2)
        values = np.zeros(size)
        values[::2] = 1 / (1 - np.square(order))
        at = -np.cos(np.pi * np.arange(size) / (size - 1))
        return np.linalg.solve(np.polynomial.chebyshev.chebvander(at, size - 1).T, values)

    return 0.5 - 0.5 * np.cos(np.pi * np.arange(count) / (count - 1)), weights(count), weights((count + 1) // 2)


_WHOLE, _IN_PARTS = _equal(_NODES), _clenshaw_curtis(_NODES)


@dataclass(frozen=True, eq=False)
class EvenNodes:
    """Nodes (n_panels, n_nodes) of records at increasing positions `rows` (n_panels,), in one direction.

    Parameters
    ----------
    rows : record of each panel
    first : panels with which the records begin (n_records,)
    scale : logarithm of the unit of `density` (n_records,)
    density : weights times the density of the law that is integrated over
    other : weights of every other node over those, (n_panels, n_nodes // 2 + 1)
    loss : ω, or −ω where the record is removed
    width : v
    beyond : density × width of a place, ω and v at places beyond the threshold (n_records, k)
    """

    rows: np.ndarray
    first: np.ndarray
    scale: np.ndarray
    density: np.ndarray
    other: np.ndarray
    loss: np.ndarray
    width: np.ndarray
    beyond: tuple[np.ndarray, np.ndarray, np.ndarray]

    def nearer(self, epsilon: np.ndarray, log_delta: float) -> np.ndarray:
        """ε after Newton steps to δ by every other node."""
        density, loss, width = self.density[:, ::2] * self.other, self.loss[:, ::2], self.width[:, ::2]
        for _ in range(_NEAR):
            _, value, fall = gaussian(width, epsilon[self.rows, None] + loss, plain=True)
            total = self._sum(density * value)
            epsilon = _newton(epsilon, self.scale + np.log(total) - log_delta, -self._sum(density * fall) / total)
        return epsilon

    def log_delta(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """log δ(ε) of every record, its derivative, whether all checks agree, and what δ is below in any case."""
        _, value, fall = gaussian(self.width, epsilon[self.rows, None] + self.loss, plain=True)
        value *= self.density
        total = self._sum(value)
        rough = self._sum(value[:, ::2] * self.other)
        last = np.append(self.first[1:], self.rows.size) - 1
        ends = np.maximum(value[self.first, 0], value[last, -1])
        density, loss, width = self.beyond
        met = (density * gaussian(width, epsilon[:, None] + loss, plain=True)[1]).max(axis=1)
        missed = np.abs(rough - total) / _AGREE + np.maximum(ends, met) / _MISSED
        most = self.scale + np.log(total + missed)
        return self.scale + np.log(total), -self._sum(self.density * fall) / total, missed <= total, most

    def _sum(self, value: np.ndarray) -> np.ndarray:
        return np.add.reduceat(value.sum(axis=1), self.first)


def placed(laws: ByMargin, epsilon: np.ndarray, direction: str) -> EvenNodes:
    r"""Nodes even in u, x = x_0 + a\sinh u, around the threshold x_0 where |ω| = ε, on which G rises over the width a.

    Beyond a kink of f a new panel begins. Both laws are taken to be normal to say how far the nodes reach.
    """
    every, sign = np.arange(epsilon.size), 1.0 if direction == "add" else -1.0
    peak = np.zeros(epsilon.size)
    for _ in range(_CENTRING):
        slope, back, gain = laws.slopes(every, peak)
        rise = sign * (peak - (peak + back) * (1 + gain))
        x = peak - (epsilon + sign * (np.log1p(gain) - back * (peak + 0.5 * back))) / rise
        rate, place = (1 + 0 * x, x) if direction == "add" else (1 + gain, x + back + gain * (x - peak))
        side = -np.sign(rise)
        place, width = side * place, np.abs(slope * laws.pull / rise) * rate
        top = np.maximum(place, 0.0) / (1 + width * width)
        peak = x + side * (top - place) / rate
    x = np.where(np.abs(x) < _FARTHEST, x, np.nan)
    height = 0.5 * top * top * (1 + width * width)
    far, stiff = np.sqrt(2 * (height + _DEPTH)), 1 / np.square(width)
    square = (1 + stiff) * far * far - stiff * place * place
    near = np.where(square > 0, (place * stiff - np.sqrt(np.maximum(square, 0.0))) / (1 + stiff), -far)
    near = np.maximum(near, -far)
    low, high = (np.arcsinh((end - place) / width) for end in (near, far))
    unit = side * width / rate
    kinks = laws.kinks()
    cuts = np.arcsinh((kinks - x[:, None]) / unit[:, None])
    unseen = (cuts < low[:, None]) | (cuts > high[:, None])
    cuts = np.sort(np.clip(np.column_stack([low, cuts, high]), low[:, None], high[:, None]), axis=1)
    size = np.diff(cuts, axis=1)
    seen = size > _LEAST_PANEL
    seen[:, 0] |= ~seen.any(axis=1)
    rows, panel = np.nonzero(seen)
    whole = (seen.sum(axis=1) == 1)[rows, None]
    nodes, weights, other = (np.where(whole, *pair) for pair in zip(_WHOLE, _IN_PARTS, strict=True))
    size = size[rows, panel][:, None]
    u = cuts[rows, panel][:, None] + size * nodes
    log_density, loss, v = _laws_at(laws, rows, x[rows, None] + unit[rows, None] * np.sinh(u), direction)
    density = np.exp(log_density + height[rows, None]) * (np.abs(unit)[rows, None] * size * weights) * np.cosh(u)
    step = (near + far)[:, None] / _BEYOND
    dark = x[:, None] + (side / rate)[:, None] * ((near - place)[:, None] - step * np.arange(_BEYOND + 1))
    log_density, *beyond = _laws_at(
        laws, every, np.column_stack([dark, np.where(unseen, kinks, x[:, None])]), direction
    )
    # A second threshold may lie between two places: the density is that of the one which is nearer to the middle.
    log_density[:, 1 : _BEYOND + 1] = np.maximum(log_density[:, :_BEYOND], log_density[:, 1 : _BEYOND + 1])
    size = np.column_stack([np.repeat(step / rate[:, None], _BEYOND + 1, axis=1), unseen])
    met = np.exp(log_density + height[:, None]) * size
    return EvenNodes(
        rows,
        np.flatnonzero(np.diff(rows, prepend=-1)),
        -height,
        density,
        other / weights[:, ::2],
        loss,
        v,
        (met, *beyond),
    )


def _laws_at(
    laws: ByMargin, rows: np.ndarray, x: np.ndarray, direction: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log density, ±ω and v at x (k, n_nodes) of the records at these positions (k,)."""
    slope, back, gain = laws.slopes(rows[:, None], x)
    log_rate, moved = np.log1p(gain), x + back
    loss, width = log_rate - back * (x + 0.5 * back), np.abs(slope) * laws.pull[rows, None]
    if direction == "add":
        return -0.5 * x * x - LOG_SQRT_2PI, loss, width
    return log_rate - 0.5 * moved * moved - LOG_SQRT_2PI, -loss, width


def _root(laws: ByMargin, log_delta: float, direction: str, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest ε ≥ 0 with δ(ε) ≤ δ in one direction, and where it is settled."""
    at, settled = start.copy(), np.zeros(start.size, dtype=bool)
    active = np.arange(start.size)
    for _ in range(_ROUNDS):
        if not active.size:
            break
        nodes = placed(laws.take(active), at[active], direction)
        here = nodes.nearer(at[active], log_delta)
        value, slope, agreed, _ = nodes.log_delta(here)
        new = _newton(here, value - log_delta, slope)
        at[active] = new
        close = np.abs(new - here) <= _STEP * here
        settled[active] = agreed & close
        active = active[np.isfinite(new) & ~(agreed & close)]
    return at, settled


def _newton(at: np.ndarray, missing: np.ndarray, slope: np.ndarray) -> np.ndarray:
    return np.clip(at - missing / slope, 0.0, 4 * at + 1e-6)


def even_epsilon(laws: ByMargin, log_delta: float, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions from a guess (n_records,), and of which records it is settled.

    Settled is what every other node says too, to a part in 10⁵ of δ: the error of such sums falls by its square.
    """
    found, settled = _root(laws, log_delta, "add", start)
    hidden = laws.hidden(log_delta)
    found[hidden] = 0.0
    rows = np.flatnonzero(settled)
    if not rows.size:
        return found, hidden
    value, _, agreed, most = placed(laws.take(rows), found[rows], "remove").log_delta(found[rows])
    settled[rows] = agreed | (most <= log_delta)
    rows = rows[agreed & (value > log_delta + _SLACK)]
    if rows.size:
        found[rows], settled[rows] = _root(laws.take(rows), log_delta, "remove", np.maximum(found[rows], 1e-9))
    return found, settled | hidden
