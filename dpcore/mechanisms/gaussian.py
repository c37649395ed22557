"""The Gaussian mechanism: exact profile without cancellation, for any noise from 1e-6 to 1e6 sensitivities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from dpcore import validation
from dpcore.mechanisms.entry import entry
from dpcore.mechanisms.pairs import Pair, normal_on_line
from dpcore.mechanisms.shifted_normal import ShiftedNormal
from dpcore.references import FormulaCard, formula_card


@dataclass(frozen=True)
class Gaussian(ShiftedNormal):
    r"""Adds N(0, σ²I) to a quantity of ℓ2-sensitivity Δ₂. Exact.

    .. math:: δ(ε) = Φ(Δ/2 − ε/Δ) − e^ε Φ(−Δ/2 − ε/Δ), \quad Δ = Δ₂/σ

    Parameters
    ----------
    sigma : float > 0
        Standard deviation of the noise, in the units of the released quantity.
    sensitivity : float > 0
        ℓ2-sensitivity in the same units.

    References: balle-wang-2018, dong-roth-su-2022, mironov-2017, redberg-koskela-wang-2023 (Theorem B.1, Eq. B.1).
    """

    sigma: float
    sensitivity: float = 1.0

    card: ClassVar[FormulaCard] = formula_card(__file__, "gaussian")

    def __post_init__(self) -> None:
        validation.set_checked(self, sigma=validation.positive, sensitivity=validation.positive)
        validation.moderate("sensitivity/sigma", self.shift)

    @property
    def shift(self) -> float:
        """Δ = sensitivity/σ, dimensionless."""
        return self.sensitivity / self.sigma

    @property
    def normal_shift(self) -> float:
        return self.shift

    def pair(self) -> Pair:
        return normal_on_line(self.sigma, self.sensitivity)

    def with_noise(self, share: float) -> Gaussian:
        return replace(self, sigma=self.sigma * validation.positive("share", share))


ENTRY = entry("gaussian", "Gaussian", Gaussian, Gaussian.card)
