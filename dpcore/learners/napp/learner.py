"""Noise-augmented training as a learner: certified by default, the source's variants with their claim."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from dpcore import validation
from dpcore.calibration import calibrate
from dpcore.data import Dataset
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.glm import Problem, solve
from dpcore.glm.losses import Loss, find
from dpcore.learners import rules
from dpcore.learners.base import FitWithNoise, Learner, Plan, PublicFacts, Release
from dpcore.learners.napp.augment import augmented_rows, scheme
from dpcore.learners.napp.exact import stationary_point
from dpcore.learners.napp.guarantee import Claimed, SphericalObjectivePerturbation
from dpcore.learners.napp.noise import GaussianNoise, Noise, SphericalLaplace, checked_cut, printed_floor, printed_sigma
from dpcore.learners.napp.retrieval import SELECTIONS, draw_noise, recycle
from dpcore.learners.napp.weights import FORMS, Regularizer, Weighting
from dpcore.mechanisms import ObjectivePerturbation
from dpcore.profiles import PrivacyProfile
from dpcore.references import FormulaCard, formula_card

VARIANTS = {"certified": "certified sum form", **FORMS}
_CHOICES = {
    "variant": VARIANTS,
    "selection": SELECTIONS,
    "weights": ("corrected", "printed"),
    "retrieval": ("none", "return", "recycle"),
}
_TOL = 1e-9  # tolerance of the certified minimiser


@dataclass(frozen=True)
class NoiseAugmentedLearner(Learner):
    r"""NAPP-ERM: regularisation and privacy from rows of noise appended to the data.

    .. math:: θ = \arg\min_θ \sum_i f_C(x_i^⊤θ; y_i) + ΛR(θ) + Λ_0‖θ‖² + b^⊤θ

    is the certified form, with R convex and the minimiser exact. Its budget counts the quadratic that is there for certain
    (q = Λ₀, plus Λκ of an elastic net, or max(Λ, Λ₀) of a ridge): ε = cL + log(1 + β/(2q)) with spherical Laplace noise,
    the tight profile at λ = 2q with Gaussian noise.

    Parameters
    ----------
    loss : "squared", "logistic", "poisson", "smoothed_hinge", or such a `Loss`
    epsilon : ε > 0, nats
    delta : δ; 0 asks for spherical Laplace noise, more for Gaussian noise
    regularizer : Regularizer
    variant : "certified", "moor" or "sum"
        The last two run the source's algorithms under the source's claim.
    selection : "none", "vs" or "vs_plus"
    cut : c ≤ 0 of the truncated noise b > c for "vs"; −∞ leaves it whole, and "vs_plus" is c = 0
    weights : "corrected" or "printed"
    rows : n_e, a multiple of 4, or None for the limit
    limit : T, or None for the point of convergence (80 with finitely many rows)
    share : r in (0, 1), part of ε for the noise
    clip : C > 0, bound on the gradient of each record, where the loss has none
    retrieval : "none", "return" or "recycle"; the amount itself is confidential, `napp.recycle` computes it

    Raises
    ------
    ParameterError
        If a parameter is out of range.
    UnsupportedError
        If the certified variant is asked for something that is not certified; the sentence says why.

    References: li-liu-napp (Algorithm 1), redberg-koskela-wang-2023.
    """

    loss: Any = "logistic"
    epsilon: float = 1.0
    delta: float = 0.0
    regularizer: Regularizer = field(default_factory=Regularizer)
    variant: str = "certified"
    selection: str = "none"
    weights: str = "corrected"
    rows: int | None = None
    limit: int | None = None
    share: float = 0.5
    clip: float | None = None
    retrieval: str = "none"
    cut: float = -np.inf

    title: ClassVar[str] = "Noise augmentation"
    card: ClassVar[FormulaCard] = formula_card(__file__, "noise_augmented_learner")

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", find(self.loss))
        scheme(self.loss)
        validation.set_checked(self, epsilon=validation.positive, clip=rules.fixed_number)
        object.__setattr__(self, "delta", validation.probability("delta", self.delta, allow_one=False))
        if not isinstance(self.regularizer, Regularizer):
            raise ParameterError(f"regularizer must be a Regularizer, got {self.regularizer!r}")
        for name, allowed in _CHOICES.items():
            validation.choice(name, getattr(self, name), allowed)
        object.__setattr__(self, "cut", checked_cut(self.cut))
        if self.selection != "vs" and self.cut > -np.inf:
            raise ParameterError("cut truncates the noise of selection='vs' only; 'vs_plus' is the cut at 0")
        printed_floor(self.epsilon, 1.0, self.share)
        for name in ("rows", "limit"):
            if getattr(self, name) is not None:
                validation.set_checked(self, **{name: validation.at_least_one})
        if self.variant == "certified":
            self._refuse_uncertified()

    def _refuse_uncertified(self) -> None:
        iterated = self.regularizer.power > 0
        for asked, why in (
            (self.selection != "none", "bᵀ|θ| has no certified guarantee: the sign of θ, and with truncated noise the support, move with "
             "the data; use variant='moor' or 'sum' for the source's claim"),
            (self.retrieval != "none", "a budget read off the data cannot be given back: the certified variant counts what is public "
             "instead"),
            (self.regularizer.kind == "bridge",
             "a bridge is not convex, so that its minimiser jumps: use lasso, elastic_net or ridge"),
            (self.weights == "printed" and iterated,
             "the certified variant solves the stated problem: the printed weights solve another"),
            ((self.rows is not None or self.limit is not None) and iterated, "weights that follow the iterates depend on the data: "
             "finitely many rows or iterations are certified for ridge only"),
        ):  # fmt: skip
            if asked:
                raise UnsupportedError(why)

    @classmethod
    def suggested(cls, loss: Loss, facts: PublicFacts, epsilon: float, delta: float) -> Self:
        """The least ridge that is certified; see `Learner.suggested`."""
        return cls(loss, epsilon, delta, regularizer=Regularizer("ridge", 0.0))

    def plan(self, facts: PublicFacts) -> Plan:
        """Profile, noise, Λ₀ and clipping; see `Learner.plan`."""
        clip, certified = rules.public_clip(self.loss, facts.domain, self.clip, "paper"), self.variant == "certified"
        constants = rules.bounded(self.loss, facts.domain, clip)
        lipschitz, smoothness = constants.lipschitz, constants.smoothness
        floor = printed_floor(self.epsilon, smoothness, self.share)
        weighting = Weighting(self.regularizer, floor, "sum" if certified else self.variant, self.weights == "printed")
        square = floor if self.rows is not None else float(weighting.first(1)[0])
        proven = certified or (
            weighting.fixed and self.selection == "none" and self.retrieval == "none" and self.rows is None
        )
        noise: Noise
        profile: PrivacyProfile
        if self.delta == 0:
            rate = self.share * self.epsilon / lipschitz
            if certified:
                rate = (self.epsilon - float(np.log1p(smoothness / (2 * square)))) / lipschitz
            noise = SphericalLaplace(rate)
            profile = SphericalObjectivePerturbation(rate, square, lipschitz, smoothness)
        else:

            def solved(sigma: float) -> ObjectivePerturbation:
                return ObjectivePerturbation(sigma, 2 * square, **vars(constants))

            sigma = printed_sigma(self.epsilon, self.delta, lipschitz, self.share)
            if certified:
                sigma = calibrate(solved, self.epsilon, self.delta, (sigma / 1e3, sigma * 1e3))
            noise, profile = GaussianNoise(sigma), solved(sigma)
        if not proven:
            profile = Claimed(self.epsilon, self.delta)
        parameters = {
            "noise": noise, "cut": self.cut, "weighting": weighting, "floor": floor, "square": square, "clip": clip,
            "lipschitz": lipschitz, "smoothness": smoothness, "proven": proven,
        }  # fmt: skip
        # the spread of appended rows is the penalty, not noise: with less of it another problem would be solved
        return Plan(profile, parameters, self._notes(proven, square, clip), noise={"noise": 1, "cut": 1})

    def noisy_fit(self, facts: PublicFacts, smallest: float) -> FitWithNoise | None:
        """2q, C and the noise of the linear term, for a ridge; see `Learner.noisy_fit`."""
        chosen = self.plan(facts).parameters
        if not chosen["proven"] or self.regularizer.power > 0 or self.rows is not None:
            return None
        pull = float(np.sqrt(chosen["noise"].mean_square(facts.n_features) / facts.n_features))
        return FitWithNoise(2 * chosen["square"], chosen["clip"], pull)

    def _notes(self, proven: bool, square: float, clip: float) -> tuple[str, ...]:
        use = "recycled into less noise" if self.retrieval == "recycle" else "said to be returned"
        rows = scheme(self.loss).note if self.rows is not None else ""
        said = (
            (True, f"Each record's gradient is at most C = {clip:.4g}; where the loss has no such bound, it is clipped."),
            (proven, f"The quadratic counted by the guarantee, q = {square:.4g}, is there for certain and free of the data; the minimiser "
             "is found to rounding and treated as exact."),
            (not proven, "The guarantee is the source's claim, which an audit refutes; treat the output as not private."),
            (self.weights == "printed" and self.regularizer.power > 0,
             "Printed weights: the iteration finds the minimiser at 2Λ/(2−γ), not at Λ."),
            (bool(rows), rows),
            (self.retrieval != "none", f"What is left of the budget is {use}; the amount is read off the data and not released."),
        )  # fmt: skip
        return tuple(words for holds, words in said if holds)

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        chosen = plan.parameters
        problem = Problem(self.loss, dataset.X, dataset.y, lam=0.0, clip=chosen["clip"])
        weighting = chosen["weighting"]
        b = draw_noise(chosen["noise"], self.selection, dataset.n_features, rng, chosen["cut"])
        if self.variant == "certified":
            theta = self._certified(problem, weighting, chosen["square"], b, rng)
            return Release(theta, plan.profile, chosen, plan.notes)
        limit = self.limit if self.rows is None or self.limit is not None else 80
        found = recycle(
            problem, weighting, b, noise_budget=self.share * self.epsilon, jacobian_budget=(1 - self.share) * self.epsilon,
            rounds=int(self.retrieval == "recycle"), selection=self.selection, rows=self.rows, limit=limit, rng=rng,
        )  # fmt: skip
        return Release(found.settled.theta, plan.profile, chosen, plan.notes)

    def _certified(
        self, problem: Problem, weighting: Weighting, square: float, b: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """The exact minimiser. Where there are rows, they bring the ridge beyond Λ₀; Λ₀‖θ‖² and bᵀθ are exact terms."""
        if self.rows is None:
            return stationary_point(problem.replace(linear=b), weighting, tol=_TOL).theta
        target = np.full(b.size, max(self.regularizer.strength - square, 0.0))
        extra = augmented_rows(self.loss, target, None, self.rows, rng)
        whole = problem.extended(extra.X, extra.y).replace(lam=2 * square, linear=b)
        return solve(whole, _TOL * max(1.0, len(whole.y) / 1e4)).theta
