"""A published distribution of ε: noisy counts, what they prove about the rows, and a sentence for the public."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import isotonic_regression

from dpcore import validation
from dpcore.extras import told

if TYPE_CHECKING:
    import pandas as pd

# Shares of the rows that the statement names. With twice as many, it is too long to read.
_LEVELS = (0.5, 0.9, 0.99)


@dataclass(frozen=True)
class ShareOfRows:
    """Share of the rows under some ε: `low` ≤ share ≤ `high` with the confidence of the publication."""

    low: float
    estimate: float
    high: float


@dataclass(frozen=True)
class PublishedExposure:
    r"""Counts of rows by an upper bound ε̄ of their ε, released with noise. It contains only what is public.

    One row is in one bin, so adding or removing it changes one count by 1. Let Â be the noisy count of rows up to an
    edge, and B̂ that of rows beyond it: sums of k and of K − k counts with discrete Gaussian noise σ. With
    t² = 2 log(4(K−1)/α),

    .. math:: \frac{A_-}{A_- + B_+} \le \text{share} \le \frac{A_+}{A_+ + B_-}, \quad A_± = \hat A ± σt\sqrt k, \;
              B_± = \hat B ± σt\sqrt{K−k}

    at all edges together with probability 1 − α. As ε ≤ ε̄, the lower side also holds for ε itself.

    Parameters
    ----------
    release : what is released of the model, and its parameters, in words
    delta : δ at which the ε of rows are taken
    edges : 0 and the upper ends of the bins of ε̄, nats
    counts : noisy counts, whole numbers that may be negative
    count_sigma : noise σ of each count
    epsilon, publication_delta : (ε, δ) spent on all of it, add/remove neighbours
    beta : probability that ε̄ ≥ ε fails for some row, over the noise of the fit
    alpha : probability that some share is outside its band, over the noise of the counts
    rests_on : what ε̄ is computed from, in words
    together : a sentence on what this publication and the release of the model cost together
    """

    release: str
    delta: float
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    count_sigma: float
    epsilon: float
    publication_delta: float
    beta: float
    alpha: float
    rests_on: str
    together: str

    @property
    def confidence(self) -> float:
        """Probability that all statements hold together."""
        return 1 - self.alpha - self.beta

    @property
    def rows(self) -> int:
        """Noisy number of rows."""
        return max(sum(self.counts), 0)

    @property
    def shares(self) -> tuple[ShareOfRows, ...]:
        """Share of rows up to each edge. `low` holds for ε and for its bound, `estimate` and `high` for the bound."""
        bins = len(self.counts)
        up_to = np.concatenate([[0.0], np.cumsum(self.counts)])
        total, cuts = up_to[-1], np.arange(bins + 1)
        reach = self.count_sigma * np.sqrt(2 * np.log(4 * max(bins - 1, 1) / self.alpha))
        below, above = reach * np.sqrt(cuts), reach * np.sqrt(bins - cuts)
        low = _ratio(up_to - below, total - up_to + above)
        high = 1 - _ratio(total - up_to - above, up_to + below)
        monotone = np.clip(isotonic_regression(up_to).x, 0.0, max(total, 0.0))
        estimate = _ratio(monotone, max(monotone[-1], 0.0) - monotone)
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
        low[0] = estimate[0] = high[0] = 0.0
        low[-1] = estimate[-1] = high[-1] = 1.0
        sides = zip(low, np.clip(estimate, low, np.maximum(high, low)), np.maximum(high, low), strict=True)
        return tuple(ShareOfRows(*map(float, side)) for side in sides)

    def quantile(self, share: float) -> float:
        """An ε that at least this share of the rows does not exceed, with the confidence of the publication, nats."""
        share = validation.probability("share", share)
        return next(edge for edge, found in zip(self.edges, self.shares, strict=True) if found.low >= share)

    @property
    def statement(self) -> str:
        """A sentence or two that may be published word for word."""
        said = [f"at least {share:.0%} of the rows have ε ≤ {at_most(self.quantile(share))}" for share in _LEVELS]
        return (
            f"Per-instance privacy, {self.release}, at δ = {self.delta:g}: {said[0]}, {said[1]} and {said[2]}. "
            f"These numbers were computed with differential privacy and cost ε = {self.epsilon:g} at "
            f"δ = {self.publication_delta:g} (one row added or removed). They hold with probability "
            f"{self.confidence:.4g} over the noise. They come from upper bounds of each row's ε, {self.rests_on}; the ε of rows "
            f"can be far smaller. {self.together}"
        )

    def frame(self) -> pd.DataFrame:
        """One line per bin: its ends, the noisy count, and the share of rows up to its upper end with its band."""
        with told():
            import pandas as pd

        shares = self.shares[1:]
        columns = {"from": self.edges[:-1], "to": self.edges[1:], "noisy count": self.counts}
        return pd.DataFrame(
            columns
            | {f"share up to: {name}": [getattr(one, name) for one in shares] for name in ("low", "estimate", "high")}
        )

    def to_json(self) -> str:
        """All of it as JSON: noisy counts, edges, parameters, shares and the statement."""
        shares: list[dict[str, Any]] = [asdict(share) for share in self.shares]
        return json.dumps({**asdict(self), "shares": shares, "statement": self.statement}, ensure_ascii=False, indent=1)


def at_most(value: float) -> str:
    """Three digits, rounded up, so that a bound is still a bound as it is written."""
    context = Context(prec=3, rounding=ROUND_CEILING)
    return f"{float(context.create_decimal(value)):.3g}"


def _ratio(part: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """part/(part + rest), where negative numbers count as 0; 0 if part is 0."""
    part, rest = np.maximum(part, 0.0), np.maximum(rest, 0.0)
    return part / np.where(part + rest > 0, part + rest, 1.0)


def spent(publications: Sequence[PublishedExposure]) -> tuple[float, float]:
    """(ε, δ) of several publications from one data set together: the sums of both."""
    return sum(one.epsilon for one in publications), sum(one.publication_delta for one in publications)
