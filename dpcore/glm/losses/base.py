"""What a loss must supply: f(u; y) of the linear predictor u = xᵀθ, and the constants privacy bounds need."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.errors import DataError
from dpcore.glm.losses.scores import PredictionScore
from dpcore.glm.losses.targets import TargetKind
from dpcore.references import FormulaCard

Reals = np.ndarray | float


@dataclass(frozen=True)
class LossConstants:
    """Bounds over every record of a public domain and every θ.

    Parameters
    ----------
    lipschitz : L = sup ‖x‖|f'|, largest norm of one record's gradient; inf where there is none
    smoothness : β = sup ‖x‖²f'', largest curvature of one record; inf where there is none
    monotone : whether f' has one sign for each target
    """

    lipschitz: float
    smoothness: float
    monotone: bool


@dataclass(frozen=True)
class ClippedMean:
    """f'(u) = min(high, max(low, scale·(m(u) − target))), one entry of each array per record; what compiled code reads.

    `mean` names m: "identity", "logistic" (1/(1 + e⁻ᵘ)) or "exponential".
    """

    mean: str
    scale: float
    target: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Loss(ABC):
    """A convex, continuously differentiable f(u; y). All methods broadcast u against y.

    Subclasses are frozen dataclasses whose fields are the loss's own parameters.

    Attributes
    ----------
    title : what people call it, without "loss"
    model : what a model fitted with it is called
    residual : what −f' of a record is called
    target : kind of target it takes
    scores : how its predictions are judged, the most usual first
    card : its formulas
    monotone : whether f' has one sign for each target
    bend_rate : κ, the largest |f'''|/f'' between the jumps of f''; 0 where it changes by jumps only
    augmentable : whether it is one of the models that noise augmentation has rows for (li-liu-napp, Table 1)
    """

    title: ClassVar[str]
    model: ClassVar[str]
    residual: ClassVar[str] = "residual"
    target: ClassVar[TargetKind]
    scores: ClassVar[tuple[PredictionScore, ...]]
    card: ClassVar[FormulaCard]
    monotone: ClassVar[bool] = False
    bend_rate: ClassVar[float] = 0.0
    augmentable: ClassVar[bool] = False

    @abstractmethod
    def value(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        """f(u; y)."""

    @abstractmethod
    def derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        """f'(u; y)."""

    @abstractmethod
    def second_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        """f''(u; y); at a kink of f', one of its one-sided values."""

    def third_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        """f'''(u; y) between the jumps of f''; 0 unless there is a `bend_rate`."""
        return np.zeros(np.broadcast_shapes(np.shape(u), np.shape(y)))

    @abstractmethod
    def predictor_at(self, slope: np.ndarray, y: np.ndarray) -> np.ndarray:
        """A u at which f' passes the slope; −inf where f' lies above it everywhere, inf where below."""

    @abstractmethod
    def slope_bound(self, target_bound: Reals = 1.0) -> Reals:
        """L_f = sup |f'| over all u and all targets with |y| ≤ target_bound; inf where there is none."""

    @abstractmethod
    def curvature_bound(self, target_bound: Reals = 1.0, limit: Reals = np.inf) -> Reals:
        """β_f ≥ sup f'' over all targets with |y| ≤ target_bound and all u with |f'(u)| < limit; inf where unbounded."""

    def kinks(self, y: np.ndarray) -> list[np.ndarray]:
        """Predictors at which f'' jumps, each of the shape of y; ±inf where a target has none."""
        return []

    def peak(self, y: np.ndarray) -> np.ndarray:
        """Predictors, of the shape of y, such that f'' on any interval is largest there, at an end or beside a kink."""
        found = np.zeros(y.shape)
        for slope in (-0.5, 0.5, 0.0):
            place = self.predictor_at(np.full(y.shape, slope), y)
            found = np.where(np.isfinite(place), place, found)
        return found

    def clipped_mean(self, y: np.ndarray) -> ClippedMean | None:
        """The same derivative in the form compiled code reads, which SAG needs; None where it has no such form."""
        return None

    def predicted_mean(self, u: np.ndarray) -> np.ndarray:
        """The target that the predictor u stands for: u itself, unless the loss has a link. Its sign gives a label."""
        return u

    def check_target(self, y: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Refuse targets the loss has no meaning for; `rows` are their numbers in a file.

        Raises
        ------
        DataError
        """
        self.target.check(y, self.title, rows)

    def suits(self, y: np.ndarray) -> bool:
        """Whether `check_target` accepts the targets."""
        try:
            self.check_target(y)
        except DataError:
            return False
        return True

    def minimiser(self, y: np.ndarray) -> np.ndarray:
        """A u at which f is smallest, ±inf where f only approaches its infimum."""
        return self.predictor_at(np.zeros_like(y), y)

    def constants(self, domain: Any, clip: float | None = None) -> LossConstants:
        r"""L and β of one record of a public domain, of the gradient-clipped loss if `clip` is given.

        .. math:: L = \min(C, L_f R), \quad β = \sup_{r \le R} r² β_f(C/r) = R² β_f(C/R)

        Parameters
        ----------
        domain : object with `row_norm` (R) and `target_bound` (B), such as `dp.Domain`
        clip : C > 0, largest norm of one record's gradient after clipping

        References: redberg-koskela-wang-2023 (Theorems F.2, F.3, Definitions J.1, J.2).
        """
        radius = validation.positive("row_norm", domain.row_norm)
        target_bound = validation.positive("target_bound", domain.target_bound)
        clip = np.inf if clip is None else validation.positive("clip", clip)
        return LossConstants(
            lipschitz=min(clip, float(self.slope_bound(target_bound)) * radius),
            smoothness=float(self.curvature_bound(target_bound, clip / radius)) * radius**2,
            monotone=self.monotone,
        )


class PredictorBounded(Loss):
    """A loss continued linearly beyond |u| ≤ `predictor_bound`, so that its constants hold for every θ.

    Subclasses are dataclasses with a field `predictor_bound` and give the uncontinued f as `_value`, `_derivative`,
    `_second_derivative` and `_predictor_at`.
    """

    predictor_bound: float

    _value: Any
    _derivative: Any
    _second_derivative: Any
    _predictor_at: Any

    def value(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.predictor_bound == np.inf:
            return self._value(u, y)
        near = np.clip(u, -self.predictor_bound, self.predictor_bound)
        beyond = u - near
        return self._value(near, y) + np.where(beyond == 0, 0.0, self._derivative(near, y)) * beyond

    def derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.predictor_bound == np.inf:
            return self._derivative(u, y)
        return self._derivative(np.clip(u, -self.predictor_bound, self.predictor_bound), y)

    def second_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.predictor_bound == np.inf:
            return self._second_derivative(u, y)
        near = np.clip(u, -self.predictor_bound, self.predictor_bound)
        return np.where(near == u, self._second_derivative(near, y), 0.0)

    def predictor_at(self, slope: np.ndarray, y: np.ndarray) -> np.ndarray:
        u = self._predictor_at(slope, y)
        return np.where(u < -self.predictor_bound, -np.inf, np.where(u > self.predictor_bound, np.inf, u))

    def kinks(self, y: np.ndarray) -> list[np.ndarray]:
        return [np.full(y.shape, end * self.predictor_bound) for end in (-1, 1) if np.isfinite(self.predictor_bound)]


def predictor_bound(value: Any) -> float:
    """A bound > 0; inf means that the loss is used as it is, without constants."""
    return np.inf if value is None or value == np.inf else validation.positive("predictor_bound", value)


def unlimited(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """No lower and no upper limit of the derivative."""
    return np.full(y.shape, -np.inf), np.full(y.shape, np.inf)
