"""Mean error of Laplace, staircase and Gaussian noise at one budget, for one answer or for many."""

import math
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.calibration import calibrate
from dpcore.mechanisms import Gaussian, Laplace, Staircase
from dpcore.profiles.curves import Curve

NAMES = ("Laplace", "Staircase", "Gaussian")
_OF_GAUSSIAN = math.sqrt(2 / math.pi)  # mean absolute value of a Gaussian, in standard deviations


def steps(epsilon: float, answers: int, delta: float) -> dict[str, Any]:
    """The noise of each answer such that all answers together cost ε.

    With pure noise each answer costs ε/k. Gaussian noise is √k times that of a single answer.

    Parameters
    ----------
    epsilon : ε of all answers together, nats
    answers : k; a record changes each answer by at most 1
    delta : δ of Gaussian noise; the others have δ = 0
    """
    each = validation.positive("epsilon", epsilon) / validation.at_least_one("answers", answers)
    sigma = calibrate(lambda noise: Gaussian(noise, math.sqrt(answers)), epsilon, delta)
    return {"Laplace": Laplace(1 / each), "Staircase": Staircase(each), "Gaussian": Gaussian(sigma)}


def errors(epsilon: float, answers: int, delta: float) -> dict[str, float]:
    """Mean error E|X| of each answer, in sensitivities: k/ε, e^{ε/2k}/(e^{ε/k} − 1), and σ√(2/π)."""
    laplace, staircase, gaussian = steps(epsilon, answers, delta).values()
    return {"Laplace": laplace.scale, "Staircase": staircase.mean_error, "Gaussian": _OF_GAUSSIAN * gaussian.sigma}


def curves(epsilons: tuple[float, ...], answers: int, delta: float) -> list[Curve]:
    """Mean error against ε for each kind of noise."""
    found = [errors(epsilon, answers, delta) for epsilon in epsilons]
    return [Curve(name, np.array(epsilons), np.array([one[name] for one in found])) for name in NAMES]


def enough(epsilon: float, delta: float, most: int = 10_000) -> int | None:
    """The smallest number of answers for which Gaussian noise has a smaller error than Laplace noise.

    The errors k/ε and σ₁√(2k/π) are equal at k = (ε σ₁ √(2/π))² only, and beyond it Laplace noise is worse. None if
    more than `most` answers are needed.
    """
    one = errors(epsilon, 1, delta)
    crossing = math.floor((one["Gaussian"] / one["Laplace"]) ** 2) + 1
    return crossing if crossing <= most else None


def densities(epsilon: float, answers: int, delta: float, points: int = 301) -> list[Curve]:
    """Density of each noise up to three mean errors of Laplace noise, with two points at each step of a density."""
    end = 3 * errors(epsilon, answers, delta)["Laplace"]
    curves = []
    for name, mechanism in steps(epsilon, answers, delta).items():
        known = mechanism.pair().densities
        edges = np.array([edge for edge in known.breaks if abs(edge) < end]) if name == "Staircase" else np.empty(0)
        x = np.unique(np.concatenate([np.linspace(-end, end, points), np.nextafter(edges, np.inf), edges]))
        curves.append(Curve(name, x, np.exp(known.log_absent(x))))
    return curves
