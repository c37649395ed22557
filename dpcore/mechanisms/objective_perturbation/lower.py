"""The Gaussian lower bound: what no analysis of objective perturbation can beat."""

from dataclasses import dataclass
from typing import ClassVar

from dpcore.mechanisms.output_perturbation import GaussianShift
from dpcore.profiles import Bound
from dpcore.references import FormulaCard


@dataclass(frozen=True)
class GaussianLowerBound(GaussianShift):
    r"""Lemma 3.4: with a linear loss, objective perturbation is the Gaussian mechanism of sensitivity L and noise σ.

    .. math:: δ(ε) ≥ Φ(Δ/2 − ε/Δ) − e^ε Φ(−Δ/2 − ε/Δ), \quad D_α ≥ αΔ²/2

    Parameters
    ----------
    shift : float > 0, Δ = L/σ.

    References: redberg-koskela-wang-2023 (Lemma 3.4), balle-wang-2018.
    """

    bound: ClassVar[Bound] = Bound.LOWER
    card: ClassVar[FormulaCard] = FormulaCard(
        title="Objective perturbation, Gaussian lower bound",
        latex=(
            r"\delta(\varepsilon)\ge\Phi\!\left(\tfrac{\Delta}{2}-\tfrac{\varepsilon}{\Delta}\right)"
            r"-e^{\varepsilon}\,\Phi\!\left(-\tfrac{\Delta}{2}-\tfrac{\varepsilon}{\Delta}\right)",
            r"D_\alpha\ge\tfrac{\alpha\Delta^2}{2}",
        ),
        symbols={r"\Delta": "gradient bound L divided by noise σ"},
        assumptions=("attained by linear losses; curved losses leak more when the record is removed",),
        references=("redberg-koskela-wang-2023", "balle-wang-2018"),
    )
