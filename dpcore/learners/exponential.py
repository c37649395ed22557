"""The regularised exponential mechanism as a learner: one certified draw near the minimiser of a convex loss."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.data import Dataset
from dpcore.errors import ConvergenceError, UnsupportedError
from dpcore.glm import losses
from dpcore.learners.base import Learner, Plan, PublicFacts, Release
from dpcore.mechanisms import InexactDraw, RegularizedExponential
from dpcore.references import FormulaCard, formula_card
from dpcore.sampling import Chains, Target, certified_steps, certified_total_variation, proximal_sampler

# Share of δ that pays for the sampler's distance from its target. Doubled, the sampler needs fewer steps and more noise
# is drawn.
_SHARE = 1e-3
_MOST_STEPS = 200_000  # largest number of steps that are taken; doubled, fewer plans are refused
_CHAINS = 4  # number of chains that are run, one of which is published; doubled, a fit takes twice as long
VOID = (
    "The guarantee is void: after {steps} steps the sampler is only proven to be within {tv:.2g} of its target, which "
    "leaves δ = {delta:.2g} at ε = {epsilon:.3g} instead of {wanted:.2g}. Take at least {needed} steps."
)


def mean_loss_target(
    loss: Any, X: np.ndarray, y: np.ndarray, *, k: float, mu: float, radius: float, lipschitz: float, smoothness: float
) -> Target:
    r"""The density ∝ exp(−k(mean f(xᵀθ; y) + (μ/2)‖θ‖²)) on the ball ‖θ‖ ≤ radius.

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    X : array (n_samples, n_features)
    y : array (n_samples,)
    k, mu, radius : floats > 0
    lipschitz, smoothness : public constants of one record's loss
    """
    loss = losses.find(loss)
    loss.check_target(y)
    n = len(y)

    def potential(theta: np.ndarray) -> np.ndarray:
        values = loss.value(X @ theta.T, y[:, None]).sum(axis=0) / n
        return k * (values + 0.5 * mu * np.einsum("ij,ij->i", theta, theta))

    def gradient(theta: np.ndarray) -> np.ndarray:
        return k * (loss.derivative(X @ theta.T, y[:, None]).T @ X / n + mu * theta)

    return Target(potential, gradient, X.shape[1], k * mu, radius, k * smoothness, k * lipschitz)


@dataclass(frozen=True)
class RegularizedExponentialLearner(Learner):
    r"""Releases one draw θ ∝ exp(−k(mean loss + (μ/2)‖θ‖²)) on the ball ‖θ‖ ≤ B.

    .. math:: μ = \frac{2\sqrt2 G\sqrt d}{nΔB}, \quad k = \frac{\sqrt d nΔ}{\sqrt2 GB}, \quad
              δ_\text{Gauss}(ε; Δ) + (1 + e^ε)\mathrm{TV} ≤ δ

    The draw comes from the proximal sampler; its number of steps is chosen from public constants so that the proven total
    variation TV costs a thousandth of δ.

    It is not in `LEARNERS`, whose members are fitted hundreds of times by studies and audits: the certificate takes about
    (β√d nΔB/(2√2 G)) log(1/TV) steps of cost n·d each (β the smoothness of one record's loss), hence seconds at n = 1000 and
    minutes at n = 10 000.

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss` with finite constants on the public domain
    epsilon, delta : target, nats and probability
    radius : B > 0, of the ball that holds θ
    steps : int ≥ 1, optional; fewer than certified, and the profile says what is left

    References: lecture-12, gopi-lee-liu-2022, chen-chewi-salim-wibisono-2022.
    """

    loss: Any = "logistic"
    epsilon: float = 1.0
    delta: float = 1e-5
    radius: float = 1.0
    steps: int | None = None

    title: ClassVar[str] = "Regularised exponential mechanism"
    card: ClassVar[FormulaCard] = formula_card(__file__, "regularized_exponential_learner")

    def __post_init__(self) -> None:
        losses.find(self.loss)
        validation.set_checked(
            self, epsilon=validation.positive, delta=validation.open_probability, radius=validation.moderate
        )
        if self.steps is not None:
            validation.set_checked(self, steps=validation.at_least_one)

    def plan(self, facts: PublicFacts) -> Plan:
        """Profile, (k, μ) and the number of steps; see `Learner.plan`.

        Raises
        ------
        UnsupportedError
            If the loss has no finite constants on the public domain.
        ConvergenceError
            If the certificate asks for more steps than can be taken.
        """
        loss = losses.find(self.loss)
        constants = loss.constants(facts.domain)
        if not math.isfinite(constants.lipschitz) or not math.isfinite(constants.smoothness):
            raise UnsupportedError(
                "the loss has no bounded gradient on this domain: bound its predictor or choose another"
            )
        exact = RegularizedExponential.calibrated(
            self.epsilon, self.delta * (1 - _SHARE), n=facts.n_samples, dimension=facts.n_features,
            lipschitz=constants.lipschitz, radius=self.radius,
        )  # fmt: skip
        parameters = {
            "k": exact.k, "mu": exact.mu, "radius": self.radius, "lipschitz": constants.lipschitz,
            "smoothness": constants.smoothness,
        }  # fmt: skip
        nobody = np.zeros((1, facts.n_features))
        target = mean_loss_target(_ANY, nobody, np.ones(1), **parameters)
        allowed = _SHARE * self.delta / (1 + math.exp(min(self.epsilon, 600.0)))
        needed = certified_steps(target, allowed)
        steps = needed if self.steps is None else self.steps
        if steps > _MOST_STEPS:
            raise ConvergenceError(
                f"the sampler is certified only after {steps} steps, more than the {_MOST_STEPS} this learner takes: use a smaller "
                "radius, fewer columns or a smaller epsilon"
            )
        proven = certified_total_variation(target, steps)
        profile = InexactDraw(exact, proven)
        notes = [
            f"k = {exact.k:.4g}, μ = {exact.mu:.4g}: expected excess of the mean loss at most "
            f"{exact.excess_risk(facts.n_features, self.radius):.4g} over the best θ in the ball.",
            f"{steps} proximal steps put the draw within {proven:.2g} of its target, whatever the data.",
        ]
        left = float(profile.delta(self.epsilon))
        if left > self.delta:
            notes.append(
                VOID.format(steps=steps, tv=proven, delta=left, epsilon=self.epsilon, wanted=self.delta, needed=needed)
            )
        chosen = {**parameters, "steps": steps, "total_variation": proven}
        return Plan(profile, chosen, tuple(notes), noise={"k": -2})

    def chains(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Chains:
        """All draws of four chains as planned; only the last draw of one of them may be published."""
        constants = {name: plan.parameters[name] for name in ("k", "mu", "radius", "lipschitz", "smoothness")}
        target = mean_loss_target(self.loss, dataset.X, dataset.y, **constants)
        return proximal_sampler(target, chains=_CHAINS, steps=plan.parameters["steps"], rng=rng)

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        return Release(self.chains(dataset, plan, rng).last[0], plan.profile, plan.parameters, plan.notes)


_ANY = losses.LOSSES["squared"]  # stands in for the loss where only constants of the target are asked for
