"""Numbers of the errata of the two lectures, and of the utility analysis of objective perturbation.

Each function returns the number as printed, as corrected, and computed without either, which is called “the third”.
"""

import numpy as np
from scipy import integrate, special
from scipy.optimize import linprog, minimize_scalar

from dpcore.errata.napp import noise_norm
from dpcore.errata.record import Three
from dpcore.glm import Problem, solve
from dpcore.glm.losses import find
from dpcore.glm.losses.clipped import Clipped

_X = np.array([[1.0, 0.2], [0.4, -0.9], [-0.3, 0.8], [0.7, 0.7]])  # rows of a small ridge regression
_Y = np.array([1.0, -0.5, 0.3, 0.8])  # and its targets
_ONE = np.array([[0.25, 0.5, 0.25], [0.5, 0.5, 0.0]])  # (P, Q); on ε ≥ 0 its curve is that of the pair `_OTHER`
_OTHER = np.array([[0.25, 0.75], [0.5, 0.5]])


def lec10_square(lam: float, lipschitz: float) -> Three:
    """The third: how far one record of a one-sided linear loss moves the minimiser, by search."""
    risk = lambda t: lipschitz * t + lam / 2 * t * t  # noqa: E731
    found = minimize_scalar(risk, bounds=(-2 * lipschitz / lam, 0.0), method="bounded", options={"xatol": 1e-12})
    return np.sqrt(lipschitz / lam), lipschitz / lam, abs(found.x)


def lec10_packing(n: float, epsilon: float) -> Three:
    each, bins = 0.9 * np.exp(-epsilon * n), round(np.exp(epsilon * n))
    return 0.9, (bins - 1) * each, np.full(bins - 1, each).sum()


def lec10_success(goal: float) -> Three:
    """The third: least probability of thresholds between six records that the error allows, a linear programme."""
    x, threshold = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]), np.linspace(-6, 6, 49)
    wrong = ((x >= threshold[:, None]) != (x > 0)).mean(axis=1)
    found = linprog(np.abs(threshold) <= 3, A_ub=[wrong], b_ub=[goal], A_eq=np.ones((1, 49)), b_eq=[1.0], bounds=(0, 1))
    return 2 * goal, 1 - 2 * goal, found.fun


def lec10_glm(d: float, kappa: float) -> Three:
    direction = np.full(int(d), 1 / np.sqrt(int(d)))
    bent = np.linalg.slogdet(np.eye(int(d)) + kappa * np.outer(direction, direction))[1]
    return d * np.log1p(kappa), np.log1p(kappa), bent


def lec10_bullet(sigma: float, lipschitz: float, delta: float) -> Three:
    tail, shift = np.sqrt(2 * np.log(2 / delta)), lipschitz / sigma
    return sigma * lipschitz * tail, shift * tail, -shift * special.ndtri(delta / 2)


def _normal_plane() -> tuple[np.ndarray, np.ndarray]:
    """Points in the plane, one a row, and weights of their mean under two standard normal axes, by Gauss–Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(6)
    points = np.stack(np.meshgrid(nodes, nodes), axis=-1).reshape(-1, 2)
    return points, np.multiply.outer(weights, weights).ravel() / weights.sum() ** 2


def lec10_output_theta(lam: float, scale: float) -> Three:
    best, closed = np.linalg.lstsq(_X, _Y, rcond=None)[0], np.linalg.solve(_X.T @ _X + lam * np.eye(2), _X.T @ _Y)
    points, weights = _normal_plane()
    released = solve(Problem("squared", _X, _Y, lam=lam), 1e-10).theta + scale * points
    noise = 2 * scale**2
    return noise, noise + np.sum((closed - best) ** 2), weights @ np.square(released - best).sum(axis=1)


def _least_error(pair: np.ndarray, z: float) -> float:
    """T(P‖Q)(z) = inf Q(S) over P(S) = 1 − z, randomised S, as a linear programme."""
    return float(linprog(pair[1], A_eq=pair[:1], b_eq=[1 - z], bounds=(0, 1)).fun)


def _curve_gap(least: float) -> float:
    """sup over e^ε ≥ `least` of δ(P‖Q) − δ(P′‖Q′), reached where a curve has a kink."""
    kinks = np.unique(np.concatenate([pair[1] / pair[0] for pair in (_ONE, _OTHER)]))
    prices = np.append(kinks[kinks > least], least)
    curves = [np.maximum(pair[1] - np.multiply.outer(prices, pair[0]), 0.0).sum(axis=-1) for pair in (_ONE, _OTHER)]
    return float(np.max(curves[0] - curves[1]))


def lec12_lemma1(z: float) -> Three:
    return _curve_gap(1.0), _curve_gap(0.0), _least_error(_OTHER, z) - _least_error(_ONE, z)


def lec12_khat(t: float) -> Three:
    """E_K̂ with the cap x_{n+1} ≤ E_K and without, and E_K + t, for f(x) = x on K = [0, 1]."""
    mass, moment = (integrate.quad(lambda x, p=p: x**p * np.exp(-x / t), 0, 1)[0] for p in (0, 1))
    mean = moment / mass

    def above(top: float) -> float:
        inner = lambda x, p: integrate.quad(lambda z: z**p * np.exp(-z / t), x, top)[0]  # noqa: E731
        mass, moment = (integrate.quad(inner, 0, min(1.0, top), args=(p,))[0] for p in (0, 1))
        return moment / mass

    return above(mean), above(60 * t + 1), mean + t


def lec12_nt(d: float, t: float) -> Three:
    return 1000 * t, d * t, noise_norm(d, 1 / t, 1)


def lec12_F(a: float) -> Three:
    normal = integrate.quad(lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi), -a, a)[0]
    return a**3 / 3, special.erf(a / np.sqrt(2)), normal


def lec12_origin(near: float, k: float) -> Three:
    """The third: E f − min f for f = −0.9ax under the density ∝ e^{−k(f + x²/2)} on [a, a + 1]."""
    weight = lambda t, power: t**power * np.exp(-k * (0.1 * near * t + t * t / 2))  # noqa: E731
    peak = min(0.5, 10 / (k * 0.1 * near + np.sqrt(k)))
    mass, moment = (integrate.quad(weight, 0, 1, args=(power,), points=[peak], epsabs=0)[0] for power in (0, 1))
    return 1 / k + 0.5, 1 / k + (near + 1) ** 2 / 2, 0.9 * near * (1 - moment / mass)


def objpert_fC(limit: float) -> Three:
    """Jump of the clipped squared loss ½u² at u_H = limit."""
    step, loss, y = 1e-9, Clipped(find("squared"), np.array(limit)), np.array(0.0)
    left, beyond = (limit - step) ** 2 / 2, limit * step
    own = float(loss.value(np.array(limit + step), y) - loss.value(np.array(limit - step), y))
    return beyond - left, limit**2 / 2 + beyond - left, own


def objpert_h2(constant: float, sigma: float, lam: float) -> Three:
    """With c ≤ f ≤ C for f = ½(u − y)² + constant on |u − y| ≤ 1; the third: refits of a noisy ridge regression."""
    hessian, problem = _X.T @ _X + lam * np.eye(2), Problem("squared", _X, _Y, lam=lam)
    points, weights = _normal_plane()
    refits = np.linalg.solve(hessian, (_X.T @ _Y - sigma * points).T).T
    excess = np.array([problem.value(theta) for theta in refits]) - problem.value(solve(problem, 1e-11).theta)
    size = sigma**2 * np.trace(np.linalg.inv(hessian))
    return (constant + 0.5) / constant**2 * size, 0.5 * size, float(weights @ excess)


def objpert_h1_rate(d: float) -> Three:
    """dσ²/(2λ) + (λ/2)‖θ*‖² at H.1's σ, λ (L = ε = ‖θ*‖ = log(1/δ) = 1), at the best choice, and least by search over λ."""
    bound = lambda sigma, lam: d * sigma**2 / (2 * lam) + lam / 2  # noqa: E731
    found = minimize_scalar(lambda log: bound(1.0, np.exp(log)), bounds=(-5, 10), method="bounded")
    return bound(np.sqrt(d), d), bound(1.0, np.sqrt(d)), found.fun
