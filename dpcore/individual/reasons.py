"""Per-instance privacy in words and tables: moments, quantiles, why a row is exposed."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.individual.fit.leverage import Leverage

_ALL = slice(None)
# A leverage or a residual is named as a reason if it exceeds the median of all rows by this factor. Doubled, neither is
# named for more rows.
_NOTABLE = 2.0
# Levels, in (0, 1), of the quantiles that summarise ε of all rows.
GROUP_LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
QUANTILE_LEVELS = (*GROUP_LEVELS, 0.99)


def quantiles(epsilon: np.ndarray, q: Any) -> Any:
    """Quantiles of ε over the rows. If some ε is ∞, the next larger observed value replaces interpolation."""
    q = validation.real_array("q", q, low=0.0, high=1.0)
    return np.quantile(epsilon, q, method="linear" if np.isfinite(epsilon).all() else "higher")


def reasons(leverage: Leverage, rows: Any = _ALL) -> np.ndarray:
    """ "leverage", "residual", "both" or "neither" for some rows: which exceeds twice its median over all rows."""
    return reasons_of(leverage.out_of_sample[rows], leverage.loo_residual[rows], *leverage.medians)


def reasons_of(leverage: np.ndarray, residual: np.ndarray, usual: float, usual_residual: float) -> np.ndarray:
    """`reasons` of rows with these leverages and residuals, compared with the medians of all rows."""
    high, large = leverage > _NOTABLE * usual, np.abs(residual) > _NOTABLE * usual_residual
    return np.array(["neither", "leverage", "residual", "both"])[high + 2 * large]


def explain(index: int, name: str, epsilon: np.ndarray, leverage: Leverage, sign: str = "=", shown: str = "") -> str:
    """Why the row at this position, called by its name, is as exposed as it is, compared with the medians.

    Parameters
    ----------
    index, name : position and name of the row
    epsilon, leverage : ε and fit of all rows
    sign : sign to put before its ε
    shown : its ε in words, if that is more than the number
    """
    usual, usual_residual = leverage.medians
    parts = (
        f"its leverage is {_against(leverage.out_of_sample[index], usual)}",
        f"its {leverage.residual_name} is {_against(abs(leverage.loo_residual[index]), usual_residual)} in size",
    )
    because = {
        "leverage": "Few other rows look like it, so the fit must follow it",
        "residual": "It disagrees with what the other rows predict",
        "both": "Few other rows look like it, and it disagrees with what they predict",
        "neither": "Neither stands out by itself",
    }[str(reasons(leverage, [index])[0])]
    value = epsilon[index]
    known = (
        f"{shown or f'ε {sign} {value:.3g}'}, {_against(value, np.median(epsilon))}"
        if np.isfinite(value)
        else "no finite bound on ε"
    )
    return f"{name[:1].upper()}{name[1:]} has {known}: {parts[0]}; {parts[1]}. {because}.{leverage.aside(index)}"


def largest(values: np.ndarray, count: int, order: np.ndarray | None = None) -> np.ndarray:
    """Positions of the largest values in decreasing order, at most `count`; ties by `order`, by default by position."""
    count = min(count, values.size)
    found = np.flatnonzero(values >= np.partition(values, -count)[-count])
    return found[np.lexsort((found if order is None else order[found], -values[found]))[:count]]


def position(index: Any, size: int) -> int:
    """A checked position of a row."""
    index = validation.integer("index", index, minimum=0)
    if index >= size:
        raise ParameterError(f"index must be at most {size - 1} (the data set has {size} rows), got {index}")
    return index


def _against(value: float, median: float) -> str:
    if not 0 < median < np.inf:
        return f"{value:.3g} (median {median:.3g})"
    return f"{value / median:.3g} times the median"
