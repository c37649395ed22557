"""How names and texts from strangers are written: unique, quoted, literally, without formulas; and long numbers."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Rows, columns or levels named in a sentence; doubled, sentences get longer.
LISTED = 8
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_SPACES = re.compile(" {2,}")
_PUNCTUATION = re.compile(
    r"(?P<kept>['\"%?]|(?<=\d)\.(?=\d)|(?<=[^\W_])(?<!www)\.(?= |$)|:(?= )|(?<=[\w)])-(?=\w)|[-+](?=\d)|(?<=\w )=(?= \S)"
    r"|(?<=[\w ])\(|(?<=.)\))|[!-+\-.:<-@\[-`{-~]",
    re.IGNORECASE,
)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_BREAK = "&#8203;"  # no width; Markdown looks for addresses, short codes and arrows once more after decoding references
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def visible(text: str) -> str:
    """Text on one line: control, direction-changing and line-breaking characters become single spaces."""
    shown = "".join(" " if unicodedata.category(character) in _HIDDEN else character for character in text)
    return " ".join(shown.split())


def quoted(value: Any, limit: int = 40) -> str:
    """A name or a cell inside a sentence: in single quotation marks, on one line, shortened."""
    text = visible(str(value)[: 4 * limit])
    return f"'{text if len(text) <= limit else text[: limit - 1] + '…'}'"


def literal(text: str) -> str:
    """Text that Markdown and Plotly show as what it is, on one line.

    Every character that could have a meaning in Markdown, HTML, LaTeX, colours, short codes or hover templates is written
    as a numeric character reference (&#36; for $), which both renderers turn back into the character and do not interpret.
    Punctuation that has none where it stands is left: decimal points, the end of a sentence, "a = b", hyphens in words.
    What looks like an address, a short code or an arrow (http://…, www.…, a@b, :a:, ->) is broken by a character without
    width.
    """
    shown = "".join(" " if unicodedata.category(character) in _HIDDEN else character for character in text)
    return _PUNCTUATION.sub(_written, _SPACES.sub(" ", shown))


def _written(match: re.Match[str]) -> str:
    before, after = match.string[: match.start()], match.string[match.end() : match.end() + 1]
    numbers_a_list = match[0] in ".)" and after in ("", " ") and len(before) < 12 and before.strip().isdigit()
    if match["kept"] and not numbers_a_list:
        return match[0]
    written = f"&#{ord(match[0])};"
    if match[0] in ":@" or (match[0] in "<>~-" and after in ("-", "=", ">")):
        return written + _BREAK
    return _BREAK + written if match[0] == "." and (not before or before[-3:].lower() == "www") else written


def listed(shown: Sequence[Any], count: int) -> str:
    """ "3, 8 and 17", or those shown and how many more of `count` there are."""
    *parts, last = [f"{one}" for one in shown] + ([f"{grouped(count - len(shown))} more"] if count > len(shown) else [])
    return f"{', '.join(parts)} and {last}" if parts else last


def all_quoted(names: Sequence[Any], most: int = LISTED) -> str:
    """ "'a', 'b' and 'c'", or the first names and how many more there are."""
    return listed([quoted(name) for name in names[:most]], len(names))


def raised(power: int) -> str:
    """⁻⁵ for −5."""
    return f"{power}".translate(_RAISED)


def in_words(value: float) -> str:
    """Three digits with a true minus sign, and powers of ten as such: −0.205, 1.2 × 10⁻⁵."""
    mantissa, _, power = f"{value:.3g}".replace("inf", "∞").partition("e")
    return (f"{mantissa} × 10{raised(int(power))}" if power else mantissa).replace("-", "−")


def grouped(value: float) -> str:
    """A number in a sentence, its thousands set apart by a narrow space that no line ends in: 45 000."""
    return (f"{value:,}" if isinstance(value, int) else f"{value:,.10g}").replace(",", "\u202f")


def display_name(name: str, limit: int = 60) -> str:
    """A label that Markdown and Plotly show as the plain text it is; texts longer than `limit` characters end in "…"."""
    text = visible(str(name)[: 8 * limit])
    return literal(text if len(text) <= limit else text[: limit - 1] + "…")


def unique_names(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names made unique by "name (2)", "name (3)"; also returns the names that were repeated."""
    taken = set(names)
    seen: set[str] = set()
    result, repeated = [], []
    counts: dict[str, int] = {}
    for name in names:
        unique = name
        if name in seen:
            repeated.append(name)
            number = counts.get(name, 1)
            while unique in taken:
                number += 1
                unique = f"{name} ({number})"
            counts[name] = number
        taken.add(unique)
        seen.add(unique)
        result.append(unique)
    return tuple(result), tuple(dict.fromkeys(repeated))


def suggestion(name: Any, names: Iterable[str]) -> str:
    """ " Did you mean …?" or a list of the first names, as the end of a sentence about a name that is not there."""
    names = list(names)
    lowered = {candidate.lower(): candidate for candidate in reversed(names)}
    close = difflib.get_close_matches(str(name)[:200].strip().lower(), list(lowered)[:4000], n=3, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(quoted(lowered[match]) for match in close)
    return f"the columns are {all_quoted(names)}"


def safe_csv(frame: pd.DataFrame) -> bytes:
    """UTF-8 CSV (lines end in CR LF) in which no text can be run as a formula by a spreadsheet.

    Text cells and headers that start with = + - @, a tab or a line break get an apostrophe in front; numbers are
    untouched. The index is not written.
    """
    from pandas.api.types import is_numeric_dtype

    safe = frame.copy(deep=False)
    safe.columns = [_disarm(str(name)) for name in frame.columns]
    for position in range(safe.shape[1]):
        column = frame.iloc[:, position]
        if not is_numeric_dtype(column.dtype):
            cells = column.astype(object).map(_disarm)
            safe.isetitem(position, cells)
    return safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8", "replace")


def _disarm(value: Any) -> Any:
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA) else value
