"""One posterior sample of ridge regression as a learner, calibrated to its exact worst case."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from dpcore import validation
from dpcore.calibration import calibrate
from dpcore.data import Dataset
from dpcore.errors import CalibrationError
from dpcore.glm import Loss, Squared
from dpcore.learners import rules
from dpcore.learners.base import FitWithNoise, Learner, Plan, PublicFacts, Release
from dpcore.learners.laws import GaussianLaw, OutputLaw, around_ridge
from dpcore.mechanisms import PosteriorSampling
from dpcore.profiles import PrivacyProfile
from dpcore.references import FormulaCard, formula_card

# Values of λ that are tried where none is given, in units of R². With twice as many, λ is chosen more finely and a plan
# takes longer.
_LAMBDAS = np.geomspace(1e-1, 1e6, 29)
_TEMPERATURES = (1e-6, 1e10)  # range of 1/γ that is searched, in units of B²


@dataclass(frozen=True)
class PosteriorSamplingLearner(Learner):
    r"""Releases one θ ~ N(θ̂, H⁻¹/γ), H = XᵀX + λI, of linear regression.

    γ is the largest that meets (ε, δ) in the exact worst case over the public domain and n records. Without `lam`, λ
    minimises the predicted excess of the squared error, d/(2γ) + (λ/2)B². The covariance alone shows a record, so a small λ
    cannot meet the target at any γ and is refused.

    Parameters
    ----------
    epsilon, delta : target, nats and probability
    lam : λ > 0, sum form, fixed without looking at the data
    theta_norm : B > 0, assumed norm of the comparator; target bound/R if not given

    Raises
    ------
    ParameterError

    References: wang-2019.
    """

    epsilon: float = 1.0
    delta: float = 1e-5
    lam: float | None = None
    theta_norm: float | None = None

    title: ClassVar[str] = "Posterior sample"
    loss: ClassVar[Loss] = Squared()
    card: ClassVar[FormulaCard] = formula_card(__file__, "posterior_sampling_learner")

    def __post_init__(self) -> None:
        validation.set_checked(self, epsilon=validation.positive, delta=validation.open_probability)
        validation.set_checked(self, lam=rules.fixed_number, theta_norm=rules.fixed_number)

    def plan(self, facts: PublicFacts) -> Plan:
        """Profile, λ and γ; see `Learner.plan`."""
        norm = facts.domain.target_bound / facts.domain.row_norm if self.theta_norm is None else self.theta_norm
        gamma, lam = _calibrated(self.epsilon, self.delta, self.lam, norm, facts)
        profile = PosteriorSampling(gamma, lam).worst_case(facts.domain, facts.n_samples)
        notes = (
            f"γ = {gamma:.4g} is the largest inverse temperature that meets the target at λ = {lam:.4g}.",
            "Exactly one sample is released, and the number of records is public.",
        )
        return Plan(profile, {"gamma": gamma, "lam": lam}, notes, noise={"gamma": -2})

    def noisy_fit(self, facts: PublicFacts, smallest: float) -> FitWithNoise:
        """λ and γ; see `Learner.noisy_fit`."""
        chosen = self.plan(facts).parameters
        return FitWithNoise(chosen["lam"], gamma=chosen["gamma"])

    def law(self, dataset: Dataset, plan: Plan) -> OutputLaw:
        """N(θ̂, H⁻¹/γ)."""
        return self._normal(dataset, plan).as_output()

    def _normal(self, dataset: Dataset, plan: Plan) -> GaussianLaw:
        return around_ridge(self.loss, dataset, plan.parameters["lam"], plan.parameters["gamma"])

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        return Release(self._normal(dataset, plan).sample(1, rng)[0], plan.profile, plan.parameters, plan.notes)


@lru_cache(maxsize=256)
def _calibrated(
    epsilon: float, delta: float, lam: float | None, norm: float, facts: PublicFacts
) -> tuple[float, float]:
    """The pair (γ, λ) of least predicted excess."""
    unit = facts.domain.target_bound**2
    best = (np.inf, 0.0, 0.0)
    for one in facts.domain.row_norm**2 * _LAMBDAS if lam is None else [lam]:

        def worst(temperature: float, one: float = one) -> PrivacyProfile:
            return PosteriorSampling(1 / temperature, one).worst_case(facts.domain, facts.n_samples)

        try:
            temperature = calibrate(worst, epsilon, delta, bracket=(unit * _TEMPERATURES[0], unit * _TEMPERATURES[1]))
        except CalibrationError:
            continue
        risk = facts.n_features * temperature / 2 + one * norm**2 / 2
        if risk < best[0]:
            best = (risk, 1 / temperature, float(one))
        elif lam is None:
            break
    if not np.isfinite(best[0]):
        raise CalibrationError(
            f"lam = {lam} is too small: the covariance of one posterior sample alone shows a record more clearly than "
            f"({epsilon:g}, {delta:g}) allows, at any temperature; raise lam"
            if lam is not None
            else f"no λ meets ({epsilon:g}, {delta:g}) with one posterior sample: relax the target"
        )
    return best[1], best[2]
