"""Coefficients of a regularised, clipped, noisy fit on many records: their mean along the signal and their spread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcore.decisions.difficulty import Difficulty, Population
from dpcore.errors import UnsupportedError
from dpcore.glm.losses import Loss
from dpcore.learners import FitWithNoise, Learner, PublicFacts
from dpcore.references import formula_card

_ROUNDS, _CLOSE = 300, 1e-5  # most rounds of the fixed point, and the relative change at which it ends
_INNER = 40  # most steps of a proximal point; it doubles its digits once it is near
# Releases over which a prediction is averaged. Doubled, it takes twice as long and moves by less than 0.05 points.
_DRAWS = 64
_INSIDE = 0.05, 0.95  # shares of the releases that lie below the ends of the interval

PREDICTION_CARD = formula_card(__file__, "mean_field")


@dataclass(frozen=True)
class MeanField:
    r"""Law of the coefficients w = Rsθ/√d of a release: N(μ, τ²) along the signal and in each of d − 1 other directions.

    Parameters
    ----------
    along : μ
    each : τ, standard deviation of a coordinate over data sets and noise
    dimension : d
    """

    along: float
    each: float
    dimension: int


def unit_of(facts: PublicFacts, difficulty: Difficulty) -> float:
    """Rs/√d, the length of one coordinate of a row."""
    return facts.domain.row_norm * difficulty.row_share / np.sqrt(facts.n_features)


def smallest_eigenvalue(facts: PublicFacts, difficulty: Difficulty) -> float:
    """(Rs)²(√n − √d)²/d, of XᵀX with independent normal rows; 0 for n ≤ d.

    References: thrampoulidis-abbasi-hassibi-2018.
    """
    n, d = facts.n_samples, facts.n_features
    return float((unit_of(facts, difficulty) * max(np.sqrt(n) - np.sqrt(d), 0.0)) ** 2)


@dataclass(frozen=True)
class Predicted:
    """Score of the releases of a fit with noise.

    Parameters
    ----------
    fit : FitWithNoise
    mean : over data sets and noise
    low, high : ends of the interval that holds 90 % of the releases
    """

    fit: FitWithNoise
    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, fit: FitWithNoise, loss: Loss, facts: PublicFacts, difficulty: Difficulty) -> Predicted:
        """Integrate the score over the law of the coefficients, at points as even as a lattice in two dimensions."""
        people = difficulty.population(loss, facts.domain)
        law = predict_law(fit, facts, difficulty, people)
        spots = (np.arange(_DRAWS) + 0.5) / _DRAWS
        along = law.along + law.each * special.ndtri((np.arange(_DRAWS) * _GOLDEN + 0.5) % 1)
        across = np.zeros(_DRAWS)
        if law.dimension > 1:
            across = law.each * np.sqrt(special.chdtri(law.dimension - 1, spots))
        scores = people.scores(along, across)
        low, high = np.quantile(scores, _INSIDE).tolist()
        return cls(fit, float(scores.mean()), low, high)


_GOLDEN = (np.sqrt(5) - 1) / 2


def predict(learner: Learner, facts: PublicFacts, difficulty: Difficulty) -> Predicted:
    """What is predicted of a learner, from public facts and what is assumed of the data.

    Raises
    ------
    UnsupportedError
        If no fit with noise describes what the learner releases.
    CalibrationError, ParameterError
    """
    fit = learner.noisy_fit(facts, smallest_eigenvalue(facts, difficulty))
    if fit is None:
        raise UnsupportedError("no formula describes what it releases with these choices")
    return Predicted.of(fit, learner.loss, facts, difficulty)


def predict_law(fit: FitWithNoise, facts: PublicFacts, difficulty: Difficulty, population: Population) -> MeanField:
    """The law of what a fit with noise releases.

    Parameters
    ----------
    fit : the fit and its noise
    facts, difficulty : what is public, and what is assumed
    population : records of this difficulty
    """
    solve = _descended if fit.steps else _fitted
    return solve(fit, facts, unit_of(facts, difficulty), population)


def _fitted(fit: FitWithNoise, facts: PublicFacts, unit: float, people: Population) -> MeanField:
    r"""The fixed point of the proportional limit, with normal rows:

    .. math:: κ = Λ + n\,E\frac{f''}{1 + γf''}, \quad γ = \frac dκ, \quad
              τ² = \frac{n\,E f'^2 + Σ²}{κ²}, \quad n\,E[z f'] + Λμ = 0,

    f' taken at the proximal point û + γf'(û) = μz + √(d−1) τh. Noise on the result adds to τ².

    References: thrampoulidis-abbasi-hassibi-2018.
    """
    n, d = facts.n_samples, facts.n_features
    penalty, pull = fit.lam / unit**2, fit.pull / unit
    limit = fit.clip / (unit * np.sqrt(d))
    along = each = 0.0
    slope = bend = people.loss.second_derivative(np.zeros_like(people.y), people.y)
    kappa = penalty + n * float(bend.mean())
    inverse, slope = d / kappa, np.zeros_like(slope)
    for _ in range(_ROUNDS):
        u = along * people.z + np.sqrt(d - 1) * each * people.h
        slope, bend = proximal_slope(people, u, inverse, limit, slope)
        kappa = penalty + n * float(bend.mean())
        pulled = n * float((people.z * slope).mean()) + penalty * along
        steep = penalty + n * float((np.square(people.z) * bend).mean())
        wanted = float(np.sqrt(n * np.square(slope).mean() + pull**2)) / kappa
        before, far = (along, each), 1 + 0.5 * abs(along)
        along -= float(np.clip(pulled / steep, -far, far))  # Newton's step, which far from the end may be too long
        each = min(wanted, 2 * each + 1 / np.sqrt(d))
        inverse = np.sqrt(inverse * d / kappa)
        if np.hypot(along - before[0], each - before[1]) <= _CLOSE * np.hypot(along, each):
            break
    sampled = 0.0 if np.isinf(fit.gamma) else 1 / (fit.gamma * kappa)
    return MeanField(along, float(np.sqrt(each**2 + (unit * fit.spread) ** 2 + sampled)), d)


def proximal_slope(
    people: Population, u: np.ndarray, step: float, limit: float, guess: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """f' clipped to ± limit at û + step·f'(û) = u, and its derivative by u, for each record: arrays (points,).

    Parameters
    ----------
    people : records; u : predictors; step : γ > 0; limit : bound on f'
    guess : slopes to begin with
    """
    loss, y = people.loss, people.y
    with np.errstate(over="ignore"):
        ends = np.clip(loss.derivative(u, y), -limit, limit)
        low, high = np.minimum(u, u - step * ends), np.maximum(u, u - step * ends)
        at = np.clip(u - step * guess, low, high)
        for _ in range(_INNER):
            value = at + step * np.clip(loss.derivative(at, y), -limit, limit) - u
            low, high = np.where(value < 0, at, low), np.where(value < 0, high, at)
            inside = np.abs(loss.derivative(at, y)) < limit
            new = at - value / (1 + step * np.where(inside, loss.second_derivative(at, y), 0.0))
            new = np.where((new < low) | (new > high), 0.5 * (low + high), new)
            done = np.abs(new - at).max() <= 1e-7 * (1 + np.abs(u).max())
            at = new
            if done:
                break
        slope = np.clip(loss.derivative(at, y), -limit, limit)
        bend = np.where(np.abs(loss.derivative(at, y)) < limit, loss.second_derivative(at, y), 0.0)
    return slope, bend / (1 + step * bend)


def _descended(fit: FitWithNoise, facts: PublicFacts, unit: float, people: Population) -> MeanField:
    r"""Steps of descent on the population, with what n records and the noise of each step add to every coordinate:

    .. math:: μ ← μ − nη E[zf'], \quad c ← (1 − nηa)c + η\sqrt{nE f'^2}, \quad v ← (1 − nηa)²v + η²Σ²

    with a = E f'' and τ² = c² + v: records move all steps one way, noise each its own.
    """
    n, d = facts.n_samples, facts.n_features
    eta, pull = fit.rate * unit**2, fit.pull / unit
    limit = fit.clip / (unit * np.sqrt(d))
    along = shift = noise = 0.0
    for _ in range(fit.steps):
        u = along * people.z + np.sqrt((d - 1) * (shift**2 + noise)) * people.h
        with np.errstate(over="ignore"):
            slope = people.loss.derivative(u, people.y)
            bend = np.where(np.abs(slope) < limit, people.loss.second_derivative(u, people.y), 0.0)
        slope = np.clip(slope, -limit, limit)
        kept = 1 - n * eta * float(bend.mean())
        along -= n * eta * float((people.z * slope).mean())
        shift = kept * shift + eta * float(np.sqrt(n * np.square(slope).mean()))
        noise = kept**2 * noise + (eta * pull) ** 2
    return MeanField(along, float(np.sqrt(shift**2 + noise)), d)
