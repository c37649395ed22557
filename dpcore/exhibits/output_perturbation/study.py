"""Output perturbation on a data set against λ: sensitivity, noise, and its two errors (one grows, the other falls)."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from dpcore import validation
from dpcore.calibration.objective import smallest_sigma
from dpcore.data import Dataset
from dpcore.errors import DataError, UnsupportedError
from dpcore.exhibits.output_perturbation.adversary import AdversarialData, adversarial_data
from dpcore.glm import Fit, Problem, losses, solve, solve_batch
from dpcore.mechanisms import Gaussian
from dpcore.mechanisms.regularized_exponential import gaussian_shift
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

_ROWS_REFITTED = 4  # most influential rows without which models are fitted again
_DRAWS = 120  # draws of the noise at each λ
_COMPARATOR_SHARE = 0.1  # λ of the comparator θ*, relative to the smallest λ studied
OUTPUT_PERTURBATION_CARD = formula_card(__file__, "output_perturbation")


def usable_losses(dataset: Dataset) -> list[str]:
    """Losses of `LOSSES` with a bounded gradient and curvature that suit the target, the usual one first."""
    return [
        name
        for name, loss in losses.LOSSES.items()
        if math.isfinite(loss.slope_bound()) and math.isfinite(loss.curvature_bound()) and loss.suits(dataset.y)
    ]


@dataclass(frozen=True, eq=False)
class Fits:
    """What does not depend on the budget: minimisers, and how far one row moves them. `fit_all` makes it.

    Parameters
    ----------
    lam : array (n_lambdas,)
    theta : array (n_lambdas, n_features), the minimisers
    measured_change : array (n_lambdas,), largest change in refits without one of the most influential rows
    comparator : array (n_features,), θ*
    adversary : data with the same number of records, of which one moves the minimiser far
    lipschitz, smoothness : public constants of one record's loss
    """

    lam: np.ndarray
    theta: np.ndarray
    measured_change: np.ndarray
    comparator: np.ndarray
    adversary: AdversarialData
    lipschitz: float
    smoothness: float


@dataclass(frozen=True, eq=False)
class LambdaSweep(Fits):
    """The fits, and what output perturbation does at each λ; every loss is a mean over the n records.

    Parameters
    ----------
    noise, classical : analytic and classical standard deviation
    bias : loss of θ_λ minus that of the comparator
    spread : mean additional loss by the analytic noise, over draws
    quantile : (1 − ρ)-quantile of the total excess over draws
    bound, sharper, mean_bound : the lecture's bound, the chi-square bound, and the bound on the mean
    lipschitz_bound : the chi-square bound from ‖∇ℓ‖ ≤ L alone, without smoothness
    classical_delta, delta : true δ of the classical noise at the target ε (the same at every λ), and the target δ
    """

    noise: np.ndarray
    classical: np.ndarray
    bias: np.ndarray
    spread: np.ndarray
    quantile: np.ndarray
    bound: np.ndarray
    sharper: np.ndarray
    mean_bound: np.ndarray
    lipschitz_bound: np.ndarray
    classical_delta: float
    delta: float

    @property
    def sensitivity(self) -> np.ndarray:
        """L/λ, the proven bound."""
        return self.lipschitz / self.lam

    @property
    def classical_meets(self) -> bool:
        """Whether the classical noise meets the target at all."""
        return self.classical_delta <= self.delta

    @property
    def best(self) -> int:
        """Index of the λ with the smallest measured mean excess; this choice is not private."""
        return int(np.argmin(self.bias + self.spread))

    @property
    def best_by_bound(self) -> int:
        """Index of the λ with the smallest bound on the mean."""
        return int(np.argmin(self.mean_bound))

    def nearest(self, lam: float) -> int:
        """Index of the studied λ that is nearest to the given one."""
        return int(np.argmin(np.abs(np.log(self.lam / lam))))

    def change_curves(self) -> list[Curve]:
        """Sensitivity, the measured change, and both noises against λ."""
        return [
            Curve("Sensitivity L/λ", self.lam, self.sensitivity, Bound.UPPER),
            Curve("Measured change", self.lam, self.measured_change, Bound.LOWER, "refits without one row"),
            Curve("Analytic noise", self.lam, self.noise, Bound.EXACT, "smallest that meets (ε, δ)"),
            Curve("Classical noise", self.lam, self.classical, Bound.UPPER if self.classical_meets else Bound.CLAIMED),
            Curve("Adversarial data", self.lam, self.adversary.change, Bound.LOWER, "one record more"),
        ]

    def tradeoff(self) -> list[Curve]:
        """The sum of bias and spread against λ, and both of them, which are drawn on top of it."""
        return [
            Curve("Total, measured", self.lam, self.bias + self.spread, Bound.ESTIMATE, "mean over draws"),
            Curve("Bias", self.lam, np.where(self.bias > 0, self.bias, np.nan), Bound.EXACT, "regularisation"),
            Curve("Spread", self.lam, self.spread, Bound.ESTIMATE, "noise"),
        ]

    def bound_curves(self) -> list[Curve]:
        """The proven bounds on the sum of both errors."""
        return [
            Curve("Bound on the mean", self.lam, self.mean_bound, Bound.UPPER),
            Curve("Bound by χ²", self.lam, self.sharper, Bound.UPPER),
            Curve("Without smoothness", self.lam, self.lipschitz_bound, Bound.UPPER),
            Curve("Bound of the lecture", self.lam, self.bound, Bound.UPPER),
        ]


def fit_all(dataset: Dataset, loss: Any, lambdas: tuple[float, ...], comparator: np.ndarray | None = None) -> Fits:
    """Minimisers and measured changes at every λ.

    Parameters
    ----------
    dataset, loss, lambdas : as for `sweep_lambda`
    comparator : θ*, if it is known; by default the minimiser at a tenth of the smallest λ

    Raises
    ------
    DataError, UnsupportedError
        As for `sweep_lambda`.
    """
    lam = validation.real_array("lambdas", lambdas, low=1e-12)
    if dataset.domain is None:
        raise DataError("The data set states no public domain; give it one that is known without looking at the data.")
    loss = losses.find(loss)
    constants = loss.constants(dataset.domain)
    if not math.isfinite(constants.lipschitz) or not math.isfinite(constants.smoothness):
        raise UnsupportedError(
            "this loss has no bounded gradient on the domain, so its sensitivity is unbounded at every λ"
        )
    if comparator is None:
        comparator = _solve(dataset, loss, _COMPARATOR_SHARE * float(lam.min())).theta
    theta, change, start = np.empty((len(lam), dataset.n_features)), np.empty(len(lam)), comparator
    for i, one in enumerate(lam):
        fit = _solve(dataset, loss, float(one), start)
        theta[i] = start = fit.theta
        change[i] = _largest_change(dataset, loss, float(one), fit)
    adversary = adversarial_data(loss, dataset.domain, dataset.n_samples, dataset.n_features, lam)
    return Fits(lam, theta, change, comparator, adversary, constants.lipschitz, constants.smoothness)


def sweep_lambda(
    dataset: Dataset, loss: Any, epsilon: float, delta: float, rho: float, lambdas: tuple[float, ...], seed: int = 0,
    fits: Fits | None = None,
) -> LambdaSweep:  # fmt: skip
    r"""Fit, perturb and compare at every λ.

    Parameters
    ----------
    dataset : Dataset with a public domain
    loss : name in `LOSSES`, or a `Loss` with finite constants
    epsilon : float > 0, nats
    delta, rho : floats in (0, 1)
    lambdas : increasing positive numbers
    seed : int ≥ 0, of the noise draws, which are the same (scaled) at every λ
    fits : result of `fit_all` for the same data set, loss and λs, so that a new budget needs no new fit

    Raises
    ------
    DataError
        If the data set states no public domain.
    UnsupportedError
        If the loss has no bounded gradient or curvature there.

    References: lecture-10 (Utility of output perturbation, corrected, Utility without smoothness), balle-wang-2018.
    """
    epsilon = validation.positive("epsilon", epsilon)
    rho = validation.open_probability("rho", rho)
    fits = fit_all(dataset, loss, lambdas) if fits is None else fits
    loss, lam = losses.find(loss), fits.lam
    unit = fits.lipschitz / gaussian_shift(epsilon, delta)
    classical = fits.lipschitz * math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    true_delta = float(Gaussian(classical, fits.lipschitz).delta(epsilon))
    n, d = dataset.n_samples, dataset.n_features
    noise = np.random.default_rng(seed).standard_normal((_DRAWS, d))
    floor = _mean_loss(dataset, loss, fits.comparator[None])[0]
    norm = float(np.linalg.norm(fits.comparator))
    bias, spread, quantile = (np.empty(len(lam)) for _ in range(3))
    for i, one in enumerate(lam):
        clean = _mean_loss(dataset, loss, fits.theta[i][None])[0]
        drawn = _mean_loss(dataset, loss, fits.theta[i] + unit / one * noise)
        bias[i], spread[i] = clean - floor, drawn.mean() - clean
        quantile[i] = np.quantile(drawn - floor, 1 - rho)
    s, tail = unit / lam, float(stats.chi2.isf(rho, d))
    ridge, curvature = lam / 2 * norm**2, (n * fits.smoothness + lam) * s**2
    return LambdaSweep(
        **vars(fits), noise=s, classical=classical / lam, bias=bias, spread=spread, quantile=quantile,
        bound=(ridge + curvature * d * math.log(d / rho)) / n,
        sharper=(ridge + 0.5 * curvature * tail) / n,
        mean_bound=(ridge + 0.5 * curvature * d) / n,
        lipschitz_bound=ridge / n + fits.lipschitz * s * math.sqrt(tail),
        classical_delta=true_delta, delta=delta,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class ObjectiveSweep:
    """Objective perturbation at the same λs: its noise σ (inf if none suffices) and mean excess, (n_lambdas,) each."""

    lam: np.ndarray
    sigma: np.ndarray
    excess: np.ndarray

    @property
    def best(self) -> int | None:
        """Index of the λ with the smallest measured mean excess (not private); None if no λ meets the budget."""
        return int(np.nanargmin(self.excess)) if np.isfinite(self.excess).any() else None

    def curve(self) -> Curve:
        """Mean excess against λ."""
        return Curve("Noise in objective", self.lam, self.excess, Bound.ESTIMATE, "mean over draws")


def objective_sweep(
    dataset: Dataset, loss: Any, epsilon: float, delta: float, fits: Fits, seed: int = 0, draws: int = 40
) -> ObjectiveSweep:
    """Noise in the objective instead of the output: same data, budget and λs, calibrated by the tight profile.

    Parameters
    ----------
    dataset, loss, epsilon, delta : as for `sweep_lambda`
    fits : result of `fit_all` for the same data set and loss
    seed : int ≥ 0, of the noise draws, which are the same (scaled) at every λ
    draws : number of draws

    References: lecture-10 (Output against objective perturbation), redberg-koskela-wang-2023.
    """
    model = losses.find(loss)
    epsilon = validation.positive("epsilon", epsilon)
    sigma = smallest_sigma(
        epsilon, delta, fits.lam, lipschitz=fits.lipschitz, smoothness=fits.smoothness, monotone=model.monotone
    )
    noise = np.random.default_rng(seed).standard_normal((draws, dataset.n_features))
    floor = _mean_loss(dataset, model, fits.comparator[None])[0]
    tolerance = 1e-6 * max(1.0, math.sqrt(dataset.n_samples))
    excess = np.full(len(fits.lam), np.nan)
    for i in np.flatnonzero(np.isfinite(sigma)):
        problem = Problem(model, dataset.X, dataset.y, lam=float(fits.lam[i]))
        theta = solve_batch(problem, sigma[i] * noise, tolerance).theta
        excess[i] = _mean_loss(dataset, model, theta).mean() - floor
    return ObjectiveSweep(fits.lam, sigma, excess)


def _solve(dataset: Dataset, loss: Any, lam: float, start: np.ndarray | None = None) -> Fit:
    problem = Problem(loss, dataset.X, dataset.y, lam=lam)
    return solve(problem, 1e-6 * max(1.0, math.sqrt(dataset.n_samples)), start=start)


def _mean_loss(dataset: Dataset, loss: Any, theta: np.ndarray) -> np.ndarray:
    """Mean loss over the records for each row of `theta`, (n_thetas,)."""
    return loss.value(dataset.X @ theta.T, dataset.y[:, None]).mean(axis=0)


def _largest_change(dataset: Dataset, loss: Any, lam: float, fit: Fit) -> float:
    """Largest ‖θ − θ₋ᵢ‖ over refits, each without one of the rows that are most influential by a one-step estimate."""
    problem = Problem(loss, dataset.X, dataset.y, lam=lam)
    slope = loss.derivative(dataset.X @ fit.theta, dataset.y)
    step = np.linalg.solve(problem.hessian(fit.theta), dataset.X.T) * slope
    rows = np.argsort(-np.linalg.norm(step, axis=0))[:_ROWS_REFITTED]
    largest = 0.0
    for row in rows:
        keep = np.arange(dataset.n_samples) != row
        if not keep.any():
            continue
        rest = solve(Problem(loss, dataset.X[keep], dataset.y[keep], lam=lam), 1e-8 * lam + 1e-9, start=fit.theta)
        largest = max(largest, float(np.linalg.norm(rest.theta - fit.theta)))
    return largest
