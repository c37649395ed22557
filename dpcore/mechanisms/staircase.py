"""The staircase mechanism: the pure ε-DP noise on one number that has the least mean error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.mechanisms.entry import entry
from dpcore.mechanisms.pairs import Densities, Pair
from dpcore.mechanisms.three_losses import ThreeLosses
from dpcore.numerics import NEGLIGIBLE
from dpcore.references import FormulaCard, formula_card


@dataclass(frozen=True, init=False, repr=False)
class Staircase(ThreeLosses):
    r"""Adds noise whose density falls by e^{−ε₀} at each step: the first at ±γ, the others one sensitivity apart. Exact.

    .. math:: f(x) = a \, e^{−ε₀ ⌈|x| − γ⌉_+}, \quad a = \frac{1 − e^{−ε₀}}{2(γ + (1−γ)e^{−ε₀})}

    The record moves the answer by its full sensitivity, which is the worst shift: the density is symmetric and falls outwards.

    Parameters
    ----------
    epsilon : float > 0
        ε₀, the pure-DP budget in nats; kept as `pure_epsilon` because `epsilon` is the method ε(δ).
    gamma : float in (0, 1) or None
        Half of the width of the top step, in sensitivities; None for the γ of least mean error, 1/(1 + e^{ε₀/2}).

    References: geng-viswanath-2016.
    """

    pure_epsilon: float
    gamma: float

    card: ClassVar[FormulaCard] = formula_card(__file__, "staircase")

    def __init__(self, epsilon: float, gamma: float | None = None) -> None:
        object.__setattr__(self, "pure_epsilon", validation.moderate("epsilon", epsilon))
        best = 1 / (1 + np.exp(self.pure_epsilon / 2))
        object.__setattr__(self, "gamma", float(best) if gamma is None else validation.positive("gamma", gamma))
        if self.gamma >= 1:
            raise ParameterError(f"gamma must be < 1, got {gamma}")

    def __repr__(self) -> str:
        return f"Staircase(epsilon={self.pure_epsilon!r}, gamma={self.gamma!r})"

    @property
    def _fall(self) -> float:
        """e^{−ε₀}, the factor by which the density falls from one step to the next."""
        return float(np.exp(-self.pure_epsilon))

    @property
    def _top(self) -> float:
        """Height a of the top step."""
        return float(-np.expm1(-self.pure_epsilon) / (2 * (self.gamma + (1 - self.gamma) * self._fall)))

    @property
    def log_truth(self) -> float:
        """log P(loss = ε₀): ½ for noise that points away from the other answer, and a strip of the top step."""
        return float(np.log(0.5 + self._top * min(self.gamma, 1 - self.gamma)))

    @property
    def rest(self) -> float:
        """P(loss = 0) in units of P(loss = −ε₀). The loss is 0 where both densities are equal, between the answers."""
        level = self._top * (self._fall if self.gamma < 0.5 else 1.0)
        return abs(1 - 2 * self.gamma) * level / (self._fall * np.exp(self.log_truth))

    @property
    def mean_error(self) -> float:
        """E|X|, in sensitivities."""
        gamma, fall = self.gamma, self._fall
        within = (gamma**2 + fall * (1 - gamma**2)) / (gamma + fall * (1 - gamma)) / 2
        return within + fall / -np.expm1(-self.pure_epsilon)

    def pair(self) -> Pair:
        steps = int(np.ceil(NEGLIGIBLE / self.pure_epsilon))
        edges = self.gamma + np.arange(steps)
        edges = np.concatenate([-edges[::-1], edges])

        def log_density(x: np.ndarray) -> np.ndarray:
            return np.log(self._top) - self.pure_epsilon * np.maximum(np.ceil(np.abs(x) - self.gamma), 0.0)

        def log_present(x: np.ndarray) -> np.ndarray:
            return log_density(x - 1)

        return Pair(
            self._draw, lambda count, rng: 1 + self._draw(count, rng),
            lambda x: log_present(x[:, 0]) - log_density(x[:, 0]), lambda x: x[:, 0],
            Densities(log_density, log_present, tuple(np.union1d(edges, edges + 1).tolist())),
            "a query that the record moves by its full sensitivity",
        )  # fmt: skip

    def _draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws the sign, the number of whole steps and the place on the last step: Algorithm 1 of the source."""
        fall, gamma, size = self._fall, self.gamma, (count, 1)
        steps = rng.geometric(-np.expm1(-self.pure_epsilon), size) - 1.0
        upper = rng.random(size) < gamma / (gamma + (1 - gamma) * fall)
        place = rng.random(size)
        inside = np.where(upper, gamma * place, gamma + (1 - gamma) * place)
        return np.where(rng.random(size) < 0.5, -1.0, 1.0) * (steps + inside)

    def with_noise(self, share: float) -> Staircase:
        return Staircase(self.pure_epsilon / validation.positive("share", share), self.gamma)


def _stated(epsilon: float, gamma: float) -> Staircase:
    return Staircase(epsilon, validation.positive("gamma", gamma))


ENTRY = entry("staircase", "Staircase", _stated, Staircase.card)
