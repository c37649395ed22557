"""What the page on deciding shows of a recommendation: a bar for each learner, and the ends of the axis."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dpcore.decisions.check import Simulated
from dpcore.decisions.recommend import Recommendation
from dpcore.learners import LEARNERS

_STEPS = 20  # an axis ends at a multiple of one over this; doubled, it fits more closely and moves more often


@dataclass(frozen=True)
class Bar:
    """A learner in the chart.

    Parameters
    ----------
    title, said : its name, and its predicted score in words
    predicted, low, high : mean and interval of the prediction
    first : whether it is the recommended one
    simulated, error : mean over simulated releases and twice its standard error; None where nothing is simulated
    """

    title: str
    said: str
    predicted: float
    low: float
    high: float
    first: bool
    simulated: float | None = None
    error: float | None = None


def score_said(answer: Recommendation, score: float, unit: bool = True) -> str:
    """A score as a reader sees it: 89.6 % of an accuracy, 0.476 of a share explained."""
    if not answer.loss.target.labels:
        return f"{score:.3f}".replace("-", "−")
    return f"{100 * score:.1f} %" if unit else f"{100 * score:.1f}"


def learner_bars(answer: Recommendation, measured: Mapping[str, Simulated]) -> list[Bar]:
    """The learners that can be used, in the order of `LEARNERS`, so that they stand still when ε moves."""
    by_key = {one.key: one for one in answer.ranking}
    found = []
    for key in LEARNERS:
        if key not in by_key:
            continue
        one, seen = by_key[key], measured.get(key)
        error = 2 * seen.error if seen is not None and math.isfinite(seen.error) else None
        found.append(
            Bar(
                one.learner.title, score_said(answer, one.predicted), one.predicted, one.low, one.high,
                answer.useful and one is answer.ranking[0], None if seen is None else seen.mean, error,
            )
        )  # fmt: skip
    return found


def axis(answer: Recommendation) -> tuple[float, float]:
    """From below the constant prediction to above the fit without privacy, in steps, so that it seldom moves."""
    room = 0.03
    low = math.floor(_STEPS * (answer.constant - room)) / _STEPS
    top = max(answer.without_privacy, answer.best if math.isfinite(answer.best) else 0.0, answer.target or 0.0)
    high = math.ceil(_STEPS * (top + room)) / _STEPS
    return low, min(high, 1.02) if answer.loss.target.labels else min(high, 1.05)


@dataclass(frozen=True)
class TrainingData:
    """A generator of Private training, "logistic" or "linear", and its steepness k or noise s."""

    kind: str
    value: float


def training_data(answer: Recommendation) -> TrainingData | None:
    """The generated data of Private training that are as hard as assumed; None for counts.

    With rows of length 1 the steepness is k√d, and R² = 1/(1 + ds²) gives the noise s.
    """
    d, best = answer.facts.n_features, answer.difficulty.best_of(answer.loss)
    if answer.loss.target.labels:
        strength = answer.difficulty.population(answer.loss, answer.facts.domain).strength
        return TrainingData("logistic", strength * math.sqrt(d))
    if min(answer.loss.target.ends) >= 0:
        return None
    return TrainingData("linear", math.sqrt((1 - best) / (best * d)))
