"""What runs alone can prove: exact binomial bounds on error rates, and bands that hold for every threshold at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.errors import ParameterError

# Ratio of neighbouring ranks of a band. They share the error, so denser ranks would cost more than they show.
_RATIO = 1.25


def clopper_pearson(successes: Any, trials: int, level: Any) -> tuple[np.ndarray, np.ndarray]:
    r"""Lower and upper bound on a success probability, each exceeded with probability at most `level`.

    .. math:: p_- = B^{-1}(level; k, n−k+1), \qquad p_+ = B^{-1}(1−level; k+1, n−k)

    with B the beta distribution function.

    Parameters
    ----------
    successes : integer or array, 0 ≤ k ≤ n
    trials : int n ≥ 1
    level : float or array in (0, 1), error of each side

    Raises
    ------
    ParameterError

    References: clopper-pearson-1934.
    """
    n = validation.at_least_one("trials", trials)
    k = np.asarray(successes)
    if np.any(k < 0) or np.any(k > n) or np.any(k != np.floor(k)):
        raise ParameterError(f"successes must be whole numbers in [0, {n}], got {successes!r}")
    level = validation.real_array("level", level, low=0.0, high=1.0)
    low = np.where(k == 0, 0.0, special.betaincinv(np.maximum(k, 1), n - k + 1, level))
    high = np.where(k == n, 1.0, special.betainccinv(k + 1, np.maximum(n - k, 1), level))
    return low, high


@dataclass(frozen=True)
class Band:
    """Bounds on P[score ≥ t] that hold for every t at once, as functions of how many of n scores reach t.

    Parameters
    ----------
    ranks : increasing counts at which a bound is spent; the error is shared equally between them
    trials : n
    """

    ranks: np.ndarray
    trials: int

    def bounds(self, counts: Any, level: Any) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper) for each count; each side is wrong anywhere with probability at most `level`."""
        counts = np.asarray(counts)
        share = np.asarray(level) / len(self.ranks)
        at = np.searchsorted(self.ranks, counts, side="right")  # ranks[at - 1] ≤ count < ranks[at]
        below = self.ranks[np.maximum(at - 1, 0)]
        above = self.ranks[np.minimum(at, len(self.ranks) - 1)]
        low = special.betaincinv(below, self.trials - below + 1, share)
        high = special.betainccinv(above, self.trials - above + 1, share)
        return np.where(at == 0, 0.0, low), np.where(at == len(self.ranks), 1.0, high)


def band(trials: int) -> Band:
    """A band whose ranks are spaced geometrically towards both ends, where small error rates are decided."""
    n = validation.at_least_one("trials", trials)
    steps = int(np.ceil(np.log(max(n / 2, 1)) / np.log(_RATIO))) + 1
    near = np.unique(np.minimum(np.round(_RATIO ** np.arange(steps)), (n + 1) // 2))
    return Band(np.unique(np.concatenate([near, n + 1 - near])).astype(int), n)
