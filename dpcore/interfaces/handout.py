"""A lecture on paper: the running order for the lecturer, and for the room a sheet a step, with axes to sketch on."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_STYLE = """
body { font: 12pt/1.45 "Source Sans", "Source Sans Pro", "Segoe UI", Helvetica, Arial, sans-serif; color: #1B2430;
  background: #FFFFFF; max-width: 46rem; margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 0 0 .25rem; }
section { break-inside: avoid; border-top: 1px solid #9AA7B4; padding: .7rem 0; } p { margin: .2rem 0; }
.side { break-after: page; } .side svg { display: block; width: 100%; height: auto; max-height: 58vh; margin: .5rem 0; }
.muted { color: #5A6675; } .space { height: 3.2rem; border-bottom: 1px dotted #9AA7B4; }
a { color: inherit; overflow-wrap: anywhere; }
@page { size: A4; margin: 15mm; } @media print { body { margin: 0; max-width: none; padding: 0; } }
"""


@dataclass(frozen=True)
class Stop:
    """One stop as it is printed.

    Parameters
    ----------
    title : of the step
    begins, ends : minutes
    address : where it is opened
    say, ask, act, answer : a line to say, the question, what to do, and what is seen
    questions : two more, each with what is often answered, and the reply
    axes, figure : drawings as SVG of this package: to sketch on, and as it is
    """

    title: str
    begins: int
    ends: int
    address: str
    say: str
    ask: str
    act: str
    answer: str
    questions: Sequence[tuple[str, str, str]] = ()
    axes: str = ""
    figure: str = ""


def lecturer_html(title: str, stops: Sequence[Stop]) -> str:
    """The running order with what to say and do, answers, and what is often misunderstood; HTML that loads nothing."""
    parts = [
        f"<section>{_head(number, stop)}<p>Say: {escape(stop.say)}</p><p><strong>{escape(stop.ask)}</strong></p>"
        f"<p>Do: {escape(stop.act)}</p><p>Answer: {escape(stop.answer)}</p>"
        + "".join(
            f"<p>Ask: {escape(ask)} <em>Often heard: {escape(heard)}</em> Reply: {escape(reply)}</p>"
            for ask, heard, reply in stop.questions
        )
        + f"{_where(stop)}</section>"
        for number, stop in enumerate(stops, 1)
    ]
    return _page(title, f"<h1>{escape(title)}</h1>{''.join(parts)}")


def room_html(title: str, stops: Sequence[Stop]) -> str:
    """A sheet for each stop: in front its questions and empty axes, on the back its figure; no answer in words."""
    parts = [
        f"<div class='side'><p class='muted'>{escape(title)}</p>{_head(number, stop)}<p><strong>{escape(stop.ask)}</strong> "
        f"Sketch your answer.</p>{stop.axes}"
        + "".join(f"<p>{escape(ask)}</p><div class='space'></div>" for ask, *_ in stop.questions)
        + f"{_where(stop)}</div><div class='side'>{_head(number, stop)}{stop.figure}{_where(stop)}</div>"
        for number, stop in enumerate(stops, 1)
    ]
    return _page(title, "".join(parts))


def _head(number: int, stop: Stop) -> str:
    return f"<h2>{number}. {escape(stop.title)} <span class='muted'>{stop.begins}–{stop.ends} min</span></h2>"


def _where(stop: Stop) -> str:
    if not stop.address:
        return ""
    return f"<p class='muted'><a href='{escape(stop.address)}'>{escape(stop.address)}</a></p>"


def _page(title: str, body: str) -> str:
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(title)}</title><style>{_STYLE}</style>"
        f"{body}</html>"
    )
