"""From scores of runs to a verdict: the claim is tried at every threshold, and every threshold is paid for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from dpcore import validation
from dpcore.audit.bounds import band, clopper_pearson
from dpcore.errors import DataError
from dpcore.profiles import PrivacyProfile

PAYMENTS = {
    "all": "every threshold, by a simultaneous band",
    "split": "one threshold, chosen on the first half of the runs and tried on the second",
}
Bounds = Callable[[np.ndarray, int, float], tuple[np.ndarray, np.ndarray]]
_SMALLEST_P = 1e-12  # smallest p-value that is reported
_ABOVE = 1e-9  # tolerance of the root in log p, by which the root is rounded up; doubled, p-values rise by as much
_EPSILONS = np.concatenate([np.linspace(0.0, 4.0, 81), np.geomspace(4.1, 60.0, 40)])  # ε at which a claim is sampled
FEW_EPSILONS = _EPSILONS[::5]  # the ε where each value takes long


@dataclass(frozen=True, eq=False)
class Claim:
    """δ(ε) of a claimed profile on a grid, in both directions. That it is a grid costs power, never validity."""

    epsilon: np.ndarray
    add: np.ndarray
    remove: np.ndarray

    @classmethod
    def of(cls, profile: PrivacyProfile) -> Claim:
        """Sampled from a profile; the ε of a pure guarantee is among the points."""
        epsilon = FEW_EPSILONS if profile.is_slow else _EPSILONS
        if profile.delta(epsilon[-1]) == 0:
            pure = float(profile.epsilon(0.0))
            epsilon = np.union1d(epsilon, pure) if np.isfinite(pure) else epsilon
        add = profile.delta(epsilon, direction="add")
        remove = add if profile.symmetric else profile.delta(epsilon, direction="remove")
        return cls(epsilon, np.asarray(add), np.asarray(remove))

    def excess(self, rates: Rates) -> np.ndarray:
        """By how much δ at the best ε is exceeded for sure, per threshold; > 0 refutes the claim."""
        remove, add = rates.gaps(np.exp(self.epsilon)[:, None])
        return np.maximum(remove - self.remove[:, None], add - self.add[:, None]).max(axis=0)


@dataclass(frozen=True, eq=False)
class Rates:
    """Per threshold: (lower, upper) of P[score ≥ t] without the record and with it."""

    false_alarms: tuple[np.ndarray, np.ndarray]
    hits: tuple[np.ndarray, np.ndarray]

    def gaps(self, price: Any) -> tuple[np.ndarray, np.ndarray]:
        """Lower bounds on δ at e^ε = `price`, for the record removed and for the record added."""
        remove = self.hits[0] - price * self.false_alarms[1]
        return remove, (1 - self.false_alarms[1]) - price * (1 - self.hits[0])


@dataclass(frozen=True, eq=False)
class Evidence:
    """Counts of scores at or above some thresholds, and how bounds follow from them.

    Parameters
    ----------
    alarms, found : arrays of counts, without and with the record
    trials : (runs without, runs with)
    bounds : (counts, trials, level) → (lower, upper), each side jointly valid over the thresholds at that level
    """

    alarms: np.ndarray
    found: np.ndarray
    trials: tuple[int, int]
    bounds: Bounds

    def rates(self, level: float) -> Rates:
        """Bounds on both rates at every threshold.

        The worst corner (fewest hits, most false alarms) is right everywhere with probability at least 1 − level, and so is
        the best corner; only the worst corner can refute a claim.
        """
        return Rates(
            self.bounds(self.alarms, self.trials[0], level / 2), self.bounds(self.found, self.trials[1], level / 2)
        )

    def p_value(self, claim: Claim) -> float:
        """Smallest level at which the claim is refuted; 1 if at none, and never below 1e-12."""
        if claim.excess(self.rates(1.0)).max() <= 0:
            return 1.0
        if claim.excess(self.rates(_SMALLEST_P)).max() > 0:
            return _SMALLEST_P
        root = brentq(
            lambda log_p: claim.excess(self.rates(float(np.exp(log_p)))).max(), np.log(_SMALLEST_P), 0.0, xtol=_ABOVE
        )
        return float(min(1.0, np.exp(root + _ABOVE)))

    def epsilon_lower(self, delta: float, level: float) -> float:
        """A value that ε at δ exceeds with probability at least 1 − level, whatever the mechanism."""
        rates = self.rates(level)
        with np.errstate(divide="ignore", invalid="ignore"):
            remove = np.log(np.maximum(rates.hits[0] - delta, 0.0)) - np.log(rates.false_alarms[1])
            add = np.log(np.maximum(1 - rates.false_alarms[1] - delta, 0.0)) - np.log(1 - rates.hits[0])
        return float(np.nanmax([0.0, *remove, *add]))

    def delta_lower(self, epsilon: float, level: float) -> float:
        """A value that δ at ε exceeds with probability at least 1 − level."""
        return float(np.max(self.rates(level).gaps(np.exp(epsilon)), initial=0.0))


def gather(absent: np.ndarray, present: np.ndarray, payment: str, claim: Claim | None, alpha: float) -> Evidence:
    """Evidence from scores, higher meaning "present".

    Parameters
    ----------
    absent, present : scores of the runs without and with the record, (runs,)
    payment : key of `PAYMENTS`
    claim : the claim that a threshold is chosen against; None where all thresholds count
    alpha : level in (0, 1)

    Raises
    ------
    DataError
        If a score is nan, or there are fewer than 20 runs on either side.
    """
    validation.choice("payment", payment, PAYMENTS)
    absent, present = np.asarray(absent, dtype=float), np.asarray(present, dtype=float)
    if np.isnan(absent).any() or np.isnan(present).any():
        raise DataError("A score is not a number: the attack is undefined on some output.")
    if min(len(absent), len(present)) < 20:
        raise DataError(f"{min(len(absent), len(present))} runs are too few to say anything; run at least 20 of each.")
    if payment == "all" or claim is None:
        bands = {n: band(n) for n in (len(absent), len(present))}
        every = _candidates(absent, present)
        return _counted(absent, present, every, lambda counts, trials, level: bands[trials].bounds(counts, level))
    halves = (absent[: len(absent) // 2], present[: len(present) // 2])
    tried = _candidates(*halves)
    best = tried[[claim.excess(_counted(*halves, tried, clopper_pearson).rates(alpha)).argmax()]]
    return _counted(absent[len(absent) // 2 :], present[len(present) // 2 :], best, clopper_pearson)


def counts_at(scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """How many scores are at or above each threshold."""
    return len(scores) - np.searchsorted(np.sort(scores), thresholds, side="left")


def _candidates(absent: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Thresholds at the ranks of the bands of both sides."""
    found = [np.sort(scores)[::-1][band(len(scores)).ranks - 1] for scores in (absent, present)]
    return np.unique(np.concatenate(found))


def _counted(absent: np.ndarray, present: np.ndarray, thresholds: np.ndarray, bounds: Bounds) -> Evidence:
    trials = len(absent), len(present)
    return Evidence(counts_at(absent, thresholds), counts_at(present, thresholds), trials, bounds)
