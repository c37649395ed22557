"""Numbers of the errata of per-instance privacy: records, exposures, posterior samples and generalisation.

Each function returns the number as printed, as corrected, and computed without either, which is called “the third”.
"""

import numpy as np
from scipy import special, stats
from scipy.optimize import brentq, linprog

from dpcore.data import load_sample
from dpcore.errata.record import Three
from dpcore.individual import individual_privacy
from dpcore.mechanisms import Gaussian, PosteriorSampling
from dpcore.mechanisms.posterior_sampling import PosteriorSampleRecord
from dpcore.numerics import gauss_legendre

_X = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])  # the other rows of a small ridge regression
_Y = np.array([1.0, -1.0, 0.5])  # and their targets
_RECORD = np.array([0.6, -0.8])  # x of the record that joins them
# The other rows and labels of a one-dimensional logistic regression.
_LINE, _LABELS = np.array([1.0, 0.5, -0.8]), np.array([1.0, -1.0, 1.0])
_NODES = 40  # nodes of the integral of H between two fits


def _gaussian(shift: float, delta: float) -> tuple[float, float]:
    """(Δ²/2 + Δ√(2 log(1/δ)), which the privacy loss N(Δ²/2, Δ²) exceeds with probability at most δ; exact ε at δ)."""
    bound = shift**2 / 2 + shift * np.sqrt(2 * np.log(1 / delta))
    return bound, float(Gaussian(1.0, max(shift, 1e-12)).epsilon(delta))


def pdp_lemma4(gamma: float, distance: float, delta: float) -> Three:
    return gamma * distance * np.sqrt(np.log(1.25 / delta)), *_gaussian(np.sqrt(gamma) * distance, delta)


def pdp_fact5(epsilon: float, delta: float) -> Three:
    """The third: max log p/q over two laws that meet (ε, δ) and an event with p ≥ δ/ε, a linear programme in p/q and 1/q."""
    price = np.exp(epsilon)
    rows = [[1, -delta], [-price, -delta], [price, 1 - price - delta], [-1, 1 - price - delta]]
    # order: p − e^ε q, q − e^ε p, then (1−q) − e^ε (1−p) and (1−p) − e^ε (1−q), all ≤ δ and divided by q
    rows, limits = [*rows, [-1, delta / epsilon], [1, -1]], [price, -1.0, 1.0, -price, 0.0, 0.0]
    found = linprog([-1.0, 0.0], A_ub=rows, b_ub=limits, bounds=(0, None))
    return 2 * epsilon, epsilon - np.log1p(-epsilon), np.log(-found.fun)


def pdp_fact6(epsilon: float, delta: float) -> Three:
    """The third: max P₂(S) − e^ε P₀(S) over P₀, P₁ that are (0, δ)-close and P₁, P₂ that are (ε, 0)-close."""
    return delta, delta * np.exp(epsilon), _largest([np.exp(epsilon), 0, -1], [(0.0, delta), (epsilon, 0.0)])


def _largest(costs: list[float], steps: list[tuple[float, float]]) -> float:
    """−min of Σ cost·P_k(S) over an event S and laws P_k, each (ε, δ)-close to the next: a linear programme."""
    rows, limits = [], []
    for k, (epsilon, delta) in enumerate(steps):
        price = np.exp(epsilon)
        for one, other in ((k, k + 1), (k + 1, k)):
            for sign, free in ((1.0, 0.0), (-1.0, price - 1)):  # p ≤ e^ε q + δ for the event, and for its complement
                row = np.zeros(len(costs))
                row[one], row[other] = sign, -sign * price
                rows.append(row)
                limits.append(delta + free)
    return -float(linprog(costs, A_ub=np.array(rows), b_ub=limits, bounds=(0, 1)).fun)


def _fits(target: float, lam: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(H of the others, their ridge fit, the fit with the record)."""
    hessian, rows, values = _X.T @ _X + lam * np.eye(2), np.vstack([_X, _RECORD]), np.append(_Y, target)
    joined = np.linalg.solve(rows.T @ rows + lam * np.eye(2), rows.T @ values)
    return hessian, np.linalg.solve(hessian, _X.T @ _Y), joined


def pdp_eq3(gamma: float, target: float, lam: float, delta: float) -> Three:
    """From gᵀH⁻¹AH⁻¹g with A = I and g the record's gradient at the joint fit; the third from the two fits."""
    hessian, without, joined = _fits(target, lam)
    moved = np.linalg.solve(hessian, (_RECORD @ joined - target) * _RECORD)
    square = float(moved @ moved)
    bound, _ = _gaussian(np.sqrt(gamma * square), delta)
    _, exact = _gaussian(np.sqrt(gamma) * float(np.linalg.norm(without - joined)), delta)
    return np.sqrt(square * np.log(1.25 / delta)), bound, exact


def pdp_missing_y(target: float, lam: float) -> Three:
    """(∗∗) with the middle term as printed, with its y, and as the difference of two quadratic forms."""
    hessian, fit, joined = _fits(target, lam)
    mu, seen = float(_RECORD @ np.linalg.solve(hessian, _RECORD)), float(_RECORD @ fit)
    printed, corrected = ((-(seen**2) + 2 * y * seen + mu * target**2) / (1 + mu) for y in (1.0, target))
    return printed, corrected, (_Y @ _X + target * _RECORD) @ joined - _Y @ _X @ fit


def pdp_mu_swapped(length: float, lam: float) -> Three:
    hessian, record = _X.T @ _X + lam * np.eye(2), length * _RECORD
    joined = hessian + np.outer(record, record)
    inside, out = (float(record @ np.linalg.solve(one, record)) for one in (joined, hessian))
    return np.log1p(inside), np.log1p(out), np.linalg.slogdet(joined)[1] - np.linalg.slogdet(hessian)[1]


def pdp_lemma13(lam: float, x: float) -> Three:
    """Logistic regression with and without the record (x, 1): ∓[∫H]⁻¹∇ℓ(θ'; z) between the fits, and the difference."""

    def slope(theta: float, extra: float) -> float:
        others = -_LABELS * special.expit(-_LABELS * _LINE * theta) @ _LINE
        return float(others + lam * theta - extra * x * special.expit(-x * theta))

    without, joined = (brentq(slope, -100, 100, args=(extra,), xtol=1e-14) for extra in (0.0, 1.0))
    nodes, weights = gauss_legendre(_NODES)
    p = special.expit(np.multiply.outer(without + (joined - without) * nodes, _LINE))
    step = -x * special.expit(-x * joined) / (weights @ ((p * (1 - p)) @ _LINE**2 + lam))
    return -step, step, without - joined


def add_bound(mu: np.ndarray, r: np.ndarray, gamma: float | np.ndarray, delta: float, tail: float = 2.0) -> np.ndarray:
    """Eq. (7): ½|−log(1+μ) + γμr²/(1+μ)| + (t/2)μ log(2/δ) + |r|√(tγμ log(2/δ)); t = 2 corrected, t = 1 printed.

    Parameters
    ----------
    mu, r : leverage and residual of the record
    gamma : inverse temperature
    delta : in (0, 1)
    tail : t
    """
    log = np.log(2 / delta)
    centre = 0.5 * np.abs(-np.log1p(mu) + gamma * mu * r**2 / (1 + mu))
    return centre + tail / 2 * mu * log + np.abs(r) * np.sqrt(tail * gamma * mu * log)


def remove_bound(mu: np.ndarray, r: np.ndarray, gamma: float | np.ndarray, delta: float) -> np.ndarray:
    """Eq. (8), corrected, in terms of the out-of-sample μ and r."""
    inside, residual, log = mu / (1 + mu), r / (1 + mu), np.log(2 / delta)
    centre = 0.5 * (-np.log1p(-inside) + gamma * inside * residual**2 / (1 - inside))
    return centre + inside * log + np.abs(residual) * np.sqrt(2 * gamma * inside * log)


def pdp_thm14_tail(gamma: float, lam: float, delta: float) -> Three:
    """For the row of the diabetes data whose exact ε exceeds the printed bound by the largest factor."""
    data = load_sample("diabetes")
    exact = individual_privacy(data, PosteriorSampling(gamma, lam), delta=delta).epsilon
    X, y = data.X, data.y
    inverse = np.linalg.inv(X.T @ X + lam * np.eye(X.shape[1]))
    inside = np.einsum("ij,jk,ik->i", X, inverse, X)
    mu, r = inside / (1 - inside), (y - X @ (inverse @ (X.T @ y))) / (1 - inside)
    printed = add_bound(mu, r, gamma, delta, tail=1.0)
    corrected = np.maximum(add_bound(mu, r, gamma, delta), remove_bound(mu, r, gamma, delta))
    worst = int(np.argmax(exact / printed))
    return printed[worst], corrected[worst], exact[worst]


def pdp_eq8_sign(gamma: float, mu: float, r: float) -> Three:
    """The third: log p'/p of s at s = r', from the two normal densities."""
    log, square = -np.log1p(-mu), gamma * mu * r**2 / (1 - mu)
    inside = stats.norm.logpdf(r, r, np.sqrt(mu / gamma))
    out = stats.norm.logpdf(r, r / (1 - mu), np.sqrt(mu / (1 - mu) / gamma))
    return 0.5 * abs(log - square), 0.5 * (log + square), inside - out


def _record_epsilon(mu: float, gamma: float, r: float, delta: float) -> float:
    return float(PosteriorSampleRecord(mu, np.sqrt(gamma) * r).epsilon(delta))


def pdp_thm14_equal(mu: float, gamma: float, r: float, delta: float) -> Three:
    one, other = (float(bound(np.asarray(mu), np.asarray(r), gamma, delta)) for bound in (remove_bound, add_bound))
    return one, max(one, other), _record_epsilon(mu, gamma, r, delta)


def pdp_remark15(mu: float, gamma: float, r: float, delta: float) -> Three:
    log = np.log(2 / delta)

    def remark(tail: float, seen: float) -> float:
        bend = mu / 2 * (1 + tail * log) + 0.5 * gamma * min(mu, 1.0) * seen**2
        return float(bend + seen * np.sqrt(tail * gamma * mu * log))

    return remark(1.0, r / (1 + mu)), remark(2.0, r), _record_epsilon(mu, gamma, r, delta)


def _answer_delta(advantage: float, epsilon: float) -> float:
    """δ(ε) between a fair coin and one that shows the record's sign with probability ½ + advantage, both directions."""
    coin, law = np.array([0.5, 0.5]), np.array([0.5 + advantage, 0.5 - advantage])
    return max(float(np.maximum(p - np.exp(epsilon) * q, 0).sum()) for p, q in ((coin, law), (law, coin)))


def _cross_domain_gap(advantage: float, rare: float) -> float:
    """Gen of Definition 10, outcome by outcome, for one record: D is −1 with probability `rare`, D′ always, ℓ(θ, z) = 1[θ ≠ z]."""
    signs = (-1.0, 1.0)
    base, target = {-1.0: rare, 1.0: 1 - rare}, {-1.0: 1.0, 1.0: 0.0}
    gap = 0.0
    for record in signs:
        for theta in signs:
            chance = base[record] * (0.5 + advantage * (1 if theta == record else -1))
            weighted = target[record] / base[record] * (theta != record)
            gap += chance * (weighted - sum(target[z] * (theta != z) for z in signs))
    return abs(gap)


def pdp_prop11(advantage: float, epsilon: float, rare: float) -> Three:
    delta = _answer_delta(advantage, epsilon)
    printed, corrected = (np.expm1(2 * epsilon) + delta + factor * delta for factor in (epsilon, np.exp(epsilon)))
    return printed, corrected, _cross_domain_gap(advantage, rare)


def pdp_cor12(epsilon: float, delta: float) -> Three:
    """The third: max P'[S] − P''[S] over laws P', P, P'' of which each neighbouring two meet (ε, δ)."""
    return 2 * delta, np.expm1(2 * epsilon) + 2 * delta, _largest([-1.0, 0.0, 1.0], [(epsilon, delta)] * 2)


def pdp_lemma19(slope: float) -> Three:
    """(XᵀX)⁻¹(Xy or Xᵀy) for a square X, first coefficient, and least squares."""
    X, y = np.array([[1.0, slope], [0.0, 1.0]]), np.array([1.0, 0.5])
    printed, corrected = (np.linalg.solve(X.T @ X, side @ y)[0] for side in (X, X.T))
    return printed, corrected, np.linalg.lstsq(X, y, rcond=None)[0][0]


def pdp_lemma20(size: float) -> Three:
    V = size * np.array([[1.0, 0.5], [0.5, 1.0]])
    inverse = np.linalg.inv(np.eye(2) + V)
    return 1 - inverse[0, 0], 1 - (inverse @ V)[0, 0], inverse[0, 0]


def pdp_eq5(target: float, sigma: float) -> Three:
    """The third: mean over z ~ N(0, σ²) of the root of d/dθ [(target − θ)² + zθ], by Gauss–Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(8)
    roots = [brentq(lambda t, z=z: 2 * (t - target) + sigma * z, -1e3, 1e3, xtol=1e-13) for z in nodes]
    return 0.0, target, weights @ roots / weights.sum()
