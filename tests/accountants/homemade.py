"""Mechanisms that only the tests know, given by log δ(ε) and nothing else, with their exact compositions."""

from __future__ import annotations

from dataclasses import dataclass

import mpmath as mp
import numpy as np
from scipy import special

import dpcore as dp
from tests.oracles import settled

_TERMS = np.arange(2, 30)
_SERIES_FROM = 1e6


@dataclass(frozen=True)
class WaitingTime(dp.PrivacyProfile):
    """An exponential waiting time of rate 1 with the record and of rate r > 1 without: a loss that starts with a jump."""

    rate: float

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        r = self.rate
        if direction == "remove":
            return -(epsilon + np.log(r)) / (r - 1) + np.log1p(-1 / r)
        time = np.maximum(np.log(r) - epsilon, 0.0) / (r - 1)
        series = (time[..., None] ** _TERMS * (r ** (_TERMS - 1.0) - 1) / special.factorial(_TERMS)).sum(axis=-1)
        inner = np.where(r * time < 1, series, np.expm1(r * time) / r - np.expm1(time))
        with np.errstate(divide="ignore"):
            return np.log(r) - r * time + np.log(inner)


@dataclass(frozen=True)
class Leaking(dp.PrivacyProfile):
    """A mechanism that with this chance tells all."""

    mechanism: dp.PrivacyProfile
    chance: float

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        kept = np.log1p(-self.chance) + self.mechanism.log_delta(epsilon, direction=direction)
        return np.logaddexp(np.log(self.chance), kept)


@dataclass(frozen=True)
class HalfNormal(dp.PrivacyProfile):
    """The loss μ²/2 + μ|Z| with the record; without it, infinite with probability 1 − 2Φ(−μ)."""

    mu: float

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        if direction == "add":
            return np.full(epsilon.shape, np.log1p(-2 * special.ndtr(-self.mu)))
        start = self.mu**2 / 2
        x = np.maximum(epsilon - start, 0.0) / self.mu / np.sqrt(2)
        step, near = self.mu / np.sqrt(2), np.minimum(x, _SERIES_FROM)
        log_gap = np.log(special.erfcx(near) - special.erfcx(near + step))
        log_series = np.log(step / np.sqrt(np.pi)) - np.log(np.maximum(x * (x + step), 1.0))
        beyond = np.where(x < _SERIES_FROM, log_gap, log_series) - x * x
        inside = np.log1p(-np.exp(np.minimum(epsilon, start)) * 2 * special.ndtr(-self.mu))
        return np.where(epsilon > start, beyond, inside)


@dataclass(frozen=True)
class Outcomes(dp.PrivacyProfile):
    """Two laws on finitely many outcomes: the record's presence changes `without` into `present`."""

    present: tuple[float, ...]
    without: tuple[float, ...]

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        p, q = self.laws(direction)
        loss = np.log(p) - np.log(q)
        gained = np.where(loss > epsilon[..., None], -np.expm1(np.minimum(epsilon[..., None] - loss, 0.0)), 0.0)
        with np.errstate(divide="ignore"):
            return np.log(gained @ p)

    def laws(self, direction: str) -> tuple[np.ndarray, np.ndarray]:
        laws = np.array(self.present), np.array(self.without)
        return laws if direction == "remove" else laws[::-1]


def waiting_time_log_delta(rate: float, count: int, epsilon: float, direction: str) -> float:
    """k waiting times add up to an Erlang law: log of P[Γ_k > t] − e^ε P[Γ_k > rt], or of the lower tails."""

    def total() -> mp.mpf:
        r, k, e = mp.mpf(rate), mp.mpf(count), mp.mpf(epsilon)
        if direction == "remove":
            t = (e + k * mp.log(r)) / (r - 1)
            value = _upper(count, t) - mp.exp(e) * _upper(count, r * t)
        else:
            t = (k * mp.log(r) - e) / (r - 1)
            value = _lower(count, r * t) - mp.exp(e) * _lower(count, t) if t > 0 else mp.mpf(0)
        return mp.log(value) if value > 0 else mp.mpf("-inf")

    return float(settled(total, digits=15))


def _upper(count: int, t: mp.mpf) -> mp.mpf:
    return mp.gammainc(count, t, mp.inf, regularized=True)


def _lower(count: int, t: mp.mpf) -> mp.mpf:
    return mp.gammainc(count, 0, t, regularized=True)
