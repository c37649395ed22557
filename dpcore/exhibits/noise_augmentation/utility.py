"""The bounds of the source's utility theory: Lemma 7, Theorems 8 and 10, as printed and as proven."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpcore.glm import Problem
from dpcore.learners.napp.exact import stationary_point
from dpcore.learners.napp.noise import Noise
from dpcore.learners.napp.retrieval import settle
from dpcore.learners.napp.weights import Regularizer, Weighting


@dataclass(frozen=True)
class ExcessRisk:
    r"""Bounds on J(θ^{priv}) − J(θ̂), J = (Σf + ΛR)/n, per record.

    Parameters
    ----------
    n : number of records
    modulus : k = 2 min m, strong convexity of the weighted quadratic (sum form)
    gap : R^{(t)}(θ̂) − ΛR(θ̂) of either sign, in sum form

    References: li-liu-napp (Lemma 7, Theorem 8).
    """

    n: int
    modulus: float
    gap: float

    def lemma_7(self, noise_norm: float) -> float:
        """(‖b‖²/k + gap)/n, as printed."""
        return (noise_norm**2 / self.modulus + self.gap) / self.n

    def proven(self, noise_norm: float) -> float:
        """(‖b‖²/(2k) + gap)/n, the bound for the exact minimiser with ΛR + Λ₀‖θ‖², where k = 2Λ₀ and gap = Λ₀‖θ̂‖²."""
        return (noise_norm**2 / (2 * self.modulus) + self.gap) / self.n

    def theorem_8(
        self, noise: Noise, size: int, failure: float, delta: float | None = None, budget: float = 0.0
    ) -> float:
        r"""B₁ or B₂ as printed: N²[1/k + gap]/n, where N bounds ‖b‖ with probability 1 − π.

        The printed formula multiplies the gap by N² too, but Lemma 7 does not. For Gaussian noise N depends on `delta`
        and `budget` (rε) through log(2/δ), as printed.

        Parameters
        ----------
        noise, size : law of b, and p
        failure : π in (0, 1)
        delta, budget : δ and rε that Gaussian noise was scaled for
        """
        return noise_bound(noise, size, failure, delta, budget) ** 2 / self.n * (1 / self.modulus + self.gap)


def noise_bound(noise: Noise, size: int, failure: float, delta: float | None = None, budget: float = 0.0) -> float:
    r"""‖b‖ ≤ (p/c) log(p/π), or σ√(2p log(1/π)) (times √((rε + log 2/δ)/(rε + log 1/δ)) as printed), as the source bounds it.

    For π near 1 the Gaussian bound does not hold.

    Parameters
    ----------
    noise, size : law of b and p
    failure : π in (0, 1)
    delta : δ that Gaussian noise was scaled for; None for the bound without the printed factor
    budget : rε ≥ 0 that the noise was scaled for, nats

    References: li-liu-napp (supplement S.6).
    """
    factor = 1.0
    if delta is not None:
        factor += float(np.log(2.0) / (budget - np.log(delta)))
    return noise.printed_bound(size, failure, factor)


def sample_complexity(
    target: float, modulus: float, regulariser: float, noise_square: float, failure: float, constant: float = 1.0
) -> float:
    r"""n of Theorem 10; inf if the term with C' alone exceeds the target.

    C = 2N² follows from Lemma 9 for any noise; for Gaussian noise the source prints half of it.

    .. math:: n > \frac{R^{(t)}(θ_0) + C/k}{ϱ + C' \log(π')/(2k)}, \qquad C = 2N²

    Parameters
    ----------
    target : ϱ > 0, allowed excess of the expected loss per record
    modulus : k
    regulariser : R^{(t)}(θ₀), sum form
    noise_square : N², square of the bound on ‖b‖
    failure : π' in (0, 1)
    constant : C' > 0, which exists by the theorem but is not given

    References: li-liu-napp (Theorem 10, corrected, Lemma 9).
    """
    left = target + constant * float(np.log(failure)) / (2 * modulus)
    return (regulariser + 2 * noise_square / modulus) / left if left > 0 else np.inf


@dataclass(frozen=True)
class Measured:
    """One draw of b: the excess of J per record, measured and bounded.

    Parameters
    ----------
    excess : excess of the certified form, the exact minimiser
    proven : its bound, `ExcessRisk.proven`
    first : excess of the first iteration, a ridge with weight Λ₀
    lemma_7_first : the printed bound at t = 1
    """

    excess: float
    proven: float
    first: float
    lemma_7_first: float


def excess_bounds(best: np.ndarray, n: int, regularizer: Regularizer, floor: float) -> tuple[ExcessRisk, ExcessRisk]:
    """Bounds for the certified form, and for the first iteration as in Lemma 7; `best` is θ̂, array (n_features,)."""
    weighting = Weighting(regularizer, floor)
    start, target, squares = float(weighting.first(1)[0]), float(regularizer.value(best).sum()), float(best @ best)
    first = ExcessRisk(n, 2 * start, start * squares - target)
    return first if weighting.fixed else ExcessRisk(n, 2 * start, floor * squares), first


def simulate_excess(
    problem: Problem, regularizer: Regularizer, floor: float, noise: Noise, draws: int, rng: np.random.Generator
) -> Iterator[Measured]:
    """Measured excess of the certified form over draws of b, with its own bound and that of Lemma 7 at t = 1.

    Parameters
    ----------
    problem : Problem of the data, without a linear term
    regularizer : ridge, lasso or elastic net
    floor : Λ₀
    noise : law of b
    draws : whole number ≥ 1
    rng : random generator
    """
    weighting = Weighting(regularizer, floor)
    best = stationary_point(problem, Weighting(regularizer, 0.0)).theta
    exact, first = excess_bounds(best, problem.n_samples, regularizer, floor)

    def risk(theta: np.ndarray) -> float:
        return (problem.value(theta) + float(regularizer.value(theta).sum())) / problem.n_samples

    least = risk(best)
    for _ in range(draws):
        b = noise.sample(problem.n_features, rng)
        norm = float(np.linalg.norm(b))
        last, start = (settle(problem, weighting, b, limit=limit).theta for limit in (None, 1))
        yield Measured(risk(last) - least, exact.proven(norm), risk(start) - least, first.lemma_7(norm))
