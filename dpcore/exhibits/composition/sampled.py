"""Sampled curves of a composition, its growth with repetition, the cost of tuning; as exact as a picture needs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.accountants import Tuned, compose
from dpcore.accountants.parts import Parts, parts_of
from dpcore.exhibits.composition.runs import in_closed_form
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.profiles.bracket import Bracket
from dpcore.profiles.curves import Curve, guarantee_curve

LAWS = {"poisson": ("poisson", 1.0), "geometric": ("negative_binomial", 1.0), "logarithmic": ("negative_binomial", 0.0)}
# how far apart the two sides of what is drawn may be, and the longest transform
DRAWN: dict[str, Any] = {"width": 1e-3, "max_points": 2**18}
_BY_PARTS = ("basic", "advanced", "optimal")
_LARGEST_DRAWN, _SMALLEST_DRAWN = np.log(0.999), np.log(1e-20)


def composed_for_drawing(parts: Parts, method: str = "pld") -> Bracket:
    """The composition as exact as a picture needs: both sides certified, δ to 1e-3 if a short transform allows it.

    All Gaussians are replaced by one Gaussian in closed form. The theorems are an exception, since they charge every
    part separately.
    """
    return compose(parts if method in _BY_PARTS else in_closed_form(parts), method, **DRAWN)


def composed_delta_curve(name: str, mechanism: PrivacyProfile, epsilon_max: float, *, points: int = 121) -> Curve:
    """δ(ε) where the bound is below 1; a bound known as ε(δ) is sampled at values of δ from 0.999 to 1e-20."""
    if not mechanism.known_by_epsilon:
        return guarantee_curve(name, mechanism, epsilon_max, points=points)
    log_delta = _LARGEST_DRAWN + (_SMALLEST_DRAWN - _LARGEST_DRAWN) * np.linspace(0.0, 1.0, points) ** 2
    epsilon = np.asarray(mechanism.epsilon(log_delta=log_delta))
    shown = (epsilon > 0) & (epsilon <= validation.positive("epsilon_max", epsilon_max))
    return Curve(name, np.minimum(epsilon, epsilon_max), np.where(shown, np.exp(log_delta), np.nan), mechanism.bound)


def composed_epsilon_curve(
    name: str, mechanism: PrivacyProfile, *, lowest: int = -15, direction: str = "both"
) -> Curve:
    """ε(δ) for δ from 10^lowest to 0.1, two points a decade; nan where there is no guarantee."""
    delta = np.geomspace(10.0**lowest, 0.1, 2 * (-1 - lowest) + 1)
    epsilon = np.asarray(mechanism.epsilon(delta, direction=direction))
    return Curve(name, delta, np.where(np.isfinite(epsilon), epsilon, np.nan), mechanism.bound)


def repeated(parts: Parts, times: int) -> Parts:
    """The whole pipeline run `times` times."""
    times = validation.at_least_one("times", times)
    return tuple((mechanism, count * times) for mechanism, count in parts_of(parts))


def repeated_epsilon(parts: Parts, method: str, times: int, delta: float) -> float:
    """ε at δ after running the pipeline `times` times: the upper side, or for "saddle" the estimate."""
    bracket = composed_for_drawing(repeated(parts, times), method)
    return float((bracket.estimate if method == "saddle" else bracket.upper).epsilon(delta))


def growth_curve(name: str, bound: Bound, times: Sequence[int], epsilons: Sequence[float]) -> Curve:
    """ε at one δ against the number of repetitions."""
    values = np.asarray(epsilons, dtype=float)
    return Curve(name, np.asarray(times, dtype=float), np.where(np.isfinite(values), values, np.nan), bound)


def tuning_curve(name: str, base: PrivacyProfile, law: str, delta: float) -> Curve:
    """ε at δ of publishing the best of a random number K of runs, against its mean E[K].

    Parameters
    ----------
    name : name in the legend
    base : profile of one run
    law : "poisson", "geometric" or "logarithmic"
    delta : target δ

    References: papernot-steinke-2022.
    """
    distribution, shape = LAWS[validation.choice("law", law, LAWS)]
    first = 1.0 if distribution == "poisson" else 1.05
    means = np.geomspace(first, 100.0, 17)
    values = [float(Tuned(base, distribution, mean, shape).epsilon(delta)) for mean in means]
    return Curve(name, means, np.array(values), Bound.UPPER)


def released_runs_curve(name: str, parts: Parts, delta: float) -> Curve:
    """ε at δ of publishing all of K runs, up to 100: composition of K runs, upper side."""
    runs = np.geomspace(1, 100, 9).round().astype(int)
    values = [repeated_epsilon(parts, "pld", int(k), delta) for k in runs]
    return Curve(name, runs.astype(float), np.array(values), Bound.UPPER)


def mean_runs(candidates: int, coverage: float) -> float:
    r"""Mean μ of a Poisson number of runs such that a given one of s candidates is tried with probability c.

    .. math:: μ = −s \log(1 − c), \quad μ ≥ 1

    Parameters
    ----------
    candidates : int ≥ 1
        s, of which one is drawn uniformly at random for each run.
    coverage : float in (0, 1), the probability c

    References: papernot-steinke-2022.
    """
    candidates = validation.at_least_one("candidates", candidates)
    coverage = validation.real("coverage", coverage)
    if not 0 < coverage < 1:
        raise validation.ParameterError(f"coverage must be in (0, 1), got {coverage}")
    return max(1.0, float(-candidates * np.log1p(-coverage)))
