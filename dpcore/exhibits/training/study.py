"""Compare learners over a grid of ε and many splits, one point after another; no point is computed twice."""

import dataclasses
import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import groupby
from operator import attrgetter
from typing import Any, cast

import numpy as np

from dpcore import validation
from dpcore.calibration.objective import excess_risk
from dpcore.data import Dataset
from dpcore.errors import DPError, ParameterError
from dpcore.exhibits.training.noise_draws import non_private_theta
from dpcore.exhibits.training.same_data import name_of
from dpcore.exhibits.training.splits import Split, scores, split
from dpcore.glm import Problem
from dpcore.glm.losses import Loss
from dpcore.learners import Learner, PublicFacts


@dataclass(frozen=True)
class TrainedPoint:
    """One release of one learner at one ε on one split.

    Parameters
    ----------
    key : hash of all that the point depends on; points with equal keys are the same point
    name, epsilon, repeat : those of the task; ε is nan for a learner without a target
    scores : test scores by name; empty if there was no release
    excess : training Σ f_C at the release minus that at the fit without privacy, per record
    bound : upper bound on the mean of `excess` over the noise, per record; nan if none is known
    parameters : numbers the learner chose
    seconds : time taken
    problem : a sentence on why there was no release, or ""
    """

    key: str
    name: str
    epsilon: float
    repeat: int
    scores: Mapping[str, float]
    excess: float
    bound: float
    parameters: Mapping[str, float]
    seconds: float
    problem: str = ""


_Measured = tuple[dict[str, float], float, float, dict[str, float]]  # scores, excess, its bound, and parameters


@dataclass(frozen=True)
class Task:
    """A point still to be computed."""

    key: str
    name: str
    learner: Learner
    epsilon: float
    repeat: int


@dataclass(frozen=True, eq=False)
class LearnerComparison:
    """Learners to compare, and the settings of the comparison.

    Parameters
    ----------
    dataset : Dataset with a public domain
    learners : learner by the name shown; each is run with `epsilon` and `delta` replaced
    epsilons : grid of ε, nats
    delta : probability
    repeats : random splits ≥ 1
    test_share : share of the rows to test on
    seed : whole number ≥ 0

    Raises
    ------
    ParameterError
    """

    dataset: Dataset
    learners: Mapping[str, Learner]
    epsilons: tuple[float, ...]
    delta: float = 1e-5
    repeats: int = 10
    test_share: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.learners:
            raise ParameterError("learners must name at least one learner")
        grid = tuple(validation.positive("epsilons", epsilon) for epsilon in self.epsilons)
        if not grid:
            raise ParameterError("epsilons must hold at least one value")
        object.__setattr__(self, "epsilons", grid)
        object.__setattr__(self, "delta", validation.open_probability("delta", self.delta))
        validation.at_least_one("repeats", self.repeats)
        validation.integer("seed", self.seed, minimum=0)
        validation.open_probability("test_share", self.test_share)

    def tasks(self) -> list[Task]:
        """All tasks, split by split, so that all curves get their points at the same rate."""
        found = []
        for repeat in range(self.repeats):
            for name, learner in self.learners.items():
                if not has_target(learner):
                    found.append(self._task(name, learner, np.nan, repeat))
                    continue
                for epsilon in self.epsilons:
                    aimed = dataclasses.replace(cast(Any, learner), epsilon=epsilon, delta=self.delta)
                    found.append(self._task(name, aimed, epsilon, repeat))
        return found

    def missing(self, finished: Collection[str]) -> list[Task]:
        """Tasks whose key is not among the finished ones."""
        return [task for task in self.tasks() if task.key not in finished]

    def run(self, finished: Collection[str] = ()) -> Iterator[TrainedPoint]:
        """Compute missing points, one per step; a caller may stop after any step.

        Parameters
        ----------
        finished : keys that need not be computed again, such as a dict of points by key
        """
        for repeat, tasks in groupby(self.missing(finished), key=attrgetter("repeat")):
            parts = split(self.dataset, self.test_share, repeat, self.seed)
            reference = cache(partial(non_private_theta, train=parts.train))
            for task in tasks:
                yield self._point(task, parts, reference)

    def select(self, points: Mapping[str, TrainedPoint]) -> list[TrainedPoint]:
        """The points of this study among all computed points, under the names of this study."""
        return [dataclasses.replace(points[task.key], name=task.name) for task in self.tasks() if task.key in points]

    @cached_property
    def _name(self) -> str:
        return name_of(self.dataset)

    def _task(self, name: str, learner: Learner, epsilon: float, repeat: int) -> Task:
        words = (self._name, type(learner).__name__, repr(learner), self.test_share, self.seed, repeat)
        key = hashlib.sha256(repr(words).encode()).hexdigest()[:24]
        return Task(key, name, learner, epsilon, repeat)

    def _point(self, task: Task, parts: Split, reference: Callable[[Loss], np.ndarray]) -> TrainedPoint:
        started, problem = time.perf_counter(), ""
        found: _Measured = {}, np.nan, np.nan, {}
        try:
            found = self._measure(task, parts, reference)
        except DPError as error:
            problem = str(error)
        seconds = time.perf_counter() - started
        reached, excess, bound, parameters = found
        named = task.key, task.name, task.epsilon, task.repeat
        return TrainedPoint(*named, reached, excess, bound, parameters, seconds, problem)

    def _measure(self, task: Task, parts: Split, reference: Callable[[Loss], np.ndarray]) -> _Measured:
        rng = np.random.default_rng([self.seed, task.repeat, int(task.key[:8], 16)])
        release = task.learner.fit(parts.train, rng)
        loss = task.learner.loss
        found = scores(loss, release.theta, parts.X_test, parts.y_test)
        chosen = {name: float(value) for name, value in release.parameters.items()}
        reached = {name: float(values[0]) for name, values in found.items()}
        return reached, *_excess(loss, parts.train, reference(loss), release.theta, chosen), chosen


@dataclass(frozen=True, eq=False)
class Series:
    """A score of one learner against ε.

    Parameters
    ----------
    name, score : learner and score
    epsilon : array, ε of each entry, increasing; a single nan for a learner without a target
    mean, standard_error : arrays; the error is nan for a single repeat
    count : array, finished repeats
    """

    name: str
    score: str
    epsilon: np.ndarray
    mean: np.ndarray
    standard_error: np.ndarray
    count: np.ndarray


_NO_TARGET = -1.0  # stands for the ε of a learner without a target, so that it comes first


def mean_scores(points: Iterable[TrainedPoint]) -> list[Series]:
    """Mean and standard error of every score, and of "excess" and "bound", by learner and ε."""
    groups: dict[tuple[str, str], dict[float, list[float]]] = {}
    for point in points:
        if point.problem:
            continue
        for score, value in {**point.scores, "excess": point.excess, "bound": point.bound}.items():
            at = _NO_TARGET if np.isnan(point.epsilon) else point.epsilon
            groups.setdefault((point.name, score), {}).setdefault(at, []).append(value)
    found = []
    for (name, score), by_epsilon in groups.items():
        order = sorted(by_epsilon)
        values = [np.array(by_epsilon[epsilon]) for epsilon in order]
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.array([entry.mean() for entry in values])
            error = [entry.std(ddof=1) / np.sqrt(entry.size) if entry.size > 1 else np.nan for entry in values]
        grid = np.array([np.nan if epsilon == _NO_TARGET else epsilon for epsilon in order])
        found.append(Series(name, score, grid, mean, np.array(error), np.array([entry.size for entry in values])))
    return found


def has_target(learner: Learner) -> bool:
    """Whether the learner has a target (ε, δ) that can be replaced."""
    names = {entry.name for entry in dataclasses.fields(learner)}
    return "epsilon" in names and getattr(learner, "sigma", None) is None


def _excess(
    loss: Loss, train: Dataset, comparator: np.ndarray, theta: np.ndarray, chosen: Mapping[str, float]
) -> tuple[float, float]:
    """Excess of Σ f_C over that of the comparator, the fit without privacy, and its bound; per record."""
    facts = PublicFacts.of(train)
    bare = Problem(loss, train.X, train.y, lam=0.0, clip=chosen.get("clip"))
    excess = bare.value(theta) - bare.value(comparator)
    bound = np.nan
    norm = max(float(np.linalg.norm(comparator)), 1e-300)
    if "sigma" in chosen:
        bound = excess_risk(
            chosen["sigma"], chosen["lam"], dimension=facts.n_features, theta_norm=norm, n=facts.n_samples,
            lipschitz=chosen["clip"], tau=chosen["tau"], sigma_out=chosen.get("sigma_out", 0.0),
        )  # fmt: skip
    elif "sigma_out" in chosen:
        smoothness = facts.n_samples * loss.constants(facts.domain, chosen["clip"]).smoothness
        spread = facts.n_features * chosen["sigma_out"] ** 2
        bound = 0.5 * chosen["lam"] * norm**2 + 0.5 * (smoothness + chosen["lam"]) * spread
    return float(excess) / facts.n_samples, float(bound) / facts.n_samples
