r"""What differs between two formulas in LaTeX, in colour. A formula is read as a tree, so that every part can be coloured."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, takewhile

from dpcore.figures.colors import BLUE, INK, ON_DARK, VERMILLION

# Words, commands, large delimiters, and single signs; spaces say nothing in a formula.
_TOKENS = re.compile(
    r"\\(?:text|mathrm|mathbb|mathcal) ?(?:\{[^{}]*\}|[A-Za-z])|\\[Bb]ig ?(?:\\.|.)|\\[A-Za-z]+|\\.|[^\s]", re.DOTALL
)
_ARGUMENTS = {"\\frac": 2, "\\tfrac": 2, "\\sqrt": 1, "\\hat": 1, "\\tilde": 1, "^": 1, "_": 1}
_SCRIPTS = ("^", "_")
# Share of both formulas that may be coloured; beyond it all is different, and colour points at nothing.
_MOST = 0.7


@dataclass(frozen=True)
class Piece:
    """A sign or command with its arguments; a group in braces has no head, and `\\left` ends with its right delimiter."""

    head: str
    inside: tuple[tuple[Piece, ...], ...] = ()
    end: str = ""

    def drawn(self, color: str = "") -> str:
        """The part in LaTeX; a script is coloured inside, so that it stays at its base."""
        if self.head in _SCRIPTS:
            return f"{self.head}{{{_drawn([(one, bool(color)) for one in self.inside[0]], color)}}}"
        inside = [_drawn([(one, False) for one in arguments], "") for arguments in self.inside]
        return self.around(inside)

    def around(self, inside: Sequence[str]) -> str:
        """The part in LaTeX with these arguments."""
        if self.end:
            return f"{self.head}{inside[0]}{self.end}"
        head = f"{self.head} " if self.head[-1:].isalpha() and self.head[:1] == "\\" and not inside else self.head
        return head + "".join(f"{{{one}}}" for one in inside)


def parsed(latex: str) -> tuple[Piece, ...]:
    """A formula as its parts."""
    return tuple(_sequence(iter(_TOKENS.findall(latex)), ""))


def _sequence(tokens: Iterator[str], until: str) -> Iterator[Piece]:
    for token in tokens:
        if token == until:
            return
        yield _part(token, tokens)


def _part(token: str, tokens: Iterator[str]) -> Piece:
    if token == "{":
        return Piece("", (tuple(_sequence(tokens, "}")),))
    if token == "\\left":
        opens = next(tokens)
        inside = tuple(_sequence(tokens, "\\right"))
        return Piece(token + opens, (inside,), f"\\right{next(tokens)}")
    return Piece(token, tuple(_argument(tokens) for _ in range(_ARGUMENTS.get(token, 0))))


def _argument(tokens: Iterator[str]) -> tuple[Piece, ...]:
    one = _part(next(tokens), tokens)
    return (one,) if one.head else one.inside[0]


def coloured(printed: str, right: str, mode: str = "light") -> tuple[str, str]:
    """Both formulas with the parts that differ in colour, or unchanged if nearly all differs.

    Parameters
    ----------
    printed, right : formulas in LaTeX
    mode : "light" or "dark"
    """
    colors = [color if mode == "light" else ON_DARK[color] for color in (INK[VERMILLION], BLUE)]
    both = parsed(printed), parsed(right)
    (first, some), (second, more) = _compared(*both, colors)
    if some + more > _MOST * sum(map(_size, both)):
        return printed, right
    return first, second


def _size(parts: Sequence[Piece]) -> int:
    return sum(1 + sum(map(_size, one.inside)) for one in parts)


def _compared(
    first: Sequence[Piece], second: Sequence[Piece], colors: Sequence[str]
) -> tuple[tuple[str, int], tuple[str, int]]:
    """Both sequences in LaTeX, each with the number of its coloured parts; like commands are compared inside."""
    drawn: tuple[list[tuple[Piece | str, bool]], list[tuple[Piece | str, bool]]] = [], []
    counts = [0, 0]
    for kind, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        left, right = first[a:b], second[c:d]
        alike = _alike(left, right) if kind == "replace" else 0
        for one, other in zip(left[:alike], right[:alike], strict=True):
            pairs = [_compared(x, y, colors) for x, y in zip(one.inside, other.inside, strict=True)]
            for side, part in enumerate((one, other)):
                drawn[side].append((part.around([pair[side][0] for pair in pairs]), False))
                counts[side] += sum(pair[side][1] for pair in pairs)
        for side, parts in enumerate((left[alike:], right[alike:])):
            drawn[side].extend((one, kind != "equal") for one in parts)
            counts[side] += _size(parts) * (kind != "equal")
    return (_drawn(drawn[0], colors[0]), counts[0]), (_drawn(drawn[1], colors[1]), counts[1])


def _alike(first: Sequence[Piece], second: Sequence[Piece]) -> int:
    """The number of parts at the beginning that are the same commands."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].head == pair[1].head and pair[0].end == pair[1].end, pairs))


def _drawn(parts: Sequence[tuple[Piece | str, bool]], color: str) -> str:
    """Parts in LaTeX, neighbours to be coloured in one colour group, but for scripts."""
    found = []
    for (marked, script), run in groupby(parts, key=lambda one: (one[1], _is_script(one[0]))):
        texts = [one if isinstance(one, str) else one.drawn(color if marked else "") for one, _ in run]
        body = "".join(texts)
        found.append(f"\\textcolor{{{color}}}{{{body}}}" if marked and not script else body)
    return "".join(found)


def _is_script(part: Piece | str) -> bool:
    return isinstance(part, Piece) and part.head in _SCRIPTS
