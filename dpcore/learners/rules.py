"""Rules that turn a privacy target into clipping, noise and regularisation from public facts only."""

from functools import lru_cache
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.calibration.objective import gaussian_sigma, paper_rule, smallest_lambda
from dpcore.data import Domain
from dpcore.errors import CalibrationError, ParameterError, UnsupportedError
from dpcore.glm.losses import Loss, LossConstants
from dpcore.learners.base import PublicFacts
from dpcore.mechanisms import ObjectivePerturbation
from dpcore.mechanisms.objective_perturbation import log_delta_over

RULES = {
    "best": "least predicted risk for coefficients of norm B = 0.5 √d s/R, clipping at 0.8 of the largest gradient at θ = 0",
    "paper": "σ = 1.3 σ_Gauss, smallest λ, no clipping below the natural bound (Redberg, Koskela and Wang 2023)",
}
CLIP_SHARE = 0.8  # C as a share of the largest gradient norm of a record at θ = 0
# B in units of √d (scale of the predictor)/R: a row of norm R then has a predictor of half that scale. Doubled, λ is
# up to four times smaller where noise outweighs the data.
_COMPARATOR = 0.5
_SLOPE = 0.25  # size of a record's gradient near the minimiser as a share of C; doubled, λ is larger at large budgets
# Values of σ/σ_Gauss − 1 that are tried. With twice as many, σ is chosen more finely.
_EXCESS_NOISE = np.geomspace(1e-6, 4.0, 33)
_BETWEEN = 50  # values of σ between two of these for which λ is interpolated; doubled, σ is chosen more finely
# Factors tried on the λ that the smallest of these σ needs; with twice as many, λ is chosen more finely.
_PENALTIES = np.geomspace(1.0, 1e5, 200)
_DIRECTIONS = 64  # directions of the rows at most for which the predicted risk is added up, others count like these
_LAMBDAS = np.geomspace(1e-5, 1e5, 97)  # grid of λ/β
_MARGIN = 1e-12  # relative margin on λ, for rounding where it is recomputed in other units
NO_INTERCEPT = (
    "an unregularised intercept has no privacy guarantee: every bound needs λ > 0 on every coefficient. Add a constant "
    "column to X, count it in the norm of the rows, and let it be regularised like the others"
)
LAM_FROM_DATA = (
    "lam must be a number fixed without looking at the data: a penalty chosen by cross-validation or from the spread of "
    "the data depends on the records and voids the guarantee; leave lam out and let the rule choose it"
)


def gradient_at_zero(loss: Loss, domain: Domain) -> float:
    """G₀ = R sup_y |f'(0; y)|: the largest gradient norm of a record of the public domain at θ = 0."""
    bound = domain.target_bound
    slopes = [abs(float(loss.derivative(np.zeros(()), np.array(y)))) for y in loss.target.extremes(bound)]
    return max(slopes, default=bound) * domain.row_norm


def comparator_norm(loss: Loss, facts: PublicFacts, factor: float = _COMPARATOR) -> float:
    """B = 0.5 √d s/R, s the size of a predictor that fits the largest target (2 where the loss has no minimiser).

    A row of norm R in no special direction has a predictor of the size ‖θ‖R/√d.
    """
    domain = facts.domain
    best = [abs(float(loss.minimiser(np.array([y]))[0])) for y in loss.target.extremes(domain.target_bound)]
    scale = max((u for u in best if 0 < u < np.inf), default=2.0)
    return float(factor * np.sqrt(facts.n_features) * scale / domain.row_norm)


def public_clip(loss: Loss, domain: Domain, clip: float | None, rule: str) -> float:
    """C of a rule: as given, else 0.8 G₀; "paper" clips only where the loss has no bound of its own."""
    if clip is not None:
        return validation.positive("clip", clip)
    natural = float(loss.slope_bound(domain.target_bound)) * domain.row_norm
    if rule == "paper" and np.isfinite(natural):
        return natural
    return min(natural, CLIP_SHARE * gradient_at_zero(loss, domain))


def default_tau(clip: float, n_samples: int) -> float:
    """τ that double precision reaches with ease: 3e-8 C, growing with n beyond 10 000 as rounding errors do."""
    return 3e-8 * clip * max(1.0, n_samples / 1e4)


@lru_cache(maxsize=512)
def calibrated(
    loss: Loss, facts: PublicFacts, epsilon: float, delta: float, rule: str, clip: float, theta_norm: float, bound: str
) -> ObjectivePerturbation:
    """(σ, λ) of objective perturbation that meets (ε, δ) under a rule; the result depends on public facts only.

    Parameters
    ----------
    loss : Loss
    facts : what is public
    epsilon, delta : target, nats and probability
    rule : name in `RULES`
    clip : C > 0, bound on the gradient norm of each record
    theta_norm : B > 0, norm of the coefficients that the rule "best" expects
    bound : analysis of the mechanism, as for `ObjectivePerturbation`

    Raises
    ------
    CalibrationError
        If no σ and λ meet the target under this bound.
    """
    options: dict[str, Any] = vars(bounded(loss, facts.domain, clip)) | {"bound": bound}
    if rule == "paper":
        return paper_rule(epsilon, delta, **options)
    noise, smallest = rough_contour(epsilon, delta, bound, options["monotone"])
    # Where noise outweighs the data, λ is larger than the least noise needs.
    sigma = options["lipschitz"] * np.append(noise, np.full(len(_PENALTIES), noise[0]))
    lam = options["smoothness"] * np.append(smallest, smallest[0] * _PENALTIES)
    risk = predicted_risk(
        sigma, lam, curvature=facts.n_samples * options["smoothness"], dimension=facts.n_features, theta_norm=theta_norm,
        spread=np.square(_SLOPE * options["lipschitz"]) / options["smoothness"],
    )  # fmt: skip
    at = int(np.argmin(np.where(np.isfinite(risk), risk, np.inf)))
    least = float(smallest_lambda(epsilon, delta, sigma[at], **options)) * (1 + _MARGIN)
    if not np.isfinite(least):
        raise CalibrationError(
            f"the {bound} bound gives no ({epsilon:g}, {delta:g}) guarantee at any noise: choose another bound"
        )
    larger = float(lam[at]) if at >= len(noise) else 0.0
    return ObjectivePerturbation(sigma=float(sigma[at]), lam=max(least, larger), **options)


def predicted_risk(
    sigma: np.ndarray, lam: np.ndarray, *, curvature: float, dimension: int, theta_norm: float, spread: float
) -> np.ndarray:
    r"""Expected excess of a quadratic risk, in sum form and up to a factor ½, if coefficients are N(0, (B²/d) I).

    .. math:: \sum_{j=1}^d h_j\,\frac{λ²B²/d + σ² + v h_j}{(h_j + λ)²}, \qquad h_j = \frac{nβ}{j \sum_i 1/i}

    Columns of a table are seldom independent: the j-th direction of the rows is taken to have 1/j of the first one's
    curvature. At fixed λ it grows with σ, so that its minimum over all private (σ, λ) is on the contour.

    Parameters
    ----------
    sigma, lam : arrays (n_points,)
    curvature : nβ, what the rows' curvatures add up to at most
    dimension : d ≥ 1
    theta_norm : B > 0
    spread : v, variance of the rows' own gradients over their curvature

    Returns
    -------
    array (n_points,)
        nan where λ is inf.
    """
    order = np.unique(np.geomspace(1, dimension, _DIRECTIONS).astype(int))
    count = np.diff(order, append=dimension + 1)
    h = curvature / order / np.sum(count / order)
    sigma, lam = np.asarray(sigma)[:, None], np.asarray(lam)[:, None]
    with np.errstate(invalid="ignore"):
        risk = h * (np.square(lam * theta_norm) / dimension + np.square(sigma) + spread * h) / np.square(h + lam)
    return risk @ count


@lru_cache(maxsize=512)
def rough_contour(epsilon: float, delta: float, bound: str, monotone: bool) -> tuple[np.ndarray, np.ndarray]:
    """(σ/L, smallest λ/β to a few per cent) along the feasible contour, (n_points,) each: good enough to choose σ by.

    The guarantee depends on these ratios only; λ is inf where none suffices.
    """
    gaussian = gaussian_sigma(epsilon, delta, 1.0)
    sigma = gaussian * (1 + _EXCESS_NOISE)
    if bound == "renyi":
        return sigma, smallest_lambda(epsilon, delta, sigma, lipschitz=1.0, smoothness=1.0, bound=bound)
    excess = log_delta_over(
        epsilon, sigma=sigma[:, None], lam=_LAMBDAS, lipschitz=1.0, smoothness=1.0, bound=bound, monotone=monotone
    ) - np.log(delta)
    met = excess[:, -1] <= 0
    # The excess falls with λ.
    reached = [np.exp(np.interp(0.0, -row, np.log(_LAMBDAS))) for row in np.maximum(excess, -1e3)]
    tried = np.log(_EXCESS_NOISE)
    fine = np.linspace(tried[0], tried[-1], _BETWEEN * len(tried))
    with np.errstate(invalid="ignore"):
        return gaussian * (1 + np.exp(fine)), np.exp(np.interp(fine, tried, np.log(np.where(met, reached, np.inf))))


def bounded(loss: Loss, domain: Domain, clip: float) -> LossConstants:
    """L and β of one record, refused where it has no bound."""
    constants = loss.constants(domain, clip)
    if np.isinf(constants.lipschitz) or np.isinf(constants.smoothness):
        raise UnsupportedError(
            f"the gradient or curvature of one record is unbounded for {loss!r}: clip the gradient of each record"
        )
    return constants


def fixed_number(name: str, value: Any) -> float | None:
    """A parameter given by the user, refused with the reason where it is to be taken from the data."""
    if value is None:
        return None
    if isinstance(value, str) or callable(value):
        raise ParameterError(LAM_FROM_DATA if name == "lam" else f"{name} must be a number, got {value!r}")
    return validation.positive(name, value)
