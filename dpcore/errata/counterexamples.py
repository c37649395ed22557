"""One record, lasso, one dimension: how far noise-augmented training falls short of the pure ε its source claims.

Squared loss ½(θ − y)² with |θ − y| ≤ 1 (so ζ = 1), Laplace noise b of rate c = rε, Λ₀ = 1/(2(1−r)ε), and the realised
lasso of the printed weights, 2Λ|θ|. Without the record the data set is empty.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dpcore import validation
from dpcore.numerics import panel_rule

_NODES = 20  # nodes on a panel
_PANELS = 200  # number of panels between two kinks
_REACH = 60.0  # half-width of the range of noise, in scales of the noise; the mass beyond is below 1e-26


@dataclass(frozen=True)
class Scalar:
    """The one-dimensional setting.

    Parameters
    ----------
    epsilon : claimed ε > 0, nats
    strength : Λ ≥ 0
    share : r in (0, 1), part of ε spent on the noise
    target : y in [−1, 1]
    """

    epsilon: float = 1.0
    strength: float = 1.0
    share: float = 0.5
    target: float = 1.0

    def __post_init__(self) -> None:
        validation.positive("epsilon", self.epsilon)
        validation.non_negative("strength", self.strength)
        validation.open_probability("share", self.share)
        validation.real_array("target", self.target, low=-1.0, high=1.0)

    @property
    def rate(self) -> float:
        """c = rε."""
        return self.share * self.epsilon

    @property
    def floor(self) -> float:
        """Λ₀."""
        return 1 / (2 * (1 - self.share) * self.epsilon)

    def slope(self, theta: np.ndarray, present: bool) -> np.ndarray:
        """f'(θ) of the record, clipped to ±1; 0 without the record."""
        return np.clip(theta - self.target, -1.0, 1.0) if present else np.zeros_like(theta)

    def below(self, x: float) -> float:
        """P[b < x] of the Laplace noise."""
        return 0.5 * np.exp(self.rate * x) if x < 0 else 1 - 0.5 * np.exp(-self.rate * x)

    def density(self, b: np.ndarray) -> np.ndarray:
        """Density of the Laplace noise."""
        return 0.5 * self.rate * np.exp(-self.rate * np.abs(b))

    def atom(self, present: bool) -> float:
        """P[θ = 0] of any form whose penalty has the slopes ±2Λ at 0."""
        pull = float(self.slope(np.zeros(()), present))
        return self.below(2 * self.strength - pull) - self.below(-2 * self.strength - pull)

    def law(self, theta: np.ndarray, present: bool) -> np.ndarray:
        """Density of θ ≠ 0 in the sum form, penalty Λ₀θ² + 2Λ|θ|."""
        force = self.slope(theta, present) + 2 * self.floor * theta + 2 * self.strength * np.sign(theta)
        bend = 2 * self.floor + (np.abs(theta - self.target) < 1 if present else 0.0)
        return self.density(-force) * bend

    def grid(self) -> np.ndarray:
        """Edges of panels over all θ of the sum form, broken where a density has a kink."""
        far = (_REACH / self.rate + 2) / (2 * self.floor)
        kinks = [0.0, self.target - 1, self.target, self.target + 1, *self._turns()]
        breaks = np.unique(np.clip([-far, *kinks, far], -far, far))
        pieces = [np.linspace(low, high, _PANELS + 1) for low, high in pairwise(breaks)]
        return np.unique(np.concatenate(pieces))

    def _turns(self) -> list[float]:
        """θ to which the noise 0 leads, with the record's gradient unclipped, or clipped."""
        force = [self.target - 2 * self.strength, self.target + 2 * self.strength]
        inner = [one / (1 + 2 * self.floor) for one in force]
        outer = [(side - 2 * self.strength * sign) / (2 * self.floor) for side in (-1, 1) for sign in (-1, 1)]
        return inner + outer


def moor_delta(setting: Scalar) -> float:
    r"""δ at the claimed pure ε of MOOR at convergence: penalty slope max{2Λ, 2Λ₀|θ|}·sgn θ.

    Between 0 and Λ/Λ₀ the penalty does not bend. Without the record the objective then has no minimiser there (it jumps over
    the gap); with it, it has. No ε covers outcomes of that gap:

    .. math:: δ = P'[0 < θ < Λ/Λ_0] = P\Big[b ∈ \big(−2Λ − f'(Λ/Λ_0), \; −2Λ − f'(0)\big)\Big]

    A gap on the other side of 0 counts as well. (δ counts the gap only, so it is a lower bound.)
    """
    edge = setting.strength / setting.floor
    total = 0.0
    for side in (-1.0, 1.0):
        ends = -side * 2 * setting.strength - setting.slope(np.array([0.0, side * edge]), True)
        total += abs(setting.below(float(ends[0])) - setting.below(float(ends[1])))
    return float(total)


def vs_plus_delta(setting: Scalar) -> float:
    """δ at the claimed pure ε of VS+: noise b ≥ 0 on |θ|, so that the empty data set always answers 0.

    .. math:: δ = P'[θ ≠ 0] = P[b < |f'(0)| − 2Λ], \\qquad b ∼ c e^{−cb} \\text{ on } b ≥ 0
    """
    margin = abs(float(setting.slope(np.zeros(()), True))) - 2 * setting.strength
    return float(-np.expm1(-setting.rate * margin)) if margin > 0 else 0.0


def retrieval_delta(setting: Scalar) -> float:
    r"""δ at the budget that is left after retrieval, which itself depends on θ, for the sum form.

    .. math:: δ = ∫ \big[p'(θ) − e^{ε − Δ_ε(θ)} p(θ)\big]_+ dθ, \qquad Δ_ε(θ) = (1−r)ε \frac{Λ}{Λ + Λ_0|θ|}
    """
    theta, mass = panel_rule(setting.grid(), _NODES)
    weight = setting.strength + setting.floor * np.abs(theta)
    returned = np.divide(setting.strength, weight, out=np.ones_like(weight), where=weight > 0) / (2 * setting.floor)
    excess = setting.law(theta, True) - np.exp(setting.epsilon - returned) * setting.law(theta, False)
    outside = float((mass * np.maximum(excess, 0.0)).sum())
    at_zero = setting.atom(True) - np.exp(setting.rate) * setting.atom(False)
    return outside + max(0.0, at_zero)


def certified_delta(setting: Scalar) -> float:
    """δ of the sum form with fixed weights at its certified ε = c + log(1 + 1/(2Λ₀)); 0 up to quadrature."""
    bound = np.exp(setting.rate + np.log1p(1 / (2 * setting.floor)))
    theta, mass = panel_rule(setting.grid(), _NODES)
    worst = 0.0
    for present in (True, False):
        excess = setting.law(theta, present) - bound * setting.law(theta, not present)
        at_zero = setting.atom(present) - bound * setting.atom(not present)
        worst = max(worst, float((mass * np.maximum(excess, 0.0)).sum()) + max(0.0, at_zero))
    return worst
