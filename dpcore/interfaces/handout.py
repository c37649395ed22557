"""A lecture's running order as one page to print: for the lecturer with words and answers, for the room with space to write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_STYLE = """
body { font: 12pt/1.45 "Source Sans", "Source Sans Pro", "Segoe UI", Helvetica, Arial, sans-serif; color: #1B2430;
  background: #FFFFFF; max-width: 46rem; margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 0 0 .25rem; }
section { break-inside: avoid; border-top: 1px solid #9AA7B4; padding: .7rem 0; } p { margin: .2rem 0; }
.muted { color: #5A6675; } .space { height: 5.5rem; border-bottom: 1px dotted #9AA7B4; }
a { color: inherit; overflow-wrap: anywhere; } @media print { body { margin: 0; max-width: none; } }
"""


@dataclass(frozen=True)
class Stop:
    """One stop as it is printed: when it begins and ends, where to go, what to say, ask and do, and the answer."""

    title: str
    begins: int
    ends: int
    address: str
    say: str
    ask: str
    act: str
    answer: str


def handout_html(title: str, stops: Sequence[Stop], *, answers: bool) -> str:
    """The running order as HTML that loads nothing; `answers` adds what to say, to do, and what the room should see."""
    parts = [
        f"<section><h2>{number}. {escape(stop.title)} <span class='muted'>{stop.begins}–{stop.ends} min</span></h2>"
        + (f"<p>Say: {escape(stop.say)}</p>" if answers else "")
        + f"<p><strong>{escape(stop.ask)}</strong></p>"
        + (
            f"<p>Do: {escape(stop.act)}</p><p>Answer: {escape(stop.answer)}</p>"
            if answers
            else "<div class='space'></div>"
        )
        + f"<p class='muted'><a href='{escape(stop.address)}'>{escape(stop.address)}</a></p></section>"
        for number, stop in enumerate(stops, 1)
    ]
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(title)}</h1>{''.join(parts)}</html>"
    )
