"""From moments of per-instance ε to generalisation: Propositions 9 and 11 and Corollary 12, against a measured gap."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import DataError, UnsupportedError
from dpcore.individual.exposure import ANALYSES
from dpcore.individual.fit.leverage import leverage
from dpcore.individual.result import individual_privacy
from dpcore.mechanisms.releases import GlmRelease
from dpcore.references import formula_card

GAP_CARD = formula_card(__file__, "gap")
_DELTAS = np.geomspace(1e-6, 0.3, 10)


def cross_domain_bound(epsilon: Any, other: Any, delta: float, weights: Any = None) -> float:
    r"""Proposition 11, with the values `other` and weights for ε of rows from another population.

    If `other` = `epsilon` and there are no weights, this is Proposition 9.

    .. math:: E e^{ε'} E e^{ε''} − 1 + δ + δ\,E e^{ε'}

    The last term is printed with ε instead of e^ε.

    References: wang-2019 (Proposition 9, Proposition 11, corrected).
    """
    delta = validation.probability("delta", delta)
    first, second = _mean_exp(epsilon, 1.0), _mean_exp(other, 1.0, weights)
    return float(first * second - 1 + delta * (1 + first))


def simple_bound(epsilon: Any, other: Any, delta: float, weights: Any = None) -> float:
    r"""Corollary 12: ½(E e^{2ε'} + E e^{2ε''}) − 1 + δ(1 + E e^{ε'}), never below Proposition 11.

    It is printed with 2δ under the condition E e^{2ε} ≤ 1, which only ε = 0 meets.

    References: wang-2019 (Corollary 12, corrected).
    """
    delta = validation.probability("delta", delta)
    first, second = _mean_exp(epsilon, 2.0), _mean_exp(other, 2.0, weights)
    return float(0.5 * (first + second) - 1 + delta * (1 + _mean_exp(epsilon, 1.0)))


def _mean_exp(epsilon: Any, rate: float, weights: Any = None) -> float:
    with np.errstate(over="ignore"):
        return float(np.average(np.exp(rate * validation.real_array("epsilon", epsilon, low=0.0)), weights=weights))


def tilted(dataset: Dataset, shift: float) -> np.ndarray:
    r"""Importance weights ρ of a population that is shifted along the first principal direction of the rows.

    .. math:: ρ_i ∝ e^{s u_i}, \qquad \tfrac1n\sum_iρ_i = 1

    with the standardised first principal component u. If D is uniform on the rows, ρ_i = D′(z_i)/D(z_i).

    Parameters
    ----------
    dataset : the rows; shift : s, 0 for the population itself

    References: wang-2019 (Definition 10).
    """
    centred = dataset.X - dataset.X.mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    along = centred @ axis * np.sign(axis[np.abs(axis).argmax()])
    spread = along.std()
    weights = np.exp(shift * (along / spread if spread > 0 else np.zeros_like(along)))
    return np.asarray(weights / weights.mean())


def draw(mechanism: GlmRelease, dataset: Dataset, count: int, rng: np.random.Generator) -> np.ndarray:
    """Releases θ of a mechanism of linear regression, shape (count, n_features).

    Raises
    ------
    UnsupportedError, DataError
    """
    ANALYSES.find(mechanism)
    if not mechanism.is_linear:
        raise UnsupportedError(
            "the gap is measured by the squared loss of a linear regression: choose that model to compare it with the bounds"
        )
    return mechanism.draw(leverage(dataset, mechanism.lam), count, rng)


@dataclass(frozen=True)
class Generalisation:
    """The gap that moments of ε promise, and the measured gap, for the loss min(1, (y − xᵀθ)²/(2B)²) in [0, 1].

    proposition, corollary : bounds at the best δ of a grid (`delta`); gap, standard_error : mean of test loss minus
    training loss over random halves, both with the weights of the target population; train_loss : mean training loss.
    """

    proposition: float
    corollary: float
    delta: float
    gap: float
    standard_error: float
    train_loss: float


def measure_generalisation(
    dataset: Dataset, mechanism: GlmRelease, shift: float = 0.0, *, repeats: int = 40, draws: int = 20
) -> Generalisation:
    """Release from random halves of the data, and compare the loss on both halves with the bounds from moments of ε.

    With a shift the loss is that in another population (Definition 10): both halves are weighted by ρ of `tilted`, and
    Proposition 11 replaces Proposition 9.

    Parameters
    ----------
    dataset : the rows
    mechanism : the release
    shift : s of `tilted`
    repeats : random halves, at least 2
    draws : releases from each

    Raises
    ------
    DataError, UnsupportedError, ParameterError

    References: wang-2019 (Definitions 8, 10).
    """
    repeats = validation.integer("repeats", repeats, minimum=2)
    draws = validation.at_least_one("draws", draws)
    rng = np.random.default_rng(0)
    half = dataset.n_samples // 2
    if half < 2:
        raise DataError("at least four rows are needed to split the data into two halves")
    scale = np.square(2 * np.abs(dataset.y).max()) or 1.0
    gaps, losses = np.empty(repeats), np.empty(repeats)
    weights = tilted(dataset, shift)
    for k in range(repeats):
        order = rng.permutation(dataset.n_samples)
        train, test = order[:half], order[half:]
        part = Dataset.from_arrays(dataset.X[train], dataset.y[train])
        theta = draw(mechanism, part, draws, rng)
        error = weights[:, None] * np.minimum(np.square(dataset.y[:, None] - dataset.X @ theta.T) / scale, 1.0)
        losses[k] = error[train].mean()
        gaps[k] = error[test].mean() - losses[k]
    result = individual_privacy(part, mechanism, 1e-6)
    found = [(result.epsilon_at(delta), float(delta)) for delta in _DELTAS]
    best, delta = min((cross_domain_bound(at, at, delta, weights[train]), delta) for at, delta in found)
    at = result.epsilon_at(delta)
    spread = float(gaps.std(ddof=1) / np.sqrt(repeats))
    return Generalisation(
        best, simple_bound(at, at, delta, weights[train]), delta, float(gaps.mean()), spread, float(losses.mean())
    )
