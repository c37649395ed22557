"""How exposed each row is in one run of noisy gradient descent: its gradients are often far shorter than the clip."""

from dataclasses import dataclass

import numpy as np

from dpcore.data import Dataset
from dpcore.errors import UnsupportedError
from dpcore.learners.base import PublicFacts
from dpcore.learners.dp_sgd import DPSGD, Descent
from dpcore.mechanisms import Gaussian, Subsampled

# Clipped gradients are rounded up to C·2^{−k/16}, k up to `_LEVELS`. With twice as many, those of rows that are fitted
# better still are told apart; doubling the 16 makes ε about 2 % smaller and takes twice as long.
_LEVELS, _PER_OCTAVE = 192, 16
_ORDERS = 1 + np.geomspace(0.05, 2000.0, 65)  # α at which divergences are added; doubled, ε hardly changes
_SIZES = 2.0 ** (-np.arange(_LEVELS + 1) / _PER_OCTAVE)


@dataclass(frozen=True, eq=False)
class DescentExposure:
    """What one run gave away about each row. It is computed from the rows without noise: confidential.

    Parameters
    ----------
    epsilon : array (n_samples,), nats; an upper bound at δ, never above `worst_case`
    worst_case : ε of a row whose gradient is C long at every step, which is what is published
    norm : array (n_samples,), mean norm of the clipped gradient over C
    theta : array (n_features,), what the run released
    """

    epsilon: np.ndarray
    worst_case: float
    norm: np.ndarray
    theta: np.ndarray


def descent_exposure(dataset: Dataset, learner: DPSGD, rng: int | np.random.Generator) -> DescentExposure:
    r"""ε of every row, from the norms of its clipped gradients c₁, …, c_T along one run.

    .. math:: ε_i = \min_α \sum_t D_α\big(q, zC/c_t\big) + \log\frac{α−1}α − \frac{\log δ + \log α}{α−1}

    with D_α(q, s) the Rényi divergence of a Gaussian of noise multiplier s on a Poisson sample. It speaks of this run, after
    the fact, and is no guarantee made in advance: a filter, which stops a row at a budget fixed before, would be one. The
    norms depend on all rows, so neither they nor ε may be published.

    Parameters
    ----------
    dataset : with a public domain
    learner : without tuning of its learning rate
    rng : generator or seed of the run

    Raises
    ------
    UnsupportedError
        If the learner tunes its learning rate: several runs would have to be added up.

    References: feldman-zrnic-2021, yu-et-al-2022, mironov-2017.
    """
    if learner.tuning != "none":
        raise UnsupportedError('the exposure of rows is that of one run: set tuning="none"')
    plan = learner.plan(PublicFacts.of(dataset))
    clip, noise, rate, steps = (
        plan.parameters[name] for name in ("clip", "noise_multiplier", "sampling_rate", "steps")
    )
    descent = Descent(learner.loss, dataset.X, dataset.y, clip, learner.optimizer)
    rows, counts, total = (
        np.arange(dataset.n_samples),
        np.zeros((dataset.n_samples, _LEVELS + 1)),
        np.zeros(dataset.n_samples),
    )
    for step, theta in enumerate(
        descent.path(learner.learning_rate, steps, rate, noise * clip, np.random.default_rng(rng))
    ):
        if step < steps:
            norm = descent.norms(theta)
            counts[rows, _level(norm)] += 1
            total += norm
    worst = float(plan.profile.epsilon(learner.delta))
    epsilon = _epsilon(counts, noise, rate, learner.delta)
    return DescentExposure(np.minimum(epsilon, worst), worst, total / steps, theta)


def _level(norm: np.ndarray) -> np.ndarray:
    """The place in `_SIZES` of the smallest size that is not below a norm."""
    return np.searchsorted(-_SIZES, -norm, side="right") - 1


def _epsilon(counts: np.ndarray, noise: float, rate: float, delta: float) -> np.ndarray:
    """ε at δ of each row (n,), which met each of `_SIZES` so many times (n, levels)."""
    met = np.flatnonzero(counts.any(axis=0))
    divergence = np.array([Subsampled(Gaussian(noise / _SIZES[k]), rate).renyi(_ORDERS) for k in met])
    shift = np.log1p(-1 / _ORDERS) - (np.log(delta) + np.log(_ORDERS)) / (_ORDERS - 1)
    return np.maximum((counts[:, met] @ divergence + shift).min(axis=1), 0.0)
