"""Composition through privacy-loss distributions: certified curves on both sides, at any ε."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from dpcore.accountants.parts import Parts, side_of
from dpcore.accountants.pld.accountant import Accountant
from dpcore.accountants.pld.inverse import root_near
from dpcore.accountants.rdp import RenyiComposition
from dpcore.profiles import DIRECTIONS, OPPOSITE, Bound, PrivacyProfile
from dpcore.profiles.profile import reflect
from dpcore.references import FormulaCard

_INVISIBLE = -42.0  # log δ that makes no difference beside 1


@dataclass(frozen=True)
class ComposedCurve(PrivacyProfile):
    r"""One side of the composition of `parts`, through its privacy-loss distribution.

    .. math:: δ(ε) = E\left[\left(1 − e^{ε − Σω}\right)_+\right], \quad ω_j \text{ with } H_j(ε) = E[(1 − e^{ε−ω_j})_+]

    Parameters
    ----------
    parts : ((mechanism, count), …)
    side : "upper" or "lower"
    width : float, relative width of δ between the two sides that the grid is chosen for.
    max_points : int, largest size of a transform; where it is reached, the width is larger.

    References: doroshenko-et-al-2022, gopi-lee-wutschitz-2021, zhu-dong-wang-2022.
    """

    parts: Parts
    side: str
    width: float
    max_points: int
    accountant: Accountant = field(repr=False, compare=False, default=None)  # type: ignore[assignment]  # made here

    card: ClassVar[FormulaCard] = FormulaCard(
        title="Privacy-loss distributions",
        latex=(
            r"\delta(\varepsilon)=\mathbb{E}\left[\left(1-e^{\varepsilon-\sum_j\omega_j}\right)_+\right],\qquad"
            r"\mathbb{P}(\omega_j>\varepsilon)=\delta_j(\varepsilon)-\delta_j'(\varepsilon)",
            r"p_i=\frac{F_{i+1}-F_i}{e^h-1}-\frac{F_i-F_{i-1}}{1-e^{-h}}",
        ),
        symbols={
            r"\omega_j": "privacy loss of mechanism j, its law read off the profile",
            "F_i": "profile at the grid point ih: from above for the upper side, from below for the lower",
            "h": "grid width, refined until the bracket is as narrow as asked",
        },
        assumptions=(
            "each step's curve holds whatever the earlier answers were (adaptive composition)",
            "truncated mass, wrapped mass and Fourier round-off are added to the upper and taken from the lower side",
        ),
        references=("doroshenko-et-al-2022", "gopi-lee-wutschitz-2021", "zhu-dong-wang-2022"),
        code="dpcore.accountants.pld.ComposedCurve",
    )

    def __post_init__(self) -> None:
        if self.accountant is None:
            object.__setattr__(self, "accountant", Accountant(self.parts, self.width, self.max_points))

    @property
    def bound(self) -> Bound:
        return side_of(self.parts, Bound.UPPER if self.side == "upper" else Bound.LOWER)

    @property
    def is_slow(self) -> bool:
        return True

    @property
    def symmetric(self) -> bool:
        return self.accountant.symmetric

    @property
    def evaluation_error(self) -> float:
        return self.width

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return self.accountant.direction(direction).log_delta(epsilon, self.side)

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        names = DIRECTIONS if direction == "both" else (direction,)
        states = [self.accountant.direction(name) for name in names]
        guesses = [state.guess(targets[0]) for state in states]
        epsilon = np.maximum.reduce([guess for guess, _ in guesses])
        step = np.maximum.reduce([step for _, step in guesses])
        top = max(state.top for state in states)
        never = np.isneginf(targets[0])
        found = root_near(excess, tuple(np.where(never, 0.0, target) for target in targets), epsilon, step)
        return np.where(never, top, found)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return np.asarray(RenyiComposition(self.parts).renyi(alpha, direction=direction))

    def _duality_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        states = self.accountant.directions.values()
        enough = max(float(state.guess(np.array(_INVISIBLE))[0]) for state in states)
        size = np.minimum(np.abs(epsilon), enough)
        right = self.log_delta(size, direction=direction)
        if not np.any(epsilon < 0):
            return right
        left = right if direction == "both" else self.log_delta(size, direction=OPPOSITE[direction])
        return np.where(epsilon < 0, reflect(np.minimum(epsilon, 0.0), left), right)
