"""The parts every page shares: heading, metric cards, formula cards, code, the confidentiality notice."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from dpcore.errors import DPError
from dpcore.figures.theme import THEMES
from dpcore.references import REFERENCES, FormulaCard
from pages.components import links, running_order, say
from pages.components.say import md, own

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MOST_CARDS = 4  # most cards that are in sight; the others are under More
Content = Callable[[], object]


def theme_mode() -> str:
    """The theme in the reader's browser, "light" or "dark"."""
    kind = st.context.theme.type
    return kind if kind in THEMES else "light"


def heading(title: str, *, named: bool = False) -> tuple[Any, Any]:
    """Write the name of a page, small if a headline follows (`named`); returns the places of headline and answer."""
    with st.container(gap=None):
        if named:
            say.caption(title)
        else:
            say.title(title, anchor=False)
        # A covered headline has another key, so that frames do not write it while a slider is dragged.
        hidden = running_order.covered()
        headline = st.container(key="headline_covered" if hidden else "headline") if named else st.container()
    return headline, st.container()


@dataclass(frozen=True)
class Metric:
    """One answer in numbers, with an optional comparison ("1.7 × Gaussian")."""

    label: str
    value: str
    comparison: str | None = None
    worse: bool | None = None
    help: str | None = None
    arrow: bool = True


def metric_row(metrics: Sequence[Metric]) -> None:
    """Bordered cards of equal height: the first `MOST_CARDS` in sight, the others under More.

    While a question of the lecture is open, no cards are shown.
    """
    if running_order.covered():
        return
    if metrics:
        _row(metrics[:MOST_CARDS])
    if metrics[MOST_CARDS:]:
        with say.expander("More"):
            _row(metrics[MOST_CARDS:])


def told_row(metrics: Sequence[Metric]) -> Any:
    """Show the cards of a page, whose numbers follow its sliders; returns their place."""
    with st.container(key="told_cards") if metrics else nullcontext():
        place = st.empty()
        with place.container():
            metric_row(metrics)
    return place


def _row(metrics: Sequence[Metric]) -> None:
    for column, metric in zip(st.columns(len(metrics), gap="small") if metrics else (), metrics, strict=True):
        color = "off" if metric.worse is None else ("inverse" if metric.worse else "normal")
        arrow = "off" if metric.worse is None or not metric.arrow else "up"
        say.metric(
            metric.label, metric.value, metric.comparison, delta_color=color, delta_arrow=arrow, help=metric.help, border=True,
            height="stretch", on=column,
        )  # fmt: skip


def formula_cards(cards: Iterable[FormulaCard]) -> None:
    """Show formula cards: formulas, symbols in words, assumptions, sources, and the name of the code."""
    for card in cards:
        say.subheader(own(card.title), anchor=False)
        for display in card.latex:
            say.latex(own(display))
        if card.symbols:
            lines = (md("- ${}$: {}", own(symbol), own(words)) for symbol, words in card.symbols.items())
            say.markdown(md("\n").join(lines))
        if card.assumptions:
            say.markdown(md("**Holds when** {}.", md("; ").join(map(own, card.assumptions))))
        for key in card.references:
            reference = REFERENCES[key]
            link = md(" [{0}]({0})", own(reference.url)) if reference.url else ""
            say.caption(own(reference.text) + link)
        say.caption(md("Code: `{}`", own(card.code)))


def notice(points: Sequence[str]) -> None:
    """Show what to notice, as short statements."""
    with st.container(key="told_notes"):
        say.markdown(bulleted(points))


def bulleted(points: Sequence[str]) -> str:
    """The statements as a Markdown list."""
    return md("\n").join(md("- {}", point) for point in points)


def document(name: str) -> None:
    """Show a text of the docs folder."""
    say.markdown(own((DOCS / name).read_text(encoding="utf-8")))


def tabs(
    contents: Mapping[str, Content | Mapping[str, Content]],
    *,
    key: str,
    kept: Collection[str] = (),
    former: Mapping[str, str] | None = None,
) -> None:
    """Show tabs by their titles; a tab may have sections.

    Only the open tab or section is computed and sent, so that a slider need not wait for the others. Those in `kept`
    are always computed, because they hold what somebody has typed. If one has no answer, it says why. A link may name a
    section as if it were a tab; `former` maps names in old links to titles.
    """
    where = {
        title: {key: tab} if title == tab else {key: tab, f"{key}_{tab}": title}
        for tab, content in contents.items()
        for title in (tab, *(content if isinstance(content, Mapping) else ()))
    }
    where |= {name: where[title] for name, title in (former or {}).items() if title in where}
    links.lead(key, {name: places for name, places in where.items() if name not in contents})
    for tab, (title, content) in zip(say.tabs(list(contents), key=key), contents.items(), strict=True):
        with tab:
            if isinstance(content, Mapping):
                _sections(content, key=f"{key}_{title}", kept=kept, is_open=tab.open)
            elif tab.open or title in kept:
                _answer(content)


def _sections(contents: Mapping[str, Content], *, key: str, kept: Collection[str], is_open: bool) -> None:
    """The chosen section of a tab; other sections in `kept` are made too, but out of sight."""
    chosen = say.segmented_control(
        "Section", list(contents), default=next(iter(contents)), required=True, key=key, label_visibility="collapsed"
    )
    for place, (title, content) in enumerate(contents.items()):
        if title in kept or (is_open and title == chosen):
            with st.container(key=f"{'section' if title == chosen else 'kept_section'}_{key}_{place}"):
                _answer(content)


def _answer(content: Content) -> None:
    try:
        content()
    except DPError as error:
        if str(error):
            say.info(str(error))
