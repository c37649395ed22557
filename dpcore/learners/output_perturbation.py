"""Output perturbation of a regularised GLM: the minimiser plus Gaussian noise of the size one record can move it."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.calibration.objective import gaussian_sigma
from dpcore.data import Dataset
from dpcore.errors import UnsupportedError
from dpcore.glm import Problem, solve
from dpcore.glm.losses import find
from dpcore.learners import rules
from dpcore.learners.base import FitWithNoise, Learner, Plan, PublicFacts, Release
from dpcore.learners.laws import GaussianLaw, OutputLaw
from dpcore.mechanisms import Gaussian
from dpcore.references import FormulaCard, formula_card

_COMPARATOR = 1.2  # B in units of √d s/R; doubled, λ is smaller and the noise larger
_CENTRE_TOL = 1e-9  # gradient norm at the centre of the law, for up to a thousand rows


@dataclass(frozen=True)
class OutputPerturbationLearner(Learner):
    r"""Releases argmin Σ f_C(xᵀθ; y) + (λ/2)‖θ‖² + N(0, s²I).

    One record moves the minimiser by at most C/λ, and a solver that stops at ‖∇‖ ≤ τ by 2τ/λ more; s is that of the
    analytic Gaussian mechanism. Without `lam`, λ minimises the predicted excess risk for a comparator of norm B,

    .. math:: \tfrac λ2 B² + \tfrac12 (nβ + λ)\, d\, s(λ)², \qquad s = σ_\text{Gauss}(ε, δ; (C + 2τ)/λ)

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    epsilon, delta : target, nats and probability
    clip : C > 0, bound on the gradient norm of each record; 0.8 of the largest at θ = 0 if not given
    lam : λ > 0, sum form, fixed without looking at the data
    theta_norm : B > 0; 1.2 √d s/R if not given
    tau : gradient norm at which the solver stops
    regularise_intercept : must be True; False is refused with the reason

    Raises
    ------
    ParameterError, UnsupportedError

    References: lecture-10 (Sensitivity of output perturbation), balle-wang-2018.
    """

    loss: Any = "logistic"
    epsilon: float = 1.0
    delta: float = 1e-5
    clip: float | None = None
    lam: float | None = None
    theta_norm: float | None = None
    tau: float | None = None
    regularise_intercept: bool = True

    title: ClassVar[str] = "Output perturbation"
    card: ClassVar[FormulaCard] = formula_card(__file__, "output_perturbation_learner")

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", find(self.loss))
        validation.set_checked(self, epsilon=validation.positive, delta=validation.open_probability)
        validation.set_checked(self, **dict.fromkeys(("clip", "lam", "theta_norm", "tau"), rules.fixed_number))
        if self.regularise_intercept is not True:
            raise UnsupportedError(rules.NO_INTERCEPT)

    def plan(self, facts: PublicFacts) -> Plan:
        """Profile, C, λ and s; see `Learner.plan`."""
        clip = rules.public_clip(self.loss, facts.domain, self.clip, "best")
        tau = rules.default_tau(clip, facts.n_samples) if self.tau is None else self.tau
        one = rules.bounded(self.loss, facts.domain, clip)
        unit = gaussian_sigma(self.epsilon, self.delta, one.lipschitz + 2 * tau)
        norm = rules.comparator_norm(self.loss, facts, _COMPARATOR) if self.theta_norm is None else self.theta_norm
        lam = self.lam
        if lam is None:
            lam = best_lambda(facts.n_samples * one.smoothness, facts.n_features * unit**2, norm)
        scale = unit / lam
        profile = Gaussian(scale, (one.lipschitz + 2 * tau) / lam)
        notes = (
            f"One record moves the minimiser by at most C/λ = {one.lipschitz / lam:.4g}; the noise is {scale:.4g} per coefficient.",
            "λ was chosen from public facts only." if self.lam is None else "λ was chosen as given.",
            "Every coefficient is regularised, that of a constant column too: the guarantee needs it.",
        )
        return Plan(profile, {"clip": clip, "lam": lam, "sigma_out": scale, "tau": tau}, notes, noise={"sigma_out": 1})

    def problem(self, dataset: Dataset, plan: Plan) -> Problem:
        """The unperturbed problem of a plan; confidential, and so is its minimiser."""
        return Problem(self.loss, dataset.X, dataset.y, lam=plan.parameters["lam"], clip=plan.parameters["clip"])

    def noisy_fit(self, facts: PublicFacts, smallest: float) -> FitWithNoise:
        """λ, C and s; see `Learner.noisy_fit`."""
        chosen = self.plan(facts).parameters
        return FitWithNoise(chosen["lam"], chosen["clip"], spread=chosen["sigma_out"])

    def law(self, dataset: Dataset, plan: Plan) -> OutputLaw:
        """N(θ̂, s²I)."""
        centre = solve(self.problem(dataset, plan), _CENTRE_TOL * max(1.0, dataset.n_samples / 1e3)).theta
        return GaussianLaw(centre, np.eye(len(centre)) / plan.parameters["sigma_out"]).as_output()

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        chosen = plan.parameters
        fit = solve(self.problem(dataset, plan), chosen["tau"])
        theta = fit.theta + chosen["sigma_out"] * rng.standard_normal(dataset.n_features)
        return Release(theta, plan.profile, chosen, plan.notes)


def best_lambda(curvature: float, variance: float, theta_norm: float) -> float:
    r"""λ that minimises (λ/2)B² + ½(c + λ) v/λ²: the positive root of B²λ³ − vλ − 2cv = 0.

    Parameters
    ----------
    curvature : c = nβ; variance : v = d s² at λ = 1; theta_norm : B
    """
    roots = np.roots([theta_norm**2, 0.0, -variance, -2 * curvature * variance])
    return float(roots.real[np.abs(roots.imag) <= 1e-9 * np.abs(roots)].max())
