"""Numbers that analyses share: what stands for infinity, ε as a root, the curve of one record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize_scalar

from dpcore.numerics import CUT
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.profiles.profile import smallest_root

# Stands for ∞ where squares are taken; ε of such a shift is far past any use, and past that of any other power.
ENDLESS = 1e100
# Logarithms of shares of the largest leverage; with twice as many, or reaching twice as far, the same record is found.
_LOG_SHARES = np.linspace(-25.0, 0.0, 129)


def finite_shift(shift: np.ndarray) -> np.ndarray:
    """Shifts cut at `ENDLESS`, beyond which squares would overflow."""
    return np.minimum(np.nan_to_num(shift, nan=ENDLESS), ENDLESS)


def smallest_epsilon(log_delta_of: Callable[..., np.ndarray], log_delta: float, *records: np.ndarray) -> np.ndarray:
    """Smallest ε ≥ 0 with log δ(ε) ≤ log δ, where log δ(ε) is `log_delta_of` ε and what is known of the records."""
    return smallest_root(lambda epsilon, *some: np.clip(log_delta_of(epsilon, *some) - log_delta, -CUT, CUT), *records)


def largest_of_shares(epsilon: Callable[[np.ndarray], np.ndarray]) -> float:
    """Largest ε of records whose leverage is a share of the largest there is: the best of a grid from shares next to 0 up to 1,
    refined between its neighbours.

    Parameters
    ----------
    epsilon : of shares (n_records,)
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
    record : the one record, of an analysis that has `one`
    """

    record: Any

    bound: ClassVar[Bound] = Bound.ESTIMATE

    @property
    def evaluation_error(self) -> float:
        return 1e-9

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        flat = np.asarray(epsilon, dtype=float).reshape(-1)
        value = self.record.take(np.zeros(flat.size, dtype=np.intp)).one(np.nan_to_num(flat), direction)
        return np.where(np.isfinite(flat), value, -np.inf).reshape(np.shape(epsilon))
