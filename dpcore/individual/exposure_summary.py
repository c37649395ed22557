"""What is said about all rows together, from a result in memory or gathered block by block."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dpcore.data.domain import Domain
from dpcore.data.report import IngestReport
from dpcore.errors import DPError
from dpcore.individual import views
from dpcore.individual.assumptions import Assumptions, assumptions, assumptions_of
from dpcore.individual.for_all import ForAll
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.summary import NOTABLE
from dpcore.individual.views import Histogram, Points
from dpcore.profiles import Bound

TOP = 100
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
_DRAWN = 2_000
_DECADES, _PER_DECADE = (-30, 30), 2_048  # bins of the running histogram: 0.11 % wide
_SHOWN_BINS = 40


@dataclass(frozen=True, eq=False)
class ExposureSummary:
    """Exposure of all rows under one release, in a size that does not depend on their number.

    quantiles : ε at the levels `LEVELS`; top : the most exposed rows, decreasing, with ids where known; for_all, worst_case : ε of the most
    exposed record of the public domain, added to these data or to any data, or None with the reason in `unknown`;
    precision : relative half-width within which the quantiles are known (0 where exact).
    """

    mechanism: Any
    delta: float
    method: str
    domain: Domain | None
    n_samples: int
    names: tuple[str, ...]
    target: str
    report: IngestReport
    mean: float
    largest: float
    quantiles: dict[float, float]
    top: pd.DataFrame
    histogram: Histogram
    points: Points
    for_all: float | None
    worst_case: float | None
    worst_case_bound: Bound | None
    unknown: dict[str, str]
    caveat: str
    precision: float = 0.0

    confidentiality: ClassVar[str] = IndividualPrivacy.confidentiality

    @property
    def assumptions(self) -> Assumptions:
        """What these numbers take for granted, in sentences."""
        return assumptions(self.report, self.domain, self.target, self.n_samples)

    @classmethod
    def of(cls, result: IndividualPrivacy, top: int = TOP) -> ExposureSummary:
        """The summary of a result in memory."""
        unknown: dict[str, str] = {}
        for_all = _or_reason(lambda: float(result.for_all.epsilon), "for_all", unknown)
        worst = _or_reason(lambda: result.worst_case_epsilon, "worst_case", unknown)
        rows = views.most_exposed(result, top)
        data = result.dataset
        guaranteed = not assumptions_of(data).no_guarantee
        beside = [value for value in (for_all, worst) if guaranteed and value is not None]
        return cls(
            result.mechanism, result.delta, result.method, result.domain, data.n_samples, data.names, data.target,
            data.report, result.moments(1), float(result.epsilon.max()),
            dict(zip(LEVELS, (float(v) for v in result.quantiles(list(LEVELS))), strict=True)),
            _with_ids(result, rows), views.histogram(result, beside), views.points(result),
            for_all, worst, None if worst is None else result.worst_case.bound, unknown, result.caveat,
        )  # fmt: skip


def _with_ids(result: IndividualPrivacy, rows: np.ndarray) -> pd.DataFrame:
    """Exposure of some rows, with what the owner calls them where that is known."""
    frame, ids = result.frame(rows), result.dataset.row_ids(rows)
    if any(ids):
        frame.insert(1, "id", ids)
    return frame


def _or_reason(compute: Any, name: str, unknown: dict[str, str]) -> float | None:
    try:
        return float(compute())
    except DPError as error:
        unknown[name] = str(error)
        return None


class RunningQuantiles:
    """Counts of values ≥ 0 in bins of a fixed relative width; quantiles are known to half of it."""

    def __init__(self) -> None:
        self._counts = np.zeros((_DECADES[1] - _DECADES[0]) * _PER_DECADE + 2, dtype=np.int64)
        self.zeros = self.infinite = 0
        self.low, self.high = np.inf, 0.0

    precision: ClassVar[float] = float(10 ** (0.5 / _PER_DECADE) - 1)

    def add(self, values: np.ndarray) -> None:
        """Count more values."""
        inside = values[(values > 0) & np.isfinite(values)]
        self.zeros += int(np.count_nonzero(values == 0))
        self.infinite += int(np.count_nonzero(np.isinf(values)))
        if inside.size:
            self.low, self.high = min(self.low, float(inside.min())), max(self.high, float(inside.max()))
            place = np.floor((np.log10(inside) - _DECADES[0]) * _PER_DECADE) + 1
            place = np.clip(place, 0, self._counts.size - 1).astype(np.int64)
            self._counts += np.bincount(place, minlength=self._counts.size)

    def merge(self, other: RunningQuantiles) -> None:
        """Count the values of another part."""
        self._counts += other._counts
        self.zeros, self.infinite = self.zeros + other.zeros, self.infinite + other.infinite
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)

    def quantile(self, q: float) -> float:
        """The q-quantile, interpolated between neighbouring values (the larger one where infinite values occur)."""
        cumulative = self.zeros + np.cumsum(self._counts)
        total = self.infinite + int(cumulative[-1])
        rank = q * (total - 1)
        if self.infinite:
            return self._value(np.ceil(rank), cumulative)
        below = np.floor(rank)
        share = rank - below
        return (1 - share) * self._value(below, cumulative) + share * self._value(min(below + 1, total - 1), cumulative)

    def _value(self, rank: float, cumulative: np.ndarray) -> float:
        """Middle of the bin of the value at a rank from 0."""
        if rank < self.zeros:
            return 0.0
        place = int(np.searchsorted(cumulative, rank, side="right"))
        if place >= self._counts.size:
            return float("inf")
        return float(np.clip(10 ** (_DECADES[0] + (place - 0.5) / _PER_DECADE), self.low, self.high))

    def histogram(self) -> Histogram:
        """About forty geometric bins."""
        used = np.flatnonzero(self._counts)
        if not used.size:
            return Histogram(np.array([0.5, 1.0]), np.zeros(1, dtype=np.int64), self.zeros, self.infinite, False)
        width = max(1, -(-(used[-1] - used[0] + 1) // _SHOWN_BINS))
        starts = np.arange(used[0], used[-1] + 1, width)
        counts = np.add.reduceat(self._counts[: used[-1] + 1], starts)
        edges = 10 ** (_DECADES[0] + (np.append(starts, starts[-1] + width) - 1.0) / _PER_DECADE)
        edges[0], edges[-1] = min(edges[0], self.low), max(edges[-1], self.high)
        return Histogram(edges, counts, self.zeros, self.infinite, True)


@dataclass
class Gathered:
    """What is kept of the rows while they pass by: running counts, the most exposed of them, and evenly spaced ones."""

    n_samples: int
    epsilon: RunningQuantiles = field(default_factory=RunningQuantiles)
    leverage: RunningQuantiles = field(default_factory=RunningQuantiles)
    residual: RunningQuantiles = field(default_factory=RunningQuantiles)
    total: float = 0.0
    done: int = 0
    top: dict[str, np.ndarray] = field(default_factory=dict)
    top_X: np.ndarray | None = None
    drawn: list[dict[str, np.ndarray]] = field(default_factory=list)

    def add(self, values: dict[str, np.ndarray], X: np.ndarray) -> None:
        """Take in the rows of one block, in the order of the file."""
        epsilon = values["epsilon"]
        self.epsilon.add(epsilon)
        self.leverage.add(values["out_of_sample"])
        self.residual.add(np.abs(values["loo_residual"]))
        self.total += float(epsilon.sum())
        position = np.arange(self.done, self.done + epsilon.size)
        self.done += epsilon.size
        values = {"position": position, **values}
        keep = self._best(epsilon, position, _DRAWN // 4)
        self._keep({name: column[keep] for name, column in values.items()}, X[keep])
        spread = self._spread()
        at = spread[(spread >= position[0]) & (spread <= position[-1])] - position[0]
        self.drawn.append({name: column[at] for name, column in values.items()})

    def merge(self, other: Gathered) -> None:
        """Take in what was gathered of the rows that follow."""
        for name in ("epsilon", "leverage", "residual"):
            getattr(self, name).merge(getattr(other, name))
        self.total += other.total
        self.done = other.done
        self.drawn += other.drawn
        if other.top_X is not None:
            self._keep(other.top, other.top_X)

    def _keep(self, values: dict[str, np.ndarray], X: np.ndarray) -> None:
        """Keep the most exposed of the rows kept so far and of these."""
        merged = {name: np.concatenate([self.top.get(name, column[:0]), column]) for name, column in values.items()}
        stacked = X if self.top_X is None else np.concatenate([self.top_X, X])
        order = self._best(merged["epsilon"], merged["position"], _DRAWN // 4)
        self.top = {name: column[order] for name, column in merged.items()}
        self.top_X = stacked[order]

    def points(self) -> Points:
        """The rows drawn: the most exposed and others evenly, as in `views.points`."""
        parts = [self.top, *self.drawn] if self.n_samples > _DRAWN else self.drawn
        columns = {name: np.concatenate([part[name] for part in parts]) for name in self.top}
        rows, first = np.unique(columns["position"], return_index=True)
        chosen = [columns[name][first] for name in ("row", "in_sample", "residual", "epsilon")]
        return Points(rows, *chosen, self.n_samples <= _DRAWN)

    def frame(self, count: int) -> pd.DataFrame:
        """The most exposed rows with the reason of each."""
        frame = pd.DataFrame({name: column[:count] for name, column in self.top.items() if name != "position"})
        high = frame["out_of_sample"] > NOTABLE * self.leverage.quantile(0.5)
        large = frame["loo_residual"].abs() > NOTABLE * self.residual.quantile(0.5)
        frame["reason"] = np.array(["neither", "leverage", "residual", "both"])[
            high.to_numpy(dtype=int) + 2 * large.to_numpy(dtype=int)
        ]
        return frame

    def summary(
        self, *, for_all: ForAll | None, worst_case: Any, unknown: dict[str, str], top: int = TOP, **about: Any
    ) -> ExposureSummary:
        """The summary of all rows; `about` names mechanism, delta, domain and where the rows come from."""
        quantiles = {level: self.epsilon.quantile(level) for level in LEVELS}
        return ExposureSummary(
            **about,
            n_samples=self.n_samples,
            mean=self.total / self.n_samples,
            largest=float(self.top["epsilon"][0]),
            quantiles=quantiles,
            top=self.frame(top),
            histogram=self.epsilon.histogram(),
            points=self.points(),
            for_all=None if for_all is None else for_all.epsilon,
            worst_case=None if worst_case is None else float(worst_case.epsilon(about["delta"])),
            worst_case_bound=None if worst_case is None else worst_case.bound,
            unknown=unknown,
            precision=RunningQuantiles.precision,
        )

    def _spread(self) -> np.ndarray:
        if self.n_samples <= _DRAWN:
            return np.arange(self.n_samples)
        return np.linspace(0, self.n_samples - 1, _DRAWN - _DRAWN // 4).astype(np.int64)

    @staticmethod
    def _best(epsilon: np.ndarray, position: np.ndarray, count: int) -> np.ndarray:
        count = min(count, epsilon.size)
        found = np.argpartition(-epsilon, count - 1)[:count]
        return found[np.lexsort((position[found], -epsilon[found]))]
