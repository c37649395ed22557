"""The state of one composition: for each direction, where its curve bends and the panels asked for so far."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from dpcore.accountants.parts import LargestPart, OfParts, Parts, is_symmetric
from dpcore.accountants.pld.discretize import SPREAD
from dpcore.accountants.pld.loss_law import Laws, LossLaw, log_any
from dpcore.accountants.pld.outline import Outline, Stretch
from dpcore.accountants.pld.panel import Panel
from dpcore.accountants.rdp import ROUNDED_UP, RenyiComposition
from dpcore.profiles import DIRECTIONS

_NEGLECT = 1e-2  # of the width asked for that cutting off large losses may use up, if the outline is right
_DEEP = -80.0
_ROUND_OFF_SHOWS = 1.0  # log δ so far above the outline is round-off, which the moment bound may cut off
_BLEND = 0.02  # of the shorter of two panels, on each side of their boundary, over which they are averaged


class Direction:
    """One direction of a composition: where its curve bends, and the panels that have been asked for."""

    def __init__(self, laws: Laws, direction: str, width: float, max_points: int) -> None:
        self.laws, self.name, self.width = laws, direction, width
        self.max_points = max_points
        self.panels: dict[int, Panel] = {}

    @cached_property
    def top(self) -> float:
        """Largest composed loss, from which on δ = 0; rounded up."""
        return sum(count * law.top for law, count in self.laws) * (1 + ROUNDED_UP * len(self.laws))

    @cached_property
    def log_infinite(self) -> float:
        """log P[ω = ∞] of the composition."""
        return log_any((law.infinite, count) for law, count in self.laws)

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
        if not any(law.is_ever_positive for law, _ in self.laws):
            return np.where(epsilon >= self.top, -np.inf, self._infinite(epsilon, side))
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
        if np.isneginf(self.log_infinite):
            noisy = result > self._outlined(epsilon) + _ROUND_OFF_SHOWS if side == "upper" else np.isneginf(result)
            noisy = (far | (noisy & (epsilon > self.deep))) & (epsilon < self.top)
            if noisy.any():
                parts = tuple((law.mechanism, count) for law, count in self.laws)
                without_grid: OfParts = RenyiComposition(parts) if side == "upper" else LargestPart(parts)
                better = np.minimum if side == "upper" else np.maximum
                result[noisy] = better(result[noisy], without_grid.log_delta(epsilon[noisy], direction=self.name))
        return np.where(epsilon >= self.top, -np.inf, result)

    @cached_property
    def deep(self) -> float:
        """ε from which on δ is so small that round-off may show, and the moment bound is asked where it does."""
        return float(self.guess(np.array(_DEEP))[0])

    def _outlined(self, epsilon: np.ndarray) -> np.ndarray:
        """About log δ."""
        return np.interp(epsilon, self.outline.rough.epsilon, self.outline.rough.log_delta)

    def _length(self, number: int) -> float:
        return float(self.edges[number + 1] - self.edges[number])

    def _on_panel(self, number: int, epsilon: np.ndarray, side: str) -> np.ndarray:
        panel = self.panel(number)
        return (panel.upper if side == "upper" else panel.lower).log_delta(epsilon)

    def _far(self, epsilon: np.ndarray, side: str) -> np.ndarray:
        """Beyond the last panel: what lies at infinity, and for the upper side at least the last panel's end."""
        if side == "lower":
            return self._infinite(epsilon, side)
        last = self._on_panel(len(self.stretches) - 1, self.edges[-1:], side)
        return np.where(np.isposinf(epsilon), self._infinite(epsilon, side), last)

    def _infinite(self, epsilon: np.ndarray, side: str) -> np.ndarray:
        """log P[ω = ∞], with the curves' errors."""
        error = sum(count * law.mechanism.evaluation_error for law, count in self.laws)
        return np.full(epsilon.shape, self.log_infinite + (error if side == "upper" else -error))

    def guess(self, log_delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """About where log δ is reached, and how far to look beside it."""
        rough = self.outline.rough
        epsilon = np.interp(-log_delta, -rough.log_delta, rough.epsilon)
        ahead = np.interp(1 - log_delta, -rough.log_delta, rough.epsilon)
        behind = np.interp(-1 - log_delta, -rough.log_delta, rough.epsilon)
        return epsilon, np.maximum(0.25 * (ahead - behind), 1e-9 * rough.epsilon[-1])


class Accountant:
    """Both directions of one composition, shared by its lower and its upper curve.

    References: redberg-koskela-wang-2023 (Theorem D.1).
    """

    def __init__(self, parts: Parts, width: float, max_points: int) -> None:
        self.parts = parts
        self.symmetric = is_symmetric(parts)
        names = DIRECTIONS[:1] if self.symmetric else DIRECTIONS
        same = {mechanism: LossLaw(mechanism, DIRECTIONS[0]) for mechanism, _ in parts if mechanism.symmetric}
        self.directions = {}
        for name in names:
            laws = tuple((same.get(mechanism) or LossLaw(mechanism, name), count) for mechanism, count in parts)
            self.directions[name] = Direction(laws, name, width, max_points)

    def direction(self, name: str) -> Direction:
        """The state of one direction."""
        return self.directions[DIRECTIONS[0] if self.symmetric else name]
