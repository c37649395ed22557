"""How to write names and texts of unknown origin (unique, quoted, literal, without formulas), and long numbers."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Most rows, columns or levels that a sentence names. Doubled, sentences get longer.
LISTED = 8
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_SPACES = re.compile(" {2,}")
_PUNCTUATION = re.compile(
    r"(?P<kept>['\"%?]|(?<=\d)\.(?=\d)|(?<=[^\W_])(?<!www)\.(?= |$)|:(?= )|(?<=[\w)])-(?=\w)|[-+](?=\d)|(?<=\w )=(?= \S)"
    r"|(?<=[\w ])\(|(?<=.)\))|[!-+\-.:<-@\[-`{-~]",
    re.IGNORECASE,
)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# A space without width. Markdown decodes character references and then looks again for addresses, short codes and
# arrows; this space inside breaks them.
_BREAK = "&#8203;"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def visible(text: str) -> str:
    """Text on one line: control, direction-changing and line-breaking characters become single spaces."""
    shown = "".join(" " if unicodedata.category(character) in _HIDDEN else character for character in text)
    return " ".join(shown.split())


def quoted(value: Any, limit: int = 40) -> str:
    """A name or a cell for use in a sentence: in single quotation marks, on one line, at most `limit` characters."""
    text = visible(str(value)[: 4 * limit])
    return f"'{text if len(text) <= limit else text[: limit - 1] + '…'}'"


def literal(text: str) -> str:
    """Text that Markdown and Plotly show unchanged, on one line.

    Every character that could have a meaning in Markdown, HTML, LaTeX, colours, short codes or hover templates is
    written as a numeric character reference (&#36; for $). Both renderers turn it back into the character and do not
    interpret it. Punctuation that has no such meaning in its place is kept: decimal points, the end of a sentence, "a =
    b", hyphens in words. An address, a short code or an arrow (http://…, www.…, a@b, :a:, ->) is broken by a character
    without width.
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
    """ "3, 8 and 17", or the entries of `shown` and how many more of `count` there are: "3, 8 and 15 more"."""
    *parts, last = [f"{one}" for one in shown] + ([f"{grouped(count - len(shown))} more"] if count > len(shown) else [])
    return f"{', '.join(parts)} and {last}" if parts else last


def all_quoted(names: Sequence[Any], most: int = LISTED) -> str:
    """ "'a', 'b' and 'c'", or the first names and how many more there are."""
    return listed([quoted(name) for name in names[:most]], len(names))


def raised(power: int) -> str:
    """A whole number as an exponent: ⁻⁵ for −5."""
    return f"{power}".translate(_RAISED)


def in_words(value: float) -> str:
    """A number with three significant digits, a true minus sign and a written power of ten: −0.205, 1.2 × 10⁻⁵."""
    mantissa, _, power = f"{value:.3g}".replace("inf", "∞").partition("e")
    return (f"{mantissa} × 10{raised(int(power))}" if power else mantissa).replace("-", "−")


def grouped(value: float) -> str:
    """A number for use in a sentence, its thousands separated by narrow no-break spaces: 45 000."""
    return (f"{value:,}" if isinstance(value, int) else f"{value:,.10g}").replace(",", "\u202f")


def display_name(name: str, limit: int = 60) -> str:
    """A label that Markdown and Plotly show as plain text; a text longer than `limit` characters ends in "…"."""
    text = visible(str(name)[: 8 * limit])
    return literal(text if len(text) <= limit else text[: limit - 1] + "…")


def unique_names(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names made unique by "name (2)", "name (3)"; also returns the names that were repeated."""
    taken, seen, last_number = set(names), set(), dict.fromkeys(names, 1)
    result = []
    for name in names:
        unique = name
        while name in seen and unique in taken:
            last_number[name] += 1
            unique = f"{name} ({last_number[name]})"
        seen.add(name)
        taken.add(unique)
        result.append(unique)
    return tuple(result), tuple(name for name, count in Counter(names).items() if count > 1)


def suggestion(name: Any, names: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: "did you mean …" with similar names, or the first known names."""
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
    safe.columns = [disarmed(str(name)) for name in frame.columns]
    for position in range(safe.shape[1]):
        column = frame.iloc[:, position]
        if not is_numeric_dtype(column.dtype):
            cells = column.astype(object).map(disarmed)
            safe.isetitem(position, cells)
    return safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8", "replace")


def disarmed(value: Any) -> Any:
    """A text that no spreadsheet runs as a formula; other values as they are."""
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA) else value
