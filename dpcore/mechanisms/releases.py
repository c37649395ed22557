"""What the releases of a fitted model share: λ and the model, the noise around the fit, the worst case, an entry."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np

from dpcore import validation
from dpcore.errors import UnsupportedError
from dpcore.glm.losses import LOSSES, Loss, Squared, TargetKind, find
from dpcore.mechanisms.entry import Parameter
from dpcore.profiles import PrivacyProfile
from dpcore.references import FormulaCard


class RidgeFit(Protocol):
    """θ̂ (n_features,), the lower Cholesky factor of H = XᵀX + λI, and XᵀX of the rows that may shape the noise."""

    @property
    def theta(self) -> np.ndarray: ...

    @property
    def factor(self) -> np.ndarray: ...

    @property
    def gram(self) -> np.ndarray: ...


class GlmRelease(ABC):
    r"""A generalised linear model released once, at a ridge penalty `lam`.

    .. math:: J(θ) = \sum_i f(x_i^⊤θ; y_i) + \tfrac λ2‖θ‖², \quad \hat θ = \arg\min J

    For the plain squared loss the release is normal,

    .. math:: θ ∼ N(\hat θ, SS^⊤), \quad \hat θ = H^{-1}X^⊤y, \quad H = X^⊤X + λI

    A subclass gives S (`nearby`), its worst case, the parameter that is the level of its noise (`noise`) and the key of
    its entry in `RELEASES` (`release`). Its per-instance analyses are registered in `dpcore.individual.exposure`: in
    `ANALYSES` for the plain squared loss, in `GLM_ANALYSES` for any other.
    """

    release: ClassVar[str]
    card: ClassVar[FormulaCard]
    noise: ClassVar[Parameter]
    lam: float
    loss: Loss | None
    clip: float | None

    def __repr__(self) -> str:
        parts = [f"{part.name}={getattr(self, part.name)!r}" for part in fields(cast(Any, self)) if part.repr]
        if not self.is_linear:
            parts += named_model(self)
        return f"{type(self).__name__}({', '.join(parts)})"

    @property
    def is_linear(self) -> bool:
        """Whether the model is linear regression: the plain squared loss, whose gradients nothing clips."""
        return self.loss == Squared() and self.clip is None

    @property
    def is_normal(self) -> bool:
        """Whether the release is normal around the fit."""
        return self.is_linear

    @property
    def target(self) -> TargetKind:
        """The kind of targets of the model."""
        return find(self.loss).target

    def require_linear(self) -> None:
        """Refuse every model but linear regression.

        Raises
        ------
        UnsupportedError
        """
        if not self.is_linear:
            raise UnsupportedError(
                "this answer is known for linear regression with the plain squared loss only: name it with loss='squared' "
                f"and leave out clip; got {self!r}"
            )

    @property
    def inverse_temperature(self) -> float | None:
        """γ where the release is one draw from e^{−γJ}; else None."""
        return None

    @property
    def shaped_by_data(self) -> bool:
        """Whether the noise has a shape that is taken from the data and treated as public."""
        return False

    @property
    def caveat(self) -> str:
        """A warning about the numbers of this release; empty where nothing treated as public depends on the data."""
        return ""

    @abstractmethod
    def nearby(self, fit: RidgeFit, Z: np.ndarray) -> np.ndarray:
        """S Z for Z (n_features, k), with J replaced by its quadratic approximation at the fit, whose Hessian is H.

        Exact for linear regression.

        Raises
        ------
        ParameterError, DataError
        """

    def spread(self, fit: RidgeFit, Z: np.ndarray) -> np.ndarray:
        """S Z of a release that is normal around the fit. For standard normal Z, its k columns are draws of the noise.

        Raises
        ------
        UnsupportedError, ParameterError, DataError
        """
        if not self.is_normal:
            self.require_linear()
        return self.nearby(fit, Z)

    @abstractmethod
    def worst_case(self, domain: Any, n: int) -> PrivacyProfile:
        """Profile over every data set of at most n rows and every record of the public domain.

        Raises
        ------
        UnsupportedError
            If there is no such guarantee.
        """

    def worst_of_record(self, domain: Any) -> PrivacyProfile:
        """Profile over every record of `domain` and every data set, of any rows, for any model but linear regression.

        Raises
        ------
        UnsupportedError
            If there is no such guarantee.
        """
        if self.is_linear:
            raise UnsupportedError(
                "in linear regression the other rows decide how visible a record can be: bound them too"
            )
        return self.worst_case(domain, 0)

    def worst_renyi(self, alpha: float, domain: Any, n: int) -> float:
        """Largest Rényi divergence of order α over the same data sets and records, nats.

        Raises
        ------
        UnsupportedError
        """
        return float(self.worst_case(domain, n).renyi(alpha))

    def draw(self, fit: RidgeFit, count: int, rng: np.random.Generator) -> np.ndarray:
        """Independent releases θ of a fit, shape (count, n_features).

        Raises
        ------
        UnsupportedError, ParameterError, DataError
        """
        return fit.theta + self.spread(fit, rng.standard_normal((fit.theta.size, count))).T

    def noise_error(self, fit: RidgeFit, gram: np.ndarray) -> float:
        """tr(G SSᵀ), G = XᵀX of the rows the release is used on: the squared error that the noise adds there."""
        root = self.nearby(fit, np.eye(fit.theta.size))
        return float(np.sum(root * (gram @ root)))

    @property
    def level(self) -> float:
        """The standard deviation of the noise in units of its shape: σ, or 1/√γ."""
        return float(getattr(self, self.noise.name) ** (1 / self.noise.noise))

    def with_noise(self, share: float) -> Self:
        """The same release with all of its noise multiplied by `share` > 0."""
        share = validation.positive("share", share)
        return self._with(**{self.noise.name: getattr(self, self.noise.name) * share**self.noise.noise})

    def at_noise(self, value: float) -> Self:
        """The same release at another value of the parameter that is the level of its noise."""
        return self._with(**{self.noise.name: value})

    def with_penalty(self, lam: float) -> Self:
        """The same release at another ridge penalty."""
        return self._with(lam=lam)

    def _with(self, **parameters: float) -> Self:
        return replace(cast(Any, self), **parameters)


def set_model(release: GlmRelease) -> None:
    """Check and set λ, the loss and the clipping of a release that is being made.

    Raises
    ------
    ParameterError
    """
    clip = None if release.clip is None else validation.positive("clip", release.clip)
    for name, value in (
        ("lam", validation.non_negative("lam", release.lam)),
        ("loss", find(release.loss)),
        ("clip", clip),
    ):
        object.__setattr__(release, name, value)


def named_model(release: GlmRelease) -> list[str]:
    """loss=… and clip=… as the constructor takes them; empty where no loss is named."""
    if release.loss is None:
        return []
    names = [repr(name) for name, loss in LOSSES.items() if loss == release.loss]
    clip = [] if release.clip is None else [f"clip={release.clip!r}"]
    return [f"loss={names[0] if names else repr(release.loss)}", *clip]


def same_model(one: GlmRelease, other: GlmRelease) -> bool:
    """Whether two releases perturb the same fit."""
    return (one.lam, one.loss, one.clip) == (other.lam, other.loss, other.clip)


def bounded_gradient(release: GlmRelease, domain: Any) -> float:
    """L, the largest norm of the gradient of one record of the domain.

    Raises
    ------
    UnsupportedError
        If there is none.
    """
    largest = find(release.loss).constants(domain, release.clip).lipschitz
    if not np.isfinite(largest):
        raise UnsupportedError(
            f"the gradient of one record has no bound for loss={release.loss!r}, so there is no worst-case guarantee: clip "
            "the gradient of each record (clip=…)"
        )
    return largest


def penalty_control() -> Parameter:
    """The control of λ."""
    return Parameter("lam", "λ", "Regularisation λ", 1.0, 0.01, 1000.0)


@dataclass(frozen=True)
class Alternatives:
    """A parameter that is one of a few words: its argument, what the control says, and each word with its label."""

    name: str
    words: str
    options: Mapping[str, str]
    help: str = ""


@dataclass(frozen=True)
class ReleaseEntry:
    """A release of a fitted model as pages, the command line and contract tests find it.

    Parameters
    ----------
    key : in links and registries
    name : on the screen
    build : function of the parameters, the alternatives, the model (loss, clip) and the public domain
    parameters : λ and the others, in the order of their controls
    card : formula card of its per-instance analysis
    option : what the command line calls it
    law : what is released, in a few words
    asked : arguments on the command line beside lam, with their defaults; None where there is none
    alternatives : parameters that are one of a few words
    needs_bounded_gradient : whether the worst case of linear regression, too, needs a bound on the gradient of a record
    """

    key: str
    name: str
    build: Callable[..., GlmRelease]
    parameters: tuple[Parameter, ...]
    card: FormulaCard
    option: str
    law: str
    asked: Mapping[str, Any]
    alternatives: tuple[Alternatives, ...] = ()
    needs_bounded_gradient: bool = False

    @property
    def noise(self) -> Parameter:
        """The parameter of the level of its noise."""
        return next(part for part in self.parameters if part.noise)

    def at(self, level: float, lam: float, **model: Any) -> GlmRelease:
        """The release with noise of this `GlmRelease.level` at a ridge penalty; `model` as in `build`."""
        return self.build(**{self.noise.name: level**self.noise.noise, "lam": lam}, **model)

    def can_clip(self, loss: Loss, domain: Any) -> bool:
        """Whether the loss leaves the gradient of a record unbounded and the worst case needs it clipped."""
        unbounded = not np.isfinite(loss.constants(domain).lipschitz)
        return unbounded and (self.needs_bounded_gradient or loss != Squared())


def in_any_domain(build: Callable[..., GlmRelease]) -> Callable[..., GlmRelease]:
    """The same function with an additional argument `domain`, which it ignores."""
    return lambda domain=None, **given: build(**given)
