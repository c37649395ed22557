"""A lecture on paper: the running order for the lecturer, and one sheet per step for the audience, with empty axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

from dpcore.records import tables

_STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_PARTS = {
    name: Template(text) for name, text in tables(Path(__file__).with_suffix(".toml"), ("parts",))["parts"].items()
}


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
    return _page(title, f"<h1>{escape(title)}</h1>{_sheets('lecturer', title, stops)}")


def room_html(title: str, stops: Sequence[Stop]) -> str:
    """A sheet for each stop: questions and empty axes on the front, the figure on the back, no answer in words."""
    return _page(title, _sheets("room", title, stops))


def _sheets(reader: str, title: str, stops: Sequence[Stop]) -> str:
    sheets = []
    for number, stop in enumerate(stops, 1):
        parts = {name: escape(f"{value}") for name, value in vars(stop).items()}
        parts |= {"number": f"{number}", "lecture": escape(title), "axes": stop.axes, "figure": stop.figure}
        parts["head"] = _PARTS["head"].substitute(parts)
        parts["where"] = _PARTS["where"].substitute(parts) if stop.address else ""
        parts["asked"] = "".join(
            _PARTS[f"{reader}_question"].substitute(ask=escape(ask), heard=escape(heard), reply=escape(reply))
            for ask, heard, reply in stop.questions
        )
        sheets.append(_PARTS[reader].substitute(parts))
    return "".join(sheets)


def _page(title: str, body: str) -> str:
    return _PARTS["page"].substitute(title=escape(title), style=_STYLE, body=body)
