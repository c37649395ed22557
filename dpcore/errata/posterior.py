"""Numbers of the errata of per-instance privacy: posterior samples, Proposition 16 and AdaOPS.

Each function returns the number as printed, as corrected, and computed without either, which is called “the third”.
"""

import numpy as np
from scipy import integrate, special, stats
from scipy.optimize import brentq, minimize_scalar

from dpcore.calibration import calibrate
from dpcore.data import Domain
from dpcore.errata.record import Three
from dpcore.mechanisms import Gaussian, PosteriorSampling

_RUNS = 400_000  # number of simulated data sets
_DESIGN = np.array([[0.9, 0.1], [0.2, 0.7], [-0.5, 0.6], [0.3, -0.8], [0.6, 0.6]])  # rows of a linear regression
_TRUTH = np.array([0.5, -0.3])  # and the θ₀ that its targets are simulated from
# A square design matrix, for which Xy exists too, and its targets.
_SQUARE, _TARGET = np.array([[1.0, 0.4], [-0.3, 0.8]]), np.array([0.7, -0.2])


def _hessian(lam: float) -> np.ndarray:
    return _DESIGN.T @ _DESIGN + lam * np.eye(2)


def _variance(gamma: float, h: float) -> float:
    """Variance of the density ∝ e^{−(γ/2)hθ²}, by quadrature."""
    reach = 12 / np.sqrt(gamma * h)
    mass, square = (
        integrate.quad(lambda t, p=p: t**p * np.exp(-gamma * h * t * t / 2), -reach, reach, epsabs=0)[0] for p in (0, 2)
    )
    return float(square / mass)


def pdp_eq6(gamma: float, h: float) -> Three:
    return 1 / (2 * gamma * h), 1 / (gamma * h), _variance(gamma, h)


def pdp_cov(h: float, gamma: float) -> Three:
    return h / gamma, 1 / (h * gamma), _variance(gamma, h)


def pdp_are(n: float, alpha: float) -> Three:
    return 1 + n**-alpha, 1 + n ** (-alpha / 2), 1 + n * _variance(n ** (alpha / 2), n)


def pdp_prop16_opt(gamma: float, lam: float) -> Three:
    excess = sum(0.5 * h * _variance(gamma, h) for h in np.linalg.eigvalsh(_hessian(lam)))
    return 2 / gamma, 1 / gamma, excess


def _simulated_error(gamma: float, noise: float, lam: float) -> float:
    """Mean ‖θ − θ₀‖² over 400 000 simulated data sets, one release from each."""
    rng = np.random.default_rng(16)
    hessian = _hessian(lam)
    y = _DESIGN @ _TRUTH + noise * rng.standard_normal((_RUNS, len(_DESIGN)))
    fitted = np.linalg.solve(hessian, (y @ _DESIGN).T).T
    spread = np.linalg.solve(np.linalg.cholesky(hessian).T, rng.standard_normal((2, _RUNS))).T / np.sqrt(gamma)
    return float(np.square(fitted + spread - _TRUTH).sum(axis=1).mean())


def pdp_prop16_eff(gamma: float, noise: float, lam: float) -> Three:
    inverse = np.linalg.inv(_hessian(lam))
    trace, bias = np.trace(inverse), lam**2 * np.sum((inverse @ _TRUTH) ** 2)
    corrected = noise**2 * np.trace(inverse @ _DESIGN.T @ _DESIGN @ inverse) + trace / gamma + bias
    return noise**2 * trace * (1 + 1 / gamma) + bias, corrected, _simulated_error(gamma, noise, lam)


def adaops_efficiency(gamma: float, noise: float) -> Three:
    """The third: each target's noise through the fit, and the draw along the principal axes."""
    trace = np.trace(np.linalg.inv(_hessian(0.0)))
    fitted = sum(float(np.square(np.linalg.lstsq(_DESIGN, unit, rcond=None)[0]).sum()) for unit in np.eye(len(_DESIGN)))
    drawn = sum(_variance(gamma, h) for h in np.linalg.eigvalsh(_hessian(0.0)))
    return (1 + gamma) * noise**2 * trace, noise**2 * trace + trace / gamma, noise**2 * fitted + drawn


def pdp_prop16_dp(gamma: float, lam: float, n: float, delta: float) -> Three:
    """Eq. (10) as printed, Eq. (9) corrected at the largest residual, and the exact supremum."""
    log, reach = np.log(2 / delta), 2 * (n + lam) * gamma
    printed = np.sqrt(reach * log) / lam + reach / (lam * max(1.0, lam)) + gamma * (1 + log) / (2 * lam)
    residual = 1 + np.sqrt(n) / (2 * np.sqrt(lam)) if lam <= n else 1 + n / (n + lam)
    corrected = residual * np.sqrt(2 * gamma * log / lam) + gamma * residual**2 / (2 * (1 + lam)) + (0.5 + log) / lam
    return printed, corrected, PosteriorSampling(gamma, lam).worst_case(Domain(), int(n)).epsilon(delta)


def adaops_noise(epsilon: float, delta: float) -> Three:
    printed, corrected = (np.sqrt(log) / (epsilon / 2) for log in (np.log(4 / delta), 2 * np.log(2.5 / delta)))
    return printed, corrected, calibrate(lambda scale: Gaussian(scale, 1.0), epsilon / 2, delta / 2)


def adaops_confidence(delta: float, epsilon: float) -> Three:
    scale = np.sqrt(2 * np.log(2.5 / delta)) / (epsilon / 2)
    return np.log(4 / delta) / (epsilon / 2), scale * np.sqrt(2 * np.log(2 / delta)), scale * -special.ndtri(delta / 2)


def adaops_min(smallest: float, n: float, kappa: float, d: float) -> Three:
    needed, unit = n / (d * kappa) - smallest, n / (d * kappa)
    printed, corrected = ((smallest + choice(0.0, needed)) * d * kappa / n for choice in (min, max))
    return printed, corrected, max(1.0, smallest / unit)


def _gamma(n: float, kappa: float, d: float, epsilon: float, delta: float, constant: float) -> float:
    return n * epsilon**2 / (constant * (kappa * d) ** 2 * np.log(4 / delta))


def adaops_gamma(n: float, kappa: float, d: float, epsilon: float, delta: float) -> Three:
    """γ at which √(γμ log(4/δ))|r| is ε/4, at μ = dκ/n and |r| = √(2dκ); the third by root finding in log γ.

    Parameters
    ----------
    n, d : records and dimension
    kappa : condition number
    epsilon, delta : of the guarantee
    """
    mu, residual = d * kappa / n, np.sqrt(2 * d * kappa)

    def beyond(log_gamma: float) -> float:
        return float(np.sqrt(np.exp(log_gamma) * mu * np.log(4 / delta)) * residual - epsilon / 4)

    printed, corrected = (_gamma(n, kappa, d, epsilon, delta, constant) for constant in (16, 32))
    return printed, corrected, np.exp(brentq(beyond, -50, 50, xtol=1e-13))


def adaops_efficiency_min(epsilon: float, n: float, kappa: float, d: float, delta: float) -> Three:
    """1/γ_n of Algorithm 1; the third from its own γ_n.

    Parameters
    ----------
    epsilon, delta : of the guarantee
    n, d : records and dimension
    kappa : condition number
    """
    size = (kappa * d) ** 2 / n
    surcharges = size * np.log(4 / delta) / epsilon**2, size / epsilon
    own = min(_gamma(n, kappa, d, epsilon, delta, 16), n * epsilon / (8 * (kappa * d) ** 2))
    return min(surcharges), max(16 * surcharges[0], 8 * surcharges[1]), 1 / own


def adaops_15(kappa: float) -> Three:
    """The third: sup |y − xθ̂| over data of a million equal rows in one dimension whose Hessian is at least n/κ, by search."""
    n, low = 1e6, float(np.sqrt(1 / kappa)) / 10
    loss = lambda t: -(1 + n * t / max(n * t * t, n / kappa))  # noqa: E731
    return np.sqrt(2 * kappa), 1 + np.sqrt(kappa), -minimize_scalar(loss, bounds=(low, 1), method="bounded").fun


def adaops_delta(delta: float) -> Three:
    return 1.0, 1.5, (delta / 2 + delta / 2 + special.ndtr(special.ndtri(delta / 2))) / delta


def pdp_fig1_caption(lam: float) -> Three:
    """‖∇(½‖y − Xθ‖² + (λ/2)‖θ‖²)‖ at (XᵀX + λI)⁻¹ times Xy and times Xᵀy, and at a minimiser."""

    def left(direction: np.ndarray) -> float:
        theta = np.linalg.solve(_SQUARE.T @ _SQUARE + lam * np.eye(2), direction)
        return float(np.linalg.norm(_SQUARE.T @ (_SQUARE @ theta - _TARGET) + lam * theta))

    return left(_SQUARE @ _TARGET), left(_SQUARE.T @ _TARGET), 0.0


def _even_gram(d: float) -> np.ndarray:
    """XᵀX of 100 d unit rows, as even as can be."""
    rows = np.tile(np.eye(int(d)), (100, 1))
    return rows.T @ rows


def pdp_above_17(d: float) -> Three:
    return 100 * d, 100.0, np.linalg.eigvalsh(_even_gram(d))[0]


def pdp_d4(d: float) -> Three:
    """Factor by which tr((XᵀX)⁻¹)/γ_n grows when d doubles, at XᵀX = (n/d) I and κ = ε = 1."""
    small, large = (np.trace(np.linalg.inv(_even_gram(k) / k)) * k**2 for k in (d, 2 * d))
    return 8.0, 16.0, large / small


def pdp_lemma24(t: float, delta: float) -> Three:
    """The third: max over events of P'(S) − e^t P(S) for P = (1 − δ, δ) and P' = (½, ½)."""
    gaps = np.array([0.5, 0.5]) - np.exp(t) * np.array([1 - delta, delta])
    return delta, 0.5, max(gaps @ chosen for chosen in np.array([[0, 0], [1, 0], [0, 1], [1, 1]]))


def pdp_lemma24_union(a: float) -> Three:
    cdf = special.ndtr
    outside = cdf(-max(a, 1.0)) + cdf(-1.0) - cdf(min(a, -1.0))
    corrected = outside + max(cdf(1.0) - cdf(np.clip(a, -1.0, 1.0)), 0.0)
    return 1 + cdf(-a), corrected, integrate.quad(stats.norm.pdf, a, 12)[0]
