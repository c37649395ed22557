"""The same number a second way: densities integrated numerically, models refitted without the row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import brentq, minimize_scalar

from dpcore import validation
from dpcore.data import Dataset
from dpcore.errors import UnsupportedError
from dpcore.individual import IndividualPrivacy
from dpcore.mechanisms import (
    ExponentialMechanism,
    Gaussian,
    Laplace,
    RandomizedResponse,
    RegularizedExponential,
    Subsampled,
)
from dpcore.mechanisms.output_perturbation import OutputPerturbation
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.profiles import PrivacyProfile

LogDensity = Callable[[np.ndarray], np.ndarray]
_PANELS = 3_000
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_TAIL = 45.0  # standard deviations (or Laplace scales) beyond which no density here exceeds 1e-300


@dataclass(frozen=True)
class Check:
    """One number computed two ways; `difference` is relative to the second."""

    what: str
    first: float
    second: float
    how: str

    @property
    def difference(self) -> float:
        if self.first == self.second:
            return 0.0
        return abs(self.first - self.second) / max(abs(self.second), np.finfo(float).tiny)


def hockey_stick(log_p: LogDensity, log_q: LogDensity, epsilon: float, breaks: Sequence[float]) -> float:
    """∫ [p − e^ε q]_+ by composite Gauss–Legendre, split at the given breaks and where the integrand changes sign."""

    def gap(x: np.ndarray) -> np.ndarray:
        return log_p(x) - log_q(x) - epsilon

    grid = np.union1d(np.linspace(breaks[0], breaks[-1], _PANELS + 1), breaks)
    signs = np.sign(gap(grid))
    crossings = [brentq(gap, grid[i], grid[i + 1], xtol=1e-14) for i in np.flatnonzero(signs[:-1] * signs[1:] < 0)]
    edges = np.union1d(grid, crossings)
    width = np.diff(edges)
    x = edges[:-1, None] + width[:, None] * (0.5 + 0.5 * _NODES)
    integrand = np.maximum(np.exp(log_p(x)) - np.exp(epsilon + log_q(x)), 0.0)
    return float(0.5 * width @ (integrand @ _WEIGHTS))


def profile_checks(mechanism: PrivacyProfile, epsilon: float) -> list[Check]:
    """δ(ε) in both directions from the profile and from the mechanism's own output law."""
    epsilon = validation.non_negative("epsilon", epsilon)
    second, how = _second_way(mechanism)
    return [
        Check(
            f"δ, record {verb}", float(mechanism.delta(epsilon, direction=direction)), second(direction, epsilon), how
        )
        for direction, verb in (("add", "added"), ("remove", "removed"))
    ]


def _second_way(mechanism: PrivacyProfile) -> tuple[Callable[[str, float], float], str]:
    if isinstance(mechanism, RandomizedResponse):
        return _enumerate_responses(mechanism), "sum over all outcomes"
    if isinstance(mechanism, ExponentialMechanism):
        return _worst_two_outcomes(mechanism), "search over two-outcome mechanisms"
    absent, present, breaks = _output_laws(mechanism)

    def integrate(direction: str, epsilon: float) -> float:
        pair = (absent, present) if direction == "add" else (present, absent)
        return hockey_stick(*pair, epsilon, breaks)

    return integrate, "quadrature of the output densities"


def _output_laws(mechanism: PrivacyProfile) -> tuple[LogDensity, LogDensity, tuple[float, ...]]:
    if isinstance(mechanism, Gaussian):
        law, width, at = stats.norm, mechanism.sigma, mechanism.sensitivity
    elif isinstance(mechanism, Laplace):
        law, width, at = stats.laplace, mechanism.scale, mechanism.sensitivity
    elif isinstance(mechanism, RegularizedExponential):  # linear losses on the line, which attain the bound
        law, width = stats.norm, (mechanism.k * mechanism.mu) ** -0.5
        at = 2 * mechanism.lipschitz / (mechanism.n * mechanism.mu)
    elif isinstance(mechanism, Subsampled):
        absent, sampled, breaks = _output_laws(mechanism.base)
        rate = mechanism.rate

        def mixture(x: np.ndarray) -> np.ndarray:
            unsampled = np.log1p(-rate) + absent(x) if rate < 1 else -np.inf
            return np.logaddexp(unsampled, np.log(rate) + sampled(x))

        return absent, mixture, breaks
    else:
        raise UnsupportedError(f"no second way is known for {type(mechanism).__name__}: choose another mechanism")
    breaks = (-_TAIL * width, 0.0, at, at + _TAIL * width)
    return lambda x: law.logpdf(x, 0, width), lambda x: law.logpdf(x, at, width), breaks


def _enumerate_responses(mechanism: RandomizedResponse) -> Callable[[str, float], float]:
    truth, others = np.exp(mechanism.pure_epsilon), mechanism.categories - 1
    p = np.array([truth, 1.0] + [1.0] * (others - 1)) / (truth + others)
    q = np.array([1.0, truth] + [1.0] * (others - 1)) / (truth + others)
    return lambda direction, epsilon: float(np.maximum(p - np.exp(epsilon) * q, 0).sum())


def _worst_two_outcomes(mechanism: ExponentialMechanism) -> Callable[[str, float], float]:
    budget = mechanism.pure_epsilon

    def delta(top: float, epsilon: float) -> float:
        low = top - budget  # log ratios top and top − ε₀; their probabilities under Q follow from both summing to 1
        q = -np.expm1(low) / (np.exp(top) - np.exp(low))
        p = np.array([np.exp(top) * q, np.exp(low) * (1 - q)])
        return float(np.maximum(p - np.exp(epsilon) * np.array([q, 1 - q]), 0).sum())

    def worst(direction: str, epsilon: float) -> float:
        if epsilon >= budget:
            return 0.0
        found = minimize_scalar(lambda t: -delta(t, epsilon), bounds=(epsilon, budget), method="bounded",
                                options={"xatol": 1e-12})  # fmt: skip
        return -float(found.fun)

    return worst


def refit_checks(dataset: Dataset, result: IndividualPrivacy, rows: list[int]) -> pd.DataFrame:
    """ε of the given rows from full refits without each row, one linear solve at a time, beside the engine's value.

    For a posterior sample the second way checks δ at the engine's ε by quadrature; the two must agree.
    """
    checks = [_refit(dataset, result, row) for row in rows]
    return pd.DataFrame(
        {
            "row": [int(dataset.row_labels[row]) for row in rows],
            "what": [check.what for check in checks],
            "engine": [check.first for check in checks],
            "second way": [check.second for check in checks],
            "relative difference": [check.difference for check in checks],
        }
    )


def _refit(dataset: Dataset, result: IndividualPrivacy, row: int) -> Check:
    mechanism = result.mechanism
    keep = np.arange(dataset.n_samples) != row
    x, y = dataset.X[row], dataset.y[row]
    ridge = mechanism.lam * np.eye(dataset.n_features)
    without = dataset.X[keep].T @ dataset.X[keep] + ridge
    full = dataset.X.T @ dataset.X + ridge
    theta = np.linalg.solve(without, dataset.X[keep].T @ dataset.y[keep])
    theta_full = np.linalg.solve(full, dataset.X.T @ dataset.y)
    epsilon = float(result.epsilon[row])
    if isinstance(mechanism, PosteriorSampling):
        scale = [np.sqrt(x @ np.linalg.solve(h, x) / mechanism.gamma) for h in (without, full)]
        centre = [y - x @ t for t in (theta, theta_full)]
        absent, present = (lambda s, c=c, w=w: stats.norm.logpdf(s, c, w) for c, w in zip(centre, scale, strict=True))
        reach = _TAIL * max(scale)
        span = (min(centre) - reach, max(centre) + reach)
        second = max(hockey_stick(absent, present, epsilon, span), hockey_stick(present, absent, epsilon, span))
        return Check("δ at the row's ε", float(result.delta), second, "refit and quadrature")
    if isinstance(mechanism, OutputPerturbation):
        shift = theta_full - theta
        gram = dataset.X.T @ dataset.X
        named = {"identity": np.eye(dataset.n_features), "gram": gram, "gram_squared": gram @ gram}
        metric = named[mechanism.shape] if isinstance(mechanism.shape, str) else np.asarray(mechanism.shape)
        distance = float(np.sqrt(shift @ metric @ shift)) / mechanism.sigma
        second = float(Gaussian(sigma=1.0, sensitivity=distance).epsilon(result.delta)) if distance > 0 else 0.0
        return Check("ε", epsilon, second, "refit")
    raise UnsupportedError(f"no second way is known for {type(mechanism).__name__}")
