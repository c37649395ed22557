"""Numbers of the errata of noise-augmented training: its claims, noise, appended rows, utility and recycling.

Each function returns the number as printed, as corrected, and computed without either, which is called “the third”.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy import integrate, optimize, special, stats

from dpcore.audit.napp import Scenario, attack
from dpcore.calibration import calibrate
from dpcore.errata.record import Three
from dpcore.glm import Problem
from dpcore.glm.losses import Logistic, Loss, SmoothedHinge, Squared
from dpcore.learners.napp.retrieval import recycle
from dpcore.learners.napp.weights import Regularizer, Weighting
from dpcore.mechanisms import Gaussian

_SIGNAL = 2.0  # Σxy of a one-dimensional design with Σx² = 1
_RESPONSES = 1_000_000  # number of binary responses behind each mean response
_AUGMENTED = 10_000  # n_e, number of rows appended
# Targets and rows of a one-dimensional Poisson regression.
_COUNTS, _LINE = np.array([2.0, 1.0, 0.0]), np.array([1.0, 0.5, -0.5])


def _refuted(variant: str) -> Callable[..., Three]:
    """δ at the claimed pure ε: 0 as claimed, then that of the certified form, then that of the form attacked."""

    def numbers(epsilon: float, strength: float, target: float, share: float) -> Three:
        scenario = Scenario(epsilon, 2 * strength, target, share=share)  # the printed weights solve the lasso at 2Λ
        certified = attack(scenario, "certified", scenario.certified.pure_epsilon)
        return 0.0, certified.delta, attack(scenario, variant).delta

    return numbers


napp_claims = _refuted("moor")
napp_claims_vs_plus = _refuted("vs_plus")
napp_claims_retrieval = _refuted("retrieval")


def napp_retrieval_2(strength: float, estimate: float, floor: float) -> Three:
    held = max(strength / estimate, floor)  # V n_e ℓ″/2 of the bridge
    return 1 - floor / (2 * held), 1 - floor / held, 1 - 2 * floor / np.maximum(2 * strength / estimate, 2 * floor)


def napp_min(strength: float, estimate: float, epsilon: float, share: float) -> Three:
    budget = (1 - share) * epsilon
    floor = 1 / (2 * budget)
    held = max(strength / estimate, floor)
    amount = budget * (1 - floor / held)
    return min(0.0, amount), max(0.0, amount), budget - 1 / (2 * held)


def noise_norm(p: float, rate: float, power: int) -> float:
    """E‖b‖^power under the density ∝ e^{−rate·‖b‖} in p dimensions, by quadrature over the radius."""

    def moment(order: float) -> float:
        top, peak = (order + 40 * np.sqrt(order + 1) + 40) / rate, order / rate
        shift = order * np.log(max(peak, 1e-300)) - rate * peak if order else 0.0
        inner = lambda s: np.exp(order * np.log(s) - rate * s - shift) if s > 0 else float(order == 0)  # noqa: E731
        return integrate.quad(inner, 0, top, points=[peak], limit=400)[0] * np.exp(shift)

    return moment(p - 1 + power) / moment(p - 1)


def napp_gamma_shape(p: float, rate: float) -> Three:
    return 1 / rate, p / rate, noise_norm(p, rate, 1)


def napp_gamma_scale(rate: float, p: float) -> Three:
    return 2 * p / rate, p / rate, noise_norm(p, rate, 1)


def napp_var(p: float, rate: float) -> Three:
    return 2 / rate**2, (p + 1) / rate**2, noise_norm(p, rate, 2) / p


def _lasso_risk(theta: float, strength: float) -> float:
    """½(θ − 2)² + Λ|θ|."""
    return 0.5 * (theta - _SIGNAL) ** 2 + strength * abs(theta)


def _lasso(strength: float) -> float:
    """Where `_lasso_risk` is least, by search."""
    options = {"xatol": 1e-12}
    found = optimize.minimize_scalar(_lasso_risk, bounds=(-3, 3), args=(strength,), method="bounded", options=options)
    return float(found.x)


def _fixed_point(strength: float) -> float:
    """Where ridge steps with the weights 2Λ/|θ| settle, for Σx² = 1 and Σxy = 2."""
    theta = _SIGNAL
    for _ in range(400):
        theta = _SIGNAL / (1 + 2 * strength / max(abs(theta), 1e-12))
    return theta


def napp_iter_factor2(strength: float) -> Three:
    return _fixed_point(strength), _fixed_point(strength / 2), _lasso(strength)


def napp_bern(theta: float) -> Three:
    x = special.ndtri((np.arange(400) + 0.5) / 400)
    y = np.random.default_rng(4).binomial(_RESPONSES, special.expit(x * theta)) / _RESPONSES
    return -theta, theta, _rising_root(lambda t: float(np.sum((special.expit(x * t) - y) * x)))


def napp_delta(epsilon: float) -> Three:
    other, stated = (calibrate(lambda s: Gaussian(s, 1.0), epsilon, delta) for delta in (1e-3, 1e-4))
    return other, stated, stated


def _augmented_shift(noise: float, target: float) -> float:
    """How far least squares moves when n_e rows e* = −b/(n_e c) with target c join a row (1, 1) of weight 1."""
    row = -noise / (_AUGMENTED * target) if target else 0.0  # −b/(n_e·0) is undefined, so nothing can be added
    X, y = np.append(np.full(_AUGMENTED, row), 1.0)[:, None], np.append(np.full(_AUGMENTED, target), 1.0)
    return float(np.linalg.lstsq(X, y, rcond=None)[0][0] - 1.0)


def napp_ey0(noise: float) -> Three:
    return _augmented_shift(noise, 0.0), _augmented_shift(noise, 1.0), -noise


def _rising_root(slope: Callable[[float], float]) -> float:
    return float(optimize.brentq(slope, -60, 60, xtol=1e-13))


def _poisson_shift(added: Callable[[float], float]) -> float:
    """How far the minimiser of Σ e^{xθ} − yxθ over three records moves when something is added to its slope."""
    slope = lambda t: float((np.exp(_LINE * t) - _COUNTS) @ _LINE)  # noqa: E731
    return _rising_root(lambda t: slope(t) + added(t)) - _rising_root(slope)


def napp_ey1(noise: float) -> Three:
    row = noise / _AUGMENTED  # b/(n_e ℓ'(0)) with ℓ'(0) = 1; with the printed count 1 it is 0, and no row can be added
    rows = lambda t: _AUGMENTED * row * np.exp(row * t)  # noqa: E731
    return 0.0, _poisson_shift(rows), _poisson_shift(lambda t: noise)


def napp_antithetic(weight: float, pairs: float) -> Three:
    labels = np.repeat([-1.0, 1.0], int(pairs))
    slopes = Logistic().derivative(np.zeros(labels.size), labels)
    of_each_draw = slopes[: int(pairs)] - slopes[int(pairs) :]
    variance = 2 * weight / (labels.size * 0.25)
    return 0.0, 2 * np.sqrt(weight), np.sqrt(variance * np.square(of_each_draw).sum())


def _realised_regulariser(loss: Loss, weight: float, theta: float) -> float:
    """Σ ℓ(ẽ_iθ) − ℓ(0) − ℓ'(0)ẽ_iθ of one of the app's losses over antithetic pairs with the variance 2m/n_e."""
    level = (np.arange(_AUGMENTED // 2) + 0.5) / (_AUGMENTED // 2)
    half = np.sqrt(2 * weight / _AUGMENTED) * special.ndtri(level)
    u, label, zero = np.concatenate([half, -half]) * theta, np.ones(_AUGMENTED), np.zeros(_AUGMENTED)
    return float(np.sum(loss.value(u, label) - loss.value(zero, label) - loss.derivative(zero, label) * u))


def napp_hinge(weight: float, theta: float) -> Three:
    return weight * theta**2, weight * theta**2 / 2, _realised_regulariser(SmoothedHinge(), weight, theta)


def napp_realised_square(theta: float, floor: float) -> Three:
    return floor * theta, floor * theta**2, _realised_regulariser(Squared(), floor, theta)


def napp_zeta(length: float, epsilon: float, share: float) -> Three:
    """The third: the log ratio of Eq. (4)'s density at ζ₁ = ζ₂ = ‖x‖ when one row's logistic gradient moves it."""
    gradient = length * float(np.abs(Logistic().derivative(np.linspace(-40, 40, 3), np.ones(3))).max())
    log_density = lambda b: -share * epsilon * abs(b) / length**2  # noqa: E731
    return share * epsilon, share * epsilon / length, log_density(0.0) - log_density(gradient)


def napp_lemma17(scale: float, shape: float, failure: float) -> Three:
    """P[X < a b log(a/π)] of a gamma variable of shape a, with b as a rate, as a scale, and that by quadrature."""
    reach = shape * np.log(shape / failure)
    end, peak = reach * scale, (shape - 1) * scale
    pieces = pairwise(sorted({0.0, min(peak, end), end}))
    covered = sum(integrate.quad(stats.gamma(shape, scale=scale).pdf, *ends)[0] for ends in pieces)
    return special.gammainc(shape, reach * scale**2), special.gammainc(shape, reach), covered


def napp_lemma7(step: float, strength: float, floor: float, noise: float) -> Three:
    """After iteration t of the printed weights m = max{Λ/|θ|, Λ₀}, from m = Λ₀, for Σx² = 1 and Σxy = 2."""
    weight, theta = floor, 0.0
    for t in range(int(step)):
        weight = max(strength / max(abs(theta), 1e-150), floor) if t else floor
        theta = (_SIGNAL - noise) / (1 + 2 * weight)
    best = max(_SIGNAL - strength, 0.0)
    gap = weight * best**2 - strength * best
    corrected = noise**2 / (4 * weight) + gap - (weight * theta**2 - strength * abs(theta))
    excess = _lasso_risk(theta, strength) - _lasso_risk(_lasso(strength), strength)
    return noise**2 / (2 * weight) + gap, corrected, excess


def napp_thm8(epsilon: float, share: float, n: float, failure: float) -> Three:
    """n times the bound for n records (1, 1) and no target regulariser: 1/k = 1/(2Λ₀), R(θ̂) = Λ₀; refits at |b| = N."""
    floor = 1 / (2 * (1 - share) * epsilon)
    norm = np.log(1 / failure) / (share * epsilon)  # one coefficient's Laplace noise exceeds it with probability π
    X, y = np.ones((int(n), 1)), np.ones(int(n))
    fits = [float((X.T @ y - b)[0] / ((X.T @ X)[0, 0] + 2 * floor)) for b in (-norm, norm)]
    excess = max(0.5 * float(np.square(X[:, 0] * theta - y).sum()) for theta in fits)
    return norm**2 * (1 / (2 * floor) + floor), norm**2 / (2 * floor) + floor, excess


def napp_gaussian_norm(failure: float, p: float, spent: float, delta: float) -> Three:
    log = -np.log(failure)
    printed = np.sqrt(2 * p * log * (spent + np.log(2 / delta)) / (spent - np.log(delta)))
    return printed, np.sqrt(p + 2 * np.sqrt(p * log) + 2 * log), np.sqrt(stats.chi2.isf(failure, p))


def _two_rounds(strength: float, size: float, epsilon: float, share: float) -> Three:
    """(budget left after the first round, m of the first run, m of the second), noise −size pushing θ away from 0."""
    floor = 1 / (2 * (1 - share) * epsilon)

    def weight(noise: float, least: float) -> float:
        theta = min(noise + _SIGNAL - 2 * strength, strength / least)
        return strength / theta if theta < strength / least else least

    first = weight(size, floor)
    returned = (1 - share) * epsilon * (1 - floor / first)
    second = weight(size * share * epsilon / (share * epsilon + returned), first)
    return (1 - share) * epsilon - returned, first, second


def _recycled(strength: float, size: float, epsilon: float, share: float) -> float:
    """Budget left after the first round, less the 1/(2m) that the second run needs for its curvature, as in the app."""
    spent, rest = share * epsilon, (1 - share) * epsilon
    weighting = Weighting(Regularizer("lasso", strength), 1 / (2 * rest), "moor", printed=True)
    problem = Problem("squared", np.ones((1, 1)), np.array([_SIGNAL]), lam=0.0)
    ended = recycle(problem, weighting, np.array([-size]), rounds=1, noise_budget=spent, jacobian_budget=rest)
    return max(0.0, rest - ended.retrieved[0] - 1 / (2 * float(ended.settled.weights.min())))


def napp_algorithm2(strength: float, size: float, epsilon: float, share: float) -> Three:
    left, first, second = _two_rounds(strength, size, epsilon, share)
    old = max(first, second)  # the printed line 10 overwrites the old Λ₀ with the new curvature
    printed, corrected = (left * max(0.0, 1 - one / second) for one in (old, first))
    return printed, corrected, _recycled(strength, size, epsilon, share)


def _noise_level(p: float) -> float:
    """p log(p/π): the bound on the spherical Laplace noise of Theorem 8 at ζ = rε = 1, π = 0.05."""
    return float(p * np.log(p / 0.05))


def napp_thm8_order(p: float) -> Three:
    return 2.0, 4.0, (_noise_level(p * p) / (p * _noise_level(p))) ** 2


def napp_thm10(p: float, delta: float) -> Three:
    size = p * (1 + np.log(2 / delta)) * np.log(20)
    of_laplace = 2 * _noise_level(p) ** 2 / _noise_level(p) ** 2  # C over the bound on ‖b‖²
    return 4 * size, 8 * size, of_laplace * (4 * size)
