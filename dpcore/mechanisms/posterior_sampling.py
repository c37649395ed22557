"""One posterior sample of ridge regression (OPS): exact profile of a record, and of the worst record of a domain."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np
from scipy import linalg, optimize

from dpcore import validation
from dpcore.errors import UnsupportedError
from dpcore.mechanisms.entry import Parameter
from dpcore.mechanisms.output_perturbation import LargestGaussianShift
from dpcore.mechanisms.releases import (
    GlmRelease,
    ReleaseEntry,
    RidgeFit,
    bounded_gradient,
    in_any_domain,
    penalty_control,
    set_model,
)
from dpcore.mechanisms.two_normals import log_two_normals, normal_renyi_terms
from dpcore.numerics import CUT, LARGEST, LARGEST_ROOT
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile
from dpcore.references import FormulaCard, formula_card

_GRID = np.linspace(0.0, 2.0, 129)  # positions on the frontier at which the search for the worst record starts
_SHRINK = 12.0  # the record is searched down to e^-12 of its largest length; doubled, shorter records are searched too
# Positions on the frontier whose Rényi divergences are compared. With twice as many, a divergence takes twice as long.
_POSITIONS = np.linspace(0.0, 2.0, 4_001)[1:]
# Points and number of rounds of the search around the best position: each round leaves 2/64 of the interval.
_ZOOM, _ROUNDS = 65, 4
# Largest number of turns in the search for ε, and the relative rise of ε in one turn below which the search ends.
_TURNS, _SETTLED = 12, 1e-7
_AROUND = np.arange(-6, 7) * 8 * np.finfo(float).eps  # relative distances from the ε found, at which δ(ε) is computed


def record_renyi(alpha: np.ndarray, leverage: np.ndarray, shift: np.ndarray, direction: str) -> np.ndarray:
    r"""Rényi divergence of order α ≥ 1 between N(m, μ) and N(m/(1+μ), μ/(1+μ)), shape (n_records, n_orders), nats."""
    mu, m = leverage[:, None], shift[:, None]
    gap = m * m * mu / np.square(1 + mu)  # (m − m/(1+μ))² in units of the variance μ without the record
    ratio, gap = (1 / (1 + mu), gap) if direction == "add" else (1 + mu, gap * (1 + mu))
    plain, factor = normal_renyi_terms(alpha, ratio)
    return plain + factor * gap


@dataclass(frozen=True)
class PosteriorSampleRecord(PrivacyProfile):
    r"""Exact profile of one record under a posterior sample: data set and record both fixed.

    Parameters
    ----------
    leverage : float ≥ 0
        Out-of-sample leverage μ = xᵀH⁻¹x.
    shift : float ≥ 0
        √γ|r|, with r the residual of the record under the fit without it.

    References: wang-2019 (Theorem 14, corrected, Lemma 21).
    """

    leverage: float
    shift: float

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return log_two_normals(epsilon, self.leverage, self.shift, direction)


@dataclass(frozen=True)
class PosteriorSampleWorstCase(PrivacyProfile):
    r"""Worst record and worst data set of at most n rows with ‖x‖ ≤ R, |y| ≤ B. Exact: the supremum is attained.

    A record of leverage μ has a residual of at most

    .. math:: \bar r(μ) = B\left(1 + \sqrt{n\left(μ − λμ²/ρ²\right)}\right), \quad ρ² = \min\{R², μ(λ + nR²)\},
              \quad 0 < μ ≤ R²/λ,

    reached by n equal rows along x with targets B on the other side of y. The profile grows with |r|, so δ(ε) is the
    supremum over μ of the profile of a record at (μ, √γ·r̄(μ)).

    Parameters
    ----------
    gamma, lam, row_norm, target_bound : floats > 0; n : int ≥ 0, public.

    References: wang-2019.
    """

    gamma: float
    lam: float
    row_norm: float
    target_bound: float
    n: int

    bound: ClassVar[Bound] = Bound.EXACT

    def frontier(self, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(μ, √γ·r̄) at positions from 0 to 2.

        On [0, 1] the length of the equal rows grows from 0 to R. On [1, 2] that of the record then shrinks from R to
        e^−12 R.
        """
        reach = self.row_norm * np.sqrt(self.n)
        tau = np.sqrt(self.lam) * np.sinh(np.minimum(np.abs(position), 1.0) * np.arcsinh(reach / np.sqrt(self.lam)))
        length = self.row_norm * np.exp(-_SHRINK * np.maximum(position - 1.0, 0.0))
        hessian = self.lam + tau * tau
        with np.errstate(over="ignore"):
            residual = self.target_bound * (1 + length * np.sqrt(self.n) * tau / hessian)
            return length * length / hessian, np.sqrt(self.gamma) * residual

    def largest_renyi(self, alpha: float) -> float:
        """The largest divergence of order α of the records of the frontier, nats."""
        records = self.frontier(_POSITIONS)
        return float(max(record_renyi(np.array([alpha]), *records, way).max() for way in DIRECTIONS))

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        lowest = self._worst(epsilon.reshape(-1), direction)[1]
        return np.where(lowest >= LARGEST, -np.inf, -lowest).reshape(epsilon.shape)

    def _worst(self, epsilon: np.ndarray, direction: str) -> tuple[np.ndarray, np.ndarray]:
        """Position on the frontier of the record with the largest δ at each ε, and −log of that δ."""

        def loss(position: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
            return -np.maximum(log_two_normals(epsilon, *self.frontier(position), direction), -LARGEST)

        values = loss(_GRID, epsilon[:, None])
        best = np.minimum(values.argmin(axis=1), _GRID.size - 2)
        left = np.where(best > 0, _GRID[best - 1], -_GRID[1])  # `frontier` at −p is that at p, so 0 may be inside
        right, rows = _GRID[best + 1], np.arange(epsilon.size)
        found, lowest = _GRID[values.argmin(axis=1)], values.min(axis=1)
        for _ in range(_ROUNDS):
            near = np.linspace(left, right, _ZOOM, axis=1)
            values = loss(near, epsilon[:, None])
            best = values.argmin(axis=1)
            left, right = near[rows, np.maximum(best - 1, 0)], near[rows, np.minimum(best + 1, _ZOOM - 1)]
            lower = values[rows, best] < lowest
            found, lowest = np.where(lower, near[rows, best], found), np.where(lower, values[rows, best], lowest)
        return found, lowest

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        """For a single target, find by turns the worst record at the current ε, and the ε of that record.

        δ(ε) itself is then evaluated around the result and decides. Other targets take the general search.
        """
        log_target = targets[0]
        if np.isneginf(log_target).all():  # δ(ε) > 0 for every ε: the wider of two normal laws has the heavier tail
            return np.full(log_target.shape, np.inf)
        if log_target.size == 1 and np.isfinite(log_target).all():
            ways = DIRECTIONS if direction == "both" else (direction,)
            near = 0.0
            for way in ways:
                near = self._by_turns(near, log_target.item(), way)
            tried = near * (1.0 + _AROUND)
            met = excess(tried, *(target.reshape(1) for target in targets)) <= 0
            if 0 < near < np.inf and not met[0] and met[-1]:
                return tried[np.flatnonzero(~met)[-1] + 1].reshape(log_target.shape)
        return super()._inverse(excess, targets, direction)

    def _by_turns(self, epsilon: float, log_target: float, direction: str) -> float:
        for _ in range(_TURNS):  # ε rises towards the answer, and every turn squares its error
            position, lowest = self._worst(np.array([epsilon]), direction)
            if -lowest[0] <= log_target:
                break
            risen = self._reached(position, epsilon, log_target, direction)
            settled, epsilon = risen <= epsilon * (1 + _SETTLED), max(risen, epsilon)
            if settled or not np.isfinite(epsilon):
                break
        return epsilon

    def _reached(self, position: np.ndarray, epsilon: float, log_target: float, direction: str) -> float:
        """ε of the record at a position of the frontier, whose δ at `epsilon` is above the target; inf if there is none."""
        leverage, shift = self.frontier(position)

        def missing(epsilon: float) -> float:
            value = log_two_normals(np.array([epsilon]), leverage, shift, direction)
            return float(np.clip(value[0] - log_target, -CUT, CUT))

        high = 1.0 + 2 * epsilon
        while missing(high) > 0:
            high *= 4
            if high > LARGEST_ROOT:
                return np.inf
        return float(optimize.brentq(missing, epsilon, high, xtol=1 / LARGEST, maxiter=500))


@dataclass(frozen=True, repr=False)
class PosteriorSampling(GlmRelease):
    r"""A generalised linear model released as one posterior sample.

    .. math:: p(θ) ∝ e^{−γJ(θ)}, \quad J(θ) = \sum_i f(x_i^⊤θ; y_i) + \tfrac λ2‖θ‖²

    For the squared loss, ridge regression, it is N(θ̂, H⁻¹/γ), H = XᵀX + λI.

    Parameters
    ----------
    gamma : float > 0
        Inverse temperature: the precision of a unit of squared error.
    lam : float ≥ 0
        Ridge penalty in sum form. 0 needs the squared loss and a data matrix of full column rank, and has no worst-case
        guarantee.
    loss : str or Loss
        f: a name in `LOSSES`, or a loss.
    clip : float > 0, optional
        C: every record's loss is replaced by the convex one whose gradient is clipped to norm C.

    References: wang-2019.
    """

    gamma: float
    lam: float
    loss: Any = field(default="squared", repr=False)
    clip: float | None = field(default=None, repr=False)

    card: ClassVar[FormulaCard] = formula_card(__file__, "posterior_sampling")
    release: ClassVar[str] = "posterior"
    noise: ClassVar[Parameter] = Parameter("gamma", "γ", "Less noise: inverse temperature γ", 1.0, 1e-4, 1e4, noise=-2)

    def __post_init__(self) -> None:
        validation.set_checked(self, gamma=validation.positive)
        set_model(self)

    @property
    def inverse_temperature(self) -> float:
        return self.gamma

    def nearby(self, fit: RidgeFit, Z: np.ndarray) -> np.ndarray:
        """L⁻ᵀZ/√γ, H = LLᵀ; see `GlmRelease.nearby`."""
        return linalg.solve_triangular(fit.factor, Z, lower=True, trans="T") / np.sqrt(self.gamma)

    def worst_renyi(self, alpha: float, domain: Any, n: int) -> float:
        """Largest Rényi divergence of order α of the hardest records; see `GlmRelease.worst_renyi`."""
        if not self.is_linear:
            return super().worst_renyi(alpha, domain, n)
        return cast(PosteriorSampleWorstCase, self.worst_case(domain, n)).largest_renyi(alpha)

    def worst_case(self, domain: Any, n: int) -> PosteriorSampleWorstCase | LargestGaussianShift:
        r"""Differential-privacy profile over every data set of at most `n` rows of the public domain, n public.

        For a loss other than the plain squared one it is an upper bound that holds for any n. With L the largest norm
        of the gradient of a record, two densities e^{−γJ} whose J differ by an L-Lipschitz function and are λ-strongly
        convex are no easier to tell apart than two normal laws of shift

        .. math:: Δ = L\sqrt{γ/λ}

        Parameters
        ----------
        domain : object with `row_norm` (R) and `target_bound` (B), such as `dp.Domain`.
        n : int ≥ 0, rows of the smaller of the two neighbouring data sets.

        Raises
        ------
        UnsupportedError
            If lam = 0: the leverage of a record, and with it ε, has no bound. If a record's gradient has none.

        References: wang-2019 (Proposition 16), gopi-lee-liu-2022.
        """
        n = validation.integer("n", n, minimum=0)
        if self.lam == 0:
            raise UnsupportedError(
                "without regularisation (lam = 0) some data set makes a record arbitrarily visible: there is no "
                "worst-case guarantee. Use lam > 0"
            )
        if not self.is_linear:
            return LargestGaussianShift(bounded_gradient(self, domain) * float(np.sqrt(self.gamma / self.lam)))
        row_norm = validation.positive("row_norm", domain.row_norm)
        return PosteriorSampleWorstCase(
            self.gamma, self.lam, row_norm, validation.positive("target_bound", domain.target_bound), n
        )


ENTRY = ReleaseEntry(
    PosteriorSampling.release,
    "Posterior sample",
    in_any_domain(PosteriorSampling),
    (penalty_control(), PosteriorSampling.noise),
    PosteriorSampling.card,
    option="posterior_sampling",
    law="one draw from p(θ) ∝ exp(−γJ(θ)), of linear regression N(θ̂, H⁻¹/γ)",
    asked={"gamma": 1.0},
)
