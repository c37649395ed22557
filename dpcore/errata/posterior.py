"""Errata of the paper on per-instance privacy: Proposition 16 and AdaOPS."""

from __future__ import annotations

import numpy as np
from scipy import integrate, special
from scipy.optimize import brentq, minimize_scalar

from dpcore.calibration import calibrate
from dpcore.data import Domain
from dpcore.errata.record import DELTA_PARAMETER, EPSILON, Erratum, Kind
from dpcore.mechanisms import Gaussian, Parameter, PosteriorSampling

_SOURCE = "wang-2019"
_GAMMA = Parameter("gamma", "γ", "Inverse temperature γ", 1.0, 0.01, 100.0)
_N = Parameter("n", "n", "Number of records n", 100, 10, 1000, "integer")
_KAPPA = Parameter("kappa", "κ", "Condition number κ", 2.0, 1.0, 20.0)
_D = Parameter("d", "d", "Dimension d", 2, 1, 20, "integer")
_LAMBDA = Parameter("lam", "λ", "Regularisation λ", 1.0, 0.1, 100.0)
_RUNS = 400_000
_DESIGN = np.array([[0.9, 0.1], [0.2, 0.7], [-0.5, 0.6], [0.3, -0.8], [0.6, 0.6]])
_TRUTH = np.array([0.5, -0.3])


def _hessian(lam: float) -> np.ndarray:
    return _DESIGN.T @ _DESIGN + lam * np.eye(2)


def _excess(gamma: float, lam: float) -> float:
    """E F(θ) − F(θ̂) by integrating the quadratic against the sampling law along its principal axes."""
    total = 0.0
    for h in np.linalg.eigvalsh(_hessian(lam)):
        width = (gamma * h) ** -0.5
        density = lambda t, width=width: np.exp(-0.5 * (t / width) ** 2) / (width * np.sqrt(2 * np.pi))  # noqa: E731
        total += integrate.quad(lambda t, h=h, density=density: 0.5 * h * t * t * density(t), -12 * width, 12 * width)[
            0
        ]
    return total


def _efficiency(gamma: float, noise: float, lam: float, *, printed: bool) -> float:
    inverse = np.linalg.inv(_hessian(lam))
    bias = lam**2 * np.sum((inverse @ _TRUTH) ** 2)
    if printed:
        return float(noise**2 * np.trace(inverse) * (1 + 1 / gamma) + bias)
    return float(noise**2 * np.trace(inverse @ _DESIGN.T @ _DESIGN @ inverse) + np.trace(inverse) / gamma + bias)


def _simulated_error(gamma: float, noise: float, lam: float) -> float:
    """Mean ‖θ − θ₀‖² over 400 000 simulated data sets, one release from each."""
    rng = np.random.default_rng(16)
    hessian = _hessian(lam)
    y = _DESIGN @ _TRUTH + noise * rng.standard_normal((_RUNS, len(_DESIGN)))
    fitted = np.linalg.solve(hessian, (y @ _DESIGN).T).T
    spread = np.linalg.solve(np.linalg.cholesky(hessian).T, rng.standard_normal((2, _RUNS))).T / np.sqrt(gamma)
    return float(np.square(fitted + spread - _TRUTH).sum(axis=1).mean())


def _worst_case(n: float, lam: float, gamma: float, delta: float, *, printed: bool) -> float:
    """Eq. (10) as printed, and Eq. (9) corrected at the largest residual."""
    log = np.log(2 / delta)
    if printed:
        reach = 2 * (n + lam) * gamma
        return np.sqrt(reach * log) / lam + reach / (lam * max(1.0, lam)) + gamma * (1 + log) / (2 * lam)
    residual = 1 + np.sqrt(n) / (2 * np.sqrt(lam)) if lam <= n else 1 + n / (n + lam)
    return residual * np.sqrt(2 * gamma * log / lam) + gamma * residual**2 / (2 * (1 + lam)) + (0.5 + log) / lam


def _exact_worst_case(gamma: float, lam: float, n: float, delta: float) -> float:
    return float(PosteriorSampling(gamma, lam).worst_case(Domain(), int(n)).epsilon(delta))


def _largest_residual(kappa: float) -> float:
    """sup |y − xθ̂| over one-dimensional data of a million equal rows whose Hessian is at least n/κ, by search."""
    n = 1e6
    shortest = float(np.sqrt(1 / kappa))
    found = minimize_scalar(
        lambda t: -(1 + n * t / max(n * t * t, n / kappa)), bounds=(shortest / 10, 1), method="bounded"
    )
    return float(-found.fun)


def _gamma(n: float, kappa: float, d: float, epsilon: float, delta: float, constant: float) -> float:
    return n * epsilon**2 / (constant * (kappa * d) ** 2 * np.log(4 / delta))


def _quarter(n: float, kappa: float, d: float, epsilon: float, delta: float) -> float:
    """γ at which √(γμ log(4/δ))|r| is ε/4, at μ = dκ/n and |r| = √(2dκ), by root finding in log γ."""
    mu, residual = d * kappa / n, np.sqrt(2 * d * kappa)

    def beyond(log_gamma: float) -> float:
        return float(np.sqrt(np.exp(log_gamma) * mu * np.log(4 / delta)) * residual - epsilon / 4)

    return float(np.exp(brentq(beyond, -50, 50, xtol=1e-13)))


def _density_variance(gamma: float, h: float) -> float:
    """Variance of p(θ) ∝ exp(−γhθ²/2), by quadrature."""
    width = (gamma * h) ** -0.5
    weight = lambda t: np.exp(-gamma * h * t * t / 2)  # noqa: E731
    return (
        integrate.quad(lambda t: t * t * weight(t), -12 * width, 12 * width)[0]
        / integrate.quad(weight, -12 * width, 12 * width)[0]
    )


def _variance_of_release(gamma: float, noise: float) -> float:
    """E‖θ̃ − θ₀‖² without regularisation: each target's noise through the fit, and the draw along the principal axes."""
    fitted = sum(float(np.square(np.linalg.lstsq(_DESIGN, unit, rcond=None)[0]).sum()) for unit in np.eye(len(_DESIGN)))
    return noise**2 * fitted + sum(_density_variance(gamma, h) for h in np.linalg.eigvalsh(_hessian(0.0)))


def _efficient(gamma: float, noise: float, *, printed: bool) -> float:
    trace = float(np.trace(np.linalg.inv(_hessian(0.0))))
    return (1 + gamma) * noise**2 * trace if printed else noise**2 * trace + trace / gamma


def _surcharges(n: float, kappa: float, d: float, epsilon: float, delta: float) -> tuple[float, float]:
    """κ²d² log(4/δ)/(nε²) and κ²d²/(nε)."""
    size = (kappa * d) ** 2 / n
    return size * np.log(4 / delta) / epsilon**2, size / epsilon


_SQUARE = np.array([[1.0, 0.4], [-0.3, 0.8]])
_TARGET = np.array([0.7, -0.2])


def _stationarity(lam: float, direction: np.ndarray) -> float:
    """‖∇(½‖y − Xθ‖² + (λ/2)‖θ‖²)‖ at (XᵀX + λI)⁻¹ times a vector."""
    theta = np.linalg.solve(_SQUARE.T @ _SQUARE + lam * np.eye(2), direction)
    return float(np.linalg.norm(_SQUARE.T @ (_SQUARE @ theta - _TARGET) + lam * theta))


def _regularisation(smallest: float, n: float, kappa: float, d: float, *, printed: bool) -> float:
    needed = n / (d * kappa) - smallest
    return min(0.0, needed) if printed else max(0.0, needed)


RECORDS = (
    Erratum(
        "pdp-prop16-opt", _SOURCE, "Proposition 16.4",
        r"F=\tfrac12\|y-X\theta\|^2+\lambda\|\theta\|^2,\quad \mathbb{E}F-F(\hat\theta)=d/\gamma",
        r"F=\tfrac12\left(\|y-X\theta\|^2+\lambda\|\theta\|^2\right),\quad \mathbb{E}F-F(\hat\theta)=d/(2\gamma)",
        "The optimisation error of a posterior sample is half of what is printed.",
        "E F(θ) − F(θ̂) in two dimensions", "quadrature along the principal axes",
        (_GAMMA, _LAMBDA),
        lambda gamma, lam: 2 / gamma, lambda gamma, lam: 1 / gamma, _excess,
        "Printed {printed}, integrated {computed}.",
    ),
    Erratum(
        "pdp-prop16-eff", _SOURCE, "Proposition 16.3",
        r"\sigma^2\mathrm{tr}(H^{-1})(1+\gamma^{-1})+\lambda^2\|H^{-1}\theta_0\|^2",
        r"\sigma^2\mathrm{tr}(H^{-1}X^\top XH^{-1})+\mathrm{tr}(H^{-1})/\gamma+\lambda^2\|H^{-1}\theta_0\|^2",
        "The posterior covariance H⁻¹/γ carries no σ²; efficiency claims need γ in units of 1/σ².",
        "E‖θ − θ₀‖²", "400 000 simulated data sets, one release each",
        (_GAMMA, Parameter("noise", "σ", "Noise of the targets σ", 0.5, 0.05, 2.0), _LAMBDA),
        lambda gamma, noise, lam: _efficiency(gamma, noise, lam, printed=True),
        lambda gamma, noise, lam: _efficiency(gamma, noise, lam, printed=False),
        _simulated_error,
        "Printed {printed}, simulated {computed}, corrected {corrected}.", points=17, error=0.01,
    ),
    Erratum(
        "pdp-prop16-dp", _SOURCE, "Proposition 16, Eqs. (9) and (10)",
        r"\tfrac{\gamma(1+\log(2/\delta))}{2\lambda},\quad \sup|r|=1+\sqrt{n/\lambda}",
        r"\tfrac{\frac12+\log(2/\delta)}{\lambda},\quad \sup|r|=1+\tfrac{\sqrt n}{2\sqrt\lambda}\ (\lambda\le n)",
        "The spurious γ makes the guarantee vanish as γ → 0, while the covariance alone still shows the record.",
        "ε at δ of the worst data set and record", "the exact supremum over data sets and records",
        (
            Parameter("gamma", "γ", "Inverse temperature γ", 1e-3, 1e-6, 1.0),
            Parameter("lam", "λ", "Regularisation λ", 4.0, 1.0, 100.0), _N, DELTA_PARAMETER,
        ),
        lambda gamma, lam, n, delta: _worst_case(n, lam, gamma, delta, printed=True),
        lambda gamma, lam, n, delta: _worst_case(n, lam, gamma, delta, printed=False),
        _exact_worst_case,
        "The printed formula promises ε = {printed}; some data set and record have {computed}; at most {corrected} is right.",
        points=9, kind=Kind.FAILS,
    ),
    Erratum(
        "adaops-noise", _SOURCE, "AdaOPS, step 2",
        r"\tilde\lambda_{\min}=\lambda_{\min}+\tfrac{\sqrt{\log(4/\delta)}}{\epsilon/2}Z",
        r"\tilde\lambda_{\min}=\lambda_{\min}+\tfrac{\sqrt{2\log(2.5/\delta)}}{\epsilon/2}Z",
        "The first release spends more than its half of the budget.",
        "noise that (ε/2, δ/2) asks of an answer of sensitivity 1", "calibration of the exact Gaussian profile",
        (Parameter("epsilon", "ε", "Privacy loss ε", 1.0, 0.1, 2.0), DELTA_PARAMETER),
        lambda epsilon, delta: np.sqrt(np.log(4 / delta)) / (epsilon / 2),
        lambda epsilon, delta: np.sqrt(2 * np.log(2.5 / delta)) / (epsilon / 2),
        lambda epsilon, delta: calibrate(lambda scale: Gaussian(scale, 1.0), epsilon / 2, delta / 2),
        "The printed noise is {printed}; half of the budget asks for {computed}, and {corrected} is enough.", points=9, kind=Kind.FAILS,
    ),
    Erratum(
        "adaops-confidence", _SOURCE, "AdaOPS, step 3",
        r"\text{offset }\tfrac{\log(4/\delta)}{\epsilon/2}\text{ covers with probability }1-\delta/2",
        r"\text{offset }s\sqrt{2\log(2/\delta)},\quad s=\tfrac{\sqrt{2\log(2.5/\delta)}}{\epsilon/2}",
        "The offset keeps the later steps safe; it was sized for another tail.",
        "offset for ε and δ", "the normal quantile at the corrected noise",
        (DELTA_PARAMETER, EPSILON),
        lambda delta, epsilon: np.log(4 / delta) / (epsilon / 2),
        lambda delta, epsilon: np.sqrt(2 * np.log(2.5 / delta)) / (epsilon / 2) * np.sqrt(2 * np.log(2 / delta)),
        lambda delta, epsilon: np.sqrt(2 * np.log(2.5 / delta)) / (epsilon / 2) * -special.ndtri(delta / 2),
        "Printed {printed}; at the corrected noise an offset of {computed} is needed.", kind=Kind.FAILS,
    ),
    Erratum(
        "adaops-min", _SOURCE, "AdaOPS, step 3",
        r"\lambda_n=\min\{0,\tfrac n{d\kappa}-\tilde\lambda_{\min}+\mathrm{off}\}",
        r"\lambda_n=\max\{0,\tfrac n{d\kappa}-\tilde\lambda_{\min}+\mathrm{off}\}",
        "With min the penalty is never positive: it is zero when it is needed and negative when it is not.",
        "smallest eigenvalue of XᵀX + λ_n I over the n/(dκ) it must reach (printed and corrected)",
        "the requirement itself, 1",
        (Parameter("smallest", "λ_min", "Smallest eigenvalue of XᵀX", 5.0, 1.0, 200.0), _N, _KAPPA, _D),
        lambda smallest, n, kappa, d: (smallest + _regularisation(smallest, n, kappa, d, printed=True)) * d * kappa / n,
        lambda smallest, n, kappa, d: (smallest + _regularisation(smallest, n, kappa, d, printed=False)) * d * kappa / n,
        lambda smallest, n, kappa, d: max(1.0, smallest * d * kappa / n),
        "The smallest eigenvalue must reach {corrected} of n/(dκ); with the printed rule it is {printed}.",
    ),
    Erratum(
        "adaops-gamma", _SOURCE, "AdaOPS, γ_n and its proof",
        r"\sqrt{\tfrac{\gamma\mu}2\log\tfrac4\delta}\,|r|\ \Rightarrow\ \gamma=\tfrac{n\epsilon^2}{16\kappa^2d^2\log(4/\delta)}",
        r"\sqrt{\gamma\mu\log\tfrac4\delta}\,|r|\ \Rightarrow\ \gamma=\tfrac{n\epsilon^2}{32\kappa^2d^2\log(4/\delta)}",
        "The third term of the privacy loss outgrows its quarter of ε (64 in place of 32 with the corrected tail).",
        "γ at which the third term of the loss is ε/4", "solving for it",
        (_N, _KAPPA, _D, EPSILON, DELTA_PARAMETER),
        lambda n, kappa, d, epsilon, delta: _gamma(n, kappa, d, epsilon, delta, 16),
        lambda n, kappa, d, epsilon, delta: _gamma(n, kappa, d, epsilon, delta, 32),
        _quarter,
        "Printed γ = {printed}; the term has used its quarter of ε at {computed} already.",
    ),
    Erratum(
        "adaops-15", _SOURCE, "Eq. (15), Lemma 18",
        r"|r|\le\sqrt{2d\kappa}", r"|r|\le 1+\sqrt{\kappa d}",
        "The target's own ±1 was dropped; γ computed from it is too large.",
        "largest residual for d = 1", "search over one-dimensional data sets with that condition number",
        (Parameter("kappa", "κ", "Condition number κ", 1.5, 1.0, 20.0),),
        lambda kappa: np.sqrt(2 * kappa), lambda kappa: 1 + np.sqrt(kappa), _largest_residual,
        "Printed at most {printed}; a data set reaches {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "adaops-delta", _SOURCE, "proof of Proposition 17",
        r"\tfrac\delta2+\tfrac\delta2=\delta",
        r"\tfrac\delta2+\tfrac\delta2+\tfrac\delta2=\tfrac32\delta,\ \text{so each may have}\ \tfrac\delta3",
        "The event that the noisy eigenvalue misses its offset costs δ as well.",
        "δ of the printed split, in units of the δ claimed", "adding its three failure events",
        (DELTA_PARAMETER,),
        lambda delta: 1.0, lambda delta: 1.5,
        lambda delta: (delta / 2 + delta / 2 + special.ndtr(special.ndtri(delta / 2))) / delta,
        "The printed split fails with {computed} times the claimed δ.", kind=Kind.FAILS,
    ),
    Erratum(
        "adaops-efficiency", _SOURCE, "Proposition 17.2",
        r"[1+\gamma_n]\,\sigma^2\mathrm{tr}[(X^\top X)^{-1}]",
        r"\sigma^2\mathrm{tr}[(X^\top X)^{-1}]+\mathrm{tr}[(X^\top X)^{-1}]/\gamma_n",
        "A larger γ_n is a sharper posterior: the printed error grows with it, the true one falls. In units of 1/σ² it is 1 + 1/γ_n.",
        "E‖θ̃ − θ₀‖² where no regularisation is added", "the fit of each target's noise, and quadrature of the draw",
        (_GAMMA, Parameter("noise", "σ", "Noise of the targets σ", 0.5, 0.05, 2.0)),
        lambda gamma, noise: _efficient(gamma, noise, printed=True), lambda gamma, noise: _efficient(gamma, noise, printed=False),
        _variance_of_release,
        "Printed {printed}, computed {computed}.",
    ),
    Erratum(
        "adaops-efficiency-min", _SOURCE, "below Proposition 17.2",
        r"\gamma_n\le\min\Big\{\tfrac{\kappa^2d^2\log(4/\delta)}{n\epsilon^2},\tfrac{\kappa^2d^2}{n\epsilon}\Big\}",
        r"\gamma_n^{-1}=\max\Big\{\tfrac{16\kappa^2d^2\log(4/\delta)}{n\epsilon^2},\tfrac{8\kappa^2d^2}{n\epsilon}\Big\}",
        "γ_n is a minimum, so 1/γ_n, the price of privacy in the error, is the larger of the two. The conditions after it are "
        "turned round as well: nε² has to grow, where the text lets it vanish.",
        "1/γ_n of Algorithm 1 (printed: the minimum, read as 1/γ_n)", "Algorithm 1's own γ_n",
        (EPSILON, _N, _KAPPA, _D, DELTA_PARAMETER),
        lambda epsilon, n, kappa, d, delta: min(_surcharges(n, kappa, d, epsilon, delta)),
        lambda epsilon, n, kappa, d, delta: float(np.max(np.array([16, 8]) * _surcharges(n, kappa, d, epsilon, delta))),
        lambda epsilon, n, kappa, d, delta: 1 / min(_gamma(n, kappa, d, epsilon, delta, 16), n * epsilon / (8 * (kappa * d) ** 2)),
        "Printed {printed}; the algorithm's draw adds {computed}.",
    ),
    Erratum(
        "pdp-fig1-caption", _SOURCE, "caption of Figure 1",
        r"\hat\theta=(X^\top X+I)^{-1}Xy", r"\hat\theta=(X^\top X+I)^{-1}X^\top y",
        "For any but a square X the printed product does not exist; for a square one it is not the minimiser.",
        "norm of the ridge gradient at the estimate, for a square X", "0, as at every minimiser",
        (_LAMBDA,),
        lambda lam: _stationarity(lam, _SQUARE @ _TARGET), lambda lam: _stationarity(lam, _SQUARE.T @ _TARGET),
        lambda lam: 0.0,
        "The printed estimate leaves a gradient of {printed}; the corrected one {corrected}.",
    ),
    Erratum(
        "pdp-cov", _SOURCE, "proof of Theorem 14",
        r"\mathrm{Cov}=H/\gamma", r"\mathrm{Cov}=H^{-1}/\gamma",
        "A well-determined coefficient varies less, not more.",
        "variance of a one-dimensional posterior sample", "quadrature of exp(−γHθ²/2)",
        (Parameter("h", "H", "Curvature H", 4.0, 0.1, 50.0), _GAMMA),
        lambda h, gamma: h / gamma, lambda h, gamma: 1 / (h * gamma), lambda h, gamma: _density_variance(gamma, h),
        "Printed {printed}, integrated {computed}.",
    ),
)  # fmt: skip
