"""Fit of a regularised generalised linear model to rows read in blocks, one pass for each step of Newton's method."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any, cast

import numpy as np

from dpcore.data.stream.recipe import Block
from dpcore.errors import DPError
from dpcore.glm import Loss, Problem, solve
from dpcore.glm.fit import verified
from dpcore.glm.losses import find
from dpcore.glm.newton import Newton
from dpcore.glm.solver import Path
from dpcore.glm.threads import SINGLE_THREADED_BLAS
from dpcore.individual.exact.newton import MOST_STEPS
from dpcore.individual.fit.glm import GlmFit, clipped, tolerance
from dpcore.individual.fit.third import MOST_FEATURES, bends_matter, third_moments
from dpcore.individual.passes.blocks import Moments
from dpcore.mechanisms.releases import GlmRelease
from dpcore.numerics import BLOCK

# 2⁶⁴ divided by the golden ratio: its multiples modulo 2⁶⁴ are spread evenly. Doubled, it is an even number, and they
# are not.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass
class RowSample:
    """A sample spread evenly over the rows added so far, of at most `BLOCK` cells, however rows are divided."""

    parts: list[Block] = field(default_factory=list)
    limit: int = 2**64 - 1
    count: int = 0

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        self.count += len(block.y)
        self._keep(block)

    def merge(self, other: RowSample) -> None:
        """Add the rows of another part."""
        self.limit = min(self.limit, other.limit)
        self.count += other.count
        kept, self.parts = self.parts, []
        for block in (*kept, *other.parts):
            self._keep(block)

    def _keep(self, block: Block) -> None:
        self.parts.append(self._chosen(block))
        while sum(part.X.size for part in self.parts) > max(BLOCK, block.X.shape[1]) and self.limit:
            self.limit //= 2
            self.parts = [self._chosen(part) for part in self.parts]

    def _chosen(self, block: Block) -> Block:
        with np.errstate(over="ignore"):
            return block.take(block.rows.astype(np.uint64) * _GOLDEN <= np.uint64(self.limit))

    def fit(self, release: GlmRelease) -> tuple[np.ndarray, float]:
        """The fit to the sample, with λ scaled to its size, and approximately ‖∇J(0)‖ of all rows.

        Raises
        ------
        DataError
        ConvergenceError
        """
        rows = Block.joined(self.parts)
        stride = self.count / len(rows.y)
        problem = Problem(release.loss, rows.X, rows.y, lam=release.lam / stride, clip=release.clip)
        slope = stride * float(np.linalg.norm(problem.gradient(np.zeros(problem.n_features))))
        return solve(problem, tolerance(slope) / stride).theta, slope


@dataclass
class Sampled(Moments):
    """XᵀX, Xᵀy and a sample of the rows added so far."""

    sample: RowSample = field(default_factory=RowSample)

    def add(self, block: Block) -> None:
        super().add(block)
        self.sample.add(block)

    def merge(self, other: Any) -> None:
        super().merge(other)
        self.sample.merge(other.sample)


@dataclass
class Summed:
    """Values of a function of blocks, joined over the rows added so far: their sum, or the largest."""

    of: Callable[[Block], tuple[Any, ...]]
    join: Callable[[Any, Any], Any] = operator.add
    values: tuple[Any, ...] = ()

    def empty(self) -> Summed:
        """The same function, with no rows yet."""
        return replace(self, values=())

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        self.merge(replace(self, values=self.of(block)))

    def merge(self, other: Summed) -> None:
        """Add the rows of another part."""
        whole = [part.values for part in (self, other) if part.values]
        self.values = tuple(reduce(self.join, values) for values in zip(*whole, strict=True))


def _sums(loss: Loss, clip: float | None, theta: np.ndarray, block: Block) -> tuple[Any, ...]:
    """Σ f, its gradient and its Hessian."""
    loss.check_target(block.y, block.rows)
    problem = Problem(loss, block.X, block.y, lam=0.0, clip=clip)
    return *problem.value_and_gradient(theta), problem.hessian(theta)


def _round_off(loss: Loss, clip: float | None, theta: np.ndarray, block: Block) -> tuple[float]:
    """Upper bound of the rounding error of ∇Σf."""
    return (Problem(loss, block.X, block.y, lam=0.0, clip=clip).gradient_round_off(theta),)


def _third(loss: Loss, clip: float | None, theta: np.ndarray, block: Block) -> tuple[Any]:
    """Third derivatives of Σ f."""
    return (third_moments(clipped(loss, clip, block.X), theta, block.X, block.y),)


def _move(step: np.ndarray, block: Block) -> tuple[float]:
    """Largest |xᵀ step|."""
    return (float(np.abs(block.X @ step).max()),)


class PassedProblem:
    r"""A `Problem` whose rows are read in passes, for Newton's method: one pass gives J, its gradient and its Hessian.

    .. math:: J(θ) = \sum_i f(x_i^⊤θ; y_i) + \frac λ2‖θ‖²

    Parameters
    ----------
    release : loss, clip and λ
    n_samples, n_features : number of rows and of columns
    over_rows : makes a pass that adds every row to its argument
    """

    cells, hessian_effort = 0, 0.0

    def __init__(self, release: GlmRelease, n_samples: int, n_features: int, over_rows: Callable[[Any], Any]) -> None:
        self.n_samples, self.n_features, self.lam = n_samples, n_features, float(release.lam)
        self.loss, self.clip = find(release.loss), release.clip
        self._over_rows = over_rows
        self._seen: dict[bytes, tuple[Any, ...]] = {}

    @property
    def strong_convexity(self) -> float:
        """λ."""
        return self.lam

    def value(self, theta: np.ndarray) -> float:
        """J(θ)."""
        return self._at(theta)[0] + self.lam / 2 * float(theta @ theta)

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """∇J(θ)."""
        return self._at(theta)[1] + self.lam * theta

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """∇²J(θ)."""
        return self._at(theta)[2] + self.lam * np.eye(self.n_features)

    def gradient_round_off(self, theta: np.ndarray) -> float:
        """Upper bound of the rounding error of ‖∇J(θ)‖."""
        own = np.finfo(float).eps * self.lam * float(np.linalg.norm(theta))
        return float(self._pass(_round_off, theta)[0]) + own

    def largest_move(self, step: np.ndarray) -> float:
        """Largest |xᵀ step| over the rows."""
        return float(self._over_rows(Summed(partial(_move, step), max)).values[0])

    def third(self, theta: np.ndarray) -> np.ndarray:
        """Third derivatives of J at θ, as `third_moments`."""
        return self._pass(_third, theta)[0]

    def _pass(self, of: Callable[..., tuple[Any, ...]], theta: np.ndarray) -> tuple[Any, ...]:
        return self._over_rows(Summed(partial(of, self.loss, self.clip, theta.copy()))).values

    def _at(self, theta: np.ndarray) -> tuple[Any, ...]:
        key = theta.tobytes()
        if key not in self._seen:
            self._seen[key] = self._pass(_sums, theta)
        return self._seen[key]


def fit_in_passes(release: GlmRelease, total: Sampled, over_rows: Callable[[Any], Any]) -> GlmFit:
    """The fit to all rows. It starts at the fit to the sample and makes passes until ‖∇J‖ is small enough.

    Parameters
    ----------
    release : loss, clip and λ
    total : what the first pass kept
    over_rows : makes a pass that adds every row to its argument

    Raises
    ------
    ConvergenceError
        If the gradient at the end is too large, or there is no unique minimiser.
    DataError
        If the targets do not suit the loss, or the fit is not determined.
    """
    problem = PassedProblem(release, total.sample.count, len(total.gram), over_rows)
    with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
        try:
            theta, slope = total.sample.fit(release)
        except DPError:  # the fault may be the sample's alone; if it is not, the fit to all rows reports it
            theta = np.zeros(problem.n_features)
            slope = float(np.linalg.norm(problem.gradient(theta)))
        path, tol = Path(cast(Problem, problem), theta), tolerance(slope)
        solver = Newton(MOST_STEPS)
        solver.run(path, tol, np.random.default_rng(0))
        verified(path, tol, solver.title)
        fit = GlmFit.of_no_one(release, path.theta, problem.hessian(path.theta), total.gram)
        if bends_matter(release) and fit.loss.bend_rate and len(fit.theta) <= MOST_FEATURES:
            fit = replace(fit, third=problem.third(fit.theta))
        return fit
