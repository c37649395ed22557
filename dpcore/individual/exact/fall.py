r"""How much −dm/dT can vary within a cell, from bounds on the curvature of the other rows around the path of θ.

Between two points of a line, the gradient of J₋ moves along x only. These points are ΔT and Δm apart. With a lower
bound A of the Hessian of J₋,

.. math:: ‖θ_1 − θ_2‖_A² ≤ E, \quad (x_i^⊤(θ_1 − θ_2))² ≤ ℓ_i E, \qquad E = \frac{σ}{‖x‖}\,ΔT\,Δm, \quad ℓ_i = x_i^⊤A^{-1}x_i

for any two θ of the cell. Let κ = sup |f'''|/f'' between kinks, and C the rows that may pass a kink. The Hessians at
two such θ obey :math:`H_1 ⪯ e^{κ\sqrt{ℓE}} (1 + \sum_C ℓ_i \sup f''_i) H_2`, and −dm/dT = (σ/‖x‖) xᵀH⁻¹x varies by no
larger factor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from dpcore.glm import Problem
from dpcore.individual.numbers import BESIDE
from dpcore.numerics import BLOCK

# The first A that is tried is this share of the curvature at the centre, plus λ. Doubled, it is more often too large.
_SURE = 0.5
# Number of choices of A that are tried, the last being λI. Doubled, a larger A is hardly ever found.
_TRIALS = 5
# How often the first cells are halved into groups, each with its own A. Doubled, 256 groups take longer to make than
# they save.
_HALVINGS = 4
# If rows times features² is at most this, each cell has an A of its own. Doubled, ε of a row of larger data takes
# longer.
_LOCAL = 100_000


@dataclass(frozen=True, eq=False)
class Surroundings:
    """A region around some pairs of θ: their convex hull, and all points that are no further from it than E allows.

    No path of θ between the two points of a pair leaves it.

    Parameters
    ----------
    rest : J₋
    leverage : largest xᵀA⁻¹x of the record, which xᵀH⁻¹x exceeds nowhere in the region
    leverages : the same of each of the other rows (n_samples,)
    near : positions of the rows that may pass a kink
    least : A, a lower bound of the Hessian of J₋ in the region (n_features, n_features)
    """

    rest: Problem
    leverage: float
    leverages: np.ndarray
    near: np.ndarray
    least: np.ndarray

    @classmethod
    def around(cls, rest: Problem, x: np.ndarray, ends: np.ndarray, energy: np.ndarray) -> Surroundings:
        """The region of pairs of θ (2, n_cells, n_features) with E (n_cells,)."""
        centre, kinks = ends.mean(axis=(0, 1)), rest.kinks()
        bends, at, ridge = rest.curvatures(centre), rest.X @ centre, np.diag(rest.penalty)
        rows, step = np.column_stack([rest.X.T, x]), np.sqrt(energy.max())
        hull = np.abs(ends.reshape(-1, centre.size) @ rest.X.T - at).max(axis=0)
        A = _SURE * (rest.X.T * bends) @ rest.X + ridge
        for trial in range(_TRIALS):
            A = A if trial < _TRIALS - 1 else ridge
            lengths = np.linalg.norm(linalg.solve_triangular(linalg.cholesky(A, lower=True), rows, lower=True), axis=0)
            reach = (1 + BESIDE) * (hull + step * lengths[:-1])
            near = (np.abs(kinks - at) <= reach).any(axis=0) & (reach > 0)
            found = (rest.X.T * np.where(near, 0.0, bends * np.exp(-rest.loss.bend_rate * reach))) @ rest.X + ridge
            if linalg.eigh(found, A, eigvals_only=True)[0] >= 1 - BESIDE:
                break
            A = found
        lengths = np.linalg.norm(linalg.solve_triangular(linalg.cholesky(found, lower=True), rows, lower=True), axis=0)
        leverages = np.square(lengths)
        return cls(rest, float(leverages[-1]), leverages[:-1], np.flatnonzero(near), found)

    def spread(self, ends: np.ndarray, energy: np.ndarray) -> np.ndarray:
        """Upper bound of the logarithm of the ratio of −dm/dT at any two places of a cell (n_cells,)."""
        found, rows = self.rest.loss.bend_rate * np.sqrt(energy * self.leverages.max()), self.near
        if not rows.size:
            return found
        X, leverage, kinks = self.rest.X[rows], self.leverages[rows], self.rest.kinks()[:, None, rows]
        largest = self.rest.record_curvatures()[rows] / np.square(X).sum(axis=1)
        for part in np.array_split(np.arange(energy.size), 1 + energy.size * X.size // BLOCK):
            u, room = ends[:, part] @ X.T, np.sqrt(energy[part, None] * leverage)
            around = (0.5 + BESIDE) * room + BESIDE * (1 + np.abs(u[0]))
            low, high = u.min(axis=0) - around, u.max(axis=0) + around
            passed, sharper = ((kinks >= low) & (kinks <= high)).any(axis=0), leverage
            if X.size * X.shape[1] <= _LOCAL:
                bends = self.rest.curvatures(ends[0, part], rows) * np.exp(-self.rest.loss.bend_rate * room)
                A = self.least + np.einsum("cr,rd,re->cde", np.where(passed, 0.0, bends), X, X)
                sharper = np.einsum("rd,cdr->cr", X, np.linalg.solve(A, np.broadcast_to(X.T, (len(A), *X.T.shape))))
            found[part] += np.log1p(np.where(passed, largest * sharper, 0.0).sum(axis=1))
        return found


def near_groups(points: np.ndarray, chosen: np.ndarray) -> list[np.ndarray]:
    """The chosen positions of points (n_points, n_features), in groups of points near each other."""
    groups = [chosen]
    for _ in range(_HALVINGS):
        halves = []
        for group in groups:
            widest = np.argmax(np.ptp(points[group], axis=0)) if group.size else 0
            halves += np.array_split(group[np.argsort(points[group, widest])], 2)
        groups = [half for half in halves if half.size]
    return groups
