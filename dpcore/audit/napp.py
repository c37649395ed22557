"""Noise-augmented training under attack in one dimension: exact output laws, and δ at the budget the source claims."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy import stats
from scipy.optimize import elementwise

from dpcore import validation
from dpcore.learners.napp.guarantee import SphericalObjectivePerturbation
from dpcore.learners.napp.noise import printed_floor
from dpcore.learners.napp.weights import SMALLEST, Regularizer, Weighting
from dpcore.numerics import NEGLIGIBLE, panel_rule

GAME_VARIANTS = {
    "certified": "certified sum form",
    "moor": "MOOR (max)",
    "vs_plus": "VS+ (b ≥ 0)",
    "retrieval": "budget returned",
}
_NODES = 16  # nodes on a panel; doubled, an attack takes twice as long
_PANELS = 40  # number of panels between two breaks: a change of sign inside one then costs less than 1e-6


@dataclass(frozen=True)
class Scenario:
    r"""One record joins a data set, in one dimension.

    The loss is the squared one with its gradient clipped to ±ζ, f'(θ) = max{−ζ, min{ζ, θ − y}}, so that the assumptions of
    the source hold: L = ζ, β = 1. The data are `others` records with x = 1 and target `others_target`.

    Parameters
    ----------
    epsilon : claimed ε > 0, nats
    strength : Λ ≥ 0 of the lasso
    target : y of the record that joins
    others : number of other records ≥ 0
    others_target : their y
    lipschitz : ζ > 0
    share : r in (0, 1)
    """

    epsilon: float = 1.0
    strength: float = 2.0
    target: float = 1.0
    others: int = 0
    others_target: float = 0.0
    lipschitz: float = 1.0
    share: float = 0.5

    def __post_init__(self) -> None:
        validation.set_checked(self, epsilon=validation.positive, strength=validation.non_negative)
        validation.set_checked(
            self, target=validation.real, others_target=validation.real, lipschitz=validation.positive
        )
        object.__setattr__(self, "others", validation.integer("others", self.others, minimum=0))
        printed_floor(self.epsilon, 1.0, self.share)

    @property
    def rate(self) -> float:
        """c = rε/ζ, of the Laplace noise."""
        return self.share * self.epsilon / self.lipschitz

    @property
    def floor(self) -> float:
        """Λ₀ = 1/(2(1−r)ε)."""
        return printed_floor(self.epsilon, 1.0, self.share)

    def weighting(self, variant: str) -> Weighting:
        """The lasso with corrected weights, in the form the variant uses."""
        return Weighting(Regularizer("lasso", self.strength), self.floor, "moor" if variant == "moor" else "sum")

    @property
    def certified(self) -> SphericalObjectivePerturbation:
        """What is proven for the sum form at this noise and Λ₀."""
        return SphericalObjectivePerturbation(self.rate, self.floor, self.lipschitz, 1.0)

    def slope(self, theta: np.ndarray, present: bool) -> np.ndarray:
        """Derivative of the loss of the data, with or without the record."""
        total = self.others * np.clip(theta - self.others_target, -self.lipschitz, self.lipschitz)
        return total + (np.clip(theta - self.target, -self.lipschitz, self.lipschitz) if present else 0.0)

    def curvature(self, theta: np.ndarray, present: bool) -> np.ndarray:
        """Second derivative of the same."""
        total = self.others * (np.abs(theta - self.others_target) < self.lipschitz).astype(float)
        return total + ((np.abs(theta - self.target) < self.lipschitz) if present else 0.0)


@dataclass(frozen=True, eq=False)
class Law:
    """Law of the output θ: an atom at 0 and a density elsewhere.

    Parameters
    ----------
    atom : P(θ = 0)
    density : function of θ ≠ 0
    breaks : where the density may jump
    needed : the noise b that leads to θ, a function of θ ≠ 0 that is straight between breaks
    """

    atom: float
    density: Callable[[np.ndarray], np.ndarray]
    breaks: tuple[float, ...]
    needed: Callable[[np.ndarray], np.ndarray]


def law(scenario: Scenario, variant: str, present: bool) -> Law:
    """Exact law of θ in the limit n_e → ∞, T → ∞, by the change of variables from b."""
    validation.choice("variant", variant, GAME_VARIANTS)
    weighting, rate = scenario.weighting(variant), scenario.rate
    push, zero = weighting.slope, np.zeros(1)
    pull = float(scenario.slope(zero, present)[0])
    half = variant == "vs_plus"

    def needed(theta: np.ndarray) -> np.ndarray:
        """The b that leads to θ. For VS+ a negative value means that no b does."""
        total = scenario.slope(theta, present) + weighting.pull(np.abs(theta)) * np.sign(theta)
        return -total * np.sign(theta) if half else -total

    def density(theta: np.ndarray) -> np.ndarray:
        b = needed(theta)
        noise = np.where(b >= 0, rate, 0.0) if half else np.full(b.shape, rate / 2)
        jacobian = scenario.curvature(theta, present) + weighting.curvature(theta)
        return noise * np.exp(-rate * np.abs(b)) * jacobian

    if half:
        atom = float(np.exp(-rate * max(abs(pull) - push, 0.0)))
    else:
        atom = float(np.diff(stats.laplace.cdf([(-pull - push) * rate, (-pull + push) * rate]))[0])
    return Law(atom, density, _breaks(scenario, weighting, needed), needed)


def _breaks(scenario: Scenario, weighting: Weighting, needed: Callable[[np.ndarray], np.ndarray]) -> tuple[float, ...]:
    """Kinks of the loss, the crossover of the maximum, θ at b = 0, and the ends of the range that carries mass."""
    kinks = [y + sign * scenario.lipschitz for y in (scenario.target, scenario.others_target) for sign in (-1, 1)]
    kinks += [sign * weighting.crossover for sign in (-1, 1)]
    reach = (NEGLIGIBLE / scenario.rate + (scenario.others + 1) * scenario.lipschitz) / (2 * weighting.floor)
    inside = [float(at) for at in kinks if abs(at) < reach]
    nodes = np.array(sorted({-reach, -SMALLEST, SMALLEST, reach, *inside}))
    value = needed(nodes)
    at = np.flatnonzero(value[:-1] * value[1:] < 0)
    share = value[at] / (value[at] - value[at + 1])  # b is linear in θ between kinks, and jumps at 0
    switches = nodes[at] + share * (nodes[at + 1] - nodes[at])
    return tuple(sorted({-reach, 0.0, reach, *inside, *switches.tolist()}))


@dataclass(frozen=True)
class Attack:
    """What one record reveals at the claimed budget.

    Parameters
    ----------
    add, remove : δ at the claimed budget in each direction, by quadrature
    largest_ratio : sup of the log ratio of the two densities, nats; inf where one is 0
    """

    add: float
    remove: float
    largest_ratio: float

    @property
    def delta(self) -> float:
        """The worse direction."""
        return max(self.add, self.remove)


def attack(scenario: Scenario, variant: str, epsilon: float | None = None) -> Attack:
    """δ that the variant really has at ε (the claimed one if not given; for "retrieval", ε minus what is returned at θ).

    Parameters
    ----------
    scenario : Scenario
    variant : name in `GAME_VARIANTS`
    epsilon : nats
    """
    budget = scenario.epsilon if epsilon is None else validation.non_negative("epsilon", epsilon)
    absent, present = law(scenario, variant, False), law(scenario, variant, True)
    edges = _panels(tuple(sorted({*absent.breaks, *present.breaks})))
    theta, weight = panel_rule(edges, _NODES)
    p, q = absent.density(theta), present.density(theta)
    promised = _promised(scenario, variant, theta, budget)
    at_zero = float(_promised(scenario, variant, np.zeros(1), budget)[0])

    def excess(first: np.ndarray, second: np.ndarray, atoms: tuple[float, float]) -> float:
        inside = np.maximum(first - np.exp(promised) * second, 0.0)
        return float((weight * inside).sum()) + max(atoms[0] - np.exp(at_zero) * atoms[1], 0.0)

    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(np.log(p) - np.log(q))
    seen = (np.maximum(p, q) > 1e-300) & ~np.isnan(ratio)
    return Attack(
        excess(p, q, (absent.atom, present.atom)),
        excess(q, p, (present.atom, absent.atom)),
        float(np.max(ratio, where=seen, initial=0.0)),
    )


def _promised(scenario: Scenario, variant: str, theta: np.ndarray, budget: float) -> np.ndarray:
    """The budget claimed at each output."""
    if variant != "retrieval":
        return np.full(theta.shape, budget)
    weights = scenario.weighting(variant).after(theta)
    return budget - (1 - scenario.share) * scenario.epsilon * np.maximum(0.0, 1 - scenario.floor / weights)


def _panels(breaks: tuple[float, ...]) -> np.ndarray:
    """Edges, equally many between any two breaks, denser towards both."""
    ramp = 0.5 - 0.5 * np.cos(np.pi * np.arange(_PANELS) / _PANELS)
    pieces = [low + (high - low) * ramp for low, high in pairwise(breaks)]
    return np.unique(np.concatenate([*pieces, [breaks[-1]]]))


def after_iterations(scenario: Scenario, iterations: int, points: int = 4001) -> float:
    """δ of MOOR at the claimed ε after T iterations, n_e → ∞, from cells of the exact law; right to about 1e-3.

    Grouping outputs into cells can only lower δ. At T = 1 the weights are fixed and the claim holds.
    """
    validation.at_least_one("iterations", iterations)
    level = (np.arange(points) + 0.5) / points
    b = np.sign(level - 0.5) * -np.log1p(-2 * np.abs(level - 0.5)) / scenario.rate
    released = [_iterated(scenario, b, present, iterations) for present in (False, True)]
    edges = np.unique(np.concatenate(released))[:: max(1, points // 1000)]
    cells = []
    for theta in released:  # decreasing in b
        below = 1.0 - np.interp(edges, theta[::-1], level[::-1], left=1.0, right=0.0)
        cells.append(np.diff(below, prepend=0.0, append=1.0))
    factor = np.exp(scenario.epsilon)
    return float(max(np.maximum(p - factor * q, 0.0).sum() for p, q in (cells, cells[::-1])))


def _iterated(scenario: Scenario, b: np.ndarray, present: bool, iterations: int) -> np.ndarray:
    """θ after T re-weighted solves, for every b."""
    weighting = scenario.weighting("moor")
    weights = weighting.first(b.size)

    def slope(theta: np.ndarray, weights: np.ndarray, b: np.ndarray) -> np.ndarray:
        return scenario.slope(theta, present) + 2 * weights * theta + b

    for _ in range(iterations):
        # twice as far as a root can lie, so that no rounding hides a change of sign at the end
        reach = (np.abs(b) + (scenario.others + 1) * scenario.lipschitz) / weights
        theta = elementwise.find_root(slope, (-reach, reach), args=(weights, b)).x
        weights = weighting.after(theta)
    return theta


def sweep(scenario: Scenario, variant: str, strengths: tuple[float, ...]) -> np.ndarray:
    """δ at the claimed budget for each Λ, shape (len(strengths),)."""
    return np.array([attack(replace(scenario, strength=strength), variant).delta for strength in strengths])


@dataclass(frozen=True, eq=False)
class OutputLaws:
    """Both output densities on a grid, and both atoms, for a picture."""

    theta: np.ndarray
    absent: np.ndarray
    present: np.ndarray
    atoms: tuple[float, float]


def laws(scenario: Scenario, variant: str, points: int = 380) -> OutputLaws:
    """Densities with and without the record around the bulk of the mass."""
    absent, present = law(scenario, variant, False), law(scenario, variant, True)
    reach = (4 / scenario.rate + scenario.lipschitz) / (2 * scenario.floor)
    theta = np.linspace(-reach, reach, 2 * (points // 2))
    return OutputLaws(theta, absent.density(theta), present.density(theta), (absent.atom, present.atom))
