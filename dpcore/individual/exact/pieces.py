"""The lines of one record in pieces that are fine where the losses of the other rows have kinks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpcore.glm import Loss, Problem
from dpcore.glm.batch import solve_batch
from dpcore.individual.exact.straight import StraightLines

_FIRST, _STAGES = 24, 12  # nodes of each line at first, and in how many rounds the others are added
_NEAREST = 0.02  # share of a piece that a new node stays away from its ends
_SHORTER = 0.5, 0.7  # of the nodes, in the order in which they were added
_STEEPEST = 1e-12  # share of the average fall below which no piece falls


@dataclass(frozen=True, eq=False)
class Margins:
    r"""Margins and their falls at nodes of each line, all arrays (n_lines, n_nodes).

    .. math:: m(T; b_⊥) = x^⊤θ, \quad −\frac{dm}{dT} = \frac{σ}{‖x‖} x^⊤H_−(θ)^{-1}x, \quad
              θ = \arg\min_θ \left(J_−(θ) + b_⊥^⊤θ + σT\frac{x^⊤θ}{‖x‖}\right)

    Parameters
    ----------
    T : nodes, in the order in which they were added
    m, fall : there
    """

    T: np.ndarray
    m: np.ndarray
    fall: np.ndarray

    @classmethod
    def at(cls, rest: Problem, x: np.ndarray, shifts: np.ndarray, sigma: float, T: np.ndarray, tol: float) -> Margins:
        """At nodes T (n_lines, n_nodes).

        Parameters
        ----------
        rest : the objective of the other rows
        x : the record (n_features,), not 0
        shifts : b⊥ of each line (n_lines, n_features)
        sigma : noise σ
        T : nodes of each line
        tol : gradient norm of every solution, in units of σ
        """
        norm = np.linalg.norm(x)
        linear = (shifts[:, None, :] + (sigma / norm * T)[..., None] * x).reshape(-1, x.size)
        theta = solve_batch(rest, linear, tol * sigma).theta
        moved = np.linalg.solve(rest.hessians(theta), np.broadcast_to(x[:, None], (len(theta), x.size, 1)))[..., 0]
        return cls(T, (theta @ x).reshape(T.shape), (sigma / norm * moved @ x).reshape(T.shape))

    @classmethod
    def of(
        cls, rest: Problem, x: np.ndarray, shifts: np.ndarray, sigma: float, low: float, high: float, tol: float,
        record: StraightLines, count: int,
    ) -> Margins:  # fmt: skip
        """Nodes added by rounds where the law with the record is least certain.

        Parameters
        ----------
        rest, x, shifts, sigma, tol : as in `at`
        low, high : ends of T
        record : the lines as far as the record's own loss and its pull are concerned
        count : nodes of each line
        """
        first = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.linspace(0, np.pi, _FIRST))
        known = cls.at(rest, x, shifts, sigma, np.tile(first, (len(shifts), 1)), tol)
        each = -(-(count - _FIRST) // _STAGES)
        while known.T.shape[1] < count:
            known = known.joined(cls.at(rest, x, shifts, sigma, known._uncertain(record, each), tol), axis=1)
        return known

    def joined(self, other: Margins, axis: int = 0) -> Margins:
        """The lines, or the nodes, of both."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Margins(*(np.concatenate(pair, axis=axis) for pair in pairs))

    def shorter(self) -> list[Margins]:
        """With the first of the nodes only: what the differences change is an error bar."""
        counts = [int(share * self.T.shape[1]) for share in _SHORTER]
        return [Margins(*(value[:, :count] for value in vars(self).values())) for count in counts]

    def sorted(self) -> Margins:
        """The nodes in increasing order of T."""
        order = np.argsort(self.T, axis=1)
        return Margins(*(np.take_along_axis(value, order, axis=1) for value in vars(self).values()))

    def _uncertain(self, record: StraightLines, count: int) -> np.ndarray:
        """Where the tangents of neighbouring nodes meet, which is at the kink if there is one, in the worst pieces."""
        nodes = self.sorted()
        width, step = np.diff(nodes.T), -np.diff(nodes.m)
        first, last = nodes.fall[:, :-1], nodes.fall[:, 1:]
        with np.errstate(all="ignore"):
            place = (step - last * width) / (first - last)
        meet = (place >= 0) & (place <= width)
        place = np.where(meet, np.clip(place, _NEAREST * width, (1 - _NEAREST) * width), 0.5 * width)
        bend = record.pull[0] * _largest_bend(record, nodes.m[:, :-1], nodes.m[:, 1:])
        with np.errstate(all="ignore"):
            begin, mean, end = (np.log1p(bend * slope) for slope in (first, np.maximum(step / width, 0.0), last))
            turn = np.maximum(np.abs(begin - mean), np.abs(end - mean))
            size = np.minimum(width * (1 + bend * np.maximum(first, last)), nodes.T[:, -1:] - nodes.T[:, :1])
        worst = np.argsort(-np.nan_to_num(size * turn, posinf=np.inf), axis=1, kind="stable")[:, :count]
        return np.take_along_axis(nodes.T[:, :-1] + place, worst, axis=1)


def _largest_bend(record: StraightLines, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """The largest f'' of the record's own loss between margins, as seen at their ends, between, and at its kinks."""
    own, y = record.own(np.zeros(1, dtype=np.intp)), record.y[:1]
    apart = 1e-9
    places = [high, low, 0.5 * (high + low)]
    for kink in (one for one in own.kinks(y) if np.isfinite(one).all()):
        places += [np.clip(kink + side * apart * (1 + np.abs(kink)), low, high) for side in (-1, 1)]
    return np.max([_bend(own, place, y) for place in places], axis=0)


def _bend(own: Loss, m: np.ndarray, y: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.minimum(own.second_derivative(m, y), 1e150)


@dataclass(frozen=True, eq=False)
class PiecedLines(StraightLines):
    r"""Lines through `Margins`, between two nodes a monotone rational function with their values and slopes.

    .. math:: m = m_0 − Δ\frac{sξ² + d_0ξ(1−ξ)}{s + (d_0 + d_1 − 2s)ξ(1−ξ)}, \quad s = \frac{Δ}{T_1 − T_0}, \;
              ξ = \frac{T − T_0}{T_1 − T_0}, \; Δ = m_0 − m_1

    Beyond the ends of T they go on straight.
    """

    nodes: Margins = field(kw_only=True)  # sorted

    def margin(self, T: np.ndarray, line: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """m and −dm/dT > 0."""
        nodes = self.nodes.T
        inside = np.clip(T, nodes[0, 0], nodes[0, -1])
        cell = np.zeros(np.broadcast(T, line).shape, dtype=np.intp)
        for step in 1 << np.arange(nodes.shape[1].bit_length())[::-1]:
            further = np.minimum(cell + step, nodes.shape[1] - 2)
            cell = np.where(nodes[line, further] <= inside, further, cell)
        start, width, top, step, d0, d1 = self._piece(cell, line)
        share = np.clip((inside - start) / width, 0.0, 1.0)
        s = step / width
        both = share * (1 - share)
        below = s + (d0 + d1 - 2 * s) * both
        m = top - step * (s * share * share + d0 * both) / below
        fall = np.square(s / below) * (d1 * share * share + 2 * s * both + d0 * np.square(1 - share))
        return m - fall * (T - inside), fall

    def _piece(self, cell: np.ndarray, line: np.ndarray) -> tuple[np.ndarray, ...]:
        T, m, d = self.nodes.T, self.nodes.m, self.nodes.fall
        start, top, after = T[line, cell], m[line, cell], cell + 1
        width = np.maximum(T[line, after] - start, 1e-300)
        step = np.maximum(top - m[line, after], _STEEPEST * self.fall[line] * width)
        return start, width, top, step, d[line, cell], d[line, after]

    def inverse(self, m: np.ndarray) -> np.ndarray:
        """T (n_lines, k) where the margins are m (n_lines, k)."""
        line = np.arange(len(m))[:, None]
        values = self.nodes.m
        found = np.stack([np.searchsorted(-own, -one, "right") for own, one in zip(values, m, strict=True)]) - 1
        cell = np.clip(found, 0, values.shape[1] - 2)
        start, width, top, step, d0, d1 = self._piece(cell, line)
        s, part = step / width, (top - m) / step
        # part (s + (d0 + d1 − 2s) ξ(1−ξ)) = sξ² + d0 ξ(1−ξ): a quadratic, of which the root that falls with part is taken
        bent = (d0 + d1 - 2 * s) * part
        a, b, c = s + bent - d0, d0 - bent, -part * s
        with np.errstate(all="ignore"):
            root = -2 * c / (b + np.sqrt(np.maximum(b * b - 4 * a * c, 0.0)))
        share = np.where((part > 0) & (part < 1), np.clip(np.nan_to_num(root), 0.0, 1.0), 0.0)
        beyond = np.where(part <= 0, part * step / d0, np.where(part >= 1, width + (part - 1) * step / d1, 0.0))
        return start + share * width + beyond

    def _grid(self, every: np.ndarray) -> np.ndarray:
        return np.concatenate([super()._grid(every), self.nodes.T], axis=1)
