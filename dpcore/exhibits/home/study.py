"""A game of guessing from a noisy count, the best result anyone can reach in it, and both errors of a threshold."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from dpcore import validation
from dpcore.profiles import PrivacyProfile
from dpcore.profiles.curves import Curve

ROUNDS = 10
OTHERS = 100  # patients besides Ada
NOISE = (0.4, 10.0)  # smallest and largest σ, in patients
# The axis of counts extends by _REACH·σ beyond both means. The axis of the density ends at _ABOVE/σ.
_REACH, _ABOVE = 3.5, 0.45


@dataclass(frozen=True)
class CountGame:
    """What is published in each round, and whether Ada was counted, each of length `ROUNDS`."""

    answers: tuple[float, ...]
    present: tuple[bool, ...]

    def score(self, guesses: tuple[bool, ...]) -> int:
        """Number of right guesses so far."""
        return sum(guess == truth for guess, truth in zip(guesses, self.present, strict=False))

    def outcome(self, guesses: tuple[bool, ...]) -> tuple[int, int]:
        """Number of rounds with a right guess "she was counted", and number of rounds with a wrong one."""
        said = [truth for guess, truth in zip(guesses, self.present, strict=False) if guess]
        return sum(said), len(said) - sum(said)


def deal(sigma: float, seed: int) -> CountGame:
    """Ten rounds: a fair coin decides in each whether Ada is counted; the count is published with Gaussian noise σ."""
    sigma = validation.positive("sigma", sigma)
    rng = np.random.default_rng(validation.integer("seed", seed, minimum=0))
    present = rng.random(ROUNDS) < 0.5
    answers = OTHERS + present + sigma * rng.standard_normal(ROUNDS)
    return CountGame(tuple(map(float, answers)), tuple(map(bool, present)))


def belief(sigma: float, answer: float) -> float:
    """What a count tells about Ada for a fair coin: P(she was counted | answer) = 1/(1 + exp((100.5 − answer)/σ²))."""
    sigma, answer = validation.positive("sigma", sigma), validation.real("answer", answer)
    return float(expit((answer - OTHERS - 0.5) / sigma**2))


def ceiling(mechanism: PrivacyProfile) -> float:
    """The largest share of right guesses, (1 + δ(0))/2 = max over α of (1 + (1 − α − T(α)))/2.

    If both cases are equally likely, no rule is right more often. δ(0) is the total variation distance.
    """
    return (1 + float(mechanism.delta(0.0))) / 2


@dataclass(frozen=True)
class Threshold:
    """An attacker who says "she was counted" if the count is above a threshold: both error rates."""

    at: float
    false_alarms: float
    misses: float


def threshold(sigma: float, at: float) -> Threshold:
    """False alarms P(100 + Z > t) and misses P(101 + Z ≤ t), Z ~ N(0, σ²): a point of the trade-off curve."""
    sigma, at = validation.positive("sigma", sigma), validation.real("at", at)
    return Threshold(at, float(ndtr((OTHERS - at) / sigma)), float(ndtr((at - OTHERS - 1) / sigma)))


def axes(sigma: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ends of both axes of the picture (count and density), with room for both bells."""
    sigma = validation.positive("sigma", sigma)
    return (OTHERS - _REACH * sigma, OTHERS + 1 + _REACH * sigma), (0.0, _ABOVE / sigma)


def bells(sigma: float, points: int = 121) -> tuple[Curve, ...]:
    """Densities of the published count without Ada and with her, over the whole axis."""
    x = np.linspace(*axes(sigma)[0], points)
    peak = 1 / (sigma * math.sqrt(2 * math.pi))
    means = {"without Ada": OTHERS, "with Ada": OTHERS + 1}
    return tuple(Curve(name, x, peak * np.exp(-0.5 * ((x - mean) / sigma) ** 2)) for name, mean in means.items())
