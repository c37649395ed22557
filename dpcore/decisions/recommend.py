"""Rank every private learner from public facts: predicted accuracy, the budget or the number of rows that a target needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from scipy.optimize import brentq

from dpcore import validation
from dpcore.calibration.objective import gaussian_sigma
from dpcore.data.names import raised
from dpcore.decisions.difficulty import Difficulty
from dpcore.decisions.made import code_of, makers
from dpcore.decisions.mean_field import Predicted, predict
from dpcore.errors import DPError, ParameterError
from dpcore.glm.losses import Loss, find
from dpcore.learners import LEARNERS, FitWithNoise, Learner, NonPrivate, PublicFacts, rules

# Difference of scores below which learners count as equal; the one listed first in `LEARNERS` then stands first.
# Doubled, a learner may be preferred that is 0.2 percentage points worse.
_ALIKE = 1e-3
_EPSILONS, _ROWS = (1e-3, 100.0), (2, 10**9)  # ranges that are searched for a target
# Most rounds of a search, and the score that its answer may be above the target. If the second is halved, a search takes
# a round more.
_ROUNDS, _ABOVE = 12, 1e-3
# Places at which a rough score is looked at before the first that passes is refined, as it may fall again. Doubled, this
# takes twice as long.
_GRID = 25
_BEYOND = 30.0  # how far beyond its range a rough score is looked at; doubled, worse outlines are corrected
FORMULA = "formula: the limit of many records with normal rows"
STEPWISE = "formula: mean and spread of the coefficients, step by step"


@dataclass(frozen=True)
class Ranked:
    """A learner that can be used, and what is predicted of it.

    Parameters
    ----------
    key : its name in `LEARNERS`
    learner : the learner, all choices made
    predicted : mean over releases of accuracy, or of the share explained
    low, high : interval that holds 90 % of the releases
    source : where the prediction comes from
    guarantee : what is promised, in words
    code : the lines that train with these settings
    """

    key: str
    learner: Learner
    predicted: float
    low: float
    high: float
    source: str
    guarantee: str
    code: str


@dataclass(frozen=True)
class Recommendation:
    """Learners from the best to the worst, beside a fit without privacy and the best constant prediction.

    Parameters
    ----------
    facts, loss, epsilon, delta, difficulty : what was asked and assumed; what was to be found is in its place
    ranking : what can be used, best first
    left_out : title of a learner that cannot be used, and why
    without_privacy : predicted score of the fit without privacy
    constant : score of a constant prediction that is as private
    target : the score that was asked for, if one was
    """

    facts: PublicFacts
    loss: Loss
    epsilon: float
    delta: float
    difficulty: Difficulty
    ranking: tuple[Ranked, ...]
    left_out: tuple[tuple[str, str], ...]
    without_privacy: float
    constant: float
    target: float | None = None

    @property
    def score(self) -> str:
        """What the numbers are: the accuracy, or the share explained of the variance (R²) or of the deviance (D²)."""
        return self.loss.target.share

    @property
    def best(self) -> float:
        """The largest predicted score; −∞ if no learner can be used."""
        return max((one.predicted for one in self.ranking), default=-math.inf)

    @property
    def useful(self) -> bool:
        """Whether a learner beats the constant prediction in 19 of 20 releases."""
        return bool(self.ranking) and self.ranking[0].low > self.constant

    @property
    def met(self) -> bool:
        """Whether the target is met; true without one."""
        return self.target is None or self.best >= self.target

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        free = f"{self.without_privacy:.3f}"
        if not self.met:
            return f"no learner reaches {self.score} {self.target:g}; a fit without privacy reaches {free}"
        if not self.useful:
            return "nothing useful at this budget: no learner beats a constant prediction by more than its own spread"
        first = self.ranking[0]
        return f"{first.learner.title} keeps {self.score} {first.predicted:.3f} of {free} at ε = {self.epsilon:.3g}"

    def own_score(self, share: float) -> float:
        """A score as the loss itself measures it: R² as the mean squared error, D² as the mean deviance."""
        return self.difficulty.population(self.loss, self.facts.domain).own(share)


def recommend(
    facts: PublicFacts,
    loss: Any = "logistic",
    epsilon: float | None = None,
    delta: float = 1e-5,
    *,
    accuracy: float | None = None,
    difficulty: Difficulty | None = None,
) -> Recommendation:
    r"""Every learner of `LEARNERS` by its predicted score, from public facts and an assumed difficulty.

    .. math:: \text{score} = E\,s(w_1 z + ‖w_⊥‖h,\; y), \qquad w ∼ N(μe, τ²I_d)

    (μ, τ) follow from the λ, clipping and noise that the learner plans (`mean_field.predict_law`). With `accuracy` the answer
    is the smallest ε at which a learner reaches it, to a tenth of a percentage point, and the ranking there.

    Parameters
    ----------
    facts : n, d and the public domain
    loss : name in `LOSSES`, or a `Loss`
    epsilon, delta : budget, nats and probability; ε = 1 if neither it nor an accuracy is given
    accuracy : score to reach instead: the accuracy for labels, else the share of the variance or deviance explained
    difficulty : what is assumed of the data

    Raises
    ------
    ParameterError
        If both epsilon and accuracy are given, or a value is out of range.

    References: thrampoulidis-abbasi-hassibi-2018.

    Examples
    --------
    >>> import dpcore as dp
    >>> facts = dp.PublicFacts(n_samples=2000, n_features=10, domain=dp.Domain())
    >>> first = dp.recommend(facts, loss="logistic", epsilon=1.0).ranking[0]
    >>> first.learner.title, round(first.predicted, 2)
    ('Approximate minima perturbation', 0.9)
    """
    loss, assumed = find(loss), difficulty or Difficulty()
    delta = validation.open_probability("delta", delta)
    if accuracy is None:
        return _at(facts, loss, validation.positive("epsilon", 1.0 if epsilon is None else epsilon), delta, assumed)
    if epsilon is not None:
        raise ParameterError("give epsilon or accuracy, not both: one of them is the answer")

    return _smallest(
        lambda budget: (facts, loss, budget, delta, assumed),
        validation.open_probability("accuracy", accuracy),
        *_EPSILONS,
    )


def rows_needed(
    facts: PublicFacts,
    accuracy: float,
    loss: Any = "logistic",
    epsilon: float = 1.0,
    delta: float = 1e-5,
    *,
    difficulty: Difficulty | None = None,
) -> Recommendation:
    """The smallest number of rows at which a learner reaches the accuracy: `facts.n_samples` of the answer.

    Parameters
    ----------
    facts : d and the public domain; its number of rows does not matter
    accuracy, loss, epsilon, delta, difficulty : as for `recommend`

    Raises
    ------
    ParameterError
    """
    loss, assumed = find(loss), difficulty or Difficulty()
    budget = validation.positive("epsilon", epsilon), validation.open_probability("delta", delta)

    def question(rows: float) -> _Question:
        return replace(facts, n_samples=math.ceil(rows)), loss, *budget, assumed

    return _smallest(question, validation.open_probability("accuracy", accuracy), *_ROWS)


def _smallest(question: Callable[[float], _Question], target: float, least: float, most: float) -> Recommendation:
    """The answer at the least value of what is asked for where a learner reaches the target.

    One learner is followed to the target; where another one is better there, that one is.
    """
    lead = next(iter(LEARNERS))
    for _ in LEARNERS:
        exact = partial(lambda key, value: _score(key, *question(value)), lead)
        at = _reached(exact, lambda value: _outlined(*question(value)), target, least, most)
        found = _at(*question(at))
        best = max(found.ranking, key=lambda one: one.predicted, default=None)
        if best is None or best.key == lead or best.predicted - target <= _ABOVE:
            break
        lead = best.key
    ranking = sorted(found.ranking, key=lambda one: one.predicted < target)  # what reaches the target stands first
    return replace(found, ranking=tuple(ranking), target=target)


def _reached(
    exact: Callable[[float], float], rough: Callable[[float], float], target: float, least: float, most: float
) -> float:
    """Where a score first passes the target, or `most` if it never does.

    A rough score, which costs little, reaches it where the exact one does but for a factor: that factor is corrected
    until the exact score agrees.

    Parameters
    ----------
    exact, rough : scores
    target : score to reach
    least, most : ends of the range
    """
    rough, ends = lru_cache(maxsize=None)(rough), (math.log(least / _BEYOND), math.log(most * _BEYOND))

    def passes(score: float) -> float:
        grid = np.linspace(*ends, _GRID)
        after = next((place for place, log in enumerate(grid) if rough(math.exp(log)) >= score), None)
        if not after:
            return ends[1] if after is None else ends[0]
        return float(brentq(lambda log: rough(math.exp(log)) - score, grid[after - 1], grid[after], xtol=1e-3))

    low, high, factor = math.log(least), math.log(most), 0.0
    for _ in range(_ROUNDS):
        at = passes(target + _ABOVE / 2) - factor
        at = at if low < at < high else (low if at <= low else high) if not factor else (low + high) / 2
        found = exact(math.exp(at))
        if 0 <= found - target <= _ABOVE or (found < target and at == math.log(most)):
            return math.exp(at)
        low, high = (low, at) if found > target else (at, high)
        factor = passes(found) - at
    return math.exp(high)


@lru_cache(maxsize=1024)
def _predicted(key: str, *question: Any) -> tuple[Learner, Predicted]:
    facts, loss, epsilon, delta, assumed = question
    learner = makers(loss, facts, epsilon, delta)[key]()
    return learner, predict(learner, facts, assumed)


def _score(key: str, *question: Any) -> float:
    try:
        return _predicted(key, *question)[1].mean
    except DPError:
        return -math.inf


_Question = tuple[PublicFacts, Loss, float, float, Difficulty]


@lru_cache(maxsize=256)
def _at(facts: PublicFacts, loss: Loss, epsilon: float, delta: float, assumed: Difficulty) -> Recommendation:
    ranked, left_out = [], []
    for key in makers(loss, facts, epsilon, delta):
        try:
            ranked.append(_ranked(key, facts, loss, epsilon, delta, assumed))
        except DPError as error:
            left_out.append((LEARNERS[key].title, str(error)))
    free = predict(NonPrivate(loss), facts, assumed).mean
    constant = assumed.constant_score(loss, facts.n_samples, epsilon)
    return Recommendation(facts, loss, epsilon, delta, assumed, _ordered(ranked), tuple(left_out), free, constant)


def _ordered(ranked: list[Ranked]) -> tuple[Ranked, ...]:
    """Best first; of learners that count as equal to the best one left, the one listed first."""
    left, found = list(ranked), []
    while left:
        least = max(one.predicted for one in left) - _ALIKE
        found.append(next(one for one in left if one.predicted >= least))
        left.remove(found[-1])
    return tuple(found)


def _ranked(key: str, facts: PublicFacts, loss: Loss, epsilon: float, delta: float, assumed: Difficulty) -> Ranked:
    learner, found = _predicted(key, facts, loss, epsilon, delta, assumed)
    if not np.isfinite(found.mean):
        raise ParameterError("its noise leaves no finite prediction at this budget")
    power = round(math.log10(delta))
    small = f"10{raised(power)}" if math.isclose(delta, 10.0**power) else f"{delta:.2g}"
    bound = "" if loss.target.labels else f" and |y| ≤ {facts.domain.target_bound:g}"
    guarantee = (
        f"({epsilon:.3g}, {small})-differentially private if one of the {facts.n_samples} records with "
        f"‖x‖ ≤ {facts.domain.row_norm:g}{bound} is added or removed; nothing is chosen by looking at the data."
    )
    source = STEPWISE if found.fit.steps else FORMULA
    return Ranked(key, learner, found.mean, found.low, found.high, source, guarantee, code_of(learner, facts))


def _outlined(facts: PublicFacts, loss: Loss, epsilon: float, delta: float, assumed: Difficulty) -> float:
    """The score of objective perturbation with the noise of the Gaussian mechanism: near a plan, at no cost."""
    clip = rules.public_clip(loss, facts.domain, None, "best")
    pull = gaussian_sigma(epsilon, delta, clip)
    lam = math.sqrt(facts.n_features) * pull / rules.comparator_norm(loss, facts)
    return Predicted.of(FitWithNoise(lam, clip, pull), loss, facts, assumed).mean
