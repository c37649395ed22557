"""A page declares what it asks, computes, shows and says; the shell draws it, the same way for every page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.errors import DPError
from dpcore.figures.deck import Deck, differences
from dpcore.references import FormulaCard
from pages.components import cards, controls, data_input, export, live, say
from pages.components import state as states
from pages.components.cards import Metric
from pages.components.say import md
from pages.components.words import number


class NothingToShowError(Exception):
    """There is no answer to what is asked; its sentence says what to choose instead. `draw` shows what is still of use."""

    def __init__(self, sentence: str, draw: Callable[[], object] | None = None):
        super().__init__(sentence)
        self.draw = draw


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure on screen.

    Parameters
    ----------
    title : its name in files
    build : draws it; none for what there is no file of, only something instead
    alt : what a screen reader says of it
    key : its own, where that is not the page's prefix with the title
    share : of the width of the row; 0 where it stands in a tab
    instead : shows something else in its place on screen
    moves : whether it follows the page's sliders
    caption : said above it; charts with one stand two abreast, below those without
    """

    title: str
    build: Callable[[], go.Figure] | None
    alt: str
    key: str = ""
    share: int = 1
    instead: Callable[[], object] | None = None
    moves: bool = True
    caption: str = ""

    @cached_property
    def figure(self) -> go.Figure:
        """As it is drawn."""
        return self.build()


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """What a page is made of. Functions take what `study` makes of the state, which is the state itself unless that is given.

    Parameters
    ----------
    title, sentence : the heading, and what can be learned here
    prefix : of the names of its controls and charts
    state : a frozen dataclass of controls (see `pages.components.state`)
    study : what is computed; it may raise NothingToShowError
    cards, figures, notes, formulas, program, data : what is shown; the first three figures stand in a row
    more : further tabs by title, of what is shown now
    presets, sources : states by name, and which figure or theorem each is of
    follows : names of sliders that the charts follow while they are dragged, the first one in files too
    offers, taken : the same, where the page has frames of its own
    on_data : whether the state has a data set
    confidential : the sentence said of everything here, or what gives it
    file : name of the files to take away
    draw : of a page that is like no other
    """

    title: str = ""
    sentence: str = ""
    prefix: str = ""
    state: type = object
    study: Callable[[Any], Any] = lambda state: state
    cards: Callable[[Any], Sequence[Metric]] = lambda shown: ()
    figures: Callable[[Any], Sequence[Chart]] = lambda shown: ()
    notes: Callable[[Any], Sequence[str]] = lambda shown: ()
    formulas: Callable[[Any], Sequence[FormulaCard]] = lambda shown: ()
    program: Callable[[Any], str] = lambda shown: ""
    data: Callable[[Any], pd.DataFrame] = lambda shown: pd.DataFrame()
    more: Callable[[Any], Mapping[str, Callable[[], object]]] = lambda shown: {}
    presets: Mapping[str, Mapping[str, Any]] | None = None
    sources: Mapping[str, str] | None = None
    follows: Callable[[Any], Sequence[str]] = lambda state: ()
    offers: Callable[[Any], Mapping[str, live.Offer]] | None = None
    taken: Callable[[Mapping[str, live.Offer]], live.Taken | None] | None = None
    pointed: Callable[[Any], Mapping[str, tuple[str, int]]] = lambda shown: {}
    on_data: bool = False
    confidential: str | Callable[[Any], str] = ""
    file: str = ""
    draw: Callable[[], None] | None = None

    def __repr__(self) -> str:
        return f"Page({self.title!r})"

    def open(self) -> None:
        """Draw it."""
        if self.draw:
            self.draw()
        else:
            show(self)

    def key(self, chart: Chart) -> str:
        """The key of one of its charts."""
        return chart.key or f"{self.prefix}_{chart.title}"


def show(page: Page) -> None:
    """Heading, controls, cards, charts, tabs, and frames for whoever drags a slider."""
    place = cards.heading(page.title, page.sentence)
    given = {}
    with st.sidebar:
        if page.presets:
            controls.preset_buttons(page.presets, key=page.prefix, sources=page.sources)
        if page.on_data:
            given["dataset"] = data_input.choose(place)
            st.divider()
    if page.on_data and given["dataset"] is None:
        data_input.no_data()
        st.stop()
    try:
        with st.sidebar:
            state = states.ask(page.state, page.prefix, place=place, **given)
        shown = page.study(state)
        cards.metric_row(page.cards(shown))
    except NothingToShowError as nothing:
        say.info(str(nothing))
        if nothing.draw:
            nothing.draw()
        st.stop()
    except DPError as error:
        say.error(str(error), icon=":material/error:")
        st.stop()
    secret = page.confidential(shown) if callable(page.confidential) else page.confidential
    if secret:
        with st.container(key="confidential"):
            say.caption(md(":material/lock: {}", secret))
    charts = page.figures(shown)
    for _, row in groupby((chart for chart in charts if chart.share), key=lambda chart: bool(chart.caption)):
        _row(page, list(row))
    follows = dict(page.offers(shown)) if page.offers else _offers(page, state)
    cards.tabs(
        {
            "What to notice": lambda: cards.notice(page.notes(shown)),
            **page.more(shown),
            "Formula": lambda: cards.formula_cards(page.formulas(shown)),
            "Code": lambda: cards.code(page.program(shown)),
            "Data": lambda: say.table(page.data(shown), hide_index=True, height=320),
            "Download and link": lambda: export.take(
                {chart.title: chart.figure for chart in charts if chart.build},
                lambda: page.data(shown),
                f"confidential_{page.file}" if secret else page.file,
                note=secret,
                moves=page.taken(follows) if page.taken else _taken(page, follows, charts),
            ),
        },
        key=f"{page.prefix}_tab",
    )
    live.follow(
        follows,
        key=f"{page.prefix}_live",
        pointed=page.pointed(shown),
        ahead=list(follows)[:1],
        public=not page.on_data,
    )


def _row(page: Page, charts: list[Chart]) -> None:
    """Charts side by side, one alone in the whole width; those with captions two abreast."""
    abreast = 2 if charts[0].caption else len(charts)
    if abreast == 1:
        place(page, charts[0])
        return
    for start in range(0, len(charts), abreast):
        row = charts[start : start + abreast]
        shares = [chart.share for chart in row] + [1] * (abreast - len(row))
        for column, chart in zip(st.columns(shares, gap="small"), row, strict=False):
            with column:
                place(page, chart)


def place(page: Page, chart: Chart) -> None:
    """A chart where the screen is written to now."""
    if chart.caption:
        say.caption(chart.caption)
    if chart.instead:
        chart.instead()
    else:
        export.chart(chart.figure, key=page.key(chart), alt=chart.alt)


def _offers(page: Page, state: Any) -> dict[str, live.Offer]:
    """Frames of the charts for each slider they follow; what it stands at does not matter for them."""
    return {
        states.key_of(page.state, page.prefix, name): (
            decks,
            page,
            replace(state, **{name: states.positions(page.state, name)[0]}),
            name,
        )
        for name in page.follows(state)
    }


def _taken(page: Page, follows: Mapping[str, live.Offer], charts: Sequence[Chart]) -> live.Taken | None:
    """Figures taken away move with the first slider."""
    if not follows:
        return None
    slider, (*_, name) = next(iter(follows.items()))
    return live.taken(follows, slider, f"{name} =", {chart.title: page.key(chart) for chart in charts})


def decks(page: Page, state: Any, name: str) -> Iterator[live.Dealt | None]:
    """What differs between the charts of the page at each position of one slider: they are its own charts, drawn there.

    A chart whose parts differ on the way, and all of them where there is nothing to show on the way, stand still.
    """
    values = states.positions(page.state, name)
    drawn: dict[str, list[go.Figure]] = {}
    for value in values:
        try:
            charts = page.figures(page.study(replace(state, **{name: value})))
        except NothingToShowError:
            return
        for chart in charts:
            if chart.moves and not chart.instead:
                drawn.setdefault(page.key(chart), []).append(chart.figure)
        yield None
    for key, figures in drawn.items():
        try:
            tracks = differences(figures)
        except DPError:
            continue
        if tracks:
            yield key, Deck(tuple(map(number, values)), tracks)
