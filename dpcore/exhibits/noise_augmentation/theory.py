"""The utility theorems compared with simulation: excess risk against ε, expected loss against n."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcore.exhibits.noise_augmentation.settings import SETTINGS, SHARE, Case, case_of, simulated
from dpcore.exhibits.noise_augmentation.utility import excess_bounds, noise_bound, simulate_excess
from dpcore.learners.napp.exact import stationary_point
from dpcore.learners.napp.noise import printed_floor
from dpcore.learners.napp.retrieval import settle
from dpcore.learners.napp.weights import Regularizer, Weighting

_FAILURE = 0.05  # π, the probability that a bound may fail


@dataclass(frozen=True, eq=False)
class RiskPicture:
    """Excess risk per record, measured over draws of b and bounded.

    Parameters
    ----------
    curves : name → array, a number for each ε
    broken : share of draws in which Lemma 7 at t = 1 was exceeded
    exceeded : share of draws in which the proven bound was exceeded
    """

    curves: Mapping[str, np.ndarray]
    broken: float
    exceeded: float


def risk_against_epsilon(
    case: Case, regularizer: Regularizer, delta: float, epsilons: tuple[float, ...], draws: int = 20, seed: int = 0
) -> RiskPicture:
    """Lemma 7 and Theorem 8 compared with the certified bound and simulation (with the source's noise and Λ₀).

    Parameters
    ----------
    case : data set and loss
    regularizer : penalty
    delta : δ; 0 for Laplace-type noise
    epsilons : budgets, nats
    draws : draws of the noise at each ε
    seed : of the generator

    References: li-liu-napp (Lemma 7, Theorem 8).
    """
    n, size = case.X.shape
    best = stationary_point(case.problem, Weighting(regularizer, 0.0)).theta
    columns, broken, exceeded = [], 0, 0
    for epsilon in epsilons:
        noise, floor = case.noise(epsilon, delta), printed_floor(epsilon, case.smoothness)
        rows = list(simulate_excess(case.problem, regularizer, floor, noise, draws, np.random.default_rng(seed)))
        proven, printed = excess_bounds(best, n, regularizer, floor)
        excess = np.array([row.excess for row in rows])
        columns.append({
            "measured, mean": excess.mean(),
            "measured, 95 % quantile": np.quantile(excess, 0.95),
            "proven, mean": proven.proven(noise.mean_square(size) ** 0.5),
            "proven, 95 %": proven.proven(noise.norm_quantile(size, 1 - _FAILURE)),
            "measured at t = 1, mean": np.mean([row.first for row in rows]),
            "Lemma 7 as printed, t = 1": np.mean([row.lemma_7_first for row in rows]),
            "Theorem 8 as printed": printed.theorem_8(noise, size, _FAILURE, delta or None, SHARE * epsilon),
        })  # fmt: skip
        broken += sum(row.first > row.lemma_7_first for row in rows)
        exceeded += sum(row.excess > row.proven for row in rows)
    values = {name: np.array([float(column[name]) for column in columns]) for name in columns[0]}
    found = {name: np.where(value > 0, value, np.nan) for name, value in values.items()}
    total = draws * len(epsilons)
    return RiskPicture(found, broken / total, exceeded / total)


def risk_against_n(
    strength: float, epsilon: float, delta: float, sizes: tuple[int, ...], constant: float = 1.0, runs: int = 12, seed: int = 0
) -> dict[str, np.ndarray]:  # fmt: skip
    r"""Expected loss of the certified lasso in the linear model, in closed form, compared with Theorem 10.

    .. math:: ϱ(n) = \frac{R(θ_0) + 2N²/k}{n} − \frac{C' \log π'}{2k}, \qquad k = 2Λ_0

    Parameters
    ----------
    strength : Λ of the lasso
    epsilon, delta : the target of privacy
    sizes : numbers of records
    constant : C' of the theorem
    runs : data sets at each size
    seed : of the generator

    Returns
    -------
    name → array, a number for each n: L(θ) − L(θ₀) measured over the runs, and ϱ that the theorem gives for C'.

    References: li-liu-napp (Theorem 10).
    """
    setting, rng = SETTINGS["linear"], np.random.default_rng(seed)
    found = []
    for n in sizes:
        losses = []
        for _ in range(runs):
            case = case_of("", setting, *simulated(setting, n, rng))
            noise, floor = case.noise(epsilon, delta), printed_floor(epsilon, case.smoothness)
            weighting = Weighting(Regularizer("lasso", strength), floor)
            theta = settle(case.problem, weighting, noise.sample(case.X.shape[1], rng)).theta
            losses.append(0.5 * setting.reach**2 / 3 * float(np.sum((theta - setting.theta) ** 2)))
        bound = noise_bound(noise, theta.size, _FAILURE, delta or None, SHARE * epsilon)
        regular = float(weighting.realised(setting.theta).sum())
        promised = (regular + bound**2 / floor) / n - constant * float(np.log(_FAILURE)) / (4 * floor)
        found.append((np.mean(losses), np.quantile(losses, 0.95), promised))
    names = "measured, mean", "measured, 95 % quantile", f"Theorem 10, C′ = {constant:g}"
    return dict(zip(names, np.array(found).T, strict=True))
