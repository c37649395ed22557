"""Independent scramblings of Sobol points, and the error bar of a mean over them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dpcore.numerics import LAST_DIGITS

# Number of independent estimates from whose spread an error bar is found. Doubled, twice as many points are drawn.
SCRAMBLINGS = 8
# Standard errors in an error bar: Student's t of a mean of eight, at 99 %. Doubled, bars are twice as wide.
_CONFIDENCE = 3.5


def sobol(dimension: int, seed: Any) -> Any:
    """A scrambling of Sobol points, by what seeds a generator of random numbers."""
    from scipy.stats import qmc  # heavy: loaded when first used

    return qmc.Sobol(dimension, rng=np.random.default_rng(seed))


def next_points(scrambling: Any, count: int) -> np.ndarray:
    """The next points of a scrambling, apart from 0 and 1 (count, dimension)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the first point alone is no balanced set; all together are
        return np.clip(scrambling.random(count), LAST_DIGITS, 1 - LAST_DIGITS)


def bar_of(estimates: np.ndarray) -> float:
    """The error bar of the mean of one estimate from each scrambling."""
    return _CONFIDENCE * float(np.std(estimates, ddof=1)) / np.sqrt(SCRAMBLINGS)
