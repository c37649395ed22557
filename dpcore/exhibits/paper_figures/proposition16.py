"""Proposition 16 and Remark 15 of the per-instance paper, compared with exact values of the same posterior sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.errata.per_instance import add_bound, remove_bound
from dpcore.errors import ParameterError
from dpcore.exhibits.paper_figures.study import PAPER_DELTA, PAPER_LAM, on_sphere, paper_data, sampled_excess
from dpcore.individual.result import individual_privacy
from dpcore.mechanisms.posterior_sampling import PosteriorSampleRecord, PosteriorSampling
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

CONDITIONS = tuple(float(value) for value in np.geomspace(1.0, 1e-4, 9))
COEFFICIENTS = tuple(float(value) for value in np.geomspace(0.1, 100.0, 7))
_TARGETS = 400  # new records, which are not among the rows
_DRAWS = 4_000  # posterior samples of which the excess is counted
_SEEN = np.array([0.5, 0.2, 0.1, 0.05, 0.02, 0.01])  # probabilities δ at which it is counted

AVERAGE = formula_card(__file__, "average")
EXCESS = formula_card(__file__, "excess")
AGNOSTIC = formula_card(__file__, "agnostic")
REMARK = formula_card(__file__, "remark")


@dataclass(frozen=True, eq=False)
class Averages:
    """Against `x`: root mean square of ε over the rows and over new records, and ε of the most exposed record."""

    x: np.ndarray
    rows: np.ndarray
    elsewhere: np.ndarray
    everyone: np.ndarray
    leading: float

    @property
    def curves(self) -> tuple[Curve, ...]:
        """What a chart draws."""
        return (
            Curve("Any record", self.x, self.everyone, Bound.EXACT),
            Curve("Targets from elsewhere", self.x, self.elsewhere, Bound.EXACT, "root mean square"),
            Curve("Rows of the data", self.x, self.rows, Bound.EXACT, "root mean square"),
            Curve("Leading term of 16.2", self.x, np.full(self.x.size, self.leading), Bound.ESTIMATE, "σ√(2dγ log(2/δ)/n)"),
        )  # fmt: skip


def _averages(
    n: int, d: int, noise: float, seed: int, gamma: float, x: Sequence[float], settings: Sequence[tuple[float, float]]
) -> Averages:
    """The averages against x over (α, ‖θ₀‖), for the same rows and noise, with the last column times √α."""
    n, d = validation.integer("n", n, minimum=2), validation.at_least_one("d", d)
    if n <= d:
        raise ParameterError(f"n must be more than d = {d} columns, or the coefficients are not determined: got {n}")
    noise, seed = validation.positive("noise", noise), validation.integer("seed", seed, minimum=0)
    rng = np.random.default_rng(seed)
    rows, targets, direction = on_sphere(rng, n, d), on_sphere(rng, _TARGETS, d), on_sphere(rng, 1, d)[0]
    errors, others = noise * rng.standard_normal(n), noise * rng.standard_normal(_TARGETS)
    found = []
    for alpha, size in settings:
        X = rows * np.append(np.ones(d - 1), np.sqrt(alpha))
        data = Dataset.from_arrays(X, X @ direction * size + errors)
        result = individual_privacy(data, PosteriorSampling(gamma, 0.0), PAPER_DELTA, domain=Domain())
        elsewhere = result.what_if(targets, targets @ direction * size + others)
        found.append((_rms(result.epsilon), _rms(elsewhere.epsilon), float(result.for_all.epsilon)))
    leading = float(noise * np.sqrt(2 * d * gamma * np.log(2 / PAPER_DELTA) / n))
    of_rows, elsewhere, everyone = np.array(found).T
    return Averages(np.array(x), of_rows, elsewhere, everyone, leading)


def _rms(epsilon: Any) -> float:
    return float(np.sqrt(np.mean(np.square(epsilon))))


def over_condition(
    n: int, d: int, noise: float, seed: int, gamma: float, conditions: Sequence[float] = CONDITIONS
) -> Averages:
    r"""Average and largest exposure while the rows get shorter in one direction, ‖θ₀‖ = 1.

    .. math:: \tfrac1n\sum_i ε_i² \text{ does not depend on } α

    Parameters
    ----------
    n > d ≥ 1 : rows and columns; noise > 0 : σ of the model; seed ≥ 0
    gamma : inverse temperature > 0
    conditions : α, by which the square of the last column is multiplied

    Raises
    ------
    ParameterError

    References: wang-2019 (Proposition 16.2).
    """
    return _averages(n, d, noise, seed, gamma, conditions, [(alpha, 1.0) for alpha in conditions])


def over_size(n: int, d: int, noise: float, seed: int, gamma: float, sizes: Sequence[float] = COEFFICIENTS) -> Averages:
    """The averages of `over_condition` at α = 1, against ‖θ₀‖ instead.

    Parameters
    ----------
    n, d, noise, seed, gamma : as in `over_condition`
    sizes : ‖θ₀‖

    Raises
    ------
    ParameterError
    """
    return _averages(n, d, noise, seed, gamma, sizes, [(1.0, size) for size in sizes])


@dataclass(frozen=True, eq=False)
class ExcessTail:
    """Excess F(θ̃) − F(θ̂) that is exceeded with probability δ: exact, bounded by the source, counted over draws."""

    delta: np.ndarray
    exact: np.ndarray
    bound: np.ndarray
    mean: float
    seen_delta: np.ndarray
    seen: np.ndarray

    @property
    def curves(self) -> tuple[Curve, ...]:
        """What a chart draws."""
        return (
            Curve("Proposition 16.4", self.delta, self.bound, Bound.UPPER),
            Curve("χ² law", self.delta, self.exact, Bound.EXACT),
            Curve("Mean", self.delta, np.full(self.delta.size, self.mean), Bound.EXACT, "d/(2γ)"),
        )


def excess_tail(n: int, d: int, noise: float, seed: int, gamma: float) -> ExcessTail:
    r"""Quantiles of the excess of a posterior sample from the paper's data.

    .. math:: F(\tilde θ) − F(\hat θ) ∼ χ²_d/(2γ), \qquad \text{bound } \tfrac dγ \log\tfrac dδ

    Parameters
    ----------
    n, d, noise, seed : of `paper_data`; gamma > 0

    Raises
    ------
    ParameterError

    References: wang-2019 (Proposition 16.4).
    """
    data, mechanism = paper_data(n, d, noise, seed), PosteriorSampling(gamma, PAPER_LAM)
    excess = sampled_excess(data, mechanism, _DRAWS, seed)
    delta = np.geomspace(0.5, 1e-10, 60)
    return ExcessTail(
        delta, stats.chi2.isf(delta, d) / (2 * gamma), d * np.log(d / delta) / gamma, d / (2 * gamma), _SEEN,
        np.quantile(excess, 1 - _SEEN),
    )  # fmt: skip


def uniform_bound(gamma: float, delta: float, strength: Any, residual: Any) -> np.ndarray:
    r"""ε of every record with μ ≤ 1/h and |r| ≤ r̄: Eqs. (9) and (10), corrected.

    .. math:: \bar r\sqrt{2γ\log(2/δ)/h} + \frac{γ\bar r²}{2(1+h)} + \frac{½ + \log(2/δ)}{h}

    Parameters
    ----------
    gamma > 0; delta in (0, 1); strength : h > 0; residual : r̄ ≥ 0

    References: wang-2019 (Proposition 16.1).
    """
    h, r = validation.real_array("strength", strength), validation.real_array("residual", residual)
    log = np.log(2 / delta)
    return np.asarray(r * np.sqrt(2 * gamma * log / h) + gamma * r**2 / (2 * (1 + h)) + (0.5 + log) / h)


def agnostic(n: int, d: int, noise: float, seed: int, gamma: float, points: int = 7) -> tuple[Curve, ...]:
    """Eqs. (9) and (10) against λ, printed and corrected, with the exact values, for the paper's data.

    Parameters
    ----------
    n, d, noise, seed : of `paper_data`; gamma > 0; points : values of λ between 1 and n

    Raises
    ------
    ParameterError

    References: wang-2019 (Proposition 16.1).
    """
    data = paper_data(n, d, noise, seed)
    lams = np.geomspace(1.0, n, points)
    results = [individual_privacy(data, PosteriorSampling(gamma, float(lam)), PAPER_DELTA) for lam in lams]
    gram, smallest = data.X.T @ data.X, float(np.linalg.eigvalsh(data.X.T @ data.X)[0])
    sizes = [np.linalg.norm(np.linalg.solve(gram + lam * np.eye(d), data.X.T @ data.y)) for lam in lams]
    log, reach = np.log(2 / PAPER_DELTA), 2 * (n + lams) * gamma
    printed = np.sqrt(reach * log) / lams + reach / (lams * np.maximum(1, lams)) + gamma * (1 + log) / (2 * lams)
    everyone, worst = [one.for_all.epsilon for one in results], [one.worst_case_epsilon for one in results]
    here = uniform_bound(gamma, PAPER_DELTA, lams + smallest, 1 + np.array(sizes))
    anywhere = uniform_bound(gamma, PAPER_DELTA, lams, 1 + np.sqrt(n / lams) / 2)
    return (
        Curve("(10) as printed", lams, printed, Bound.CLAIMED),
        Curve("(10) corrected", lams, anywhere, Bound.UPPER),
        Curve("Worst case of DP", lams, np.array(worst), Bound.EXACT),
        Curve("(9) corrected", lams, here, Bound.UPPER),
        Curve("Any record, these data", lams, np.array(everyone), Bound.EXACT),
    )


def remark_15(leverage: float, residual: float) -> tuple[Curve, ...]:
    r"""Theorem 14, Remark 15 and its short form against γ, with the exact ε of the record.

    .. math:: μ(½ + \log\tfrac2δ) + ½γ\min(μ, 1)r² + |r|\sqrt{2γμ\log\tfrac2δ} \; ≈ \; 2|r|\sqrt{2γμ\log\tfrac2δ}

    Parameters
    ----------
    leverage : μ > 0; residual : r

    Raises
    ------
    ParameterError

    References: wang-2019 (Remark 15).
    """
    mu, r, delta = validation.positive("leverage", leverage), abs(float(residual)), PAPER_DELTA
    gamma, log = np.geomspace(1e-3, 1e3, 25), np.log(2 / delta)
    exact = [float(PosteriorSampleRecord(mu, np.sqrt(one) * r).epsilon(delta)) for one in gamma]
    theorem = np.maximum(*(side(np.asarray(mu), np.asarray(r), gamma, delta) for side in (add_bound, remove_bound)))
    root = r * np.sqrt(2 * gamma * mu * log)
    simple = mu * (0.5 + log) + 0.5 * gamma * min(mu, 1.0) * r**2 + root
    return (
        Curve("Remark 15, corrected", gamma, simple, Bound.UPPER),
        Curve("Theorem 14, corrected", gamma, theorem, Bound.UPPER),
        Curve("Short form", gamma, 2 * root, Bound.ESTIMATE, "where its root is below 1 and μ is small"),
        Curve("This record", gamma, np.array(exact), Bound.EXACT),
    )
