"""log δ and ε from integrals over the margin; panels that are too wide are halved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.individual.exact.by_margin import FADED, ByMargin
from dpcore.individual.exact.newton import MOST_STEPS, SETTLED, next_epsilon
from dpcore.numerics import OfRows, normal_hockey_stick

# Number of Gauss–Lobatto nodes of a panel. Doubled, fewer panels are halved.
_ORDER = 11
# Error of log δ, relative to its distance from the level, up to which panels are not halved, and a Newton step is
# taken. Doubled, steps are less accurate.
_FINER = 0.1
# Largest number of panels of a record. Doubled, records that do not settle take longer.
_MOST = 600


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
class Panels(OfRows):
    """Panels of records in one direction, with their nodes; arrays are (n_panels, n_nodes), `rows` is (n_panels,).

    Parameters
    ----------
    laws, direction : the records, and "add" or "remove"
    rows : position of the record of each panel, increasing
    x, weight : quadrature nodes, and their weights
    density : density of the law that is integrated over
    loss : ω, or −ω if the record is removed
    width : v
    """

    shared: ClassVar[tuple[str, ...]] = ("laws",)  # these have a row a record

    laws: ByMargin
    direction: str
    rows: np.ndarray
    x: np.ndarray
    weight: np.ndarray
    density: np.ndarray
    loss: np.ndarray
    width: np.ndarray

    @classmethod
    def of(cls, laws: ByMargin, direction: str, rows: np.ndarray, x: np.ndarray, weight: np.ndarray) -> Panels:
        """Panels with these nodes.

        Parameters
        ----------
        laws, direction, rows, x, weight : as those of the panels
        """
        log_density, loss, width = laws.at(rows, x, direction)
        return cls(laws, direction, rows, x, weight, np.exp(log_density), loss, width)

    @classmethod
    def between(cls, laws: ByMargin, direction: str, rows: np.ndarray, left: np.ndarray, right: np.ndarray) -> Panels:
        """Panels with Gauss–Lobatto nodes.

        Parameters
        ----------
        laws, direction, rows : as those of the panels
        left, right : where each panel begins and ends (n_panels,)
        """
        size = (right - left)[:, None]
        return cls.of(laws, direction, rows, left[:, None] + size * _NODES, size * _WEIGHTS)

    def halved(self, wide: np.ndarray) -> Panels:
        """The same panels, with some of them halved."""
        if not wide.any():
            return self
        left, right = self.x[wide][:, [0, -1]].T
        cuts = np.stack([left, 0.5 * (left + right), right], axis=1)
        rows, ends = np.repeat(self.rows[wide], 2), (part.ravel() for part in (cuts[:, :-1], cuts[:, 1:]))
        old, new = self.take(~wide), Panels.between(self.laws, self.direction, rows, *ends)
        both = Panels.joined([old, new])
        return both.take(np.argsort(both.rows, kind="stable"))

    def terms(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The integrand of δ at ε of each record (n_records,), and that of −dδ/dε."""
        value, fall = normal_hockey_stick(self.width, epsilon[self.rows, None] + self.loss)
        return np.nan_to_num(self.density * np.maximum(value, 0.0)), np.nan_to_num(self.density * fall)

    def sums(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """log δ(ε) of each record, its derivative in ε, and the integrand of δ (n_panels, n_nodes)."""
        terms, fall = self.terms(epsilon)
        total, lost = (np.bincount(self.rows, (part * self.weight).sum(axis=1), epsilon.size) for part in (terms, fall))
        with np.errstate(all="ignore"):
            return np.log(total), np.where(total > 0, -lost / total, 0.0), terms

    def errors(self, log_delta: np.ndarray, terms: np.ndarray) -> np.ndarray:
        """The relative error of δ due to each panel (n_panels,), from what `sums` has found."""
        with np.errstate(all="ignore"):
            middle, last = np.abs(terms @ _LAST).reshape(-1, 2, 2).max(axis=2).T
            size = self.x[:, -1] - self.x[:, 0]
            return np.nan_to_num(size * last * np.minimum(1.0, last / middle) / np.exp(log_delta)[self.rows])


def _refined(panels: Panels, epsilon: np.ndarray, level: float, moving: bool) -> tuple[np.ndarray, np.ndarray]:
    """ε and log δ(ε), both (n_records,): ε is as given or, if it is moving, the smallest ε ≥ 0 that meets the level.

    The level is met by Newton steps on log δ inside a bracket. Panels are halved as far as the distance to the level
    requires. Of a record without panels, ε stays as given.

    Parameters
    ----------
    panels : the first panels
    epsilon : ε, or the start of the search
    level : a value of log δ; if ε is not moving, it is enough to know on which side of it log δ(ε) is; nan if there is
        none
    moving : whether ε is searched for
    """
    at, values = epsilon.copy(), np.full(epsilon.size, -np.inf)
    low, high = np.full(epsilon.size, -1.0), np.full(epsilon.size, np.inf)
    for _ in range(MOST_STEPS):
        rows = panels.rows
        count = np.bincount(rows, minlength=at.size)
        value, slope, terms = panels.sums(at)
        values = np.where(count > 0, value, values)
        missing, error = value - level, panels.errors(value, terms)
        allowed = np.fmax(SETTLED, _FINER * np.abs(missing)) / np.maximum(count, 1)
        wide = (error > allowed[rows]) & (count < _MOST)[rows]
        fine = (np.bincount(rows, wide, at.size) == 0) & (count > 0)
        done = fine
        if moving:
            low, high = np.where(fine & (missing > 0), at, low), np.where(fine & ~(missing > 0), at, high)
            trial, _ = next_epsilon(at, missing, slope, low, high)
            shut = high <= low * (1 + 4e-16)
            done = fine & ((np.abs(missing) <= SETTLED) | (at == 0) & (missing <= 0) | shut)
            low, high = np.where(shut & ~done, -1.0, low), np.where(shut & ~done, np.inf, high)  # shut by rougher sums
            at = np.where(fine & ~done, trial, at)
        kept = ~done[rows]
        if not kept.any():
            break
        panels = panels.take(kept).halved(wide[kept])
    return at, values


class Integrated:
    """log δ and ε of records in one direction, by integrals over the margin.

    Parameters
    ----------
    laws : the records
    direction : "add" or "remove"
    x : nodes (n_records, n_nodes), as of `ByMargin.first`
    """

    def __init__(self, laws: ByMargin, direction: str, x: np.ndarray) -> None:
        weight = np.zeros_like(x)
        half = 0.5 * np.diff(x, axis=1)
        weight[:, 1:] += half
        weight[:, :-1] += half
        self.whole = Panels.of(laws, direction, np.arange(len(x)), x, weight)  # one panel a record

    def rough(self, epsilon: np.ndarray) -> np.ndarray:
        """log δ(ε) of all records by the first nodes."""
        return self.whole.sums(epsilon)[0]

    def _cells(self, rows: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        """The cells between the first nodes of some records where the integrand is not far below its peak."""
        some = self.whole.take(rows)
        with np.errstate(all="ignore"):
            height = np.log(some.terms(epsilon)[0])
        seen = height > height.max(axis=1, keepdims=True) - FADED
        cells = seen[:, 1:] | seen[:, :-1]
        beside = np.pad(cells, ((0, 0), (1, 1)))
        cells |= beside[:, 2:] | beside[:, :-2]  # if f' is 0 there, the integrand may be 0 between two peaks
        return np.asarray(cells & (some.x[:, 1:] > some.x[:, :-1]))

    def _panels(self, rows: np.ndarray, cells: np.ndarray) -> Panels:
        """These cells between the first nodes of some records, as panels."""
        of, cell = np.nonzero(cells)
        whole, row = self.whole, rows[of]
        return Panels.between(whole.laws, whole.direction, row, whole.x[row, cell], whole.x[row, cell + 1])

    def root(self, rows: np.ndarray, log_delta: float, start: np.ndarray) -> np.ndarray:
        """ε (n_records,); of some records, the smallest ε ≥ 0 with δ(ε) ≤ δ, searched from a start."""
        found, cells = start, self._cells(rows, start)
        for _ in range(MOST_STEPS):
            found, _ = _refined(self._panels(rows, cells), found, log_delta, True)
            again = self._cells(rows, found)
            missed = (again & ~cells).any(axis=1)
            if not missed.any():
                break
            rows, cells = rows[missed], (again | cells)[missed]
        return found

    def value(self, rows: np.ndarray, epsilon: np.ndarray, level: float = np.nan) -> np.ndarray:
        """log δ(ε) of some records (n_rows,) at ε (n_records,); with a level, it only shows on which side of it that is."""
        return _refined(self._panels(rows, self._cells(rows, epsilon)), epsilon, level, False)[1][rows]


def halved_epsilon(laws: ByMargin, log_delta: float, start: np.ndarray) -> np.ndarray:
    """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions (n_records,)."""
    x = laws.first(-log_delta)
    add, remove = (Integrated(laws, way, x) for way in ("add", "remove"))
    removed, found = remove.rough(start) > add.rough(start), start
    for way, back, mine in ((add, remove, ~removed), (remove, add, removed)):
        rows = np.flatnonzero(mine)
        if rows.size:
            found = way.root(rows, log_delta, found)
            rows = rows[back.value(rows, found, log_delta) > log_delta + SETTLED]
        if rows.size:
            found = back.root(rows, log_delta, found)
    return found
