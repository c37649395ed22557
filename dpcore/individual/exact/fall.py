r"""By how much −dm/dT can differ within a cell: bounds on the curvature of the other rows around the way that θ takes.

Between two points of a line the gradient of J₋ moves along x only. With ΔT and Δm of these points and J₋ convex at least like A,

.. math:: ‖θ_1 − θ_2‖_A² ≤ E, \quad (x_i^⊤(θ_1 − θ_2))² ≤ ℓ_i E, \qquad E = \frac{σ}{‖x‖}\,ΔT\,Δm, \quad ℓ_i = x_i^⊤A^{-1}x_i

for any two θ of the cell. With κ = sup |f'''|/f'' between kinks and C the rows that may pass a kink, the Hessians at these obey
:math:`H_1 ⪯ e^{κ\sqrt{ℓE}} (1 + \sum_C ℓ_i \sup f''_i) H_2`, and −dm/dT = (σ/‖x‖) xᵀH⁻¹x differs by no larger factor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from dpcore.glm import Problem

# Rows times cells times features looked at in one go. Doubled, twice the memory.
_TOGETHER = 2_000_000
# Share of the curvature at the centre that is tried first as A. Doubled, it is more often too much.
_SURE = 0.5
# Choices of A tried before λ alone. Doubled, hardly ever a larger one is found.
_TRIALS = 5
# How often the first cells are halved into groups with an A each. Doubled, 256 groups take longer to make than they save.
_HALVINGS = 4
# Rows times features² up to which each cell has an A of its own. Doubled, rows of larger data take longer.
_LOCAL = 100_000
# Share by which a distance is widened for rounding. Doubled, nothing one sees.
_CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The hull of some pairs of θ and what is no further from it than E allows: no way from one to the other leaves that.

    Parameters
    ----------
    rest : J₋
    leverage : xᵀH⁻¹x of the record is nowhere larger
    leverages : nor that of the other rows (n_samples,)
    near : positions of the rows that may pass a kink
    least : A, of the other rows (n_features, n_features)
    """

    rest: Problem
    leverage: float
    leverages: np.ndarray
    near: np.ndarray
    least: np.ndarray

    @classmethod
    def around(cls, rest: Problem, x: np.ndarray, ends: np.ndarray, energy: np.ndarray) -> Surroundings:
        """For pairs of θ (2, n_cells, n_features) with E (n_cells,); a path gets no further from its beginning than E allows."""
        centre, kinks = ends.mean(axis=(0, 1)), rest.kinks()
        bends, at, ridge = rest.curvatures(centre), rest.X @ centre, np.diag(rest.penalty)
        rows, step = np.column_stack([rest.X.T, x]), np.sqrt(energy.max())
        hull = np.abs(ends.reshape(-1, centre.size) @ rest.X.T - at).max(axis=0)
        A = _SURE * (rest.X.T * bends) @ rest.X + ridge
        for trial in range(_TRIALS):
            A = A if trial < _TRIALS - 1 else ridge
            lengths = np.linalg.norm(linalg.solve_triangular(linalg.cholesky(A, lower=True), rows, lower=True), axis=0)
            reach = (1 + _CLOSE) * (hull + step * lengths[:-1])
            near = (np.abs(kinks - at) <= reach).any(axis=0) & (reach > 0)
            found = (rest.X.T * np.where(near, 0.0, bends * np.exp(-rest.loss.bend_rate * reach))) @ rest.X + ridge
            if linalg.eigh(found, A, eigvals_only=True)[0] >= 1 - _CLOSE:
                break
            A = found
        lengths = np.linalg.norm(linalg.solve_triangular(linalg.cholesky(found, lower=True), rows, lower=True), axis=0)
        leverages = np.square(lengths)
        return cls(rest, float(leverages[-1]), leverages[:-1], np.flatnonzero(near), found)

    def spread(self, ends: np.ndarray, energy: np.ndarray) -> np.ndarray:
        """log of how many times −dm/dT may be larger at one place of a cell than at another (n_cells,)."""
        found, rows = self.rest.loss.bend_rate * np.sqrt(energy * self.leverages.max()), self.near
        if not rows.size:
            return found
        X, leverage, kinks = self.rest.X[rows], self.leverages[rows], self.rest.kinks()[:, None, rows]
        largest = self.rest.record_curvatures()[rows] / np.square(X).sum(axis=1)
        for part in np.array_split(np.arange(energy.size), 1 + energy.size * X.size // _TOGETHER):
            u, room = ends[:, part] @ X.T, np.sqrt(energy[part, None] * leverage)
            around = (0.5 + _CLOSE) * room + _CLOSE * (1 + np.abs(u[0]))
            low, high = u.min(axis=0) - around, u.max(axis=0) + around
            passed, sharper = ((kinks >= low) & (kinks <= high)).any(axis=0), leverage
            if X.size * X.shape[1] <= _LOCAL:
                bends = self.rest.curvatures(ends[0, part], rows) * np.exp(-self.rest.loss.bend_rate * room)
                A = self.least + np.einsum("cr,rd,re->cde", np.where(passed, 0.0, bends), X, X)
                sharper = np.einsum("rd,cdr->cr", X, np.linalg.solve(A, np.broadcast_to(X.T, (len(A), *X.T.shape))))
            found[part] += np.log1p(np.where(passed, largest * sharper, 0.0).sum(axis=1))
        return found


def near_groups(points: np.ndarray, chosen: np.ndarray) -> list[np.ndarray]:
    """Positions of some points (n_points, n_features) in groups of near ones."""
    groups = [chosen]
    for _ in range(_HALVINGS):
        halves = []
        for group in groups:
            widest = np.argmax(np.ptp(points[group], axis=0)) if group.size else 0
            halves += np.array_split(group[np.argsort(points[group, widest])], 2)
        groups = [half for half in halves if half.size]
    return groups
