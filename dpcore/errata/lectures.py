"""Errata of the two lectures, and of the utility analysis of objective perturbation."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import integrate, special
from scipy.optimize import linprog, minimize_scalar

from dpcore.errata.record import DELTA_PARAMETER, Erratum, Kind
from dpcore.glm import Problem, solve
from dpcore.glm.losses import find
from dpcore.glm.losses.clipped import Clipped
from dpcore.mechanisms import Parameter

_TEN, _TWELVE, _PAPER = "lecture-10", "lecture-12", "redberg-koskela-wang-2023"
_LAMBDA = Parameter("lam", "λ", "Regularisation λ", 0.5, 0.01, 10.0)
_LIPSCHITZ = Parameter("lipschitz", "L", "Lipschitz constant L", 2.0, 0.1, 10.0)
_D = Parameter("d", "d", "Dimension d", 5, 1, 20, "integer")
_X = np.array([[1.0, 0.2], [0.4, -0.9], [-0.3, 0.8], [0.7, 0.7]])
_Y = np.array([1.0, -0.5, 0.3, 0.8])


def _moved(lam: float, lipschitz: float) -> float:
    """How far one record of a one-sided linear loss moves the minimiser, by search."""
    found = minimize_scalar(lambda t: lipschitz * t + lam / 2 * t * t, bounds=(-2 * lipschitz / lam, 0.0), method="bounded",
                            options={"xatol": 1e-12})  # fmt: skip
    return abs(float(found.x))


def _packing(epsilon: float, n: float, bins: float) -> float:
    """Σ_{i=2}^{k} e^{−εn}·0.9, summed term by term."""
    return float(np.full(round(bins) - 1, 0.9 * np.exp(-epsilon * n)).sum())


def _least_hit(goal: float) -> float:
    """Least probability of thresholds between six records that an error of at most `goal` allows: a linear programme."""
    x, threshold = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]), np.linspace(-6, 6, 49)
    wrong = ((x >= threshold[:, None]) != (x > 0)).mean(axis=1)
    found = linprog(np.abs(threshold) <= 3, A_ub=[wrong], b_ub=[goal], A_eq=np.ones((1, 49)), b_eq=[1.0], bounds=(0, 1))
    return float(found.fun)


def _rank_one_log_determinant(kappa: float, d: float) -> float:
    d = int(d)
    direction = np.full(d, 1 / np.sqrt(d))
    return float(np.linalg.slogdet(np.eye(d) + kappa * np.outer(direction, direction))[1])


def _ridge(lam: float, scale: float) -> tuple[float, float]:
    """(E‖noise‖², E‖θᴾ − θ*‖²) for output noise of this scale per coefficient."""
    best = np.linalg.solve(_X.T @ _X, _X.T @ _Y)
    shrunk = np.linalg.solve(_X.T @ _X + lam * np.eye(2), _X.T @ _Y)
    return 2 * scale**2, 2 * scale**2 + float(np.sum((shrunk - best) ** 2))


def _distance(lam: float, scale: float) -> float:
    """E‖θᴾ − θ*‖² over both axes of the noise by Gauss–Hermite, around the app's own fit."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(6)
    best = np.linalg.lstsq(_X, _Y, rcond=None)[0]
    shrunk = solve(Problem("squared", _X, _Y, lam=lam), 1e-10).theta
    noise = scale * np.stack(np.meshgrid(nodes, nodes), axis=-1)
    return float(
        (np.multiply.outer(weights, weights) * np.square(shrunk + noise - best).sum(axis=-1)).sum() / weights.sum() ** 2
    )


def _radial_mean(d: float, t: float) -> float:
    """E‖x‖ under the density ∝ e^{−‖x‖/t} in d dimensions, by quadrature over the radius."""
    weight = lambda r, power: np.exp(power * np.log(r) - r / t) if r > 0 else 0.0  # noqa: E731
    top = t * (d + 40 * np.sqrt(d) + 40)
    peak = [t * d]
    upper = integrate.quad(weight, 0, top, args=(d,), points=peak, limit=300)[0]
    return float(upper / integrate.quad(weight, 0, top, args=(d - 1,), points=peak, limit=300)[0])


def _epigraph(t: float, *, capped: bool) -> tuple[float, float]:
    """(E_K, E_K̂) for f(x) = x on K = [0, 1]; x_{n+1} ≤ E_K if capped, else unbounded above."""
    inner = lambda x: x * np.exp(-x / t)  # noqa: E731
    mean = integrate.quad(inner, 0, 1)[0] / integrate.quad(lambda x: np.exp(-x / t), 0, 1)[0]
    top = mean if capped else 60 * t + 1
    reach = min(1.0, top)
    above = lambda x, power: integrate.quad(lambda z: z**power * np.exp(-z / t), x, top)[0]  # noqa: E731
    return mean, integrate.quad(lambda x: above(x, 1), 0, reach)[0] / integrate.quad(lambda x: above(x, 0), 0, reach)[0]


_ONE = np.array([[0.25, 0.5, 0.25], [0.5, 0.5, 0.0]])  # (P, Q), whose curve on ε ≥ 0 is that of the next pair
_OTHER = np.array([[0.25, 0.75], [0.5, 0.5]])


def _least_error(pair: np.ndarray, z: float) -> float:
    """T(P‖Q)(z) = inf Q(S) over P(S) = 1 − z, randomised S, as a linear programme."""
    found = linprog(pair[1], A_eq=pair[:1], b_eq=[1 - z], bounds=(0, 1))
    return float(found.fun)


def _curve_gap(least: float) -> float:
    """sup over e^ε ≥ `least` of δ(P‖Q) − δ(P′‖Q′), reached where a curve has a kink."""
    kinks = np.unique(np.concatenate([pair[1] / pair[0] for pair in (_ONE, _OTHER)]))
    prices = np.append(kinks[kinks > least], least)
    curves = [np.maximum(pair[1] - np.multiply.outer(prices, pair[0]), 0.0).sum(axis=-1) for pair in (_ONE, _OTHER)]
    return float(np.max(curves[0] - curves[1]))


def _far_excess(near: float, k: float) -> float:
    """E f − min f for f = −0.9ax under the density ∝ e^{−k(f + x²/2)} on [a, a + 1]."""
    weight = lambda t, power: t**power * np.exp(-k * (0.1 * near * t + t * t / 2))  # noqa: E731
    peak = min(0.5, 10 / (k * 0.1 * near + np.sqrt(k)))
    mass, moment = (integrate.quad(weight, 0, 1, args=(power,), points=[peak], epsabs=0)[0] for power in (0, 1))
    mean = moment / mass
    return float(0.9 * near * (1 - mean))


def _clipped_jump(limit: float, *, printed: bool) -> float:
    """Jump of the clipped squared loss ½u² at u_H = limit."""
    step = 1e-9
    right = limit * step if printed else limit**2 / 2 + limit * step
    return right - (limit - step) ** 2 / 2


def _library_jump(limit: float) -> float:
    loss, y = Clipped(find("squared"), np.array(limit)), np.array(0.0)
    return float(loss.value(np.array(limit + 1e-9), y) - loss.value(np.array(limit - 1e-9), y))


@lru_cache(maxsize=64)
def _excess(sigma: float, lam: float) -> float:
    """E J(θᴾ) − J(θ*) of a noisy ridge regression, averaged over the two axes of the noise by Gauss–Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(6)
    weights = weights / weights.sum()
    problem = Problem("squared", _X, _Y, lam=lam)
    least = problem.value(solve(problem, 1e-11).theta)
    hessian = _X.T @ _X + lam * np.eye(2)
    total = 0.0
    for a, wa in zip(nodes, weights, strict=True):
        for b, wb in zip(nodes, weights, strict=True):
            theta = np.linalg.solve(hessian, _X.T @ _Y - sigma * np.array([a, b]))
            total += wa * wb * (problem.value(theta) - least)
    return total


def _h2(sigma: float, lam: float, constant: float, *, printed: bool) -> float:
    if printed:  # c ≤ f ≤ C with f = ½(u − y)² + constant on |u − y| ≤ 1
        c, high = constant, constant + 0.5
        return high / c**2 * sigma**2 * float(np.trace(np.linalg.inv(_X.T @ _X + lam * np.eye(2))))
    return 0.5 * sigma**2 * float(np.trace(np.linalg.inv(_X.T @ _X + lam * np.eye(2))))


def _rate(d: float, *, printed: bool) -> float:
    """dσ²/(2λ) + (λ/2)‖θ*‖² at H.1's σ, λ (L = ε = ‖θ*‖ = log(1/δ) = 1), or at the best choice."""
    sigma, lam = (np.sqrt(d), d) if printed else (1.0, np.sqrt(d))
    return float(d * sigma**2 / (2 * lam) + lam / 2)


def _best_rate(d: float) -> float:
    found = minimize_scalar(lambda log: d / (2 * np.exp(log)) + np.exp(log) / 2, bounds=(-5, 10), method="bounded")
    return float(found.fun)


RECORDS = (
    Erratum(
        "lec10-square", _TEN, "sensitivity of output perturbation",
        r"\|\theta-\tilde\theta\|^2\le\tfrac L\lambda", r"\|\theta-\tilde\theta\|\le\tfrac L\lambda",
        "Noise calibrated to √(L/λ) is too small as soon as λ < L.",
        "largest move of the minimiser", "search on a one-sided linear loss, which attains it",
        (_LAMBDA, _LIPSCHITZ),
        lambda lam, lipschitz: np.sqrt(lipschitz / lam), lambda lam, lipschitz: lipschitz / lam, _moved,
        "Printed at most {printed}; a record moves it by {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "lec10-packing", _TEN, "Eq. (3)",
        r"\sum_{i=2}^{k}e^{-\epsilon n}\cdot0.9=k\,e^{-\epsilon n}\cdot0.9=0.9",
        r"\sum_{i=2}^{k}e^{-\epsilon n}\cdot0.9=\tfrac{k-1}k\cdot0.9",
        "The sum has k − 1 terms. Each is known to be 0.1 exp(−εn), not 0.9 exp(−εn): the contradiction needs k > 9 exp(εn) + 1.",
        "the sum at k = exp(εn)", "adding its terms",
        (
            Parameter("n", "n", "Number of records n", 3, 1, 12, "integer"),
            Parameter("epsilon", "ε", "Privacy loss ε", 0.5, 0.1, 1.0),
        ),
        lambda n, epsilon: 0.9, lambda n, epsilon: 0.9 * (round(np.exp(epsilon * n)) - 1) * np.exp(-epsilon * n),
        lambda n, epsilon: _packing(epsilon, n, np.exp(epsilon * n)),
        "Printed {printed}, summed {computed}.",
    ),
    Erratum(
        "lec10-success", _TEN, "packing bound, “P > 0.9”",
        r"\mathbb{E}\,\text{error}\le0.45\ \Rightarrow\ P(I_i)>2\cdot0.45=0.9",
        r"\mathbb{E}\,\text{error}\le g\ \Rightarrow\ P(I_i)\ge1-2g",
        "A threshold outside of the right interval I_i errs on half of the records, not on all. So the lecture's goal needs "
        "k > 9 exp(εn) + 1 bins: with its k = exp(εn), if that is 9 or less, a bin drawn at random has an error below 0.45.",
        "least probability of the right interval", "a linear programme over thresholds",
        (Parameter("goal", "g", "Error g", 0.45, 0.05, 0.49, "linear"),),
        lambda goal: 2 * goal, lambda goal: 1 - 2 * goal, _least_hit,
        "Printed {printed}; an error this small needs {computed}.",
    ),
    Erratum(
        "lec10-glm", _TEN, "objective perturbation bound",
        r"d\,\log(1+\tfrac\beta\lambda)", r"\log(1+\tfrac\beta\lambda)\quad\text{for a GLM}",
        "One record of a GLM bends the objective in one direction only.",
        "log det of the Hessian's change", "a determinant in d dimensions",
        (_D, Parameter("kappa", "β/λ", "Curvature over regularisation, β/λ", 0.5, 0.01, 10.0)),
        lambda d, kappa: d * np.log1p(kappa), lambda d, kappa: np.log1p(kappa),
        lambda d, kappa: _rank_one_log_determinant(kappa, d),
        "Printed {printed}, the determinant gives {computed}.", kind=Kind.LOOSE,
    ),
    Erratum(
        "lec10-bullet", _TEN, "last bullet on objective perturbation",
        r"\nabla\ell'b\le\sigma L\sqrt{2\log(2/\delta)}", r"\tfrac{\nabla\ell'b}{\sigma^2}\le\tfrac L\sigma\sqrt{2\log(2/\delta)}",
        "The printed term grows with the noise, as if noise hurt privacy; and b depends on θ unless the loss is a GLM.",
        "random term of the privacy loss", "the exact normal quantile",
        (Parameter("sigma", "σ", "Noise σ", 0.5, 0.1, 30.0), _LIPSCHITZ, DELTA_PARAMETER),
        lambda sigma, lipschitz, delta: sigma * lipschitz * np.sqrt(2 * np.log(2 / delta)),
        lambda sigma, lipschitz, delta: lipschitz / sigma * np.sqrt(2 * np.log(2 / delta)),
        lambda sigma, lipschitz, delta: -lipschitz / sigma * special.ndtri(delta / 2),
        "Printed {printed}; the quantile is {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "lec10-output-theta", _TEN, "utility of output perturbation",
        r"\|\theta^P-\theta^*\|^2", r"\|\theta^P-\theta^*_\lambda\|^2",
        "The noise is centred at the regularised minimiser; the distance to θ* includes the shrinkage.",
        "mean squared distance of the release to θ*", "Gauss–Hermite average of releases around the app's fit",
        (_LAMBDA, Parameter("scale", "s", "Output noise s", 0.1, 0.01, 1.0)),
        lambda lam, scale: _ridge(lam, scale)[0], lambda lam, scale: _ridge(lam, scale)[1], _distance,
        "The noise alone gives {printed}; the distance to θ* is {computed}.",
    ),
    Erratum(
        "lec12-lemma1", _TWELVE, "Lemma 1, with Definition 2",
        r"\delta\le\delta'\text{ on }\epsilon\ge0\iff T\ge T'", r"\delta\le\delta'\text{ on all }\epsilon\in\mathbb R\iff T\ge T'",
        "Definition 2 has ε ≥ 0 only. P = (¼, ½, ¼), Q = (½, ½, 0) and P' = (¼, ¾), Q' = (½, ½) have the same curve there, but only "
        "the first pair has an outcome that Q rules out: δ at ε < 0 (or of the pair turned round) tells them apart.",
        "T(P'‖Q')(z) − T(P‖Q)(z), the two curves being equal on ε ≥ 0", "linear programmes over all tests",
        (Parameter("z", "z", "Type I error z", 0.75, 0.02, 0.98, "linear"),),
        lambda z: _curve_gap(1.0), lambda z: _curve_gap(0.0), lambda z: _least_error(_OTHER, z) - _least_error(_ONE, z),
        "The lemma leaves no room ({printed}); the trade-offs differ by {computed}; curves on all ε allow {corrected}.",
        points=17, kind=Kind.FAILS,
    ),
    Erratum(
        "lec12-khat", _TWELVE, "proof of Lemma 2, Eq. (1)",
        r"E_{\hat K}=E_K+t\ \text{with}\ \hat K=\{f\le x_{n+1}\le E_K\}", r"E_{\hat K}=E_K+t\ \text{with}\ \hat K=\{f\le x_{n+1}\}",
        "With the cap the set is {f ≤ E_K} only, and the printed integrals run over places where they are negative.",
        "E over the set K̂ above f(x) = x on [0, 1]", "E_K + t, which the proof needs, E_K by quadrature over K",
        (Parameter("t", "t", "Temperature t", 0.2, 0.02, 2.0),),
        lambda t: _epigraph(t, capped=True)[1], lambda t: _epigraph(t, capped=False)[1],
        lambda t: _epigraph(t, capped=True)[0] + t,
        "Over the printed set it is {printed}; the proof needs {computed}, and without the cap it is {corrected}.", points=9,
    ),
    Erratum(
        "lec12-nt", _TWELVE, "Theorem 2",
        r"\mathbb{E}f-\min f\le n\,t", r"\mathbb{E}f-\min f\le d\,t",
        "n is the sample size elsewhere in the lecture; the excess grows with the dimension.",
        "E f − min f for f = ‖x‖, with 1000 records", "quadrature over the radius",
        (_D, Parameter("t", "t", "Temperature t", 0.1, 0.01, 1.0)),
        lambda d, t: 1000 * t, lambda d, t: d * t, lambda d, t: _radial_mean(d, t),
        "Read with n = 1000 it says {printed}; the excess is {computed}, and d t is attained.",
    ),
    Erratum(
        "lec12-F", _TWELVE, "Theorem 1",
        r"\text{“let }F\text{ and }Q\text{ be distributions”}", r"P\propto e^{-F},\ Q\propto e^{-\tilde F}",
        "F is a potential: it does not integrate to one.",
        "mass on [−a, a], for F = x²/2", "quadrature of the normalised exp(−F)",
        (Parameter("a", "a", "Half width a", 5.0, 1.0, 20.0),),
        lambda a: a**3 / 3, lambda a: special.erf(a / np.sqrt(2)),
        lambda a: integrate.quad(lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi), -a, a)[0],
        "F has mass {printed} there, P has {computed}.",
    ),
    Erratum(
        "lec12-origin", _TWELVE, "Theorem 3",
        r"\mathbb{E}f-\min f\le\tfrac dk+\tfrac{\mu D^2}2", r"\mathbb{E}f-\min f\le\tfrac dk+\tfrac{\mu B^2}2,\quad B=\|x^*\|",
        "The quadratic term pulls to 0, however far away K is. The printed bound holds where 0 lies in K (B ≤ D); for a centred ball "
        "B = D/2.",
        "E f − min f for f(x) = −0.9 a x on K = [a, a + 1], μ = 1", "quadrature of the law",
        (
            Parameter("near", "a", "Lower end a of K", 10.0, 0.0, 20.0, "linear"),
            Parameter("k", "k", "Inverse temperature k", 2000.0, 1.0, 1e4),
        ),
        lambda near, k: 1 / k + 0.5, lambda near, k: 1 / k + (near + 1) ** 2 / 2, _far_excess,
        "Printed at most {printed}; the draw loses {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "objpert-fC", _PAPER, "Theorem F.2",
        r"f_C(u)=C\,(u-u_H)\quad(u>u_H)", r"f_C(u)=f(u_H)+C\,(u-u_H)\quad(u>u_H)",
        "Without the constants the clipped loss jumps, so it is not convex and has no gradient there.",
        "jump of the clipped squared loss at u_H", "the app's clipped loss on both sides",
        (Parameter("limit", "C", "Clipping bound C", 1.0, 0.1, 10.0),),
        lambda limit: _clipped_jump(limit, printed=True), lambda limit: _clipped_jump(limit, printed=False), _library_jump,
        "Printed {printed}, as implemented {computed}.",
    ),
    Erratum(
        "objpert-h2", _PAPER, "Appendix H.2",
        r"c\le f\le C,\quad \tfrac C{c^2}\sigma^2\,\mathrm{tr}((X^\top X+\lambda I)^{-1})",
        r"c\le f'',\quad \tfrac12\sigma^2\,\mathrm{tr}((cX^\top X+\lambda I)^{-1})",
        "A constant added to the loss changes nothing about the minimiser, but everything about the printed bound.",
        "expected excess of a ridge regression", "Gauss–Hermite average of refits",
        (
            Parameter("constant", "c", "Constant added to the loss", 5.0, 0.1, 20.0),
            Parameter("sigma", "σ", "Noise σ", 1.0, 0.1, 5.0), _LAMBDA,
        ),
        lambda constant, sigma, lam: _h2(sigma, lam, constant, printed=True),
        lambda constant, sigma, lam: _h2(sigma, lam, constant, printed=False),
        lambda constant, sigma, lam: _excess(sigma, lam),
        "Printed at most {printed}; the excess is {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "objpert-h1-rate", _PAPER, "Appendix H.1, “optimal rates”",
        r"\sigma\asymp\sqrt d,\ \lambda\asymp d\ \Rightarrow\ O(d)", r"\sigma\asymp 1,\ \lambda\asymp\sqrt d\ \Rightarrow\ O(\sqrt d)",
        "For a GLM the noise needs no factor √d, and the best λ then gives √d.",
        "excess bound in units of L‖θ*‖√log(1/δ)/ε", "search over λ at σ = L√log(1/δ)/ε",
        (Parameter("d", "d", "Dimension d", 40, 1, 400, "integer"),),
        lambda d: _rate(d, printed=True), lambda d: _rate(d, printed=False), _best_rate,
        "Printed choice {printed}, best choice {computed}.", kind=Kind.LOOSE,
    ),
)  # fmt: skip
