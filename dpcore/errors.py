"""Errors whose message is a sentence a user can act on."""

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


class DPError(ValueError):
    """Base of every error `dpcore` raises on purpose; its text can be shown to a user as it is."""


class ParameterError(DPError):
    """A parameter is outside its domain: names the parameter, its range and the value it got."""


class DataError(DPError):
    """A data set cannot be used: says what is wrong, where, and what to do."""


class CalibrationError(DPError):
    """No parameter in the given bracket meets the privacy target."""


class ConvergenceError(DPError):
    """An iterative method did not reach the accuracy it must have before its result may be used."""


class UnsupportedError(DPError):
    """The combination asked for has no meaning or no known guarantee."""


class MissingLibraryError(DPError, ImportError):
    """A library is not installed that only some parts of this package need; the text says which extra installs it."""


class NoPrivacyError(UnsupportedError):
    """An ε is so large that it cannot be told from ∞."""


class Cancelled(DPError):
    """A long computation was stopped on request, and it left nothing unfinished behind."""


def or_reason(compute: Callable[[], _T]) -> tuple[_T | None, str]:
    """The result and "", or None and the text of the `DPError` that says why there is no result."""
    try:
        return compute(), ""
    except DPError as error:
        return None, str(error)
