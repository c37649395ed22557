"""The source's simulations, point by point: they can stop at any time, keep finished points, and continue later."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ConvergenceError, ParameterError
from dpcore.exhibits.noise_augmentation.settings import SETTINGS, SHARE, Case, case_of, simulated
from dpcore.glm.losses import BINARY, COUNT
from dpcore.learners.napp.exact import stationary_point
from dpcore.learners.napp.noise import printed_floor
from dpcore.learners.napp.retrieval import recycle, settle
from dpcore.learners.napp.weights import Regularizer, Weighting

STUDY_SCORES = ("false positives", "true positives", "prediction error", "retrieved", "distance to lasso")
_TRUE_TEST_ROWS = 10_000
_LARGEST_PREDICTOR = 20.0  # the predictor xᵀθ of a count is cut here; otherwise one row could decide the whole error
_TOL = 1e-7  # tolerance of every fit


@dataclass(frozen=True)
class Method:
    """One curve of the figures: its selection, the form of its weights, whether it has noise and recycles budget."""

    selection: str
    form: str
    noisy: bool = True
    recycled: bool = False


COMPARED = {
    "lasso": Method("none", "sum", noisy=False),
    "MOOR, b = 0": Method("none", "moor", noisy=False),
    "sum, b = 0": Method("none", "sum", noisy=False),
    "NAPP": Method("none", "moor"),
    "DP-ERM": Method("none", "sum"),
    "VS": Method("vs", "moor"),
    "VS, sum": Method("vs", "sum"),
    "VS+": Method("vs_plus", "moor"),
    "VS+, sum": Method("vs_plus", "sum"),
    "NAPP, recycled": Method("none", "moor", recycled=True),
    "VS, recycled": Method("vs", "moor", recycled=True),
    "VS+, recycled": Method("vs_plus", "moor", recycled=True),
}


@dataclass(frozen=True)
class Protocol:
    """How one repeat is run. The defaults are new data or a random split, and fits at the point of convergence.

    Parameters
    ----------
    ordered : whether in every repeat the first n records of a case train and the others test
    floor : Λ₀ε; None for ζ₃/(2(1−r))
    limit : T, iterations of each fit in the limit n_e → ∞; None for the point of convergence
    """

    ordered: bool = False
    floor: float | None = None
    limit: int | None = None


CONVERGED = Protocol()


@dataclass(frozen=True, eq=False)
class SimulatedPoint:
    """All methods and strengths on one simulated data set and one draw of the noise.

    Parameters
    ----------
    epsilon, repeat : ε and the number of the repeat
    scores : array (methods, strengths, 5), in the order of `COMPARED` and `STUDY_SCORES`; nan where a fit did not converge
    """

    epsilon: float
    repeat: int
    scores: np.ndarray

    @property
    def key(self) -> tuple[float, int]:
        """(ε, repeat)."""
        return self.epsilon, self.repeat


@dataclass(frozen=True, eq=False)
class Simulation:
    """A grid of simulations.

    Parameters
    ----------
    source : name in `SETTINGS` (new data in every repeat), or a Case (a new split in every repeat)
    n : records of a simulated data set
    epsilons, strengths : values of ε and Λ
    repeats : whole number ≥ 1
    delta : 0 for spherical Laplace noise, else Gaussian with the printed σ
    printed : weights of Table 2 as printed, or corrected
    seed : seed of all random numbers
    protocol : how each repeat is run

    References: li-liu-napp (section 5).
    """

    source: str | Case
    n: int
    epsilons: tuple[float, ...]
    strengths: tuple[float, ...]
    repeats: int
    delta: float = 1e-4
    printed: bool = False
    seed: int = 0
    protocol: Protocol = CONVERGED

    def __post_init__(self) -> None:
        if not isinstance(self.source, Case):
            validation.choice("source", self.source, SETTINGS)
        validation.integer("n", self.n, minimum=2)
        validation.at_least_one("repeats", self.repeats)
        if not self.epsilons or not self.strengths:
            raise ParameterError("epsilons and strengths must hold at least one value each")
        validation.probability("delta", self.delta, allow_one=False)

    @property
    def key(self) -> tuple[object, ...]:
        """All settings but ε and the repeat, which the points hold; studies with equal keys can share points."""
        return repr(self.source), self.n, self.strengths, self.delta, self.printed, self.seed, self.protocol

    def tasks(self) -> list[tuple[float, int]]:
        """All (ε, repeat). The repeat varies slowest, so that after an early stop all ε have about as many repeats."""
        return [(epsilon, repeat) for repeat in range(self.repeats) for epsilon in self.epsilons]

    def missing(self, points: Mapping[tuple[float, int], SimulatedPoint]) -> list[tuple[float, int]]:
        """Tasks without a point yet."""
        return [task for task in self.tasks() if task not in points]

    def run(self, points: Mapping[tuple[float, int], SimulatedPoint]) -> Iterator[SimulatedPoint]:
        """Points that are still missing, one after another."""
        return filter(None, self.fits(points))

    def fits(self, points: Mapping[tuple[float, int], SimulatedPoint]) -> Iterator[SimulatedPoint | None]:
        """The same, with a None after every fit, so that a caller can pause there before its point is finished.

        The same seed gives the same data for every ε, and the same b up to its scale.
        """
        for epsilon, repeat in self.missing(points):
            yield from self._fits(epsilon, repeat)

    def _fits(self, epsilon: float, repeat: int) -> Iterator[SimulatedPoint | None]:
        rng = np.random.default_rng([self.seed, repeat])
        case, X, y = self._data(rng)
        asked, budget = self.protocol, SHARE * epsilon
        floor = printed_floor(epsilon, case.smoothness, SHARE) if asked.floor is None else asked.floor / epsilon
        how: dict[str, Any] = {"limit": asked.limit, "tol": _TOL}
        size = case.X.shape[1]
        b = case.noise(epsilon, self.delta).sample(size, np.random.default_rng(rng.integers(2**63)))
        draws = {"none": b, "vs": b, "vs_plus": np.abs(b)}
        scores = np.full((len(COMPARED), len(self.strengths), len(STUDY_SCORES)), np.nan)
        for column, strength in enumerate(self.strengths):
            regularizer, reference = Regularizer("lasso", strength), None
            first: dict[Any, Any] = {}
            for row, (name, method) in enumerate(COMPARED.items()):
                weighting, retrieved = Weighting(regularizer, floor, method.form, self.printed), np.nan
                try:
                    if method.noisy:
                        kind = method.selection, method.form
                        found = recycle(
                            case.problem, weighting, draws[method.selection], noise_budget=budget, jacobian_budget=budget,
                            rounds=int(method.recycled), first=first.get(kind), selection=method.selection, **how,
                        )  # fmt: skip
                        theta, retrieved = found.settled.theta, found.retrieved[0] / budget
                        first.setdefault(kind, found.settled)
                    elif name == "lasso":
                        theta = reference = stationary_point(case.plain, Weighting(regularizer, 0.0), tol=_TOL).theta
                    else:
                        theta = settle(case.plain, weighting, np.zeros(size), **how).theta
                    scores[row, column] = _scores(case, theta, reference, retrieved, X, y)
                except ConvergenceError:
                    pass
                yield None
        yield SimulatedPoint(epsilon, repeat, scores)

    def _data(self, rng: np.random.Generator) -> tuple[Case, np.ndarray, np.ndarray]:
        """Training case, test X and test y."""
        if isinstance(self.source, str):
            setting = SETTINGS[self.source]
            X, y = simulated(setting, self.n, rng)
            return case_of("", setting, X, y), *simulated(setting, _TRUE_TEST_ROWS, rng)
        whole = self.source
        order = np.arange(len(whole.y)) if self.protocol.ordered else rng.permutation(len(whole.y))
        train, test = order[: self.n], order[self.n :] if self.n < len(order) else order
        part = replace(whole, key="", X=whole.X[train], y=whole.y[train], truth=None)
        return part, whole.X[test], whole.y[test]


def _scores(
    case: Case, theta: np.ndarray, reference: np.ndarray | None, retrieved: float, X: np.ndarray, y: np.ndarray
) -> list[float]:
    wrong = right = np.nan
    if case.truth is not None:
        wrong, right = (float(np.mean(theta[(case.truth != 0) == real] != 0)) for real in (False, True))
    distance = np.nan if reference is None else float(np.linalg.norm(theta - reference))
    return [wrong, right, prediction_error(case, theta, X, y), retrieved, distance]


def prediction_error(case: Case, theta: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    """Misclassification rate for labels (a tie counts half), mean squared error of the predicted mean otherwise."""
    u = X @ theta
    if case.loss.target is BINARY:
        return float(np.mean(np.where(u == 0, 0.5, (u > 0) != (y > 0))))
    if case.loss.target is COUNT:
        u = np.minimum(u, _LARGEST_PREDICTOR)
    return float(np.mean((case.loss.predicted_mean(u) - y) ** 2))


def first_data_sets(study: Simulation, count: int) -> list[SimulatedPoint]:
    """The first points of a study, in the order of its tasks.

    Parameters
    ----------
    study : Simulation
    count : number of points; a multiple of the number of ε gives whole repeats
    """
    return list(islice(study.run({}), count))


@dataclass(frozen=True, eq=False)
class Summary:
    """The scores of the finished repeats.

    Parameters
    ----------
    epsilons, strengths : axes
    stacks : for each ε, array (repeats, methods, strengths, 5)
    """

    epsilons: tuple[float, ...]
    strengths: tuple[float, ...]
    stacks: tuple[np.ndarray, ...]

    @property
    def repeats(self) -> int:
        """Number of repeats that every ε has."""
        return min(len(stack) for stack in self.stacks)

    @property
    def failed(self) -> int:
        """Number of fits that did not converge."""
        return sum(int(np.isnan(stack[:, :, :, 2]).sum()) for stack in self.stacks)

    def of(self, method: str, score: str, epsilon: float) -> np.ndarray:
        """Mean over repeats at each strength; nan where there is nothing to average."""
        return _mean(self._values(method, score, epsilon))

    def error_of(self, method: str, score: str, epsilon: float) -> np.ndarray:
        """Standard error of this mean at each strength."""
        values = self._values(method, score, epsilon)
        known = np.maximum(np.sum(~np.isnan(values), axis=0), 1)
        spread = np.nansum((values - _mean(values)) ** 2, axis=0) / np.maximum(known - 1, 1)
        return np.sqrt(spread / known)

    def difference(
        self, first: str, second: str, score: str, epsilon: float, at: int | None = None
    ) -> tuple[float, float]:
        """Mean of first − second over the strengths (or at one), paired by repeat, and its standard error.

        Parameters
        ----------
        first, second : keys of `COMPARED`
        score : key of `STUDY_SCORES`
        epsilon : budget, one of those simulated
        at : position of one strength; None for all
        """
        gap = self._values(first, score, epsilon) - self._values(second, score, epsilon)
        return _with_error(gap if at is None else gap[:, [at]])

    def change(self, method: str, score: str, epsilon: float) -> tuple[float, float]:
        """Mean of the score at the largest minus that at the smallest strength, and its standard error."""
        values = self._values(method, score, epsilon)
        return _with_error(values[:, -1:] - values[:, :1])

    def _values(self, method: str, score: str, epsilon: float) -> np.ndarray:
        return self.stacks[self.epsilons.index(epsilon)][:, list(COMPARED).index(method), :, STUDY_SCORES.index(score)]


def _mean(values: np.ndarray) -> np.ndarray:
    known = np.sum(~np.isnan(values), axis=0)
    return np.where(known > 0, np.nansum(values, axis=0) / np.maximum(known, 1), np.nan)


def _with_error(gap: np.ndarray) -> tuple[float, float]:
    each = _mean(gap.T)
    each = each[~np.isnan(each)]
    if not each.size:
        return np.nan, np.nan
    return float(each.mean()), float(each.std(ddof=1) / np.sqrt(each.size)) if each.size > 1 else np.inf


def summarise_simulation(study: Simulation, points: Mapping[tuple[float, int], SimulatedPoint]) -> Summary | None:
    """The finished repeats of a study; None if an ε has none yet."""
    groups = [[points[e, r].scores for r in range(study.repeats) if (e, r) in points] for e in study.epsilons]
    return Summary(study.epsilons, study.strengths, tuple(np.array(group) for group in groups)) if all(groups) else None
