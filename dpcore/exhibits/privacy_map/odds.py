"""Fact 5 of the per-instance paper: by how much one release can change the odds that a record is present."""

from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

_LEAST = 1e-10  # smallest probability of an event
_POINTS, _SLOW_POINTS = 801, 81  # values of t, and their number for a profile that is slow to compute

ODDS_CARD = formula_card(__file__, "odds")


@dataclass(frozen=True, eq=False)
class Odds:
    """Largest |log odds| of an event against its probability p (the smaller of both): exact, and from (ε, δ) alone.

    probability, exact, stated : (n_points,); epsilon, delta : ε and δ of the record.
    """

    probability: np.ndarray
    exact: np.ndarray
    stated: np.ndarray
    epsilon: float
    delta: float

    @property
    def threshold(self) -> float:
        """δ/ε (at most 1), the smallest probability for which Fact 5 says something."""
        return min(1.0, self.delta / self.epsilon) if self.epsilon > 0 else 1.0

    def at(self, probability: float) -> float:
        """Largest |log odds| of events of this probability."""
        return float(np.interp(np.log(probability), np.log(self.probability), self.exact))

    @property
    def curves(self) -> tuple[Curve, ...]:
        """What a chart draws."""
        covered = self.probability >= self.threshold
        level = np.where(covered, 2 * self.epsilon, np.nan)
        return (
            Curve("Fact 5", self.probability, level, Bound.UPPER, "2ε, for events of δ/ε or more"),
            Curve("From ε and δ alone", self.probability, self.stated, Bound.UPPER),
            Curve("This record", self.probability, self.exact, Bound.EXACT),
        )


def odds(profile: PrivacyProfile, delta: float) -> Odds:
    r"""By how much an event of the release can change the odds that the record is present.

    .. math:: \max_{d} \log \min_t \left(e^t + δ_d(t)/p\right), \qquad 10^{-10} ≤ p ≤ ½

    t is on a grid, so the computed value is an upper bound.

    Parameters
    ----------
    profile : of one record; delta in (0, 1)

    Raises
    ------
    ParameterError

    References: wang-2019 (Fact 5).
    """
    delta = validation.open_probability("delta", delta)
    epsilon = float(profile.epsilon(delta))
    p = np.geomspace(_LEAST, 0.5, 81)
    steps = np.linspace(-1.0, 1.0, _SLOW_POINTS if profile.is_slow else _POINTS)
    t = float(profile.epsilon(_LEAST**2)) * steps * np.abs(steps)
    reached = []
    for direction in DIRECTIONS:
        log_ratio = np.logaddexp(t, profile.log_delta(t, direction=direction) - np.log(p)[:, None])
        reached.append(log_ratio.min(axis=1))
    exact = np.maximum(np.max(reached, axis=0), 0.0)
    return Odds(p, exact, np.logaddexp(epsilon, np.log(delta) - np.log(p)), epsilon, delta)
