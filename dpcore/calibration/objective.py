"""From a privacy target to the noise and regularisation of objective perturbation, without looking at the data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.calibration import calibrate
from dpcore.errors import CalibrationError
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation, log_delta_over
from dpcore.profiles.roots import falling_root

PAPER_FACTOR = 1.3  # σ = 1.3 σ_Gauss, the rule of Redberg, Koskela and Wang (2023)
_LAMBDA_RANGE = (1e-8, 1e8)  # range of λ in units of the smoothness β: κ = β/λ goes from 1e8 down to 1e-8
_SIGMA_RANGE = (1e-6, 1e9)  # range of σ in units of the Lipschitz constant L
_NUDGES = 60  # how often λ may be raised by 1e-12 of itself until its δ as computed meets the target
CALIBRATED_BOUNDS = ("tight", "hockey_stick", "renyi", "kifer")
_GRID = 49  # number of σ on a contour; doubled, contours are finer and take longer


@dataclass(frozen=True)
class ObjectiveCalibration:
    """A point (σ, λ) that meets the target, and the excess risk it predicts, in sum form.

    `clip` is the bound C on the derivative of the loss; the mechanism's Lipschitz constant is C·R. `predicted_risk` is that
    of the clipped objective; `clipping_bias` bounds what clipping may add to it.
    """

    mechanism: ObjectivePerturbation
    clip: float
    predicted_risk: float
    clipping_bias: float

    @property
    def sigma(self) -> float:
        """Standard deviation of the linear noise term."""
        return self.mechanism.sigma

    @property
    def lam(self) -> float:
        """Regularisation, sum form."""
        return self.mechanism.lam


def gaussian_sigma(epsilon: float, delta: float, lipschitz: float) -> float:
    """σ of the Gaussian mechanism with sensitivity L at (ε, δ): no smaller noise is possible (Lemma 3.4)."""
    return calibrate(lambda s: Gaussian(s, lipschitz), epsilon, delta, bracket=(1e-6 * lipschitz, 1e9 * lipschitz))


def smallest_lambda(
    epsilon: float,
    delta: float,
    sigma: np.ndarray,
    *,
    lipschitz: float,
    smoothness: float,
    bound: str = "tight",
    monotone: bool = True,
) -> np.ndarray:
    """Smallest λ for which each σ meets (ε, δ) under the given bound: the feasible contour.

    Parameters
    ----------
    epsilon, delta : the target, nats and probability.
    sigma : array, noise levels.
    lipschitz, smoothness : L and β of one record.
    bound : "tight", "hockey_stick", "renyi" or "kifer".
    monotone : whether the loss is, for bound "tight".

    Returns
    -------
    array like sigma
        inf where no λ up to 1e8 β does. The returned λ itself meets the target as computed.

    Raises
    ------
    ParameterError
        If a value is out of range.
    """
    epsilon = validation.positive("epsilon", epsilon)
    delta = validation.open_probability("delta", delta)
    sigma = validation.real_array("sigma", sigma, low=np.finfo(float).tiny)
    smoothness = validation.positive("smoothness", smoothness)
    validation.choice("bound", bound, CALIBRATED_BOUNDS)
    if bound == "renyi":
        find = np.vectorize(_smallest_lambda_renyi, otypes=[float])
        return find(sigma, epsilon, delta, lipschitz, smoothness)

    def excess(log_lam: np.ndarray, sigma: np.ndarray) -> np.ndarray:
        log_delta = log_delta_over(
            epsilon, sigma=sigma, lam=np.exp(log_lam), lipschitz=lipschitz, smoothness=smoothness, bound=bound,
            monotone=monotone,
        )  # fmt: skip
        return log_delta - np.log(delta)

    return _smallest(excess, sigma, [end * smoothness for end in _LAMBDA_RANGE])


def smallest_sigma(
    epsilon: float, delta: float, lam: np.ndarray, *, lipschitz: float, smoothness: float, monotone: bool = True
) -> np.ndarray:
    """Smallest σ for which each λ meets (ε, δ) by the tight profile; the σ returned itself does, as computed.

    Parameters
    ----------
    epsilon, delta : the target, nats and probability
    lam : array, regularisations
    lipschitz, smoothness : L and β of one record
    monotone : whether the loss is

    Returns
    -------
    array like lam
        inf where no σ up to 1e9 L does: there the curvature of one record alone exceeds the target.
    """
    epsilon = validation.positive("epsilon", epsilon)
    delta = validation.open_probability("delta", delta)
    lam = validation.real_array("lam", lam, low=np.finfo(float).tiny)

    def excess(log_sigma: np.ndarray, lam: np.ndarray) -> np.ndarray:
        log_delta = log_delta_over(
            epsilon, sigma=np.exp(log_sigma), lam=lam, lipschitz=lipschitz, smoothness=smoothness, monotone=monotone
        )
        return log_delta - np.log(delta)

    return _smallest(excess, lam, [end * lipschitz for end in _SIGMA_RANGE])


def _smallest(excess: Callable[..., np.ndarray], others: np.ndarray, ends: Sequence[float]) -> np.ndarray:
    """For each of `others` the smallest number between the ends at whose logarithm a falling excess is ≤ 0; inf if none."""
    low, high = (np.full(others.shape, np.log(end)) for end in ends)
    reachable, trivial = excess(high, others) <= 0, excess(low, others) <= 0
    result = np.where(trivial, ends[0], np.inf)
    solve = reachable & ~trivial
    if solve.any():
        result[solve] = np.exp(
            falling_root(excess, low[solve], high[solve], others[solve], xatol=1e-14, xrtol=1e-15)[1]
        )
    return result


def _smallest_lambda_renyi(sigma: float, epsilon: float, delta: float, lipschitz: float, smoothness: float) -> float:
    """The Rényi bound depends on ε + log(1−β/λ) only, so the log term may take what the curve at λ = ∞ leaves of ε."""
    options: dict[str, Any] = {"sigma": float(sigma), "lipschitz": lipschitz, "bound": "renyi"}
    room = epsilon - float(ObjectivePerturbation(lam=1.0, smoothness=0.0, **options).epsilon(delta))
    if room <= 0:
        return np.inf
    lam = smoothness / -np.expm1(-room)
    for _ in range(_NUDGES):
        if ObjectivePerturbation(lam=lam, smoothness=smoothness, **options).log_delta(epsilon) <= np.log(delta):
            return lam
        lam *= 1 + 1e-12
    return np.inf


def contours(
    epsilon: float, delta: float, bounds: Sequence[str], *, lipschitz: float, smoothness: float, monotone: bool = True
) -> tuple[float, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """σ of the Gaussian mechanism, and for each bound its feasible contour (sigma, smallest lambda).

    Parameters
    ----------
    epsilon, delta : the target, nats and probability
    bounds : names of bounds, as in `smallest_lambda`
    lipschitz, smoothness : L and β of one record
    monotone : whether the loss is, for bound "tight"
    """
    gaussian = gaussian_sigma(epsilon, delta, lipschitz)
    sigma = gaussian * (1 + np.geomspace(1e-3, 2.0, _GRID))
    options: dict[str, Any] = {"lipschitz": lipschitz, "smoothness": smoothness, "monotone": monotone}
    return gaussian, {
        bound: (sigma, smallest_lambda(epsilon, delta, sigma, bound=bound, **options)) for bound in bounds
    }


def paper_rule(
    epsilon: float, delta: float, *, lipschitz: float, smoothness: float, bound: str = "tight", monotone: bool = True
) -> ObjectivePerturbation:
    """σ = 1.3 σ_Gauss(ε, δ; L), then the smallest λ that meets (ε, δ) under the bound.

    Parameters
    ----------
    epsilon, delta : the target, nats and probability
    lipschitz, smoothness : L and β of one record
    bound : "tight", "hockey_stick", "renyi" or "kifer"
    monotone : whether the loss is, for bound "tight"

    Raises
    ------
    CalibrationError
        If no λ does at that noise.
    """
    sigma = PAPER_FACTOR * gaussian_sigma(epsilon, delta, lipschitz)
    options: dict[str, Any] = {"lipschitz": lipschitz, "smoothness": smoothness, "bound": bound, "monotone": monotone}
    lam = float(smallest_lambda(epsilon, delta, np.array(sigma), **options))
    if not np.isfinite(lam):
        raise CalibrationError(
            f"the {bound} bound gives no ({epsilon:g}, {delta:g}) guarantee at σ = {sigma:.4g} for any λ: choose another bound"
        )
    return ObjectivePerturbation(sigma=sigma, lam=lam, **options)


def excess_risk(
    sigma: np.ndarray | float, lam: np.ndarray | float, *, dimension: int, theta_norm: float, n: int = 0, lipschitz: float = 0.0,
    tau: float = 0.0, sigma_out: float = 0.0,
) -> Any:  # fmt: skip
    r"""Upper bound on the expected excess of the sum-form risk over a comparator of norm B.

    .. math:: n L (τ/λ + σ_\text{out} \sqrt d) + \frac{dσ²}{2λ} + \frac{λ}{2} B²

    Parameters
    ----------
    sigma, lam : noise and penalty, broadcast
    dimension : d ≥ 1
    theta_norm : B > 0
    n, lipschitz : number of records and L, for what stopping and output noise add
    tau : gradient norm at which the solver stops
    sigma_out : noise on the result

    References: redberg-koskela-wang-2023 (Theorem H.1).
    """
    dimension = validation.at_least_one("dimension", dimension)
    theta_norm = validation.positive("theta_norm", theta_norm)
    optimisation = n * lipschitz * (tau / lam + sigma_out * np.sqrt(dimension))
    return optimisation + dimension * np.square(sigma) / (2 * lam) + 0.5 * lam * theta_norm**2


def excess_risk_glm(sigma: float, lam: float, eigenvalues: np.ndarray, curvature: float) -> float:
    r"""Bound on E J(θᴾ) − J(θ*_λ) for a GLM: ½σ² tr((c XᵀX + λI)⁻¹), c = inf f'' on the relevant range.

    It uses the eigenvalues of XᵀX, shape (n_features,), so it depends on the data: a prediction to compare with, not a
    quantity to calibrate by.

    References: redberg-koskela-wang-2023 (Appendix H.2, corrected).
    """
    eigenvalues = validation.real_array("eigenvalues", eigenvalues, low=0.0)
    lam, sigma = validation.positive("lam", lam), validation.positive("sigma", sigma)
    return float(0.5 * sigma**2 * np.sum(1 / (validation.non_negative("curvature", curvature) * eigenvalues + lam)))


def best_calibration(
    epsilon: float,
    delta: float,
    *,
    smoothness: float,
    lipschitz: float,
    dimension: int,
    theta_norm: float,
    n: int,
    row_norm: float = 1.0,
    clip: float | None = None,
    bound: str = "tight",
    monotone: bool = True,
) -> ObjectiveCalibration:
    """The point of the feasible contour, and the clipping threshold C, that minimise the predicted excess risk.

    Everything used is public: the target, the class of losses, n, d, and an assumed norm B of the comparator.
    Clipping the derivative of the loss at C < L/R lowers the noise in proportion; when C is chosen here its bias is
    charged at its worst, n (L − C R) B, so clipping is chosen only where noise outweighs the data.

    Parameters
    ----------
    epsilon, delta : the target, nats and probability.
    lipschitz, smoothness : L = L_f R and β = β_f R² of the unclipped loss.
    clip : fixed threshold C on |f'|; None chooses it on a grid.
    n : number of records, public.
    theta_norm : assumed norm B of the comparator.
    dimension : number of coefficients d.
    row_norm : R, largest norm of a row.
    bound : "tight", "hockey_stick", "renyi" or "kifer".
    monotone : whether the loss is, for bound "tight".

    Raises
    ------
    CalibrationError
        If the bound cannot meet the target at any noise.
    """
    row_norm = validation.positive("row_norm", row_norm)
    natural = validation.positive("lipschitz", lipschitz) / row_norm
    candidates = (
        natural * np.geomspace(0.01, 1.0, 25) if clip is None else np.array([validation.positive("clip", clip)])
    )
    # The contour for L = 1, from which every other L follows: the guarantee depends on σ/L and λ/β only.
    unit = gaussian_sigma(epsilon, delta, 1.0) * (1 + np.geomspace(1e-3, 9.0, _GRID))
    smallest = smallest_lambda(
        epsilon, delta, unit, lipschitz=1.0, smoothness=smoothness, bound=bound, monotone=monotone
    )
    best: ObjectiveCalibration | None = None
    for threshold in np.minimum(candidates, natural):
        lipschitz_clipped = threshold * row_norm
        sigma = lipschitz_clipped * unit
        free = np.sqrt(dimension) * sigma / theta_norm  # minimises dσ²/(2λ) + λB²/2 where privacy allows it
        lam = np.maximum(smallest, free)
        with np.errstate(invalid="ignore"):
            risk = np.where(
                np.isfinite(lam), excess_risk(sigma, lam, dimension=dimension, theta_norm=theta_norm), np.inf
            )
        at = int(np.argmin(risk))
        bias = n * (natural - threshold) * row_norm * theta_norm
        if np.isfinite(risk[at]) and (best is None or risk[at] + bias < best.predicted_risk + best.clipping_bias):
            mechanism = ObjectivePerturbation(
                sigma=float(sigma[at]), lam=float(lam[at]), lipschitz=lipschitz_clipped, smoothness=smoothness,
                bound=bound, monotone=monotone,
            )  # fmt: skip
            best = ObjectiveCalibration(mechanism, float(threshold), float(risk[at]), float(bias))
    if best is None:
        raise CalibrationError(
            f"the {bound} bound gives no ({epsilon:g}, {delta:g}) guarantee at any noise: choose another bound"
        )
    return best
