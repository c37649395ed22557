"""Composition through privacy-loss distributions: certified curves on both sides, at any ε."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dpcore.accountants.discretize import SPREAD
from dpcore.accountants.inverse import root_near
from dpcore.accountants.loss_law import OPPOSITE, LossLaw
from dpcore.accountants.outline import Outline, Stretch
from dpcore.accountants.panel import Panel
from dpcore.accountants.parts import Parts, is_symmetric, side_of
from dpcore.accountants.rdp import ROUNDED_UP, RenyiComposition
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile, reflect
from dpcore.references import FormulaCard

_NEGLECT = 1e-2  # of the width asked for that cutting off large losses may use up, if the outline is right
_INVISIBLE = -42.0  # log δ that makes no difference beside 1
_DEEP = -80.0
_BLEND = 0.02  # of the shorter of two panels, on each side of their boundary, over which they are averaged


class Direction:
    """One direction of a composition: where its curve bends, and the panels that have been asked for."""

    def __init__(self, parts: Parts, direction: str, width: float, max_points: int) -> None:
        self.laws = tuple((LossLaw(mechanism, direction), count) for mechanism, count in parts)
        self.name, self.width, self.max_points = direction, width, max_points
        self.panels: dict[int, Panel] = {}

    @cached_property
    def top(self) -> float:
        """Largest composed loss, from which on δ = 0; rounded up."""
        return sum(count * law.top for law, count in self.laws) * (1 + ROUNDED_UP * len(self.laws))

    @cached_property
    def log_infinite(self) -> float:
        """log P[ω = ∞] of the composition."""
        with np.errstate(divide="ignore"):
            return float(np.log(-np.expm1(sum(k * np.log1p(-min(law.infinite, 1.0)) for law, k in self.laws))))

    @cached_property
    def outline(self) -> Outline:
        """Where the curve bends, roughly."""
        return Outline(self.laws)

    @cached_property
    def stretches(self) -> list[Stretch]:
        """The ranges of ε, one for each panel."""
        fineness = np.sqrt(SPREAD * sum(count for _, count in self.laws) / self.width)
        return self.outline.stretches(float(np.log(_NEGLECT * self.width)), float(fineness))

    @cached_property
    def edges(self) -> np.ndarray:
        """ε at the panels' boundaries, from 0 to where δ is no longer an ordinary float."""
        return np.array([self.stretches[0].low, *(one.high for one in self.stretches)])

    def panel(self, number: int) -> Panel:
        """Panel `number`, from its left to its right boundary and a little beyond."""
        if number not in self.panels:
            self.panels[number] = Panel(self.laws, self.stretches[number], _BLEND, self.width, self.max_points)
        return self.panels[number]

    def log_delta(self, epsilon: np.ndarray, side: str) -> np.ndarray:
        """log δ of one side at ε ≥ 0 of any shape."""
        result = np.full(epsilon.shape, -np.inf)
        last = len(self.stretches) - 1
        number = np.clip(np.searchsorted(self.edges, epsilon, side="right") - 1, 0, last)
        covered = epsilon <= self.edges[-1]
        for one in np.unique(number[covered]):
            here = covered & (number == one)
            value = self._on_panel(int(one), epsilon[here], side)
            for neighbour, boundary in ((one - 1, one), (one + 1, one + 1)):
                if 0 <= neighbour <= last:
                    reach = _BLEND * min(self._length(int(one)), self._length(int(neighbour)))
                    depth = 1 - np.abs(epsilon[here] - self.edges[boundary]) / reach
                    near = depth > 0
                    if near.any():
                        other = self._on_panel(int(neighbour), epsilon[here][near], side)
                        share = 0.5 * depth[near]
                        value[near] = (1 - share) * value[near] + share * other
            result[here] = value
        far = ~covered & (epsilon < self.top)
        if far.any():
            result[far] = self._far(epsilon[far], side)
        deep = (epsilon > self.deep) & (epsilon < self.top)
        if side == "upper" and deep.any() and np.isneginf(self.log_infinite):
            result[deep] = np.minimum(result[deep], self.moments.log_delta(epsilon[deep], direction=self.name))
        return np.where(epsilon >= self.top, -np.inf, result)

    @cached_property
    def deep(self) -> float:
        """ε from which on δ is so small that round-off may show, and the moment bound is asked as well."""
        return float(self.guess(np.array(_DEEP))[0])

    @cached_property
    def moments(self) -> RenyiComposition:
        """An upper bound that does not mind how small δ is."""
        return RenyiComposition(tuple((law.mechanism, count) for law, count in self.laws))

    def _length(self, number: int) -> float:
        return float(self.edges[number + 1] - self.edges[number])

    def _on_panel(self, number: int, epsilon: np.ndarray, side: str) -> np.ndarray:
        panel = self.panel(number)
        return (panel.upper if side == "upper" else panel.lower).log_delta(epsilon)

    def _far(self, epsilon: np.ndarray, side: str) -> np.ndarray:
        """Beyond the last panel: what lies at infinity, and for the upper side at least the last panel's end."""
        error = sum(count * law.mechanism.evaluation_error for law, count in self.laws)
        if side == "lower":
            return np.full(epsilon.shape, self.log_infinite - error)
        last = self._on_panel(len(self.stretches) - 1, self.edges[-1:], side)
        return np.where(np.isposinf(epsilon), self.log_infinite + error, last)

    def guess(self, log_delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """About where log δ is reached, and how far to look beside it."""
        rough = self.outline.rough
        epsilon = np.interp(-log_delta, -rough.log_delta, rough.epsilon)
        ahead = np.interp(1 - log_delta, -rough.log_delta, rough.epsilon)
        behind = np.interp(-1 - log_delta, -rough.log_delta, rough.epsilon)
        return epsilon, np.maximum(0.25 * (ahead - behind), 1e-9 * rough.epsilon[-1])


class Accountant:
    """Both directions of one composition, shared by its lower and its upper curve."""

    def __init__(self, parts: Parts, width: float, max_points: int) -> None:
        self.parts = parts
        self.symmetric = is_symmetric(parts)
        names = DIRECTIONS[:1] if self.symmetric else DIRECTIONS
        self.directions = {name: Direction(parts, name, width, max_points) for name in names}

    def direction(self, name: str) -> Direction:
        """The state of one direction."""
        return self.directions[DIRECTIONS[0] if self.symmetric else name]


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
    accountant: Accountant = field(repr=False, compare=False, default=None)

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
