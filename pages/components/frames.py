"""Frames of a page's charts for whoever drags a slider: what differs between the page's own figures at its positions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from dpcore.errors import DPError
from dpcore.figures.deck import Deck, differences
from dpcore.figures.theme import unchecked
from pages.components import live
from pages.components import state as states
from pages.components.state import NothingToShowError
from pages.components.words import number


def offers(page: Any, state: Any) -> dict[str, live.Offer]:
    """Frames of the charts for each slider they follow; what it stands at does not matter for them."""
    found: dict[str, live.Offer] = {}
    for name in page.follows(state):
        still = replace(state, **{name: states.positions(page.state, name)[0]})
        found[states.key_of(page.state, page.prefix, name)] = decks, page, still, name
    return found


def taken(page: Any, state: Any, follows: Mapping[str, live.Offer], charts: Sequence[Any]) -> live.Taken | None:
    """Figures taken away move with the first slider."""
    if not page.follows(state):
        return None
    slider, (*_, name) = next(iter(follows.items()))
    return live.taken(
        follows, slider, f"{states.symbol(page.state, name)} =", {chart.title: page.key(chart) for chart in charts}
    )


def decks(page: Any, state: Any, name: str, values: Sequence[Any] = ()) -> Iterator[live.Dealt | None]:
    """What differs between the charts of the page at each position of one slider, or each of other values: they are its own, drawn there.

    A chart whose parts differ on the way, and all of them where there is nothing to show on the way, stand still.
    """
    values = values or states.positions(page.state, name)
    drawn: dict[str, list[go.Figure]] = {}
    for value in values:
        try:
            with unchecked():
                for chart in page.figures(page.study(replace(state, **{name: value}))):
                    if chart.moves and not chart.instead:
                        drawn.setdefault(page.key(chart), []).append(chart.figure)
        except NothingToShowError:
            return
        yield None
    for key, figures in drawn.items():
        try:
            tracks = differences(figures)
        except DPError:
            continue
        if tracks:
            yield key, Deck(tuple(map(number, values)), tracks)
