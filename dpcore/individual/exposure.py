"""What a mechanism must supply for per-instance analysis, and the registry that finds it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar, cast

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.names import grouped
from dpcore.errors import UnsupportedError
from dpcore.glm.losses import Loss
from dpcore.glm.threads import over_blocks
from dpcore.individual.exact.found import ExactEpsilon
from dpcore.individual.fit.glm import GlmFit, Records
from dpcore.individual.fit.leverage import Leverage, leverage
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.numbers import ExpandedRecord
from dpcore.mechanisms.releases import GlmRelease
from dpcore.numerics import OfRows
from dpcore.profiles import PrivacyProfile
from dpcore.references import FormulaCard

# Wanted error of ε: in nats if ε ≤ 1, relative to ε if it is larger. Doubled, objective perturbation draws fewer lines.
TOLERANCE = 1e-3
# Records between two reports of progress. Doubled, a run that is to stop goes on for up to twice as long.
_AT_ONCE = 65_536
# Records computed in one call. Doubled, their numbers no longer fit the cache; halved, a call costs more than the
# computation itself.
_CHUNK = 4_096
# Multiplications per second in a matrix product, about; turns seconds into the unit of work of `over_blocks`. Doubled,
# a second thread is used from half as many records on.
_SPEED = 1e9
# Rényi orders that are tried. With twice as many, ε of several releases falls by less than half a per cent and takes
# twice as long.
ALPHAS = 1 + np.geomspace(1e-3, 5e3, 200)


Released = TypeVar("Released", bound=GlmRelease)


@dataclass(frozen=True, eq=False)
class RecordBounds:
    """Upper bounds, in linear regression, of what decides the ε of records in the data; all (n_records,).

    Parameters
    ----------
    norm : ‖x‖
    leverage : μ, the leverage against the other rows
    residual : |y − xᵀθ̂| under the fit to all rows, which is |r|/(1+μ)
    pull : ‖H⁻¹x‖, H = XᵀX + λI over the other rows
    """

    norm: np.ndarray
    leverage: np.ndarray
    residual: np.ndarray
    pull: np.ndarray


class Aim(NamedTuple):
    """At which log δ an ε is wanted without the expansion, and with which error (`tolerance`, nats).

    `progress` is called with the share of the work that is done; an exception it raises stops the work.
    """

    log_delta: float
    tolerance: float
    progress: Callable[[float], None] = lambda share: None

    def part(self, done: int, count: int) -> Aim:
        """The same aim for one of `count` records, whose progress is reported as a part of the whole."""
        return self._replace(progress=part_of(self.progress, done, count))


class Rows(Protocol):
    """What an analysis sees of a data set, or of a block of its rows."""

    @property
    def X(self) -> np.ndarray:
        """Rows, shape (n_rows, n_features)."""


class Exposures(OfRows, ABC, Generic[Released]):
    """Per-instance profiles of many records at once; every attribute that is an array or `Records` is (n_records,).

    A subclass is built from a data set and its leverage (`of_rows`), or from records that would be added to it
    (`of_added`), and is registered in `ANALYSES` under the class of the mechanism. It needs only the fit and the row
    itself, so that a file can be read in pieces. `method` says what its ε are. `effort` is the processor time (seconds,
    about) for the ε of one record, if its ε at a similar level of noise is known.
    """

    method: ClassVar[EpsilonMethod] = EpsilonMethod.EXACT
    effort: ClassVar[float] = 1e-6
    formulas: ClassVar[FormulaCard | None] = None  # unless they are those of the mechanism
    reported: ClassVar[tuple[str, ...]] = ()  # parameters of the mechanism that it depends on, if not on all
    endless: ClassVar[str] = "no noise hides them"  # why ε of rows is ∞
    no_bound: ClassVar[str] = (
        "the source bounds the exposure of a single record for linear regression only: use method='exact', or the worst case"
    )

    @classmethod
    def endless_rows(cls, count: int) -> str:
        """A sentence that ε of `count` rows is ∞, and why; empty if there are none, or if ε is no expansion."""
        if not count or cls.method is not EpsilonMethod.EXPANSION:
            return ""
        return f"ε of {grouped(count)} row{'s' if count > 1 else ''} is ∞: {cls.endless}."

    @classmethod
    def require(cls, mechanism: Released) -> None:
        """Refuse a mechanism for which the analysis does not hold, although its class is the right one.

        Raises
        ------
        UnsupportedError
        """
        return None

    @classmethod
    def fit(cls, mechanism: Released, dataset: Dataset) -> Leverage:
        """The fit of all rows that `of_rows` and `of_added` take.

        Raises
        ------
        DataError
        """
        expands = cls.method is EpsilonMethod.EXPANSION
        return GlmFit.of(dataset, mechanism) if expands else leverage(dataset, mechanism.lam)

    @classmethod
    @abstractmethod
    def of_rows(cls, mechanism: Released, dataset: Rows, leverage: Leverage) -> Exposures:
        """Each row of the data set against all other rows."""

    @classmethod
    @abstractmethod
    def of_added(cls, mechanism: Released, leverage: Leverage, X: np.ndarray, y: np.ndarray) -> Exposures:
        """Records X (n_records, n_features), y (n_records,), each added to all rows.

        Parameters
        ----------
        mechanism, leverage : the release, and the fit of all rows
        X : records (n_records, n_features)
        y : their targets (n_records,)
        """

    @classmethod
    def exact(
        cls, mechanism: Released, dataset: Dataset, leverage: Leverage, rows: np.ndarray, aim: Aim
    ) -> ExactEpsilon:
        """ε of some rows (k,) where `of_rows` is an approximation, and an error bar of each.

        Parameters
        ----------
        mechanism, dataset, leverage : the release, the rows and the fit of all of them
        rows : positions (k,)
        aim : log δ, and the accuracy that is wanted
        """
        if not mechanism.is_linear:
            raise UnsupportedError(f"only the expansion around the fit is known for {mechanism!r}")
        some = cls.of_rows(mechanism, dataset, leverage).take(rows)
        return ExactEpsilon.unweighted(some.epsilon(aim.log_delta), np.zeros(len(rows)))

    @classmethod
    def largest_epsilon(cls, mechanism: Released, bounds: RecordBounds, log_delta: float) -> np.ndarray:
        """Upper bounds (n_records,) of ε of every record within the given bounds; they increase with each of these.

        Raises
        ------
        UnsupportedError
            If no such bound is known.
        """
        raise UnsupportedError(f"no bound of ε that depends on one row alone is known for {mechanism!r}")

    @classmethod
    def card(cls, mechanism: Released) -> FormulaCard:
        """The formulas of the analysis."""
        return cls.formulas or mechanism.card

    @classmethod
    def parameters(cls, mechanism: Released) -> dict[str, Any]:
        """The parameters of the mechanism that the analysis depends on."""
        names = cls.reported or [part.name for part in fields(cast(Any, mechanism))]
        return {name: getattr(mechanism, name) for name in names}

    @classmethod
    def along(cls, mechanism: Released, h: np.ndarray, length: float, residual: np.ndarray) -> Exposures:
        """Records of norm `length` along eigenvectors of H with eigenvalues `h`, with residuals of size `residual`."""
        raise UnsupportedError(
            "the largest residual of a record over all data sets is known for linear regression only: choose loss='squared' "
            "without clipping, or look at the worst case"
        )

    @abstractmethod
    def with_noise(self, share: float) -> Exposures:
        """The same records with all noise multiplied by `share` > 0; `share` = ∞ leaves only what no noise hides."""

    def renyi(self, alpha: Any, direction: str) -> np.ndarray:
        """Rényi divergence of orders α ≥ 1 of every record, nats, shape (n_records, n_orders); inf where it is infinite.

        At α = 1 the Kullback–Leibler divergence; `direction` is "add" (the law without the record against the law with it) or
        "remove".
        """
        with np.errstate(all="ignore"):
            value = self._renyi(np.atleast_1d(np.asarray(alpha, dtype=float)), direction)
            return np.where(np.isnan(value), np.inf, value)

    @abstractmethod
    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        """`renyi` at orders (n_orders,); nan counts as infinite."""

    @classmethod
    def combined(cls, parts: Sequence[tuple[Any, int]]) -> Exposures | None:
        """The same records after several releases of any kind, if that has an exact form here; else None.

        Each part is the exposures under one release, and how many times that release is made.
        """
        return None

    @classmethod
    def of_group(cls, mechanism: Released, fit: Leverage, rest: Leverage) -> Exposures | None:
        """All rows that are in `fit` but not in `rest`, taken as one record, if that has an exact form; else None."""
        return None

    def by_chunk(self, work: Callable[[slice], None], count: int) -> None:
        """Do some work on `count` records, a chunk at a time."""

        def chunks(slices: list[slice]) -> None:
            with np.errstate(all="ignore"):
                for rows in slices:
                    work(rows)

        over_blocks(chunks, count, _CHUNK, count * self.effort * _SPEED)

    @classmethod
    def exact_effort(cls, n: int, d: int) -> float:
        """Seconds of processor time, about, that `exact` takes for one of n rows of d features; 0 if all are exact."""
        return 0.0

    def log_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """log δ at ε ≥ 0 (broadcast to the records), the larger of the two directions."""
        return np.maximum(self.one_way(epsilon, "add"), self.one_way(epsilon, "remove"))

    @abstractmethod
    def one_way(self, epsilon: Any, direction: str) -> np.ndarray:
        """log δ at ε ≥ 0 (broadcast to the records) in one direction, of adding or of removing the record."""

    def above(self, epsilon: float, log_delta: float) -> np.ndarray:
        """Whether δ(ε) of each record exceeds δ, as `log_delta` says; a subclass may find this out with less work."""
        return np.asarray(self.log_delta(np.array(epsilon)) > log_delta)

    @abstractmethod
    def epsilon(self, log_delta: float) -> np.ndarray:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions."""

    def in_pieces(self, log_delta: float, count: int, progress: Callable[[float], None]) -> np.ndarray:
        """`epsilon` of all `count` records, some at a time; an exception that `progress` raises stops it."""
        found = np.empty(count)
        for start in range(0, count, _AT_ONCE):
            progress(start / count)
            rows = slice(start, start + _AT_ONCE)
            found[rows] = self.take(rows).epsilon(log_delta)
        progress(1.0)
        return found

    def bound_log_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Published upper bound of log δ(ε)."""
        raise UnsupportedError(self.no_bound)

    def bound_epsilon(self, log_delta: float) -> np.ndarray:
        """Published upper bound of ε(δ); inf where it gives no bound."""
        raise UnsupportedError(self.no_bound)

    @abstractmethod
    def profile(self, index: int) -> PrivacyProfile:
        """Exact profile of one record as a curve."""

    @classmethod
    @abstractmethod
    def corner(cls, mechanism: Released, leverage: Leverage, domain: Domain, log_delta: float) -> float:
        """Upper bound of ε over the domain, as if one record had both the largest leverage and the largest residual."""


class Expanded(Exposures[Released]):
    """Records under a release of any model, each by an expansion around the fit of all rows."""

    method = EpsilonMethod.EXPANSION

    @abstractmethod
    def __init__(self, known: Records, loss: Loss, level: float) -> None:
        """From what the expansion knows of each record, the loss without a clip, and the parameter of the noise."""

    @classmethod
    def of_rows(cls, mechanism: Released, dataset: Rows, leverage: Any) -> Self:
        return cls(leverage.records, leverage.loss, getattr(mechanism, mechanism.noise.name))

    @classmethod
    def of_added(cls, mechanism: Released, leverage: Any, X: np.ndarray, y: np.ndarray) -> Self:
        return cls(leverage.added(X, y), leverage.loss, getattr(mechanism, mechanism.noise.name))

    def profile(self, index: int) -> ExpandedRecord:
        return ExpandedRecord(self.take([index]))


def part_of(progress: Callable[[float], None], done: int, count: int) -> Callable[[float], None]:
    """A progress function for one of `count` parts; it reports the progress of the whole."""
    return lambda share: progress(min(1.0, (done + share) / count))


class Registry(dict[type, type[Exposures]]):
    """Mechanism class → its `Exposures`; looked up by the mechanism's own class."""

    def find(self, mechanism: Any) -> type[Exposures]:
        """The analysis of a mechanism, if one holds for it.

        Raises
        ------
        UnsupportedError
        """
        for kind in type(mechanism).__mro__:
            if kind in self:
                self[kind].require(mechanism)
                return self[kind]
        available = ", ".join(sorted(kind.__name__ for kind in self))
        raise UnsupportedError(f"there is no per-instance analysis for {mechanism!r}; available: {available}")


ANALYSES = Registry()
"""Releases of linear regression with the plain squared loss: exact for every row."""
GLM_ANALYSES = Registry()
"""Releases of any other model: an expansion for every row, exact for those asked for."""


def analysis_of(mechanism: Any) -> type[Exposures]:
    """The analysis of a release in `ANALYSES` or, unless its model is linear regression, in `GLM_ANALYSES`.

    Raises
    ------
    UnsupportedError
    """
    if isinstance(mechanism, GlmRelease) and mechanism.loss is not None and not mechanism.is_linear:
        return GLM_ANALYSES.find(mechanism)
    return ANALYSES.find(mechanism)


def exact_row_of(mechanism: GlmRelease, dataset: Dataset, row: int, aim: Aim) -> ExactEpsilon:
    """ε of the row at this position without the expansion, after a new fit of all rows."""
    analysis = analysis_of(mechanism)
    return analysis.exact(mechanism, dataset, analysis.fit(mechanism, dataset), np.array([row]), aim)
