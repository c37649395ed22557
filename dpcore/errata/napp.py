"""Errata of the paper on noise-augmented training."""

from __future__ import annotations

import numpy as np
from scipy import integrate, optimize, special

from dpcore.calibration import calibrate
from dpcore.errata import counterexamples
from dpcore.errata.record import EPSILON, Erratum, Kind
from dpcore.mechanisms import Gaussian, Parameter

_SOURCE = "li-liu-napp"
_SHARE = Parameter("share", "r", "Share of ε spent on noise, r", 0.5, 0.1, 0.9, "linear")
_STRENGTH = Parameter("strength", "Λ", "Lasso weight Λ", 0.25, 0.01, 2.0)
_TARGET = Parameter("target", "y", "Target of the record y", 1.0, 0.0, 1.0, "linear")
_ESTIMATE = Parameter("estimate", "|θ|", "Smallest |θ| at convergence", 0.2, 0.01, 2.0)
_P = Parameter("p", "p", "Number of coefficients p", 5, 1, 20, "integer")
_RATE = Parameter("rate", "rε/ζ", "Rate of the noise rε/ζ", 0.5, 0.05, 5.0)
_SIGNAL = 2.0  # Σxy of a one-dimensional design with Σx² = 1
_NO_CLAIM = 0.0
_RESPONSES = 1_000_000


def _fraction(strength: float, estimate: float, floor: float, factor: float) -> float:
    """1 − factor·Λ₀/(n_e ℓ″ V) at the bridge's V = 2 max{Λ/|θ|, Λ₀}/(n_e ℓ″)."""
    return 1 - factor * floor / (2 * max(strength / estimate, floor))


def _retrieved(strength: float, estimate: float, epsilon: float, share: float, *, printed: bool) -> float:
    floor = 1 / (2 * (1 - share) * epsilon)
    amount = (1 - share) * epsilon * _fraction(strength, estimate, floor, 2.0)
    return min(0.0, amount) if printed else max(0.0, amount)


def _spare_convexity(strength: float, estimate: float, epsilon: float, share: float) -> float:
    """Budget that the realised curvature m = 2 max{Λ/|θ|, Λ₀} leaves of (1−r)ε = 1/(2Λ₀): (1−r)ε − 1/m."""
    floor = 1 / (2 * (1 - share) * epsilon)
    realised = 2 * max(strength / estimate, floor)
    return (1 - share) * epsilon - 1 / realised


def _noise_norm(p: float, rate: float, power: int) -> float:
    """E‖b‖^power under the density ∝ e^{−rate·‖b‖} in p dimensions, by quadrature over the radius."""

    def moment(order: float) -> float:
        top, peak = (order + 40 * np.sqrt(order + 1) + 40) / rate, order / rate
        shift = order * np.log(max(peak, 1e-300)) - rate * peak if order else 0.0
        inner = lambda s: np.exp(order * np.log(s) - rate * s - shift) if s > 0 else float(order == 0)  # noqa: E731
        return integrate.quad(inner, 0, top, points=[peak], limit=400)[0] * np.exp(shift)

    return moment(p - 1 + power) / moment(p - 1)


def _fixed_point(strength: float, factor: float) -> float:
    """Where ridge steps with the weights factor·2Λ/|θ| settle, for Σx² = 1 and Σxy = 2."""
    theta = _SIGNAL
    for _ in range(400):
        theta = _SIGNAL / (1 + factor * 2 * strength / max(abs(theta), 1e-12))
    return theta


def _lasso(strength: float) -> float:
    """argmin ½(θ − 2)² + Λ|θ|, by search."""
    found = optimize.minimize_scalar(
        lambda t: 0.5 * (t - _SIGNAL) ** 2 + strength * abs(t),
        bounds=(-3, 3),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return float(found.x)


def _fitted_slope(theta: float) -> float:
    """Slope that a logistic regression recovers from responses drawn with P(y = 1) = 1/(1 + e^{−xθ}), a million at each of 400 x."""
    x = special.ndtri((np.arange(400) + 0.5) / 400)
    y = np.random.default_rng(4).binomial(_RESPONSES, special.expit(x * theta)) / _RESPONSES

    def gradient(t: float) -> float:
        return float(np.sum((special.expit(x * t) - y) * x))

    return optimize.brentq(gradient, -60, 60)


def _gaussian_noise(delta: float, epsilon: float) -> float:
    return calibrate(lambda s: Gaussian(s, 1.0), epsilon, delta)


_CLAIM = (
    r"\epsilon\text{-DP, pure}", r"\epsilon=c+\log\!\big(1+\tfrac1{2\Lambda_0}\big),\ \text{sum form, fixed weights}",
)  # fmt: skip
_SETTING = (_STRENGTH, EPSILON, _SHARE, _TARGET)


def _certified(strength: float, epsilon: float, share: float, target: float) -> float:
    return counterexamples.certified_delta(epsilon, strength, share, target)


RECORDS = (
    Erratum(
        "napp-claims", _SOURCE, "Theorem 4, MOOR at convergence", *_CLAIM,
        "The realised objective loses the strong convexity that the Jacobian bound uses: some outcomes exist only with the record.",
        "δ at the pure ε stated (one record, lasso, one dimension)", "the mass of outcomes that the other data set cannot give",
        _SETTING,
        lambda strength, epsilon, share, target: _NO_CLAIM, _certified,
        lambda strength, epsilon, share, target: counterexamples.moor_delta(epsilon, strength, share, target),
        "Claimed δ = {printed} at the pure ε; one record is enough for δ ≥ {computed}.", kind=Kind.REFUTED,
    ),
    Erratum(
        "napp-claims-vs-plus", _SOURCE, "Theorem 4, VS+ (truncated noise)", *_CLAIM,
        "Noise b ≥ 0 can only shrink: without the record every answer is 0, with it some are not.",
        "δ at the pure ε stated (one record, lasso, one dimension)", "the mass of answers other than 0",
        _SETTING,
        lambda strength, epsilon, share, target: _NO_CLAIM, _certified,
        lambda strength, epsilon, share, target: counterexamples.vs_plus_delta(epsilon, strength, share, target),
        "Claimed δ = {printed} at the pure ε; one record is enough for δ = {computed}.", kind=Kind.REFUTED,
    ),
    Erratum(
        "napp-claims-retrieval", _SOURCE, "Proposition 6, budget retrieval", *_CLAIM,
        "The amount returned depends on the output, and is returned just where the record shows.",
        "δ at the ε left after retrieval (one record, lasso, one dimension)", "quadrature of both output laws",
        (Parameter("strength", "Λ", "Lasso weight Λ", 0.5, 0.01, 2.0), EPSILON, _SHARE, _TARGET),
        lambda strength, epsilon, share, target: _NO_CLAIM, _certified,
        lambda strength, epsilon, share, target: counterexamples.retrieval_delta(epsilon, strength, share, target),
        "Claimed δ = {printed} at what is left of ε; one record is enough for δ = {computed}.", kind=Kind.REFUTED,
    ),
    Erratum(
        "napp-min", _SOURCE, "Eq. (13), Algorithm 2, bridge example",
        r"\Delta_\epsilon=\min\{0,\dots\}", r"\Delta_\epsilon=\max\{0,\dots\}",
        "With min nothing is ever retrieved.", "retrieved budget", "the budget that the realised curvature does not need",
        (Parameter("strength", "Λ", "Lasso weight Λ", 1.0, 0.01, 5.0), _ESTIMATE, EPSILON, _SHARE),
        lambda strength, estimate, epsilon, share: _retrieved(strength, estimate, epsilon, share, printed=True),
        lambda strength, estimate, epsilon, share: _retrieved(strength, estimate, epsilon, share, printed=False),
        _spare_convexity,
        "Printed {printed}; the text means {corrected}. (That returning it is private at all is another matter: see napp-claims.)",
    ),
    Erratum(
        "napp-retrieval-2", _SOURCE, "Eq. (13) and S.4",
        r"1-\tfrac{\Lambda_0}{n_e\ell''V_{(1)}}", r"1-\tfrac{2\Lambda_0}{n_e\ell''V_{(1)}}",
        "Without the 2, half the budget comes back even where the floor Λ₀ binds; the paper's own example has the 2.",
        "retrieved share of (1−r)ε", "curvature realised over curvature required",
        (Parameter("strength", "Λ", "Lasso weight Λ", 1.0, 0.01, 5.0), _ESTIMATE, Parameter("floor", "Λ₀", "Floor Λ₀", 1.0, 0.1, 10.0)),
        lambda strength, estimate, floor: _fraction(strength, estimate, floor, 1.0),
        lambda strength, estimate, floor: _fraction(strength, estimate, floor, 2.0),
        lambda strength, estimate, floor: 1 - 2 * floor / np.maximum(2 * strength / estimate, 2 * floor),
        "Printed {printed}, consistent {computed}.",
    ),
    Erratum(
        "napp-gamma-shape", _SOURCE, "below Eq. (4) and S.6",
        r"\|b\|\sim\mathrm{Gamma}(1,\cdot)", r"\|b\|\sim\mathrm{Gamma}(p,\cdot)",
        "Noise drawn with shape 1 does not grow with the number of coefficients.",
        "mean norm of the noise", "quadrature over the radius",
        (_P, _RATE),
        lambda p, rate: 1 / rate, lambda p, rate: p / rate, lambda p, rate: _noise_norm(p, rate, 1),
        "Printed {printed}, integrated {computed}.",
    ),
    Erratum(
        "napp-gamma-scale", _SOURCE, "below Eq. (4), against S.6",
        r"\text{scale }2\zeta/(r\epsilon)", r"\text{scale }\zeta/(r\epsilon)",
        "The density of Eq. (4) falls like exp(−rε‖b‖/ζ), so its radius has the scale ζ/(rε), as S.6 has it. The sampler of the main "
        "text draws twice the noise that the budget asks for.",
        "mean norm of the noise, its shape p", "quadrature of Eq. (4)'s density over the radius",
        (_RATE, _P),
        lambda rate, p: 2 * p / rate, lambda rate, p: p / rate, lambda rate, p: _noise_norm(p, rate, 1),
        "Printed {printed}, integrated {computed}.",
    ),
    Erratum(
        "napp-var", _SOURCE, "below Eq. (4)",
        r"V(b_j)=2\zeta^2/(r\epsilon)^2", r"V(b_j)=(p+1)\,\zeta^2/(r\epsilon)^2",
        "2 is right for one coefficient only.", "variance of one coordinate of the noise", "quadrature of ‖b‖²/p over the radius",
        (_P, _RATE),
        lambda p, rate: 2 / rate**2, lambda p, rate: (p + 1) / rate**2, lambda p, rate: _noise_norm(p, rate, 2) / p,
        "Printed {printed}, integrated {computed}.",
    ),
    Erratum(
        "napp-iter-factor2", _SOURCE, "Table 2 and Proposition 1",
        r"V=\tfrac{2}{n_e\ell''}\tfrac{\Lambda}{|\theta|}\ \text{solves the lasso at }\Lambda",
        r"\text{its fixed point is the lasso at }2\Lambda;\ \text{use }\Lambda/2",
        "The iteration over-shrinks: every figure with “Λ” shows the lasso at 2Λ.",
        "coefficient at convergence, target Λ", "the lasso at Λ by search",
        (Parameter("strength", "Λ", "Lasso weight Λ", 0.5, 0.01, 0.95),),
        lambda strength: _fixed_point(strength, 1.0), lambda strength: _fixed_point(strength, 0.5), _lasso,
        "Printed weights settle at {printed}; the lasso at Λ has {computed}.",
    ),
    Erratum(
        "napp-bern", _SOURCE, "Table 4",
        r"y\sim\mathrm{Bern}\big((1+e^{x\theta})^{-1}\big)", r"y\sim\mathrm{Bern}\big((1+e^{-x\theta})^{-1}\big)",
        "Every coefficient of the simulation comes out with the opposite sign.",
        "slope of the model that generates the data", "a logistic regression on 400 million simulated responses",
        (Parameter("theta", "θ", "True slope θ", 1.0, 0.1, 3.0),),
        lambda theta: -theta, lambda theta: theta, _fitted_slope,
        "Read as printed the slope is {printed}; the data of the model give {computed}.",
    ),
    Erratum(
        "napp-delta", _SOURCE, "Table 4 and S.8 against Section 5 and the captions",
        r"\delta=0.001", r"\delta=0.0001",
        "The two values disagree; a comparison must state which one it uses.",
        "Gaussian noise needed per unit of sensitivity (printed: δ = 0.001)", "calibration at δ = 0.0001",
        (EPSILON,),
        lambda epsilon: _gaussian_noise(1e-3, epsilon), lambda epsilon: _gaussian_noise(1e-4, epsilon),
        lambda epsilon: _gaussian_noise(1e-4, epsilon),
        "At 0.001 the noise is {printed}, at 0.0001 it is {computed}.", points=5,
    ),
)  # fmt: skip
