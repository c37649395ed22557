"""Approximate minima perturbation: a solver that stops early, and noise that hides where it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.mechanisms.objective_perturbation.analysed import Analysed
from dpcore.mechanisms.objective_perturbation.convolution import GaussianComposition
from dpcore.mechanisms.objective_perturbation.mechanism import ObjectivePerturbation
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.profiles.bracket import Bracket, Midpoint
from dpcore.profiles.renyi import RenyiCurve
from dpcore.references import FormulaCard, formula_card

# Analyses that are composed by their profile, and analyses that are composed by their Rényi curve.
BY_PROFILE, BY_RENYI = ("tight", "hockey_stick"), ("renyi", "linearised", "non_glm")
_LARGEST_SECOND_SHIFT = 1e4  # largest 2τ/(λσ_out) that is accepted


@dataclass(frozen=True)
class RenyiSum(RenyiCurve):
    """A Rényi curve plus that of a Gaussian mechanism of the given shift, α·shift²/2."""

    base: PrivacyProfile
    shift: float

    @property
    def bound(self) -> Bound:
        """The same as for the base."""
        return self.base.bound

    @property
    def symmetric(self) -> bool:
        """The same as for the base."""
        return self.base.symmetric

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return self.base._renyi(alpha, direction) + 0.5 * alpha * self.shift**2


@dataclass(frozen=True, init=False, repr=False)
class ApproximateMinimaPerturbation(Analysed):
    r"""Stops the solver of objective perturbation at ‖∇‖ ≤ τ and adds N(0, σ_out² I) to the result.

    .. math:: D_α = D_α^\text{exact} + \frac{2τ²α}{σ_\text{out}²λ²}, \qquad
              δ(ε) = E_{ω ∼ N(s²/2, s²)}\left[δ_\text{exact}(ε − ω)\right], \quad s = \frac{2τ}{λσ_\text{out}}

    because the result is post-processing of the exact minimiser and of a Gaussian release of the solver's error, which
    has sensitivity 2τ/λ. With bound "renyi", "linearised" or "non_glm" the first form is used, with "tight" or
    "hockey_stick" the second: a certified bracket of which this class is the upper side.

    Parameters
    ----------
    sigma, lam, lipschitz, smoothness, bound
        As for `ObjectivePerturbation`; so are the options monotone, log_term, dimension, loss, domain and clip.
    tau : float ≥ 0
        Bound on the gradient norm of the perturbed objective (sum form) where the solver stops; it must hold for
        every release, with probability 1.
    sigma_out : float > 0
        Standard deviation of the noise added to the result.

    Raises
    ------
    ParameterError
        If a parameter is out of range or missing.

    References: redberg-koskela-wang-2023 (Theorems 4.1, F.1, Remark 4.2).

    Examples
    --------
    >>> import dpcore as dp
    >>> mechanism = dp.ApproximateMinimaPerturbation(
    ...     sigma=5.0, lam=20.0, lipschitz=1.0, smoothness=1.0, tau=0.01, sigma_out=0.02, bound="renyi")
    >>> round(float(mechanism.renyi(2.0)), 6)
    0.240936
    """

    exact: ObjectivePerturbation
    tau: float
    sigma_out: float

    card: ClassVar[FormulaCard] = formula_card(__file__, "approximate_minima_perturbation")

    def __init__(
        self,
        sigma: float,
        lam: float,
        lipschitz: float | None = None,
        smoothness: float | None = None,
        tau: float = 0.0,
        sigma_out: float = 1.0,
        bound: str = "tight",
        **options: Any,
    ) -> None:
        validation.choice("bound", bound, (*BY_PROFILE, *BY_RENYI))
        exact = ObjectivePerturbation(sigma, lam, lipschitz, smoothness, bound, **options)
        object.__setattr__(self, "exact", exact)
        object.__setattr__(self, "tau", validation.non_negative("tau", tau))
        object.__setattr__(self, "sigma_out", validation.positive("sigma_out", sigma_out))
        if self.second_shift > _LARGEST_SECOND_SHIFT:
            raise ParameterError(
                f"2 tau/(lam sigma_out) must be <= {_LARGEST_SECOND_SHIFT:g}, got {self.second_shift:g}: stop the solver "
                "later or add more noise"
            )

    def __repr__(self) -> str:
        arguments = self.exact.arguments | {"tau": self.tau, "sigma_out": self.sigma_out}
        return f"ApproximateMinimaPerturbation({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"

    @property
    def second_shift(self) -> float:
        """s = 2τ/(λσ_out), dimensionless: the second release is a Gaussian mechanism of that shift."""
        return 2 * self.tau / (self.exact.lam * self.sigma_out)

    @cached_property
    def curve(self) -> PrivacyProfile:
        """The composed profile."""
        if self.second_shift == 0:
            return self.exact.curve
        if self.exact.analysis in BY_RENYI:
            return self._renyi_sum
        return self._composed

    @cached_property
    def _composed(self) -> GaussianComposition:
        return GaussianComposition(self.exact.curve.dominating, self.second_shift)

    @cached_property
    def _renyi_sum(self) -> RenyiSum:
        return RenyiSum(self.exact.curve, self.second_shift)

    @property
    def bracket(self) -> Bracket:
        """Both certified sides of the composed curve, for bound "tight" or "hockey_stick".

        Raises
        ------
        UnsupportedError
            For the Rényi bounds, which have no lower side.
        """
        if self.exact.analysis in BY_RENYI:
            raise UnsupportedError(
                f"bound={self.exact.analysis!r} has no lower side: use bound='tight' or 'hockey_stick' for a bracket"
            )
        if self.second_shift == 0:
            return Bracket(self.curve, self.curve, self.curve, self.exact.bound, "cells")
        lower, upper = self._composed.lower, self._composed.upper
        return Bracket(lower, upper, Midpoint(lower, upper), self.exact.bound, "cells")

    @property
    def bound(self) -> Bound:
        """UPPER, or CLAIMED where the analysis of the exact minimiser is. Where τ = 0 it is that of the analysis."""
        if self.second_shift == 0 or self.exact.bound is Bound.CLAIMED:
            return self.exact.bound
        return Bound.UPPER

    @property
    def has_closed_renyi(self) -> bool:
        """The same as for the analysis of the exact minimiser."""
        return self.exact.has_closed_renyi

    def with_noise(self, share: float) -> ApproximateMinimaPerturbation:
        inner = self.exact.with_noise(share)
        return ApproximateMinimaPerturbation(
            **inner.arguments, tau=self.tau, sigma_out=self.sigma_out * share, loss=inner.loss, clip=inner.clip
        )

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the analysis assumes, and where it says nothing, as sentences."""
        kept = tuple(s for s in self.exact.conditions if "exact minimiser" not in s)
        return (*kept, f"Assumes: the gradient norm is at most τ = {self.tau:g} in every release.")

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return self._renyi_sum._renyi(alpha, direction)
