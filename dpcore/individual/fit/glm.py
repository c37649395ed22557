"""Fit of a regularised generalised linear model, and what its expansion knows of each record."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy import linalg

from dpcore.data.dataset import Dataset
from dpcore.data.names import LISTED, grouped, listed
from dpcore.errors import DataError
from dpcore.glm import Clipped, Loss, Problem, solve
from dpcore.glm.losses import find
from dpcore.glm.threads import SINGLE_THREADED_BLAS
from dpcore.individual.fit.leverage import Leverage, check_range, cholesky, orthogonal_length
from dpcore.individual.fit.third import bends, bends_matter, third_moments
from dpcore.mechanisms.releases import GlmRelease
from dpcore.numerics import OfRows

# Gradient norm at which a fit ends, relative to that of the data at θ = 0 (or to 1, if that is larger). Doubled, the
# error of θ̂ is twice as large; now it is 1e-10 of its size.
_TOL = 1e-10
# A fit counts as not determined if the reciprocal condition of its Hessian, scaled to unit diagonal, is below this.
# Doubled, more fits are refused.
_SINGULAR = 1e-13


@dataclass(frozen=True, eq=False, repr=False)
class GlmFit(Leverage):
    r"""Fit of all rows of a generalised linear model and the influence of each, shapes (n_samples,).

    .. math:: H = \sum_i f''_i x_i x_i^⊤ + λI, \quad h = x^⊤H^{-1}x, \quad μ' = f''h, \quad μ = \frac{μ'}{1−μ'}, \quad
              r' = −f'(\hat m), \quad r = −f'(m_−), \quad m_− ≈ \hat m + \frac{h}{1−μ'}f'(\hat m)

    The fields are those of `Leverage`, and for the squared loss they are the same numbers. r and μ are those after one
    Newton step.

    Parameters
    ----------
    loss, clip : the model: f, and the norm its gradients are clipped to, or None
    records : what the expansion knows of each row
    third : `third_moments` of all rows, if they were asked for (`bent`)
    """

    loss: Loss = field(kw_only=True)
    clip: float | None = field(kw_only=True)
    records: Records = field(kw_only=True)
    third: np.ndarray | None = field(default=None, kw_only=True)

    @property
    def residual_name(self) -> str:
        """The name of −f'."""
        return self.loss.residual

    @property
    def visibility(self) -> np.ndarray:
        return np.asarray(np.abs(self.loo_residual) * np.sqrt(self.records.leverage))

    def aside(self, index: int) -> str:
        """Sentences on the margin of a row's label under the fit to the other rows, and on a clipped gradient."""
        share, cut = float(self.unclipped[index]), ""
        if share < 1:
            cut = f" Its gradient is cut to C = {self.clip:g}, {100 * share:.2g} % of it: how far beyond it lies is not seen."
        if not self.loss.target.labels:
            return cut
        margin = float(self.records.margin[index] * self.records.y[index])
        side = "its label" if margin > 0 else "the other label"
        return f" The other rows predict {side}, by a margin of {abs(margin):.3g}.{cut}"

    @property
    def unclipped(self) -> np.ndarray:
        """Share of each row's gradient, at the fit to the others, that the clip leaves (n_samples,)."""
        with np.errstate(all="ignore"):
            slope = np.abs(self.loss.derivative(self.records.margin, self.records.y))
            return np.where(slope > self.records.limit, self.records.limit / slope, 1.0)

    def clipping(self, labels: np.ndarray) -> str:
        """A sentence on how many rows the clip cuts, and which (by `labels`) by more than half; empty if none."""
        share = self.unclipped
        count, hard = int(np.count_nonzero(share < 1)), np.flatnonzero(share < 0.5)
        if not count:
            return ""
        shown = listed(labels[hard[np.argsort(share[hard])][:LISTED]].tolist(), len(hard)) if len(hard) else ""
        listing = f", most of it in row{'s' if len(hard) > 1 else ''} {shown}" if shown else ""
        return (
            f"The clip C = {self.clip:g} cuts the gradient of {grouped(count)} row{'s' if count > 1 else ''}{listing}: ε says how "
            "visible what is left of such a row is, not how far out it lies."
        )

    @classmethod
    def of(cls, dataset: Dataset, release: GlmRelease) -> GlmFit:
        """The fit a release perturbs.

        Raises
        ------
        DataError
            If the targets do not suit the loss, or the fit is not determined.
        ConvergenceError
        """
        fit = cls.of_others(dataset.X, dataset.y, release, None).bent(release, dataset.X, dataset.y)
        return fit.of_rows(dataset.X, dataset.y)

    @classmethod
    def of_others(cls, X: np.ndarray, y: np.ndarray, release: GlmRelease, start: np.ndarray | None) -> GlmFit:
        """The fit of rows X (n_rows, n_features), y (n_rows,), for questions about records that are not among them.

        Parameters
        ----------
        X, y : the rows
        release : the release that perturbs the fit
        start : where the search for it begins, or None

        Raises
        ------
        DataError
        ConvergenceError
        """
        problem = problem_of(release, X, y)
        theta = solve(problem, tolerance_of(problem), start=start).theta
        with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
            return cls.of_no_one(release, theta, problem.hessian(theta), X.T @ X)

    def bent(self, release: GlmRelease, X: np.ndarray, y: np.ndarray) -> GlmFit:
        """The same fit with third derivatives of its rows X (n_rows, n_features), y (n_rows,), if they matter."""
        if not bends_matter(release):
            return self
        with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
            return replace(self, third=third_moments(clipped(self.loss, self.clip, X), self.theta, X, y))

    @classmethod
    def of_no_one(cls, release: GlmRelease, theta: np.ndarray, hessian: np.ndarray, gram: np.ndarray) -> GlmFit:
        """A fit that holds no rows.

        Parameters
        ----------
        release : the release that perturbs the fit
        theta, hessian, gram : θ̂, the Hessian at θ̂, and XᵀX

        Raises
        ------
        DataError
            If the fit is not determined.
        """
        model = {"loss": find(release.loss), "clip": release.clip, "records": Records.straight(*np.empty((6, 0)))}
        return cls.of_no_rows(float(release.lam), theta, factor_of(hessian, release.lam), gram, **model)

    @property
    def undecided(self) -> np.ndarray:
        """Empty: no row needs a refit, as the influence of each is that after one Newton step."""
        return np.empty(0, dtype=np.intp)

    def of_rows(self, X: np.ndarray, y: np.ndarray, rows: np.ndarray | None = None) -> GlmFit:
        """The same fit with the influence of each of some of its rows X (n_rows, n_features), y (n_rows,)."""
        with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
            loss, margin, norm = clipped(self.loss, self.clip, X), X @ self.theta, np.linalg.norm(X, axis=1)
            slope, bend = loss.derivative(margin, y), loss.second_derivative(margin, y)
            h, spread = _directions(self.factor, X)
            in_sample = bend * h
            rest = np.maximum(1 - in_sample, np.finfo(float).eps)
            check_range(h, margin)
            own = 0.0 if self.third is None else loss.third_derivative(margin, y)
            bent = bends(self.third, self.factor, X, in_sample, own)
            moved, limit = margin + h / rest * slope, limits(self.clip, norm)
            records = Records(moved, h / rest, norm, spread / rest, y, limit, margin, *bent)
            out_of_sample, loo = in_sample / rest, -loss.derivative(records.margin, y)
        arrays = {"in_sample": in_sample, "out_of_sample": out_of_sample, "residual": -slope, "loo_residual": loo}
        return replace(self, **arrays, records=records)

    def added(self, X: np.ndarray, y: np.ndarray) -> Records:
        """What the expansion knows of records X (n_records, n_features), y (n_records,) that are not rows."""
        with SINGLE_THREADED_BLAS:
            norm, margin, bent = np.linalg.norm(X, axis=1), X @ self.theta, bends(self.third, self.factor, X)
            h, spread = _directions(self.factor, X)
        return Records(margin, h, norm, spread, np.asarray(y, dtype=float), limits(self.clip, norm), margin, *bent)

    def influence(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """μ = f''h and r = −f' of records that are not rows."""
        records = self.added(X, y)
        loss = records.loss(self.loss)
        return (
            loss.second_derivative(records.margin, records.y) * records.leverage,
            -loss.derivative(records.margin, records.y),
        )


@dataclass(frozen=True, eq=False)
class Records(OfRows):
    r"""What the expansion around the fit to the other rows knows of each record, shapes (n_records,).

    .. math:: m_− = x^⊤\hat θ_−, \quad h_− = x^⊤H_−^{-1}x, \quad s = \sqrt{x^⊤H_−^{-2}x − (h_−/‖x‖)²}

    Parameters
    ----------
    margin : m₋, the predictor of the record under the fit to the other rows
    leverage : h₋, without the factor f''
    norm : ‖x‖
    spread : s, the length of the part of H₋⁻¹x that is orthogonal to x
    y : targets
    limit : C/‖x‖, the largest |f'|; inf without a clip
    origin : margin at which third derivatives were taken
    skew, drift, scatter : κ, ℓ and τ (see `fit.third`)
    """

    margin: np.ndarray
    leverage: np.ndarray
    norm: np.ndarray
    spread: np.ndarray
    y: np.ndarray
    limit: np.ndarray
    origin: np.ndarray
    skew: np.ndarray
    drift: np.ndarray
    scatter: np.ndarray

    @classmethod
    def straight(cls, *known: np.ndarray) -> Records:
        """Records whose first six fields are given, if the objective of the other rows is quadratic."""
        values = [*known, known[0], *np.zeros((3, len(known[0])))]
        return cls(*values)

    def loss(self, loss: Loss) -> Loss:
        """The loss of these records, clipped if there is a clip."""
        return Clipped(loss, self.limit) if np.isfinite(self.limit).any() else loss


def tolerance(slope: float) -> float:
    """‖∇J‖ at which a fit counts as the minimiser, if ‖∇J(0)‖ is `slope`."""
    return _TOL * max(1.0, slope)


def tolerance_of(problem: Problem) -> float:
    """`tolerance` for a problem, from its gradient at θ = 0."""
    return tolerance(float(np.linalg.norm(problem.gradient(np.zeros(problem.n_features)))))


def factor_of(hessian: np.ndarray, lam: float, text: str = "The coefficients are") -> np.ndarray:
    """Lower Cholesky factor of a Hessian.

    Raises
    ------
    DataError
        If the matrix is singular to working precision.
    """
    scale = np.sqrt(np.maximum(np.diag(hessian), np.finfo(float).tiny))
    factor, reciprocal = cholesky(hessian, scale)
    if not reciprocal > _SINGULAR:
        raise DataError(f"{text} not determined with lam = {lam:g}: remove redundant columns, or use a larger lam.")
    return factor


def problem_of(release: GlmRelease, X: np.ndarray, y: np.ndarray) -> Problem:
    """The objective whose minimiser a release perturbs."""
    return Problem(release.loss, X, y, lam=release.lam, clip=release.clip)


def limits(clip: float | None, norm: np.ndarray) -> np.ndarray:
    """C/‖x‖, or inf without a clip."""
    with np.errstate(divide="ignore"):
        return np.full(norm.shape, np.inf) if clip is None else clip / norm


def clipped(loss: Loss, clip: float | None, X: np.ndarray) -> Loss:
    """The loss of the rows of X, clipped if there is a clip."""
    return loss if clip is None else Clipped(loss, limits(clip, np.linalg.norm(X, axis=1)))


def _directions(factor: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """xᵀH⁻¹x, and the length of the part of H⁻¹x that is orthogonal to x."""
    moved = linalg.cho_solve((factor, True), X.T).T
    return np.einsum("ij,ij->i", moved, X), orthogonal_length(X, moved)
