"""Find out what a column of text holds: numbers in any common notation, dates, missing cells."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc

_MISSING = (
    "", "na", "n/a", "#n/a", "#na", "n.a.", "n. a.", "k.a.", "k. a.", "keine angabe", "nan", "-nan", "<na>", "null", "?", "-",
    "--", ".", "..", "missing",
)  # fmt: skip
_NO_NUMBER = ("none", "nil", "unknown", "unbekannt", "inconnu", "desconocido", "#div/0!", "#value!", "#wert!", "#num!")
_AS_WRITTEN = ("None",)  # Python writes an empty cell like this; "none" in lower case is a level
# texts for a missing cell that the CSV parser is told about
OFTEN_MISSING = ["", "NA", "N/A", "n/a", "nan", "NaN", "null", "NULL", "None", "?", "-", "."]

_SIGN = "^[+-]?"
_POINT = _SIGN + r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_COMMA = _POINT.replace(r"\.", ",")
_POINT_GROUPED = _SIGN + r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$"
_COMMA_GROUPED = _SIGN + r"[0-9]{1,3}(\.[0-9]{3})+(,[0-9]*)?$"
_INFINITE = "^[+-]?([iI][nN][fF]([iI][nN][iI][tT][yY])?|∞)$"
_SPACED = _SIGN + "[0-9]{1,3}([ \u00a0\u202f'’][0-9]{3})+([.,][0-9]*)?$"
_CURRENCIES = "€$£¥"
SIGN_REMOVED = "read as numbers after removing the sign "
_DATES = (
    r"^[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([ T].*)?$",
    r"^[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{4}|[0-9]{2})([ T].*)?$",
    r"^[0-9]{1,2}[-. ]{0,2}[A-Za-z]{3,9}[-., ]{1,2}([0-9]{4}|[0-9]{2})( .*)?$",
    r"^[A-Za-z]{3,9}\.? [0-9]{1,2},? [0-9]{4}( .*)?$",
    r"^[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?( ?[AaPp][Mm])?$",
)


def text_array(texts: Iterable[str]) -> pa.Array:
    """Stripped texts as one Arrow array."""
    return pc.utf8_trim_whitespace(pa.array(list(texts), type=pa.large_string()))


def is_missing(texts: pa.Array) -> np.ndarray:
    """Which of the stripped texts mean a missing cell in every column."""
    return _among(pc.utf8_lower(texts), _MISSING) | _among(texts, _AS_WRITTEN)


def means_no_number(texts: pa.Array) -> np.ndarray:
    """Which of the stripped texts mean a missing cell in a column of numbers; in any other column they are levels."""
    return _among(pc.utf8_lower(texts), _NO_NUMBER)


def _among(texts: pa.Array, known: tuple[str, ...]) -> np.ndarray:
    return _mask(pc.is_in(texts, value_set=pa.array(known, type=texts.type)))


def _mask(array: pa.Array) -> np.ndarray:
    return array.to_numpy(zero_copy_only=False).astype(bool)


def _matches(texts: pa.Array, pattern: str) -> np.ndarray:
    return _mask(pc.match_substring_regex(texts, pattern))


def _contains(texts: pa.Array, part: str) -> np.ndarray:
    return _mask(pc.match_substring(texts, part))


def number_notation(texts: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Which texts are numbers with a decimal point, and which with a decimal comma (1,234 and 12 can be either)."""
    return _matches(texts, f"{_POINT}|{_POINT_GROUPED}|{_INFINITE}"), _matches(
        texts, f"{_COMMA}|{_COMMA_GROUPED}|{_INFINITE}"
    )


def decimal_mark(cells: pa.Array, separator: str) -> str:
    """Decimal mark of a file from a sample of its cells; only cells that can be read in just one way count."""
    point, comma = number_notation(cells)
    fractional = _matches(cells, "[.,]")
    points = int(np.count_nonzero(point & ~comma & fractional))
    commas = int(np.count_nonzero(comma & ~point & fractional))
    if points == commas == 0 and separator != ",":
        return "," if _contains(cells, ",")[point & comma].any() else "."
    return "," if commas > points else "."


def parse_numbers(texts: pa.Array, decimal: str) -> tuple[np.ndarray | None, str, np.ndarray]:
    """Read stripped, non-missing texts as numbers if all of them are.

    Decimal points and commas are understood, thousands grouped by comma, point, space or apostrophe, one currency sign
    (€, $, £, ¥) in all or some of the texts, % in all of them, a typographic minus, and ±inf.

    Returns
    -------
    Values (None unless all are numbers), a remark, and which of them are numbers.
    """
    remark = ""
    plain = pc.replace_substring(texts, "−", "-")
    symbol = _unit(plain)
    if symbol:
        plain = pc.utf8_trim_whitespace(pc.replace_substring(plain, symbol, "", max_replacements=1))
        remark = f"{SIGN_REMOVED}{symbol}"
    spaced = _matches(plain, _SPACED)
    if spaced.any():
        plain = pc.if_else(pa.array(spaced), pc.replace_substring_regex(plain, "[ \u00a0\u202f'’]", ""), plain)
        remark = remark or "digits are grouped by spaces or apostrophes"
    point, comma = number_notation(plain)
    if not (point.all() or comma.all()):
        return None, "", point | comma
    mark = decimal if point.all() and comma.all() else ("." if point.all() else ",")
    if _contains(plain, ",").any():
        remark = remark or f"decimal {'point' if mark == '.' else 'comma'}, read from the text"
    plain = pc.replace_substring(plain, "," if mark == "." else ".", "")
    plain = pc.replace_substring(pc.replace_substring(plain, mark, "."), "∞", "inf")
    return np.array(plain.to_pylist(), dtype=object).astype(np.float64), remark, point | comma


def _unit(texts: pa.Array) -> str:
    """The most frequent currency sign; % only if every text has it, since 0.5 beside 50 % may mean the same."""
    if _contains(texts, "%").all():
        return "%"
    counts = {symbol: int(np.count_nonzero(_contains(texts, symbol))) for symbol in _CURRENCIES}
    most = max(counts, key=counts.__getitem__)
    return most if counts[most] else ""


def looks_like_dates(texts: pa.Array) -> bool:
    """Whether all texts share one common way of writing a date or a time."""
    return any(bool(_matches(texts[:1], pattern)[0] and _matches(texts, pattern).all()) for pattern in _DATES)
