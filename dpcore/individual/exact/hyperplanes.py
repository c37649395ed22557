"""The density of one predictor xᵀθ under e^{−γJ(θ)}: integrals over the hyperplanes of equal xᵀθ."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import linalg, special

from dpcore.glm import Problem
from dpcore.glm.threads import SINGLE_THREADED_BLAS

# Steps towards a constrained minimiser with the same Hessian. Doubled, centres are nearer; the weights correct for the
# rest.
_CHORDS = 6
# Degrees of freedom ν of the Student law from which points are drawn. Doubled, its tails are lighter.
_DEGREES = 8.0
# _EDGE: number of spreads along an axis at which the rise of γJ is measured. _DROP: that rise for a normal law.
# _NORMAL: share of it from which on the law counts as normal along this axis.
_EDGE, _DROP, _NORMAL = (
    3.0,
    4.5,
    0.9,
)
# How often a width is doubled at most, and how often its bracket is then halved. With the second doubled, widths are
# more accurate.
_DOUBLINGS, _HALVINGS = 40, 5
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
        for _ in range(_CHORDS if factor.size else 0):
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

        def rise(at: tuple[np.ndarray, ...], width: np.ndarray) -> np.ndarray:
            """The rise of γJ at `width` times the edge, on the side where it rises less."""
            step = width[:, None] * axes[at]
            sides = [self.problem.values(centres[at[0]] + side * step) for side in (-1, 1)]
            return np.asarray(self.gamma * (np.minimum(*sides) - lowest[at[0]]))

        widths = np.ones(axes.shape[:2])
        where = np.nonzero(widths)
        low, found = widths[where], rise(where, widths[where])
        wide = found < _NORMAL * _DROP
        where, low, below = tuple(part[wide] for part in where), low[wide], found[wide]
        high, above, open_ = low.copy(), below.copy(), np.arange(low.size)
        for _ in range(_DOUBLINGS):
            low[open_], below[open_] = high[open_], above[open_]
            high[open_] *= 2
            above[open_] = rise(tuple(part[open_] for part in where), high[open_])
            open_ = open_[above[open_] < _DROP]
            if not open_.size:
                break
        for _ in range(_HALVINGS if low.size else 0):
            middle = 0.5 * (low + high)
            value = rise(where, middle)
            under = value < _DROP
            low, below = np.where(under, middle, low), np.where(under, value, below)
            high, above = np.where(under, high, middle), np.where(under, above, value)
        share = (_DROP - below) / np.maximum(above - below, np.finfo(float).tiny)
        widths[where] = np.maximum(low + np.clip(share, 0.0, 1.0) * (high - low), 1.0)
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
    from scipy.stats import qmc  # heavy: loaded when first used

    sobol = qmc.Sobol(dimension + 1, scramble=True, rng=np.random.default_rng(seed)).random_base2(log_points)
    sobol = np.clip(sobol, 1e-12, 1 - 1e-12)
    student = special.ndtri(sobol[:, :-1]) * np.sqrt(_DEGREES / special.chdtri(_DEGREES, sobol[:, -1:]))
    return np.vstack([student, -student])
