"""What moves on the privacy-curves page while a slider is dragged."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import streamlit as st

from dpcore.figures import curves as figures
from dpcore.figures.deck import Deck
from dpcore.mechanisms import MECHANISMS
from dpcore.profiles import PrivacyProfile, curves
from pages.components import controls, live
from pages.components.words import number
from pages.understand.privacy_curves.views import CHARTS, CurveView, sampling


def offers(view: CurveView, shown: Sequence[str], prefix: str) -> dict[str, live.Offer]:
    """What moves with the sliders of each mechanism, and with that of ε."""
    found: dict[str, live.Offer] = {f"{prefix}_epsilon": (epsilon_decks, replace(view, epsilon=0.0))}
    for key in shown:
        entry = MECHANISMS[key]
        values = {p.name: st.session_state[f"{prefix}_{key}_{p.name}"] for p in entry.parameters}
        for moved in entry.parameters:
            fixed = tuple((name, value) for name, value in values.items() if name != moved.name)
            still = replace(view, mechanisms={**view.mechanisms, entry.name: None})
            found[f"{prefix}_{key}_{moved.name}"] = (mechanism_decks, still, key, moved.name, fixed)
    return found


def mechanism_decks(
    view: CurveView, key: str, name: str, fixed: tuple[tuple[str, float], ...]
) -> Iterator[live.Dealt | None]:
    """All three charts with one parameter of one mechanism at each position of its slider."""
    entry = MECHANISMS[key]
    values = controls.positions(next(p for p in entry.parameters if p.name == name))
    moved = [{**view.mechanisms, entry.name: entry.build(**dict(fixed), **{name: value})} for value in values]
    yield from decks([replace(view, mechanisms=mechanisms) for mechanisms in moved], tuple(map(number, values)))


def epsilon_decks(view: CurveView) -> Iterator[live.Dealt | None]:
    """The ring on the profile and the lines it implies, at each ε."""
    values = [i / 20 for i in range(161)]
    yield from decks([replace(view, epsilon=value) for value in values], tuple(map(number, values)))


def decks(views: Sequence[CurveView], labels: tuple[str, ...]) -> Iterator[live.Dealt | None]:
    """What differs between the charts of these views."""
    colors, at = figures.palette(list(views[0].mechanisms)), [view.point for view in views]
    for chart, key in CHARTS.items():
        sample, ends = sampling(views[0], chart)
        known: dict[tuple[str, PrivacyProfile], curves.Curve] = {}
        for view in views:
            for pair in view.mechanisms.items():
                if pair not in known:
                    known[pair] = sample(pair[0], pair[1], *ends, direction=view.direction)
                    yield None
        frames = [[known[pair] for pair in view.mechanisms.items()] for view in views]
        if chart == "Privacy profile":
            tracks = figures.delta_tracks(frames, colors, at, log_scale=views[0].log_scale, target=views[0].delta)
        elif chart == "Trade-off":
            tracks = figures.tradeoff_tracks(frames, colors, [curves.pin(*point) for point in at])
        else:
            tracks = figures.renyi_tracks(frames, colors)
        yield key, Deck(labels, tracks)
