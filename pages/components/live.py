"""Charts that move under the finger: while a slider is dragged or moved by keys, its frames are drawn in the browser.

The frames, one for each position, are computed once somebody reaches for the slider; on release the page runs as ever.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import plotly.graph_objects as go
import streamlit as st

from dpcore.figures.deck import Deck
from dpcore.figures.frames import following
from pages.components import cache, unseen
from pages.components.spoken import WORDS, Words
from pages.components.words import number

Dealt = tuple[str, Deck | Words | None]  # the key of a chart and its frames, or what the page says
Offer = tuple[Callable[..., Iterator[Dealt | None]], *tuple[Any, ...]]
CHARTS_ARE_THERE = ("", None)  # given before the words
_BREATH = 0.05  # seconds of work between two looks for a newer run
# Seconds of work on the charts of a slider, and again on its words, after which the rest is left out. Doubled, a slow machine
# has frames for more sliders, and works longer for one reader.
_PATIENCE = 60.0
_mount = unseen.script(__file__, "live_frames", "live_words")


def follow(
    offers: Mapping[str, Offer],
    *,
    key: str,
    pointed: Mapping[str, tuple[str, int]] | None = None,
    ahead: Iterable[str] = (),
    interrupts: bool = False,
    public: bool = False,
) -> None:
    """Make charts follow sliders.

    Parameters
    ----------
    offers : by key of a slider a generator function and its arguments, which must not depend on where the slider stands.
        It gives the decks of the charts that move, one after the other, and None wherever it can be interrupted.
    key : of what runs in the browser
    pointed : by key of a chart, which offer is shown while it is pointed at, and which of its traces is the point: of all
        frames that one is drawn whose point is nearest
    ahead : sliders whose frames are computed once a browser shows the page, and wait there; those of the others are computed
        once somebody reaches for them
    interrupts : whether frames are asked for by runs of the whole page, which interrupt what it computes after this
    public : whether nothing in the offers is of anybody's data, so that frames made for one reader serve all
    """
    (_deal if interrupts else _apart)(dict(offers), key, dict(pointed or {}), list(ahead), public)


def _deal(
    offers: dict[str, Offer], key: str, pointed: dict[str, tuple[str, int]], ahead: list[str], public: bool
) -> None:
    asked = f"{key}_asked"  # the slider whose frames the browser wants; they themselves are forgotten with the data

    def ask() -> None:
        st.session_state[asked] = st.session_state[key].get("wanted"), True

    slider, work = st.session_state.get(asked, (None, False))
    places = {one: cache.begun(*offer) for one, offer in offers.items() if one in [*ahead, slider]}
    pause = st.empty()
    if public:
        for one, place in places.items():
            place.update(cache.done(*offers[one]))
    if work and slider in offers and _work_on(places[slider], offers[slider], pause.empty) and public:
        cache.done(*offers[slider])["decks"] = places[slider]["decks"]
    st.session_state[asked] = slider, False  # unless a newer run has come first, which goes on with that work
    _mount(
        key=key,
        on_wanted_change=ask,
        data={
            "sliders": {_css(one): one for one in offers},
            "pointed": {_css(chart): list(what) for chart, what in pointed.items()},
            "ahead": [one for one in ahead if one in offers],
            "dealt": {one: _wire(place) for one, place in places.items() if "decks" in place},
        },
    )


_apart = st.fragment(_deal)


def _wire(place: dict[str, Any]) -> dict[str, Any]:
    """The decks as a browser is sent them, with a name by which it knows them again."""
    if "wire" not in place:
        place["wire"] = {
            "name": uuid4().hex,
            "decks": {_css(chart): deck.wire() for chart, deck in place["decks"].items() if chart != WORDS},
            "words": place["decks"][WORDS].wire() if WORDS in place["decks"] else None,
            "more": "steps" in place,
        }
    return place["wire"]


@dataclass(frozen=True)
class Taken:
    """How figures stay live when they are taken away: with a slider of their own over the frames of an offer.

    Parameters
    ----------
    offer : the frames
    label : what the slider says before its value
    at : the value at which the figures stand
    charts : the key of the chart of each figure that moves
    """

    offer: Offer
    label: str
    at: str
    charts: Mapping[str, str]

    def moving(self, title: str, fig: go.Figure) -> go.Figure:
        """The figure with its slider, if it moves."""
        build, *arguments = self.offer
        with cache.for_a_file():
            dealt = list(filter(None, build(*arguments))) if title in self.charts else []
        deck = next((deck for key, deck in dealt if key == self.charts[title]), None)
        return following(fig, deck, "light", label=self.label, at=self.at) if deck else fig


def taken(offers: Mapping[str, Offer], slider: str, label: str, charts: Mapping[str, str]) -> Taken | None:
    """The figures (by title the key of the chart) that move with a slider when they are taken away, if it moves any."""
    return Taken(offers[slider], label, number(st.session_state[slider]), charts) if slider in offers else None


def _work_on(place: dict[str, Any], offer: Offer, breathe: Callable[[], object]) -> bool:
    """Compute the decks of an offer; a newer run of the page interrupts it, and the next one asked goes on from there.

    The charts are dealt before the words, which are asked for again. Whether all is there, and nothing left out for want of time.
    """
    if "decks" in place and "steps" not in place:
        return True
    if not place:
        place.update(steps=offer[0](*offer[1:]), found={}, spent=0.0)
    since, worked, whole = time.monotonic(), time.thread_time(), True
    for found in place["steps"]:
        if found == CHARTS_ARE_THERE:
            place.update(decks=dict(place["found"]), spent=0.0)
            return False
        if found is not None:
            place["found"].update([found])
        if time.monotonic() - since > _BREATH:
            place["spent"] += time.thread_time() - worked
            if place["spent"] > _PATIENCE:
                whole = False
                break
            breathe()
            since, worked = time.monotonic(), time.thread_time()
    place.pop("wire", None)
    place["decks"] = place.pop("found")
    place.pop("steps")
    return whole


def _css(key: str) -> str:
    """What Streamlit makes of a key in the name of a class."""
    return "st-key-" + re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())
