"""Charts that move with a slider: while it is dragged or moved by keys, the browser draws its frames.

The frames, one for each position, are computed when the pointer comes to the slider; on release the page runs as usual.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from uuid import uuid4

import plotly.graph_objects as go
import streamlit as st

from dpcore.figures.deck import Deck
from dpcore.figures.frames import following
from pages.components import cache, unseen
from pages.components.spoken import WORDS, Words
from pages.components.words import number

Dealt = tuple[str, Deck | Words | None]  # the key of a chart and its frames, or `WORDS` and the words of the page
Offer = tuple[Callable[..., Iterator[Dealt | None]], *tuple[Any, ...]]
Taken = Callable[[str, go.Figure], go.Figure]  # a figure, by its title, as a file has it
CHARTS_ARE_THERE = ("", None)  # an offer yields this after all charts and before the words
_BREATH = 0.05  # seconds of work between two checks for a newer run
# Most seconds of work on the charts of a slider, and again on its words; what is not done by then is left out. Doubled,
# a slow machine has frames for more sliders, but works longer for one reader.
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
    offers : key of a slider → a generator function and its arguments, which must not depend on the slider's position.
        The function yields the decks of the charts that move, one after the other, and None where it may be
        interrupted.
    key : key of the script in the browser
    pointed : key of a chart → (key of an offer, number of a trace). With the pointer on the chart, the offer's charts
        show the frame in which the single point of this trace is nearest to the pointer.
    ahead : sliders whose frames are computed as soon as a browser shows the page; frames of other sliders are computed
        when the pointer comes to them
    interrupts : whether requests for frames run the whole page, which interrupts what it computes after this call
    public : whether the offers contain nobody's data, so that frames made for one reader can be shown to all
    """
    (_deal if interrupts else _apart)(dict(offers), key, dict(pointed or {}), list(ahead), public)


def _deal(
    offers: dict[str, Offer], key: str, pointed: dict[str, tuple[str, int]], ahead: list[str], public: bool
) -> None:
    asked = f"{key}_asked"  # the slider whose frames the browser wants; the frames are kept elsewhere, with the data

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
    st.session_state[asked] = slider, False  # not reached if a newer run interrupts this one and continues the work
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
    """The decks as they are sent to a browser, with a name by which the browser recognises them."""
    if "wire" not in place:
        place["wire"] = {
            "name": uuid4().hex,
            "decks": {_css(chart): deck.wire() for chart, deck in place["decks"].items() if chart != WORDS},
            "words": place["decks"][WORDS].wire() if WORDS in place["decks"] else None,
            "more": "steps" in place,
        }
    return place["wire"]


def taken(offers: Mapping[str, Offer], slider: str, label: str, charts: Mapping[str, str]) -> Taken:
    """How an exported figure gets its own slider over the frames of an offer; one that does not move stays as it is.

    Parameters
    ----------
    offers : frames by slider
    slider : the slider that the figures follow, as it stands now
    label : text of the slider before its value
    charts : title of each figure that moves → the key of its chart
    """
    at = number(st.session_state[slider]) if slider in offers else ""

    def moving(title: str, fig: go.Figure) -> go.Figure:
        if slider not in offers or title not in charts:
            return fig
        build, *arguments = offers[slider]
        with cache.for_a_file():
            dealt = list(filter(None, build(*arguments)))
        deck = next((deck for key, deck in dealt if key == charts[title]), None)
        return following(fig, deck, "light", label=label, at=at) if deck else fig

    return moving


def _work_on(place: dict[str, Any], offer: Offer, breathe: Callable[[], object]) -> bool:
    """Compute the decks of an offer. A newer run of the page may interrupt this; the next call then continues the work.

    It returns once after the charts, and words are computed by the next call. Returns whether all is computed and
    nothing was left out to save time.
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
    """The CSS class that Streamlit makes of a key."""
    return "st-key-" + re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())
