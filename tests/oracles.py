"""Independent truth in arbitrary precision: densities, enumeration and quadrature, no line shared with `dpcore`.

Every oracle takes Python floats as the exact numbers they are and returns an `mpf`. `settled` repeats a computation at
doubled precision until the answer stops moving, so that no cancellation goes unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np
from scipy.special import expit, log_expit

OPPOSITE = {"add": "remove", "remove": "add"}
NEGATIVE_INFINITY = mp.mpf("-inf")


def settled(compute: Callable[[], mp.mpf], *, digits: int = 25, start: int = 50, limit: int = 30_000) -> mp.mpf:
    """The value of `compute`, at whatever working precision makes `digits` digits of it stable."""
    precision = start
    with mp.workdps(precision):
        previous = compute()
    while precision < limit:
        precision *= 2
        with mp.workdps(precision):
            current = compute()
            if current == previous or abs(current - previous) <= mp.mpf(10) ** -digits * abs(current):
                return +current
        previous = current
    raise ArithmeticError(f"no {digits} stable digits at {limit} digits of working precision")


def golden_section(function: Callable[[mp.mpf], mp.mpf], low: mp.mpf, high: mp.mpf, close: mp.mpf) -> mp.mpf:
    """Where a unimodal function is largest, down to a bracket of width `close`."""
    ratio = (mp.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > close:
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return (low + high) / 2


def log_or_minus_infinity(value: mp.mpf) -> mp.mpf:
    """log(value), −inf at or below 0."""
    return mp.log(value) if value > 0 else NEGATIVE_INFINITY


def log_one_minus_exp(x: mp.mpf) -> mp.mpf:
    """log(1 − e^x) for x < 0 with relative accuracy on both sides."""
    return mp.log1p(-mp.exp(x)) if x < -1 else mp.log(-mp.expm1(x))


def upper_tail(x: mp.mpf) -> mp.mpf:
    """P[N(0,1) > x] with relative accuracy on both sides."""
    return mp.erfc(mp.mpf(x) / mp.sqrt(2)) / 2


def mixture_log_delta(epsilon: float, shift: mp.mpf, rate: mp.mpf, direction: str) -> mp.mpf:
    """log H_{e^ε} between A = N(0,1) and B = (1−q)N(0,1) + qN(Δ,1), from the Neyman–Pearson event at current precision.

    "remove" is H(B‖A), "add" is H(A‖B). dB/dA = 1 − q + q e^{xΔ − Δ²/2} increases with x, so the event is a half line.
    Where δ > 1/2 the logarithm is taken from 1 − δ.
    """
    gamma = mp.exp(mp.mpf(epsilon))
    level = gamma if direction == "remove" else 1 / gamma
    if level <= 1 - rate:  # the ratio exceeds this level everywhere
        return mp.mpf(0) + log_or_minus_infinity(1 - gamma) if direction == "remove" else NEGATIVE_INFINITY
    x = mp.log((level - (1 - rate)) / rate) / shift + shift / 2
    above_a, below_a = upper_tail(x), upper_tail(-x)
    above_b = (1 - rate) * above_a + rate * upper_tail(x - shift)
    below_b = (1 - rate) * below_a + rate * upper_tail(shift - x)
    if direction == "remove":
        value, missed = above_b - gamma * above_a, below_b + gamma * above_a
    else:
        value, missed = below_a - gamma * below_b, above_a + gamma * below_b
    if value > 0.5:
        return mp.log1p(-missed)
    return mp.log(value) if value > 0 else mp.nan  # never 0 here: more precision is needed


def gaussian_log_delta(epsilon: float, sigma: float, sensitivity: float = 1.0) -> mp.mpf:
    """log δ(ε) of the Gaussian mechanism; the unsampled mixture."""
    return settled(lambda: mixture_log_delta(epsilon, mp.mpf(sensitivity) / mp.mpf(sigma), mp.mpf(1), "remove"))


def subsampled_gaussian_log_delta(epsilon: float, sigma: float, rate: float, direction: str) -> mp.mpf:
    """log δ(ε) of the Poisson-subsampled Gaussian with unit sensitivity, one direction."""
    return settled(lambda: mixture_log_delta(epsilon, 1 / mp.mpf(sigma), mp.mpf(rate), direction))


def laplace_log_delta(epsilon: float, scale: float, sensitivity: float = 1.0) -> mp.mpf:
    """log δ(ε), any sign of ε: P[|…|] events of the Laplace law written out."""

    def compute() -> mp.mpf:
        shift, epsilon_ = mp.mpf(sensitivity) / mp.mpf(scale), mp.mpf(epsilon)
        if epsilon_ >= shift:
            return NEGATIVE_INFINITY
        if epsilon_ <= -shift:
            return log_one_minus_exp(epsilon_)
        return log_one_minus_exp((epsilon_ - shift) / 2)

    return settled(compute)


def randomized_response_laws(epsilon: float, categories: int) -> tuple[list[mp.mpf], list[mp.mpf]]:
    """Output laws for two different true categories, one entry per outcome (rare ones merged with their multiplicity)."""
    weight = mp.exp(mp.mpf(epsilon))
    total = weight + categories - 1
    rest = [mp.mpf(categories - 2) / total]
    return [weight / total, 1 / total, *rest], [1 / total, weight / total, *rest]


def discrete_log_delta(p: list[mp.mpf], q: list[mp.mpf], epsilon: float) -> mp.mpf:
    """log Σ [p − e^ε q]_+ by enumeration; from 1 − Σ min(p, e^ε q) where that is small."""
    gamma = mp.exp(mp.mpf(epsilon))
    missed = mp.fsum(min(a, gamma * b) for a, b in zip(p, q, strict=True))
    if missed < 0.5:
        return mp.log1p(-missed)
    return log_or_minus_infinity(mp.fsum(max(a - gamma * b, mp.mpf(0)) for a, b in zip(p, q, strict=True)))


def discrete_renyi(p: list[mp.mpf], q: list[mp.mpf], alpha: float) -> mp.mpf:
    """D_α(p‖q) by enumeration; Kullback–Leibler at α = 1."""
    alpha = mp.mpf(alpha)
    pairs = [(a, b) for a, b in zip(p, q, strict=True) if a > 0]
    if alpha == 1:
        return mp.fsum(a * mp.log(a / b) for a, b in pairs)
    return mp.log(mp.fsum(mp.exp(alpha * mp.log(a) + (1 - alpha) * mp.log(b)) for a, b in pairs)) / (alpha - 1)


def exponential_log_delta(epsilon: float, pure: float) -> mp.mpf:
    """sup over t of log δ of the two-outcome pair with log ratios t and t − ε₀: brute force by golden section."""

    def compute() -> mp.mpf:
        bound, gamma = mp.mpf(pure), mp.exp(mp.mpf(epsilon))

        def delta(t: mp.mpf) -> mp.mpf:
            rare = -mp.expm1(t - bound) / (mp.exp(t) - mp.exp(t - bound))
            laws = ((mp.exp(t) * rare, rare), (mp.exp(t - bound) * (1 - rare), 1 - rare))
            return mp.fsum(max(a - gamma * b, mp.mpf(0)) for a, b in laws)

        low, high = max(mp.mpf(0), mp.mpf(epsilon)), bound
        if epsilon < 0:
            high = max(low, bound + mp.mpf(epsilon)) if epsilon > -pure else low
        if low >= high:
            return log_or_minus_infinity(delta(low)) if low < bound else NEGATIVE_INFINITY
        close = (high - low) * mp.mpf(10) ** (-mp.mpf(mp.mp.dps) / 2)
        return log_or_minus_infinity(delta(golden_section(delta, low, high, close)))

    return settled(compute, digits=20)


def bounded_range_log_delta(epsilon: float, pure: float) -> mp.mpf:
    """The supremum above in closed form, for |ε| ≤ ε₀ and beyond, at current precision."""
    epsilon_, bound = mp.mpf(epsilon), mp.mpf(pure)
    if epsilon_ >= bound:
        return NEGATIVE_INFINITY
    if epsilon_ <= -bound:
        return log_one_minus_exp(epsilon_)
    return 2 * log_one_minus_exp((epsilon_ - bound) / 2) - log_one_minus_exp(-bound)


def gaussian_renyi(alpha: float, sigma: float, sensitivity: float = 1.0) -> mp.mpf:
    """αΔ²/2, exact."""
    with mp.workdps(50):
        return mp.mpf(alpha) * (mp.mpf(sensitivity) / mp.mpf(sigma)) ** 2 / 2


def laplace_renyi(alpha: float, scale: float, sensitivity: float = 1.0) -> mp.mpf:
    """D_α from the three pieces of ∫ p^α q^{1−α} for Laplace densities."""

    def compute() -> mp.mpf:
        shift, order = mp.mpf(sensitivity) / mp.mpf(scale), mp.mpf(alpha)
        if order == 1:
            return shift + mp.expm1(-shift)
        outer = mp.exp((order - 1) * shift) / 2 + mp.exp(-order * shift) / 2
        inner = mp.exp(-order * shift) * mp.expm1((2 * order - 1) * shift) / (2 * (2 * order - 1))
        return mp.log(outer + inner) / (order - 1)

    return settled(compute)


def exponential_renyi(alpha: float, pure: float) -> mp.mpf:
    """log ∫ γ^α dμ(γ)/(α−1), μ = δ'' the law of the likelihood ratio; the integral of each power written out."""

    def compute() -> mp.mpf:
        bound, order = mp.mpf(pure), mp.mpf(alpha)
        # δ(γ) = (1 − √(γ/G))²/(1−1/G), so δ'' = γ^{−3/2}/(2√G(1−1/G)) on [1/G, G]
        scale = 1 / (2 * mp.exp(bound / 2) * -mp.expm1(-bound))
        if order == 1:
            return scale * mp.quad(lambda s: s * mp.exp(s / 2), [-bound, bound])
        moment = scale * 2 * mp.sinh((order - mp.mpf(1) / 2) * bound) / (order - mp.mpf(1) / 2)
        return mp.log(moment) / (order - 1)

    return settled(compute)


def subsampled_gaussian_renyi(alpha: float, sigma: float, rate: float, direction: str) -> mp.mpf:
    """D_α of the mixture pair by the trapezoid rule over its densities; "add" has N(0,1) first.

    The integrand is entire and decays like a Gaussian, so the rule converges faster than any power of its step. Lattice
    points where it is e^-200 below its peak are left out.
    """

    def moment(step: float) -> mp.mpf:
        reach = 22 + max(alpha, 1.0) / sigma
        lattice = np.arange(-reach, reach, step)
        log_ratio = np.logaddexp(
            np.log1p(-rate) if rate < 1 else -np.inf, np.log(rate) + lattice / sigma - 0.5 / sigma**2
        )
        size = -0.5 * lattice**2 + np.maximum(power_ * log_ratio, 0.0)
        total = mp.mpf(0)
        for x in lattice[size > size.max() - 200]:
            x = mp.mpf(float(x))
            ratio = mp.log1p(rate_ * mp.expm1(x * shift - shift**2 / 2))
            if alpha_ == 1:
                total += mp.npdf(x) * (ratio * mp.exp(ratio) if direction == "remove" else -ratio)
            else:
                total += mp.npdf(x) * mp.expm1(power * ratio)
        return total * mp.mpf(step)

    with mp.workdps(60):
        alpha_, shift, rate_ = mp.mpf(alpha), 1 / mp.mpf(sigma), mp.mpf(rate)
        power = alpha_ if direction == "remove" else 1 - alpha_
        power_ = float(power)
        step = 2.0 ** -np.ceil(3 + np.log2(max(1.0, 1 / sigma)))
        previous = moment(step)
        for _ in range(5):
            step /= 2
            current = moment(step)
            if abs(current - previous) <= mp.mpf(10) ** -18 * abs(current):
                return current if alpha_ == 1 else mp.log1p(current) / (alpha_ - 1)
            previous = current
    raise ArithmeticError("the trapezoid did not settle")


def subsampled_gaussian_renyi_integer(alpha: int, sigma: float, rate: float) -> mp.mpf:
    """D_α(mixture‖N(0,1)) for whole α ≥ 2 from the binomial expansion."""

    def compute() -> mp.mpf:
        shift, rate_ = 1 / mp.mpf(sigma), mp.mpf(rate)
        terms = (
            mp.binomial(alpha, k) * (1 - rate_) ** (alpha - k) * rate_**k * mp.exp(k * (k - 1) * shift**2 / 2)
            for k in range(alpha + 1)
        )
        return mp.log(mp.fsum(terms)) / (alpha - 1)

    return settled(compute)


def assert_log_delta(value: float, truth: mp.mpf, *, relative: float = 1e-10, unsafe: float = 1e-12) -> None:
    """`value` = log δ: `relative` on log δ, and on δ where δ ≥ 1e-290; below the truth by `unsafe` at most."""
    if truth == NEGATIVE_INFINITY or value == -np.inf:
        assert float(value) == float(truth)
        return
    with mp.workdps(40):
        difference = mp.mpf(float(value)) - truth
        scale = max(abs(truth), mp.mpf(10) ** -300)
        assert abs(difference) <= relative * scale, f"log δ is {value!r}, the truth {mp.nstr(truth, 20)}"
        allowed = scale / 667 if truth < mp.log(mp.mpf(10) ** -290) else mp.mpf(1)
        assert abs(difference) <= relative * allowed, f"δ is off by {mp.nstr(difference, 5)} relative"
        assert -difference <= unsafe * allowed, f"δ is below the truth by {mp.nstr(-difference, 5)} relative"


def assert_relative(value: float, truth: mp.mpf, tolerance: float = 1e-10) -> None:
    """|value − truth| ≤ tolerance·|truth|, exact where the truth is 0."""
    with mp.workdps(40):
        assert abs(mp.mpf(float(value)) - truth) <= tolerance * abs(truth), f"{value!r} is not {mp.nstr(truth, 20)}"


def _zero(u, y):
    return np.zeros(np.broadcast_shapes(u.shape, y.shape))


LOSSES = {  # f, f', f'', and where f'' jumps
    "logistic": (
        lambda u, y: -log_expit(y * u), lambda u, y: -y * expit(-y * u), lambda u, y: expit(u) * expit(-u), lambda y: [],
    ),
    "smoothed_hinge": (
        lambda u, y: np.where(y * u < 0, 0.5 - y * u, 0.5 * np.maximum(1 - y * u, 0) ** 2),
        lambda u, y: -y * np.clip(1 - y * u, 0, 1), lambda u, y: ((y * u < 1) & (y * u > 0)) * 1.0, lambda y: [0 * y, y],
    ),
    "squared": (lambda u, y: 0.5 * (u - y) ** 2, lambda u, y: u - y, lambda u, y: 1 + _zero(u, y), lambda y: []),
    "huber": (
        lambda u, y: np.where(abs(u - y) < 1, 0.5 * (u - y) ** 2, abs(u - y) - 0.5), lambda u, y: np.clip(u - y, -1, 1),
        lambda u, y: (abs(u - y) < 1) * 1.0, lambda y: [y - 1, y + 1],
    ),
    "pseudo_huber": (
        lambda u, y: (u - y) ** 2 / (1 + np.sqrt(1 + (u - y) ** 2)), lambda u, y: (u - y) / np.sqrt(1 + (u - y) ** 2),
        lambda u, y: (1 + (u - y) ** 2) ** -1.5, lambda y: [],
    ),
    "poisson": (
        lambda u, y: np.exp(np.minimum(u, 500)) - y * u, lambda u, y: np.exp(np.minimum(u, 500)) - y,
        lambda u, y: np.exp(np.minimum(u, 500)) + _zero(u, y), lambda y: [],
    ),
}  # fmt: skip
