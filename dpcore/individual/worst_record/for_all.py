"""pDP for all: the most exposed record of the public domain, were it added to this data set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from dpcore.errors import ParameterError
from dpcore.glm.threads import SINGLE_THREADED_BLAS
from dpcore.individual.exposure import Ball, Exposures
from dpcore.individual.fit.leverage import Leverage
from dpcore.mechanisms.releases import GlmRelease

_LARGEST = 1e140  # leverages and residuals beyond it have squares that overflow


@dataclass(frozen=True)
class ForAll:
    """sup of ε over {‖x‖ ≤ R, |y| ≤ B} with the data set fixed: the record found, its ε, and a bound without search.

    `epsilon` (nats), `leverage` μ and `residual` r belong to the record (x, y); `upper` takes the largest leverage and
    the largest residual together, which no record need reach.
    """

    epsilon: float
    x: np.ndarray
    y: float
    leverage: float
    residual: float
    upper: float


def for_all(
    analysis: type[Exposures],
    mechanism: GlmRelease,
    leverage: Leverage,
    ball: Ball,
    delta: float,
    starts: np.ndarray,
) -> ForAll:
    """Search the domain for the record whose addition would be most visible.

    At a given x the larger residual is at y = −sign(xᵀθ̂)B, and ε grows with |r|, so only x is searched. `starts`
    (n_starts, n_features) are records worth starting from.

    Parameters
    ----------
    analysis : per-instance analysis of the mechanism
    mechanism, leverage : the release, and the fit of all rows
    ball : the records that may join
    delta : in (0, 1)
    starts : records worth starting from, (n_starts, n_features)

    Raises
    ------
    ParameterError
        If the domain is so large that numbers overflow.
    """
    log_delta = float(np.log(delta))
    with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
        inverse = linalg.solve_triangular(leverage.factor, np.eye(leverage.theta.size), lower=True)
        reach = ball.row_norm * np.linalg.norm(inverse)
        if not (reach < _LARGEST and ball.target_bound + ball.row_norm * np.linalg.norm(leverage.theta) < _LARGEST):
            raise ParameterError(
                f"the domain (row_norm {ball.row_norm:g}, target_bound {ball.target_bound:g}) is too large to compute "
                "with: state a smaller one"
            )
        x = analysis.search(mechanism, leverage, ball, log_delta, starts)
        upper = analysis.corner(mechanism, leverage, ball, log_delta)
        x = x * min(1.0, ball.row_norm / max(float(np.linalg.norm(x)), np.finfo(float).tiny))
        fitted = float(x @ leverage.theta)
        y = -ball.target_bound if fitted > 0 else ball.target_bound
        mu, r = float(np.square(inverse @ x).sum()), y - fitted
        found = analysis.of_added(mechanism, leverage, x[None], np.array([y]))
        epsilon = float(found.epsilon(log_delta)[0])
    return ForAll(epsilon, x, y, mu, r, max(upper, epsilon))
