"""Private hyper-parameter tuning: the best of a random number of runs of one mechanism."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile
from dpcore.profiles.renyi import EXCESS_ORDERS, RenyiCurve
from dpcore.references import FormulaCard, formula_card

DISTRIBUTIONS = ("poisson", "negative_binomial")
# A δ that adds nothing visible to a divergence. The base is asked for no smaller δ, and no rate γ is smaller.
_INVISIBLE = np.finfo(float).eps


@dataclass(frozen=True)
class Tuned(RenyiCurve):
    r"""Runs `base` K times, K random, on the same data and releases only the best result. Upper bound.

    With D_α the Rényi curve and δ(ε) the profile of `base`, for any α > 1:

    .. math::
        D'_α &≤ D_α + μ\,δ\!\left(\log\tfrac{α}{α−1}\right) + \frac{\log μ}{α−1}, && K \sim \text{Poisson}(μ) \\
        D'_α &≤ D_α + (1+η) \min_{β≥1} \left[(1−\tfrac1β) D_β + \tfrac1β \log\tfrac1γ\right] + \frac{\log E[K]}{α−1},
             && K \sim \text{truncated negative binomial}(η, γ)

    and since D'_α increases with α, the least of these bounds over all larger orders.

    Parameters
    ----------
    base : PrivacyProfile
        One training run together with its score; runs must be independent and identically distributed given the data,
        and the choice of hyper-parameters part of the run.
    distribution : "poisson" or "negative_binomial"
        Law of K. With "poisson" K may be 0: the release is then a fixed answer that ignores the data.
    mean : float
        E[K]: ≥ 1 for "poisson", > 1 for "negative_binomial".
    shape : float > −1
        η of the truncated negative binomial: 1 is the geometric law, 0 the logarithmic one.

    Attributes
    ----------
    rate : float
        γ of the truncated negative binomial with this mean and shape.

    References: papernot-steinke-2022, canonne-kamath-steinke-2020.
    """

    base: PrivacyProfile
    distribution: str = "poisson"
    mean: float = 10.0
    shape: float = 1.0
    rate: float = field(init=False, repr=False, compare=False, default=1.0)

    card: ClassVar[FormulaCard] = formula_card(__file__, "tuned")

    def __post_init__(self) -> None:
        if not isinstance(self.base, PrivacyProfile):
            raise ParameterError(f"base must be a mechanism such as dp.Gaussian(sigma=1.0), got {self.base!r}")
        if self.base.bound in (Bound.LOWER, Bound.ESTIMATE):
            raise ParameterError(f"base must be exact or an upper bound, got {self.base!r}, a {self.base.bound.value}")
        validation.choice("distribution", self.distribution, DISTRIBUTIONS)
        validation.set_checked(self, mean=validation.positive, shape=validation.real)
        if self.mean < 1:
            raise ParameterError(f"mean must be >= 1, got {self.mean}")
        if self.distribution == "negative_binomial" and self.mean == 1:
            raise ParameterError(
                "mean must be > 1 for the truncated negative binomial, got 1.0: one run needs no tuning"
            )
        if self.shape <= -1:
            raise ParameterError(f"shape must be > -1, got {self.shape}")
        if self.distribution == "negative_binomial":
            object.__setattr__(self, "rate", self._rate())

    @property
    def bound(self) -> Bound:
        return Bound.CLAIMED if self.base.bound is Bound.CLAIMED else Bound.UPPER

    @property
    def symmetric(self) -> bool:
        return self.base.symmetric

    def _rate(self) -> float:
        """γ of the truncated negative binomial with this mean and shape."""

        def log_excess(log_rate: float) -> float:
            return float(np.log(negative_binomial_mean(self.shape, np.exp(log_rate))) - np.log(self.mean))

        low = np.log(_INVISIBLE)
        if log_excess(low) < 0:
            raise ParameterError(f"mean {self.mean:g} is out of reach for shape {self.shape:g}: raise the shape")
        return float(np.exp(brentq(log_excess, low, -1e-12, xtol=1e-14)))

    @cached_property
    def _price(self) -> float:
        """(1+η) min_β [(1 − 1/β) D_β + log(1/γ)/β], over both directions."""
        beta = np.append(1.0, 1 + EXCESS_ORDERS)
        divergence = np.asarray(self.base.renyi(beta))
        with np.errstate(invalid="ignore"):
            weighted = np.where(beta == 1, 0.0, (1 - 1 / beta) * divergence)
        return float((1 + self.shape) * np.min(weighted - np.log(self.rate) / beta))

    @cached_property
    def _surcharge(self) -> np.ndarray:
        """What the law of K adds beside log E[K]/(α−1), at each order of the grid and at ∞."""
        if self.distribution == "negative_binomial":
            return np.full(EXCESS_ORDERS.size + 1, self._price)
        epsilon = np.minimum(np.append(np.log1p(1 / EXCESS_ORDERS), 0.0), self.base.epsilon(_INVISIBLE))
        return self.mean * np.asarray(self.base.delta(epsilon))

    def _bound_at(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        """The bound of the class docstring. The surcharge grows with α; it is taken at the next order of the grid."""
        order = np.maximum(alpha - 1, np.finfo(float).tiny)
        spent = np.minimum(np.log(self.mean) / order, np.finfo(float).max)
        surcharge = self._surcharge[np.searchsorted(EXCESS_ORDERS, alpha - 1)]
        return np.asarray(self.base.renyi(alpha, direction=direction)) + spent + surcharge

    @cached_property
    def _least(self) -> dict[str, np.ndarray]:
        """For each direction the least bound from each order of the grid on."""
        names = DIRECTIONS[:1] if self.symmetric else DIRECTIONS
        bounds = {name: self._bound_at(1 + EXCESS_ORDERS, name) for name in names}
        return {name: np.append(np.minimum.accumulate(row[::-1])[::-1], np.inf) for name, row in bounds.items()}

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        later = self._least[DIRECTIONS[0] if self.symmetric else direction][np.searchsorted(EXCESS_ORDERS, alpha - 1)]
        return np.minimum(self._bound_at(alpha, direction), later)


def negative_binomial_mean(shape: float, rate: float) -> float:
    """E[K] for P[K = k] ∝ (1−γ)^k Π_{l<k} (l+η)/(l+1), k ≥ 1: η(1−γ)/(γ(1−γ^η)), and (1/γ − 1)/log(1/γ) at η = 0."""
    if shape == 0:
        return (1 / rate - 1) / -np.log(rate)
    return shape * (1 - rate) / (rate * -np.expm1(shape * np.log(rate)))
