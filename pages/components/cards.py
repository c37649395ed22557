"""The parts every page shares: heading, metric cards, formula cards, code, the confidentiality notice."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from dpcore.figures.theme import THEMES
from dpcore.references import REFERENCES, FormulaCard

DOCS = Path(__file__).parents[2] / "docs"


def theme_mode() -> str:
    """ "light" or "dark", whichever the reader's browser shows."""
    kind = st.context.theme.type
    return kind if kind in THEMES else "light"


def heading(title: str, sentence: str) -> None:
    """Page title and the one sentence of what can be learned here."""
    st.title(title, anchor=False)
    st.markdown(sentence)


@dataclass(frozen=True)
class Metric:
    """One answer in numbers, with an optional comparison ("1.7 × Gaussian")."""

    label: str
    value: str
    comparison: str | None = None
    worse: bool | None = None
    help: str | None = None


def metric_row(metrics: Sequence[Metric]) -> None:
    """Up to four bordered cards of equal height."""
    for column, metric in zip(st.columns(len(metrics), gap="small"), metrics, strict=True):
        color = "off" if metric.worse is None else ("inverse" if metric.worse else "normal")
        column.metric(
            metric.label,
            metric.value,
            metric.comparison,
            delta_color=color,
            delta_arrow="off" if metric.worse is None else "up",
            help=metric.help,
            border=True,
            height="stretch",
        )


def formula_cards(cards: Iterable[FormulaCard]) -> None:
    """Render formula cards: displays, symbols in words, assumptions, sources, where the code is."""
    for card in cards:
        st.subheader(card.title, anchor=False)
        for display in card.latex:
            st.latex(display)
        if card.symbols:
            st.markdown("\n".join(f"- ${symbol}$: {words}" for symbol, words in card.symbols.items()))
        if card.assumptions:
            st.markdown("**Holds when** " + "; ".join(card.assumptions) + ".")
        for key in card.references:
            reference = REFERENCES[key]
            link = f" [{reference.url}]({reference.url})" if reference.url else ""
            st.caption(reference.text + link)
        st.caption(f"Code: `{card.code}`")


def code(text: str) -> None:
    """The lines of dpcore behind the picture, ready to copy."""
    st.code(text, language="python")


def notice(points: Sequence[str]) -> None:
    """What to notice, as short statements."""
    st.markdown("\n".join(f"- {point}" for point in points))


def document(name: str, *, key: str) -> None:
    """A text of the docs folder, shown when asked for."""
    if st.toggle("Show the full text", key=key, help=f"docs/{name}"):
        st.markdown((DOCS / name).read_text(encoding="utf-8"))


def tabs(contents: Mapping[str, Callable[[], object]], *, key: str, kept: Collection[str] = ()) -> None:
    """Tabs by title, of which only the open one is computed and sent: a slider need not wait for the others.

    Those in `kept` always are, because they hold what somebody has typed.
    """
    for tab, (title, content) in zip(
        st.tabs(list(contents), key=key, on_change="rerun"), contents.items(), strict=True
    ):
        if tab.open or title in kept:
            with tab:
                content()
