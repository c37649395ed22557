"""The density of one predictor xᵀθ under e^{−γJ(θ)}: integrals over the hyperplanes of equal xᵀθ."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import linalg, special

from dpcore.glm import Problem
from dpcore.glm.threads import SINGLE_THREADED_BLAS
from dpcore.individual.exact.scrambled import next_points, sobol

# Degrees of freedom ν of the Student law from which points are drawn. Doubled, its tails are lighter.
_DEGREES = 8.0
# _EDGE: number of spreads along an axis at which the rise of γJ is measured. _NORMAL: share of the rise of a normal law
# from which on the law counts as normal along this axis. With the first doubled, widths follow the tails.
_EDGE, _NORMAL = 3.0, 0.9
# Number of steps to a width, and largest number towards a constrained minimiser with the same Hessian. Doubled, both are
# more accurate; the weights correct for the rest.
_STEPS = 8
# Gradient, in units of the spread, below which a centre is good enough; the weights correct for the rest. Doubled,
# centres are twice as far off.
_NEAR = 1e-4


@dataclass(frozen=True, eq=False)
class Hyperplanes:
    r"""log ∫ e^{−γJ} over each of the hyperplanes xᵀθ = m, up to one constant.

    .. math:: \log q(m) = −γJ(θ_m) − \tfrac12 \log\det Q^⊤H_mQ + \log\det C + \log E_t\!\left[e^{−γ(J(θ_m + w) − J(θ_m))}
              \left(1 + \tfrac{‖t‖²}ν\right)^{(ν + d − 1)/2}\right], \quad w = (γQ^⊤H_mQ)^{-1/2}Ct,

    where θ_m is the minimiser on the hyperplane, H_m the Hessian there, Q a basis of x⊥, and t has a Student law of ν
    degrees of freedom, whose tails are heavier than those of e^{−γJ} for any strongly convex J. C ≥ 1 is diagonal. It
    widens an axis until γJ rises by 9/2 at three spreads, as for a normal law, if the curvature falls away from θ_m.
    The mean over t is taken over scrambled Sobol points and their mirror images, the same ones for all m.

    Parameters
    ----------
    problem : J
    gamma : γ > 0
    x : normal of the hyperplanes (n_features,), not 0
    theta, direction : minimiser of J, and H⁻¹x/(xᵀH⁻¹x) there; the search on each hyperplane begins on this line
    margins : m of each hyperplane (n_planes,)
    """

    problem: Problem
    gamma: float
    x: np.ndarray
    theta: np.ndarray
    direction: np.ndarray
    margins: np.ndarray
    _roots: list[np.ndarray] = field(init=False, default_factory=list, repr=False)

    @cached_property
    def basis(self) -> np.ndarray:
        """Q, orthonormal (n_features, n_features − 1)."""
        return linalg.qr(self.x[:, None])[0][:, 1:]

    @cached_property
    def centres(self) -> np.ndarray:
        """θ_m (n_planes, n_features), to a small share of the spread around it; it also fills `_roots`."""
        Q, first = self.basis, self.theta + (self.margins - self.x @ self.theta)[:, None] * self.direction
        centres = np.empty_like(first)
        for k, theta in enumerate(first):
            for _ in range(2):
                within = _finite(Q.T @ self.problem.hessian(theta) @ Q)
                factor = linalg.cholesky(within, lower=True) if Q.size else within
                theta, near = self._nearer(theta, factor)
                if near:
                    break
            centres[k] = theta
            self._roots.append(factor)
        return centres

    def _nearer(self, theta: np.ndarray, factor: np.ndarray) -> tuple[np.ndarray, bool]:
        """Chord steps within the hyperplane, and whether the first of them was already short."""
        first = np.inf
        for _ in range(_STEPS if factor.size else 0):
            slope = linalg.solve_triangular(factor, _finite(self.basis.T @ self.problem.gradient(theta)), lower=True)
            size = float(np.sqrt(self.gamma) * np.linalg.norm(slope))
            first = size if np.isinf(first) else first
            if size <= _NEAR:
                break
            theta = theta - self.basis @ linalg.solve_triangular(factor, slope, lower=True, trans="T")
        return theta, first <= 1.0 or np.isinf(first)

    @cached_property
    def axes(self) -> np.ndarray:
        """The points w of unit t along each axis, before widening, as rows (n_planes, n_features − 1, n_features).

        The axes are those of the Hessian on the middle plane, so that neighbouring planes have neighbouring points.
        """
        centres, size = self.centres, self.basis.shape[1]
        turn = np.linalg.svd(self._roots[len(centres) // 2])[2]
        return np.stack(
            [linalg.solve_triangular(root, turn.T, lower=True, trans="T").T @ self.basis.T for root in self._roots]
        ).reshape(len(centres), size, centres.shape[1]) / np.sqrt(self.gamma)

    @cached_property
    def widths(self) -> np.ndarray:
        """The diagonal of C for every plane (n_planes, n_features − 1)."""
        centres, axes = self.centres, _EDGE * self.axes
        lowest = self.problem.values(centres)

        def shortfall(at: tuple[np.ndarray, ...], width: np.ndarray) -> np.ndarray:
            """Rise for a normal law, relative to the rise at `width` times the edge on the side where it is less."""
            step = width[:, None] * axes[at]
            sides = [self.problem.values(centres[at[0]] + side * step) for side in (-1, 1)]
            rise = self.gamma * (np.minimum(*sides) - lowest[at[0]])
            return 0.5 * _EDGE**2 / np.maximum(rise, np.finfo(float).tiny)

        widths = np.ones(axes.shape[:2])
        where = np.nonzero(widths)
        wide = shortfall(where, widths[where]) > 1 / _NORMAL
        where = tuple(part[wide] for part in where)
        for _ in range(_STEPS if wide.any() else 0):  # the rise grows at least linearly, and at most as a parabola
            widths[where] = np.maximum(widths[where] * np.sqrt(shortfall(where, widths[where])), 1.0)
        return widths

    def log_densities(self, scramblings: int, log_points: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """log q by each scrambling of 2^log_points points and their mirror images, and the effective sample size.

        Returns
        -------
        log_q : (scramblings, n_planes)
        effective : (n_planes,), of all scramblings together
        """
        with SINGLE_THREADED_BLAS:
            centres = self.centres
            spread = np.array([np.log(np.diag(root)).sum() for root in self._roots]) - np.log(self.widths).sum(axis=1)
            lowest = self.problem.values(centres)
            base = -self.gamma * (lowest - lowest.min()) - spread
            if not self.basis.size:
                return np.tile(base, (scramblings, 1)), np.full(base.shape, np.inf)
            log_weight = np.stack(
                [
                    self._log_weights(_students(self.basis.shape[1], log_points, [seed, k]), lowest)
                    for k in range(scramblings)
                ]
            )
        effective = 2 * special.logsumexp(log_weight, axis=(0, 2)) - special.logsumexp(2 * log_weight, axis=(0, 2))
        return base + special.logsumexp(log_weight, axis=2) - np.log(log_weight.shape[2]), np.exp(effective)

    def _log_weights(self, student: np.ndarray, lowest: np.ndarray) -> np.ndarray:
        """Logarithms of the importance weights (n_planes, n_points) of points t."""
        thetas = self.centres[:, None] + (student * self.widths[:, None]) @ self.axes
        planes, points, features = thetas.shape
        values = self.problem.values(thetas.reshape(-1, features)).reshape(planes, points)
        tail = (_DEGREES + student.shape[1]) / 2 * np.log1p(np.square(student).sum(axis=1) / _DEGREES)
        return tail - self.gamma * (values - lowest[:, None])


def _finite(values: np.ndarray) -> np.ndarray:
    """The same values if all are finite; otherwise an error, as for a singular matrix, since no law can be computed."""
    if not np.isfinite(values).all():
        raise np.linalg.LinAlgError("beyond all numbers")
    return values


def _students(dimension: int, log_points: int, seed: list[int]) -> np.ndarray:
    """Scrambled Sobol points transformed to a Student law, and their mirror images."""
    points = next_points(sobol(dimension + 1, seed), 2**log_points)
    student = special.ndtri(points[:, :-1]) * np.sqrt(_DEGREES / special.chdtri(_DEGREES, points[:, -1:]))
    return np.vstack([student, -student])
