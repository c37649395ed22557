"""Objective perturbation as learners: with an idealised exact minimiser, and Algorithm 1 with a solver that stops."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.calibration.objective import smallest_lambda
from dpcore.data import Dataset
from dpcore.errors import CalibrationError, ParameterError, UnsupportedError
from dpcore.glm import Problem, solve
from dpcore.glm.losses import find
from dpcore.learners import rules
from dpcore.learners.base import FitWithNoise, Learner, Plan, PublicFacts, Release
from dpcore.learners.laws import OutputLaw, minimiser_law
from dpcore.mechanisms import ApproximateMinimaPerturbation, ObjectivePerturbation
from dpcore.profiles import PrivacyProfile
from dpcore.references import FormulaCard, formula_card

# Where σ_out is not given, 2τ/(λσ_out) is this times min(1, ε): the second release then costs next to nothing. Doubled,
# σ_out is half as large and the second release costs more.
SECOND_SHIFT = 1e-4
_SHARES = (0.999, 0.99)  # shares of δ that are first tried for the exact minimiser
# Number of bisections of its share of ε, which follow where these do not meet the target. Doubled, the share is finer
# and a plan takes longer.
_EPSILON_SHARES = 7
# Factors tried on the λ of the exact minimiser; with twice as many, fewer halvings follow.
_LAMBDA_STEPS = 1 + np.geomspace(1e-3, 1e6, 10)
_CLOSE = 1.001  # ratio of a λ that meets the target to one that does not, at which the search ends


@dataclass(frozen=True)
class ObjectivePerturbationLearner(Learner):
    r"""Releases argmin Σ f_C(xᵀθ; y) + (λ/2)‖θ‖² + bᵀθ, b ~ N(0, σ²I), as if the solver were exact.

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    epsilon, delta : target, nats and probability; not needed where sigma and lam are both given
    clip : C > 0, bound on the gradient norm of each record; chosen by the rule if not given
    rule : "best" or "paper"
        How (C, σ, λ) follow from public facts; the same for every data set.
    sigma, lam : floats > 0, both or neither
        Noise and regularisation (sum form) instead of the rule, fixed without looking at the data.
    bound : "tight", "hockey_stick", "renyi" or "kifer"
    theta_norm : B > 0, assumed norm of the coefficients, for the rule "best"; 0.5 √d s/R if not given
    tau : float > 0, gradient norm at which the solver stops (sum form); by default 3e-8 C, growing with n beyond 10 000
    regularise_intercept : must be True; False is refused with the reason

    Raises
    ------
    ParameterError
        If a parameter is out of range.
    UnsupportedError
        If an unregularised intercept is asked for.

    References: redberg-koskela-wang-2023.
    """

    loss: Any = "logistic"
    epsilon: float | None = None
    delta: float = 1e-5
    clip: float | None = None
    rule: str = "best"
    sigma: float | None = None
    lam: float | None = None
    bound: str = "tight"
    theta_norm: float | None = None
    tau: float | None = None
    regularise_intercept: bool = True  # part of the names of stored releases, and these names seed the noise

    title: ClassVar[str] = "Objective perturbation"
    _exact_output: ClassVar[bool] = True
    _about_the_solver: ClassVar[str] = (
        "The guarantee takes the solver as exact; approximate minima perturbation also covers where it stops."
    )
    card: ClassVar[FormulaCard] = formula_card(__file__, "objective_perturbation_learner")

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", find(self.loss))
        names = ("sigma", "lam", "clip", "theta_norm", "tau")
        validation.set_checked(self, **dict.fromkeys(names, rules.fixed_number), delta=validation.open_probability)
        validation.choice("rule", self.rule, rules.RULES)
        validation.choice("bound", self.bound, ("tight", "hockey_stick", "renyi", "kifer"))
        if self.regularise_intercept is not True:
            raise UnsupportedError(rules.NO_INTERCEPT)
        if (self.sigma is None) != (self.lam is None):
            raise ParameterError("give sigma and lam together, or neither and let the rule choose both")
        if self.epsilon is not None:
            validation.set_checked(self, epsilon=validation.positive)
        elif self.sigma is None:
            raise ParameterError("epsilon is missing: give it, or give sigma and lam")

    @property
    def budget(self) -> float:
        """ε of the target; inf without one."""
        return math.inf if self.epsilon is None else self.epsilon

    def plan(self, facts: PublicFacts) -> Plan:
        """Profile, C, σ, λ and τ; see `Learner.plan`."""
        clip = rules.public_clip(self.loss, facts.domain, self.clip, self.rule)
        tau = rules.default_tau(clip, facts.n_samples) if self.tau is None else self.tau
        if self.sigma is None or self.lam is None:
            profile = self._calibrated(facts, clip, tau)
        else:
            profile = self._profile(self._explicit(facts, clip, self.sigma, self.lam), tau)
            self._check(profile, facts, clip)
        exact = self._minimiser(profile)
        parameters = {"clip": clip, "sigma": exact.sigma, "lam": exact.lam, "tau": tau, **self._further(profile)}
        noise = dict.fromkeys(("sigma", *self._further(profile)), 1)
        return Plan(profile, parameters, self._notes(facts, exact, clip), noise)

    def problem(self, dataset: Dataset, plan: Plan) -> Problem:
        """The unperturbed problem of a plan; confidential, and so is its minimiser."""
        return Problem(self.loss, dataset.X, dataset.y, lam=plan.parameters["lam"], clip=plan.parameters["clip"])

    def noisy_fit(self, facts: PublicFacts, smallest: float) -> FitWithNoise:
        """λ, C, σ and σ_out, where the solver's stop costs nothing; see `Learner.noisy_fit`."""
        clip = rules.public_clip(self.loss, facts.domain, self.clip, self.rule)
        tau = rules.default_tau(clip, facts.n_samples) if self.tau is None else self.tau
        if self.sigma is None or self.lam is None:
            exact = self._point(facts, clip, self.budget, self.delta)
        else:
            exact = self._explicit(facts, clip, self.sigma, self.lam)
        spread = self._further(self._profile(exact, tau)).get("sigma_out", 0.0)
        return FitWithNoise(exact.lam, clip, exact.sigma, spread)

    def _calibrated(self, facts: PublicFacts, clip: float, tau: float) -> PrivacyProfile:
        return self._point(facts, clip, self.budget, self.delta)

    def _point(self, facts: PublicFacts, clip: float, epsilon: float, delta: float) -> ObjectivePerturbation:
        norm = rules.comparator_norm(self.loss, facts) if self.theta_norm is None else self.theta_norm
        return rules.calibrated(self.loss, facts, epsilon, delta, self.rule, clip, norm, self.bound)

    def _explicit(self, facts: PublicFacts, clip: float, sigma: float, lam: float) -> ObjectivePerturbation:
        constants = vars(rules.bounded(self.loss, facts.domain, clip))
        return ObjectivePerturbation(sigma, lam, bound=self.bound, dimension=facts.n_features, **constants)

    def _profile(self, exact: ObjectivePerturbation, tau: float) -> PrivacyProfile:
        return exact

    def _minimiser(self, profile: Any) -> ObjectivePerturbation:
        """The part of the profile that is about the exact minimiser."""
        return profile

    def _further(self, profile: PrivacyProfile) -> dict[str, float]:
        return {}

    def _check(self, profile: PrivacyProfile, facts: PublicFacts, clip: float) -> None:
        """Refuse an explicit (σ, λ) that promises nothing, or less than the target."""
        exact = self._minimiser(profile)
        if self.bound in ("hockey_stick", "renyi") and exact.curvature >= 1:
            raise CalibrationError(
                f"lam = {exact.lam:g} is too small: the {self.bound} bound needs λ > β = {exact.smoothness:g}, the curvature "
                "of one record, and promises nothing below; raise lam or use bound='tight'"
            )
        if self.epsilon is None:
            return
        reached = float(profile.delta(self.epsilon))
        if reached <= self.delta:
            return
        least = float(smallest_lambda(
            self.epsilon, self.delta, np.array(exact.sigma), lipschitz=exact.lipschitz, smoothness=exact.smoothness,
            bound=self.bound, monotone=exact.monotone,
        ))  # fmt: skip
        advice = f"the smallest λ at this σ is {least:.4g}" if np.isfinite(least) else "no λ suffices: raise sigma"
        raise CalibrationError(
            f"sigma = {exact.sigma:g} with lam = {exact.lam:g} gives δ({self.epsilon:g}) = {reached:.3g}, above the target "
            f"{self.delta:g}; {advice}"
        )

    def _notes(self, facts: PublicFacts, exact: ObjectivePerturbation, clip: float) -> tuple[str, ...]:
        natural = float(self.loss.slope_bound(facts.domain.target_bound)) * facts.domain.row_norm
        below = f", below the natural bound {natural:.4g}" if clip < natural < np.inf else ""
        chosen = "as given" if self.sigma is not None else f"by the rule {self.rule!r}"
        return (
            f"Each record's gradient is clipped to the norm C = {clip:.4g}{below}; the clipped loss is still convex.",
            f"σ = {exact.sigma:.4g} and λ = {exact.lam:.4g} were chosen {chosen}, from public facts only.",
            "Every coefficient is regularised, that of a constant column too: the guarantee needs it.",
            self._about_the_solver,
        )

    def law(self, dataset: Dataset, plan: Plan) -> OutputLaw:
        """Density of the minimiser; noise on the result, where there is some, is far smaller and left out."""
        return minimiser_law(self.problem(dataset, plan), plan.parameters["sigma"], exact=self._exact_output)

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        noise = plan.parameters["sigma"] * rng.standard_normal(dataset.n_features)
        fit = solve(self.problem(dataset, plan).replace(linear=noise), plan.parameters["tau"])
        return Release(fit.theta, plan.profile, plan.parameters, plan.notes)


@dataclass(frozen=True)
class AMP(ObjectivePerturbationLearner):
    r"""Approximate minima perturbation (Algorithm 1): objective perturbation that survives a real solver.

    Solves until ‖∇J‖ ≤ τ is verified, then adds N(0, σ_out² I); the guarantee covers both.

    Parameters
    ----------
    sigma_out : float > 0
        Noise on the result; by default 2e4 τ/(λ min(1, ε)), which costs next to nothing.
    loss, epsilon, delta, clip, rule, sigma, lam, bound, theta_norm, tau, regularise_intercept :
        as for `ObjectivePerturbationLearner`

    Raises
    ------
    ParameterError, UnsupportedError

    References: redberg-koskela-wang-2023 (Algorithms 1, 2).

    Examples
    --------
    >>> import dpcore as dp
    >>> facts = dp.PublicFacts(n_samples=8000, n_features=40, domain=dp.Domain())
    >>> plan = dp.AMP("logistic", epsilon=1.0, delta=1e-5).plan(facts)
    >>> round(plan.parameters["clip"], 3), bool(plan.profile.delta(1.0) <= 1e-5)
    (0.4, True)
    """

    sigma_out: float | None = None

    title: ClassVar[str] = "Approximate minima perturbation"
    _exact_output: ClassVar[bool] = False
    _about_the_solver: ClassVar[str] = (
        "The solver's gradient norm is verified, and noise on the result hides where it stopped."
    )
    card: ClassVar[FormulaCard] = formula_card(__file__, "amp")

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.set_checked(self, sigma_out=rules.fixed_number)

    def _calibrated(self, facts: PublicFacts, clip: float, tau: float) -> PrivacyProfile:
        return _composed(self, facts, clip, tau)

    def _profile(self, exact: ObjectivePerturbation, tau: float) -> ApproximateMinimaPerturbation:
        if self.bound == "kifer":
            raise UnsupportedError("bound='kifer' has no composition with a stopping solver: choose bound='tight'")
        shift = SECOND_SHIFT * min(1.0, self.epsilon or 1.0)
        sigma_out = 2 * tau / (exact.lam * shift) if self.sigma_out is None else self.sigma_out
        return ApproximateMinimaPerturbation(
            exact.sigma, exact.lam, exact.lipschitz, exact.smoothness, tau, sigma_out, self.bound,
            monotone=exact.monotone, dimension=exact.dimension,
        )  # fmt: skip

    def _minimiser(self, profile: Any) -> ObjectivePerturbation:
        return profile.exact

    def _further(self, profile: Any) -> dict[str, float]:
        return {"sigma_out": profile.sigma_out}

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        exact = super()._release(dataset, plan, rng)
        theta = exact.theta + plan.parameters["sigma_out"] * rng.standard_normal(dataset.n_features)
        return Release(theta, plan.profile, plan.parameters, plan.notes)


@lru_cache(maxsize=512)
def _composed(learner: AMP, facts: PublicFacts, clip: float, tau: float) -> ApproximateMinimaPerturbation:
    """The release of both parts that meets the target.

    By the rule "paper" σ stays and λ grows until the whole meets it. By "best" the exact minimiser gets the largest
    share of the budget that is found for which the whole meets it.
    """

    def meeting(exact: ObjectivePerturbation) -> ApproximateMinimaPerturbation | None:
        try:
            profile = learner._profile(exact, tau)
            return profile if profile.delta(learner.budget) <= learner.delta else None
        except ParameterError:  # the second release alone is too revealing at this λ
            return None

    def attempt(epsilon: float, delta: float) -> ApproximateMinimaPerturbation | None:
        return meeting(learner._point(facts, clip, epsilon, delta))

    if learner.rule == "paper":
        return _smallest_penalty(learner._point(facts, clip, learner.budget, learner.delta), meeting)
    for share in _SHARES:
        found = attempt(learner.budget, share * learner.delta)
        if found is not None:
            return found
    low, high, best = 0.0, 1.0, None
    for _ in range(_EPSILON_SHARES):
        middle = (low + high) / 2
        found = attempt(middle * learner.budget, 0.9 * learner.delta)
        low, high = (middle, high) if found is not None else (low, middle)
        best = found or best
    if best is None:
        raise CalibrationError(
            f"τ = {tau:g} with sigma_out = {learner.sigma_out} reveals more than ({learner.epsilon:g}, {learner.delta:g}) "
            "allows: stop the solver later (smaller tau) or raise sigma_out"
        )
    return best


def _smallest_penalty(
    exact: ObjectivePerturbation, meeting: Callable[[ObjectivePerturbation], ApproximateMinimaPerturbation | None]
) -> ApproximateMinimaPerturbation:
    """The release with the smallest λ, to 0.1 %, at the σ of an exact minimiser that meets the target by itself."""
    low, high, best = exact.lam, exact.lam, None
    for factor in _LAMBDA_STEPS:
        low, high = high, exact.lam * float(factor)
        best = meeting(exact.with_penalty(high))
        if best is not None:
            break
    if best is None:
        raise CalibrationError(
            "no λ meets the target at this τ and sigma_out: stop the solver later or raise sigma_out"
        )
    while high / low > _CLOSE:
        middle = math.sqrt(low * high)
        found = meeting(exact.with_penalty(middle))
        low, high = (middle, high) if found is None else (low, middle)
        best = found or best
    return best
