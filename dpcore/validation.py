"""Checks used by constructors. Each returns the checked value, or raises an error with its name, range and value."""

import math
from collections.abc import Callable, Collection
from numbers import Integral, Real
from typing import Any

import numpy as np

from dpcore.errors import ParameterError

_SMALLEST, _LARGEST = 1e-100, 1e100


def real(name: str, value: Any) -> float:
    """A finite real number as `float`."""
    if not _is_number(value):
        raise ParameterError(f"{name} must be a real number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    if not math.isfinite(number):
        raise ParameterError(f"{name} must be finite, got {number}")
    return number


def positive(name: str, value: Any) -> float:
    """A finite number > 0."""
    number = real(name, value)
    if number <= 0:
        raise ParameterError(f"{name} must be > 0, got {number}")
    return number


def moderate(name: str, value: Any) -> float:
    """A number > 0 whose square and reciprocal are ordinary floats."""
    number = positive(name, value)
    if not _SMALLEST <= number <= _LARGEST:
        raise ParameterError(f"{name} must be in [{_SMALLEST:g}, {_LARGEST:g}], got {number:g}")
    return number


def non_negative(name: str, value: Any) -> float:
    """A finite number ≥ 0."""
    number = real(name, value)
    if number < 0:
        raise ParameterError(f"{name} must be >= 0, got {number}")
    return number


def probability(name: str, value: Any, *, allow_zero: bool = True, allow_one: bool = True) -> float:
    """A number in the unit interval."""
    number = real(name, value)
    low, high = ("[" if allow_zero else "("), ("]" if allow_one else ")")
    if not 0 <= number <= 1 or (number == 0 and not allow_zero) or (number == 1 and not allow_one):
        raise ParameterError(f"{name} must be in {low}0, 1{high}, got {number}")
    return number


def open_probability(name: str, value: Any) -> float:
    """A number with 0 < number < 1."""
    return probability(name, value, allow_zero=False, allow_one=False)


def integer(name: str, value: Any, *, minimum: int) -> int:
    """A whole number ≥ minimum."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise ParameterError(f"{name} must be a whole number, got {value!r}")
    if value < minimum:
        raise ParameterError(f"{name} must be >= {minimum}, got {value}")
    return int(value)


def at_least_one(name: str, value: Any) -> int:
    """A whole number ≥ 1."""
    return integer(name, value, minimum=1)


def choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise ParameterError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}")
    return value


def flag(name: str, value: Any) -> bool:
    """A truth value."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def real_array(name: str, value: Any, *, low: float = -math.inf, high: float = math.inf) -> np.ndarray:
    """A float array whose entries all lie in [low, high] (infinities allowed where the range admits them)."""
    try:
        given = np.asarray(value)
        array = given.astype(float, copy=False) if given.dtype.kind in "iufO" else None
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(f"{name} must be a number or an array of numbers, got {value!r}") from error
    if array is None or (given.dtype.kind == "O" and not all(_is_number(entry) for entry in given.flat)):
        raise ParameterError(f"{name} must be a number or an array of numbers, got {value!r}")
    if np.isnan(array).any():
        raise ParameterError(f"{name} must not contain nan")
    if array.size and (array.min() < low or array.max() > high):
        worst = float(array.min() if array.min() < low else array.max())
        raise ParameterError(f"{name} must be in [{low:g}, {high:g}], got {worst:g}")
    return array


def set_checked(record: object, **checks: Callable[[str, Any], Any]) -> None:
    """Replace each named field of a frozen record, while it is constructed, by what its check returns."""
    for name, check in checks.items():
        object.__setattr__(record, name, check(name, getattr(record, name)))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
