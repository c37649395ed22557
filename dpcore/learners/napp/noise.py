"""The noise b of the linear term: spherical Laplace or Gaussian, whole or truncated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import scipy
from scipy import special

from dpcore import validation
from dpcore.errors import ParameterError

# Number of draws tried for a truncation below 0; one is accepted with probability 2^−p at worst. Doubled, fewer cuts
# are refused.
_TRIES = 400


class Noise(ABC):
    """A spherically symmetric law of b in R^p."""

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """One b, shape (size,)."""

    @abstractmethod
    def mean_square(self, size: int) -> float:
        """E‖b‖²."""

    @abstractmethod
    def norm_quantile(self, size: int, probability: float) -> float:
        """The number that ‖b‖ stays below with the given probability."""

    @abstractmethod
    def printed_bound(self, size: int, failure: float, factor: float = 1.0) -> float:
        """The bound on ‖b‖ that the source gives with probability 1 − π, π = `failure`; `factor` is for Gaussian noise.

        References: li-liu-napp (supplement S.6).
        """

    @abstractmethod
    def with_noise(self, share: float) -> Noise:
        """The law of share · b."""

    def truncated(self, size: int, rng: np.random.Generator, cut: float = 0.0) -> np.ndarray:
        """One b given b_j > cut for every j (cut ≤ 0): the noise of NAPP-VS (cut → −∞) and VS+ (cut = 0).

        At 0 it is the folded b, as the law is symmetric; below, rejection (for a Gaussian: coordinate by coordinate, exactly).

        Raises
        ------
        ParameterError
            If cut > 0, or so little of the law lies above it that rejection gives up.
        """
        if checked_cut(cut) == 0:
            return np.abs(self.sample(size, rng))
        for _ in range(_TRIES):
            draw = self.sample(size, rng)
            if draw.min() > cut:
                return draw
        raise ParameterError(
            f"cut = {cut:g} leaves too little of the noise in {size} dimensions: no draw in {_TRIES} had every coordinate above it; "
            "use cut = 0 or a lower cut"
        )


@dataclass(frozen=True)
class SphericalLaplace(Noise):
    r"""Density ∝ exp(−c‖b‖₂).

    .. math:: ‖b‖ ∼ \text{Gamma}(p, \text{scale } 1/c), \quad E‖b‖² = p(p+1)/c²

    so that Var b_j = (p+1)/c². (The source prints shape 1 and variance 2/c²: both hold for p = 1 only.)

    Parameters
    ----------
    rate : c > 0, per unit of gradient

    References: li-liu-napp (Eq. 4, corrected).
    """

    rate: float

    def __post_init__(self) -> None:
        validation.set_checked(self, rate=validation.positive)

    def sample(self, size: int, rng: np.random.Generator) -> np.ndarray:
        size = validation.at_least_one("size", size)
        direction = rng.standard_normal(size)
        return direction / np.linalg.norm(direction) * rng.gamma(size, 1.0 / self.rate)

    def mean_square(self, size: int) -> float:
        return size * (size + 1) / self.rate**2

    def norm_quantile(self, size: int, probability: float) -> float:
        return float(special.gammaincinv(size, probability)) / self.rate

    def printed_bound(self, size: int, failure: float, factor: float = 1.0) -> float:
        """(p/c) log(p/π); it has no factor."""
        return float(size / self.rate * np.log(size / failure))

    def with_noise(self, share: float) -> SphericalLaplace:
        return SphericalLaplace(self.rate / validation.positive("share", share))


@dataclass(frozen=True)
class GaussianNoise(Noise):
    """N(0, σ²I).

    Parameters
    ----------
    sigma : σ > 0, per unit of gradient
    """

    sigma: float

    def __post_init__(self) -> None:
        validation.set_checked(self, sigma=validation.positive)

    def sample(self, size: int, rng: np.random.Generator) -> np.ndarray:
        return self.sigma * rng.standard_normal(size)

    def truncated(self, size: int, rng: np.random.Generator, cut: float = 0.0) -> np.ndarray:
        if checked_cut(cut) in (0.0, -np.inf):
            return super().truncated(size, rng, cut)
        return self.sigma * scipy.stats.truncnorm(cut / self.sigma, np.inf).rvs(size, random_state=rng)

    def mean_square(self, size: int) -> float:
        return size * self.sigma**2

    def norm_quantile(self, size: int, probability: float) -> float:
        return self.sigma * float(np.sqrt(scipy.stats.chi2.ppf(probability, size)))

    def printed_bound(self, size: int, failure: float, factor: float = 1.0) -> float:
        """σ√(2pν log(1/π)), ν the factor; it fails for π near 1."""
        return float(self.sigma * np.sqrt(2.0 * size * factor * -np.log(failure)))

    def with_noise(self, share: float) -> GaussianNoise:
        return GaussianNoise(self.sigma * validation.positive("share", share))


def checked_cut(cut: float) -> float:
    """The truncation point c ≤ 0 of the noise, −∞ for none.

    Raises
    ------
    ParameterError
    """
    if not isinstance(cut, int | float | np.number) or isinstance(cut, bool) or not cut <= 0:
        raise ParameterError(f"cut must be <= 0 (-inf for none), got {cut!r}")
    return float(cut)


def printed_sigma(epsilon: float, delta: float, lipschitz: float, share: float = 0.5) -> float:
    r"""σ of Eq. (4), from the share r of the budget: √(2(rε + log 1/δ)) ζ/(rε).

    References: li-liu-napp (Eq. 4).
    """
    budget = validation.positive("epsilon", epsilon) * _share(share)
    delta = validation.open_probability("delta", delta)
    return validation.positive("lipschitz", lipschitz) * float(np.sqrt(2.0 * (budget - np.log(delta)))) / budget


def corollary_sigma(epsilon: float, delta: float, lipschitz: float) -> float:
    r"""Least σ of Corollary 5 (r = ½): (√(ε − 2 log δ) + √(−2 log δ)) ζ/ε.

    References: li-liu-napp (Corollary 5).
    """
    epsilon = validation.positive("epsilon", epsilon)
    tail = -2.0 * np.log(validation.open_probability("delta", delta))
    return validation.positive("lipschitz", lipschitz) * float(np.sqrt(epsilon + tail) + np.sqrt(tail)) / epsilon


def printed_floor(epsilon: float, smoothness: float, share: float = 0.5) -> float:
    """Λ₀ = ζ₃/(2(1−r)ε), the strong convexity Algorithm 1 asks for.

    References: li-liu-napp (Algorithm 1).
    """
    budget = validation.positive("epsilon", epsilon) * (1.0 - _share(share))
    return validation.positive("smoothness", smoothness) / (2.0 * budget)


def _share(share: float) -> float:
    value = validation.real("share", share)
    if not 0 < value < 1:
        raise ParameterError(f"share must be in (0, 1), got {value:g}")
    return value
