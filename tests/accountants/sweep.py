"""Any number of compositions against truth that shares no code with `dpcore`.

A case is one (composition, direction, δ): with ε the upper answer to δ, lower ≤ exact ≤ upper at ε, exact ≤ δ there, and
exact ≥ δ just below the lower answer. Compositions whose oracle gives up are drawn again and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

import dpcore as dp
from tests.accountants import oracles
from tests.accountants.homemade import HalfNormal, WaitingTime, waiting_time_log_delta

COUNTS = (1, 10, 1_000, 10_000, 100_000)
KINDS = ("gaussian", "laplace", "exponential", "subsampled")
_SAFE = {"exact": 1e-12, "sum": 1e-11, "contour": 1e-9}  # accuracy of log δ of each kind of oracle
_DEEPEST, TARGETS = 15, 4


@dataclass(frozen=True)
class Composition:
    """What is composed, and the exact log δ(ε) of one direction."""

    family: str
    parts: list
    exact: Callable[[float, str], float]
    accuracy: float
    symmetric: bool
    deepest: int = _DEEPEST


@dataclass(frozen=True)
class Case:
    """One comparison.

    `margin` is how far the truth is inside the bracket, negative where it is outside; `width` the smaller of the relative widths in
    δ and in ε.
    """

    family: str
    parts: list
    direction: str
    log_delta: float
    epsilon: float
    margin: float
    width: float


def _sigma(rng: np.random.Generator, low: float = 0.3, high: float = 100.0) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _count(rng: np.random.Generator) -> int:
    return int(rng.choice(COUNTS))


def gaussians(rng: np.random.Generator) -> Composition:
    """Up to three Gaussians, σ from 0.3 to 100, k up to 10⁵."""
    listed = [(_sigma(rng), _count(rng)) for _ in range(rng.integers(1, 4))]
    parts = [(dp.Gaussian(sigma), count) for sigma, count in listed]
    exact = partial(oracles.gaussian_list_log_delta, listed)
    return Composition("Gaussians", parts, lambda epsilon, _: exact(epsilon), _SAFE["exact"], True)


def responses(rng: np.random.Generator) -> Composition:
    """One or two randomised responses, commensurate or not."""
    if rng.random() < 0.5:
        count = _count(rng)
        listed = [(min(_sigma(rng, 0.02, 3.0), 30 / count**0.5), 2, count)]
    else:
        listed = [(_sigma(rng, 0.02, 2.0), int(rng.choice((2, 2, 3, 10))), int(rng.integers(1, 16))) for _ in range(2)]
    parts = [(dp.RandomizedResponse(budget, categories), count) for budget, categories, count in listed]
    exact = partial(oracles.response_log_delta, listed)
    return Composition("Randomised responses", parts, lambda epsilon, _: exact(epsilon), _SAFE["sum"], True)


def responses_and_gaussians(rng: np.random.Generator) -> Composition:
    """Atoms and a normal law together."""
    listed = [(_sigma(rng, 0.02, 2.0), int(rng.choice((2, 3))), int(rng.integers(1, 30)))]
    sigma, count = _sigma(rng), int(rng.choice(COUNTS[:3]))
    parts = [(dp.Gaussian(sigma), count), *((dp.RandomizedResponse(b, c), k) for b, c, k in listed)]
    exact = partial(oracles.response_and_gaussian_log_delta, listed, count**0.5 / sigma)
    return Composition(
        "Randomised responses and Gaussians", parts, lambda epsilon, _: exact(epsilon), _SAFE["sum"], True
    )


def bounded(rng: np.random.Generator) -> Composition:
    """Few Laplace, exponential and randomised-response mechanisms: everything up to the pure-DP cap."""
    parts, terms, left = [], [], int(rng.integers(2, 13))
    while left > 0 and len(parts) < 2:
        count = int(rng.integers(1, left + 1))
        left -= count
        budget = _sigma(rng, 0.02, 3.0)
        build, of, parameter = (
            (dp.Laplace, oracles.laplace_terms, 1 / budget),
            (dp.ExponentialMechanism, oracles.exponential_terms, budget),
            (dp.RandomizedResponse, oracles.randomized_response_terms, budget),
        )[rng.integers(3)]
        parts.append((build(parameter), count))
        terms.append((partial(of, parameter), count))
    exact = partial(oracles.residue_log_delta, terms)
    return Composition("Bounded losses near the cap", parts, lambda epsilon, _: exact(epsilon), _SAFE["sum"], True)


def _of_kind(kind: str, noise: float, subsampling: tuple[float, float]) -> tuple[dp.PrivacyProfile, Callable]:
    """A mechanism, and its moment function by direction."""
    if kind == "gaussian":
        return dp.Gaussian(noise), lambda _: oracles.gaussian_moment(noise)
    if kind == "laplace":
        return dp.Laplace(noise), lambda _: oracles.laplace_moment(noise)
    if kind == "exponential":
        return dp.ExponentialMechanism(1 / noise), lambda _: oracles.exponential_moment(1 / noise)
    sigma, rate = subsampling
    sampled = dp.Subsampled(dp.Gaussian(sigma), rate)
    return sampled, lambda direction: oracles.subsampled_gaussian_moment(sigma, rate, direction)


def _by_contour(family: str, mechanisms: list[tuple[tuple[dp.PrivacyProfile, Callable], int]]) -> Composition:
    """Of mechanisms with their moments, each so often: the truth is a contour integral."""
    parts = [(mechanism, count) for (mechanism, _), count in mechanisms]

    def exact(epsilon: float, direction: str) -> float:
        moments = [(moment(direction), count) for (_, moment), count in mechanisms]
        return oracles.contour_log_delta(moments, epsilon, digits=10)

    return Composition(family, parts, exact, _SAFE["contour"], all(part.symmetric for part, _ in parts))


def _subsampling(rng: np.random.Generator) -> tuple[float, float]:
    rate = float(10 ** rng.uniform(-4, 0))
    return _sigma(rng, 0.3, 100.0) if rng.random() < 0.3 else _sigma(rng, 0.5, 4.0), rate


def mixtures(rng: np.random.Generator) -> Composition:
    """Gaussian, Laplace, exponential and subsampled mechanisms, k up to 10⁵ each."""
    mechanisms = []
    for kind in rng.choice(KINDS, size=rng.integers(1, 4), replace=False):
        count = _count(rng)
        noise = _sigma(rng, 0.3, 5.0) * max(1.0, rng.uniform(0.1, 1.0) * count**0.5)
        sampled = _subsampling(rng) if kind == "subsampled" else (0.0, 0.0)
        mechanisms.append((_of_kind(kind, noise, sampled), count))
    return _by_contour("Mixtures", mechanisms)


def subsampled(rng: np.random.Generator) -> Composition:
    """Subsampled Gaussians, q from 10⁻⁴ to 1, k up to 10⁵."""
    sampled = _of_kind("subsampled", 0.0, _subsampling(rng))
    return _by_contour("Subsampled Gaussians", [(sampled, int(rng.choice(COUNTS[1:])))])


def _one_sampled(family: str, sigma: float, rate: float, other: float, count: int, deepest: int) -> Composition:
    """One subsampled Gaussian with k Gaussians, by quadrature."""
    parts = [(dp.Subsampled(dp.Gaussian(sigma), rate), 1), (dp.Gaussian(other), count)]

    def exact(epsilon: float, direction: str) -> float:
        rest = partial(oracles.gaussian_curve, mu=count**0.5 / other)
        return oracles.subsampled_log_delta(sigma, rate, direction, rest, epsilon)

    return Composition(family, parts, exact, _SAFE["contour"], False, deepest)


def subsampled_and_gaussians(rng: np.random.Generator) -> Composition:
    """One subsampled Gaussian with k Gaussians."""
    (sigma, rate), other, count = _subsampling(rng), _sigma(rng), int(rng.choice(COUNTS[:3]))
    return _one_sampled("Subsampled Gaussian and Gaussians", sigma, rate, other, count, _DEEPEST)


def waiting_times(rng: np.random.Generator) -> Composition:
    """A mechanism that only the tests know."""
    rate, count = float(1 + 10 ** rng.uniform(-1.5, 0.3)), int(rng.choice((2, 10, 100)))
    exact = partial(waiting_time_log_delta, rate, count)
    return Composition("Waiting times", [(WaitingTime(rate), count)], exact, _SAFE["exact"], False)


def half_normals(rng: np.random.Generator) -> Composition:
    """Half-normal losses with Gaussians: infinite losses in one direction, a jump of the density in the other."""
    mu, count, sigma = _sigma(rng, 0.01, 0.5), int(rng.choice((2, 10, 100))), _sigma(rng, 1.0, 20.0)
    parts = [(HalfNormal(mu), count), (dp.Gaussian(sigma), 1)]
    moments = [(oracles.half_normal_moment(mu), count), (oracles.gaussian_moment(sigma), 1)]
    exact = partial(oracles.contour_log_delta, moments, digits=10)
    return Composition(
        "Half-normal losses and a Gaussian", parts, lambda epsilon, _: exact(epsilon), _SAFE["contour"], True
    )


def many(rng: np.random.Generator) -> Composition:
    """Twelve to sixty different mechanisms, each a few times."""
    number = int(rng.integers(12, 61))
    mechanisms = [(_of_kind("gaussian", 3 * number**0.5, (0.0, 0.0)), number)]
    for kind in rng.choice(KINDS, size=number):
        noise, count = _sigma(rng, 0.7, 2.5) * number**0.5, int(rng.integers(1, 4))
        sampled = (0.0, 0.0)
        if kind == "subsampled":
            sampled = float(rng.uniform(0.8, 2.0)), float(10 ** rng.uniform(-4, -2))
        mechanisms.append((_of_kind(kind, noise, sampled), count))
    return _by_contour("Many different mechanisms", mechanisms)


def deep(rng: np.random.Generator) -> Composition:
    """One deeply subsampled Gaussian among Gaussians, δ down to 1e-300."""
    sigma, rate = float(rng.uniform(0.6, 3.0)), float(10 ** rng.uniform(-7, -3))
    other, count = _sigma(rng, 1.0, 30.0), int(rng.choice(COUNTS[:3]))
    return _one_sampled("Deep subsampling, δ to 1e-300", sigma, rate, other, count, 300)


FAMILIES = (
    (gaussians, 6), (responses, 6), (responses_and_gaussians, 4), (bounded, 6), (mixtures, 4), (subsampled, 3),
    (subsampled_and_gaussians, 3), (waiting_times, 2), (half_normals, 2), (many, 1), (deep, 2),
)  # fmt: skip


def checks(composition: Composition, rng: np.random.Generator, targets: int = TARGETS) -> list[Case]:
    """The cases of one composition: its directions, and so many δ over one decade."""
    bracket = dp.compose(composition.parts, width=1e-4)
    one_sided = composition.family.startswith("Half-normal")
    directions = ("remove",) if composition.symmetric or one_sided else ("add", "remove")
    cases = []
    log_targets = np.log(10.0) * (-rng.uniform(2, composition.deepest - 1) - np.linspace(0, 1, targets))
    for direction in directions:
        lows, highs = bracket.epsilon(log_delta=log_targets, direction=direction)
        lower, upper = bracket.log_delta(highs, direction=direction)
        for target, low, high, under, over in zip(log_targets, lows, highs, lower, upper, strict=True):
            if high == 0:
                continue
            exact = composition.exact(float(high), direction)
            at_low = composition.exact(float(np.nextafter(low, 0.0)), direction) if low > 0 else 0.0
            safe = composition.accuracy * max(1.0, abs(target) / 10)
            inside = [_gap(exact, over), _gap(exact, target), _gap(target, at_low), _gap(under, exact)]
            relative = 0.0 if np.isneginf(over) else float(-np.expm1(under - over))
            made = composition.family, composition.parts, direction, float(target), float(high)
            cases.append(Case(*made, margin=min(inside) + safe, width=min(relative, float((high - low) / high))))
    return cases


def _gap(low: float, high: float) -> float:
    """high − low, where −∞ is below everything and not below itself."""
    return np.inf if np.isneginf(low) else float(high - low)


def cases(number: int, seed: int = 0, targets: int = TARGETS) -> Iterator[list[Case] | None]:
    """The cases of one composition after another, until there are `number`; None where an oracle gave up."""
    plan = [family for family, share in FAMILIES for _ in range(share)]
    done, index = 0, 0
    while done < number:
        rng = np.random.default_rng([seed, index])
        family = plan[(7 * index) % len(plan)]
        index += 1
        try:
            found = checks(family(rng), rng, targets)
        except ArithmeticError:
            yield None
            continue
        found = found[: number - done]
        done += len(found)
        yield found
