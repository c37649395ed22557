"""Arrays of unknown content as finite doubles, or an error that says what they hold instead."""

from typing import Any

import numpy as np

from dpcore.data.names import quoted
from dpcore.errors import DataError


def as_numbers(name: str, value: Any, *, copy: bool = False) -> np.ndarray:
    """Doubles in C order. An array that has this form already is returned itself, unless a copy is asked for.

    Raises
    ------
    DataError
    """
    if isinstance(value, np.ma.MaskedArray):
        raise DataError(f"{name} is a masked array; fill or drop its masked cells first.")
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "biufO":
            raise TypeError(given.dtype)
        return np.array(given, dtype=np.float64, order="C", copy=copy or None)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(
            f"{name} must hold numbers in a regular array, but holds something else: {quoted(error, 120)}."
        ) from error


def finite_array(name: str, value: Any, dimensions: int, *, copy: bool = False) -> np.ndarray:
    """`as_numbers` with this number of dimensions (one or two) and without missing or infinite values.

    Raises
    ------
    DataError
    """
    array = as_numbers(name, value, copy=copy)
    if array.ndim != dimensions:
        words = "two dimensions (rows, columns)" if dimensions == 2 else "one dimension"
        raise DataError(f"{name} must have {words}, but has the shape {array.shape}.")
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(array.sum())
    if suspicious and not np.isfinite(array).all():
        place = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        where = ", ".join(map(str, place))
        raise DataError(f"{name}[{where}] is {array[place]}; replace or drop missing and infinite values first.")
    return array


def check_sizes(X: np.ndarray, y: np.ndarray) -> None:
    """Refuse empty data, and rows and targets that differ in number.

    Raises
    ------
    DataError
    """
    if not X.size:
        raise DataError(f"X has {X.shape[0]} rows and {X.shape[1]} columns; at least one of each is needed.")
    if len(X) != len(y):
        raise DataError(f"X has {len(X)} rows but y has {len(y)} values; they must match.")
