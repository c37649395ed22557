"""What several analyses need: a number that stands for infinity, ε as a root, and the curve of one record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize_scalar

from dpcore.numerics import CUT
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.profiles.roots import smallest_root

# This number replaces infinity where squares are taken, so that they stay finite. ε of a shift that large is far beyond
# any use; if the number is doubled, it still is.
ENDLESS = 1e100
# Distance, relative to its size, at which the two sides of a kink are looked at, and by which other distances are widened
# because of rounding. Doubled, there is no visible difference.
BESIDE = 1e-9
# Grid of log(leverage / largest leverage). With twice as many nodes, or twice the range, the same record is found.
_LOG_SHARES = np.linspace(-25.0, 0.0, 129)


def finite_shift(shift: np.ndarray) -> np.ndarray:
    """Shifts cut at `ENDLESS`, beyond which squares would overflow."""
    return np.minimum(np.nan_to_num(shift, nan=ENDLESS), ENDLESS)


def smallest_epsilon(log_delta_of: Callable[..., np.ndarray], log_delta: float, *records: np.ndarray) -> np.ndarray:
    """Smallest ε ≥ 0 with log δ(ε) ≤ log δ, where log δ(ε) is `log_delta_of(epsilon, *records)`."""
    return smallest_root(lambda epsilon, *some: np.clip(log_delta_of(epsilon, *some) - log_delta, -CUT, CUT), *records)


def largest_of_shares(epsilon: Callable[[np.ndarray], np.ndarray]) -> float:
    """Largest ε of records whose leverage is a share of the largest possible one.

    The shares form a grid from almost 0 to 1; the best of them is refined between its two neighbours.

    Parameters
    ----------
    epsilon : function that gives ε (n_records,) at shares (n_records,)
    """
    values = epsilon(np.exp(_LOG_SHARES))
    near = _LOG_SHARES[np.clip(int(values.argmax()) + np.array([-1, 1]), 0, _LOG_SHARES.size - 1)]
    found = minimize_scalar(lambda at: -float(epsilon(np.exp([at]))[0]), bounds=near, method="bounded")
    return max(float(values.max()), -float(found.fun))


@dataclass(frozen=True, eq=False)
class ExpandedRecord(PrivacyProfile):
    """Profile of one record by an expansion around the fit to the others; exact for the squared loss.

    Parameters
    ----------
    record : `Exposures` of this record alone, in one direction by `one_way`
    """

    record: Any

    bound: ClassVar[Bound] = Bound.ESTIMATE
    evaluation_error: ClassVar[float] = 1e-9

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        flat = np.asarray(epsilon, dtype=float).reshape(-1)
        value = self.record.take(np.zeros(flat.size, dtype=np.intp)).one_way(np.nan_to_num(flat), direction)
        return np.where(np.isfinite(flat), value, -np.inf).reshape(np.shape(epsilon))
