"""The number of an erratum a second way, where its corrected number is only a bound; no code of `dpcore.errata`."""

from __future__ import annotations

import math
from functools import cache

import mpmath as mp
import numpy as np
from scipy import optimize, stats

import dpcore as dp
from tests.individual.oracles import refit_without

FOUR = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [0.6, -0.8]])  # rows of two data sets that records speak of


def gaussian_delta(epsilon: float, shift: float) -> float:
    with mp.workdps(30):
        cdf = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2  # noqa: E731
        return float(cdf(shift / 2 - epsilon / shift) - mp.exp(epsilon) * cdf(-shift / 2 - epsilon / shift))


def gaussian_epsilon(shift: float, delta: float) -> float:
    return optimize.brentq(lambda e: math.log(max(gaussian_delta(e, shift), 1e-25) / delta), 1e-9, 60, xtol=1e-12)


def loss_variable_delta(epsilon: float, shift: float, kappa: float) -> float:
    """E[1 − e^{ε−ω}]₊ with 30 digits."""
    with mp.workdps(30):
        start = -mp.log(1 - mp.mpf(kappa)) + mp.mpf(shift) ** 2 / 2
        low = max(mp.mpf(0), epsilon - start)
        density = lambda s: 2 * mp.npdf(s, 0, shift) * (1 - mp.exp(epsilon - start - s))  # noqa: E731
        return float(mp.quad(density, [low, low + shift, low + 5 * shift, low + 20 * shift]))


def eq3(gamma: float, target: float, lam: float, delta: float) -> float:
    X, x, y = FOUR, FOUR[3], np.array([1.0, -1.0, 0.5, target])
    joint = np.linalg.inv(X.T @ X + lam * np.eye(2))
    leverage = x @ joint @ x
    residual = (target - x @ joint @ X.T @ y) / (1 - leverage)  # leave-one-out
    return gaussian_epsilon(math.sqrt(gamma) * abs(residual) * np.linalg.norm(joint @ x), delta)


def four_phis(mu: float, r: float, gamma: float, epsilon: float) -> float:
    """max δ of one posterior sample's record, from the closed form in four Φ's."""
    out, inside = (r, math.sqrt(mu / gamma)), (r / (1 + mu), math.sqrt(mu / (1 + mu) / gamma))

    def beyond(c: float, law: tuple[float, float]) -> float:
        return stats.norm.cdf(-c, *law) + stats.norm.sf(c, *law)

    centre = math.log(1 + mu) / gamma + r * r / (1 + mu)
    c = math.sqrt(2 * epsilon / gamma + centre)
    add = beyond(c, out) - math.exp(epsilon) * beyond(c, inside)
    square = centre - 2 * epsilon / gamma
    if square <= 0:
        return add
    c = math.sqrt(square)
    return max(add, 1 - beyond(c, inside) - math.exp(epsilon) * (1 - beyond(c, out)))


@cache
def diabetes(gamma: float, lam: float, delta: float) -> float:
    """Exact ε of the diabetes row with the largest exact-to-printed ratio, one refit per row."""
    data = dp.load_sample("diabetes")
    best = (0.0, 0.0)
    for row in range(data.n_samples):
        refit = refit_without(data.X, data.y, lam, row)
        mu, r, log = refit.mu, refit.r, math.log(2 / delta)
        printed = 0.5 * abs(-math.log1p(mu) + gamma * mu * r * r / (1 + mu)) + mu / 2 * log
        printed += abs(r) * math.sqrt(gamma * mu * log)
        if four_phis(mu, abs(r), gamma, printed * best[0]) <= delta:
            continue
        exact = optimize.brentq(lambda e: four_phis(mu, abs(r), gamma, e) - delta, 0, 50, xtol=1e-10)  # noqa: B023
        best = max(best, (exact / printed, exact))
    return best[1]


def prop16(gamma: float, lam: float, n: float, delta: float) -> float:
    """Worst ε at δ, over equal rows of every length and records of every length, on a grid."""
    worst = 0.0
    for tau in np.linspace(0, 1, 60):
        for length in np.linspace(0.05, 1, 40):
            hessian = lam + n * tau * tau
            record = (length**2 / hessian, 1 + length * n * tau / hessian, gamma)
            if four_phis(*record, worst) > delta:
                worst = optimize.brentq(lambda e: four_phis(*record, e) - delta, worst, 300, xtol=1e-9)  # noqa: B023
    return worst


def adaops_noise(epsilon: float, delta: float) -> float:
    return optimize.brentq(lambda scale: gaussian_delta(epsilon / 2, 1 / scale) - delta / 2, 0.3, 300, xtol=1e-10)


def excess_ridge(constant: float, sigma: float, lam: float) -> float:
    X = np.array([[1.0, 0.2], [0.4, -0.9], [-0.3, 0.8], [0.7, 0.7]])
    return 0.5 * sigma**2 * float(np.sum(1 / (np.linalg.svd(X)[1] ** 2 + lam)))


def noise_law(
    bins: np.ndarray, rate: float, floor: float, strength: float, target: float | None, *, moor: bool
) -> np.ndarray:
    """Probabilities of θ in bins from the noise's distribution function at the subgradient's ends (right sides)."""
    slope = np.zeros_like(bins) if target is None else np.clip(bins - target, -1, 1)
    bend = 2 * floor * np.abs(bins)
    penalty = np.maximum(2 * strength, bend) if moor else bend + 2 * strength
    force = slope + penalty * np.where(bins >= 0, 1, -1)  # −b at which θ is the edge of a bin
    return np.diff(stats.laplace.cdf(force, scale=1 / rate))


def binned_delta(strength: float, epsilon: float, share: float, target: float, kind: str) -> float:
    """Σ [P'(bin) − e^{ε(bin)} P(bin)]₊ over bins of θ, the atom at 0 among them."""
    rate, floor = share * epsilon, 1 / (2 * (1 - share) * epsilon)
    edge = strength / floor
    side = np.unique(np.concatenate([np.linspace(1e-12, 3, 60_001), np.linspace(3, 40 / rate, 5_001), [edge]]))
    bins = np.concatenate([-side[::-1], side])
    present = noise_law(bins, rate, floor, strength, target, moor=kind == "moor")
    absent = noise_law(bins, rate, floor, strength, None, moor=kind == "moor")
    middle = np.abs(bins[:-1] + bins[1:]) / 2
    spent = np.full_like(middle, epsilon)
    if kind == "retrieval":
        spent = epsilon - (1 - share) * epsilon * strength / (strength + floor * middle)
    if kind == "moor":  # only outcomes the empty data set cannot give
        return float(present[(absent < 1e-15) & (middle > 1e-9)].sum())
    return float(np.maximum(present - np.exp(spent) * absent, 0).sum())


def vs_plus(strength: float, epsilon: float, share: float, target: float) -> float:
    """Share of 400 000 noise draws for which the record's lasso is not 0."""
    b = stats.expon.rvs(scale=1 / (share * epsilon), size=400_000, random_state=3)
    return float(np.mean(target > b + 2 * strength))


def lasso_excess(step: float, strength: float, floor: float, noise: float) -> float:
    theta = (2 - noise) / (1 + 2 * floor)
    for _ in range(int(step) - 1):
        theta = (2 - noise) / (1 + 2 * max(strength / theta, floor))
    best = 2 - strength
    return 0.5 * (theta - 2) ** 2 + strength * theta - 0.5 * strength**2 - strength * best


def ridge_excess(epsilon: float, share: float, n: float, failure: float) -> float:
    floor, norm = 0.5 / (1 - share) / epsilon, -math.log(failure) / share / epsilon
    return n / 2 * ((norm + 2 * floor) / (n + 2 * floor)) ** 2


def normal_norm(failure: float, p: float) -> float:
    """Quantile of the norm of a standard normal vector, from the incomplete gamma function."""
    upper = lambda x: mp.gammainc(p / mp.mpf(2), mp.mpf(x) ** 2 / 2, mp.inf, regularized=True) - failure  # noqa: E731
    return optimize.brentq(lambda x: float(upper(x)), 1e-9, 40, xtol=1e-12)


def likeliest_odds(epsilon: float, delta: float) -> float:
    """The ratio falls with p, so that p = δ/ε with the least q that the event and its complement allow."""
    p = delta / epsilon
    return math.log(p / max((p - delta) * math.exp(-epsilon), 1 - delta - math.exp(epsilon) * (1 - p)))


def far_excess(near: float, k: float) -> float:
    """The mean of a normal law cut to an interval, from its densities and its mass at the ends, with 30 digits."""
    with mp.workdps(30):
        centre, width = mp.mpf(0.9) * near, 1 / mp.sqrt(k)
        low, high = (near - centre) / width, (near + 1 - centre) / width
        mass = (mp.erfc(low / mp.sqrt(2)) - mp.erfc(high / mp.sqrt(2))) / 2
        mean = centre + width * (mp.npdf(low) - mp.npdf(high)) / mass
        return float(centre * (near + 1 - mean))


def trade_off_gap(z: float) -> float:
    """Neyman and Pearson: outcomes enter the test in the order of Q/P, the last one in part."""

    def least(outcomes: list[tuple[float, float]]) -> float:
        left, total = 1 - z, 0.0
        for p, q in sorted(outcomes, key=lambda one: one[1] / one[0]):
            part = min(1.0, left / p)
            left, total = left - part * p, total + part * q
        return total

    return least([(0.25, 0.5), (0.75, 0.5)]) - least([(0.25, 0.5), (0.5, 0.5), (0.25, 0.0)])


def stopped_distance(lam: float, d: float, rho: float) -> float:
    """Mean of the noncentral χ law by Laguerre's function."""
    return float(mp.sqrt(mp.pi / rho) * mp.laguerre(0.5, mp.mpf(d) / 2 - 1, -mp.mpf(rho) / 4)) / lam


def closed(formula):  # the parameters are passed by name; a closed form picks what it needs
    return lambda **p: formula(p)


def told_apart(log_p, log_q, x) -> float:
    """ε at δ = 10⁻⁵ of two laws, from their densities on a fine grid."""

    def gap(epsilon: float) -> float:
        weight = np.exp(epsilon + np.minimum(log_q - log_p, 700 - epsilon))
        forward = np.trapezoid(np.exp(log_p) * np.maximum(1 - weight, 0), x)
        weight = np.exp(epsilon + np.minimum(log_p - log_q, 700 - epsilon))
        return max(forward, np.trapezoid(np.exp(log_q) * np.maximum(1 - weight, 0), x)) - 1e-5

    return optimize.brentq(gap, 0, 600) if gap(0.0) > 0 else 0.0


def batch_told_apart(p: float, batch: float, sigma: float) -> float:
    """By the log of the length of the noise, which is a normal vector over b − 1 or over b."""
    laws = [stats.loggamma(p / 2, loc=math.log(2 / size**2)) for size in (batch - 1, batch)]
    ends = [law.ppf(q) for law in laws for q in (1e-12, 1 - 1e-12)]
    x = np.linspace(min(ends) - 1, max(ends) + 1, 400_001)
    return told_apart(*(law.logpdf(x) for law in laws), x)


def mean_told_apart(n: float, sigma: float) -> float:
    laws = [stats.norm(1, sigma / (n - 1)), stats.norm((n - 2) / n, sigma / n)]
    x = np.linspace(-10, 10, 400_001) * sigma / (n - 1) + 1
    return told_apart(*(law.logpdf(x) for law in laws), x)


def told_apart_by_theta(n: float, alpha: float, epsilon: float) -> float:
    """Largest log ratio of the probabilities that θ lies in a short interval, with a record of |x| = 1 and without it."""
    noise = stats.laplace(scale=2 * n / (epsilon - 2 * math.log(1 + 0.25 / alpha)))
    theta = np.linspace(-8, 8, 3201)
    gradients = [alpha * theta - x / (1 + np.exp(x * theta)) for x in (0, 1, -1)]
    short = [np.log(np.diff(noise.cdf(one))) for one in gradients]
    return max(float(np.abs(short[1] - other).max()) for other in (short[0], short[2]))


COMPUTED = {
    "pdp-lemma24": closed(lambda p: 0.5 - p["delta"] * math.exp(p["t"])),
    "napp-thm8-order": closed(lambda p: (math.log(20 * p["p"] ** 2) / math.log(20 * p["p"])) ** 2),
    "napp-thm10": closed(lambda p: 8 * p["p"] * (1 + math.log(2 / p["delta"])) * math.log(20)),
    "objpert-sag": closed(lambda p: 2 * p["lipschitz"]),
    "objpert-g-noise": closed(lambda p: 2 * (p["gamma"] / p["lam"]) ** 2 / p["rho"]),
    "objpert-g-risk": stopped_distance,
    "objpert-j15": closed(lambda p: 1 / (1 - p["t"])),
    "lec12-lemma1": trade_off_gap,
    "pdp-fact5": likeliest_odds,
    "pdp-fact6": closed(lambda p: min(math.exp(p["epsilon"]) * p["delta"], p["delta"] + 1 - math.exp(-p["epsilon"]))),
    "napp-zeta": closed(lambda p: p["share"] * p["epsilon"] / p["length"]),
    "napp-claims": lambda **p: binned_delta(**p, kind="moor"),
    "napp-claims-vs-plus": vs_plus,
    "napp-claims-retrieval": lambda **p: binned_delta(**p, kind="retrieval"),
    "napp-lemma7": lasso_excess,
    "napp-thm8": ridge_excess,
    "napp-gaussian-norm": lambda **p: normal_norm(p["failure"], p["p"]),
    "pdp-prop11": closed(lambda p: 2 * p["advantage"] * (1 - p["rare"])),
    "pdp-cor12": closed(lambda p: 1 - (1 - 2 * p["delta"]) * math.exp(-p["epsilon"])),
    "napp-delta": closed(lambda p: optimize.brentq(lambda s: gaussian_delta(p["epsilon"], 1 / s) - 1e-4, 0.05, 200)),
    "pdp-lemma4": closed(lambda p: gaussian_epsilon(math.sqrt(p["gamma"]) * p["distance"], p["delta"])),
    "pdp-eq3": eq3,
    "pdp-thm14-tail": diabetes,
    "pdp-thm14-equal": closed(lambda p: optimize.brentq(lambda e: four_phis(p["mu"], p["r"], p["gamma"], e) - p["delta"], 0, 300)),
    "pdp-remark15": closed(lambda p: optimize.brentq(lambda e: four_phis(p["mu"], p["r"], p["gamma"], e) - p["delta"], 0, 300)),
    "pdp-prop16-dp": prop16,
    "adaops-noise": adaops_noise,
    "adaops-confidence": closed(lambda p: stats.norm.isf(p["delta"] / 2) * 2 * math.sqrt(2 * math.log(2.5 / p["delta"])) / p["epsilon"]),
    "adaops-15": closed(lambda p: 1 + math.sqrt(p["kappa"])),
    "adaops-delta": closed(lambda p: 1.5),
    "objpert-31-threshold": loss_variable_delta,
    "objpert-32-alpha1": closed(lambda p: p["shift"] * math.sqrt(2 / math.pi)),
    "objpert-det-loose": closed(lambda p: math.log(1 + p["kappa"])),
    "objpert-linearised": closed(lambda p: p["order"] * p["shift"] ** 2 / 2),
    "lec10-square": closed(lambda p: p["lipschitz"] / p["lam"]),
    "lec10-glm": closed(lambda p: math.log(1 + p["kappa"])),
    "lec10-bullet": closed(lambda p: p["lipschitz"] / p["sigma"] * stats.norm.isf(p["delta"] / 2)),
    "lec12-origin": far_excess,
    "objpert-h2": excess_ridge,
    "objpert-h1-rate": closed(lambda p: math.sqrt(p["d"])),
    "lib-opacus-floor": batch_told_apart,
    "lib-opacus-mean": mean_told_apart,
    "lib-diffprivlib-square": closed(lambda p: p["epsilon"] * (max(p["high"], p["low"]) / p["low"]) ** 2),
    "lib-diffprivlib-scale": told_apart_by_theta,
}  # fmt: skip
TOLERANCE = {
    "napp-claims": 1e-6, "napp-claims-vs-plus": 0.03, "napp-claims-retrieval": 1e-3,
    "pdp-prop16-eff": 0.01, "pdp-prop16-dp": 0.02,
    "objpert-32-alpha1": 1e-3, "napp-bern": 1e-3, "lec10-square": 1e-6,
    "napp-ey0": 1e-3, "napp-ey1": 1e-4, "napp-hinge": 1e-3, "napp-realised-square": 1e-3,
    "objpert-h1-rate": 1e-6, "adaops-15": 1e-4,
    "lib-opacus-floor": 1e-4, "lib-opacus-mean": 1e-4, "lib-diffprivlib-scale": 1e-4,
}  # fmt: skip
