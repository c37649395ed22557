"""Noisy stochastic gradient descent with Poisson sampling, and what choosing its learning rate costs."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from scipy import special
from scipy.optimize import brentq

from dpcore import validation
from dpcore.accountants import Tuned, compose
from dpcore.calibration import calibrate
from dpcore.calibration.objective import gaussian_sigma
from dpcore.data import Dataset, Domain
from dpcore.data.scaling import row_norms
from dpcore.errors import ParameterError
from dpcore.glm.losses import Loss, find
from dpcore.learners import rules
from dpcore.learners.base import FitWithNoise, Learner, Plan, PublicFacts, Release
from dpcore.mechanisms import Gaussian, Subsampled
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.profiles.roots import log_excess
from dpcore.references import FormulaCard, formula_card

# Adam's decay rates of the mean gradient and of the mean squared gradient, and what it adds to the root of the latter:
# as published.
_BETA1, _BETA2, _FLOOR = 0.9, 0.999, 1e-8


class Descent:
    """Noisy descent on one data set.

    Parameters
    ----------
    loss : Loss; X : array (n_samples, n_features); y : array (n_samples,)
    clip : C > 0, bound on the norm of one record's gradient
    optimizer : "adam" or "sgd"
    """

    def __init__(self, loss: Loss, X: np.ndarray, y: np.ndarray, clip: float, optimizer: str) -> None:
        loss.check_target(y)
        self.loss, self.X, self.y, self.optimizer = loss, X, y, optimizer
        norms = row_norms(X)
        self.limits = np.divide(clip, norms, out=np.full(len(X), np.inf), where=norms > 0)

    def clipped_sum(self, theta: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Sum of the clipped gradients of some rows, shape (n_features,)."""
        X, limits = self.X[rows], self.limits[rows]
        with np.errstate(over="ignore"):
            slopes = self.loss.derivative(X @ theta, self.y[rows])
        return np.minimum(limits, np.maximum(-limits, slopes)) @ X

    def norms(self, theta: np.ndarray) -> np.ndarray:
        """Norm of the clipped gradient of every row over C, shape (n_samples,)."""
        with np.errstate(over="ignore"):
            slopes = np.abs(self.loss.derivative(self.X @ theta, self.y))
        return np.minimum(slopes / self.limits, 1.0)

    def path(
        self, learning_rate: float, steps: int, sampling_rate: float, noise: float, rng: np.random.Generator
    ) -> Iterator[np.ndarray]:
        """θ before each step and after the last, from 0 on, with N(0, noise² I) added to every sum; shape (n_features,).

        A Poisson sample is drawn by its binomial size first: the same law, and a step costs its batch only.

        Parameters
        ----------
        learning_rate : step size > 0
        steps : int ≥ 1
        sampling_rate : q, probability of a record in each step
        noise : standard deviation on each coordinate of a sum
        rng : random generator
        """
        n, d = self.X.shape
        theta, first, second = np.zeros(d), np.zeros(d), np.zeros(d)
        sizes = rng.binomial(n, sampling_rate, steps)
        for step, size in enumerate(sizes, start=1):
            yield theta
            rows = rng.choice(n, size, replace=False, shuffle=False)
            total = self.clipped_sum(theta, rows) + noise * rng.standard_normal(d)
            gradient = total / (sampling_rate * n)
            if self.optimizer == "sgd":
                theta = theta - learning_rate * gradient
                continue
            first = _BETA1 * first + (1 - _BETA1) * gradient
            second = _BETA2 * second + (1 - _BETA2) * np.square(gradient)
            scale = np.sqrt(second / (1 - _BETA2**step)) + _FLOOR
            theta = theta - learning_rate * first / (1 - _BETA1**step) / scale
        yield theta


def score_width(loss: Loss, target_bound: float) -> float:
    """w = sup_y f(0; y) − min_u f(u; y) over the public range of the target."""
    widths = []
    for y in loss.target.extremes(target_bound):
        target = np.array([y])
        with np.errstate(invalid="ignore"):
            least = float(loss.value(loss.minimiser(target), target)[0])
        widths.append(float(loss.value(np.zeros(1), target)[0]) - (least if np.isfinite(least) else 0.0))
    return max(widths, default=1.0)


def public_score(loss: Loss, u: np.ndarray, y: np.ndarray, width: float) -> float:
    """Σ clip(f(0; y) − f(u; y), ±w): one record changes it by at most w."""
    with np.errstate(over="ignore"):
        gained = loss.value(np.zeros_like(u), y) - loss.value(u, y)
    return float(np.clip(gained, -width, width).sum())


TUNINGS = {
    "none": "one learning rate, fixed in advance",
    "dishonest": "the best of a grid, its choice not accounted for",
    "honest": "the best of K random rates, K ~ Poisson, accounted for (Papernot and Steinke 2022)",
}
# Noise of one score, relative to that of the Gaussian mechanism at the whole budget. Doubled, a score is noisier and
# costs less.
SCORE_FACTOR = 5.0
_RELATIVE = 1e-3  # relative tolerance of the noise multiplier; doubled, a plan may draw that much more noise
_LEAST_MULTIPLIER, _MOST_MULTIPLIER = 0.2, 1e6  # range of noise multipliers that is searched
_LEAST = np.log(_LEAST_MULTIPLIER)
# Suggested steps on all records, and their length altogether in units of one over the curvature of the mean loss at
# θ = 0. With twice as many steps nothing changes but the time; twice as far, less is lost to stopping and more noise is
# drawn.
_STEPS, _FAR = 50, 3.0
_TUNED_GUESS = 3.8  # how many times as much noise honest tuning of some fifteen runs needs, roughly
_FIRST_STEP, _SECANTS = 0.05, 12  # first step of log z in the secant search, and its largest number of steps


@dataclass(frozen=True)
class ClaimedProfile(PrivacyProfile):
    """The guarantee of `base`, claimed for something it does not cover."""

    base: PrivacyProfile

    bound: ClassVar[Bound] = Bound.CLAIMED

    @property
    def symmetric(self) -> bool:
        """The same as for the base."""
        return self.base.symmetric

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return np.asarray(self.base.log_delta(epsilon, direction=direction))

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return np.asarray(self.base.renyi(alpha, direction=direction))


@dataclass(frozen=True)
class DPSGD(Learner):
    r"""Noisy gradient steps on Poisson samples of the records.

    .. math:: g = \frac1{qn}\Big(\sum_{i ∈ S} \text{clip}_C(∇f_i) + z C ξ\Big), \quad ξ ∼ N(0, I),
              \quad S \text{ with } P[i ∈ S] = q

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    epsilon, delta : target, nats and probability
    clip : C > 0; by default L_f R, and 0.8 of the largest gradient at θ = 0 for a loss without L_f
    epochs, batch : passes over the data, and expected records per step: qn
    optimizer : "adam" or "sgd"
    learning_rate : step size, for tuning "none"
    tuning : "none", "dishonest" or "honest"
    rates : (low, high), range of the learning rates tried, log-uniform
    candidates : s, size of the grid of "dishonest"; "honest" has mean runs such that P[K > s] = 0.9
    accountant : "pld" or "renyi"; honest tuning always uses Rényi divergences

    The score that picks a rate is Σ clip(f(0; y) − f(xᵀθ; y), ±w); honest tuning adds noise to it and pays for it. With
    K = 0 the answer is θ = 0.

    Raises
    ------
    ParameterError

    References: papernot-steinke-2022, zhu-dong-wang-2022, redberg-koskela-wang-2023.
    """

    loss: Any = "logistic"
    epsilon: float = 1.0
    delta: float = 1e-5
    clip: float | None = None
    epochs: int = 60
    batch: int = 256
    optimizer: str = "adam"
    learning_rate: float = 0.01
    tuning: str = "none"
    rates: tuple[float, float] = (1e-8, 1e-1)
    candidates: int = 10
    accountant: str = "pld"

    title: ClassVar[str] = "DP-SGD"
    card: ClassVar[FormulaCard] = formula_card(__file__, "dpsgd")

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", find(self.loss))
        validation.set_checked(self, epsilon=validation.positive, delta=validation.open_probability)
        validation.set_checked(self, clip=rules.fixed_number, learning_rate=validation.positive)
        validation.set_checked(self, **dict.fromkeys(("epochs", "batch", "candidates"), validation.at_least_one))
        validation.choice("optimizer", self.optimizer, ("adam", "sgd"))
        validation.choice("tuning", self.tuning, TUNINGS)
        validation.choice("accountant", self.accountant, ("pld", "renyi"))
        low, high = (validation.positive("rates", rate) for rate in self.rates)
        if low > high:
            raise ParameterError(f"rates must be (low, high) with low <= high, got ({low:g}, {high:g})")
        object.__setattr__(self, "rates", (low, high))

    @property
    def mean_runs(self) -> float:
        """μ with P[Poisson(μ) > s] = 0.9: 15.4 for s = 10."""
        return runs_for(self.candidates)

    @classmethod
    def suggested(cls, loss: Loss, facts: PublicFacts, epsilon: float, delta: float) -> Self:
        """Plain steps on all records, as long as the curvature at θ = 0 allows; see `Learner.suggested`."""
        rate = _FAR * facts.n_features / (_STEPS * _curvature_at_zero(loss, facts.domain))
        return cls(
            loss, epsilon, delta, clip=rules.public_clip(loss, facts.domain, None, "best"), epochs=_STEPS,
            batch=facts.n_samples, optimizer="sgd", learning_rate=rate,
        )  # fmt: skip

    def plan(self, facts: PublicFacts) -> Plan:
        """Profile, C, z, number of steps; see `Learner.plan`."""
        natural = float(self.loss.slope_bound(facts.domain.target_bound)) * facts.domain.row_norm
        clip = self.clip
        if clip is None:
            clip = natural if np.isfinite(natural) else rules.public_clip(self.loss, facts.domain, None, "best")
        rate = min(1.0, self.batch / facts.n_samples)
        steps = max(1, round(self.epochs / rate))
        accountant = "renyi" if self.tuning == "honest" else self.accountant
        mean = self.mean_runs if self.tuning == "honest" else 0.0
        multiplier = noise_multiplier(self.epsilon, self.delta, rate, steps, mean, accountant)
        score_sigma = SCORE_FACTOR * gaussian_sigma(self.epsilon, self.delta, 1.0) if mean else 0.0
        profile = training_profile(multiplier, rate, steps, mean, score_sigma, accountant)
        if self.tuning == "dishonest":
            profile = ClaimedProfile(profile)
        parameters = {
            "clip": clip, "noise_multiplier": multiplier, "sampling_rate": rate, "steps": steps, "mean_runs": mean,
            "score_sigma": score_sigma,
        }  # fmt: skip
        notes = (_NOTES[self.tuning].format(s=self.candidates, mean=mean),)
        return Plan(profile, parameters, notes, noise={"noise_multiplier": 1, "score_sigma": 1})

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        chosen = plan.parameters
        descent = Descent(self.loss, dataset.X, dataset.y, chosen["clip"], self.optimizer)
        best, best_score, used = np.zeros(dataset.n_features), -np.inf, 0.0
        width = score_width(self.loss, PublicFacts.of(dataset).domain.target_bound)
        noise = chosen["noise_multiplier"] * chosen["clip"]
        for rate in self._rates(rng):
            path = descent.path(rate, chosen["steps"], chosen["sampling_rate"], noise, rng)
            (theta,) = deque(path, maxlen=1)
            score = public_score(self.loss, dataset.X @ theta, dataset.y, width)
            score += chosen["score_sigma"] * width * rng.standard_normal()
            if score > best_score:
                best, best_score, used = theta, score, float(rate)
        return Release(best, plan.profile, {**chosen, "learning_rate": used}, plan.notes)

    def noisy_fit(self, facts: PublicFacts, smallest: float) -> FitWithNoise | None:
        """C, zC, the number and size of the steps, for plain steps on all records; see `Learner.noisy_fit`."""
        chosen = self.plan(facts).parameters
        if self.optimizer != "sgd" or self.tuning != "none" or chosen["sampling_rate"] < 1:
            return None
        pull = chosen["noise_multiplier"] * chosen["clip"]
        return FitWithNoise(
            clip=chosen["clip"], pull=pull, steps=chosen["steps"], rate=self.learning_rate / facts.n_samples
        )

    def _rates(self, rng: np.random.Generator) -> np.ndarray:
        low, high = np.log(self.rates)
        if self.tuning == "none":
            return np.array([self.learning_rate])
        if self.tuning == "dishonest":
            return np.exp(np.linspace(low, high, self.candidates))
        return np.exp(rng.uniform(low, high, rng.poisson(self.mean_runs)))


_NOTES = {
    "none": "The learning rate was fixed in advance.",
    "dishonest": "{s} learning rates were tried on the data and only the best run is accounted for: the guarantee is a claim.",
    "honest": "A random number of learning rates, {mean:.1f} on average, was tried; the guarantee covers the choice.",
}


def _curvature_at_zero(loss: Loss, domain: Domain) -> float:
    """R² max_y f''(0; y) over the extreme targets, or the bound on it where that is 0."""
    ends = np.array(loss.target.extremes(domain.target_bound))
    most = float(np.max(loss.second_derivative(np.zeros_like(ends), ends), initial=0.0))
    return domain.row_norm**2 * (most or float(loss.curvature_bound(domain.target_bound)))


@lru_cache(maxsize=64)
def runs_for(candidates: int) -> float:
    """μ with P[Poisson(μ) > candidates] = 0.9."""
    return float(brentq(lambda mean: special.pdtrc(candidates, mean) - 0.9, candidates / 2, 4 * candidates + 20))


def training_profile(
    multiplier: float, rate: float, steps: int, mean_runs: float, score_sigma: float, accountant: str
) -> PrivacyProfile:
    """Upper profile of one training run, or of the best of Poisson(mean_runs) runs where that is > 0.

    Parameters
    ----------
    multiplier : z, noise of a step over C
    rate : q, probability of a record in each step
    steps : noisy steps of one run
    mean_runs : μ of honest tuning, 0 without
    score_sigma : noise of the score that picks a run
    accountant : "pld" or "renyi", of one run without tuning
    """
    if rate == 1 and not mean_runs and accountant == "pld":  # T Gaussian steps are one with √T times the shift
        return Gaussian(multiplier / np.sqrt(steps), 1.0)
    step = Subsampled(Gaussian(multiplier, 1.0), rate)
    if not mean_runs:
        return compose([(step, steps)], accountant).upper
    run = compose([(step, steps), Gaussian(score_sigma, 1.0)], "renyi").upper
    return Tuned(run, "poisson", mean_runs)


@lru_cache(maxsize=512)
def noise_multiplier(
    epsilon: float, delta: float, rate: float, steps: int, mean_runs: float = 0.0, accountant: str = "pld"
) -> float:
    """Noise multiplier z, at most 0.1 % above the smallest, for which the training meets (ε, δ).

    Parameters
    ----------
    epsilon, delta : the target, nats and probability
    rate : q; steps : number of noisy steps
    mean_runs : μ of honest tuning, 0 without
    accountant : "pld" or "renyi"

    Raises
    ------
    CalibrationError
        If no noise does.
    """
    score_sigma = SCORE_FACTOR * gaussian_sigma(epsilon, delta, 1.0) if mean_runs else 0.0

    def profile(multiplier: float) -> PrivacyProfile:
        return training_profile(multiplier, rate, steps, mean_runs, score_sigma, accountant)

    def excess(log_noise: float) -> float:
        return float(log_excess(profile(float(np.exp(log_noise))).log_delta(epsilon), np.log(delta), delta))

    guess = gaussian_sigma(epsilon, delta, 1.0) * rate * np.sqrt(steps)  # the limit of many steps of little loss each
    guess = float(np.clip(guess * (_TUNED_GUESS if mean_runs else 1.0), _LEAST_MULTIPLIER, _MOST_MULTIPLIER))
    found = _secant(excess, float(np.log(guess)))
    if found is None:  # the curve is too flat there for secants
        return calibrate(profile, epsilon, delta, (_LEAST_MULTIPLIER, _MOST_MULTIPLIER))
    return float(np.exp(found))


def _secant(excess: Callable[[float], float], start: float) -> float | None:
    """A point at most `_RELATIVE` above the root, on its safe side, by secant steps; None if these lead nowhere.

    The least noise that is searched is the answer where it is enough.
    """
    x, value = start, excess(start)
    previous = start + (_FIRST_STEP if value > 0 else -_FIRST_STEP)
    before = excess(previous)
    for _ in range(_SECANTS):
        slope = (value - before) / (x - previous)
        if not slope < 0:
            return None
        for point, at in ((x, value), (previous, before)):
            if slope * _RELATIVE <= at <= 0 or (at <= 0 and point <= _LEAST):
                return point
        step = float(np.clip(-value / slope + _RELATIVE / 3, -1.0, 1.0))
        previous, before, x = x, value, max(x + step, _LEAST)
        value = excess(x)
    return None
