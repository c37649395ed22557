"""The density of a released minimiser by a change of variables, step by step on a small data set."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.glm import Problem, solve, solve_batch
from dpcore.references import formula_card

X = np.array([[1.0, 0.0], [0.6, 0.8], [-0.5, 0.7], [-0.8, -0.3], [0.2, -0.9], [0.7, -0.4]])  # ‖x‖ ≤ 1; the first is z
Y = np.array([1.0, 1.0, -1.0, -1.0, 1.0, -1.0])
_STEP = 1e-3  # step of the noise in differences, relative to σ or to the noise that bends the loss if that is smaller
_LINES, _POINTS, _REACH = 9, 25, 2.5  # lattice of noises: lines each way, points of a line, and its ends in units of σ
CHANGE_CARD = formula_card(__file__, "change")


@dataclass(frozen=True, eq=False)
class Side:
    """One data set at θ, in two parameters.

    Parameters
    ----------
    noise : b(θ; D), the only noise that leads to θ
    jacobian : ∂b/∂θ (2, 2), which is minus the Hessian
    log_noise_density : log ν(b)
    refit_jacobian : ∂θ/∂b (2, 2), by central differences of refitted models
    """

    noise: np.ndarray
    jacobian: np.ndarray
    log_noise_density: float
    refit_jacobian: np.ndarray

    @property
    def log_volume(self) -> float:
        """log |det ∂b/∂θ|."""
        return float(np.linalg.slogdet(self.jacobian)[1])

    @property
    def log_density(self) -> float:
        """log p(θ)."""
        return self.log_noise_density + self.log_volume

    @property
    def area(self) -> float:
        """|det ∂θ/∂b| of the refits: the factor by which the map from noises to minimisers changes areas."""
        return float(abs(np.linalg.det(self.refit_jacobian)))


@dataclass(frozen=True, eq=False)
class Change:
    """Both data sets at one θ: with the record z and without it.

    Parameters
    ----------
    theta : (2,)
    whole, rest : with z and without
    gradient : ∇ℓ(θ; z), by which z moves the noise
    leverage : f″(xᵀθ) xᵀH⁻¹x of z, in [0, 1)
    sigma : noise of the objective
    """

    theta: np.ndarray
    whole: Side
    rest: Side
    gradient: np.ndarray
    leverage: float
    sigma: float

    @property
    def volume(self) -> float:
        """First term: log ratio of the determinants."""
        return self.whole.log_volume - self.rest.log_volume

    @property
    def noise(self) -> float:
        """Second term: log ratio of the densities of the two noises."""
        return float(self.rest.noise @ self.rest.noise - self.whole.noise @ self.whole.noise) / (2 * self.sigma**2)

    @property
    def log_ratio(self) -> float:
        """log p(θ|D)/p(θ|D∖z), nats."""
        return self.volume + self.noise

    @property
    def refit_log_ratio(self) -> float:
        """log p(θ|D)/p(θ|D∖z) from the areas of refitted models, without a second derivative."""
        return self.whole.log_noise_density - self.rest.log_noise_density + math.log(self.rest.area / self.whole.area)


@dataclass(frozen=True)
class SmallModel:
    r"""Six records in two parameters, with a loss that has the given constants.

    .. math:: f(u; y) = \frac{L²}{4β} \log(1 + e^{−4βyu/L}), \qquad |f'| ≤ L, \quad 0 ≤ f'' ≤ β, \quad ‖x‖ ≤ 1

    Parameters
    ----------
    sigma, lam : noise and penalty, > 0
    lipschitz, smoothness : L and β, > 0

    Raises
    ------
    ParameterError
    """

    sigma: float
    lam: float
    lipschitz: float
    smoothness: float

    def __post_init__(self) -> None:
        validation.set_checked(self, **dict.fromkeys(("sigma", "lam", "lipschitz", "smoothness"), validation.positive))

    @property
    def steepness(self) -> float:
        """4β/L."""
        return 4 * self.smoothness / self.lipschitz

    @property
    def scale(self) -> float:
        """L²/4β."""
        return self.lipschitz / self.steepness

    def at(self, theta: tuple[float, float]) -> Change:
        """Every step of the change of variables at θ.

        References: lecture-10 (Lemma 10.1), redberg-koskela-wang-2023 (Lemmas J.6, J.7).
        """
        place = validation.real_array("theta", theta)
        if place.shape != (2,) or not np.isfinite(place).all():
            raise ParameterError(f"theta must hold two finite numbers, got {theta!r}")
        problem, x, y = self._problem(0), self.steepness * X[0], Y[0]
        slope, bend = (one(x @ place, y) for one in (problem.loss.derivative, problem.loss.second_derivative))
        leverage = float(bend * x @ np.linalg.solve(problem.hessian(place), x))
        return Change(place, self._side(0, place), self._side(1, place), self.scale * slope * x, leverage, self.sigma)

    def lattice(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Lines of a square lattice of noises, and their minimisers with z and without; each (points, 2)."""
        ends = _REACH * self.sigma
        along, across = np.linspace(-ends, ends, _POINTS), np.linspace(-ends, ends, _LINES)
        lines = [
            np.column_stack(pair)
            for one in across
            for pair in ((along, np.full(_POINTS, one)), (np.full(_POINTS, one), along))
        ]
        noises = np.vstack(lines)
        whole, rest = (
            solve_batch(self._problem(start), noises / self.scale, 1e-5 * self.sigma / self.scale).theta
            for start in (0, 1)
        )
        return list(zip(lines, np.split(whole, len(lines)), np.split(rest, len(lines)), strict=True))

    def _problem(self, start: int) -> Problem:
        """J divided by the scale, without noise. `start` is 0 for all records, and 1 without z, the first one."""
        return Problem("logistic", self.steepness * X[start:], Y[start:], lam=self.lam / self.scale)

    def _side(self, start: int, theta: np.ndarray) -> Side:
        problem = self._problem(start)
        noise = -problem.gradient(theta) * self.scale
        step = _STEP * min(self.sigma, self.lam / self.steepness)
        jacobian = np.empty((2, 2))
        for column, unit in enumerate(np.eye(2)):
            ends = [self._refit(problem, noise + sign * step * unit, step, theta) for sign in (1, -1)]
            jacobian[:, column] = (ends[0] - ends[1]) / (2 * step)
        log_noise = -float(noise @ noise) / (2 * self.sigma**2) - math.log(2 * math.pi * self.sigma**2)
        return Side(noise, -problem.hessian(theta) * self.scale, log_noise, jacobian)

    def _refit(self, problem: Problem, noise: np.ndarray, step: float, start: np.ndarray) -> np.ndarray:
        noisy = problem.replace(linear=noise / self.scale)
        tolerance = max(1e-8 * step / self.scale, 16 * noisy.gradient_round_off(start))
        return solve(noisy, tolerance, start=start).theta
