"""ε of very many records by a few dozen nodes each, placed where the integrand is; it says which ε are settled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcore.individual.exact.by_margin import FADED, ByMargin
from dpcore.individual.exact.newton import LAST_STEP, SETTLED
from dpcore.individual.numbers import BESIDE
from dpcore.mechanisms.shifted_normal import shifted_normal_epsilon
from dpcore.numerics import LARGEST, normal_hockey_stick

# Number of rounds of guessing, of Newton steps to the x of a given x̃, and of placing nodes. Doubled, guesses are no
# nearer: their error is a part in 500 if the loss is smooth, and a few per cent at a kink.
_GUESSES = 3
# Logarithm of the largest share of the law that may lie beyond a place. Doubled, guesses for large δ are worse.
_AT_MOST = -1.0
# Numbers of nodes, odd: to show that δ is smaller than asked for, around one threshold, and around two, between which f'
# may be 0. Doubled, hardly any more records are settled; with an eighth fewer, one in twenty is not.
_NODES = (17, 33, 89)
# Relative error of a sum that is accepted, and share of the integral that may lie at the ends, or be found beyond the
# threshold. The error is the square of the difference to the sum over every other node; around two thresholds and for
# wide laws, where it may be larger, the difference itself must be below ten times this. Doubled, so are errors.
_ERROR = 1e-8
# Standard deviation of a margin above which f bends between two nodes. Halved, one record in eight that was settled is
# not.
_WIDE = 2.0
# If ε changes by less than this (relative), nodes are not placed again. Doubled, as many records are settled; with 30
# times this, one in 13 is not.
_AS_PLACED = 1e-3
# Largest relative change of ε since nodes were placed for which they count as well placed. Without this condition, sums
# agree by chance, and the error of ε is up to 4e-6.
_PLACED = 3e-2
# Excess of log δ that is allowed in the other direction. Doubled, errors may be twice as large.
_SLACK = 1e-6
# If a δ is only asked to be small enough, this multiple of its error is added. Doubled, hardly fewer records are
# settled.
_SURELY = 30.0
# Number of parts into which the region beyond the threshold is cut. Doubled, hardly any more records are settled.
_BEYOND = 8

# nodes on [0, 1], their weights, and the weights of every other node
_Nodes = tuple[np.ndarray, np.ndarray, np.ndarray]
_Rule = tuple[_Nodes, _Nodes]


def _equal(count: int) -> _Nodes:
    """Nodes on [0, 1], weights, and weights of every other node, for a sum in equal steps."""
    nodes = np.linspace(0.0, 1.0, count)
    weights = np.full(count, 1 / (count - 1))
    return nodes, weights, 2 * weights[::2]


def _clenshaw_curtis(count: int) -> _Nodes:
    """The same for the rule of Clenshaw and Curtis, which suits integrands that do not vanish at the ends."""

    def weights(size: int) -> np.ndarray:
        order = np.arange(0, size, 2)
        values = np.zeros(size)
        values[::2] = 1 / (1 - np.square(order))
        at = -np.cos(np.pi * np.arange(size) / (size - 1))
        return np.linalg.solve(np.polynomial.chebyshev.chebvander(at, size - 1).T, values)

    return 0.5 - 0.5 * np.cos(np.pi * np.arange(count) / (count - 1)), weights(count), weights((count + 1) // 2)


# Pairs of rules, for a single panel and for each of several. _FEW: to show that δ is smaller than asked for. _ONE:
# around one threshold. _TWO: around two.
_FEW, _ONE, _TWO = ((_equal(size), _clenshaw_curtis(size)) for size in _NODES)


@dataclass(frozen=True, eq=False)
class Guess:
    r"""ε guessed from the loss L at x = ±q. Beyond q, L grows at the rate L' and the log density falls at the rate q.

    .. math:: δ ≈ Φ(−q)\,\frac{L'}{q + L'}\left(1 + \frac{3}{2q²}\right)^{-1}, \quad ε ≈ \max_± L(±q)

    The last factor is between that of a linear and that of a quadratic loss. If the loss is nearly as large on the
    other side, that side adds its own part; L is then taken to be quadratic between both.

    Parameters
    ----------
    epsilon : the guesses of ε (n_records,)
    farther : x of the place of the larger loss (n_records, 1)
    both : x of both places (n_records, 2)
    two : whether the loss reaches ε on both sides (n_records,)
    """

    epsilon: np.ndarray
    farther: np.ndarray
    both: np.ndarray
    two: np.ndarray

    @classmethod
    def of(cls, laws: ByMargin, log_delta: float, direction: str) -> Guess:
        """The guess for one direction."""
        every, share = np.arange(laws.y.size), np.ones((laws.y.size, 1))
        for _ in range(_GUESSES):
            q = np.abs(special.ndtri_exp(np.minimum(log_delta - np.log(share), _AT_MOST)))
            end = x = q * [-1.0, 1.0]
            slope, back, gain = laws.slopes(every[:, None], x)
            for _ in range(_GUESSES if direction == "remove" else 0):
                x = x - (x + back - end) / (1 + gain)
                slope, back, gain = laws.slopes(every[:, None], x)
            loss, rise = back * (x + 0.5 * back) - np.log1p(gain), np.sign(x) * ((x + back) * (1 + gain) - x)
            if direction == "remove":
                loss, rise = -loss, -rise / (1 + gain)
            noise, above = np.square(slope * laws.pull[:, None]), np.maximum(loss, 0.0)
            lost = np.sqrt(above * above + q * q * noise)
            most = lost.argmax(axis=1)[:, None]
            steep = (above * rise + q * noise) / np.maximum(lost, 1 / LARGEST)
            farther, epsilon, steep = (np.take_along_axis(part, most, axis=1) for part in (x, lost, steep))
            missing = np.maximum(epsilon - loss, 0.0)
            bent = np.sqrt(np.maximum(rise * rise + rise.sum(axis=1, keepdims=True) / q * missing, 0.0))
            reach = q + 2 * missing / np.maximum(rise + bent, 1 / LARGEST)
            other = np.exp(0.5 * (q * q - np.square(reach.max(axis=1, keepdims=True))))
            share = np.maximum(steep / (q + steep) / (1 + 1.5 / (q * q)) * (1 + other), 1 / LARGEST)
        deep = np.sqrt(1 + 2 * FADED / (q * q))
        two = -laws.at(every, x * deep, direction)[1].max(axis=1) > epsilon[:, 0]
        return cls(np.maximum(epsilon[:, 0], SETTLED), farther, x * np.minimum(reach / q, deep), two)


@dataclass(frozen=True, eq=False)
class EvenNodes:
    """Nodes (n_panels, n_nodes) of records at increasing positions `rows` (n_panels,), in one direction.

    Parameters
    ----------
    rows : position of the record of each panel
    first : first panel of each record (n_records,)
    scale : logarithm of the unit of `density` (n_records,)
    density : weights times the density of the law that is integrated over
    other : weights of the rule of every other node, divided by the weights of these nodes (n_panels, n_nodes // 2 + 1)
    loss : ω, or −ω if the record is removed
    width : v
    vanishes : whether the integrand should vanish at the first and at the last node of a panel (n_panels, 2)
    beyond : density × width, loss and v at further places: beyond the threshold, and where f bends (n_records, k) each
    within : which of these places lie between nodes (n_records, k)
    squared : whether the error of a sum is the square of its relative difference to that of every other node
        (n_records,)
    """

    rows: np.ndarray
    first: np.ndarray
    scale: np.ndarray
    density: np.ndarray
    other: np.ndarray
    loss: np.ndarray
    width: np.ndarray
    vanishes: np.ndarray
    beyond: tuple[np.ndarray, np.ndarray, np.ndarray]
    within: np.ndarray
    squared: np.ndarray

    def nearer(self, epsilon: np.ndarray, log_delta: float) -> np.ndarray:
        """ε after a Newton step towards δ, from the sum over every other node."""
        value, fall = normal_hockey_stick(self.width[:, ::2], epsilon[self.rows, None] + self.loss[:, ::2])
        density = self.density[:, ::2] * self.other
        total = self._sum(density * value)
        return _newton(epsilon, self.scale + np.log(total) - log_delta, -self._sum(density * fall) / total)

    def log_delta(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """log δ(ε) of every record, its derivative, whether all checks agree, and an upper value of log δ(ε)."""
        value, fall = normal_hockey_stick(self.width, epsilon[self.rows, None] + self.loss)
        value *= self.density
        total = self._sum(value)
        rough = self._sum(value[:, ::2] * self.other)
        ends = np.maximum.reduceat((value[:, [0, -1]] * self.vanishes).max(axis=1), self.first)
        density, loss, width = self.beyond
        met = density * normal_hockey_stick(width, epsilon[:, None] + loss)[0]
        bump, outside = ((met * where).max(axis=1) for where in (self.within, ~self.within))
        apart, unseen = np.abs(rough - total), np.maximum(ends, outside)
        agree = np.where(self.squared, np.sqrt(_ERROR), 10 * _ERROR)
        error = apart * np.where(self.squared, np.minimum(apart / total, 1.0), 1.0)
        return (
            self.scale + np.log(total),
            -self._sum(self.density * fall) / total,
            apart / agree + unseen / _ERROR <= total,
            self.scale + np.log(total + _SURELY * (error + bump) + unseen / _ERROR),
        )

    def _sum(self, value: np.ndarray) -> np.ndarray:
        return np.add.reduceat(value.sum(axis=1), self.first)


def placed(laws: ByMargin, epsilon: np.ndarray, direction: str, start: np.ndarray, rule: _Rule) -> EvenNodes:
    r"""Nodes even in u, x = x_0 + a\sinh u, around thresholds x_0 where |ω| = ε, on which G rises over the width a.

    At a kink of f, a new panel begins. How far nodes reach is computed as if both laws were normal.

    Parameters
    ----------
    laws : the records
    epsilon : approximate ε (n_records,)
    direction : "add" or "remove"
    start : x from which a threshold is searched for, one or two for each record (n_records, 1 or 2)
    rule : nodes of one panel, and of each of several
    """
    count = start.shape[1]
    of, sign = np.repeat(np.arange(epsilon.size), count), 1.0 if direction == "add" else -1.0
    peak, level = start.ravel(), epsilon[of]
    for _ in range(_GUESSES):
        slope, back, gain = laws.slopes(of, peak)
        rise = sign * (peak - (peak + back) * (1 + gain))
        x = peak - (level + sign * (np.log1p(gain) - back * (peak + 0.5 * back))) / rise
        rate, place = (1 + 0 * x, x) if direction == "add" else (1 + gain, x + back + gain * (x - peak))
        side = -np.sign(rise)
        place, width = side * place, np.abs(slope * laws.pull[of] / rise) * rate
        top = np.maximum(place, 0.0) / (1 + width * width)
        peak = x + side * (top - place) / rate
    x = np.where(np.abs(x) < 1 / BESIDE, x, np.nan)
    cut, unit = np.full(x.shape, -np.inf), side * width / rate
    if count > 1:
        begin, way = start.ravel(), np.sign(start.ravel())
        seen = top * top * (1 + width * width) < 2 * (begin * begin + FADED)
        x = np.where(np.isfinite(x * unit) & seen, x, begin)
        # If both searches end at the same place, the one that began on the other side has failed.
        same = np.repeat(np.diff(x.reshape(-1, 2)) <= BESIDE, 2)
        x = np.where(same & (way * x <= 0), begin, x)
        x = np.where(np.repeat(np.diff(x.reshape(-1, 2)) <= 0, 2), begin, x)
        known, none = (unit, width, rate, side, place, top), (way, 1.0, 1.0, way, np.abs(begin), 0.5 * np.abs(begin))
        unit, width, rate, side, place, top = (
            np.where(x == begin, other, part) for other, part in zip(none, known, strict=True)
        )
        cut = np.arcsinh((np.repeat(x.reshape(-1, 2).mean(axis=1), 2) - x) / unit)
    height = 0.5 * top * top * (1 + width * width)
    far, stiff = np.sqrt(2 * (height + FADED)), 1 / np.square(width)
    square = (1 + stiff) * far * far - stiff * place * place
    near = np.where(square > 0, (place * stiff - np.sqrt(np.maximum(square, 0.0))) / (1 + stiff), -far)
    dark = np.where(cut < 0, np.maximum(place + width * np.sinh(cut), -far), -far)
    near = np.maximum(near, dark)
    low, high = (np.arcsinh((end - place) / width) for end in (near, far))
    high = np.where(cut > 0, np.minimum(cut, high), high)
    height = height.reshape(-1, count).min(axis=1)
    kinks, bumps = laws.kinks[of], laws.bumps()[of]
    if direction == "remove":  # it may lose most near the middle of the law, far from the threshold
        kinks = np.column_stack([kinks, 0 * x])
    cuts = np.arcsinh((kinks - x[:, None]) / unit[:, None])
    unseen = (cuts < low[:, None]) | (cuts > high[:, None])
    unseen = np.repeat(unseen.reshape(epsilon.size, count, kinks.shape[1]).all(axis=1), count, axis=0)
    at = np.arcsinh((bumps - x[:, None]) / unit[:, None])
    between = (at >= low[:, None]) & (at <= high[:, None])
    first, last = (x + unit * np.sinh(end) for end in (low, high))
    edges = np.clip(
        np.column_stack([first, kinks, last]), *(end(first, last)[:, None] for end in (np.minimum, np.maximum))
    )
    cuts = np.clip(np.column_stack([low, cuts, high]), low[:, None], high[:, None])
    order = np.argsort(cuts, axis=1)
    edges, cuts = (np.take_along_axis(part, order, axis=1) for part in (edges, cuts))
    size = np.diff(cuts, axis=1)
    seen = size > BESIDE
    seen[:, 0] |= ~seen.any(axis=1)
    hump, panel = np.nonzero(seen)
    rows = of[hump]
    whole = (seen.sum(axis=1) == 1)[hump, None]
    nodes, weights, other = (np.where(whole, *pair) for pair in zip(*rule, strict=True))
    size = size[hump, panel][:, None]
    u = cuts[hump, panel][:, None] + size * nodes
    grown, fallen = 0.5 * np.exp(u), 0.5 * np.exp(-u)
    x_nodes = x[hump, None] + unit[hump, None] * (grown - fallen)
    x_nodes[:, 0], x_nodes[:, -1] = edges[hump, panel], edges[hump, panel + 1]  # rounding might put them beyond a kink
    log_density, loss, v = laws.at(rows, x_nodes, direction)
    density = np.exp(log_density + height[rows, None]) * (np.abs(unit)[hump, None] * size * weights) * (grown + fallen)
    ends = np.diff(hump, prepend=-1, append=-1) != 0
    step = (near - dark)[:, None] / _BEYOND
    places = x[:, None] + (side / rate)[:, None] * ((near - place)[:, None] - step * np.arange(_BEYOND + 1))
    marks = np.where(unseen, kinks, x[:, None]), bumps
    log_density, *beyond = laws.at(of, np.column_stack([places, *marks]), direction)
    # A second threshold may lie between two places. The density is taken at the place that is nearer to the middle of
    # the law.
    log_density[:, 1 : _BEYOND + 1] = np.maximum(log_density[:, :_BEYOND], log_density[:, 1 : _BEYOND + 1])
    bump_size = np.broadcast_to(1 / (1 + laws.scale[of, None]), bumps.shape)
    size = np.column_stack([np.repeat(step / rate[:, None], _BEYOND + 1, axis=1), unseen, bump_size])
    within = np.column_stack([np.zeros((x.size, size.shape[1] - bumps.shape[1]), dtype=bool), between])
    met = np.exp(log_density + height[of, None]) * size
    return EvenNodes(
        rows,
        np.flatnonzero(np.diff(rows, prepend=-1)),
        -height,
        density,
        other / weights[:, ::2],
        loss,
        v,
        np.column_stack([ends[:-1], ends[1:]]),
        tuple(part.reshape(epsilon.size, -1) for part in (met, *beyond)),
        within.reshape(epsilon.size, -1),
        (rule is not _TWO) & (laws.scale < _WIDE),
    )


def _root(laws: ByMargin, guess: Guess, log_delta: float, direction: str) -> tuple[np.ndarray, np.ndarray]:
    """Smallest ε ≥ 0 with δ(ε) ≤ δ in one direction, and whether it is settled."""
    narrow = laws.scale < _WIDE
    at, settled = guess.epsilon.copy(), np.zeros(guess.epsilon.size, dtype=bool)
    for twice, start in ((False, guess.farther), (True, guess.both)):
        active = np.flatnonzero(~settled & narrow if twice else ~(guess.two & narrow))
        at[active], x = guess.epsilon[active], start[active]
        for _ in range(_GUESSES):
            if not active.size:
                break
            nodes = placed(laws.take(active), at[active], direction, x, _TWO if twice else _ONE)
            here = nodes.nearer(at[active], log_delta)
            value, slope, agreed, _ = nodes.log_delta(here)
            new = _newton(here, value - log_delta, slope)
            moved = np.abs(new - at[active])
            settled[active] = agreed & (np.abs(new - here) <= LAST_STEP * here) & (moved <= _PLACED * new)
            on = np.isfinite(new) & ~settled[active] & (moved > _AS_PLACED * new)
            at[active] = new
            active, x = active[on], x[on]
    return at, settled


def _newton(at: np.ndarray, missing: np.ndarray, slope: np.ndarray) -> np.ndarray:
    return np.clip(at - missing / slope, 0.0, 4 * at + 1e-6)


def even_epsilon(laws: ByMargin, log_delta: float) -> tuple[np.ndarray, np.ndarray]:
    """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions (n_records,), and for which records it is settled.

    ε is settled if the sum over every other node gives the same δ to a part in 10⁴: the error of the full sum is about
    the square of this difference.
    """
    shift = laws.straight(log_delta)
    settled, opposite = ~np.isnan(shift), np.zeros((shift.size, 1))
    found, rows = shifted_normal_epsilon(log_delta, np.where(settled, shift, 0.0)), np.flatnonzero(~settled)
    part = laws.take(rows)
    guess = Guess.of(part, log_delta, "add")
    opposite[rows] = -guess.farther
    found[rows], settled[rows] = _root(part, guess, log_delta, "add")
    rows, other = rows[settled[rows]], np.zeros(0, dtype=int)
    for rule in (_FEW, _ONE, _TWO):
        rows = rows[laws.scale[rows] < _WIDE] if rule is _TWO else rows
        if not rows.size:
            break
        part = laws.take(rows)
        if rule is _FEW:
            x = opposite[rows]  # removal loses most on the side opposite to addition
        else:
            guess = Guess.of(part, log_delta, "remove")
            x = guess.both if rule is _TWO else guess.farther
        value, _, agreed, most = placed(part, found[rows], "remove", x, rule).log_delta(found[rows])
        agreed &= rule is not _FEW  # so few nodes cannot tell δ from a slightly larger one
        other = np.append(other, rows[agreed & (value > log_delta + _SLACK)])
        settled[rows] = agreed | (most <= log_delta)
        rows = rows[~settled[rows]]
    if other.size:
        part = laws.take(other)
        found[other], settled[other] = _root(part, Guess.of(part, log_delta, "remove"), log_delta, "remove")
    return found, settled
