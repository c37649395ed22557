"""Two strongly log-concave densities on a line: their exact profile, and the Gaussian that dominates such pairs."""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.mechanisms import Gaussian
from dpcore.numerics import gauss_legendre, panel_rule
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile
from dpcore.profiles.curves import Curve
from dpcore.references import FormulaCard, formula_card

_SHAPES: dict[str, tuple[str, Callable[..., np.ndarray]]] = {
    "left": ("−x, a tilt", lambda x, knot: -x),
    "right": ("x, a tilt", lambda x, knot: x),
    "flat": ("0, nothing", lambda x, knot: 0 * x),
    "kink": ("|x − c|, a kink", lambda x, knot: np.abs(x - knot)),
    "hinge": ("max(x − c, 0), a hinge", lambda x, knot: np.maximum(x - knot, 0.0)),
    "bowl": ("√(1 + (x − c)²), a bowl", lambda x, knot: np.sqrt(1 + (x - knot) ** 2)),
}
PIECES = {name: words for name, (words, _) in _SHAPES.items()}
# Lecture 12 writes δ(P‖Q) for the largest Q(S) − e^ε P(S), so the second density is the likelier one.
PAIR_ORDERS = {"P‖Q": "remove", "Q‖P": "add"}
COMMON = {"none": "nothing", "quartic": "x⁴/4", "kink": "2|x|"}
_PANELS = 700  # panels of equal width on which densities are integrated
_NODES = 8  # Gauss–Legendre nodes of a panel
TAIL_REACH = 12.0  # standard deviations from the mode beyond which the densities are negligible
_BISECTIONS = 27  # bisections that find a crossing in a panel; an error of its place enters δ only as a square
_SMALLEST_SLOPE = 1e-9  # a shift up to this one counts as 0
_NUDGE = 2.0**-20  # half the step of a numerical derivative in the middle of a panel, which it does not leave


class StronglyLogConcave(PrivacyProfile):
    """P ∝ e^{−F} and Q ∝ e^{−F̃}, both μ-strongly log-concave on a line.

    This class computes everything that follows from F and F̃. A subclass has `mu` and defines `potentials`,
    `lipschitz`, `kinks` and `reach`.
    """

    mu: float
    bound: ClassVar[Bound] = Bound.EXACT
    is_drawn: ClassVar[bool] = False
    """Whether its potentials are heights at handles, moved to the nearest potentials that are convex enough."""

    @abstractmethod
    def potentials(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """F and F̃ at the points x."""

    @property
    @abstractmethod
    def lipschitz(self) -> float:
        """Largest slope of F̃ − F on the set."""

    @property
    @abstractmethod
    def kinks(self) -> tuple[float, ...]:
        """Places where a derivative of F or F̃ may jump."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """B′ such that the part of the set outside of [−B′, B′] is negligible under both densities."""

    @property
    def theorem(self) -> Gaussian | None:
        """The dominating Gaussian mechanism of shift G/√μ, with the actual slope G; None if the densities are equal."""
        shift = self.lipschitz / math.sqrt(self.mu)
        return Gaussian(1.0, shift) if shift > _SMALLEST_SLOPE else None

    @property
    def worst(self) -> "LogConcavePair":
        """The pair that leaks most among those of this μ and slope: two Gaussians, P on the side of P here."""
        table = _table(self)
        first, second = (float(table.edges[1:] @ np.exp(masses)) for masses in table.log_masses)
        return LogConcavePair(self.mu, self.lipschitz, *(("right", "left") if first <= second else ("left", "right")))

    def density(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both densities at the points x, 0 outside of the set."""
        inside = np.abs(x) <= self.reach
        first, second = (np.where(inside, np.exp(-one), 0.0) for one in _table(self).negative_logs(x))
        return first, second

    def densities(self) -> tuple[Curve, Curve]:
        """Both densities, on at most 400 points where they are not negligible."""
        table = _table(self)
        heights = [np.exp(-one) for one in table.negative_logs(table.edges)]
        seen = np.maximum(*heights) > 1e-6 * max(height.max() for height in heights)
        keep = np.flatnonzero(seen)
        keep = keep[:: max(1, len(keep) // 350 + 1)]
        x, (first, second) = table.edges[keep], heights
        return Curve("P ∝ exp(−F)", x, first[keep]), Curve("Q ∝ exp(−F̃)", x, second[keep])

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        table = _table(self)
        log_p, log_q = table.log_masses if direction == "add" else table.log_masses[::-1]
        sign = 1.0 if direction == "add" else -1.0
        flat = np.where(np.isfinite(epsilon), epsilon, 0.0).reshape(-1)
        above = sign * table.log_ratio[None, :] > flat[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            full = np.exp(log_p) * -np.expm1(np.minimum(flat[:, None] + log_q - log_p, 0.0))
        total = np.where(above[:, :-1] & above[:, 1:], np.nan_to_num(full), 0.0).sum(axis=1)
        row, panel = np.nonzero(above[:, :-1] != above[:, 1:])
        if len(row):
            np.add.at(total, row, self._split(flat[row], panel, above[row, panel], sign))
        with np.errstate(divide="ignore"):
            return np.where(np.isfinite(epsilon), np.log(total).reshape(np.shape(epsilon)), -np.inf)

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        """The inverse of δ(ε): at δ = 0 it is the largest log ratio on the set; for any other δ a root is found."""
        if not np.isneginf(targets[0]).all():
            return super()._inverse(excess, targets, direction)
        ratio = _table(self).log_ratio
        ends = {"add": ratio.max(), "remove": -ratio.min(), "both": np.abs(ratio).max()}
        return np.full(np.shape(targets[0]), max(float(ends[direction]), 0.0))

    def tradeoff_points(self, direction: str = "add") -> Curve:
        """Errors of the likelihood-ratio tests, type II against type I; between two points one of both tests is drawn.

        "add" tests P against Q, "remove" Q against P.
        """
        direction = validation.choice("direction", direction, DIRECTIONS)
        table, sign = _table(self), -1.0 if direction == "add" else 1.0
        ratio = sign * table.log_ratio
        seen = ratio[np.logaddexp(*(-one for one in table.negative_logs(table.edges))) > -40.0]
        levels = np.quantile(seen, np.linspace(0, 1, 201))
        above = ratio[None, :] > levels[:, None]
        row, panel = np.nonzero(above[:, :-1] != above[:, 1:])
        masses = []
        for which in (0, 1):
            total = ((above[:, :-1] & above[:, 1:]) * np.exp(table.log_masses[which])).sum(axis=1)
            if len(row):
                np.add.at(total, row, self._split(levels[row], panel, above[row, panel], sign, which))
            masses.append(np.clip(total, 0.0, 1.0))
        null, alternative = masses if direction == "add" else masses[::-1]
        alpha, missed = np.concatenate([[0.0], null, [1.0]]), np.concatenate([[1.0], 1 - alternative, [0.0]])
        order = np.lexsort((-missed, alpha))
        return Curve("this pair", alpha[order], missed[order])

    def _split(
        self, epsilon: np.ndarray, panel: np.ndarray, left_above: np.ndarray, sign: float, which: int | None = None
    ) -> np.ndarray:
        """∫ [p − e^ε q]₊ over panels in which the log ratio crosses ε once.

        With `which`, the mass of that density over the part of each panel where the log ratio is above ε.
        """
        table = _table(self)
        start, stop = low, high = table.edges[panel], table.edges[panel + 1]
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            same = (sign * table.ratio(middle) > epsilon) == left_above
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        start, stop = np.where(left_above, start, high), np.where(left_above, low, stop)
        width = stop - start
        nodes, weights = gauss_legendre(_NODES)
        x = start[:, None] + width[:, None] * nodes
        if which is not None:
            return width * (np.exp(-table.negative_logs(x)[which]) @ weights)
        p, q = table.negative_logs(x) if sign > 0 else table.negative_logs(x)[::-1]
        with np.errstate(over="ignore"):
            gain = np.exp(-p) * -np.expm1(np.minimum(epsilon[:, None] + p - q, 0.0))
        return width * (gain @ weights)


@dataclass(frozen=True, eq=False)
class _Table:
    potentials: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    log_totals: tuple[float, float]
    edges: np.ndarray
    log_masses: tuple[np.ndarray, np.ndarray]
    log_ratio: np.ndarray

    def negative_logs(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """−log of both normalised densities."""
        first, second = self.potentials(x)
        return first + self.log_totals[0], second + self.log_totals[1]

    def ratio(self, x: np.ndarray) -> np.ndarray:
        """log p/q."""
        first, second = self.negative_logs(x)
        return second - first


@lru_cache(maxsize=128)
def _table(pair: StronglyLogConcave) -> _Table:
    """Panel edges with every kink among them, log of both integrals, log masses per panel, log p/q at the edges."""
    reach, kinks = pair.reach, np.array(pair.kinks)
    edges = np.union1d(np.linspace(-reach, reach, _PANELS + 1), kinks[np.abs(kinks) < reach])
    x, weight = panel_rule(edges, _NODES)
    log_totals, log_masses = [], []
    for values in pair.potentials(x):
        lowest = float(values.min())
        mass = (weight * np.exp(lowest - values)).sum(axis=1)
        log_total = math.log(float(mass.sum()))
        log_totals.append(log_total - lowest)
        with np.errstate(divide="ignore"):
            log_masses.append(np.log(mass) - log_total)
    first, second = pair.potentials(edges)
    ratio = second + log_totals[1] - first - log_totals[0]
    totals, masses = (log_totals[0], log_totals[1]), (log_masses[0], log_masses[1])
    return _Table(pair.potentials, totals, edges, masses, ratio)


@dataclass(frozen=True)
class LogConcavePair(StronglyLogConcave):
    r"""P ∝ e^{−F} and Q ∝ e^{−F̃} on [−B, B], both μ-strongly log-concave. Exact, by quadrature split at each crossing.

    .. math:: F(x) = c(x) + \tfrac μ2 x² + \tfrac G2 g_1(x), \quad \tilde F(x) = c(x) + \tfrac μ2 x² + \tfrac G2 g_2(x)

    with c, g₁, g₂ convex and |g′| ≤ 1, so that F̃ − F is G-Lipschitz. Direction "add" is sup P(S) − e^ε Q(S), which
    lecture 12 writes δ(Q‖P), and "remove" its δ(P‖Q); see `PAIR_ORDERS`.

    Parameters
    ----------
    mu : μ > 0
    scale : G > 0
    first, second : names in `PIECES`, g₁ and g₂
    knot : c, the place of kinks, hinges and bowls
    common : name in `COMMON`, c(x)
    half_width : B > 0, inf for the whole line

    References: lecture-12 (Definition 2, Theorem 1), gopi-lee-liu-2022.
    """

    mu: float = 1.0
    scale: float = 1.0
    first: str = "left"
    second: str = "right"
    knot: float = 0.0
    common: str = "none"
    half_width: float = math.inf

    card: ClassVar[FormulaCard] = formula_card(__file__, "log_concave_pair")

    def __post_init__(self) -> None:
        validation.set_checked(self, mu=validation.moderate, scale=validation.moderate, knot=validation.real)
        for name in ("first", "second"):
            validation.choice(name, getattr(self, name), PIECES)
        validation.choice("common", self.common, COMMON)
        if self.half_width != math.inf:
            validation.set_checked(self, half_width=validation.positive)

    def piece(self, name: str, x: np.ndarray) -> np.ndarray:
        """g(x) of a piece by name: convex, |g′| ≤ 1."""
        return _SHAPES[name][1](np.asarray(x, dtype=float), self.knot)

    def potentials(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """F and F̃ at the points x."""
        x = np.asarray(x, dtype=float)
        shared = {"none": 0.0 * x, "quartic": x**4 / 4, "kink": 2 * np.abs(x)}[self.common] + self.mu / 2 * x**2
        return tuple(shared + self.scale / 2 * self.piece(name, x) for name in (self.first, self.second))

    @property
    def lipschitz(self) -> float:
        """Largest slope of F̃ − F on the set, at most G."""
        edges = _table(self).edges
        inside = (edges[:-1] + edges[1:]) / 2
        gaps = [
            self._slope(self.second, inside, at) - self._slope(self.first, inside, at) for at in (edges[:-1], edges[1:])
        ]
        return float(self.scale / 2 * np.abs(gaps).max())

    @property
    def kinks(self) -> tuple[float, ...]:
        """The origin, and the place c where a piece bends."""
        return (0.0, self.knot)

    @property
    def reach(self) -> float:
        """Twelve standard deviations beyond the farthest mode, or B if this is smaller."""
        return min(self.half_width, TAIL_REACH / math.sqrt(self.mu) + self.scale / (2 * self.mu))

    def _slope(self, name: str, inside: np.ndarray, at: np.ndarray) -> np.ndarray:
        """g′ at one end of each panel, as its limit from inside; there are no kinks inside of panels."""
        if name == "bowl":
            return (at - self.knot) / np.sqrt(1 + (at - self.knot) ** 2)
        return (self.piece(name, inside + _NUDGE) - self.piece(name, inside - _NUDGE)) / (2 * _NUDGE)
