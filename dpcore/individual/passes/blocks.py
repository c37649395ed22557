"""Per-instance privacy of a block of rows under a fit to all rows: the same numbers wherever the block is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
from scipy import linalg

from dpcore.data.stream.recipe import Block
from dpcore.errors import UnsupportedError
from dpcore.glm.threads import SINGLE_THREADED_BLAS
from dpcore.individual.exposure import ANALYSES, GLM_ANALYSES, analysis_of
from dpcore.individual.fit.leverage import NEARLY_DECISIVE, Leverage, check_range, factorise, moments, project
from dpcore.individual.fit.refits import Refits, penalty, reduced, refit_each, rows_per_chunk, solved
from dpcore.mechanisms.releases import GlmRelease

ROW_COLUMNS = ("row", "epsilon", "in_sample", "out_of_sample", "residual", "loo_residual")


class Sum(Protocol):
    """What one pass gathers of all rows, block by block and part by part."""

    def empty(self) -> Self:
        """The same of no rows yet."""

    def add(self, block: Block) -> None:
        """Add the rows of a block."""

    def merge(self, other: Any) -> None:
        """Add the rows of another part."""


@dataclass
class Moments:
    """XᵀX and Xᵀy of the rows added so far."""

    gram: Any = 0.0
    moment: Any = 0.0

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        if len(block.y):
            gram, moment = moments(block.X, block.y)
            self.gram, self.moment = self.gram + gram, self.moment + moment

    def merge(self, other: Any) -> None:
        """Add the rows of another part."""
        self.gram, self.moment = self.gram + other.gram, self.moment + other.moment


@dataclass
class Triangle:
    """Triangular factor of [X | y] over the rows added so far, without some of them, by orthogonal transformations."""

    factor: np.ndarray
    without: frozenset[int] = frozenset()

    @classmethod
    def of_penalty(cls, features: int, lam: float, without: frozenset[int] = frozenset()) -> Triangle:
        """[√λ I | 0] and no rows yet."""
        return cls(penalty(features, lam), without)

    def empty(self) -> Triangle:
        """No penalty and no rows yet."""
        return Triangle(np.empty((0, self.factor.shape[1])), self.without)

    def merge(self, other: Triangle) -> None:
        """Add the rows of another part, which holds no penalty."""
        self.factor = reduced(self.factor, other.factor)

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        rows = np.column_stack([block.X, block.y])
        if self.without:
            rows = rows[~np.isin(block.rows, list(self.without))]
        step = rows_per_chunk(rows.shape[1])
        for start in range(0, len(rows), step):
            self.factor = reduced(self.factor, rows[start : start + step])


@dataclass(frozen=True)
class Decisive:
    """Rows (k,) that alone determine a direction of the fit, with their X (k, n_features) and y (k,)."""

    rows: np.ndarray
    X: np.ndarray
    y: np.ndarray

    @classmethod
    def joined(cls, parts: Sequence[Decisive]) -> Decisive:
        """All parts as one."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "X", "y")))


@dataclass(frozen=True, eq=False)
class PooledFit:
    """Ridge fit to all rows: λ, θ̂' (n_features,), the lower Cholesky factor of XᵀX + λI, XᵀX, and refits of few rows."""

    lam: float
    theta: np.ndarray
    factor: np.ndarray
    gram: np.ndarray
    combined: np.ndarray = field(repr=False)
    refits: Refits

    @classmethod
    def of(cls, names: Sequence[str], total: Moments, lam: float, orthogonal: Callable[[], Triangle]) -> PooledFit:
        """The fit from the moments; `orthogonal` is asked for where they are too ill-conditioned.

        Raises
        ------
        DataError
            If XᵀX + λI is singular to working precision.
        """
        with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
            factor, theta = factorise(names, total.gram, total.moment, lam, lambda: solved(orthogonal().factor))
            inverse = linalg.solve_triangular(factor, np.eye(len(theta)), lower=True).T
        return cls(lam, theta, factor, total.gram, np.column_stack([inverse, theta]), Refits.none(len(theta)))

    def refitted(self, decisive: Decisive, common: Triangle) -> PooledFit:
        """The same fit with each decisive row left out in turn.

        Raises
        ------
        DataError
            If the other rows do not determine the fit.
        """
        refits = refit_each(common.factor, decisive.X, decisive.y, decisive.rows, decisive.rows, self.lam)
        return PooledFit(self.lam, self.theta, self.factor, self.gram, self.combined, refits)

    def whole(self) -> Leverage:
        """The fit without rows, for questions about records that are not in the data."""
        return Leverage.of_no_rows(self.lam, self.theta, self.factor, self.gram)

    def leverage(self, block: Block) -> tuple[Leverage, Decisive]:
        """Leverage and residuals of the rows of a block, and those rows that would have to be refitted first."""
        with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
            in_sample, residual = project(block.X, block.y, self.combined)
            rest = 1 - in_sample
            decisive = np.flatnonzero(rest < NEARLY_DECISIVE)
            _, here, place = np.intersect1d(block.rows[decisive], self.refits.rows, return_indices=True)
            found = self.refits.leverage[place], self.refits.residual[place], self.refits.directions[place]
            refits = Refits(decisive[here], *found)
            at = refits.rows
            rest[at] = 1 / (1 + refits.leverage)
            in_sample[at] = refits.leverage * rest[at]
            residual[at] = refits.residual * rest[at]
            out_of_sample, loo = in_sample / rest, residual / rest
        unknown = np.delete(decisive, here)
        values = in_sample, out_of_sample, residual, loo
        left = Decisive(block.rows[unknown], block.X[unknown], block.y[unknown])
        return Leverage(self.lam, self.theta, self.factor, self.gram, *values, refits), left


class FitOfAll(Protocol):
    """A fit to all rows: what it says of some of them, and of records that are none of them."""

    @property
    def theta(self) -> np.ndarray:
        """θ̂ (n_features,)."""

    def whole(self) -> Leverage:
        """The fit without rows."""

    def leverage(self, block: Block) -> tuple[Leverage, Decisive]:
        """Leverage and residuals of the rows of a block, and those rows that would have to be refitted first."""


def row_values(
    fit: FitOfAll, block: Block, mechanism: GlmRelease, log_delta: float
) -> tuple[dict[str, np.ndarray], Decisive]:
    """The columns `ROW_COLUMNS` of the rows of a block; empty while some of its rows must be refitted first."""
    leverage, decisive = fit.leverage(block)
    if len(decisive.rows):
        return {}, decisive
    check_range(leverage.out_of_sample, leverage.loo_residual)
    exposures = analysis_of(mechanism).of_rows(mechanism, block, leverage)
    values = {
        "row": block.rows,
        "epsilon": exposures.epsilon(log_delta),
        "in_sample": leverage.in_sample,
        "out_of_sample": leverage.out_of_sample,
        "residual": leverage.residual,
        "loo_residual": leverage.loo_residual,
    }
    return values, decisive


def check_mechanism(mechanism: GlmRelease) -> None:
    """Refuse a mechanism whose analysis needs all rows at once.

    Raises
    ------
    UnsupportedError
    """
    if not analysis_of(mechanism).by_block:
        linear, other = (
            ", ".join(kind.__name__ for kind, analysis in analyses.items() if analysis.by_block)
            for analyses in (ANALYSES, GLM_ANALYSES)
        )
        raise UnsupportedError(
            f"rows can be read in pieces for {linear} of linear regression and {other} of other models only, got "
            f"{mechanism!r}; read the whole file"
        )
