"""The questions of the lessons: each has a number that one can move, and an answer that is computed, not stored."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from dpcore import validation
from dpcore.audit.bounds import clopper_pearson
from dpcore.data import Dataset
from dpcore.exhibits.exponential_mechanism.study import line_landscape, pure_temperature
from dpcore.exhibits.learning_limits import Packing
from dpcore.exhibits.output_perturbation.study import sweep_lambda
from dpcore.individual import IndividualPrivacy, individual_privacy
from dpcore.mechanisms import Gaussian, Laplace, PosteriorSampling
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve

FALSE_ALARMS, CAUGHT_LEAST, CAUGHT = 0.05, 0.09, 0.10
ONE_IN_A_THOUSAND = 1e-3
_BUDGET, _DELTA, QUESTION_SIGMA = 1.0, 1e-5, 10.0
TARGET_EXCESS, RECORDS = 0.02, 100
# of the packing lesson: bins, ε, and the probability with which the right bin should be named
BINS, PACKING_EPSILON, _NAMED = 256, 0.5, 0.9
RUNS, AUDIT_LEVEL, AUDIT_SCALE = 20_000, 0.05, 1.0
LAMBDAS = (0.1, 0.46, 1.0, 2.2, 4.6, 10.0, 22.0, 46.0, 100.0, 220.0, 460.0, 1000.0)
CANDIDATES = 8


@dataclass(frozen=True, eq=False)
class Reading:
    """What a lesson shows at one position of its slider.

    Parameters
    ----------
    value : the number the question is about
    solved : whether this position answers the question
    curves : curves of the picture
    at : position of the slider on the horizontal axis, or the value that the curve should be close to
    truth : position of the slider that the question asks for
    too_far : 1 if the slider should move towards smaller values, −1 if towards larger ones, 0 if solved
    beside : a second number at this position, if the lesson has one
    """

    value: float
    solved: bool
    curves: tuple[Curve, ...]
    at: float
    truth: float
    too_far: int = 0
    beside: float | None = None


def attacker(sigma: float) -> Reading:
    """Detection rate at 5 % false alarms under Gaussian noise σ, and ε; solved from 9 % to 10 %."""
    sigma = validation.positive("sigma", sigma)
    grid = np.geomspace(0.2, 20, 121)
    rates = np.array([_detection(one) for one in grid])
    caught = _detection(sigma)
    direction = -1 if caught > CAUGHT else (1 if caught < CAUGHT_LEAST else 0)
    truth = float(1 / (ndtri(1 - FALSE_ALARMS) - ndtri(1 - CAUGHT)))
    epsilon = float(Gaussian(sigma).epsilon(_DELTA))
    return Reading(caught, direction == 0, (Curve("best attack", grid, rates),), sigma, truth, direction, epsilon)


def _detection(sigma: float) -> float:
    return 1 - float(Gaussian(float(sigma)).tradeoff(FALSE_ALARMS))


def curve_point(epsilon: float) -> Reading:
    """δ(ε) of Gaussian noise σ = 2, and P(loss > ε) of its loss, which is N(μ²/2, μ²) with μ = 1/σ.

    It is solved at most 0.1 above the smallest ε at which δ is at most one in a thousand.
    """
    mechanism, shift = Gaussian(2.0), 1 / 2.0
    edge = float(mechanism.epsilon(ONE_IN_A_THOUSAND))
    grid = np.linspace(0, 3, 121)
    direction = -1 if epsilon < edge else (1 if epsilon > edge + 0.1 else 0)
    shown = Curve("δ(ε)", grid, mechanism.delta(grid))
    exceeded = float(ndtr(shift / 2 - epsilon / shift))
    return Reading(float(mechanism.delta(epsilon)), direction == 0, (shown,), epsilon, edge, direction, exceeded)


def questions(count: float) -> Reading:
    """ε of k Gaussian answers, σ = 10 each, at δ = 10⁻⁵; solved at the largest k with ε ≤ 1."""
    k = int(count)
    counts = np.arange(1, 41)
    exact = np.array([_composed(i) for i in range(1, 41)])
    shown = Curve("exact", counts, exact), Curve("ε added up", counts, exact[0] * counts, Bound.UPPER)
    over, next_over = _composed(k) > _BUDGET, _composed(k + 1) > _BUDGET
    most = int((exact <= _BUDGET).sum())
    return Reading(_composed(k), not over and next_over, shown, k, most, 1 if over else (0 if next_over else -1))


@lru_cache(maxsize=256)
def _composed(k: int) -> float:
    """ε of k answers: k Gaussians of shift 1/σ are equivalent to one of shift √k/σ."""
    return float(Gaussian(QUESTION_SIGMA, math.sqrt(k)).epsilon(_DELTA))


def regularisation(lam: float, dataset: Dataset) -> Reading:
    """Mean excess loss of output perturbation at λ; solved within 5 % of the smallest on the grid."""
    found = sweep_lambda(dataset, "huber", 1.0, _DELTA, 0.05, LAMBDAS)
    total = found.bias + found.spread
    here = float(total[found.nearest(lam)])
    solved = here <= 1.05 * float(total.min())
    shown = (
        Curve("total", found.lam, total), Curve("bias of λ", found.lam, np.where(found.bias > 0, found.bias, np.nan)),
        Curve("noise", found.lam, found.spread),
    )  # fmt: skip
    best = float(found.lam[found.best])
    direction = 0 if solved else (1 if lam > best else -1)
    return Reading(here, solved, shown, lam, best, direction)


def temperature(epsilon: float) -> Reading:
    """Expected excess of a private median; solved at an ε where it is at most 0.02 but not below 0.015."""
    landscape = line_landscape(RECORDS, 0.3, 0.3)
    k = pure_temperature(validation.positive("epsilon", epsilon), RECORDS)
    excess = landscape.excess(k, 0.0)
    truth = brentq(lambda one: landscape.excess(pure_temperature(one, RECORDS), 0.0) - TARGET_EXCESS, 0.1, 8.0)
    direction = -1 if excess > TARGET_EXCESS else (1 if excess < 0.75 * TARGET_EXCESS else 0)
    shown, at = (landscape.density_curve("output density", k, 0.0),), float(np.median(landscape.records))
    return Reading(excess, direction == 0, shown, at, float(truth), direction)


@dataclass(frozen=True, eq=False)
class Exposure:
    """Eight rows of a data set with what is shown (leverage, residual) and what is asked for (ε), each (8,)."""

    rows: np.ndarray
    leverage: np.ndarray
    residual: np.ndarray
    epsilon: np.ndarray

    @property
    def most(self) -> int:
        """Position of the most exposed row."""
        return int(np.argmax(self.epsilon))


def exposures(dataset: Dataset) -> Exposure:
    """Rows to choose from, in the order of the data.

    They are the row with the largest ε, rows with a large leverage, with a large residual, and with a residual close to
    the median.
    """
    result: IndividualPrivacy = individual_privacy(dataset, PosteriorSampling(gamma=20.0, lam=1.0), delta=1e-6)
    leverage, residual = result.leverage.out_of_sample, np.abs(result.leverage.loo_residual)
    chosen: list[int] = [int(np.argmax(result.epsilon))]
    for order in (np.argsort(-leverage), np.argsort(-residual), np.argsort(np.abs(residual - np.median(residual)))):
        chosen += [int(i) for i in order if int(i) not in chosen][:3]
    rows = np.sort(chosen[:CANDIDATES])
    return Exposure(rows, leverage[rows], residual[rows], result.epsilon[rows])


def exposed(number: float, dataset: Dataset) -> Reading:
    """ε of the chosen candidate row; solved if it is the largest of the eight."""
    found = exposures(dataset)
    at = int(np.clip(number, 1, len(found.rows))) - 1
    shown = (Curve("rows", found.leverage, found.residual),)
    return Reading(float(found.epsilon[at]), at == found.most, shown, at, found.most + 1)


def packing(n: float) -> Reading:
    """The limit on the worst-case success of ε-DP threshold learners; solved at the fewest records that allow 0.9."""
    count = max(2, 2 * (int(n) // 2))
    limits = Curve("limit", np.arange(2, 32, 2), np.array([_packing(i).limit for i in range(2, 32, 2)]), Bound.UPPER)
    here = _packing(count)
    fewest = next(int(i) for i in limits.x if _packing(int(i)).limit >= _NAMED)
    direction = int(np.sign(count - fewest))
    return Reading(here.limit, direction == 0, (limits,), count, fewest, direction)


def _packing(n: int) -> Packing:
    return Packing(BINS, n, PACKING_EPSILON)


@lru_cache(maxsize=4)
def audit_counts(seed: int = 7) -> tuple[int, int]:
    """Detections and false alarms, in 20 000 runs each, of an attack on Laplace noise of scale 1.

    The attack says "present" if the output exceeds 1, a threshold that is fixed beforehand.
    """
    rng = np.random.default_rng(seed)
    caught = int((rng.laplace(1.0, AUDIT_SCALE, RUNS) > 1).sum())
    return caught, int((rng.laplace(0.0, AUDIT_SCALE, RUNS) > 1).sum())


def audit_bound(seed: int = 7) -> float:
    """Lower bound on ε that `audit_counts` prove with confidence 95 %."""
    (low, _), (_, high) = (clopper_pearson(count, RUNS, AUDIT_LEVEL / 2) for count in audit_counts(seed))
    return float(math.log(low / high))


def refuted(claim: float) -> Reading:
    """The ε that the audit proves, and a claimed ε; solved if the claim is at most 0.1 below the proven ε."""
    proven = audit_bound()
    grid = np.linspace(0, 1, 101)
    law = Laplace(AUDIT_SCALE)
    allowed = np.minimum(1.0, np.minimum(np.exp(claim) * grid, 1 - np.exp(-claim) * (1 - grid)))
    attack = Curve("this attack", grid, 1 - law.tradeoff(grid, direction="add"))
    shown = attack, Curve("most the claim allows", grid, allowed)
    direction = 1 if claim >= proven else (0 if claim > proven - 0.1 else -1)
    return Reading(proven, direction == 0, shown, claim, proven, direction)


LESSONS: dict[str, Callable[..., Reading]] = {
    "epsilon": attacker,
    "curves": curve_point,
    "composition": questions,
    "regularise": regularisation,
    "temperature": temperature,
    "exposed": exposed,
    "limits": packing,
    "audit": refuted,
}
WITH_DATA = ("regularise", "exposed")
