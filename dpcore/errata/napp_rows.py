"""Errata of the paper on noise-augmented training: the rows it appends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import optimize, special

from dpcore.errata.record import EPSILON, Erratum, Kind
from dpcore.glm.losses import Logistic, Loss, SmoothedHinge, Squared
from dpcore.mechanisms import Parameter

_SOURCE = "li-liu-napp"
_AUGMENTED = 10_000
_WEIGHT = Parameter("weight", "m", "Weight of θ², m", 1.0, 0.1, 20.0)
_COUNTS, _LINE = np.array([2.0, 1.0, 0.0]), np.array([1.0, 0.5, -0.5])


def _augmented_shift(noise: float, target: float) -> float:
    """How far least squares moves when n_e rows e* = −b/(n_e c) with target c join a row (1, 1) of weight 1."""
    if target == 0:
        rows, targets = np.zeros(_AUGMENTED), np.zeros(_AUGMENTED)  # −b/(n_e·0) is undefined, so nothing can be added
    else:
        rows, targets = np.full(_AUGMENTED, -noise / (_AUGMENTED * target)), np.full(_AUGMENTED, target)
    X, y = np.append(rows, 1.0)[:, None], np.append(targets, 1.0)
    return float(np.linalg.lstsq(X, y, rcond=None)[0][0] - 1.0)


def _rising_root(slope: Callable[[float], float]) -> float:
    return float(optimize.brentq(slope, -60, 60, xtol=1e-13))


def _poisson_slope(theta: float) -> float:
    """Slope of Σ e^{xθ} − yxθ over three records."""
    return float((np.exp(_LINE * theta) - _COUNTS) @ _LINE)


def _poisson_shift(noise: float, target: float) -> float:
    """How far a Poisson regression moves when n_e rows b/(n_e ℓ'(0)) with count `target` join, ℓ'(0) = 1 − target."""
    slope = 1.0 - target
    row = noise / (_AUGMENTED * slope) if slope else 0.0  # b/(n_e·0) is undefined, so nothing can be added
    joined = _rising_root(lambda t: _poisson_slope(t) + _AUGMENTED * row * (np.exp(row * t) - target))
    return joined - _rising_root(_poisson_slope)


def _poisson_shift_of_the_objective(noise: float) -> float:
    return _rising_root(lambda t: _poisson_slope(t) + noise) - _rising_root(_poisson_slope)


def _stray_deviation(weight: float, pairs: float) -> float:
    """Standard deviation of Σ ℓ'_i(0)ẽ_i, the labels 0 in the first half and 1 in the second, ẽ_{i+n_e/2} = −ẽ_i."""
    labels = np.repeat([-1.0, 1.0], int(pairs))
    slopes = Logistic().derivative(np.zeros(labels.size), labels)
    of_each_draw = slopes[: int(pairs)] - slopes[int(pairs) :]
    variance = 2 * weight / (labels.size * 0.25)
    return float(np.sqrt(variance * np.square(of_each_draw).sum()))


def _realised_regulariser(loss: Loss, weight: float, theta: float) -> float:
    """Σ ℓ(ẽ_iθ) − ℓ(0) − ℓ'(0)ẽ_iθ of one of the app's losses over antithetic pairs with the variance 2m/n_e."""
    level = (np.arange(_AUGMENTED // 2) + 0.5) / (_AUGMENTED // 2)
    half = np.sqrt(2 * weight / _AUGMENTED) * special.ndtri(level)
    u, label, zero = np.concatenate([half, -half]) * theta, np.ones(_AUGMENTED), np.zeros(_AUGMENTED)
    return float(np.sum(loss.value(u, label) - loss.value(zero, label) - loss.derivative(zero, label) * u))


def _spent(length: float, epsilon: float, share: float) -> float:
    """Largest log ratio of Eq. (4)'s Laplace density at ζ₁ = ζ₂ = ‖x‖ when one row's logistic gradient moves it."""
    gradient = length * float(np.abs(Logistic().derivative(np.linspace(-40, 40, 3), np.ones(3))).max())
    log_density = lambda b: -share * epsilon * abs(b) / length**2  # noqa: E731
    return log_density(0.0) - log_density(gradient)


RECORDS = (
    Erratum(
        "napp-ey0", _SOURCE, "Table 1, linear regression",
        r"e_y=0,\ e^*=b/(n_e\ell'(0))", r"e_y=c\ne0,\ e^*=-b/(n_ec)",
        "ℓ'(0) = −e_y = 0: the rows are undefined, and no noise reaches the fit.",
        "shift of the estimate by the noise", "−b, the solution with the noise in the objective",
        (Parameter("noise", "b", "Noise b", 0.5, 0.05, 2.0),),
        lambda noise: _augmented_shift(noise, 0.0), lambda noise: _augmented_shift(noise, 1.0), lambda noise: -noise,
        "With e_y = 0 the estimate moves by {printed}; the noise asks for {computed}.",
    ),
    Erratum(
        "napp-ey1", _SOURCE, "Table 1, Poisson regression",
        r"e_y=1,\ e^*=b/(n_e\ell'(0))", r"e_y=0,\ e^*=b/n_e",
        "ℓ'(0) = 1 − e_y = 0: the rows are undefined, and no noise reaches the fit.",
        "shift of the estimate by the noise", "root finding with the noise in the objective",
        (Parameter("noise", "b", "Noise b", 0.5, 0.05, 2.0),),
        lambda noise: _poisson_shift(noise, 1.0), lambda noise: _poisson_shift(noise, 0.0), _poisson_shift_of_the_objective,
        "With e_y = 1 the estimate moves by {printed}; the noise asks for {computed}.",
    ),
    Erratum(
        "napp-antithetic", _SOURCE, "Table 1 and Eq. (5), logistic regression",
        r"\sum_i\ell'_i(0)\,\tilde e_i=0,\quad e_{y,i}=0,\ e_{y,i+n_e/2}=1",
        r"\sum_i\ell'_i(0)\,\tilde e_i\sim N(0,4m);\quad 0\ \text{if}\ e_{y,i+n_e/2}=e_{y,i}",
        "ẽ changes its sign between the halves, and so does ℓ'(0): the terms add up instead of cancelling, however many rows "
        "there are. Each antithetic pair must share its label.",
        "standard deviation of the linear term that the regularising rows leave",
        "adding up the variances of all rows with the app's logistic loss",
        (_WEIGHT, Parameter("pairs", "n_e/2", "Antithetic pairs nₑ/2", 500, 10, 5000, "integer")),
        lambda weight, pairs: 0.0, lambda weight, pairs: 2 * np.sqrt(weight), _stray_deviation,
        "Said to be {printed}; the rows add noise of standard deviation {computed} that no budget pays for and no bound counts.",
    ),
    Erratum(
        "napp-hinge", _SOURCE, "Section 6, smoothed hinge",
        r"\ell''(0)=1:\ \sum_i\ell(\tilde e_i\theta)\to m\theta^2",
        r"\ell''(0^-)=0,\ \ell''(0^+)=1:\ \sum_i\ell(\tilde e_i\theta)\to\tfrac12m\theta^2",
        "The assumption asks for a continuous second derivative at 0, and this loss bends on one side of 0 only: of each "
        "antithetic pair one row regularises. Half the strong convexity that the privacy proof uses is missing.",
        "regulariser that the rows realise", "adding the app's smoothed hinge over 10 000 rows",
        (_WEIGHT, Parameter("theta", "θ", "Coefficient θ", 1.0, 0.1, 3.0, "linear")),
        lambda weight, theta: weight * theta**2, lambda weight, theta: weight * theta**2 / 2,
        lambda weight, theta: _realised_regulariser(SmoothedHinge(), weight, theta),
        "Designed {printed}, realised {computed}.",
    ),
    Erratum(
        "napp-realised-square", _SOURCE, "Section 4, above Table 3, and Section 4.2",
        r"R^{(t)}\to\max\{\Lambda R,\Lambda_0\|\theta\|_2\}", r"R^{(t)}\to\max\{\Lambda R,\Lambda_0\|\theta\|_2^2\}",
        "The norm lost its square, here and in the ridge penalty of Section 4.2. Without it the floor is not strongly convex, which "
        "is all that the privacy proof wants from it.",
        "regulariser that the rows realise where the floor binds", "adding the app's squared loss over 10 000 rows",
        (
            Parameter("theta", "θ", "Coefficient θ", 2.0, 0.1, 3.0, "linear"),
            Parameter("floor", "Λ₀", "Floor Λ₀", 1.0, 0.1, 10.0),
        ),
        lambda theta, floor: floor * theta, lambda theta, floor: floor * theta**2,
        lambda theta, floor: _realised_regulariser(Squared(), floor, theta),
        "Printed {printed}, realised {computed}.",
    ),
    Erratum(
        "napp-zeta", _SOURCE, "Assumption 1(d) with Eqs. (4), (9), (10), (12), (14), Corollary 5 and S.2",
        r"\|\nabla\ell\|\le\zeta_2\ \Rightarrow\ \|\Gamma\|\le\zeta_1\zeta_2",
        r"\|\nabla\ell\|\le\zeta_2\ \Rightarrow\ \|\Gamma\|\le\zeta_2",
        "∇ℓ is the gradient in θ and contains the row already: its length ζ₁ is counted twice. Rows shorter than 1 get too little "
        "noise, longer ones too much; only ζ₁ = 1 is right.",
        "ε that the noise spends (intended: rε), logistic loss, rows of length ζ₁", "the log ratio of two densities of the noise",
        (Parameter("length", "ζ₁", "Length of the rows ζ₁", 0.5, 0.05, 1.0), EPSILON,
         Parameter("share", "r", "Share of ε spent on noise, r", 0.5, 0.1, 0.9, "linear")),
        lambda length, epsilon, share: share * epsilon, lambda length, epsilon, share: share * epsilon / length, _spent,
        "Printed {printed}; the noise spends {computed}.", kind=Kind.FAILS,
    ),
)  # fmt: skip
