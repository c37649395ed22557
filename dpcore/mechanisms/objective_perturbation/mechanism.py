"""Objective perturbation for generalised linear models, under any of its privacy analyses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from dpcore import validation
from dpcore.data import Domain
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.glm.losses import Loss, find
from dpcore.mechanisms.entry import Parameter
from dpcore.mechanisms.objective_perturbation.analysed import Analysed
from dpcore.mechanisms.objective_perturbation.hockey_stick import HalfNormalCurve, HockeyStickBound
from dpcore.mechanisms.objective_perturbation.other_bounds import (
    GaussianLowerBound,
    KiferBound,
    LectureBound,
    NoGuarantee,
)
from dpcore.mechanisms.objective_perturbation.renyi import LinearisedBound, NonGlmBound, RenyiBound
from dpcore.mechanisms.objective_perturbation.tight import TightProfile
from dpcore.mechanisms.releases import GlmRelease, RidgeFit, bounded_gradient, named_model
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import FormulaCard

LOG_TERMS = ("minus", "plus")  # ℓ = −log(1−κ), or log(1+κ)
_ROUND_OFF = 1 + 1e-12  # factor by which a loss may exceed the stated bounds on its gradient and curvature
LARGEST_SHIFT, LARGEST_CURVATURE = 1e15, 1e12  # largest Δ and 1/Δ, and largest κ, that are accepted

# The profile of each analysis, and the attributes of the mechanism that it is made from.
_ANALYSES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "tight": (TightProfile, ("shift", "curvature", "monotone")),
    "hockey_stick": (HockeyStickBound, ("shift", "log_jump")),
    "renyi": (RenyiBound, ("shift", "log_jump")),
    "kifer": (KiferBound, ("shift", "curvature")),
    "lecture": (LectureBound, ("shift", "curvature", "_parameters")),
    "lower": (GaussianLowerBound, ("shift",)),
    "linearised": (LinearisedBound, ("shift", "curvature", "log_jump", "dimension")),
    "non_glm": (NonGlmBound, ("shift", "log_jump", "_parameters")),
    "half_normal": (HalfNormalCurve, ("shift",)),
}
BOUNDS = tuple(_ANALYSES)


@dataclass(frozen=True, init=False, repr=False)
class ObjectivePerturbation(GlmRelease, Analysed):
    r"""Releases argmin_θ Σ f(xᵀθ; y) + (λ/2)‖θ‖² + bᵀθ with b ~ N(0, σ²I), solved exactly.

    .. math:: Δ = L/σ, \quad κ = β/λ

    fix the worst case over all such problems (add/remove one record). ``bound`` chooses the analysis:

    ``"tight"``
        The exact worst case over the class of losses (the default; to our knowledge new).
    ``"hockey_stick"``, ``"renyi"``
        Theorems 3.1 and 3.2 of Redberg, Koskela and Wang; with the published log term they need λ > β.
    ``"kifer"``
        The bound of 2012; says nothing for ε < 2β/λ.
    ``"lecture"``
        The statement of the lecture notes, in `dimension` parameters (1 if not given).
    ``"lower"``
        The Gaussian mechanism, which no analysis can beat.
    ``"linearised"``
        Appendix C.1: a proven bound for one parameter, else a claim.
    ``"non_glm"``
        Theorem E.1, for any convex loss in `dimension` parameters.
    ``"half_normal"``
        The limit λ → ∞ of Theorem 3.2, for comparison; not a guarantee.

    Where a bound says nothing its profile is δ = 1 and `says_something` is False.

    Parameters
    ----------
    sigma : float > 0
        Standard deviation of the linear noise term b.
    lam : float > 0
        Regularisation λ, sum form, on every coordinate.
    lipschitz : float > 0
        L = L_f R, bound on the gradient of one record's loss.
    smoothness : float ≥ 0
        β = β_f R², bound on the curvature of one record's loss.
    bound : str
        Which analysis; kept as `analysis`, because `bound` says what kind of curve it gives.
    monotone : bool
        Whether f' keeps one sign for each record (logistic, smoothed hinge); used by "tight". True unless the loss
        named says otherwise.
    log_term : "minus" or "plus"
        −log(1−β/λ) as published, or the sharper log(1+β/λ), in "hockey_stick", "renyi", "linearised" and "non_glm".
    dimension : int ≥ 1
        Number of parameters; needed by "non_glm", used by "linearised" and "lecture".
    loss : str or Loss
        A name in `LOSSES`, or a loss: its constants over the domain stand in for those not given. The per-instance analysis
        needs it. Where a record's gradient or curvature has no bound (squared and Poisson without clip) the mechanism's own
        profile says nothing; single records of a data set still have one.
    domain : Domain
        Public bounds on a record (bias column included), for the constants of `loss`; ‖x‖ ≤ 1 and |y| ≤ 1 if not given.
    clip : float > 0
        Largest norm of one record's gradient after clipping, for the constants of `loss`.

    Raises
    ------
    ParameterError
        If a parameter is out of range or missing.

    References: redberg-koskela-wang-2023, kifer-smith-thakurta-2012, lecture-10.

    Examples
    --------
    >>> import dpcore as dp
    >>> mechanism = dp.ObjectivePerturbation(sigma=5.0, lam=20.0, lipschitz=1.0, smoothness=1.0)
    >>> round(float(mechanism.log_delta(0.5)), 9)
    -7.575934447
    """

    sigma: float
    lam: float
    lipschitz: float
    smoothness: float
    analysis: str
    monotone: bool
    log_term: str
    dimension: int | None
    loss: Loss | None
    clip: float | None

    card: ClassVar[FormulaCard] = TightProfile.card
    release: ClassVar[str] = "objective"
    noise: ClassVar[Parameter] = Parameter("sigma", "σ", "Noise σ", 1.0, 1e-3, 100.0, noise=1)

    def __init__(
        self,
        sigma: float,
        lam: float,
        lipschitz: float | None = None,
        smoothness: float | None = None,
        bound: str = "tight",
        monotone: bool | None = None,
        log_term: str = "minus",
        dimension: int | None = None,
        loss: str | Loss | None = None,
        domain: Domain | None = None,
        clip: float | None = None,
    ) -> None:
        lipschitz, smoothness, monotone = _constants(lipschitz, smoothness, monotone, loss, domain, clip)
        set_field = object.__setattr__
        set_field(self, "loss", None if loss is None else find(loss))
        set_field(self, "clip", None if clip is None else validation.positive("clip", clip))
        set_field(self, "sigma", validation.positive("sigma", sigma))
        set_field(self, "lam", validation.positive("lam", lam))
        free = loss is not None and clip is None  # an unclipped loss may have no bounds
        for name, value, check in (
            ("lipschitz", lipschitz, validation.positive), ("smoothness", smoothness, validation.non_negative)
        ):  # fmt: skip
            set_field(self, name, np.inf if free and value == np.inf else check(name, value))
        set_field(self, "analysis", validation.choice("bound", bound, BOUNDS))
        set_field(self, "monotone", validation.flag("monotone", monotone))
        set_field(self, "log_term", validation.choice("log_term", log_term, LOG_TERMS))
        if dimension is not None:
            dimension = validation.at_least_one("dimension", dimension)
        elif bound == "non_glm":
            raise ParameterError("bound='non_glm' needs dimension, the number of parameters of the model")
        set_field(self, "dimension", dimension)
        set_field(self, "card", _ANALYSES[bound][0].card)
        if not self._is_bounded:
            return
        if not 1 / LARGEST_SHIFT <= self.shift <= LARGEST_SHIFT:
            raise ParameterError(
                f"lipschitz/sigma must be in [{1 / LARGEST_SHIFT:g}, {LARGEST_SHIFT:g}], got {self.shift:g}"
            )
        if self.curvature > LARGEST_CURVATURE:
            raise ParameterError(f"smoothness/lam must be <= {LARGEST_CURVATURE:g}, got {self.curvature:g}")

    @property
    def arguments(self) -> dict[str, Any]:
        """What the constructor takes, by name, without the loss and its clip."""
        return {
            "sigma": self.sigma, "lam": self.lam, "lipschitz": self.lipschitz, "smoothness": self.smoothness,
            "bound": self.analysis, "monotone": self.monotone, "log_term": self.log_term, "dimension": self.dimension,
        }  # fmt: skip

    def __repr__(self) -> str:
        told = [f"{name}={value!r}" for name, value in self.arguments.items()]
        return f"ObjectivePerturbation({', '.join(told + named_model(self))})"

    def nearby(self, fit: RidgeFit, Z: np.ndarray) -> np.ndarray:
        """σH⁻¹Z; see `GlmRelease.nearby`."""
        return self.sigma * linalg.cho_solve((fit.factor, True), Z)

    def worst_case(self, domain: Any, n: int) -> ObjectivePerturbation:
        """The guarantee over every data set and every record of the public domain: the profile itself; n is not needed.

        Raises
        ------
        UnsupportedError
            If the loss named has no bound on the gradient of a record over the domain: a stated `lipschitz` does not hold.
        """
        if self.loss is not None:
            constants = self.loss.constants(domain, self.clip)
            if (
                not self._is_bounded
                or constants.lipschitz > self.lipschitz * _ROUND_OFF
                or constants.smoothness > self.smoothness * _ROUND_OFF
            ):
                raise UnsupportedError(
                    f"over this domain one record of loss={self.loss!r} has a gradient of up to {constants.lipschitz:g} and a "
                    f"curvature of up to {constants.smoothness:g}, more than the stated {self.lipschitz:g} and "
                    f"{self.smoothness:g}: there is no worst-case guarantee. Clip the gradient of each record"
                )
        return self

    def worst_of_record(self, domain: Any) -> ObjectivePerturbation:
        """The tight profile at the constants of the loss over `domain`; see `GlmRelease.worst_of_record`."""
        bounded_gradient(self, domain)
        return ObjectivePerturbation(self.sigma, self.lam, loss=self.loss, domain=domain, clip=self.clip)

    @property
    def shift(self) -> float:
        """Δ = L/σ, dimensionless."""
        return self.lipschitz / self.sigma

    @property
    def curvature(self) -> float:
        """κ = β/λ, dimensionless."""
        return self.smoothness / self.lam

    @cached_property
    def curve(self) -> PrivacyProfile:
        """The profile of the chosen analysis, as a function of Δ and κ."""
        if not (self._is_defined and self._is_bounded):
            return NoGuarantee()
        kind, parts = _ANALYSES[self.analysis]
        return kind(*(getattr(self, part) for part in parts))

    @property
    def log_jump(self) -> float:
        """ℓ = −log(1−κ) as published, or log(1+κ)."""
        return float(np.log1p(self.curvature) if self.log_term == "plus" else -np.log1p(-self.curvature))

    @property
    def _parameters(self) -> int:
        """Number of parameters of the model, 1 where it is not given."""
        return self.dimension or 1

    @property
    def _is_defined(self) -> bool:
        """Whether the published log term exists where the analysis uses it."""
        return "log_jump" not in _ANALYSES[self.analysis][1] or self.log_term == "plus" or self.curvature < 1

    @property
    def _is_bounded(self) -> bool:
        """Whether gradient and curvature of a record have bounds."""
        return bool(np.isfinite(self.lipschitz) and np.isfinite(self.smoothness))

    @property
    def bound(self) -> Bound:
        """EXACT for "tight", LOWER for "lower", CLAIMED where it is no guarantee, else UPPER."""
        return self.curve.bound

    @property
    def has_closed_renyi(self) -> bool:
        """The same as for the chosen analysis."""
        return self.curve.has_closed_renyi

    def _with(self, **parameters: float) -> ObjectivePerturbation:
        return ObjectivePerturbation(**self.arguments | parameters, loss=self.loss, clip=self.clip)

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the chosen analysis assumes, and where it says nothing, as sentences."""
        sentences = [f"Assumes: {assumption}." for assumption in self.card.assumptions]
        if not self._is_bounded:
            sentences.append(
                f"No guarantee: the gradient or curvature of one record is unbounded for loss={self.loss!r}. Clip the gradient "
                "of each record and give the bound as clip."
            )
        elif not self._is_defined:
            sentences.append(
                f"No guarantee for λ ≤ β: the published log term needs λ > β, here λ = {self.lam:g} and "
                f"β = {self.smoothness:g}."
            )
        if self.analysis == "kifer" and self.curvature > 0:
            sentences.append(f"No guarantee for ε < 2β/λ = {2 * self.curvature:g}.")
        if self.analysis == "linearised" and self.curvature > 0 and self.curve.bound is Bound.CLAIMED:
            sentences.append("A claim, not a proof, unless the model has a single parameter (dimension=1).")
        if self.analysis == "half_normal":
            sentences.append("A reference curve: read as a guarantee for a finite λ it is false.")
        return tuple(sentences)

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return self.curve._tradeoff(alpha, direction)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return self.curve._renyi(alpha, direction)


def _constants(
    lipschitz: float | None,
    smoothness: float | None,
    monotone: bool | None,
    loss: str | Loss | None,
    domain: Domain | None,
    clip: float | None,
) -> tuple[float | None, float | None, bool]:
    """lipschitz, smoothness and monotone; those not given are taken from the loss over the domain."""
    if loss is None:
        if domain is not None or clip is not None:
            raise ParameterError("domain and clip only say what the constants of a loss are: name the loss too")
        for name, value in (("lipschitz", lipschitz), ("smoothness", smoothness)):
            if value is None:
                raise ParameterError(
                    f"{name} is missing: give it, or name a loss with known constants (loss='logistic')"
                )
        return lipschitz, smoothness, True if monotone is None else monotone
    constants = find(loss).constants(Domain() if domain is None else domain, clip)
    lipschitz = constants.lipschitz if lipschitz is None else lipschitz
    smoothness = constants.smoothness if smoothness is None else smoothness
    return lipschitz, smoothness, constants.monotone if monotone is None else monotone
