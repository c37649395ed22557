"""What is assumed of data nobody has looked at: how well a linear model can do on them, and how long their rows are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from scipy import special
from scipy.optimize import brentq

from dpcore import validation
from dpcore.data import Dataset, Domain
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.glm.losses import Loss
from dpcore.learners import PublicFacts

# Records of the population over which means are taken, a lattice. Doubled, a prediction takes twice as long and differs
# by less than a quarter of a percentage point.
_POINTS = 4096
# Generators of a lattice of these many points in three dimensions, the most even one of its kind; each point also stands
# with the other sign of h, so that noise without signal guesses exactly as often right as wrong.
_LATTICE = np.array([1, 3885, 3885**2 % _POINTS])
# Strengths of a signal that are tried. With twice as many in the same range, weak and strong ones are told apart better.
_STRENGTHS = {"binary": np.geomspace(1e-3, 400.0, 9), "count": np.linspace(0.01, 2.5, 26)}
USUAL = {"binary": 0.9, "numeric": 0.5, "count": 0.3}  # what a model without privacy reaches, where nothing is said


@dataclass(frozen=True)
class Difficulty:
    r"""What a prediction must assume, because the public facts do not say it.

    .. math:: x = Rs\,z/\sqrt d, \quad z ∼ N(0, I_d), \qquad y ∼ p(\cdot \mid k\,z^⊤e), \quad ‖e‖ = 1

    Labels have odds e^{kz}, numbers are z plus normal noise, counts are Poisson of mean e^{kz}; k is such that `best` is
    what the best coefficients reach.

    Parameters
    ----------
    best : score of the best linear model with unlimited data: the accuracy for labels, in (0.5, 1); for other targets the
        share of the variance, or deviance, that it explains, in (0, 1); by default 0.9, 0.5 and 0.3
    row_share : s in (0, 1], the length of a typical row over R
    target_share : in (0, 1], standard deviation of numeric targets over B
    constant : accuracy of always guessing the larger class, ≥ 0.5, which a learner has to beat; labels only

    Raises
    ------
    ParameterError
    """

    best: float | None = None
    row_share: float = 1.0
    target_share: float = 1 / 3
    constant: float = 0.5

    def __post_init__(self) -> None:
        if self.best is not None:
            validation.set_checked(self, best=validation.open_probability)
        for name in ("row_share", "target_share"):
            validation.set_checked(self, **{name: validation.positive})
            if getattr(self, name) > 1:
                raise ParameterError(f"{name} must be <= 1, got {getattr(self, name):g}")
        constant = validation.real("constant", self.constant)
        if not 0.5 <= constant < 1:
            raise ParameterError(f"constant must be in [0.5, 1), got {constant:g}")

    def population(self, loss: Loss, domain: Domain) -> Population:
        """Records of this difficulty for a loss.

        Raises
        ------
        ParameterError, UnsupportedError
        """
        return _population(replace(self, best=self.best_of(loss)), loss, domain.target_bound)

    def constant_score(self, loss: Loss, n_samples: int, epsilon: float) -> float:
        r"""Score of a constant that is found privately: π − (π − ½)e^{−εn(2π − 1)} for labels, else 0.

        The larger class is read off the difference of the two counts with Laplace noise 1/ε; π is `constant`.
        """
        if not loss.target.labels:
            return 0.0
        lead = self.constant - 0.5
        return float(self.constant - lead * np.exp(-2 * epsilon * n_samples * lead))

    def best_of(self, loss: Loss) -> float:
        """`best`, or what is usual for the targets of a loss."""
        return USUAL[loss.target.name] if self.best is None else self.best


@dataclass(frozen=True, eq=False)
class Population:
    """Records as far as a predictor w₁z + w₂h sees them, h normal and independent of the target.

    Parameters
    ----------
    loss : the loss, whose first score judges predictions
    z, h, y : arrays (points,): signal, rest, target
    strength : k
    """

    loss: Loss
    z: np.ndarray
    h: np.ndarray
    y: np.ndarray
    strength: float
    _base: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_base", 0.0 if self.loss.target.labels else base_score(self.loss, self.y))

    def scores(self, along: np.ndarray, across: np.ndarray) -> np.ndarray:
        """Score of each predictor w₁z + w₂h, arrays (draws,) → (draws,): accuracy, or share explained."""
        u = along[:, None] * self.z + across[:, None] * self.h
        with np.errstate(over="ignore", invalid="ignore"):
            return self.shared(self.loss.scores[0].measure(u, self.y))

    def shared(self, score: np.ndarray) -> np.ndarray:
        """The loss's own score as an accuracy or a share explained."""
        return score if self.loss.target.labels else 1 - score / self._base

    def own(self, share: float) -> float:
        """A share explained as the loss's own score, such as the mean squared error."""
        return share if self.loss.target.labels else (1 - share) * self._base


def base_score(loss: Loss, y: np.ndarray) -> float:
    """Score of the best constant prediction: the variance, or the deviance of the mean."""
    grid = (
        np.full(y.shape, y.mean()) if loss.target.name == "numeric" else np.full(y.shape, np.log(max(y.mean(), 1e-12)))
    )
    return float(loss.scores[0].measure(grid[None], y)[0])


def targets(
    loss: Loss, difficulty: Difficulty, bound: float, strength: float, z: np.ndarray, chance: np.ndarray
) -> np.ndarray:
    """Targets at signals z, from uniform chances of the same shape.

    Parameters
    ----------
    loss, difficulty : what is asked, and what is assumed
    bound : B
    strength : k
    z, chance : arrays (n,)
    """
    kind = loss.target
    if kind.labels:
        return np.where(chance < special.expit(strength * z), 1.0, -1.0)
    if min(kind.ends) < 0:
        best = difficulty.best_of(loss)
        signal = np.sqrt(best) * z + np.sqrt(1 - best) * special.ndtri(chance)
        return np.clip(difficulty.target_share * bound * signal, -bound, bound)
    mean = np.exp(np.minimum(strength * z, 30.0))
    return np.minimum(poisson_quantile(chance, mean), bound)


def poisson_quantile(chance: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The least whole number whose Poisson distribution function reaches the chance."""
    found = np.ceil(special.pdtrik(chance, mean))
    return np.where(special.pdtr(np.maximum(found - 1, 0), mean) >= chance, np.maximum(found - 1, 0), found)


@lru_cache(maxsize=64)
def _population(difficulty: Difficulty, loss: Loss, bound: float) -> Population:
    best = difficulty.best_of(loss)
    if loss.target.labels and best <= 0.5:
        raise ParameterError(f"best must be > 0.5, the accuracy of guessing, got {best:g}")
    if loss.target.labels and bound != 1:
        raise UnsupportedError(f"labels need a domain with target_bound = 1, got {bound:g}")
    spots = (np.arange(_POINTS)[:, None] * _LATTICE / _POINTS + 0.5 / _POINTS) % 1
    z, h = special.ndtri(spots[:, 0]), special.ndtri(spots[:, 1])
    z, h, chance = np.tile(z / z.std(), 2), np.concatenate([h, -h]) / h.std(), np.tile(spots[:, 2], 2)

    def drawn(strength: float) -> np.ndarray:
        return targets(loss, difficulty, bound, strength, z, chance)

    strength = 1.0
    if loss.target.labels:
        strength = _root(lambda k: float(special.expit(k * np.abs(z)).mean()) - best, "binary")
    elif min(loss.target.ends) >= 0:
        strength = _root(lambda k: _explained(loss, k * z, drawn(k)) - best, "count")
    return Population(loss, z, h, drawn(strength), strength)


def _explained(loss: Loss, u: np.ndarray, y: np.ndarray) -> float:
    return 1 - float(loss.scores[0].measure(u[None], y)[0]) / base_score(loss, y)


def _root(excess: Callable[[float], float], kind: str) -> float:
    """The least strength at which a score is reached; counts are cut off at B, so that strong signals fit worse again."""
    low = 0.0
    for strength in _STRENGTHS[kind].tolist():
        if excess(strength) >= 0:
            return float(brentq(excess, low, strength, xtol=1e-6)) if low else strength
        low = strength
    raise ParameterError("best is more than such targets allow: within their bound no linear signal explains so much")


def make_data(
    facts: PublicFacts, loss: Loss, difficulty: Difficulty, rng: np.random.Generator
) -> tuple[Dataset, np.ndarray]:
    """Generated data of the assumed difficulty, and the direction e of the signal, shape (n_features,).

    Rows have the length Rs.
    """
    strength = difficulty.population(loss, facts.domain).strength
    n, d = facts.n_samples, facts.n_features
    direction = rng.standard_normal(d)
    direction /= np.linalg.norm(direction)
    X = rng.standard_normal((n, d))
    X *= np.sqrt(d) / np.linalg.norm(X, axis=1)[:, None]
    y = targets(loss, difficulty, facts.domain.target_bound, strength, X @ direction, rng.random(n))
    X *= facts.domain.row_norm * difficulty.row_share / np.sqrt(d) * (1 - 1e-12)
    return Dataset.from_arrays(X, y, domain=facts.domain), direction
