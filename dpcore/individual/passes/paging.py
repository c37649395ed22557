"""Rows of a result in pages, sorted here, so that a browser receives one page at a time, even of a million rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpcore import validation
from dpcore.individual.reasons import largest
from dpcore.individual.result import IndividualPrivacy

SORTS = ("epsilon", "out_of_sample", "loo_residual", "row")


def page_count(result: IndividualPrivacy, size: int) -> int:
    """Number of pages of `size` rows."""
    return -(-result.epsilon.size // validation.integer("size", size, minimum=1))


def page(result: IndividualPrivacy, number: int, size: int, sort: str = "epsilon") -> tuple[np.ndarray, pd.DataFrame]:
    """Positions and values of the rows of one page.

    Parameters
    ----------
    number : from 0; the last page holds what is left
    size : rows on a page
    sort : "epsilon" or "out_of_sample" (largest first), "loo_residual" (largest in size first), or "row" (as in the
        file); ties in the order of the file, so that every row is on exactly one page

    Raises
    ------
    ParameterError
    """
    validation.choice("sort", sort, SORTS)
    validation.integer("number", number, minimum=0)
    first = min(number, page_count(result, size) - 1) * size
    last = min(first + size, result.epsilon.size)
    if sort == "row":
        positions = np.arange(first, last)
    else:
        values = result.epsilon if sort == "epsilon" else np.abs(getattr(result.leverage, sort))
        positions = largest(values, last)[first:]
    return positions, result.frame(positions)
