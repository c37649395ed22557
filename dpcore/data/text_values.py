"""What a column of text means: numbers in any common notation, dates, missing cells."""

from __future__ import annotations

import numpy as np
import pandas as pd

MISSING = frozenset(
    ("", "na", "n/a", "#n/a", "#na", "nan", "-nan", "null", "nil", "none", "?", "-", "--", ".", "..", "missing")
)
_SPELLINGS = {form for token in MISSING for form in (token, token.upper(), token.capitalize())}
MISSING_SPELLINGS = sorted({*_SPELLINGS, "NaN", "N/a", "-NaN"})  # what a parser that compares letter by letter is given

_SIGN = "^[+-]?"
_POINT = _SIGN + r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_COMMA = _POINT.replace(r"\.", ",")
_POINT_GROUPED = _SIGN + r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$"
_COMMA_GROUPED = _SIGN + r"[0-9]{1,3}(\.[0-9]{3})+(,[0-9]*)?$"
_INFINITE = "^[+-]?([iI][nN][fF]([iI][nN][iI][tT][yY])?|∞)$"
_SPACED = _SIGN + "[0-9]{1,3}([ \u00a0\u202f'’][0-9]{3})+([.,][0-9]*)?$"
_SYMBOLS = "%€$£¥"
_DATES = (
    r"^[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([ T].*)?$",
    r"^[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{4}|[0-9]{2})([ T].*)?$",
    r"^[0-9]{1,2}[-. ]{0,2}[A-Za-z]{3,9}[-., ]{1,2}([0-9]{4}|[0-9]{2})( .*)?$",
    r"^[A-Za-z]{3,9}\.? [0-9]{1,2},? [0-9]{4}( .*)?$",
    r"^[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?( ?[AaPp][Mm])?$",
)


def is_missing(texts: pd.Series) -> np.ndarray:
    """Which of the stripped texts stand for a missing cell, whatever their case."""
    return texts.str.lower().isin(MISSING).to_numpy(dtype=bool)


def _matches(texts: pd.Series, pattern: str) -> np.ndarray:
    return texts.str.match(pattern).to_numpy(dtype=bool)


def number_notation(texts: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Which texts are numbers with a decimal point, and which with a decimal comma (1,234 and 12 are both)."""
    infinite = _matches(texts, _INFINITE)
    return (
        infinite | _matches(texts, _POINT) | _matches(texts, _POINT_GROUPED),
        infinite | _matches(texts, _COMMA) | _matches(texts, _COMMA_GROUPED),
    )


def decimal_mark(cells: pd.Series, separator: str) -> str:
    """Decimal mark of a file from a sample of its cells; only cells that can be read one way count as evidence."""
    point, comma = number_notation(cells)
    fractional = _matches(cells, r"^.*[.,]")
    points = int(np.count_nonzero(point & ~comma & fractional))
    commas = int(np.count_nonzero(comma & ~point & fractional))
    if points == commas == 0 and separator != ",":
        return "," if cells.str.contains(",", regex=False).to_numpy(dtype=bool)[point & comma].any() else "."
    return "," if commas > points else "."


def parse_numbers(texts: pd.Series, decimal: str) -> tuple[np.ndarray, str] | tuple[None, np.ndarray]:
    """Read stripped, non-missing texts as numbers if all of them are.

    Understands decimal points and commas, thousands grouped by comma, point, space or apostrophe, one unit sign
    (%, €, $, £, ¥) used throughout, a typographic minus, and ±inf.

    Returns
    -------
    (values, remark) if all are numbers; otherwise (None, which of them are).
    """
    remark = ""
    plain = texts.str.replace("−", "-", regex=False)
    for symbol in _SYMBOLS:
        marked = plain.str.contains(symbol, regex=False)
        if len(plain) and marked.all():
            plain = plain.str.replace(symbol, "", regex=False).str.strip()
            remark = f"read as numbers after removing the sign {symbol}"
    spaced = _matches(plain, _SPACED)
    if spaced.any():
        plain = plain.where(~spaced, plain.str.replace("[ \u00a0\u202f'’]", "", regex=True))
        remark = remark or "digits are grouped by spaces or apostrophes"
    point, comma = number_notation(plain)
    if not (point.all() or comma.all()):
        return None, point | comma
    mark = decimal if point.all() and comma.all() else ("." if point.all() else ",")
    group = "," if mark == "." else "."
    if plain.str.contains(",", regex=False).any():
        remark = remark or f"decimal {'point' if mark == '.' else 'comma'}, read from the text"
    plain = plain.str.replace(group, "", regex=False).str.replace(mark, ".", regex=False)
    plain = plain.str.replace("∞", "inf", regex=False)
    return np.array(plain.tolist(), dtype=object).astype(np.float64), remark


def looks_like_dates(texts: pd.Series) -> bool:
    """Whether all texts share one common way of writing a date or a time."""
    return any(bool(_matches(texts, pattern).all()) for pattern in _DATES)
