"""Data in which one record moves a minimiser as far as it can: a bound on sensitivity must cover them."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import elementwise

from dpcore import validation
from dpcore.glm import losses

_LENGTHS = 33  # lengths of rows that are tried
_SHORTEST = 1e-6  # the shortest of them, in units of R
_TOLERANCES = {"xatol": 0.0, "xrtol": 1e-12, "fatol": 0.0, "frtol": 0.0}


@dataclass(frozen=True, eq=False)
class AdversarialData:
    r"""Rows r e₁ with target y and one record s e₁ with target y′, chosen for each λ; lower bounds of the sensitivity.

    .. math:: |θ_λ − θ_λ'|, \quad λθ_λ + m\,r f'(rθ_λ; y) = 0, \quad λθ_λ' + m\,r f'(rθ_λ'; y) + s f'(sθ_λ'; y') = 0

    Short rows with one target pull the minimiser far out and hardly bend the objective; the record pulls it back. If
    every row must have length R, the rows come in pairs r e₁ ± √(R² − r²) e₂, whose minimiser lies on e₁ too; then s =
    R.

    Parameters
    ----------
    n : int, records with the one that is added
    m : int, rows; at most one further row is zero
    lam : array (n_lambdas,)
    change : array (n_lambdas,), how far the record moves the minimiser
    row, row_target : arrays (n_lambdas,), r and y
    record, record_target : arrays (n_lambdas,), s and y′
    """

    n: int
    m: int
    lam: np.ndarray
    change: np.ndarray
    row: np.ndarray
    row_target: np.ndarray
    record: np.ndarray
    record_target: np.ndarray


def adversarial_data(loss: Any, domain: Any, n: int, d: int, lambdas: Any) -> AdversarialData:
    """The worst data found at each λ over lengths and extreme targets.

    Their change is a lower bound of the sensitivity; the upper bound is L/λ.

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss` with a bounded gradient
    domain : `dp.Domain`
    n, d : ints ≥ 1, number of records with the one that is added, and of features
    lambdas : positive numbers

    References: lecture-10 (Unregularised sensitivity).
    """
    loss, n, d = losses.find(loss), validation.at_least_one("n", n), validation.at_least_one("d", d)
    lam = validation.real_array("lambdas", lambdas, low=1e-12)
    radius, even = domain.row_norm, domain.rows == "normalize"
    any_length = radius * np.geomspace(_SHORTEST, 1.0, _LENGTHS)
    full = np.array([radius])
    m = (n - 1) // 2 * 2 if even and d > 1 else n - 1
    ends = loss.target.extremes(domain.target_bound)
    choices = (full if even and d == 1 else any_length, ends, full if even else any_length, ends)
    axes = np.array(list(itertools.product(*choices))).T
    row, y, record, z = (np.tile(axis, (lam.size, 1)) for axis in axes)
    penalty = np.broadcast_to(lam[:, None], row.shape)
    steepest = float(loss.slope_bound(domain.target_bound))

    def minimiser(present: float) -> np.ndarray:
        def slope(
            theta: np.ndarray, lam: np.ndarray, r: np.ndarray, y: np.ndarray, s: np.ndarray, z: np.ndarray
        ) -> np.ndarray:
            pull = m * r * loss.derivative(r * theta, y)
            return lam * theta + pull + present * s * loss.derivative(s * theta, z)

        reach = 1.001 * steepest * (m * row + record) / penalty
        args = (penalty, row, y, record, z)
        return elementwise.find_root(slope, (-reach, reach), args=args, tolerances=_TOLERANCES, maxiter=200).x

    change = np.abs(minimiser(1.0) - minimiser(0.0))
    best = (np.arange(lam.size), np.argmax(change, axis=1))
    return AdversarialData(n, m, lam, change[best], row[best], y[best], record[best], z[best])
