"""Neighbouring output laws that attain the profile of each registered mechanism."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import stats

from dpcore import validation
from dpcore.audit.game import Densities, Game, Pair
from dpcore.errors import UnsupportedError
from dpcore.mechanisms import (
    ExponentialMechanism,
    Gaussian,
    Laplace,
    RandomizedResponse,
    RegularizedExponential,
    Subsampled,
)
from dpcore.profiles import PrivacyProfile

_TAIL = 45.0  # standard deviations or scales beyond which no density here exceeds 1e-19 of its peak


def mechanism_game(mechanism: PrivacyProfile, claim: PrivacyProfile | None = None, name: str = "") -> Game:
    """The membership game on the hardest pair of a registered mechanism.

    Parameters
    ----------
    mechanism : what is run
    claim : what is claimed of it; its own profile if not given

    Raises
    ------
    UnsupportedError
        If no hardest pair is known.
    """
    pair, note = _pair(mechanism)
    return Game(name or type(mechanism).__name__, pair, claim or mechanism, note)


def weakened(mechanism: PrivacyProfile, share: float) -> PrivacyProfile:
    """The same mechanism run with a share of its noise (a pure budget divided by the share).

    Raises
    ------
    UnsupportedError
        If the mechanism has no noise level that is known.
    """
    share = validation.positive("share", share)
    if isinstance(mechanism, Subsampled):
        return replace(mechanism, base=weakened(mechanism.base, share))
    if isinstance(mechanism, RandomizedResponse):
        return RandomizedResponse(mechanism.pure_epsilon / share, mechanism.categories)
    if isinstance(mechanism, ExponentialMechanism):
        return ExponentialMechanism(mechanism.pure_epsilon / share)
    for kind, name, power in ((Gaussian, "sigma", 1), (Laplace, "scale", 1), (RegularizedExponential, "k", -2)):
        if isinstance(mechanism, kind):
            return replace(mechanism, **{name: getattr(mechanism, name) * share**power})
    raise UnsupportedError(f"no noise level is known for {type(mechanism).__name__}")


def _pair(mechanism: PrivacyProfile) -> tuple[Pair, str]:
    if isinstance(mechanism, Subsampled):
        base, note = _pair(mechanism.base)
        return _mixture(base, mechanism.rate), note + ", which enters with the sampling rate"
    if isinstance(mechanism, RandomizedResponse):
        return _categories(mechanism), "one answer, recorded as category 0 or 1"
    if isinstance(mechanism, ExponentialMechanism):
        return _two_outcomes(mechanism), "two outcomes whose odds the record shifts by ε₀"
    law, width, shift = _additive(mechanism)
    densities = Densities(
        lambda x: law.logpdf(x, 0.0, width),
        lambda x: law.logpdf(x, shift, width),
        (-_TAIL * width, 0.0, shift, shift + _TAIL * width),
    )

    def log_ratio(x: np.ndarray) -> np.ndarray:
        return densities.log_present(x[:, 0]) - densities.log_absent(x[:, 0])

    return (
        Pair(
            lambda count, rng: law.rvs(0.0, width, size=(count, 1), random_state=rng),
            lambda count, rng: law.rvs(shift, width, size=(count, 1), random_state=rng),
            log_ratio,
            lambda x: x[:, 0],
            densities,
        ),
        "a query that the record moves by its full sensitivity",
    )


def _additive(mechanism: PrivacyProfile) -> tuple[stats.rv_continuous, float, float]:
    if isinstance(mechanism, Gaussian):
        return stats.norm, mechanism.sigma, mechanism.sensitivity
    if isinstance(mechanism, Laplace):
        return stats.laplace, mechanism.scale, mechanism.sensitivity
    if isinstance(mechanism, RegularizedExponential):
        width = (mechanism.k * mechanism.mu) ** -0.5
        return stats.norm, width, 2 * mechanism.lipschitz / (mechanism.n * mechanism.mu)
    raise UnsupportedError(f"no hardest pair is known for {type(mechanism).__name__}: choose another mechanism")


def _mixture(base: Pair, rate: float) -> Pair:
    def present(count: int, rng: np.random.Generator) -> np.ndarray:
        return np.where(rng.random((count, 1)) < rate, base.present(count, rng), base.absent(count, rng))

    unsampled = np.log1p(-rate) if rate < 1 else -np.inf

    def log_ratio(x: np.ndarray) -> np.ndarray:
        return np.logaddexp(unsampled, np.log(rate) + base.log_ratio(x))

    known = base.densities
    densities = known and Densities(
        known.log_absent,
        lambda x: np.logaddexp(unsampled + known.log_absent(x), np.log(rate) + known.log_present(x)),
        known.breaks,
    )
    return Pair(base.absent, present, log_ratio, base.statistic, densities)


def _categories(mechanism: RandomizedResponse) -> Pair:
    weights = np.ones(mechanism.categories)
    weights[0] = np.exp(mechanism.pure_epsilon)
    p = weights / weights.sum()
    q = p[[1, 0, *range(2, len(p))]]
    log_odds = np.log(q) - np.log(p)
    return Pair(_draw(p), _draw(q), lambda x: log_odds[x[:, 0].astype(int)], lambda x: (x[:, 0] == 1).astype(float))


def _two_outcomes(mechanism: ExponentialMechanism) -> Pair:
    odds = np.array([0.5, -0.5]) * mechanism.pure_epsilon
    p = 1 / (1 + np.exp(odds))
    q = 1 / (1 + np.exp(-odds))
    p, q = np.array([p[0], 1 - p[0]]), np.array([q[0], 1 - q[0]])
    log_odds = np.log(q) - np.log(p)
    return Pair(_draw(p), _draw(q), lambda x: log_odds[x[:, 0].astype(int)], lambda x: 1.0 - x[:, 0])


def _draw(probabilities: np.ndarray) -> Callable[[int, np.random.Generator], np.ndarray]:
    return lambda count, rng: rng.choice(len(probabilities), (count, 1), p=probabilities).astype(float)
