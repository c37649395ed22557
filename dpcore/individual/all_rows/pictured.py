"""What a picture needs from a per-instance result: binned counts and a bounded sample of points, whatever n is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpcore import validation
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.result import IndividualPrivacy

# Fewest and most bins of a histogram, whatever the rule for their width suggests. Doubled, bars get narrower.
HISTOGRAM_BINS = (12, 60)
# Largest number of rows drawn as points. Doubled, pictures hold twice as many points.
ROWS_DRAWN = 2_000
# If the ratio of the largest to the smallest positive ε is above this, bins are geometric. Doubled, fewer pictures have
# geometric bins.
_LOG_SCALE_FROM = 30.0


@dataclass(frozen=True)
class Histogram:
    """Counts of rows in bins of ε; rows with ε = 0 or ∞ are counted apart."""

    edges: np.ndarray
    counts: np.ndarray
    zeros: int
    infinite: int
    log_scale: bool
    method: EpsilonMethod = EpsilonMethod.EXACT


class Exposed(Protocol):
    """ε of some rows, and what it is."""

    @property
    def epsilon(self) -> np.ndarray: ...

    @property
    def method(self) -> EpsilonMethod: ...


def histogram(result: Exposed, beside: Sequence[float] = (), weights: np.ndarray | None = None) -> Histogram:
    """Bin ε over the rows; bins are geometric if ε and the values `beside` it span a large range.

    `weights` says how many rows each ε represents, in whole numbers; by default each represents only itself.
    """
    epsilon = result.epsilon
    seen = (epsilon > 0) & np.isfinite(epsilon)
    inside, times = epsilon[seen], None if weights is None else weights[seen]
    low, high = (inside.min(), inside.max()) if inside.size else (0.5, 1.0)
    others = [value for value in beside if 0 < value < np.inf]
    log_scale = bool(max(high, *others, high) > _LOG_SCALE_FROM * low)
    if high <= low * (1 + 1e-9):
        low, high = low * 0.9, high * 1.1
    scaled = np.log(inside) if log_scale else inside
    suggested = _suggested(scaled, times) if inside.size else 1
    bins = int(np.clip(suggested, *HISTOGRAM_BINS))
    edges = np.geomspace(low, high, bins + 1) if log_scale else np.linspace(low, high, bins + 1)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    counts, _ = np.histogram(inside, edges, weights=times)
    zeros, infinite = (
        int(np.sum(apart if weights is None else weights[apart])) for apart in (epsilon == 0, np.isinf(epsilon))
    )
    return Histogram(edges, counts, zeros, infinite, log_scale, result.method)


def _suggested(values: np.ndarray, weights: np.ndarray | None) -> int:
    """The number of bins NumPy suggests, as if each value were repeated as often as its weight says."""
    if weights is None:
        return np.histogram_bin_edges(values, "auto").size - 1
    n = weights.sum()
    low, high = np.quantile(values, [0.25, 0.75], weights=weights, method="inverted_cdf")
    spread = float(np.ptp(values))
    width = spread / (np.log2(n) + 1)
    if high > low:
        width = min(width, 2 * (high - low) / n ** (1 / 3))
    return int(np.ceil(spread / width)) if width > 0 else 1


def counted(result: IndividualPrivacy, edges: Sequence[float]) -> np.ndarray:
    """Number of rows in each bin of ε; `edges` are 0 and the upper ends, and the last bin holds all larger ε too.

    The counts are confidential.
    """
    return np.bincount(np.searchsorted(np.asarray(edges)[1:-1], result.epsilon), minlength=len(edges) - 1)


@dataclass(frozen=True)
class Points:
    """Rows shown as points: their positions in the data set, their numbers in the file, and what is drawn of each."""

    rows: np.ndarray
    labels: np.ndarray
    leverage: np.ndarray
    residual: np.ndarray
    epsilon: np.ndarray
    complete: bool
    residual_name: str = "residual"
    method: EpsilonMethod = EpsilonMethod.EXACT


def points(result: IndividualPrivacy, limit: int = ROWS_DRAWN) -> Points:
    """All rows up to the limit; beyond it the most exposed quarter of the limit and evenly spaced others."""
    limit = validation.integer("limit", limit, minimum=8)
    n = result.epsilon.size
    if n <= limit:
        rows = np.arange(n)
    else:
        exposed = result.most_exposed(limit // 4)
        spread = np.linspace(0, n - 1, limit - exposed.size).astype(np.int64)
        rows = np.union1d(exposed, spread)
    return Points(
        rows,
        result.dataset.row_labels[rows],
        result.leverage.in_sample[rows],
        result.leverage.residual[rows],
        result.epsilon[rows],
        n <= limit,
        result.leverage.residual_name,
        result.method,
    )
