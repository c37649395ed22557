"""Moment functions of privacy losses at complex arguments: closed forms where there are any, else from the profile."""

from __future__ import annotations

from functools import cache

import numpy as np

from dpcore.accountants.pld.loss_law import LossLaw
from dpcore.profiles import Moment

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
_LARGEST_PHASE = 8.0  # turn of e^{sω} over a panel that ten nodes integrate to 1e-12
_VISIBLE = 28.0  # parts of an integral e^−28 below the largest need not be resolved
_HALVINGS = 4
_DEPTH = 45.0  # parts of an integral e^−45 below the largest are dropped


def moment_of(law: LossLaw) -> tuple[Moment, int]:
    """log E_P[e^{sω}] of one mechanism in one direction, and about how many exponentials one value of it costs."""
    return law.mechanism.log_moment(law.direction) or (_from_profile(law), law.pilot[0].size * _NODES.size)


def _from_profile(law: LossLaw) -> Moment:
    r"""From the curve H alone, with δ' the other direction and p = P[ω = ∞]:

    .. math:: E[e^{sω}; ω<∞] = 1 − p(1+s) + s(s+1) \int_0^∞ e^{sε}(H(ε) − p) + e^{−(s+1)ε} δ'(ε) \, dε

    Panels are halved as long as e^{sω} turns too fast for them; where it still does, the last value that can be had
    stands for it, or with atoms the one on the real axis: bounds on its size.
    """

    @cache
    def panels(halvings: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        nodes = law.pilot[0]
        width = np.repeat(np.diff(nodes) / 2**halvings, 2**halvings)
        left = np.repeat(nodes[:-1], 2**halvings) + width * np.tile(np.arange(2**halvings), nodes.size - 1)
        x = (left[:, None] + width[:, None] * (0.5 + 0.5 * _NODES)).ravel()
        weight = (0.5 * width[:, None] * _WEIGHTS).ravel()
        h, k = law.curves(x)
        curve = np.where(x >= 0, h, k)
        positive = curve > 0
        log_term = np.log(weight[positive]) + np.log(curve[positive])
        return x[positive], log_term, np.repeat(width, _NODES.size)[positive]

    def log_moment(s: np.ndarray) -> np.ndarray:
        tilt, turn, halvings = float(s.real[0]), float(np.abs(s.imag).max()), 0
        while True:
            x, log_term, width = panels(halvings)
            real = tilt * x + log_term
            widest = float(width[real > real.max() - _VISIBLE].max())
            if turn * widest <= _LARGEST_PHASE or halvings == _HALVINGS:
                break
            halvings += 1
        limit = _LARGEST_PHASE / widest
        stand_in = tilt if law.atoms else tilt + 1j * limit
        at = np.where(np.abs(s.imag) <= limit, s, stand_in)
        kept, largest = real > real.max() - _DEPTH, max(float(real.max()), 0.0)
        integral = np.exp(at[:, None] * x[kept] + log_term[kept] - largest).sum(axis=1)
        rest = -law.infinite * (1 + at)
        if largest == 0.0:
            return np.log1p(rest + at * (at + 1) * integral)
        return largest + np.log((1 + rest) * np.exp(-largest) + at * (at + 1) * integral)

    return log_moment
