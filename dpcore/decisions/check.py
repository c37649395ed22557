"""A prediction checked: the learners are run on generated data of the asked shape, one data set after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.decisions.difficulty import Population, make_data
from dpcore.decisions.mean_field import unit_of
from dpcore.decisions.recommend import Recommendation
from dpcore.errors import UnsupportedError
from dpcore.learners import NonPrivate

# Most numbers of a generated data set. Doubled, larger questions can be checked, and a trial of the largest takes twice as
# long.
MOST_CELLS = 5_000_000
FREE_FIT = "without_privacy"  # stands for the fit without privacy among the keys of learners


@dataclass(frozen=True)
class Simulated:
    """Scores of one learner over data sets: their mean, its standard error (nan for a single one), and their number."""

    mean: float
    error: float
    count: int


def check_once(answer: Recommendation, seed: int) -> dict[str, float]:
    """Score of one release of every learner of a ranking on one generated data set, by its key.

    The score is over the whole population: with coefficients θ it depends on the data through θᵀe and ‖θ‖ only.

    Parameters
    ----------
    answer : Recommendation
    seed : whole number ≥ 0, of data and noise; for generated data, which are nobody's

    Raises
    ------
    UnsupportedError
        If the data set would be too large.
    ConvergenceError
    """
    facts, cells = answer.facts, answer.facts.n_samples * answer.facts.n_features
    if cells > MOST_CELLS:
        raise UnsupportedError(
            f"{facts.n_samples} × {facts.n_features} numbers are too many to generate; ask for at most {MOST_CELLS}"
        )
    rng = np.random.default_rng(validation.integer("seed", seed, minimum=0))
    people = answer.difficulty.population(answer.loss, facts.domain)
    dataset, direction = make_data(facts, answer.loss, answer.difficulty, rng)
    runs = {one.key: one.learner for one in answer.ranking} | {FREE_FIT: NonPrivate(answer.loss)}
    unit = unit_of(facts, answer.difficulty)
    return {key: _score(people, unit * learner.fit(dataset, rng).theta, direction) for key, learner in runs.items()}


def _score(people: Population, theta: np.ndarray, direction: np.ndarray) -> float:
    along = float(theta @ direction)
    rest = float(np.linalg.norm(theta - along * direction))
    return float(people.scores(np.array([along]), np.array([rest]))[0])


def means_of(trials: Sequence[Mapping[str, float]]) -> dict[str, Simulated]:
    """Mean score of every learner over trials of one question."""
    found = {}
    for key in trials[0] if trials else ():
        scores = np.array([one[key] for one in trials])
        error = float(scores.std(ddof=1) / np.sqrt(scores.size)) if scores.size > 1 else np.nan
        found[key] = Simulated(float(scores.mean()), error, scores.size)
    return found
