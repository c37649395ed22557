"""What is kept of the rows while they are read one block after the other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dpcore.glm.losses import find
from dpcore.individual.all_rows.pictured import HISTOGRAM_BINS, ROWS_DRAWN, Histogram, Points
from dpcore.individual.all_rows.summary import QUANTILE_LEVELS, TOP, ExposureSummary
from dpcore.individual.reasons import largest, reasons_of
from dpcore.individual.worst_record.for_all import ForAll

# Decades on either side of 1 that the running histogram spans, and number of bins in each. Doubled, it takes twice the
# memory; the second also halves the error of quantiles, which is up to 0.06 %.
_DECADES, _PER_DECADE = 30, 2_048


class RunningQuantiles:
    """Counts of values ≥ 0 in bins of a fixed relative width; quantiles are known to half of this width."""

    def __init__(self) -> None:
        self._counts = np.zeros(2 * _DECADES * _PER_DECADE + 2, dtype=np.int64)
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
            place = np.floor((np.log10(inside) + _DECADES) * _PER_DECADE) + 1
            place = np.clip(place, 0, self._counts.size - 1).astype(np.int64)
            self._counts += np.bincount(place, minlength=self._counts.size)

    def merge(self, other: RunningQuantiles) -> None:
        """Count the values of another part."""
        self._counts += other._counts
        self.zeros, self.infinite = self.zeros + other.zeros, self.infinite + other.infinite
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)

    def quantile(self, q: float) -> float:
        """The q-quantile, interpolated between neighbouring values (the larger one where infinite values occur)."""
        counts = np.concatenate([[self.zeros], self._counts, [self.infinite]])
        middles = 10 ** (-_DECADES + (np.arange(self._counts.size) - 0.5) / _PER_DECADE)
        values = np.concatenate([[0.0], np.clip(middles, self.low, self.high), [np.inf]])
        rank = q * (counts.sum() - 1)
        ranks = [np.ceil(rank)] if self.infinite else [np.floor(rank), np.ceil(rank)]
        return float(np.interp(rank, ranks, values[np.searchsorted(np.cumsum(counts), ranks, side="right")]))

    def histogram(self) -> Histogram:
        """Geometric bins, at most as many as in `pictured.histogram`."""
        used = np.flatnonzero(self._counts)
        if not used.size:
            return Histogram(np.array([0.5, 1.0]), np.zeros(1, dtype=np.int64), self.zeros, self.infinite, False)
        width = max(1, -(-(used[-1] - used[0] + 1) // HISTOGRAM_BINS[1]))
        starts = np.arange(used[0], used[-1] + 1, width)
        counts = np.add.reduceat(self._counts[: used[-1] + 1], starts)
        edges = 10 ** (-_DECADES + (np.append(starts, starts[-1] + width) - 1.0) / _PER_DECADE)
        edges[0], edges[-1] = min(edges[0], self.low), max(edges[-1], self.high)
        return Histogram(edges, counts, self.zeros, self.infinite, True)


@dataclass
class Gathered:
    """What is kept of the rows while they are read: running counts, the most exposed rows, and evenly spaced ones."""

    n_samples: int
    epsilon: RunningQuantiles = field(default_factory=RunningQuantiles)
    leverage: RunningQuantiles = field(default_factory=RunningQuantiles)
    residual: RunningQuantiles = field(default_factory=RunningQuantiles)
    total: float = 0.0
    done: int = 0
    top: dict[str, np.ndarray] = field(default_factory=dict)
    drawn: list[dict[str, np.ndarray]] = field(default_factory=list)

    def add(self, values: dict[str, np.ndarray]) -> None:
        """Take in the rows of one block, in the order of the file."""
        epsilon = values["epsilon"]
        self.epsilon.add(epsilon)
        self.leverage.add(values["out_of_sample"])
        self.residual.add(np.abs(values["loo_residual"]))
        self.total += float(epsilon.sum())
        position = np.arange(self.done, self.done + epsilon.size)
        self.done += epsilon.size
        values = {"position": position, **values}
        keep = largest(epsilon, ROWS_DRAWN // 4)
        self._keep({name: column[keep] for name, column in values.items()})
        spread = self._spread()
        at = spread[(spread >= position[0]) & (spread <= position[-1])] - position[0]
        self.drawn.append({name: column[at] for name, column in values.items()})

    def merge(self, other: Gathered) -> None:
        """Take in what was gathered from the rows that follow."""
        for name in ("epsilon", "leverage", "residual"):
            getattr(self, name).merge(getattr(other, name))
        self.total += other.total
        self.done = other.done
        self.drawn += other.drawn
        if other.top:
            self._keep(other.top)

    def _keep(self, values: dict[str, np.ndarray]) -> None:
        """Keep the most exposed rows among those kept so far and these."""
        merged = {name: np.concatenate([self.top.get(name, column[:0]), column]) for name, column in values.items()}
        order = largest(merged["epsilon"], ROWS_DRAWN // 4, merged["position"])
        self.top = {name: column[order] for name, column in merged.items()}

    def points(self) -> Points:
        """The rows that are drawn: the most exposed and evenly spaced others, as in `pictured.points`."""
        parts = [self.top, *self.drawn] if self.n_samples > ROWS_DRAWN else self.drawn
        columns = {name: np.concatenate([part[name] for part in parts]) for name in self.top}
        rows, first = np.unique(columns["position"], return_index=True)
        row, in_sample, residual, epsilon = (
            columns[name][first] for name in ("row", "in_sample", "residual", "epsilon")
        )
        return Points(rows, row, in_sample, residual, epsilon, self.n_samples <= ROWS_DRAWN)

    def frame(self, count: int) -> pd.DataFrame:
        """The most exposed rows with the reason of each."""
        frame = pd.DataFrame({name: column[:count] for name, column in self.top.items() if name != "position"})
        medians = self.leverage.quantile(0.5), self.residual.quantile(0.5)
        frame["reason"] = reasons_of(frame["out_of_sample"].to_numpy(), frame["loo_residual"].to_numpy(), *medians)
        return frame

    def summary(
        self, *, for_all: ForAll | None, worst_case: Any, unknown: dict[str, str], top: int = TOP, **about: Any
    ) -> ExposureSummary:
        """The summary of all rows.

        Parameters
        ----------
        for_all, worst_case : statements about the domain, or None
        unknown : the reason for each of these that is None, by name
        top : number of rows in the table of the most exposed
        about : mechanism, delta, method, domain, and further fields that say where the rows come from
        """
        quantiles = {level: self.epsilon.quantile(level) for level in QUANTILE_LEVELS}
        return ExposureSummary(
            **about,
            n_samples=self.n_samples,
            mean=self.total / self.n_samples,
            largest=float(self.top["epsilon"][0]),
            quantiles=quantiles,
            top=self.frame(top),
            histogram=replace(self.epsilon.histogram(), method=about["method"]),
            points=replace(self.points(), method=about["method"], residual_name=find(about["mechanism"].loss).residual),
            for_all=None if for_all is None else for_all.epsilon,
            worst_case=None if worst_case is None else float(worst_case.epsilon(about["delta"])),
            worst_case_bound=None if worst_case is None else worst_case.bound,
            unknown=unknown,
            precision=RunningQuantiles.precision,
        )

    def _spread(self) -> np.ndarray:
        if self.n_samples <= ROWS_DRAWN:
            return np.arange(self.n_samples)
        return np.linspace(0, self.n_samples - 1, ROWS_DRAWN - ROWS_DRAWN // 4).astype(np.int64)
