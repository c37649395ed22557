"""The density of one predictor xᵀθ under e^{−γJ(θ)}: integrals over the hyperplanes of equal xᵀθ."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import linalg, special

from dpcore.glm import Problem
from dpcore.glm.threads import SINGLE_THREADED_BLAS

_CHORDS = 6  # steps towards a constrained minimiser with one Hessian
_DEGREES = 8.0
_NEAR = 1e-4  # gradient in units of the spread below which the centre is good; the weights take care of the rest


@dataclass(frozen=True, eq=False)
class Hyperplanes:
    r"""log ∫ e^{−γJ} over each of the hyperplanes xᵀθ = m, up to one constant.

    .. math:: \log q(m) = −γJ(θ_m) − \tfrac12 \log\det Q^⊤H_mQ + \log E_t\!\left[e^{−γ(J(θ_m + w) − J(θ_m))}
              \left(1 + \tfrac{‖t‖²}ν\right)^{(ν + d − 1)/2}\right], \quad w = (γQ^⊤H_mQ)^{-1/2}t,

    θ_m the minimiser on the hyperplane, H_m the Hessian there, Q a basis of x⊥ and t of a Student law of ν degrees of
    freedom, whose tails are heavier than those of any strongly convex J. The mean over t is one of scrambled Sobol points
    and their mirror images, the same for all m.

    Parameters
    ----------
    problem : J
    gamma : γ > 0
    x : normal of the hyperplanes (n_features,), not 0
    theta, direction : minimiser of J, and H⁻¹x/(xᵀH⁻¹x) there, along which the hyperplanes are first met
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
        """θ_m (n_planes, n_features), to a small share of the spread around it; fills the factors too."""
        Q, first = self.basis, self.theta + (self.margins - self.x @ self.theta)[:, None] * self.direction
        centres = np.empty_like(first)
        for k, theta in enumerate(first):
            for _ in range(2):
                factor = linalg.cholesky(Q.T @ self.problem.hessian(theta) @ Q, lower=True) if Q.size else Q.T @ Q
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
            slope = linalg.solve_triangular(factor, self.basis.T @ self.problem.gradient(theta), lower=True)
            size = float(np.sqrt(self.gamma) * np.linalg.norm(slope))
            first = size if np.isinf(first) else first
            if size <= _NEAR:
                break
            theta = theta - self.basis @ linalg.solve_triangular(factor, slope, lower=True, trans="T")
        return theta, first <= 1.0 or np.isinf(first)

    def log_densities(self, scramblings: int, log_points: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """log q by each scrambling of 2^log_points points and their mirror images, and the effective sample size.

        Returns
        -------
        log_q : (scramblings, n_planes)
        effective : (n_planes,), of all scramblings together
        """
        with SINGLE_THREADED_BLAS:
            centres = self.centres
            spread = np.array([np.log(np.diag(root)).sum() for root in self._roots])
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
        thetas = np.stack(
            [
                centre
                + linalg.solve_triangular(root, student.T, lower=True, trans="T").T @ self.basis.T / np.sqrt(self.gamma)
                for centre, root in zip(self.centres, self._roots, strict=True)
            ]
        )
        planes, points, features = thetas.shape
        values = self.problem.values(thetas.reshape(-1, features)).reshape(planes, points)
        tail = (_DEGREES + student.shape[1]) / 2 * np.log1p(np.square(student).sum(axis=1) / _DEGREES)
        return tail - self.gamma * (values - lowest[:, None])


def _students(dimension: int, log_points: int, seed: list[int]) -> np.ndarray:
    """Scrambled Sobol points turned into a Student law, and their mirror images."""
    from scipy.stats import qmc  # heavy: loaded when first used

    sobol = qmc.Sobol(dimension + 1, scramble=True, rng=np.random.default_rng(seed)).random_base2(log_points)
    sobol = np.clip(sobol, 1e-12, 1 - 1e-12)
    student = special.ndtri(sobol[:, :-1]) * np.sqrt(_DEGREES / special.chdtri(_DEGREES, sobol[:, -1:]))
    return np.vstack([student, -student])
