"""Moment functions of privacy losses at complex arguments: closed forms where there are any, else from the profile."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from dpcore.accountants.pld.loss_law import LossLaw
from dpcore.mechanisms import ExponentialMechanism, Gaussian, Laplace, RandomizedResponse, Subsampled
from dpcore.profiles import PrivacyProfile

Moment = Callable[[np.ndarray], np.ndarray]  # s, all with one real part > 0 → log E_P[e^{sω}; ω < ∞], modulo 2πi
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
_LARGEST_PHASE = 8.0  # turn of e^{sω} over a panel that ten nodes integrate to 1e-12
_VISIBLE = 28.0  # parts of an integral e^−28 below the largest need not be resolved
_HALVINGS = 4
_DEPTH = 45.0  # parts of an integral e^−45 below the largest are dropped
_STANDARD_REACH = 13.0  # standard deviations of a Gaussian density kept: e^−84
_STEP = 1 / 24  # of the trapezoid over a Gaussian density, in standard deviations


def moment_of(law: LossLaw) -> tuple[Moment, int]:
    """log E_P[e^{sω}] of one mechanism in one direction, and about how many exponentials one value of it costs."""
    special = _CLOSED.get(type(law.mechanism))
    found = special(law.mechanism, law.direction) if special else None
    if found is None:
        return _from_profile(law), law.pilot[0].size * _NODES.size
    return found, 1 if type(law.mechanism) is not Subsampled else int(2 * _STANDARD_REACH / _STEP)


def _gaussian(mechanism: Gaussian, direction: str) -> Moment:
    return lambda s: 0.5 * mechanism.shift**2 * s * (s + 1)


def _laplace(mechanism: Laplace, direction: str) -> Moment:
    shift = mechanism.shift
    return lambda s: s * shift + np.log((s + 1 + s * np.exp(-(2 * s + 1) * shift)) / (2 * s + 1))


def _randomized_response(mechanism: RandomizedResponse, direction: str) -> Moment:
    budget, rest = mechanism.pure_epsilon, mechanism.categories - 2
    return lambda s: (
        mechanism.log_truth + s * budget + np.log1p(np.exp(-(2 * s + 1) * budget) + rest * np.exp(-(s + 1) * budget))
    )


def _exponential(mechanism: ExponentialMechanism, direction: str) -> Moment:
    half = mechanism.pure_epsilon / 2

    def log_moment(s: np.ndarray) -> np.ndarray:
        u = 2 * s + 1
        return (u - 1) * half + np.log(np.expm1(-2 * u * half) / (u * np.expm1(-2 * half)))

    return log_moment


def _subsampled(mechanism: Subsampled, direction: str) -> Moment | None:
    """E_Q[r^{s+1}] (remove) and E_Q[r^{−s}] (add), Q = N(0, 1), r = 1 − q + q e^{xΔ − Δ²/2}; None for other bases."""
    if not isinstance(mechanism.base, Gaussian):
        return None
    shift, rate = mechanism.base.shift, mechanism.rate

    def log_moment(s: np.ndarray) -> np.ndarray:
        theta = float(s.real[0])
        low, high = (0.0, theta + 1) if direction == "remove" else (-theta * rate, 1.0)
        step = _STEP / max(1.0, shift)
        x = np.arange(shift * low - _STANDARD_REACH, shift * high + _STANDARD_REACH, step)
        log_ratio = np.log1p(rate * np.expm1(shift * x - 0.5 * shift**2))
        power = s + 1 if direction == "remove" else -s
        real = -0.5 * x * x + float(power.real[0]) * log_ratio
        kept = real > real.max() - _DEPTH
        x, log_ratio, log_density = x[kept], log_ratio[kept], -0.5 * x[kept] ** 2
        scale = step / np.sqrt(2 * np.pi)
        if real.max() < _DEPTH:
            return np.log1p(scale * (np.expm1(power[:, None] * log_ratio) @ np.exp(log_density)))
        largest = float(real.max())
        return largest + np.log(scale * np.exp(power[:, None] * log_ratio + log_density - largest).sum(axis=1))

    return log_moment


_CLOSED: dict[type[PrivacyProfile], Callable[..., Moment | None]] = {
    Gaussian: _gaussian,
    Laplace: _laplace,
    RandomizedResponse: _randomized_response,
    ExponentialMechanism: _exponential,
    Subsampled: _subsampled,
}


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
