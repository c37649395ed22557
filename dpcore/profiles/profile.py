"""Privacy profiles: δ(ε), ε(δ), trade-off and Rényi curves of any mechanism from one function, log δ(ε)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import elementwise

from dpcore import validation
from dpcore.errors import UnsupportedError
from dpcore.numerics import log1mexp
from dpcore.profiles.integrals import log_profile_integrals
from dpcore.profiles.roots import log_excess, smallest_root

DIRECTIONS = ("add", "remove")
OPPOSITE = {"add": "remove", "remove": "add"}
Moment = Callable[[np.ndarray], np.ndarray]  # s, all with one real part > 0 → log E_P[e^{sω}; ω < ∞], modulo 2πi
Nodes = Callable[[float, float], tuple[np.ndarray, np.ndarray]]
"""A sum that stands for the law Q without the record: a function of (low, high) that gives the log weights of its nodes,
and at each node ω, the log density with the record minus that of Q. The sum also holds for Q times e^{tω} where this moves
the centre by between low and high times the shift."""
_LARGEST_ORDER = 1e100  # a larger Rényi order counts as ∞
_LARGEST_NUMERICAL_ORDER = 1e7  # beyond, the integrand's peak is narrower than the spacing of floats around it
_GRID = np.concatenate([[0.0], np.geomspace(1e-14, 690.0, 680)])  # |ε| at which the supremum of T is first looked for


class Bound(Enum):
    """What a curve is: the truth, a proven side of it, a published claim that an audit refutes, or a best guess."""

    EXACT = "exact"
    UPPER = "upper bound"
    LOWER = "lower bound"
    CLAIMED = "claimed but refuted"
    ESTIMATE = "estimate"


@dataclass(frozen=True)
class Lattice:
    """Losses (offset + x)·step for all whole x.

    Parameters
    ----------
    step : float > 0, nats
    offset : float
    log_mass : x → log P[ω = (offset + x)·step], the same in both directions
    """

    step: float
    offset: float
    log_mass: Callable[[np.ndarray], np.ndarray]


class PrivacyProfile(ABC):
    r"""A mechanism's worst-case privacy, as δ(ε) in each direction of add/remove adjacency.

    With Z the data set without the record and Z' = Z ∪ {z},

    .. math:: \delta_\text{add}(ε) = H_{e^ε}(M(Z)‖M(Z')), \quad \delta_\text{remove}(ε) = H_{e^ε}(M(Z')‖M(Z)),
              \quad H_γ(P‖Q) = ∫ [P − γQ]_+ ,

    and ``direction="both"`` is their maximum. A subclass supplies only `_log_delta` for ε ≥ 0 (or the public
    `log_delta(epsilon, direction="both", **options)` for every ε); everything else (negative ε, ε(δ), trade-off,
    Rényi) follows, and is overridden where a closed form exists. Divergences are in nats.

    Whatever else is known of a mechanism is a member of it, so that no caller asks for its class. Of these, `pair`,
    `pair_family`, `with_noise`, `log_moment`, `sums`, `discrete`, `lattice`, `normal_shift`, `two_valued`,
    `dominating`, `known_by_epsilon` and `is_slow` have a default that holds for every profile.

    References: redberg-koskela-wang-2023 (Definitions 2.1, 2.2, 2.3, 2.6, 2.7, J.14, Lemma 2.4), wang-2019 (Definition 1),
    lecture-12 (Definitions 1, 2, 3, Lemma 1), li-liu-napp (Definitions 1, 2).
    """

    asymmetry: ClassVar[str] = ""  # how the directions differ, in words; "" where they do not
    is_slow: ClassVar[bool] = False  # whether one value of δ takes long, so that a grid of values should be short
    known_by_epsilon: ClassVar[bool] = False  # whether ε(δ) has the formula, and δ(ε) is found from it

    @property
    def bound(self) -> Bound:
        """What kind of curve it is: exact, a bound, a claim or an estimate."""
        return Bound.EXACT

    @property
    def symmetric(self) -> bool:
        """Whether both directions have the same profile."""
        return False

    @property
    def evaluation_error(self) -> float:
        """Relative error of δ as computed; composition multiplies it by the count."""
        return 1e-12

    @property
    def dominating(self) -> PrivacyProfile:
        """The curve that is composed with others, convex in e^ε: this one, unless it continues differently below ε = 0."""
        return self

    @property
    def two_valued(self) -> bool:
        """Whether the loss is ±ε₀ and nothing else: no ε₀-DP mechanism reveals more."""
        return False

    @property
    def lattice(self) -> Lattice | None:
        """The infinite grid on which all losses lie; None if there is none."""
        return None

    @property
    def normal_shift(self) -> float | None:
        """Δ where the loss is exactly N(Δ²/2, Δ²) in both directions: a sum of such losses is of this form too."""
        return None

    @property
    def discrete(self) -> bool:
        """Whether the loss has countably many values and no density; its Rényi curve is then bounded from above by chords."""
        return False

    @property
    def sums(self) -> Nodes | None:
        """Sums that stand for the expectation without the record, for a run on a Poisson sample; None if not known."""
        return None

    @abstractmethod
    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        """log δ(ε) for ε ≥ 0 in one direction ("add" or "remove")."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.log_delta is not PrivacyProfile.log_delta and cls._log_delta is PrivacyProfile._log_delta:
            cls._log_delta = _from_public_method  # type: ignore[method-assign]

    def log_delta(self, epsilon: Any, direction: str = "both", *, adjacency: str = "add_remove") -> Any:
        """Natural logarithm of δ(ε); exact where δ itself would underflow.

        Parameters
        ----------
        epsilon : float or array, nats. Negative values are allowed.
        direction : "both" (maximum), "add" or "remove".

        Raises
        ------
        ParameterError
            If epsilon contains nan or direction is unknown.
        """
        directions = _directions(direction, adjacency)
        epsilon = validation.real_array("epsilon", epsilon)
        if self.symmetric:
            directions = directions[:1]
        result = np.full(epsilon.shape, -np.inf)
        for one in directions:
            result = np.maximum(result, self._extended(epsilon, one))
        return np.minimum(result, 0.0)[()]

    def _extended(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        """log δ over the whole line: H_γ(P‖Q) = 1 − γ + γ H_{1/γ}(Q‖P) for γ = e^ε < 1."""
        result = self._log_delta(np.maximum(epsilon, 0.0), direction)
        negative = epsilon < 0
        if np.any(negative):
            below = np.minimum(epsilon, 0.0)
            reflected = reflect(below, self._log_delta(-below, OPPOSITE[direction]))
            result = np.where(negative, reflected, result)
        return result

    def delta(self, epsilon: Any, direction: str = "both", *, adjacency: str = "add_remove") -> Any:
        """δ(ε), the smallest δ for which the mechanism is (ε, δ)-DP (for `Bound.UPPER`: an upper bound of it)."""
        return np.exp(self.log_delta(epsilon, direction=direction, adjacency=adjacency))

    def epsilon(
        self,
        delta: Any = None,
        direction: str = "both",
        *,
        log_delta: Any = None,
        adjacency: str = "add_remove",
    ) -> Any:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ; the returned value itself meets the target.

        Parameters
        ----------
        delta : float or array in [0, 1]; give `log_delta` instead where δ underflows.

        Returns
        -------
        Same shape; inf where no finite ε does.
        """
        if (delta is None) == (log_delta is None):
            raise validation.ParameterError("give exactly one of delta and log_delta")
        _directions(direction, adjacency)
        targets: tuple[np.ndarray, ...]
        if log_delta is None:
            target = validation.real_array("delta", delta, low=0.0, high=1.0)
            with np.errstate(divide="ignore"):
                targets = (np.log(target), target)
        else:
            targets = (validation.real_array("log_delta", log_delta, high=0.0),)

        def excess(epsilon: np.ndarray, *targets: np.ndarray) -> np.ndarray:
            return log_excess(self.log_delta(epsilon, direction=direction), *targets)

        return self._inverse(excess, targets, direction)[()]

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        """Smallest ε with excess(ε, *targets) ≤ 0; targets[0] is log δ. Overridden where a good first guess is known."""
        return smallest_root(excess, *targets)

    def tradeoff(self, fpr: Any, direction: str = "both", *, adjacency: str = "add_remove") -> Any:
        r"""Least type-II error of any test of P against Q with type-I error `fpr` (Dong, Roth, Su 2022).

        .. math:: T(P‖Q)(α) = \sup_{ε ∈ ℝ} \; 1 − H_{e^ε}(Q‖P) − e^ε α

        where P is the hypothesis "record absent" for ``"add"`` and "record present" for ``"remove"``. ``"both"`` is the
        symmetrised curve implied by δ(ε) alone.
        """
        _directions(direction, adjacency)
        alpha = validation.real_array("fpr", fpr, low=0.0, high=1.0)
        return np.clip(self._tradeoff(alpha, direction), 0.0, 1.0 - alpha)[()]

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        other = direction if direction == "both" else OPPOSITE[direction]
        grid = np.concatenate([-_GRID[:0:-1], _GRID])
        log_delta = self._duality_delta(grid, other)
        flat = alpha.reshape(-1)
        values = -np.expm1(log_delta) - np.exp(grid) * flat[:, None]
        best = np.clip(values.argmax(axis=1), 1, grid.size - 2)
        bracket = grid[best - 1], grid[best], grid[best + 1]

        def loss(epsilon: np.ndarray, alpha: np.ndarray) -> np.ndarray:
            return np.expm1(self._duality_delta(epsilon, other)) + np.exp(epsilon) * alpha

        with np.errstate(invalid="ignore"):  # where δ from a numerical integral is flat to the last digit
            found = elementwise.find_minimum(loss, bracket, args=(flat,), tolerances={"xatol": 0, "xrtol": 1e-12})
        refined = np.where(np.isfinite(found.f_x), -found.f_x, -np.inf)
        never_false = np.where(flat == 0, -np.expm1(self._duality_delta(np.array(np.inf), other)), -np.inf)
        return np.maximum(np.maximum(refined, never_false), values.max(axis=1)).reshape(alpha.shape)

    def _duality_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        """log of the function whose conjugate is the trade-off curve; for "both", max δ reflected at ε = 0."""
        if direction != "both":
            return self.log_delta(epsilon, direction=direction)
        log_delta = self.log_delta(np.abs(epsilon))
        return np.where(epsilon < 0, reflect(np.minimum(epsilon, 0.0), log_delta), log_delta)

    def renyi(self, alpha: Any, direction: str = "both", *, adjacency: str = "add_remove") -> Any:
        r"""Rényi divergence of order α ≥ 1 in nats (α = 1: Kullback–Leibler; α = ∞: the pure-DP ε).

        Orders beyond 1e100, or 1e7 where there is no closed form, count as ∞, which bounds them from above.

        From the profile alone (Sason and Verdú 2016):

        .. math:: e^{(α−1)D_α(P‖Q)} = 1 + α(α−1) ∫_0^∞ e^{(α−1)ε} H_{e^ε}(P‖Q) + e^{−αε} H_{e^ε}(Q‖P) \, dε .
        """
        directions = _directions(direction, adjacency)
        alpha = validation.real_array("alpha", alpha, low=1.0)
        if self.symmetric:
            directions = directions[:1]
        pure = alpha > _LARGEST_ORDER
        result = np.zeros(alpha.shape)
        for one in directions:
            value = self._renyi(np.where(pure, 1.0, alpha), one)
            if np.any(pure):
                value = np.where(pure, self.epsilon(0.0, direction=one), value)
            result = np.maximum(result, value)
        return result[()]

    @property
    def has_closed_renyi(self) -> bool:
        """Whether `renyi` is cheap: a closed form, not an integral over the profile."""
        return type(self)._renyi is not PrivacyProfile._renyi

    def pair(self) -> Any:
        """Output laws on two neighbouring data sets that attain δ(0), and without a `pair_family` the whole profile.

        Raises
        ------
        UnsupportedError
            If no such pair is known.
        """
        raise UnsupportedError(f"no hardest pair is known for {type(self).__name__}: choose another mechanism")

    def pair_family(self) -> Any:
        """The pairs whose supremum is the profile, where no single one attains it; else None."""
        return None

    def with_noise(self, share: float) -> PrivacyProfile:
        """The same mechanism with all of its noise multiplied by `share` > 0 (a pure budget is divided by it).

        Raises
        ------
        UnsupportedError
            If no noise level is known.
        """
        raise UnsupportedError(f"no noise level is known for {type(self).__name__}")

    def log_moment(self, direction: str) -> tuple[Moment, int] | None:
        """s ↦ log E[e^{sω}] on complex s, and about how many exponentials one value costs.

        None where no closed form is known: then it is integrated from the profile.
        """
        return None

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        large = alpha > _LARGEST_NUMERICAL_ORDER
        flat = np.where(large, 1.0, alpha).reshape(-1)

        def curve(one: str) -> Any:
            return lambda epsilon: np.asarray(self.log_delta(epsilon, direction=one))

        log_integrals = np.logaddexp(
            log_profile_integrals(curve(direction), flat - 1.0, self.discrete),
            log_profile_integrals(curve(OPPOSITE[direction]), -flat, self.discrete),
        )
        value = renyi_from_log_excess(flat, log_integrals).reshape(alpha.shape)
        capped = large | np.isposinf(value)
        return np.where(capped, self.epsilon(0.0, direction=direction), value) if capped.any() else value


def reflect(epsilon: np.ndarray, log_delta: np.ndarray) -> np.ndarray:
    """log(1 − e^ε + e^ε δ) for ε ≤ 0: δ(ε) of one direction from δ(−ε) of the other, as 1 − e^ε(1 − δ)."""
    return log1mexp(epsilon + log1mexp(log_delta))


def renyi_from_log_excess(alpha: np.ndarray, log_excess: np.ndarray) -> np.ndarray:
    """D_α = log(1 + α(α−1) e^{log_excess})/(α−1), with the limit e^{log_excess} at α = 1."""
    order = alpha - 1.0
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        general = np.logaddexp(0.0, np.log(alpha) + np.log(order) + log_excess)
        small = np.log1p(alpha * order * np.exp(np.minimum(log_excess, 700.0)))
        value = np.where(general < 1.0, small, general) / order
        return np.where(order == 0, np.exp(log_excess), value)


def _from_public_method(self: PrivacyProfile, epsilon: np.ndarray, direction: str) -> np.ndarray:
    """`_log_delta` of a class that defines the public `log_delta` instead."""
    return np.asarray(self.log_delta(epsilon, direction=direction))


def _directions(direction: str, adjacency: str) -> tuple[str, ...]:
    if adjacency != "add_remove":
        raise UnsupportedError(
            f"adjacency must be 'add_remove', got {adjacency!r}: for replace-one, state the sensitivity of replacing "
            "a record, or use group privacy with two edits"
        )
    validation.choice("direction", direction, ("both", *DIRECTIONS))
    return DIRECTIONS if direction == "both" else (direction,)
