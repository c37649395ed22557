"""Errata of single displays and steps of proofs in the three papers."""

from __future__ import annotations

import numpy as np
from scipy import integrate, special, stats
from scipy.optimize import brentq

from dpcore.errata.record import DELTA_PARAMETER, Erratum, Kind
from dpcore.mechanisms import Parameter

_WANG, _REDBERG, _NAPP = "wang-2019", "redberg-koskela-wang-2023", "li-liu-napp"
_GAMMA = Parameter("gamma", "γ", "Inverse temperature γ", 4.0, 0.01, 100.0)
_D = Parameter("d", "d", "Dimension d", 5, 2, 20, "integer")
_SHIFT = Parameter("shift", "Δ", "L/σ", 0.5, 0.05, 3.0)
_X, _Y, _RECORD = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]), np.array([1.0, -1.0, 0.5]), np.array([0.6, -0.8])
_HALF = np.array([[1.0, 0.5], [0.5, 1.0]])


def _square_fit(slope: float, *, printed: bool) -> float:
    """First coefficient of (XᵀX)⁻¹(Xy or Xᵀy) for a square X."""
    X, y = np.array([[1.0, slope], [0.0, 1.0]]), np.array([1.0, 0.5])
    return float(np.linalg.solve(X.T @ X, (X if printed else X.T) @ y)[0])


def _least_squares(slope: float) -> float:
    return float(np.linalg.lstsq(np.array([[1.0, slope], [0.0, 1.0]]), np.array([1.0, 0.5]), rcond=None)[0][0])


def _mean_release(target: float, sigma: float) -> float:
    """Mean over z ~ N(0, σ²) of the root of d/dθ [(target − θ)² + zθ], by Gauss–Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(8)
    roots = [brentq(lambda t, z=z: 2 * (t - target) + sigma * z, -1e3, 1e3, xtol=1e-13) for z in nodes]
    return float(weights @ roots / weights.sum())


def _posterior_variance(gamma: float, h: float) -> float:
    """Of the density ∝ e^{−(γ/2)hθ²}, by quadrature."""
    reach = 12 / np.sqrt(gamma * h)
    mass, square = (
        integrate.quad(lambda t, p=p: t**p * np.exp(-gamma * h * t * t / 2), -reach, reach, epsabs=0)[0] for p in (0, 2)
    )
    return float(square / mass)


def _both_directions(t: float, delta: float) -> float:
    """max over events of P'(S) − e^t P(S) for P = (1 − δ, δ) and P' = (½, ½)."""
    gaps = np.array([0.5, 0.5]) - np.exp(t) * np.array([1 - delta, delta])
    return float(max(gaps @ chosen for chosen in np.array([[0, 0], [1, 0], [0, 1], [1, 1]])))


def _additive(d: float) -> float:
    """tr((XᵀX)⁻¹)/γ_n at n = 1000 d, XᵀX = (n/d) I, κ = ε = 1, up to what does not depend on d beside n."""
    n, copies = 1000.0, np.tile(np.eye(int(d)), (4, 1))
    inverse = np.linalg.inv(copies.T @ copies * (n / (4 * d)))
    return float(np.trace(inverse) / (n / (16 * d**2)))


def _two_fits(target: float, lam: float) -> tuple[float, float, float]:
    """(∗∗) as printed, with its y, and as the difference of two quadratic forms."""
    hessian = _X.T @ _X + lam * np.eye(2)
    fit, mu = np.linalg.solve(hessian, _X.T @ _Y), _RECORD @ np.linalg.solve(hessian, _RECORD)
    seen = _RECORD @ fit
    printed, corrected = ((-(seen**2) + 2 * y * seen + mu * target**2) / (1 + mu) for y in (1.0, target))
    rows, values = np.vstack([_X, _RECORD]), np.append(_Y, target)
    joint = values @ rows @ np.linalg.solve(rows.T @ rows + lam * np.eye(2), rows.T @ values)
    return float(printed), float(corrected), float(joint - _Y @ _X @ fit)


def _smallest_eigenvalue(d: float) -> float:
    return float(np.linalg.eigvalsh(np.tile(np.eye(int(d)), (100, 1)).T @ np.tile(np.eye(int(d)), (100, 1)))[0])


def _noise_level(p: float, failure: float) -> float:
    """p log(p/π): the bound on the spherical Laplace noise of Theorem 8 at ζ = rε = 1."""
    return float(p * np.log(p / failure))


def _log_ratio(theta: float, lam: float) -> float:
    """−log(1 + 1/λ) + ½∇ℓ² + ∇J·∇ℓ for ℓ = ½(θ − 1)², J = (λ/2)θ², σ = 1."""
    slope = theta - 1
    return float(-np.log1p(1 / lam) + slope**2 / 2 + lam * theta * slope)


def _two_densities(theta: float, lam: float) -> float:
    return float(stats.norm.logpdf(theta, 0.0, 1 / lam) - stats.norm.logpdf(theta, 1 / (lam + 1), 1 / (lam + 1)))


def _half_normal_moment(rate: float, shift: float) -> float:
    """E e^{t|X|} for X ~ N(0, Δ²), by quadrature."""
    peak = max(rate * shift, 0.0)
    weight = lambda u: np.exp(rate * shift * u - u * u / 2)  # noqa: E731
    return float(2 * integrate.quad(weight, 0, peak + 14, points=[peak] if peak else None)[0] / np.sqrt(2 * np.pi))


def _log_moment(order: float, shift: float) -> float:
    """log E e^{(α−1)|X|}, in closed form."""
    rate = order - 1
    return float(np.log(2) + special.log_ndtr(rate * shift) + (rate * shift) ** 2 / 2)


RECORDS = (
    Erratum(
        "pdp-lemma19", _WANG, "Lemma 19, statement",
        r"\hat\theta'=(X^\top X+E_1)^{-1}(X\,y+E_2)", r"\hat\theta'=(X^\top X+E_1)^{-1}(X^\top y+E_2)",
        "Its proof has the transpose. Without it the expression exists for as many records as columns only, and is no ridge regression.",
        "first coefficient, two records, E₁ = E₂ = 0", "least squares",
        (Parameter("slope", "x", "Entry x of the first record", 0.5, 0.05, 2.0),),
        lambda slope: _square_fit(slope, printed=True), lambda slope: _square_fit(slope, printed=False), _least_squares,
        "Printed {printed}, fitted {computed}.",
    ),
    Erratum(
        "pdp-lemma20", _WANG, "Lemma 20",
        r"A^{-1}-A^{-1}U(C^{-1}+VA^{-1}U)^{-1}A^{-1}", r"A^{-1}-A^{-1}U(C^{-1}+VA^{-1}U)^{-1}VA^{-1}",
        "A V is missing; the shapes agree without it only by chance.",
        "first entry of (A + UCV)⁻¹, A = U = C = I", "inverting the matrix",
        (Parameter("size", "v", "Size v of V = v(1, ½; ½, 1)", 2.0, 0.1, 0.9e3),),
        lambda size: 1 - np.linalg.inv(np.eye(2) + size * _HALF)[0, 0],
        lambda size: 1 - (np.linalg.inv(np.eye(2) + size * _HALF) @ (size * _HALF))[0, 0],
        lambda size: np.linalg.inv(np.eye(2) + size * _HALF)[0, 0],
        "Printed {printed}, inverted {computed}.",
    ),
    Erratum(
        "pdp-eq5", _WANG, "Eq. (5)",
        r"\theta\sim N(0,\sigma^2I)", r"z\sim N(0,\sigma^2I)",
        "The noise z is drawn and θ is what comes out.",
        "mean of the released coefficient, one column with Σx² = 1", "Gauss–Hermite average of minimisers",
        (
            Parameter("target", "Σxy", "Least-squares coefficient Σxy", 0.7, 0.05, 1.0, "linear"),
            Parameter("sigma", "σ", "Noise σ", 1.0, 0.1, 10.0),
        ),
        lambda target, sigma: 0.0, lambda target, sigma: target, _mean_release,
        "Printed {printed}; the minimisers have the mean {computed}.",
    ),
    Erratum(
        "pdp-eq6", _WANG, "Eq. (6)",
        r"P(\theta|X,y)\propto e^{-\gamma\|y-X\theta\|^2}", r"P(\theta|X,y)\propto e^{-\frac\gamma2\|y-X\theta\|^2}",
        "With A = XᵀX the covariance of Eq. (2) is (XᵀX)⁻¹/γ, as in Theorem 14; the printed density has half of it.",
        "variance of the draw, one column", "quadrature of the density of Theorem 14",
        (_GAMMA, Parameter("h", "Σx²", "Curvature Σx²", 2.0, 0.05, 100.0)),
        lambda gamma, h: 1 / (2 * gamma * h), lambda gamma, h: 1 / (gamma * h), _posterior_variance,
        "The printed density has variance {printed}; that of Theorem 14 has {computed}.",
    ),
    Erratum(
        "pdp-missing-y", _WANG, "proof of Theorem 14, (∗∗)",
        r"\tfrac{-(x^\top\hat\theta)^2+2\,x^\top\hat\theta+\mu y^2}{1+\mu}",
        r"\tfrac{-(x^\top\hat\theta)^2+2\,y\,x^\top\hat\theta+\mu y^2}{1+\mu}",
        "A y is lost in the middle term; the next line of the proof has it again.",
        "yᵀΠy with the record minus that without it", "two quadratic forms",
        (Parameter("target", "y", "Target of the record", 0.5, -1.0, 1.0, "linear"),
        Parameter("lam", "λ", "Regularisation λ", 1.0, 0.1, 100.0)),
        lambda target, lam: _two_fits(target, lam)[0], lambda target, lam: _two_fits(target, lam)[1],
        lambda target, lam: _two_fits(target, lam)[2],
        "Printed {printed}, computed {computed}.",
    ),
    Erratum(
        "pdp-above-17", _WANG, "proof of Lemma 18, above Eq. (17)",
        r"\lambda_{\min}(X^\top X+\lambda_nI)\ge\tfrac n\kappa", r"\lambda_{\min}(X^\top X+\lambda_nI)\ge\tfrac n{d\kappa}",
        "Rows of length 1 have eigenvalues that add up to n: the smallest is n/d at most, and h = n/(dκ) is what the algorithm provides.",
        "smallest eigenvalue of 100 d unit rows, as even as can be (κ = 1)", "eigenvalues of XᵀX", (_D,),
        lambda d: 100 * d, lambda d: 100.0, _smallest_eigenvalue,
        "Printed at least {printed}; it is {computed}.",
    ),
    Erratum(
        "pdp-lemma24", _WANG, "Lemma 24",
        r"P_p(|\epsilon(\theta)|>t)\le\delta", r"P_p(|\epsilon(\theta)|>t)\le\delta\ \text{and}\ P_{p'}(|\epsilon(\theta)|>t)\le\delta",
        "The condition is of one law, the conclusion of both. An outcome that is rare under p may be likely under p'.",
        "largest P'(S) − e^t P(S) for P = (1 − δ, δ), P' = (½, ½)", "all events",
        (Parameter("t", "t", "Bound t on |log p/p'|", 1.0, 0.7, 2.0, "linear"),
        Parameter("delta", "δ", "P(|log p/p'| > t)", 1e-3, 1e-6, 0.05)),
        lambda t, delta: delta, lambda t, delta: 0.5, _both_directions,
        "Printed at most {printed}; an event has {computed}; the tail under the other law is {corrected}.", kind=Kind.FAILS,
    ),
    Erratum(
        "pdp-lemma24-union", _WANG, "proof of Lemma 24",
        r"P(S)=P(S\cup E^c)+P(S\cup E)", r"P(S)=P(S\cap E^c)+P(S\cap E)",
        "All unions of the proof are intersections.",
        "P(θ > a) for θ ~ N(0, 1), E = {|θ| > 1}", "quadrature",
        (Parameter("a", "a", "Threshold a", 0.5, -2.0, 2.0, "linear"),),
        lambda a: 1 + special.ndtr(-a),
        lambda a: (special.ndtr(-max(a, 1.0)) + special.ndtr(-1.0) - special.ndtr(min(a, -1.0)))
        + max(special.ndtr(1.0) - special.ndtr(np.clip(a, -1.0, 1.0)), 0.0),
        lambda a: integrate.quad(stats.norm.pdf, a, 12)[0],
        "The unions add up to {printed}; the event has {computed}.",
    ),
    Erratum(
        "pdp-are", _WANG, "Section 4.1, “ARE of (1 + n^{−α})”",
        r"1+n^{-\alpha}", r"1+n^{-\alpha/2}\quad(\gamma_n=n^{\alpha/2})",
        "Proposition 16.3 has 1 + 1/γ_n, and γ_n is n^{α/2}.",
        "mean squared error over that of least squares, σ = 1, λ = 0, one column", "variance of the draw by quadrature",
        (Parameter("n", "n", "Number of records n", 1e4, 10.0, 1e6), Parameter("alpha", "α", "Exponent α", 0.4, 0.1, 1.0, "linear")),
        lambda n, alpha: 1 + n**-alpha, lambda n, alpha: 1 + n ** (-alpha / 2),
        lambda n, alpha: 1 + n * _posterior_variance(n ** (alpha / 2), n),
        "Printed {printed}; the draw has {computed}.",
    ),
    Erratum(
        "pdp-d4", _WANG, "Section 4.2, after Proposition 17",
        r"\sigma^2\mathrm{tr}[(X^\top X)^{-1}]+\tfrac{d^3}{n^2\epsilon^2}",
        r"\sigma^2\mathrm{tr}[(X^\top X)^{-1}]+\tfrac{d^4}{n^2\epsilon^2}",
        "tr(XᵀX)⁻¹ is d²κ/n for rows of length 1, and 1/γ_n has another d².",
        "growth of tr((XᵀX)⁻¹)/γ_n when d doubles", "inverses of two designs", (_D,),
        lambda d: 8.0, lambda d: 16.0, lambda d: _additive(2 * d) / _additive(d),
        "Printed {printed} times, computed {computed} times.",
    ),
    Erratum(
        "napp-thm8-order", _NAPP, "Theorem 8, Eq. (18), last line",
        r"O(n^{-1}p^2\log(p)\,\epsilon^{-2})", r"O(n^{-1}p^2\log^2(p)\,\epsilon^{-2})",
        "The line before has the square of log(p/π).",
        "growth of B₁/p² from p to p² coefficients", "B₁ at both, π = 0.05",
        (Parameter("p", "p", "Number of coefficients p", 1e4, 1e3, 1e9),),
        lambda p: 2.0, lambda p: 4.0, lambda p: (_noise_level(p * p, 0.05) / (p * _noise_level(p, 0.05))) ** 2,
        "The printed order grows {printed} times, the bound {computed} times, its square of the logarithm {corrected} times.",
        kind=Kind.FAILS,
    ),
    Erratum(
        "napp-thm10", _NAPP, "Theorem 10, C with Gaussian noise",
        r"C=4p\zeta^2(r\epsilon)^{-2}(r\epsilon+\log\tfrac2\delta)\log\tfrac1\pi",
        r"C=8p\zeta^2(r\epsilon)^{-2}(r\epsilon+\log\tfrac2\delta)\log\tfrac1\pi",
        "C is twice the bound of Theorem 8 on ‖b‖², by the 2 of Eq. (38); with spherical Laplace noise the 2 is there.",
        "C at ζ = rε = 1, π = 0.05", "the C printed for Laplace noise over its bound on ‖b‖², times that for Gaussian noise",
        (Parameter("p", "p", "Number of coefficients p", 16, 1, 100, "integer"), DELTA_PARAMETER),
        lambda p, delta: 4 * p * (1 + np.log(2 / delta)) * np.log(20), lambda p, delta: 8 * p * (1 + np.log(2 / delta)) * np.log(20),
        lambda p, delta: 2 * _noise_level(p, 0.05) ** 2 / _noise_level(p, 0.05) ** 2 * (2 * p * 2 * (1 + np.log(2 / delta)) * np.log(20)),
        "Printed {printed}; the proof needs {computed}.",
    ),
    Erratum(
        "objpert-e2", _REDBERG, "Theorem E.2",
        r"\log R=\big|-\log\prod_j(1-\mu_j)+\dots\big|", r"|\log R|=\big|-\log\prod_j(1-\mu_j)+\dots\big|",
        "A log ratio may be negative; the bars belong on both sides or on none.",
        "log R at the outcome θ, record loss ½(θ − 1)², σ = 1", "two normal densities",
        (Parameter("theta", "θ", "Outcome θ", 1.0, -3.0, 3.0, "linear"), Parameter("lam", "λ", "Regularisation λ", 1.0, 0.1, 10.0)),
        lambda theta, lam: abs(_log_ratio(theta, lam)), _log_ratio, _two_densities,
        "Printed {printed}; the densities give {computed}.",
    ),
    Erratum(
        "objpert-d6", _REDBERG, "display below Eq. (D.6), second line",
        r"2\int f-2\int f\,(1-e^{\hat\epsilon-x})", r"2\int f-2\int f\,e^{\hat\epsilon-x}",
        "As printed the second line is 1 minus the first; the third is right again.",
        "2∫f(1 − e^{ε̂−x}) over x > 0, f of N(0, Δ²)", "quadrature",
        (Parameter("epsilon", "ε̂", "ε̂ < 0", -0.1, -3.0, -0.01, "linear"), _SHIFT),
        lambda epsilon, shift: np.exp(epsilon + _log_moment(0.0, shift)),
        lambda epsilon, shift: -np.expm1(epsilon + _log_moment(0.0, shift)),
        lambda epsilon, shift: 1 - np.exp(epsilon) * _half_normal_moment(-1.0, shift),
        "Printed {printed}, integrated {computed}.",
    ),
    Erratum(
        "objpert-32-log", _REDBERG, "proof of Theorem 3.2, last display",
        r"\epsilon(\alpha)=\dots+\mathbb{E}\,e^{(\alpha-1)|X|}",
        r"\epsilon(\alpha)=\dots+\tfrac1{\alpha-1}\log\mathbb{E}\,e^{(\alpha-1)|X|}",
        "The logarithm and its factor, which the theorem has, are lost.",
        "third term of ε(α)", "quadrature of the moment",
        (Parameter("order", "α", "Order α", 2.0, 1.1, 8.0), _SHIFT),
        lambda order, shift: np.exp(_log_moment(order, shift)), lambda order, shift: _log_moment(order, shift) / (order - 1),
        lambda order, shift: np.log(_half_normal_moment(order - 1, shift)) / (order - 1),
        "Printed {printed}, computed {computed}.",
    ),
    Erratum(
        "objpert-sag", _REDBERG, "Appendix G, SAG, from (G.2)",
        r"\|\nabla f\|^2\le\tfrac{L^2}\lambda(f-f^*)", r"\|\nabla f\|^2\le\tfrac{2L^2}\lambda(f-f^*)",
        "(G.2) has a 2 that is lost where it is used, there and in the probability below. It matters where L < 2λ.",
        "‖∇f‖² over f − f* for f = ½(Lθ₁² + λθ₂²), λ = 1, at θ₂ = 0", "f and its difference quotient",
        (Parameter("lipschitz", "L/λ", "Smoothness over convexity, L/λ", 1.2, 1.0, 20.0),),
        lambda lipschitz: lipschitz**2, lambda lipschitz: 2 * lipschitz**2,
        lambda lipschitz: ((lipschitz * (1.5**2 - 0.5**2) / 2) ** 2) / (lipschitz / 2),
        "Printed at most {printed}; it is {computed}; (G.2) allows {corrected}.", kind=Kind.FAILS,
    ),
)  # fmt: skip
