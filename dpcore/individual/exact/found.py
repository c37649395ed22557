"""The results of a computation without the expansion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpcore.individual.method import EpsilonMethod
from dpcore.numerics import OfRows

# An ε above this (nats) is not told from ∞: odds of e^1000 to 1 outweigh whatever one believed before. Doubled, larger
# ε are computed that mean no privacy either.
NO_PRIVACY = 1_000.0
ABOVE = f"> {NO_PRIVACY:,.0f}".replace(",", "\u202f")
NO_PRIVACY_SAID = (
    f"its ε is above {NO_PRIVACY:,.0f}".replace(",", "\u202f")
    + ", which is no privacy at this delta: choose a larger lam, "
    "more noise or a larger delta, or clip gradients"
)
# If the relative error of the expansion is at least this, its direction is stated. Doubled, readers must guess it more
# often.
_LITTLE = 0.2


class ExactEpsilon(NamedTuple):
    """ε of some records and what is known about its accuracy, arrays (k,).

    Parameters
    ----------
    epsilon : ε, nats
    error : error bar of each; 0 if ε has a closed form
    effective : effective sample size of the importance weights as a share of the points drawn, the smallest over the
        hyperplanes; nan if there are no weights
    """

    epsilon: np.ndarray
    error: np.ndarray
    effective: np.ndarray

    @classmethod
    def unweighted(cls, epsilon: np.ndarray, error: np.ndarray) -> ExactEpsilon:
        """Results that were found without importance weights."""
        return cls(epsilon, error, np.full(epsilon.shape, np.nan))


@dataclass(frozen=True, eq=False)
class ExactRows(OfRows):
    """ε of some rows found without the expansion, shapes (k,), nats.

    Parameters
    ----------
    rows : positions
    epsilon : ε at the δ of the result; ∞ if it is above `NO_PRIVACY`
    error : error bar of each; 0 if ε has a closed form
    expansion : ε of the same rows by the expansion
    effective : effective sample size of the importance weights as a share of the points drawn; nan if there are no
        weights
    tolerance : the error that was asked for
    """

    rows: np.ndarray
    epsilon: np.ndarray
    error: np.ndarray
    expansion: np.ndarray
    effective: np.ndarray
    tolerance: np.ndarray

    @property
    def reached(self) -> np.ndarray:
        """Whether each error bar is within the tolerance that was asked for."""
        return self.error <= self.tolerance

    @property
    def missed(self) -> str:
        """A sentence on the error bars that are wider than asked for; empty if none is."""
        over = ~self.reached
        if not over.any():
            return ""
        return (
            f"The error bars of {np.count_nonzero(over)} of {over.size} rows are wider than asked for (± "
            f"{self.error[over].max():.2g} instead of ± {self.tolerance[over].min():.2g}), all draws being made: ε of these "
            "rows is known to its own error bar only."
        )

    @property
    def expansion_error(self) -> float:
        """Largest relative error of the expansion among these rows. It is measured, and no bound for the others."""
        seen = (self.epsilon > 0) & np.isfinite(self.epsilon) & np.isfinite(self.expansion)
        return float(np.max(np.abs(self.expansion[seen] / self.epsilon[seen] - 1), initial=0.0))

    @property
    def off(self) -> str:
        """Words for the error of the expansion on these rows; if it is large, the ratio shows its direction."""
        if self.expansion_error < _LITTLE:
            return f"it is off by at most {max(100 * self.expansion_error, 0.01):.2g} %"
        seen = (self.epsilon > 0) & np.isfinite(self.epsilon) & (self.expansion > 0) & np.isfinite(self.expansion)
        ratio = self.epsilon[seen] / self.expansion[seen]
        if not ratio.size:
            return "it says ε = 0 or ∞ where neither is true"
        return f"ε is {ratio.min():.3g} to {ratio.max():.3g} times what it says"

    @property
    def weighted(self) -> str:
        """A sentence on the effective sample size of the importance weights; empty if there are none."""
        shares = self.effective[~np.isnan(self.effective)]
        return (
            f" Effective sample size: at least {100 * shares.min():.0f} % of the points drawn." if shares.size else ""
        )

    def said(self, method: EpsilonMethod) -> str:
        """Sentences on what ε of every row is, now that these rows are known without the expansion.

        Parameters
        ----------
        method : what ε of all rows is; exact if these are all rows
        """
        endless, bar = np.count_nonzero(np.isinf(self.epsilon)), max(1e-4, float(self.error.max(initial=0.0)))
        if method is EpsilonMethod.EXACT:
            text = f"ε of every row is computed without the expansion around the fit, to ± {bar:.1g}: there {self.off}."
        else:
            rows = f"{self.rows.size} row{'s' if self.rows.size > 1 else ''}"
            text = (
                f"{method.said} {rows} computed without it, to ± {bar:.1g}: there {self.off} (measured, "
                "not a bound for the others)."
            )
        if endless:
            rows = "1 row has" if endless == 1 else f"{endless} rows have"
            text += f" {rows} ε {ABOVE}: no privacy at this δ."
        return text + self.weighted
