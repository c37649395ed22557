"""Frames of a page for dragging a slider: what differs between its figures and words at the positions of the slider."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from dpcore.errors import DPError
from dpcore.figures.deck import Deck, differences
from dpcore.figures.theme import unchecked
from pages.components import live, say, spoken
from pages.components import state as states
from pages.components.state import NothingToShowError
from pages.components.words import number


def offers(page: Any, state: Any) -> dict[str, live.Offer]:
    """Offers of frames for each slider that the charts follow; they do not depend on its current position."""
    found: dict[str, live.Offer] = {}
    for name in page.follows(state):
        still = replace(state, **{name: states.positions(page.state, name)[0]})
        found[states.key_of(page.state, page.prefix, name)] = decks, page, still, name
    return found


def taken(page: Any, state: Any, follows: Mapping[str, live.Offer], charts: Sequence[Any]) -> live.Taken | None:
    """The frames that let exported figures move with the first slider; None if the page follows no slider."""
    if not page.follows(state):
        return None
    slider, (*_, name) = next(iter(follows.items()))
    return live.taken(
        follows, slider, f"{states.symbol(page.state, name)} =", {chart.title: page.key(chart) for chart in charts}
    )


def decks(page: Any, state: Any, name: str, values: Sequence[Any] = ()) -> Iterator[live.Dealt | None]:
    """What differs between the charts of the page at all positions of one slider, or at other `values`.

    The charts are drawn by the page itself. Words are made only for positions of the slider.
    """
    all_values = values or states.positions(page.state, name)
    return along(page, [(number(one), replace(state, **{name: one})) for one in all_values], worded=not values)


def along(page: Any, asked: Sequence[tuple[str, Any]], *, worded: bool = True) -> Iterator[live.Dealt | None]:
    """What differs between the charts of the page at a sequence of (text of the slider, state).

    A chart that has other parts at some position does not move. If there is nothing to show at some position, no chart
    moves.
    """
    drawn: dict[str, list[go.Figure]] = {}
    said = []
    for _, state in asked:
        try:
            with unchecked(), say.silently():
                shown = page.study(state)
                for chart in page.figures(shown):
                    if chart.moves and not chart.instead:
                        drawn.setdefault(page.key(chart), []).append(chart.figure)
        except NothingToShowError:
            return
        said.append(shown)
        yield None
    for key, figures in drawn.items():
        try:
            tracks = differences(figures)
        except DPError:
            continue
        if tracks:
            yield key, Deck(tuple(label for label, _ in asked), tracks)
    if worded:
        yield from words(page, said)


def words(page: Any, shown: Sequence[Any]) -> Iterator[live.Dealt | None]:
    """The words of the page at each position; the notes come last, since they take longest."""
    yield live.CHARTS_ARE_THERE
    found: list[dict[spoken.Slot, str | None]] = []
    for one in shown:
        found.append(spoken.at(page, one))
        yield None
    yield spoken.WORDS, spoken.Words(found)
    for i, one in enumerate(shown):
        found[i] = found[i] | spoken.noted(page, one)
        yield None
    yield spoken.WORDS, spoken.Words(found)
