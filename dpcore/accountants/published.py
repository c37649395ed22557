"""Composition of objective perturbation as published: by the loss variable of the source's proof."""

from __future__ import annotations

import numpy as np
from scipy.fft import irfft, rfft
from scipy.special import erf

from dpcore import validation
from dpcore.errors import UnsupportedError

_GRID = 2**19
_DEVIATIONS = 12.0
_MEAN_HALF_NORMAL = float(np.sqrt(2 / np.pi))
_ROUND_OFF = 1e-10


def published_epsilon(shift: float, log_jump: float, times: int, delta: float) -> float:
    r"""ε at δ of k objective perturbations by the loss variable of the source's proof (D.11). Upper bound.

    .. math:: δ(ε) = E\left[\left(1 − e^{ε − S}\right)_+\right], \quad S = \sum_{i=1}^k \left(ℓ + \tfrac{Δ²}{2} + |N(0, Δ²)|\right)

    by convolution on a grid with every loss rounded up.

    Parameters
    ----------
    shift : Δ = L/σ > 0
    log_jump : ℓ ≥ 0, |log(1 − β/λ)| as published
    times : k ≥ 1
    delta : in (0, 1); below 1e-10 round-off of the transform would show

    References: redberg-koskela-wang-2023 (Eq. D.11, Lemma D.7).
    """
    shift, log_jump = validation.positive("shift", shift), validation.non_negative("log_jump", log_jump)
    times = validation.integer("times", times, minimum=1)
    delta = validation.probability("delta", delta, allow_zero=False, allow_one=False)
    if delta < _ROUND_OFF:
        raise UnsupportedError(
            f"delta must be at least {_ROUND_OFF:g} here, got {delta:g}; use compose for smaller ones"
        )
    reach = shift * (_MEAN_HALF_NORMAL * times + _DEVIATIONS * np.sqrt(times) + _DEVIATIONS)
    step = reach / _GRID
    edges = step * np.arange(_GRID + 1)
    one = np.diff(erf(edges / (shift * np.sqrt(2))), prepend=0.0)[:_GRID]
    total = np.maximum(irfft(rfft(one) ** times, _GRID), 0.0)
    losses = times * (log_jump + shift**2 / 2) + step * np.arange(_GRID)
    beyond, weighted = np.cumsum(total[::-1])[::-1], np.cumsum((total * np.exp(losses[0] - losses))[::-1])[::-1]
    curve = beyond - weighted * np.exp(losses - losses[0])
    first = int(np.argmax(curve <= delta))
    if first > 0:
        return float(losses[first])
    inside = (1 - delta) / float(weighted[0])
    return max(0.0, float(losses[0] + np.log(inside)))
