"""The privacy of every row of a data set under one release, and of records that are not in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.errors import ParameterError
from dpcore.extras import told
from dpcore.individual import people, reasons
from dpcore.individual.exact.found import ExactRows
from dpcore.individual.exposure import TOLERANCE, Aim, Exposures, analysis_of, part_of
from dpcore.individual.fit.leverage import Leverage
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.what_if import WhatIf, finite, outside
from dpcore.individual.worst_record.for_all import ForAll, confirmed, for_all
from dpcore.mechanisms.releases import GlmRelease, same_model
from dpcore.profiles import Bound, PrivacyProfile

if TYPE_CHECKING:
    import pandas as pd

_METHODS = ("exact", "bound")


@dataclass(frozen=True, eq=False, repr=False)
class IndividualPrivacy:
    r"""Per-instance differential privacy of each row i: Z = all other rows, Z' = all rows.

    .. math:: ε_i = \min\{ε ≥ 0 : \max(H_{e^ε}(M(Z)‖M(Z')), H_{e^ε}(M(Z')‖M(Z))) ≤ δ\}

    Made by `individual_privacy`.

    Parameters
    ----------
    mechanism : the release
    delta : δ in (0, 1)
    method : what `epsilon` is
    domain : public bounds, or None
    leverage : the fit, and the influence of every row on it
    epsilon : ε of every row (n_samples,), nats
    dataset : the rows
    exposures : laws of the release with and without each row
    exactly : the rows whose `epsilon` was computed without the expansion, if that of all rows is an expansion
    """

    mechanism: GlmRelease
    delta: float
    method: EpsilonMethod
    domain: Domain | None
    leverage: Leverage
    epsilon: np.ndarray
    dataset: Dataset
    exposures: Exposures
    exactly: ExactRows | None = None

    confidentiality: ClassVar[str] = (
        "These numbers are computed from the data and are themselves sensitive: they say which rows stand out. Do not "
        "publish them without protection."
    )

    def __repr__(self) -> str:
        return (
            f"IndividualPrivacy(n_samples={self.epsilon.size}, mechanism={self.mechanism!r}, delta={self.delta!r}, "
            f"method={self.method.value!r})"
        )

    @property
    def caveat(self) -> str:
        """Sentences on what these numbers do not cover; empty if there is nothing to warn of."""
        parts = [self.mechanism.caveat]
        if self.domain is not None and self.domain.from_data:
            parts.append(
                "The domain was taken from the data, so the scaling itself reveals something about it and the worst case "
                "is not a guarantee."
            )
        endless = np.isinf(self.epsilon)
        if self.exactly is not None:
            endless[self.exactly.rows] = False  # `said` speaks of these rows
        parts.append(self.exposures.endless_rows(int(np.count_nonzero(endless))))
        return " ".join(part for part in parts if part)

    @property
    def clipping(self) -> str:
        """A sentence on which rows the clip of the mechanism cuts; empty if it cuts none."""
        return self.leverage.clipping(self.dataset.row_labels)

    @property
    def said(self) -> str:
        """Sentences on what `epsilon` is and how large its error may be; empty if all rows have a closed form."""
        return self.method.said if self.exactly is None else self.exactly.said(self.method)

    def method_of(self, index: int) -> EpsilonMethod:
        """What `epsilon` of the row at this position is."""
        known = self.exactly is not None and index in self.exactly.rows
        return EpsilonMethod.EXACT if known else self.method

    @property
    def is_expansion(self) -> bool:
        """Whether `epsilon` is an expansion around the fit; `exact` gives ε of some rows without it."""
        return self.method is EpsilonMethod.EXPANSION

    def log_delta_at(self, epsilon: Any) -> np.ndarray:
        """log δ of every row at ε ≥ 0 (a number, or one per row), shape (n_samples,)."""
        epsilon = validation.real_array("epsilon", epsilon, low=0.0)
        if epsilon.shape not in ((), self.epsilon.shape):
            raise ParameterError(
                f"epsilon must be a number or one per row ({self.epsilon.size}), got shape {epsilon.shape}"
            )
        rows = self.exposures
        return rows.bound_log_delta(epsilon) if self.method is EpsilonMethod.UPPER else rows.log_delta(epsilon)

    def delta_at(self, epsilon: Any) -> np.ndarray:
        """δ of every row at ε ≥ 0 (a number, or one per row), shape (n_samples,)."""
        return np.exp(self.log_delta_at(epsilon))

    def epsilon_at(self, delta: float) -> np.ndarray:
        """ε of every row at another δ, shape (n_samples,), nats."""
        return _epsilon(self.exposures, self.method, delta)

    def with_noise(self, share: float) -> IndividualPrivacy:
        """The same rows, released with all noise multiplied by `share` > 0; nothing is fitted again."""
        mechanism, exposures = self.mechanism.with_noise(share), self.exposures.with_noise(share)
        method = self.method if self.exactly is None else exposures.method
        epsilon = _epsilon(exposures, method, self.delta)
        return replace(self, mechanism=mechanism, exposures=exposures, epsilon=epsilon, method=method, exactly=None)

    def profile(self, index: int) -> PrivacyProfile:
        """The exact privacy profile of one row, by position, as a curve."""
        return self.exposures.profile(reasons.position(index, self.epsilon.size))

    def frame(self, rows: Any = slice(None)) -> pd.DataFrame:
        """One line per row, or for the rows at some positions: row label, epsilon, leverage in and out of sample,
        residual, loo_residual, what it means in people, reason. With error bars of ε, a last column holds them, else nan."""
        with told():
            import pandas as pd

        fit, values = self.leverage, {"row": self.dataset.row_labels[rows], "epsilon": self.epsilon[rows]}
        influence = ("in_sample", "out_of_sample", "residual", "loo_residual")
        values |= {name: getattr(fit, name)[rows] for name in influence} | people.people_columns(self, rows)
        table = pd.DataFrame(values | {"reason": reasons.reasons(fit, rows)})
        if self.exactly is not None:
            error = np.full(self.epsilon.size, np.nan)
            error[self.exactly.rows] = self.exactly.error
            table["error"] = error[rows]
        return table

    def moments(self, k: float) -> float:
        """Mean of ε^k over the rows, nats^k.

        References: wang-2019 (Definition 7).
        """
        with np.errstate(over="ignore"):
            return float(np.mean(np.power(self.epsilon, validation.positive("k", k))))

    def quantiles(self, q: Any) -> Any:
        """Quantiles of ε over the rows, nats."""
        return reasons.quantiles(self.epsilon, q)

    def most_exposed(self, count: int) -> np.ndarray:
        """Positions of the rows with the largest ε, in decreasing order (ties by position)."""
        return reasons.largest(self.epsilon, validation.integer("count", count, minimum=1))

    def with_exact(self, found: ExactRows) -> IndividualPrivacy:
        """The same result, with the `epsilon` of some rows found without the expansion; exact if these are all rows."""
        epsilon = self.epsilon.copy()
        epsilon[found.rows] = found.epsilon
        epsilon.setflags(write=False)
        method = EpsilonMethod.EXACT if np.unique(found.rows).size == epsilon.size else self.method
        known = replace(self, epsilon=epsilon, method=method, exactly=found)
        if "for_all" in vars(self):
            vars(known)["for_all"] = self.for_all
        return known

    def explain(self, index: int, known: str = "") -> str:
        """A sentence saying why the row at this position is as exposed as it is.

        Parameters
        ----------
        index : position of the row
        known : its ε in words; by default `epsilon` with the sign that says what it is

        Raises
        ------
        ParameterError
            If index is not the position of a row.
        """
        index = reasons.position(index, self.epsilon.size)
        name = self.dataset.row_name(index)
        return reasons.explain(index, name, self.epsilon, self.leverage, self.method_of(index).sign, known)

    def exact(
        self, rows: Any, tolerance: float = TOLERANCE, progress: Callable[[float], None] = lambda share: None
    ) -> ExactRows:
        """ε of some rows to a tolerance, with an error bar. If `epsilon` is an expansion, this is computed without it.

        Objective perturbation returns the error bar it has after all its draws; `ExactRows.reached` says whether this
        is within the tolerance. A posterior sample that does not reach the tolerance is refused.

        Parameters
        ----------
        rows : positions, a whole number or several
        tolerance : wanted error of ε, nats
        progress : called with the share of the work that is done; an exception it raises stops the work

        Raises
        ------
        ParameterError
            If an entry of rows is not the position of a row.
        UnsupportedError
            If the data do not allow this accuracy.
        """
        positions = np.array([reasons.position(row, self.epsilon.size) for row in np.atleast_1d(rows)], dtype=np.intp)
        tolerance = validation.positive("tolerance", tolerance)
        aim = Aim(float(np.log(self.delta)), tolerance, progress)
        found = self.exposures.exact(self.mechanism, self.dataset, self.leverage, positions, aim)
        expansion = self.exposures.take(positions).epsilon(aim.log_delta)
        return ExactRows(
            positions, found.epsilon, found.error, expansion, found.effective, np.full(len(positions), tolerance)
        )

    def what_if(self, x: Any, y: Any) -> WhatIf:
        """ε at `delta` of a record that is not in the data set, if it were added; exact if ε of the rows is.

        Parameters
        ----------
        x : array, shape (n_features,), or (n_records, n_features) for several records
        y : float, or array of shape (n_records,)

        Raises
        ------
        ParameterError
            If shapes do not fit or a number is not finite.
        """
        X, target = np.atleast_2d(finite("x", x)), np.atleast_1d(finite("y", y))
        features = self.dataset.n_features
        if X.ndim != 2 or X.shape[1] != features or target.shape != (len(X),) or np.ndim(y) != np.ndim(x) - 1:
            raise ParameterError(
                f"a record needs {features} numbers x and one number y; got x of shape {np.shape(x)} and y of shape "
                f"{np.shape(y)}"
            )
        mu, r = self.leverage.influence(X, target)
        added = self.exposures.of_added(self.mechanism, self.leverage, X, target)
        epsilon, note = _epsilon(added, added.method, self.delta), outside(self.domain, X, target)
        if np.ndim(x) > 1:
            return WhatIf(epsilon, mu, r, note)
        return WhatIf(float(epsilon[0]), float(mu[0]), float(r[0]), note)

    @cached_property
    def for_all(self) -> ForAll:
        """The most exposed record of the public domain, were it added to this data set (pDP for all).

        Raises
        ------
        ParameterError
            If no domain is known.
        """
        return self._searched(lambda share: None)

    def for_all_exactly(
        self, tolerance: float = TOLERANCE, progress: Callable[[float], None] = lambda share: None
    ) -> ForAll:
        """`for_all`, with the ε of its record computed without the expansion in `exact`, and with an error bar.

        From then on, `for_all` holds it too. The record is found by the expansion: without it, another record may be a
        little more exposed.

        Parameters
        ----------
        tolerance : wanted error of ε, nats
        progress : called with the share of the work that is done, the search included; an exception it raises stops the work

        Raises
        ------
        ParameterError
            If no domain is known.
        UnsupportedError
            If the data do not allow this accuracy; `for_all` is known nevertheless.
        """
        tolerance = validation.positive("tolerance", tolerance)
        kept = vars(self)
        if "for_all" not in kept:
            kept["for_all"] = self._searched(part_of(progress, 0, 2))
        aim = Aim(float(np.log(self.delta)), tolerance, part_of(progress, 1, 2))
        aim.progress(0.0)
        kept["for_all"] = confirmed(self.for_all, self.mechanism, self.dataset, aim)
        return self.for_all

    def _searched(self, progress: Callable[[float], None]) -> ForAll:
        return for_all(self.mechanism, self.leverage, self.public_domain, self.delta, progress)

    @cached_property
    def worst_case(self) -> PrivacyProfile:
        """Differential-privacy profile over every data set of n rows and every record of the public domain.

        Raises
        ------
        ParameterError
            If no domain is known.
        UnsupportedError
            If the mechanism has no worst-case guarantee.
        """
        return self.mechanism.worst_case(self.public_domain, self.dataset.n_samples)

    @cached_property
    def worst_case_epsilon(self) -> float:
        """ε of the worst case at `delta`, nats."""
        return float(self.worst_case.epsilon(self.delta))

    @property
    def worst_case_method(self) -> EpsilonMethod:
        """What `worst_case_epsilon` is."""
        return EpsilonMethod.EXACT if self.worst_case.bound is Bound.EXACT else EpsilonMethod.UPPER

    @property
    def public_domain(self) -> Domain:
        """The public domain.

        Raises
        ------
        ParameterError
            If none is known.
        """
        if self.domain is None:
            raise ParameterError(
                "a statement about every record needs the public domain: give domain=dp.Domain(row_norm=…, target_bound=…)"
            )
        return self.domain


def individual_privacy(
    dataset: Dataset,
    mechanism: GlmRelease,
    delta: float = 1e-6,
    method: str = "exact",
    domain: Domain | None = None,
    progress: Callable[[str, float], None] = lambda what, share: None,
    known: IndividualPrivacy | None = None,
) -> IndividualPrivacy:
    """How much a release reveals about each single row of a data set.

    Parameters
    ----------
    dataset : Dataset
    mechanism : OutputPerturbation, PosteriorSampling or ObjectivePerturbation. For the plain squared loss, ε of every
        row is exact. For another loss it is an expansion around the fit; `IndividualPrivacy.exact` gives ε of some rows
        without it
    delta : float in (0, 1)
    method : "exact", or "bound" for the published (corrected) upper bound
    domain : public domain for `for_all` and `worst_case`; that of the data set by default
    progress : called with what is being done and the share done in [0, 1]; an exception it raises stops the work
    known : an earlier result; its fit and the laws of its rows are used again as far as they still hold

    Returns
    -------
    IndividualPrivacy
        Confidential: its numbers depend on the data.

    Raises
    ------
    ParameterError, DataError, UnsupportedError

    References: wang-2019 (Definition 2).
    """
    analysis = analysis_of(mechanism)
    delta = validation.open_probability("delta", delta)
    validation.choice("method", method, _METHODS)
    if not isinstance(dataset, Dataset):
        raise ParameterError(f"dataset must be a dp.Dataset, got {type(dataset).__name__}")
    if known is not None and (known.dataset.sha256 != dataset.sha256 or not same_model(known.mechanism, mechanism)):
        known = None
    progress("leverage of every row", 0.0)
    influence = analysis.fit(mechanism, dataset) if known is None else known.leverage
    progress("distance moved by every row", 0.3)
    same = known is not None and known.mechanism == mechanism
    exposures = known.exposures if known and same else analysis.of_rows(mechanism, dataset, influence)
    found_by, log_delta = EpsilonMethod.UPPER if method == "bound" else analysis.method, float(np.log(delta))
    if found_by is EpsilonMethod.UPPER:
        epsilon = exposures.bound_epsilon(log_delta)
    else:
        epsilon = exposures.in_pieces(
            log_delta, dataset.n_samples, lambda share: progress("ε of every row", 0.4 + 0.6 * share)
        )
    epsilon.setflags(write=False)
    return IndividualPrivacy(
        mechanism, delta, found_by, domain or dataset.domain, influence, epsilon, dataset, exposures
    )


def _epsilon(exposures: Exposures, method: EpsilonMethod, delta: float) -> np.ndarray:
    log_delta = float(np.log(validation.open_probability("delta", delta)))
    return exposures.bound_epsilon(log_delta) if method is EpsilonMethod.UPPER else exposures.epsilon(log_delta)
