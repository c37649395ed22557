"""The words of a page at a state, without drawing it: headline, cards, sentences under them and notes, for frames."""

import base64
import html
import json
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dpcore.errors import DPError
from pages.components import say
from pages.components.cards import Metric, bulleted

WORDS = "words"  # key of the words among the decks of a slider; other keys are those of charts
Slot = tuple[str, str, int]  # the key of a container, a part of the elements in it, and the number of the element
_TOKEN = re.compile(r"\*\*(?P<strong>.+?)\*\*|`(?P<code>[^`]+)`|\$(?P<tex>[^$]+)\$|\*(?P<em>[^*]+)\*")
_OTHER = re.compile(r"[\[\\~*`$<]|:\w+|^#|(^|\W)_", re.MULTILINE)  # Markdown that only Streamlit can render


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a page at each position of a slider: HTML, or None if they are not known in advance."""

    said: Sequence[dict[Slot, str | None]]

    def wire(self) -> dict[str, Any]:
        """What is sent to a browser: each text once, and the number of its text at each position for changing slots."""
        texts: dict[str | None, int] = {None: 0}
        slots = []
        for slot in dict.fromkeys(slot for one in self.said for slot in one):
            here = [one.get(slot) for one in self.said]
            if len(set(here)) > 1 or here[0] is None:
                slots.append([*slot, [texts.setdefault(text, len(texts)) for text in here]])
        packed = zlib.compress(json.dumps({"texts": list(texts), "slots": slots}).encode())
        return {"count": len(self.said), "packed": base64.b64encode(packed).decode()}


_NOTES: Slot = ("told_notes", "text", 0)
_PEOPLE: Slot = ("told_people", "text", 0)


def at(page: Any, shown: Any) -> dict[Slot, str | None]:
    """The words of the page by slot, except those of `noted`; words after an error are left out."""
    found: dict[Slot, str | None] = {_NOTES: None, _PEOPLE: None}
    try:
        if page.headline:
            found["headline", "title", 0] = inline(page.headline(shown))
        for i, card in enumerate(page.cards(shown)):
            found |= {("told_cards", part, i): text for part, text in _card(card).items()}
        for i, sentence in enumerate(page.under(shown)):
            found["told_under", "caption", i] = paragraph(sentence)
    except DPError:
        pass
    return found


def noted(page: Any, shown: Any) -> dict[Slot, str | None]:
    """The notes of the page, and what its curve means in people: words that take longer."""
    try:
        return {_NOTES: items(bulleted(page.notes(shown))), _PEOPLE: paragraph(page.people(shown))}
    except DPError:
        return {}


def _card(card: Metric) -> dict[str, str | None]:
    parts = {"label": paragraph(card.label), "value": paragraph(card.value)}
    if card.comparison is not None:
        parts |= {"delta": paragraph(card.comparison), "tone": str(card.worse)}
    return parts


def paragraph(text: str) -> str | None:
    """A sentence as HTML, as Streamlit renders it; None if this is not possible."""
    found = inline(text)
    return None if found is None else f"<p>{found}</p>"


def items(text: str) -> str | None:
    """A list of sentences as HTML, as Streamlit renders it; None if this is not possible."""
    found = [_rendered(line.removeprefix("- ")) for line in say.shown(text).split("\n")]
    return None if None in found else f"<ul>{''.join(f'<li>{line}</li>' for line in found)}</ul>"


def inline(text: str) -> str | None:
    """One line with bold and italic words, code and formulas as HTML; None if it has other Markdown."""
    return _rendered(say.shown(text))


def _rendered(text: str) -> str | None:
    try:
        return _inline(text)
    except ValueError:
        return None


def _inline(text: str) -> str:
    parts, end = [], 0
    for token in _TOKEN.finditer(text):
        (kind,) = (name for name, found in token.groupdict().items() if found is not None)
        parts.append(_plain(text[end : token.start()]))
        body = token[kind]
        if kind == "tex":
            parts.append(f'<i data-tex="{html.escape(body)}"></i>')
        else:
            parts.append(f"<{kind}>{html.escape(body) if kind == 'code' else _inline(body)}</{kind}>")
        end = token.end()
    return "".join([*parts, _plain(text[end:])])


def _plain(text: str) -> str:
    if _OTHER.search(text):
        raise ValueError(text)
    return html.escape(html.unescape(text))


def unforetold(name: str, content: Callable[[], object]) -> Callable[[], object]:
    """Content that is not known before the page has run; it is hidden while a slider is dragged."""

    def draw() -> object:
        with st.container(key=f"unforetold_{re.sub(r'[^a-z]+', '_', name.lower())}"):
            return content()

    return draw
