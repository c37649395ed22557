"""Output perturbation of any GLM: every row by one Newton step, the most exposed rows by an exact refit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import linalg

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.glm import Problem, solve
from dpcore.individual.gaussian_output import GaussianOutput
from dpcore.mechanisms.output_perturbation import GaussianShift

_TOL = 1e-10  # gradient norm of a refit, relative to that of the data at θ = 0
_MOST_ROUNDS = 20


@dataclass(frozen=True, eq=False, repr=False)
class GlmExposure:
    r"""Per-instance ε of θ̂ + N(0, σ²I), θ̂ the minimiser of Σf + (λ/2)‖θ‖², shapes (n_samples,).

    A refit without the row gives ‖θ̂ − θ̂_{−i}‖ exactly; for the other rows one Newton step from θ̂ stands in,

    .. math:: θ̂_{−i} − θ̂ ≈ \frac{f'_i}{1 − f''_i h_i} H^{-1}x_i, \quad h_i = x_i^⊤H^{-1}x_i

    Parameters
    ----------
    epsilon : nats at `delta`
    moved : ‖θ̂ − θ̂_{−i}‖, exact where `refitted`
    one_step : the same by one step, for every row
    leverage, slope : f''h and f' of every row at θ̂
    """

    sigma: float
    delta: float
    theta: np.ndarray
    epsilon: np.ndarray
    moved: np.ndarray
    one_step: np.ndarray
    refitted: np.ndarray
    leverage: np.ndarray
    slope: np.ndarray
    dataset: Dataset = field(repr=False)

    def __repr__(self) -> str:
        return f"GlmExposure(n_samples={self.epsilon.size}, refitted={int(self.refitted.sum())}, delta={self.delta!r})"

    @property
    def step_error(self) -> float:
        """Largest relative error of one step among the refitted rows: measured, not a bound for the others."""
        rows = self.refitted & (self.moved > 0)
        return float(np.max(np.abs(self.one_step[rows] / self.moved[rows] - 1), initial=0.0))

    def profile(self, index: int) -> GaussianShift:
        """The profile of one row as a curve: exact for a refitted row."""
        return GaussianShift(float(self.moved[index] / self.sigma))

    def frame(self) -> pd.DataFrame:
        """One line per row: row label, epsilon, moved, one_step, refitted, leverage, slope."""
        columns = {
            name: getattr(self, name) for name in ("epsilon", "moved", "one_step", "refitted", "leverage", "slope")
        }
        return pd.DataFrame({"row": self.dataset.row_labels, **columns})


def glm_exposure(
    dataset: Dataset,
    *,
    sigma: float,
    lam: float,
    loss: Any = "logistic",
    delta: float = 1e-6,
    exact: int = 20,
    rows: Any = (),
) -> GlmExposure:
    """Exposure of every row when a regularised GLM is released with Gaussian noise.

    The `exact` most exposed rows are refitted without being asked for: rows are refitted until the most exposed ones,
    as then known, all are. So are the rows listed.

    Parameters
    ----------
    dataset : Dataset
    sigma, lam : noise and penalty > 0
    loss : name in `LOSSES` (logistic, poisson, …), or a `Loss`
    delta : probability
    exact : int ≥ 0, number of most exposed rows to refit
    rows : positions of further rows to refit

    Raises
    ------
    ParameterError, DataError, ConvergenceError

    References: wang-2019.
    """
    sigma = validation.positive("sigma", sigma)
    delta = validation.probability("delta", delta, allow_zero=False, allow_one=False)
    exact = min(validation.integer("exact", exact, minimum=0), dataset.n_samples)
    problem = Problem(loss, dataset.X, dataset.y, lam=validation.positive("lam", lam))
    tol = _TOL * max(1.0, float(np.linalg.norm(problem.gradient(np.zeros(dataset.n_features)))))
    theta = solve(problem, tol).theta
    u = dataset.X @ theta
    slope, bend = problem.loss.derivative(u, dataset.y), problem.loss.second_derivative(u, dataset.y)
    directions = linalg.cho_solve(linalg.cho_factor(problem.hessian(theta)), dataset.X.T).T
    leverage = bend * np.einsum("ij,ij->i", directions, dataset.X)
    one_step = np.abs(slope) * np.linalg.norm(directions, axis=1) / np.maximum(1 - leverage, np.finfo(float).eps)
    moved, refitted = one_step.copy(), np.zeros(dataset.n_samples, dtype=bool)

    def refit(wanted: np.ndarray) -> None:
        for row in wanted[~refitted[wanted]]:
            keep = np.delete(np.arange(dataset.n_samples), row)
            rest = Problem(loss, dataset.X[keep], dataset.y[keep], lam=problem.lam)
            start = theta + slope[row] * directions[row] / max(1 - leverage[row], 1e-3)
            moved[row] = np.linalg.norm(theta - solve(rest, tol, start=start).theta)
            refitted[row] = True

    refit(_positions(rows, dataset.n_samples))
    for _ in range(_MOST_ROUNDS):
        top = np.argsort(-moved, kind="stable")[:exact]
        if refitted[top].all():
            break
        refit(top)
    epsilon = GaussianOutput(moved / sigma).epsilon(float(np.log(delta)))
    return GlmExposure(sigma, delta, theta, epsilon, moved, one_step, refitted, leverage, slope, dataset)


def _positions(rows: Any, n: int) -> np.ndarray:
    wanted = np.atleast_1d(np.asarray(rows))
    if wanted.size == 0:
        return np.empty(0, dtype=np.intp)
    if wanted.dtype.kind not in "iu" or wanted.min() < 0 or wanted.max() >= n:
        raise ParameterError(f"rows must be whole numbers from 0 to {n - 1}, got {rows!r}")
    return wanted.astype(np.intp)
