"""pDP for all: the most exposed record of the public domain, were it added to this data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.errors import ParameterError
from dpcore.glm.threads import SINGLE_THREADED_BLAS
from dpcore.individual.exact.found import ExactEpsilon
from dpcore.individual.exposure import Aim, analysis_of, exact_row_of
from dpcore.individual.fit.leverage import Leverage
from dpcore.individual.numbers import ENDLESS
from dpcore.individual.worst_record.climb import most_visible
from dpcore.mechanisms.releases import GlmRelease


@dataclass(frozen=True)
class ForAll:
    """sup of ε over {‖x‖ ≤ R, |y| ≤ B} with the data set fixed: the record found, its ε, and a bound without search.

    `epsilon` (nats), `leverage` μ and `residual` r belong to the record (x, y). `upper` combines the largest leverage
    with the largest residual; no record need have both. `exact` is ε of the record without the expansion, once that was
    computed (`IndividualPrivacy.for_all_exactly`).
    """

    epsilon: float
    x: np.ndarray
    y: float
    leverage: float
    residual: float
    upper: float
    exact: ExactEpsilon | None = None

    @property
    def known(self) -> float:
        """ε without the expansion if it was computed, else `epsilon`."""
        return self.epsilon if self.exact is None else float(self.exact.epsilon[0])

    @property
    def error(self) -> float | None:
        """Error bar of `exact`, nats; None if it was not computed."""
        return None if self.exact is None else float(self.exact.error[0])


def for_all(
    mechanism: GlmRelease,
    leverage: Leverage,
    domain: Domain,
    delta: float,
    progress: Callable[[float], None] = lambda share: None,
) -> ForAll:
    """Search the domain for the record whose addition would be most visible.

    Only x is searched. At each x, the target is the extreme one of the largest ε; in linear regression this is
    −sign(xᵀθ̂)B, as ε grows with |r|.

    Parameters
    ----------
    mechanism, leverage : the release, and the fit of all rows
    domain : the records that may join
    delta : δ in (0, 1)
    progress : called with the share of the search that is done; an exception it raises stops the search

    Raises
    ------
    ParameterError
        If the domain is so large that numbers overflow.
    """
    analysis, log_delta = analysis_of(mechanism), float(np.log(delta))
    if not mechanism.target.extremes(domain.target_bound):
        raise ParameterError(f"the labels −1 and 1 need target_bound = 1, got {domain.target_bound:g}")
    with SINGLE_THREADED_BLAS, np.errstate(all="ignore"):
        inverse = linalg.solve_triangular(leverage.factor, np.eye(leverage.theta.size), lower=True)
        reach = domain.row_norm * np.linalg.norm(inverse)
        if not max(reach, domain.target_bound + domain.row_norm * np.linalg.norm(leverage.theta)) < ENDLESS:
            raise ParameterError(
                f"the domain (row_norm {domain.row_norm:g}, target_bound {domain.target_bound:g}) is too large to compute "
                "with: state a smaller one"
            )
        x = most_visible(mechanism, leverage, domain, log_delta, progress)
        upper = analysis.corner(mechanism, leverage, domain, log_delta)
        x = x * min(1.0, domain.row_norm / max(float(np.linalg.norm(x)), np.finfo(float).tiny))
        y = np.array(mechanism.target.extremes(domain.target_bound)[::-1])
        X = np.tile(x, (len(y), 1))
        found = analysis.of_added(mechanism, leverage, X, y).epsilon(log_delta)
        mu, r = leverage.influence(X, y)
        k = int(np.argmax(found))
    epsilon = float(found[k])
    return ForAll(epsilon, x, float(y[k]), float(mu[k]), float(r[k]), max(upper, epsilon))


def confirmed(found: ForAll, mechanism: GlmRelease, dataset: Dataset, aim: Aim) -> ForAll:
    """The same record with its ε without the expansion: it is added to all rows, and they are the rows without it.

    Parameters
    ----------
    found : the record
    mechanism, dataset : the release and all rows
    aim : log δ, and the accuracy that is wanted

    Raises
    ------
    UnsupportedError
        If the data do not allow this accuracy.
    """
    joined = Dataset.from_arrays(np.vstack([dataset.X, found.x]), np.append(dataset.y, found.y))
    return replace(found, exact=exact_row_of(mechanism, joined, dataset.n_samples, aim))
