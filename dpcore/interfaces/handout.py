"""A lecture on paper: the running order for the lecturer, and one sheet per step for the audience, with empty axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

_STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Stop:
    """One step of the lecture as it is printed.

    Parameters
    ----------
    title : title of the step
    begins, ends : minutes since the start of the lecture
    address : address that opens the step in the app
    say, ask, act, answer : a line to say, the question, what to do, and what is then seen
    questions : two more questions, each as (question, frequent wrong answer, reply)
    axes, figure : drawings as SVG, made by this package: empty axes to sketch on, and the figure itself
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
    """The running order as HTML that loads nothing: what to say and do, the answers, and frequent misunderstandings."""
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
    """A sheet for each stop: questions and empty axes on the front, the figure on the back, no answer in words."""
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
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(title)}</title><style>\n{_STYLE}</style>"
        f"{body}</html>"
    )
