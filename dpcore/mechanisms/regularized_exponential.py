"""The regularised exponential mechanism: one draw from a strongly log-concave density over a convex set."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from scipy import optimize

from dpcore import validation
from dpcore.errors import CalibrationError
from dpcore.mechanisms.entry import entry
from dpcore.mechanisms.pairs import Pair, normal_on_line
from dpcore.mechanisms.shifted_normal import ShiftedNormal, log_shifted_normal
from dpcore.numerics import LARGEST_EXPONENT
from dpcore.profiles import Bound
from dpcore.references import FormulaCard, formula_card


@dataclass(frozen=True)
class RegularizedExponential(ShiftedNormal):
    r"""One draw from the density ∝ exp(−k(f(x) + (μ/2)‖x‖²)) on a convex set, f the mean of n convex losses.

    .. math:: δ(ε) ≤ Φ(Δ/2 − ε/Δ) − e^ε Φ(−Δ/2 − ε/Δ), \quad Δ = \frac{2G\sqrt k}{n\sqrt μ}

    Replacing one of n records moves f by a 2G/n-Lipschitz function, and so does adding the n-th record or removing it:
    the profile holds for both kinds of neighbours when n counts the larger data set. Linear losses on the whole space
    attain it.

    Parameters
    ----------
    k : float > 0
        Inverse temperature.
    mu : float > 0
        Weight μ of the quadratic term.
    lipschitz : float > 0
        G: every record's loss is convex and G-Lipschitz on the set.
    n : int ≥ 1
        Number of records, public.

    References: lecture-12 (Theorems 2, 3, Lemma 2), gopi-lee-liu-2022.
    """

    k: float
    mu: float
    lipschitz: float = 1.0
    n: int = 100

    bound: ClassVar[Bound] = Bound.UPPER
    card: ClassVar[FormulaCard] = formula_card(__file__, "regularized_exponential")

    def __post_init__(self) -> None:
        validation.set_checked(self, **dict.fromkeys(("k", "mu", "lipschitz"), validation.moderate))
        validation.set_checked(self, n=validation.at_least_one)

    @property
    def shift(self) -> float:
        """Δ = 2G√k/(n√μ), dimensionless."""
        return 2 * self.lipschitz * math.sqrt(self.k) / (self.n * math.sqrt(self.mu))

    def pair(self) -> Pair:
        """Linear losses on the whole line, which attain the bound."""
        return normal_on_line((self.k * self.mu) ** -0.5, 2 * self.lipschitz / (self.n * self.mu))

    def with_noise(self, share: float) -> RegularizedExponential:
        return replace(self, k=self.k * validation.positive("share", share) ** -2)

    @classmethod
    def calibrated(
        cls, epsilon: float, delta: float, *, n: int, dimension: int, lipschitz: float, radius: float
    ) -> RegularizedExponential:
        r"""The (k, μ) of least excess-risk bound d/k + μB²/2 within a budget.

        .. math:: μ = \frac{2\sqrt2 G\sqrt d}{nΔB}, \quad k = \frac{\sqrt d nΔ}{\sqrt2 GB}, \quad δ_\text{Gauss}(ε; Δ) = δ

        Parameters
        ----------
        epsilon : float ≥ 0, nats
        delta : float in (0, 1)
        n, dimension : int ≥ 1
        lipschitz : G > 0
        radius : B > 0, bound on the norm of the minimiser

        Raises
        ------
        CalibrationError
            If the budget allows no noise level in the range of ordinary floats.
        """
        n, d = validation.at_least_one("n", n), validation.at_least_one("dimension", dimension)
        lipschitz, radius = validation.moderate("lipschitz", lipschitz), validation.moderate("radius", radius)
        shift = gaussian_shift(epsilon, delta) * (1 - 1e-12)
        k = math.sqrt(d) * n * shift / (math.sqrt(2) * lipschitz * radius)
        found = cls(k, 4 * lipschitz**2 * k / (n * shift) ** 2, lipschitz, n)
        if not float(found.delta(epsilon)) <= delta:
            raise CalibrationError(f"no (k, mu) in the range of ordinary numbers gives ({epsilon:g}, {delta:g})-DP")
        return found

    def excess_risk(self, dimension: int, radius: float) -> float:
        """d/k + μB²/2: bound on the expected excess of f over its minimum, in the units of f.

        Parameters
        ----------
        dimension : int ≥ 1
        radius : B > 0, norm of a minimiser of f in the set; the set contains 0.
        """
        d = validation.at_least_one("dimension", dimension)
        return d / self.k + self.mu * validation.positive("radius", radius) ** 2 / 2


def gaussian_shift(epsilon: float, delta: float) -> float:
    """Δ* with δ_Gauss(ε; Δ*) = δ: the largest shift of a Gaussian in its own standard deviations that the budget allows.

    Parameters
    ----------
    epsilon : float ≥ 0, nats
    delta : float in (0, 1)
    """
    epsilon = validation.non_negative("epsilon", epsilon)
    log_target = math.log(validation.open_probability("delta", delta))

    def excess(log_shift: float) -> float:
        return float(log_shifted_normal(epsilon, math.exp(log_shift))) - log_target

    ends = (-LARGEST_EXPONENT, LARGEST_EXPONENT / 2)  # every shift whose square is an ordinary number
    return math.exp(optimize.brentq(excess, *ends, xtol=1e-14, rtol=1e-14))


ENTRY = entry("regularized_exponential", "Regularised exponential", RegularizedExponential, RegularizedExponential.card)
