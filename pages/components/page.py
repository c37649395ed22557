"""A page declares what it asks, computes, shows and says; `show` draws all pages in the same way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import methodcaller
from types import SimpleNamespace
from typing import Any, Self

import pandas as pd
import streamlit as st

from dpcore.errors import DPError
from dpcore.references import FormulaCard
from pages.components import cards, data_input, examples, export, frames, live, play, running_order, say, spoken
from pages.components import state as states
from pages.components.cards import Content, Metric
from pages.components.charts import Chart, begin, row
from pages.components.examples import Example
from pages.components.say import md
from pages.components.state import NothingToShowError


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """The parts of a page. Functions take the result of `study`, which by default is the state itself.

    Parameters
    ----------
    title, sentence : its name, and what can be learned here
    headline : the finding on screen, with its numbers; a page without one shows its name instead
    prefix : prefix of the keys of its controls and charts
    state : a frozen dataclass of controls (see `pages.components.state`)
    main : the control under the figure instead of in the sidebar: its name, or a function of the first control
    plays : whether a button moves that control from one end to the other
    study : what is computed; it may raise NothingToShowError
    cards, figures, notes, formulas, program, data : what is shown; the first figure stands alone, the others below the cards
    above, below, under : what is above the figures, what is between main control and cards, sentences under the cards
    people : a sentence on what the curve means for 100 people (see `pages.components.people`), below all figures
    body : function that draws the figures if `row` is not enough, and returns the charts for export
    more : further tabs by title, or sections of a tab by title; a usual title replaces that tab, None removes it
    kept : titles of tabs and sections that hold what somebody typed
    former : titles of tabs and sections by their names in old links
    afterwards : work that begins when everything else is on screen; it also gets the place of the cards
    presets : examples by name (see `examples.read`)
    follows : names of sliders that the charts follow while they are dragged; in files they follow the first one
    offers, taken : the page's own frames, in addition to these
    following : options of these frames (see `live.follow`)
    pointed : charts that show frames for the place of the pointer (see `live.follow`)
    on_data : whether the state has a data set
    confidential : a sentence about everything on the page, or a function that gives it
    file : name of the exported files
    """

    title: str = ""
    sentence: str = ""
    headline: Callable[[Any], str] | None = None
    prefix: str = ""
    state: type = object
    main: str | Callable[[Any], str] = ""
    plays: Callable[[Any], bool] = lambda shown: False
    study: Callable[[Any], Any] = lambda state: state
    cards: Callable[[Any], Sequence[Metric]] = lambda shown: ()
    figures: Callable[[Any], Sequence[Chart]] = lambda shown: ()
    notes: Callable[[Any], Sequence[str]] = lambda shown: ()
    formulas: Callable[[Any], Sequence[FormulaCard]] = lambda shown: ()
    program: Callable[[Any], str] = lambda shown: ""
    data: Callable[[Any], pd.DataFrame] = lambda shown: pd.DataFrame()
    above: Callable[[Any], object] = lambda shown: None
    below: Callable[[Any], object] = lambda shown: None
    under: Callable[[Any], Sequence[str]] = lambda shown: ()
    people: Callable[[Any], str] = lambda shown: ""
    body: Callable[[Any], Sequence[Chart]] | None = None
    more: Callable[[Any], Mapping[str, Content | Mapping[str, Content] | None]] = lambda shown: {}
    kept: Sequence[str] = ()
    former: Mapping[str, str] = field(default_factory=lambda: {"Download and link": export.HERE})
    afterwards: Callable[[Any, Any], object] = lambda shown, place: None
    presets: Mapping[str, Example] = field(default_factory=dict)
    follows: Callable[[Any], Sequence[str]] = lambda state: ()
    offers: Callable[[Any], Mapping[str, live.Offer]] = lambda shown: {}
    taken: Callable[[Mapping[str, live.Offer]], live.Taken | None] | None = None
    following: Callable[[Any], Mapping[str, Any]] = lambda shown: {}
    pointed: Callable[[Any], Mapping[str, tuple[str, int]]] = lambda shown: {}
    on_data: bool = False
    confidential: str | Callable[[Any], str] = ""
    file: str | Callable[[Any], str] = ""

    @classmethod
    def of_views(cls, views: object = None, **given: Any) -> Self:
        """A page whose parts come from `views`, a module with functions, or else are methods of the result of `study`.

        Parts given as arguments have priority.
        """
        said = {"headline": "headline", "cards": "metrics", "figures": "charts"}
        said |= {name: name for name in ("notes", "formulas", "program", "data")}
        if views is None:
            return cls(**{name: methodcaller(method) for name, method in said.items()} | given)
        said |= {name: name for name in ("main", "above", "below", "body", "more", "follows", "confidential")}
        return cls(
            **{name: vars(views)[function] for name, function in said.items() if function in vars(views)} | given
        )

    def __repr__(self) -> str:
        return f"Page({self.title!r})"

    def open(self) -> None:
        """Draw the page."""
        show(self)

    def key(self, chart: Chart) -> str:
        """The key of one of its charts."""
        return chart.key or f"{self.prefix}_{chart.title}"


def show(page: Page) -> None:
    """Draw a page: heading, figures, the main control, cards, tabs, the sidebar, and frames for dragging sliders."""
    heading, above = cards.heading(page.title, named=bool(page.headline))
    figures, hand, told, aside = st.container(), st.container(key="main_control"), st.container(), st.container()
    begin(aside)
    told_people, people = st.container(), st.container(horizontal=True)
    if not page.headline:  # such a page may stop before its end, where the sentence of others stands
        with aside:
            say.markdown(page.sentence)
    given = {"place": above, "hand": hand, "people": people}
    try:
        with st.sidebar:
            if page.presets:
                examples.menu(page.presets, key=page.prefix)
            if page.on_data:
                given["dataset"] = data_input.ask(SimpleNamespace(**given))
            state = states.ask(page.state, page.prefix, page.main, **given)
        shown = page.study(state)
        with above:
            page.above(shown)
        with figures:
            charts = page.body(shown) if page.body else page.figures(shown)
            if not page.body:
                row([chart for chart in charts if chart.share], page.prefix)
        if page.plays(shown):
            with hand:
                play.button()
        with told:
            page.below(shown)
            place = cards.told_row(page.cards(shown))
        if page.headline:  # drawn last, since it may take longer than the figure
            covered = running_order.covered()
            say.title(page.title if covered else page.headline(shown), anchor=False, on=heading)
    except DPError as error:
        if page.headline:
            say.title(getattr(error, "headline", "") or page.title, anchor=False, on=heading)
        _refuse(error)
    follows = frames.offers(page, state) | dict(page.offers(shown))
    if running_order.covered():
        live.follow(follows, key=f"{page.prefix}_live", **page.following(shown))
        return
    if in_people := page.people(shown):
        with told_people, st.container(key="told_people"):
            say.markdown(in_people)
    under = list(page.under(shown))
    if under:
        with st.container(key="told_under"):
            for sentence in under:
                say.caption(sentence)
    confidential = _said(page.confidential, shown)
    if confidential:
        with st.container(key="confidential"):
            say.caption(md(":material/lock: {}", confidential))
    if page.headline:
        say.markdown(page.sentence)

    def share() -> None:
        about = export.About.of(
            page.headline(shown) if page.headline else page.title,
            {chart.title: chart.said for chart in charts},
            page.formulas(shown),
            " ".join([confidential, *under]) if confidential else "",
        )
        export.downloads(
            {chart.title: chart.figure for chart in charts if chart.build},
            lambda: page.data(shown),
            f"{'confidential_' if confidential else ''}{_said(page.file, shown)}",
            about,
            moves=page.taken(follows) if page.taken else frames.taken(page, state, follows, charts),
        )
        export.link()

    usual = {
        "What to notice": lambda: cards.notice(page.notes(shown)),
        "Formula": lambda: cards.formula_cards(page.formulas(shown)),
        "Code": lambda: st.code(page.program(shown)),
        "Data": lambda: say.table(page.data(shown), hide_index=True, height=320),
        export.HERE: share,
    }
    further = page.more(shown)
    named = {*further, *(title for tab in further.values() if isinstance(tab, Mapping) for title in tab)}
    tabs = {title: usual[title] for title in ("What to notice",) if title not in named} | further
    tabs |= {title: content for title, content in usual.items() if title not in {*tabs, *named}}
    cards.tabs(
        {title: _foretold(title, content, usual) for title, content in tabs.items() if content},
        key=f"{page.prefix}_tab", kept=page.kept, former=page.former,
    )  # fmt: skip
    options = {"ahead": list(follows)[:1], "public": not page.on_data, "pointed": page.pointed(shown)}
    live.follow(follows, key=f"{page.prefix}_live", **options | page.following(shown))
    page.afterwards(shown, place)


def _foretold(title: str, content: Any, usual: Mapping[str, Any]) -> Any:
    """A tab, or the sections of one; content that frames cannot update is hidden while a slider is dragged."""
    if isinstance(content, Mapping):
        return {name: _foretold(name, one, usual) for name, one in content.items()}
    return content if content is usual["What to notice"] or title == "Formula" else spoken.unforetold(title, content)


def _refuse(error: DPError) -> None:
    """Say why there is no answer, show what is still of use, and end the run."""
    if not isinstance(error, NothingToShowError):
        say.error(str(error), icon=":material/error:")
    else:
        if str(error):
            say.info(str(error))
        if error.draw:
            error.draw()
    st.stop()


def _said(words: Any, shown: Any) -> str:
    return words(shown) if callable(words) else words
