"""Independent truth for compositions: sums over outcomes, residues, contour integrals; no line shared with `dpcore`.

Extended floats (64-bit mantissa) carry the contour integrals. An oracle that were wrong would disagree with the product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np
from scipy import special

from tests.oracles import gaussian_log_delta, settled

Real = np.longdouble
Moment = Callable[[np.ndarray], np.ndarray]  # s → log E_P[e^{sω}] at complex s, up to multiples of 2πi
Refined = Callable[[np.ndarray, int], np.ndarray]  # the same by a sum, at a step that halves with the second argument


def gaussian_moment(sigma: float) -> Moment:
    """log E e^{sω} = s(s+1)/(2σ²)."""
    mu = 1 / Real(sigma)
    return lambda s: s * (s + 1) * mu * mu / 2


def laplace_moment(scale: float) -> Moment:
    """log of ((s+1)e^{sΔ} + s e^{−(s+1)Δ})/(2s+1)."""
    shift = 1 / Real(scale)

    def log_moment(s: np.ndarray) -> np.ndarray:
        value = ((s + 1) * np.exp(s * shift) + s * np.exp(-(s + 1) * shift)) / (2 * s + 1)
        return np.log(value)

    return log_moment


def exponential_moment(epsilon: float) -> Moment:
    """log of sinh((2s+1)ε₀/2)/((2s+1) sinh(ε₀/2))."""
    half = Real(epsilon) / 2

    def log_moment(s: np.ndarray) -> np.ndarray:
        u = 2 * s + 1
        value = (np.exp(u * half) - np.exp(-u * half)) / 2 / (u * np.sinh(half))
        return np.log(value)

    return log_moment


def half_normal_moment(mu: float) -> Moment:
    """log E e^{sω} of ω = μ²/2 + μ|Z|: s μ²/2 + log(2 e^{s²μ²/2} Φ(sμ))."""

    def log_moment(s: np.ndarray) -> np.ndarray:
        s = s.astype(complex)
        a = s * mu / np.sqrt(2)
        far = a.real > 5
        near = np.log(special.wofz(-1j * np.where(far, 0.0, a)))
        large = np.where(far, a, 5.0)
        beyond = large**2 + np.log(2 - special.wofz(1j * large) * np.exp(-(large**2)))
        return s * mu * mu / 2 + np.where(far, beyond, near)

    return log_moment


def subsampled_gaussian_moment(sigma: float, rate: float, direction: str) -> Refined:
    """log E_Q[r^{s+1}] ("remove") or log E_Q[r^{−s}] ("add") by trapezoid, r = 1 − q + q e^{xΔ − Δ²/2}, Q = N(0, 1)."""
    shift = 1 / sigma

    def log_moment(s: np.ndarray, refinement: int) -> np.ndarray:
        tilt = float(s.real[0])
        step = 0.125 / (1 + shift / 2) / 2**refinement
        low = -13 - (shift * tilt if direction == "add" else 0)
        x = np.arange(low, 13 + shift * (tilt + 1 if direction == "remove" else 1), step)
        log_ratio = np.log1p(rate * np.expm1(x * shift - shift * shift / 2))
        power = s.astype(complex) + 1 if direction == "remove" else -s.astype(complex)
        log_weight = -x * x / 2 + np.log(step / np.sqrt(2 * np.pi))
        size = log_weight + float(power.real[0]) * log_ratio
        kept = np.maximum(size, log_weight) > max(size.max(), 0.0) - 46
        log_ratio, log_weight, size = log_ratio[kept], log_weight[kept], size[kept]
        if size.max() < 5 and float(power.real[0]) * log_ratio.max() < 600:
            return _log1p(_expm1(power[:, None] * log_ratio) @ np.exp(log_weight))
        return size.max() + np.log(np.exp(power[:, None] * log_ratio + (log_weight - size.max())).sum(axis=1))

    log_moment.refined = True
    return log_moment


def _expm1(z: np.ndarray) -> np.ndarray:
    half = np.sin(z.imag / 2)
    return np.expm1(z.real) * np.cos(z.imag) - 2 * half * half + 1j * np.exp(z.real) * np.sin(z.imag)


def _log1p(z: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log1p(2 * z.real + z.real**2 + z.imag**2) / 2, -1e4) + 1j * np.arctan2(z.imag, 1 + z.real)


def contour_log_delta(parts: list[tuple[Moment | Refined, int]], epsilon: float, *, digits: int = 12) -> float:
    """log δ(ε) = log (1/2πi) ∫ e^{K(s) − sε}/(s(s+1)) ds on the vertical line through the saddle point.

    The trapezoid is halved until the answer stops moving, and the line followed until nothing is left on it.

    Raises
    ------
    ArithmeticError
        Where the integrand does not die out on the line: the loss is a lattice, or nearly.
    """

    def exponent(s: np.ndarray, refinement: int = 0) -> np.ndarray:
        moments = sum(
            count * (moment(s, refinement) if getattr(moment, "refined", False) else moment(s))
            for moment, count in parts
        )
        return moments - s * Real(epsilon) - np.log(s) - np.log1p(s)

    def real_exponent(log_tilt: float) -> float:
        return float(exponent(np.exp(np.array([log_tilt + 0j], dtype=np.clongdouble))).real[0])

    low, high = -12.0, 8.0
    for _ in range(40):
        left, right = low + (high - low) * 0.382, low + (high - low) * 0.618
        low, high = (low, right) if real_exponent(left) < real_exponent(right) else (left, high)
    tilt = Real(np.exp((low + high) / 2))
    away = tilt / 64
    peak = exponent(np.array([tilt, tilt + 1j * away], dtype=np.clongdouble)).real
    spread = np.sqrt(max(2 * (peak[0] - peak[1]) / away**2, Real(1e-300)))
    step, previous, longest = Real(1) / (4 * spread), None, 2048
    for refinement in range(5):
        total, start = Real(0), 0
        centre = exponent(np.array([tilt + 0j], dtype=np.clongdouble), refinement).real[0]
        while True:
            omega = step * np.arange(start, start + 128, dtype=Real)
            values = np.exp(exponent(tilt + 1j * omega, refinement) - centre)
            total += np.sum(values.real) - (0.5 * values[0].real if start == 0 else 0)
            start += 128
            if np.abs(values[-32:]).max() < (1e-18 if start > 256 else 1e-24):
                break
            if start > longest:
                raise ArithmeticError("the integrand does not die out on the vertical line")
        value = centre + np.log(total * step / Real(np.pi)) if total > 0 else Real(np.nan)
        if previous is not None and abs(value - previous) < 10.0**-digits:
            return float(value)
        previous, step, longest = value, step / 2, 2 * longest
    raise ArithmeticError("the trapezoid did not settle")


@dataclass(frozen=True)
class Term:
    """weight · e^{shift·u} (u + ½)^above (u − ½)^below u^{−poles}, with u = s + ½."""

    weight: mp.mpf
    shift: mp.mpf
    above: int = 0
    below: int = 0
    poles: int = 0


def laplace_terms(scale: float) -> list[Term]:
    """Of ((s+1)e^{sΔ} + s e^{−(s+1)Δ})/(2s+1)."""
    shift = 1 / mp.mpf(scale)
    half = mp.exp(-shift / 2) / 2
    return [Term(half, shift, 1, 0, 1), Term(half, -shift, 0, 1, 1)]


def randomized_response_terms(epsilon: float, categories: int = 2) -> list[Term]:
    """Of (e^{(s+1)ε₀} + e^{−sε₀} + c − 2)/(e^{ε₀} + c − 1)."""
    budget = mp.mpf(epsilon)
    total = mp.exp(budget) + categories - 1
    edge = mp.exp(budget / 2) / total
    rest = [Term((categories - 2) / total, mp.mpf(0))] if categories > 2 else []
    return [Term(edge, budget), Term(edge, -budget), *rest]


def exponential_terms(epsilon: float) -> list[Term]:
    """Of sinh(uε₀)/(2u sinh(ε₀/2))."""
    budget = mp.mpf(epsilon)
    weight = 1 / (4 * mp.sinh(budget / 2))
    return [Term(weight, budget, poles=1), Term(-weight, -budget, poles=1)]


def residue_log_delta(parts: list[tuple[Callable[[], list[Term]], int]], epsilon: float) -> float:
    """log δ(ε) as the sum of the residues of every e^{c·u} of the expanded transform with c > 0, exactly.

    Terms with c ≤ 0 have no residue on their side of the line. The working precision is doubled until 15 digits stand.
    """

    def total() -> mp.mpf:
        terms = [Term(mp.mpf(1), mp.mpf(0))]
        for factor, count in parts:
            terms = _products(terms, _powers(factor(), count))
        value = mp.mpf(0)
        for term in terms:
            shift = term.shift - mp.mpf(epsilon)
            if shift > 0:
                value += term.weight * mp.exp(mp.mpf(epsilon) / 2) * _residues(shift, term)
        return mp.log(value) if value > 0 else mp.mpf("-inf")

    return float(settled(total, digits=15))


def _products(left: list[Term], right: list[Term]) -> list[Term]:
    return [
        Term(a.weight * b.weight, a.shift + b.shift, a.above + b.above, a.below + b.below, a.poles + b.poles)
        for a in left
        for b in right
    ]


def _powers(terms: list[Term], count: int) -> list[Term]:
    """The multinomial expansion of a sum's power."""
    first, *rest = terms
    if not rest:
        weight = first.weight**count
        return [Term(weight, count * first.shift, count * first.above, count * first.below, count * first.poles)]
    result = []
    for j in range(count + 1):
        own = _powers([first], j)[0]
        own = Term(own.weight * mp.binomial(count, j), own.shift, own.above, own.below, own.poles)
        result += _products([own], _powers(rest, count - j))
    return result


def _residues(shift: mp.mpf, term: Term) -> mp.mpf:
    """Of e^{shift·u} (u + ½)^{a−1} (u − ½)^{b−1} u^{−n} at its poles ½, −½ and 0."""
    above, below, poles = term.above - 1, term.below - 1, term.poles
    half, value = mp.mpf(1) / 2, mp.mpf(0)
    if below == -1:
        value += mp.exp(shift / 2) * 2**poles
    if above == -1:
        value += mp.exp(-shift / 2) * mp.mpf(-1) ** below * (-half) ** -poles
    if poles:
        left = [mp.binomial(above, i) * half ** (above - i) for i in range(poles)]
        right = [mp.binomial(below, i) * (-half) ** (below - i) for i in range(poles)]
        powers = [shift**i / mp.factorial(i) for i in range(poles)]
        both = [mp.fsum(left[i] * right[n - i] for i in range(n + 1)) for n in range(poles)]
        value += mp.fsum(both[i] * powers[poles - 1 - i] for i in range(poles))
    return value


def response_law(responses: list[tuple[float, int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Losses and log P-masses of randomised responses (ε₀, categories, count) run independently: every outcome summed."""
    losses, logs = np.zeros(1, dtype=Real), np.zeros(1, dtype=Real)
    for epsilon, categories, count in responses:
        budget = Real(epsilon)
        log_total = np.log(np.exp(budget) + Real(categories - 1))
        own = [(budget, budget - log_total), (-budget, -log_total)]
        if categories > 2:
            own.append((Real(0), np.log(Real(categories - 2)) - log_total))
        places, masses = _multinomial(own, count)
        losses = (losses[:, None] + places).ravel()
        logs = (logs[:, None] + masses).ravel()
    return losses, logs


def _multinomial(own: list, count: int) -> tuple[np.ndarray, np.ndarray]:
    factorial = np.concatenate([[Real(0)], np.cumsum(np.log(np.arange(1, count + 1, dtype=Real)))])
    j = np.arange(count + 1)
    if len(own) == 2:
        logs = factorial[count] - factorial[j] - factorial[count - j] + j * own[0][1] + (count - j) * own[1][1]
        return j * own[0][0] + (count - j) * own[1][0], logs
    i, j = (one[np.add.outer(j, j) <= count] for one in np.meshgrid(j, j, indexing="ij"))
    logs = factorial[count] - factorial[i] - factorial[j] - factorial[count - i - j]
    logs = logs + i * own[0][1] + j * own[1][1] + (count - i - j) * own[2][1]
    return i * own[0][0] + j * own[1][0], logs


def response_log_delta(responses: list[tuple[float, int, int]], epsilon: float) -> float:
    """log Σ p (1 − e^{ε − ω})_+ over all outcomes."""
    losses, logs = response_law(responses)
    above = losses > Real(epsilon)
    return float(_log_sum(logs[above] + np.log(-np.expm1(Real(epsilon) - losses[above]))))


def response_and_gaussian_log_delta(responses: list[tuple[float, int, int]], mu: float, epsilon: float) -> float:
    """log Σ p H(ε − ω) over all outcomes of the responses, H the curve of a Gaussian with shift μ."""
    losses, logs = response_law(responses)
    return float(_log_sum(logs + gaussian_curve(Real(epsilon) - losses, mu)))


def gaussian_curve(epsilon: np.ndarray, mu: float) -> np.ndarray:
    """log(Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)) at any real ε, to about 1e-13."""
    epsilon = np.asarray(epsilon, dtype=float)
    with np.errstate(divide="ignore"):
        size = np.abs(epsilon)
        tail = size / mu - mu / 2
        mills = np.sqrt(np.pi / 2) * (special.erfcx(tail / np.sqrt(2)) - special.erfcx((tail + mu) / np.sqrt(2)))
        far = np.log(np.maximum(mills, 0.0)) - tail**2 / 2 - np.log(2 * np.pi) / 2
        close = np.minimum(tail, -4.0)
        near = special.ndtr(-close) - special.erfcx((close + mu) / np.sqrt(2)) * np.exp(-close * close / 2) / 2
        near = np.log(np.maximum(near, 1e-300))
        right = np.where(tail > -4, far, near)
        left = np.log(-np.expm1(np.minimum(epsilon, 0.0) + np.log1p(-np.exp(right))))
        return np.where(epsilon < 0, left, right)


def subsampled_log_delta(sigma: float, rate: float, direction: str, rest: Callable, epsilon: float) -> float:
    """log E_P[H(ε − ω(x))]: one subsampled Gaussian and whatever has the curve `rest`, in the same direction.

    By trapezoid over the density of P in x, refined until it stands.
    """
    shift, previous = 1 / sigma, np.nan
    for points in 2 ** np.arange(12, 20):
        x = np.linspace(-40.0, 40.0 + shift, points)
        log_ratio = np.log1p(rate * np.expm1(x * shift - shift * shift / 2))
        log_density = -x * x / 2 - np.log(2 * np.pi) / 2 + (log_ratio if direction == "remove" else 0.0)
        loss = log_ratio if direction == "remove" else -log_ratio
        value = float(_log_sum(log_density + rest(epsilon - loss))) + np.log(x[1] - x[0])
        if abs(value - previous) < 1e-10:
            return value
        previous = value
    raise ArithmeticError("the trapezoid did not settle")


def _log_sum(values: np.ndarray) -> np.floating:
    if not values.size:
        return Real("-inf")
    largest = values.max()
    return largest + np.log(np.sum(np.exp(values - largest)))


def gaussian_list_log_delta(gaussians: list[tuple[float, int]], epsilon: float) -> float:
    """Gaussians compose to one Gaussian with μ² = Σ k/σ²: its closed form in arbitrary precision."""
    with mp.workdps(60):
        sigma = 1 / mp.sqrt(mp.fsum(count / mp.mpf(sigma) ** 2 for sigma, count in gaussians))
        return float(gaussian_log_delta(epsilon, sigma))
