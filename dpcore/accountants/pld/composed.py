"""Composition through privacy-loss distributions: certified curves on both sides, at any ε."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dpcore.accountants.parts import LargestPart, Parts, is_symmetric, side_of
from dpcore.accountants.pld.loss_law import Laws, law_of, log_any
from dpcore.accountants.pld.outline import Outline, Stretch
from dpcore.accountants.pld.panel import Panel
from dpcore.accountants.rdp import ROUNDED_UP, RenyiComposition
from dpcore.profiles import DIRECTIONS, OPPOSITE, Bound, PrivacyProfile
from dpcore.profiles.profile import reflect
from dpcore.profiles.roots import log_excess, smallest_root
from dpcore.references import FormulaCard, formula_card

# log δ below which round-off may show; a bound that needs no grid is computed there too. Doubled, a little round-off
# stays.
_DEEP = -80.0
# log of a δ that makes no difference beside 1. Doubled, trade-off curves take longer.
_INVISIBLE = float(np.log(np.finfo(float).eps))


class Direction:
    """One direction of a composition: where its curve bends, and the panels that have been asked for."""

    def __init__(self, laws: Laws, direction: str, width: float, max_points: int) -> None:
        self.laws, self.name, self.width, self.max_points = laws, direction, width, max_points
        self.panels: dict[int, Panel] = {}

    @cached_property
    def top(self) -> float:
        """Largest composed loss, rounded up: δ = 0 from there on."""
        return sum(count * law.top for law, count in self.laws) * (1 + ROUNDED_UP * len(self.laws))

    @cached_property
    def log_infinite(self) -> float:
        """log P[ω = ∞] of the composition."""
        return log_any((law.infinite, count) for law, count in self.laws)

    @cached_property
    def error(self) -> float:
        """Relative error of all profiles together."""
        return sum(count * law.mechanism.evaluation_error for law, count in self.laws)

    @cached_property
    def outline(self) -> Outline:
        """Where the curve bends, roughly."""
        return Outline.of(self.laws)

    @cached_property
    def stretches(self) -> list[Stretch]:
        """The ranges of ε, one for each panel, from 0 to where δ is no longer an ordinary float."""
        return self.outline.stretches(self.width, sum(count for _, count in self.laws))

    def panel(self, number: int) -> Panel:
        """Panel `number`, made when it is first asked for."""
        if number not in self.panels:
            self.panels[number] = Panel(self.laws, self.stretches[number], self.error, self.width, self.max_points)
        return self.panels[number]

    def log_delta(self, epsilon: np.ndarray, side: str, roughly: bool = False) -> np.ndarray:
        """log δ of one side at ε ≥ 0 of any shape.

        Beyond the last panel the lower side is P[ω = ∞], and the upper side is its value at the end of that panel.

        Parameters
        ----------
        epsilon, side : ε, and "lower" or "upper"
        roughly : whether coarse grids are enough, for an upper side that may be larger
        """
        result = np.full(epsilon.shape, self.log_infinite + (self.error if side == "upper" else -self.error))
        finite = (epsilon < self.top) & np.isfinite(epsilon)
        if any(law.is_ever_positive for law, _ in self.laws):
            ends = np.array([one.high for one in self.stretches])
            number = np.minimum(np.searchsorted(ends, epsilon), ends.size - 1)
            covered = finite if side == "upper" else finite & (epsilon <= ends[-1])
            for one in np.unique(number[covered]):
                here = covered & (number == one)
                result[here] = self.panel(int(one)).log_delta(np.minimum(epsilon[here], ends[-1]), side, roughly)
            if np.isneginf(self.log_infinite) and not roughly:
                self._without_grid(epsilon, finite, result, side)
        return np.where(epsilon >= self.top, -np.inf, result)

    def _without_grid(self, epsilon: np.ndarray, finite: np.ndarray, result: np.ndarray, side: str) -> None:
        """Put a bound of another kind where the grid says nothing, or where its round-off shows."""
        parts = tuple((law.mechanism, count) for law, count in self.laws)
        expected = np.interp(epsilon, self.outline.epsilon, self.outline.log_delta)
        weak = finite & (np.isneginf(result) if side == "lower" else (expected < _DEEP) & (result > expected + 1))
        weak |= finite & (epsilon > self.stretches[-1].high)
        if weak.any() and side == "upper":
            other = RenyiComposition(parts).log_delta(epsilon[weak], direction=self.name)
            result[weak] = np.minimum(result[weak], other)
        elif weak.any():
            result[weak] = np.maximum(result[weak], LargestPart(parts).log_delta(epsilon[weak], direction=self.name))

    def guess(self, log_delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """An ε near the one at which log δ is reached, and a first step for the search around it."""
        rough = self.outline
        behind, here, ahead = (np.interp(i - log_delta, -rough.log_delta, rough.epsilon) for i in (-1, 0, 1))
        return here, np.maximum(0.25 * (ahead - behind), 1e-9 * rough.epsilon[-1])


class Accountant:
    """Both directions of one composition, shared by its lower and its upper curve.

    References: redberg-koskela-wang-2023 (Theorem D.1).
    """

    def __init__(self, parts: Parts, width: float, max_points: int) -> None:
        self.parts = parts
        self.symmetric = is_symmetric(parts)
        self.directions = {}
        for name in DIRECTIONS[:1] if self.symmetric else DIRECTIONS:
            laws = tuple((law_of(mechanism, name), count) for mechanism, count in parts)
            self.directions[name] = Direction(laws, name, width, max_points)

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
    accountant: Accountant = field(repr=False, compare=False, default=None)  # type: ignore[assignment]  # made here

    is_slow: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = formula_card(__file__, "composed_curve")

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
        states = list(dict.fromkeys(self.accountant.direction(name) for name in names))
        least = max(state.log_infinite + (state.error if self.side == "upper" else -state.error) for state in states)
        never, always = np.isneginf(targets[0]), targets[0] <= least
        targets = tuple(np.where(never | always, one, target) for one, target in zip((0.0, 1.0), targets, strict=False))
        guesses = [state.guess(targets[0]) for state in states]
        guess, step = np.maximum.reduce(guesses)
        found = np.full(guess.shape, np.nan)
        # Mostly one direction decides, and the other is far below it.
        if len(states) > 1:
            lead = int(np.sum(guesses[-1][0] - guesses[0][0]) > 0)
            found = smallest_root(self._above(states[lead]), *targets, guess=guess, step=step)
            other = states[1 - lead].log_delta(np.nan_to_num(found, posinf=0.0), "upper", roughly=True)
            found = np.where(other <= targets[0], found, np.nan)
        unknown = np.isnan(found)
        rest = (one[unknown] for one in targets)
        found[unknown] = smallest_root(self._above(*states), *rest, guess=guess[unknown], step=step[unknown])
        found = np.where(always, np.inf, found)
        return np.where(never, max(state.top for state in states), found)

    def _above(self, *states: Direction) -> Callable[..., np.ndarray]:
        """How far log δ of the larger of these directions is above what is asked for."""

        def above(epsilon: np.ndarray, *targets: np.ndarray) -> np.ndarray:
            log_delta = np.max([state.log_delta(epsilon, self.side) for state in states], axis=0)
            return log_excess(np.minimum(log_delta, 0.0), *targets)

        return above

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
