"""Moment functions of privacy losses at complex arguments: closed forms where there are any, else from the profile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from dpcore.accountants.pld.loss_law import LossLaw
from dpcore.numerics import panel_rule
from dpcore.profiles import Moment

_NODES = 10  # nodes of the Gauss–Legendre rule on a panel; doubled, a moment takes twice as long
_LARGEST_PHASE = 8.0  # radians by which e^{sω} may turn over a panel: ten nodes then integrate it to 1e-12
# A term whose log is further than this below that of the largest is below round-off: it is neither resolved nor added.
_VISIBLE = -np.log(np.finfo(float).eps)
_HALVINGS = 4  # how often the panels may be halved; doubled, a table may have sixteen times as many nodes


def moment_of(law: LossLaw) -> tuple[Moment, int]:
    """log E_P[e^{sω}] of one mechanism in one direction, and about how many exponentials one value of it costs."""
    return law.mechanism.log_moment(law.direction) or (_from_profile(law), law.pilot[0].size * _NODES)


@dataclass(frozen=True)
class _Table:
    """A quadrature over a curve: nodes x, log of weight times curve there, and the width of each node's panel."""

    x: np.ndarray
    log_term: np.ndarray
    width: np.ndarray

    @classmethod
    def of(cls, law: LossLaw, halvings: int) -> _Table:
        """Panels between the pilot's nodes, each halved as often as asked: H right of 0, K left of it."""
        nodes, pieces = law.pilot[0], 2**halvings
        edges = np.interp(np.arange(pieces * (nodes.size - 1) + 1) / pieces, np.arange(nodes.size), nodes)
        x, weight = (part.ravel() for part in panel_rule(edges, _NODES))
        h, k = law.curves(x)
        curve = np.where(x >= 0, h, k)
        positive = curve > 0
        log_term = np.log(weight[positive]) + np.log(curve[positive])
        return cls(x[positive], log_term, np.repeat(np.diff(edges), _NODES)[positive])

    def widest(self, tilt: float) -> float:
        """Width of the widest panel on which e^{tilt·x} times the curve is not negligible."""
        size = tilt * self.x + self.log_term
        return float(self.width[size > size.max() - _VISIBLE].max())

    def integral(self, s: np.ndarray) -> tuple[np.ndarray, float]:
        """e^{−scale} ∫ e^{sx}·(curve) dx for each s, all of one real part, and the `scale` ≥ 0."""
        size = float(s.real[0]) * self.x + self.log_term
        kept, scale = size > size.max() - _VISIBLE, max(float(size.max()), 0.0)
        return np.exp(s[:, None] * self.x[kept] + self.log_term[kept] - scale).sum(axis=1), scale


def _from_profile(law: LossLaw) -> Moment:
    r"""The moment function from the curve H alone, with δ' the other direction and p = P[ω = ∞]:

    .. math:: E[e^{sω}; ω<∞] = 1 − p(1+s) + s(s+1) \int_0^∞ e^{sε}(H(ε) − p) + e^{−(s+1)ε} δ'(ε) \, dε

    which is E[e^{sω}] integrated by parts twice; with x = −ε the second term is e^{sx} K(x) left of 0, so one table of the
    curve serves all s. Panels are halved a few times while e^{sω} turns too fast on them. Where it still does, another
    value stands in, as a bound on the size: the one at the largest imaginary part that can be computed or, with atoms,
    the one on the real axis.
    """
    table_of = cache(partial(_Table.of, law))

    def log_moment(s: np.ndarray) -> np.ndarray:
        tilt, turn = float(s.real[0]), float(np.abs(s.imag).max())
        for halvings in range(_HALVINGS + 1):
            table = table_of(halvings)
            fastest = _LARGEST_PHASE / table.widest(tilt)
            if turn <= fastest:
                break
        stand_in = tilt if law.atoms else tilt + 1j * fastest
        at = np.where(np.abs(s.imag) <= fastest, s, stand_in)
        integral, scale = table.integral(at)
        rest = -law.infinite * (1 + at)
        if scale == 0.0:
            return np.log1p(rest + at * (at + 1) * integral)
        return scale + np.log((1 + rest) * np.exp(-scale) + at * (at + 1) * integral)

    return log_moment
