"""Data for pictures of noise augmentation: rows, realised regulariser, path of the iteration, rounds of recycling."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpcore import validation
from dpcore.audit import napp as audit
from dpcore.exhibits.noise_augmentation.settings import SHARE, Case
from dpcore.glm import Problem
from dpcore.learners.napp.augment import augmented_rows
from dpcore.learners.napp.exact import stationary_point
from dpcore.learners.napp.iterate import Trace, run, solve_step
from dpcore.learners.napp.noise import Noise
from dpcore.learners.napp.retrieval import draw_noise, recycle, settle
from dpcore.learners.napp.weights import Regularizer, Weighting

SHOWN = 200  # most points of each kind in a scatter
SIZES = (40, 160, 640, 2560, 10_240)  # values of n_e at which the rate is measured
_SEEDS = 3  # draws of the rows at each of them
_GRID, _CROSSES = 161, 17  # points of a line, and crosses on it


@dataclass(frozen=True, eq=False)
class RowPicture:
    """The first two columns of data and appended rows, and how fast the fit reaches its limit.

    Parameters
    ----------
    data, rows : arrays (≤ 200, 2) of the first two columns
    data_y, rows_y : their targets
    table : the appended rows as a data frame (first 200)
    sizes, distance : arrays, n_e and the root mean square distance of θ to its limit
    slope : slope of log distance against log n_e over the three largest sizes
    here : distance at the chosen n_e (one draw)
    carried : ‖Σℓ'_i(0)e_i − b‖, 0 up to rounding
    spread : largest |e_ij|
    """

    data: np.ndarray
    data_y: np.ndarray
    rows: np.ndarray
    rows_y: np.ndarray
    table: pd.DataFrame
    sizes: np.ndarray
    distance: np.ndarray
    slope: float
    here: float
    carried: float
    spread: float


def row_picture(case: Case, weighting: Weighting, noise: Noise, rows: int, t: int = 1, seed: int = 0) -> RowPicture:
    """Iteration t, shown as data.

    Parameters
    ----------
    case, weighting, noise : data, weights and law of b
    rows : n_e, a multiple of 4
    t : 1 or 2; in the second iteration the weights come from a fit
    seed : seed of b and of the rows
    """
    problem, rng = case.problem, np.random.default_rng(seed)
    size = problem.n_features
    b = noise.sample(size, rng)
    weights = weighting.first(size)
    if t == 2:
        weights = weighting.after(run(problem.replace(linear=b), weighting, limit=1).paths[0])

    def fit(count: int | None, seed: int) -> np.ndarray:
        return solve_step(problem, weights, b, count, np.random.default_rng(seed))[0]

    extra, limit = augmented_rows(case.loss, weights, b, rows, rng), fit(None, 0)
    distance = np.array([
        np.sqrt(np.mean([float(np.sum((fit(count, 1 + k) - limit) ** 2)) for k in range(_SEEDS)])) for count in SIZES
    ])  # fmt: skip
    keep = np.linspace(0, len(case.y) - 1, min(SHOWN, len(case.y))).astype(int)
    shown, two = rng.permutation(rows)[:SHOWN], [0, min(1, size - 1)]
    columns = {f"x{j + 1}": column for j, column in enumerate(extra.X[:SHOWN].T)}
    slope = float(np.polyfit(np.log(SIZES[-3:]), np.log(distance[-3:]), 1)[0])
    return RowPicture(
        data=case.X[keep][:, two], data_y=case.y[keep], rows=extra.X[shown][:, two], rows_y=extra.y[shown],
        table=pd.DataFrame({"y": extra.y[:SHOWN], **columns}), sizes=np.array(SIZES), distance=distance, slope=slope,
        here=float(np.linalg.norm(fit(rows, seed + 99) - limit)), carried=float(np.linalg.norm(extra.carried - b)),
        spread=float(np.abs(extra.X).max()),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class RealisedPicture:
    """Fig. 1: the regulariser that is asked for, those that are realised, and the modulus that the proof assumes.

    Parameters
    ----------
    theta : array, grid
    target, moor, summed : regularisers on the grid
    modulus : 2m of the maximum (MOOR), with the weights held fixed
    curvature, curvature_sum : second derivatives of the two realised regularisers
    crosses : array, coefficients at which rows were drawn
    empirical : regulariser realised by n_e rows at the crosses, integrated from its gradient
    empirical_modulus : curvature of the rows' loss at the crosses
    crossover : |θ| up to which the maximum gives no strong convexity
    floor : Λ₀
    rows : n_e
    """

    theta: np.ndarray
    target: np.ndarray
    moor: np.ndarray
    summed: np.ndarray
    modulus: np.ndarray
    curvature: np.ndarray
    curvature_sum: np.ndarray
    crosses: np.ndarray
    empirical: np.ndarray
    empirical_modulus: np.ndarray
    crossover: float
    floor: float
    rows: int


def realised_picture(
    regularizer: Regularizer, floor: float, printed: bool = False, rows: int = 10_000, seed: int = 0
) -> RealisedPicture:
    """Theory lines and empirical crosses of Fig. 1, for one coefficient.

    Parameters
    ----------
    regularizer : the regulariser that the augmentation should realise
    floor : Λ₀
    printed : whether the weights are as printed in the source
    rows : augmented rows, of linear regression
    seed : of the generator

    References: li-liu-napp (Figure 1, corrected).
    """
    moor, summed = (Weighting(regularizer, floor, form, printed) for form in ("moor", "sum"))
    theta = np.linspace(-2.0, 2.0, _GRID)
    theta[_GRID // 2] = 0.0
    off = np.where(theta == 0, 2.0 / _GRID, theta)
    fine = np.linspace(0.0, 2.0, 8 * (_CROSSES // 2) + 1)[1:]
    slopes, moduli = np.empty(fine.size), np.empty(fine.size)
    for k, point in enumerate(fine):
        extra = augmented_rows("squared", moor.after(np.array([point])), None, rows, np.random.default_rng([seed, k]))
        problem, at = Problem("squared", extra.X, extra.y, lam=0.0), np.array([point])
        slopes[k], moduli[k] = problem.gradient(at)[0], problem.hessian(at)[0, 0]
    start = float(moor.realised(fine[0]))
    area = start + np.concatenate([[0.0], np.cumsum(0.5 * (slopes[1:] + slopes[:-1]) * np.diff(fine))])
    pick = np.arange(7, fine.size, 8)

    def both(right: np.ndarray, sign: float = 1.0) -> np.ndarray:
        """Values at the crosses on both sides of 0."""
        return np.concatenate([sign * right[pick][::-1], right[pick]])

    return RealisedPicture(
        theta=theta, target=regularizer.value(theta), moor=moor.realised(theta), summed=summed.realised(theta),
        modulus=moor.modulus(off), curvature=moor.curvature(off), curvature_sum=summed.curvature(off), crosses=both(fine, -1.0),
        empirical=both(area), empirical_modulus=both(moduli), crossover=moor.crossover, floor=floor, rows=rows,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class GivenAway:
    """Both output laws of one coefficient, and the part of one of them that exceeds e^ε times the other.

    Parameters
    ----------
    theta : array, grid of outputs
    absent, present : densities without and with the record
    excess : density of the excess in the worse direction; its area, with that of the atom at 0, is δ
    delta : δ at the claimed ε
    """

    theta: np.ndarray
    absent: np.ndarray
    present: np.ndarray
    excess: np.ndarray
    delta: float


def given_away(scenario: audit.Scenario, variant: str = "moor") -> GivenAway:
    r"""What one record gives away of itself at the claimed ε.

    .. math:: δ = \int [q(θ) − e^{ε} p(θ)]_+ dθ, \text{ in the worse direction}

    Parameters
    ----------
    scenario : one record that joins a data set
    variant : name in `GAME_VARIANTS`
    """
    laws, found = audit.laws(scenario, variant), audit.attack(scenario, variant)
    ordered = (laws.present, laws.absent) if found.remove >= found.add else (laws.absent, laws.present)
    excess = np.maximum(ordered[0] - np.exp(scenario.epsilon) * ordered[1], 0.0)
    return GivenAway(laws.theta, laws.absent, laws.present, excess, found.delta)


def spread(noise: Noise, size: int) -> float:
    """Standard deviation of one b_j."""
    return float(np.sqrt(noise.mean_square(size) / size))


@dataclass(frozen=True, eq=False)
class PathPicture:
    """Coefficients over the iterations, and their limit.

    Parameters
    ----------
    trace : Trace
    limit : θ in the limit n_e → ∞, T → ∞ with the same b; None for a bridge
    retrieved : share of (1−r)ε that the source would return at the last iterate
    noise : b, array (n_features,)
    cut : lower bound on the entries of b; −∞ for none
    apart : ‖θ⁽ᵗ⁾ − limit‖, array (T,), with the rows asked for; empty for a bridge
    apart_without : the same in the limit n_e → ∞
    alone : 2m of the target alone for each coefficient at the last iterate, array (n_features,); inf at 0
    floor : Λ₀
    """

    trace: Trace
    limit: np.ndarray | None
    retrieved: float
    noise: np.ndarray
    cut: float
    apart: np.ndarray
    apart_without: np.ndarray
    alone: np.ndarray
    floor: float

    @property
    def noise_norm(self) -> float:
        """‖b‖."""
        return float(np.linalg.norm(self.noise))


def path_picture(
    case: Case, weighting: Weighting, noise: Noise, selection: str, rows: int | None, limit: int,
    cut: float = -np.inf, seed: int = 0,
) -> PathPicture:  # fmt: skip
    """Algorithm 1, iteration by iteration, with its limits, and Proposition 6 at the last iterate.

    Parameters
    ----------
    case : data set and loss
    weighting : weights of the augmented rows
    noise : law of b
    selection : key of `SELECTIONS`
    rows : augmented rows n_e; None for the limit
    limit : most iterations
    cut : c of the noise of "vs" in standard deviations of one b_j; −∞ for none
    seed : of the generator

    References: li-liu-napp (Algorithm 1, Figure 2, Eqs. 8, 9 and 10).
    """
    problem, rng = case.problem, np.random.default_rng(seed)
    at = cut * spread(noise, problem.n_features)
    b = draw_noise(noise, selection, problem.n_features, rng, at)
    options: dict[str, Any] = {"flip": selection != "none", "limit": limit, "tol": 1e-9}
    perturbed = problem.replace(linear=b)
    trace = run(perturbed, weighting, rows=rows, rng=rng, **options)
    end, apart, without = None, np.empty(0), np.empty(0)
    if weighting.regularizer.kind != "bridge":
        end = settle(problem, weighting, b, selection=selection).theta
        plain = trace if rows is None else run(perturbed, weighting, **options)
        apart, without = (np.linalg.norm(one.paths - end, axis=1) for one in (trace, plain))
    theta, floor = trace.theta, weighting.floor
    share = max(0.0, 1.0 - floor / float(weighting.after(theta).min())) if floor else 1.0
    alone = Weighting(weighting.regularizer, 0.0, "sum", weighting.printed).modulus(theta)
    alone = np.where((theta == 0) & (weighting.regularizer.power > 0), np.inf, alone)
    return PathPicture(trace, end, share, b, at if selection == "vs" else -np.inf, apart, without, alone, floor)


@dataclass(frozen=True, eq=False)
class RoundPicture:
    """The result after each number of rounds of recycling; 0 rounds are Algorithm 1.

    Parameters
    ----------
    budget : array, nats the noise is scaled for after k rounds, from rε up to at most ε
    distance : array, ‖θ − lasso‖ after k rounds; the lasso has no noise and no Λ₀
    """

    budget: np.ndarray
    distance: np.ndarray


def recycling_rounds(
    case: Case, weighting: Weighting, noise: Noise, epsilon: float, selection: str = "none", cut: float = -np.inf,
    rounds: int = 4, seed: int = 0,
) -> RoundPicture:  # fmt: skip
    r"""Several rounds of recycling with one b, each at the point of convergence.

    .. math:: b_k = \frac{rε}{rε + Δ_0 + … + Δ_{k−1}} b, \qquad Λ_{0,k} = \min_j m_j(\hatθ_{k−1})

    Parameters
    ----------
    case : data set and loss
    weighting : ridge, lasso or elastic net
    noise : law of b
    epsilon : budget, nats; r = ½
    selection : key of `SELECTIONS`
    rounds : most rounds
    cut : cut of the noise of "vs", in standard deviations of one b_j
    seed : seed of b

    References: li-liu-napp (Algorithm 2).
    """
    problem, budget = case.problem, SHARE * validation.positive("epsilon", epsilon)
    size = problem.n_features
    b = draw_noise(noise, selection, size, np.random.default_rng(seed), cut * spread(noise, size))
    target = stationary_point(problem, Weighting(weighting.regularizer, 0.0)).theta
    first = settle(problem, weighting, b, selection=selection)
    found = [
        recycle(problem, weighting, b, noise_budget=budget, jacobian_budget=budget, rounds=k, first=first, selection=selection)
        for k in range(rounds + 1)
    ]  # fmt: skip
    norms = np.array([np.linalg.norm(one.noise) for one in found])
    distances = np.array([np.linalg.norm(one.settled.theta - target) for one in found])
    return RoundPicture(budget * float(np.linalg.norm(b)) / norms, distances)
