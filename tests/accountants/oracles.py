"""Independent truth for compositions: sums over outcomes, residues, contour integrals; no line shared with `dpcore`.

Extended floats (64-bit mantissa) carry the contour integrals; `test_oracles.py` holds them against 50-digit ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Real = np.longdouble
Moment = Callable[[np.ndarray], np.ndarray]  # s → log E_P[e^{sω}] at complex s, up to multiples of 2πi


def gaussian_moment(sigma: float) -> Moment:
    """log E e^{sω} = s(s+1)/(2σ²)."""
    mu = 1 / Real(sigma)
    return lambda s: s * (s + 1) * mu * mu / 2


def laplace_moment(scale: float) -> Moment:
    """log of ((s+1)e^{sΔ} + s e^{−(s+1)Δ})/(2s+1)."""
    shift = 1 / Real(scale)

    def log_moment(s: np.ndarray) -> np.ndarray:
        value = ((s + 1) * np.exp(s * shift) + s * np.exp(-(s + 1) * shift)) / (2 * s + 1)
        return np.log(value)

    return log_moment


def randomized_response_moment(epsilon: float, categories: int = 2) -> Moment:
    """log of p e^{sε₀} + r e^{−sε₀} + rest."""
    budget = Real(epsilon)
    total = np.exp(budget) + categories - 1

    def log_moment(s: np.ndarray) -> np.ndarray:
        value = (np.exp((s + 1) * budget) + np.exp(-s * budget) + (categories - 2)) / total
        return np.log(value)

    return log_moment


def exponential_moment(epsilon: float) -> Moment:
    """log of sinh((2s+1)ε₀/2)/((2s+1) sinh(ε₀/2))."""
    half = Real(epsilon) / 2

    def log_moment(s: np.ndarray) -> np.ndarray:
        u = 2 * s + 1
        value = (np.exp(u * half) - np.exp(-u * half)) / 2 / (u * np.sinh(half))
        return np.log(value)

    return log_moment


def subsampled_gaussian_moment(sigma: float, rate: float, direction: str, step: float = 1 / 48) -> Moment:
    """log E_Q[r^{s+1}] ("remove") or log E_Q[r^{−s}] ("add") by trapezoid, r = 1 − q + q e^{xΔ − Δ²/2}, Q = N(0, 1)."""
    shift, rate = 1 / Real(sigma), Real(rate)

    def log_moment(s: np.ndarray) -> np.ndarray:
        theta = float(s.real[0])
        top = 13 + float(shift) * (theta + 1 if direction == "remove" else 1)
        x = np.arange(
            Real(-13) - (float(shift) * theta if direction == "add" else 0), top, Real(step) / max(1, float(shift))
        )
        weight = np.exp(-x * x / 2) / np.sqrt(2 * Real(np.pi)) * (x[1] - x[0])
        log_ratio = np.log1p(rate * np.expm1(x * shift - shift * shift / 2))
        power = s + 1 if direction == "remove" else -s
        excess = np.array([np.sum(weight * _expm1(p * log_ratio)) for p in power])
        return _log1p(excess)

    return log_moment


def _expm1(z: np.ndarray) -> np.ndarray:
    half = np.sin(z.imag / 2)
    return np.expm1(z.real) * np.cos(z.imag) - 2 * half * half + 1j * np.exp(z.real) * np.sin(z.imag)


def _log1p(z: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log1p(2 * z.real + z.real**2 + z.imag**2) / 2, -1e4) + 1j * np.arctan2(z.imag, 1 + z.real)


def contour_log_delta(parts: list[tuple[Moment, int]], epsilon: float, *, digits: int = 12) -> float:
    """log δ(ε) = log (1/2πi) ∫ e^{K(s) − sε}/(s(s+1)) ds on the vertical line through the saddle point.

    The trapezoid is halved until the answer stops moving, and the line followed until nothing is left on it.

    Raises
    ------
    ArithmeticError
        Where the integrand does not die out on the line: the loss is a lattice, or nearly.
    """

    def exponent(s: np.ndarray) -> np.ndarray:
        return sum(count * moment(s) for moment, count in parts) - s * Real(epsilon) - np.log(s) - np.log1p(s)

    def real_exponent(log_tilt: float) -> float:
        return float(exponent(np.exp(np.array([log_tilt + 0j], dtype=np.clongdouble))).real[0])

    low, high = -12.0, 5.0
    for _ in range(80):
        left, right = low + (high - low) * 0.382, low + (high - low) * 0.618
        low, high = (low, right) if real_exponent(left) < real_exponent(right) else (left, high)
    tilt = Real(np.exp((low + high) / 2))
    away = tilt / 64
    peak = exponent(np.array([tilt, tilt - away, tilt + away], dtype=np.clongdouble)).real
    spread = np.sqrt(max((peak[1] + peak[2] - 2 * peak[0]) / away**2, Real(1e-300)))
    step, previous = Real(1) / (4 * spread), None
    for _ in range(8):
        total, start = Real(0), 0
        while True:
            omega = step * np.arange(start, start + 64, dtype=Real)
            values = np.exp(exponent(tilt + 1j * omega) - peak[0])
            total += np.sum(values.real) - (0.5 * values[0].real if start == 0 else 0)
            if np.abs(values[-16:]).max() < 1e-19:
                break
            start += 64
            if start > 6000:
                raise ArithmeticError("the integrand does not die out on the vertical line")
        value = peak[0] + np.log(total * step / Real(np.pi)) if total > 0 else Real(np.nan)
        if previous is not None and abs(value - previous) < 10.0**-digits:
            return float(value)
        previous, step = value, step / 2
    raise ArithmeticError("the trapezoid did not settle")
