"""One side of a composed curve: from tilted factors to certified values of log δ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from dpcore.accountants.pld.convolve import Tilted, Window, convolve, support, tail_of
from dpcore.accountants.pld.discretize import GridPair
from dpcore.accountants.pld.masses import ON_GRID
from dpcore.numerics import log1mexp

_ROUND = np.finfo(float).eps / 2
_TINY = 1e-300
_NOISE = 0.02  # of the width asked for that round-off may use up before extended precision is tried
_LARGEST_EXTENDED = 2**23  # longest transform in extended precision


@dataclass(frozen=True)
class CertifiedSide:
    """One side: e^{log_scale}·values at nodes start + step·i, straight in e^x between them, plus what lies at infinity.

    `sign` is +1 for the upper side: errors are added, losses moved up by `shift`; −1 for the lower side.
    """

    start: float
    step: float
    values: np.ndarray
    total: float
    log_scale: float
    log_infinite: float
    log_tail: float
    tilt: float
    shift: float
    slack: float
    sign: float

    def log_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """log H of this side."""
        x = epsilon - self.sign * self.shift
        node = np.clip(((x - self.start) // self.step).astype(np.int64), 0, self.values.size - 2)
        offset = x - (self.start + self.step * node)
        share = np.clip(np.expm1(offset) / np.expm1(self.step), 0.0, 1.0)
        inside = self.values[node] + share * (self.values[node + 1] - self.values[node])
        before = np.exp(np.minimum(offset, 0.0))
        value = np.where(offset < 0, self.values[0] * before + self.total * -np.expm1(np.minimum(offset, 0.0)), inside)
        if self.sign < 0:
            value = np.where(x > self.start + self.step * (self.values.size - 1), 0.0, value)
        with np.errstate(divide="ignore"):
            log_value = self.log_scale + np.log(np.maximum(value, _TINY))
        log_tail = self.log_tail - self.tilt * x
        log_value = (
            np.logaddexp(log_value, log_tail)
            if self.sign > 0
            else log_value + log1mexp(np.minimum(log_tail - log_value, 0.0))
        )
        return np.minimum(np.logaddexp(log_value, self.log_infinite) + self.sign * self.slack, 0.0)


def certified_side(
    pairs: list[GridPair],
    factors: list[Tilted],
    side: str,
    window: Window,
    evaluation_errors: list[float],
    tilt: float,
    span: tuple[float, float],
    width: float,
) -> CertifiedSide:
    """The curve over the ε of `span`: masses un-tilted and summed from the right, every error added or subtracted."""
    sign = 1.0 if side == "upper" else -1.0
    laws = [getattr(pair, side) for pair in pairs]
    counts = [factor.count for factor in factors]
    step = pairs[0].step
    middle = sum(k * (pair.offset + step * f.centre) for k, pair, f in zip(counts, pairs, factors, strict=True))
    log_total = sum(f.count * f.log_total for f in factors)
    shift = sum(
        k * (4 * _ROUND * (abs(pair.offset) + step * float(np.abs(law.index).max(initial=0))) + ON_GRID * step)
        for k, pair, law in zip(counts, pairs, laws, strict=True)
    )
    first = int((span[0] - shift - middle) // step) - 2
    first = min(max(window.first, first), window.first + window.size - 2)
    start = middle + step * first

    masses, error = convolve(factors, window)
    values, total = _summed(masses, sign * error, first, window, support(factors)[1], tilt, step)
    if _is_noisy(values, error, step, tilt, (span[1] - start) / step, width) and window.size <= _LARGEST_EXTENDED:
        masses, error = convolve(factors, window, np.longdouble)
        values, total = _summed(masses, sign * error, first, window, support(factors)[1], tilt, step)

    keep = int(min(values.size, max((span[1] + shift - start) // step + 4, 2)))
    with np.errstate(divide="ignore"):
        finite = sum(k * np.log1p(-min(law.infinite, 1.0)) for k, law in zip(counts, laws, strict=True))
        log_infinite = float(np.log(-np.expm1(finite)))
        log_tail = float(np.log(tail_of(factors, step, window)))
    log_tail += log_total - np.log1p(tilt) - tilt * np.log1p(1 / tilt)
    slack = 4 * _ROUND * (masses.size + abs(tilt * start)) + sum(
        f.count * (own + 4 * _ROUND * (law.index.size + 30 + abs(f.log_total)))
        for f, own, law in zip(factors, evaluation_errors, laws, strict=True)
    )
    log_scale = log_total - tilt * start
    return CertifiedSide(
        start, step, values[:keep].copy(), total, log_scale, log_infinite, log_tail, tilt, shift, slack, sign
    )


def _summed(
    masses: np.ndarray, error: float, first: int, window: Window, last: int, tilt: float, step: float
) -> tuple[np.ndarray, float]:
    """Σ over larger losses of mass·e^{−tilt·(loss − start)}·(1 − e^{x − loss}) at each node x, and the total mass."""
    masses = np.maximum(masses[first - window.first :] + error, 0.0)
    masses[max(last - first + 1, 0) :] = 0.0
    masses = np.append(masses * np.exp(-tilt * step * np.arange(masses.size)), 0.0)
    beyond = np.append(np.cumsum(masses[:0:-1])[::-1], 0.0)
    values = scipy.signal.lfilter([-np.expm1(-step)], [1.0, -np.exp(-step)], beyond[::-1])[::-1]
    return values, float(beyond[0] + masses[0])


def _is_noisy(values: np.ndarray, error: float, step: float, tilt: float, last: float, width: float) -> bool:
    """Whether round-off is visible beside the width asked for, at some node of the span."""
    nodes = np.linspace(0, np.clip(last, 0, values.size - 2), 9).astype(np.int64)
    noise = error * np.exp(-tilt * step * nodes) / (step * tilt * (1 + tilt))
    return bool((noise > _NOISE * width * values[nodes]).any())
