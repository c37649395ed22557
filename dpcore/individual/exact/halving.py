"""log δ and ε from integrals over the margin; panels that are too wide are halved."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from dpcore.individual.exact.by_margin import ByMargin, MarginNodes

# Number of Gauss–Lobatto nodes of a panel. Doubled, fewer panels are halved.
_ORDER = 11
# Where the integrand is this many nats below its peak, it is left out. Doubled, there are more panels.
_CUT = 30.0
# Errors of log δ that are accepted (nats): _CRUDE on the first nodes, _SETTLED at the end, _ERROR due to panels.
# Doubled, errors may be twice as large.
_CRUDE, _SETTLED, _ERROR = 3e-3, 1e-10, 1e-10
# Errors of log δ relative to its distance from the level. _OF_MISSING: up to this error, a Newton step is taken.
# _FINER: up to this error, panels are not halved. Doubled, steps are less accurate, and fewer panels are halved.
_OF_MISSING, _FINER = (
    0.1,
    0.03,
)
# The first nodes reach to where the density is this many nats below the smallest δ. Doubled, they reach further.
_BEYOND = 27.0
# Largest number of passes (steps or halvings) of a search, and of panels of a record. Doubled, records that do not
# settle take longer.
_PASSES, _MOST = 80, 600
# How often panels are chosen anew at most, as ε moves. Doubled, records whose panels keep moving take longer.
_WINDOWS = 4


def _lobatto(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes and weights of the Gauss–Lobatto rule on [0, 1]; a matrix from values there to four Legendre coefficients.

    These are the two in the middle and the last two. The ends are nodes, so that no peak is missed at the end of a
    panel.
    """
    last = np.polynomial.legendre.Legendre.basis(count - 1)
    nodes = np.concatenate([[-1.0], np.sort(last.deriv().roots().real), [1.0]])
    weights = 1 / (count * (count - 1) * last(nodes) ** 2)
    kept = [count // 2 - 1, count // 2, count - 2, count - 1]
    return (1 + nodes) / 2, weights, np.linalg.inv(np.polynomial.legendre.legvander(nodes, count - 1))[kept].T


_NODES, _WEIGHTS, _LAST = _lobatto(_ORDER)


@dataclass(frozen=True, eq=False)
class Panels:
    """Panels from `left` and as wide as `size` (n_panels,), and their nodes."""

    laws: ByMargin
    left: np.ndarray
    size: np.ndarray
    nodes: MarginNodes

    @classmethod
    def of(cls, laws: ByMargin, rows: np.ndarray, left: np.ndarray, size: np.ndarray) -> Panels:
        """Panels of records at increasing positions `rows` (n_panels,)."""
        nodes = laws.nodes(rows, left[:, None] + size[:, None] * _NODES, size[:, None] * _WEIGHTS)
        return cls(laws, left, size, nodes)

    @classmethod
    def between(cls, laws: ByMargin, x: np.ndarray, cells: np.ndarray) -> Panels:
        """Some of the cells (n_records, n_nodes − 1) between nodes x."""
        rows, cell = np.nonzero(cells)
        left = x[rows, cell]
        return cls.of(laws, rows, left, x[rows, cell + 1] - left)

    def take(self, panels: np.ndarray) -> Panels:
        """Some of the panels."""
        return Panels(self.laws, self.left[panels], self.size[panels], self.nodes.take(panels))

    def of_records(self, records: np.ndarray) -> Panels:
        """The panels of some of the records at increasing positions, which become 0, 1, …"""
        place, nodes = self.nodes.of_records(records, self.laws.y.size)
        return Panels(self.laws.take(records), self.left[place], self.size[place], nodes)

    def wide(self, error: np.ndarray, limit: np.ndarray) -> np.ndarray:
        """Which panels to halve, given the error due to each; those of a record may add up to `limit` (n_records,)."""
        rows = self.nodes.rows
        count = np.bincount(rows, minlength=limit.size)
        return np.asarray((error > (limit / np.maximum(count, 1))[rows]) & (count < _MOST)[rows])

    def halved(self, wide: np.ndarray) -> Panels:
        """The same panels, with some of them halved."""
        if not wide.any():
            return self
        half = 0.5 * self.size[wide]
        rows, left = np.repeat(self.nodes.rows[wide], 2), self.left[wide]
        new = Panels.of(self.laws, rows, np.stack([left, left + half], axis=1).ravel(), np.repeat(half, 2))
        old = self.take(~wide)
        rows = np.concatenate([old.nodes.rows, new.nodes.rows])
        order = np.argsort(rows, kind="stable")
        parts = zip(vars(old.nodes).values(), vars(new.nodes).values(), strict=True)
        nodes = MarginNodes(*(np.concatenate(part)[order] for part in parts))
        left, size = (np.concatenate(part)[order] for part in ((old.left, new.left), (old.size, new.size)))
        return Panels(self.laws, left, size, nodes)


@dataclass(frozen=True, eq=False)
class Sums:
    """log δ of each record, its derivative in ε, its error, and the error due to each panel."""

    value: np.ndarray
    slope: np.ndarray
    error: np.ndarray
    of_panel: np.ndarray

    @classmethod
    def of(cls, nodes: MarginNodes, epsilon: np.ndarray, direction: str, coarse: bool) -> Sums:
        """Sums over the panels of each record; if `coarse`, errors are not computed and are 0."""
        n, rows = epsilon.size, nodes.rows
        value, slope, error = np.full(n, -np.inf), np.zeros(n), np.zeros(n)
        of_panel = np.zeros(rows.size)
        if not rows.size:
            return cls(value, slope, error, of_panel)
        scale, terms, fall = nodes.terms(epsilon, direction)
        begin = np.flatnonzero(np.diff(rows, prepend=-1))
        count = np.diff(begin, append=rows.size)
        seen = rows[begin]
        top = np.maximum.reduceat(scale.max(axis=1), begin)
        top = np.where(np.isfinite(top), top, 0.0)
        share = np.exp(scale - np.repeat(top, count)[:, None])
        terms = share * terms
        terms[np.isnan(terms)] = 0.0
        total = np.add.reduceat((terms * nodes.weight).sum(axis=1), begin)
        lost = np.add.reduceat((np.nan_to_num(share * fall) * nodes.weight).sum(axis=1), begin)
        with np.errstate(all="ignore"):
            value[seen] = top + np.log(total)
            slope[seen] = np.where(total > 0, -lost / total, 0.0)
            if not coarse:
                middle, last = np.abs(terms @ _LAST).reshape(-1, 2, 2).max(axis=2).T
                size = nodes.weight.sum(axis=1) / np.repeat(total, count)
                of_panel = np.nan_to_num(size * last * np.minimum(1.0, last / middle))
                error[seen] = np.add.reduceat(of_panel, begin)
        return cls(value, slope, error, of_panel)


def solve_for(
    panels: Panels | MarginNodes,
    epsilon: np.ndarray,
    direction: str,
    log_delta: float | None = None,
    level: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """ε and log δ(ε), both (n_records,): ε is as given or, with a target, the smallest ε ≥ 0 that meets it.

    A target is met by Newton steps on log δ inside a bracket. Panels are halved as far as the distance to the target
    requires.

    Parameters
    ----------
    panels : panels, or nodes that are left as they are, for a rough answer
    epsilon : the start of the search or, without a target, ε
    direction : "add" or "remove"
    log_delta : target
    level : without a target, a value of log δ; it is then enough to know on which side of it log δ(ε) is
    """
    settled, closed = (_CRUDE, _CRUDE) if isinstance(panels, MarginNodes) else (_SETTLED, 4e-16)
    result, values, active = epsilon.copy(), np.full(epsilon.size, -np.inf), np.arange(epsilon.size)
    at, low, high = epsilon.copy(), np.full(epsilon.size, -1.0), np.full(epsilon.size, np.inf)
    for _ in range(_PASSES):
        sums = Sums.of(
            panels.nodes if isinstance(panels, Panels) else panels, at, direction, isinstance(panels, MarginNodes)
        )
        value, error = sums.value, sums.error
        values[active], result[active] = value, at
        with np.errstate(invalid="ignore"):
            missing = np.abs(value - (log_delta if log_delta is not None else np.nan if level is None else level))
        wide = panels.wide(sums.of_panel, np.fmax(_ERROR, _FINER * missing)) if isinstance(panels, Panels) else None
        fine = np.ones(at.size, dtype=bool)
        if isinstance(panels, Panels) and wide is not None:
            fine[panels.nodes.rows[wide]] = False
        if log_delta is None:
            done = fine
        else:
            above, known = value > log_delta, fine | (error <= _OF_MISSING * missing)
            low, high = np.where(known & above, at, low), np.where(known & ~above, at, high)
            with np.errstate(all="ignore"):
                trial = np.where(value == -np.inf, 0.0, np.maximum(at - (value - log_delta) / sums.slope, 0.0))
            farthest = 4 * at + 1e-6
            middle = np.where(high > 4 * low, np.sqrt(np.maximum(low, 1e-3 * high) * high), 0.5 * (low + high))
            middle = np.where(np.isinf(high), farthest, middle)
            trial = np.where(
                (trial > low) & (trial < high) & (trial < farthest) | (trial == 0) & (low < 0), trial, middle
            )
            shut = high <= low * (1 + closed)
            done = fine & (missing <= settled) | known & (at == 0) & ~above | fine & shut
            low, high = np.where(shut & ~done, -1.0, low), np.where(shut & ~done, np.inf, high)  # shut by rougher sums
            at = np.where(known & ~done, trial, at)
        if done.all():
            break
        kept = np.flatnonzero(~done)
        if isinstance(panels, Panels) and wide is not None:
            panels = panels.halved(wide & ~done[panels.nodes.rows])
        if kept.size < done.size:
            panels = panels.of_records(kept) if isinstance(panels, Panels) else panels.of_records(kept, done.size)[1]
            active, at, low, high = active[kept], at[kept], low[kept], high[kept]
    return result, values


class Integrated:
    """log δ and ε of records by integrals over the margin.

    Parameters
    ----------
    laws : the records
    depth : nats to which δ is followed
    """

    def __init__(self, laws: ByMargin, depth: float) -> None:
        self.laws = laws
        self.x, self.nodes = laws.first(float(np.sqrt(2 * (depth + _BEYOND))))

    def take(self, records: np.ndarray) -> Integrated:
        """Some of the records at increasing positions."""
        part = copy.copy(self)
        part.laws, part.x = self.laws.take(records), self.x[records]
        part.nodes = self.nodes.of_records(records, len(self.x))[1]
        return part

    def cells(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        """The cells between the first nodes (n_records, n_nodes − 1) where the integrand is not far below its peak."""
        scale, value, _ = self.nodes.terms(epsilon, direction)
        with np.errstate(all="ignore"):
            height = scale + np.log(value)
        height[np.isnan(height)] = -np.inf
        seen = height > height.max(axis=1, keepdims=True) - _CUT
        cells = seen[:, 1:] | seen[:, :-1]
        beside = np.pad(cells, ((0, 0), (1, 1)))
        cells |= beside[:, 2:] | beside[:, :-2]  # if f' is 0 there, the integrand may be 0 between two peaks
        return np.asarray(cells & (self.x[:, 1:] > self.x[:, :-1]))

    def root(self, start: np.ndarray, direction: str, log_delta: float) -> np.ndarray:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ in one direction, searched from a start that is roughly right."""
        found, part, open_ = start.copy(), self, np.arange(start.size)
        cells = part.cells(start, direction)
        for _ in range(_WINDOWS):
            panels = Panels.between(part.laws, part.x, cells)
            found[open_], _ = solve_for(panels, found[open_], direction, log_delta)
            again = part.cells(found[open_], direction)
            missed = np.flatnonzero((again & ~cells).any(axis=1))
            if not missed.size:
                break
            part, open_, cells = part.take(missed), open_[missed], (again | cells)[missed]
        return found

    def value(self, epsilon: np.ndarray, direction: str, level: float | None = None) -> np.ndarray:
        """log δ(ε); with a level, only as accurate as it takes to know on which side of the level it is."""
        panels = Panels.between(self.laws, self.x, self.cells(epsilon, direction))
        return solve_for(panels, epsilon, direction, level=level)[1]

    def one_way(self, log_delta: float, direction: str, start: np.ndarray) -> np.ndarray:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ in one direction."""
        return self.root(solve_for(self.nodes, start, direction, log_delta)[0], direction, log_delta)

    def epsilon(self, log_delta: float, start: np.ndarray) -> np.ndarray:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions."""
        found, _ = solve_for(self.nodes, start, "add", log_delta)
        _, other = solve_for(self.nodes, found, "remove")
        removed = other > log_delta
        rows = np.flatnonzero(removed)
        if rows.size:
            found[rows], _ = solve_for(self.take(rows).nodes, found[rows], "remove", log_delta)
        for way, back, mine in (("add", "remove", ~removed), ("remove", "add", removed)):
            rows = np.flatnonzero(mine)
            if not rows.size:
                continue
            found[rows] = self.take(rows).root(found[rows], way, log_delta)
            rows = rows[self.take(rows).value(found[rows], back, log_delta) > log_delta + _SETTLED]
            if rows.size:
                found[rows] = self.take(rows).one_way(log_delta, back, np.maximum(found[rows], 1e-9))
        return found
