"""What a private learner promises before it sees the data, and what it releases afterwards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from dpcore import validation
from dpcore.data import Dataset, Domain
from dpcore.errors import ConvergenceError, DataError, ParameterError, UnsupportedError
from dpcore.glm.losses import Loss
from dpcore.learners.laws import OutputLaw
from dpcore.profiles import PrivacyProfile
from dpcore.references import FormulaCard


@dataclass(frozen=True)
class PublicFacts:
    """All that a learner may look at to choose its parameters; the number of records is taken as public.

    Parameters
    ----------
    n_samples, n_features : int ≥ 1
    domain : public bounds of one record
    """

    n_samples: int
    n_features: int
    domain: Domain

    @classmethod
    def of(cls, dataset: Dataset) -> PublicFacts:
        """The public facts of a data set.

        Raises
        ------
        DataError
            If the data set states no public domain: bounds read off the data would leak.
        """
        if dataset.domain is None:
            raise DataError(
                "The data set states no public domain, and bounds read off the data would leak; "
                "give it a Domain(row_norm=…, target_bound=…) that is known without looking at the data."
            )
        return cls(dataset.n_samples, dataset.n_features, dataset.domain)


@dataclass(frozen=True)
class Plan:
    """What a learner will do with any data set of the given public facts.

    Parameters
    ----------
    profile : the guarantee of one release
    parameters : the numbers chosen, by name
    notes : one sentence per decision a reader should know
    noise : all parameters that set how much noise a run draws, each with a power p: c times as much noise multiplies it
        by c^p (σ: 1, inverse temperature γ: −2); for a law with its own `with_noise`, that is called instead
    """

    profile: PrivacyProfile
    parameters: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    noise: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("parameters", "noise"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(self) -> tuple[Any, ...]:
        return Plan, (self.profile, dict(self.parameters), self.notes, dict(self.noise))

    def with_noise(self, share: float) -> Plan:
        """The plan with this share of all its noise, under the profile of the full noise: an audit should catch it.

        Raises
        ------
        UnsupportedError
            If the plan names no noise, and less or more of it is asked for.
        """
        share = validation.positive("share", share)
        if not self.noise and share != 1:
            raise UnsupportedError("the plan names no noise, so no share of it can be run: leave the share at 1")
        changed = {name: _shared(self.parameters[name], share, power) for name, power in self.noise.items()}
        return replace(self, parameters={**self.parameters, **changed})


@dataclass(frozen=True)
class FitWithNoise:
    """A release as far as its accuracy depends on it: what a prediction needs to know of a plan.

    Parameters
    ----------
    lam : λ ≥ 0 of the fit, sum form
    clip : C, bound on the gradient norm of a record; inf without one
    pull : standard deviation of each coordinate of the noise on the gradient, of each step where there are steps
    spread : standard deviation of the noise on each coefficient of the result
    gamma : inverse temperature of a sample around the result, N(0, (γH)⁻¹); inf where nothing is sampled
    steps, rate : steps of descent from 0, and their size on the sum of gradients; 0 steps are a fit to the end
    """

    lam: float = 0.0
    clip: float = np.inf
    pull: float = 0.0
    spread: float = 0.0
    gamma: float = np.inf
    steps: int = 0
    rate: float = 0.0


def _shared(value: Any, share: float, power: int) -> Any:
    return value.with_noise(share) if hasattr(value, "with_noise") else value * share**power


@dataclass(frozen=True, eq=False)
class Release:
    """A published θ with the guarantee it was published under, and nothing else that depends on the data: safe to share.

    What a solver did on the way is confidential (its minimiser is θ without the noise) and not kept.

    Parameters
    ----------
    theta : array (n_features,), read-only
    profile : PrivacyProfile of the whole release
    parameters : the numbers chosen, by name, and what else is released under the profile
    report : one sentence per thing a reader should know

    Raises
    ------
    ConvergenceError
        If θ is not finite; a solver that does not converge raises it before.
    """

    theta: np.ndarray
    profile: PrivacyProfile
    parameters: Mapping[str, Any]
    report: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        theta = np.array(self.theta, dtype=np.float64)
        if not isinstance(self.profile, PrivacyProfile):
            raise ParameterError(f"profile must be a PrivacyProfile, got {self.profile!r}")
        if not np.isfinite(theta).all():
            raise ConvergenceError("the coefficients are not finite, so there is nothing to release")
        theta.setflags(write=False)
        object.__setattr__(self, "theta", theta)
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Release, (self.theta, self.profile, dict(self.parameters), self.report)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Learner(ABC):
    """Turns a data set into a `Release`. Subclasses are frozen dataclasses whose fields are the user's choices.

    `plan` sees public facts only, so no parameter can depend on the data.

    Attributes
    ----------
    title, card : what people call it, and its formulas
    loss : the loss it minimises, a field where the user may choose; None where there is no such loss
    """

    title: ClassVar[str]
    card: ClassVar[FormulaCard]
    if TYPE_CHECKING:  # each has its own choices

        def __init__(self, *arguments: Any, **choices: Any) -> None: ...

    @property
    def loss(self) -> Any:
        return None

    @classmethod
    def suggested(cls, loss: Loss, facts: PublicFacts, epsilon: float, delta: float) -> Self:
        """The learner with all of its choices made from public facts.

        Parameters
        ----------
        loss, facts : what is to be learned
        epsilon, delta : budget

        Raises
        ------
        UnsupportedError
            If it is for another loss.
        """
        if "loss" in {one.name for one in fields(cls)}:
            return cls(loss=loss, epsilon=epsilon, delta=delta)
        made = cls(epsilon=epsilon, delta=delta)
        if made.loss != loss:
            raise UnsupportedError(f"it is for the {made.loss.title.lower()} loss only")
        return made

    @abstractmethod
    def plan(self, facts: PublicFacts) -> Plan:
        """Guarantee and parameters, from public facts only.

        Raises
        ------
        CalibrationError
            If no parameters meet the target.
        """

    @abstractmethod
    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        """Run the algorithm as planned."""

    def law(self, dataset: Dataset, plan: Plan) -> OutputLaw | None:
        """Density of the output on this data set under a plan, confidential; None where it is not known."""
        return None

    def noisy_fit(self, facts: PublicFacts, smallest: float) -> FitWithNoise | None:
        """What `plan` chooses, as a fit with noise, to a thousandth of the noise; None where no such fit describes it.

        Parameters
        ----------
        facts : all that may be looked at
        smallest : a guess at the smallest eigenvalue of XᵀX, for a learner that measures it

        Raises
        ------
        CalibrationError
        """
        return None

    def fit(self, dataset: Dataset, rng: int | np.random.Generator) -> Release:
        """Learn and publish.

        The guarantee is proven for noise in real numbers that nobody can predict. Normal noise in doubles has gaps, which
        the last digits of θ can show; NumPy's generators are made for speed, not for secrecy; neither how long a fit takes
        nor that one fails is covered. The counts of `publish_exposure` are exact: whole numbers.

        Parameters
        ----------
        dataset : Dataset with a public domain
        rng : random generator, such as `numpy.random.default_rng()`, whose seed comes from the operating system; or a seed
            ≥ 0, for experiments only: whoever knows it takes the noise off θ

        Raises
        ------
        DataError, CalibrationError, ConvergenceError

        References: mironov-2012, jin-et-al-2022.
        """
        if not isinstance(rng, np.random.Generator):
            rng = np.random.default_rng(validation.integer("rng", rng, minimum=0))
        return self._release(dataset, self.plan(PublicFacts.of(dataset)), rng)
