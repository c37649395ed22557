"""What moves on the privacy-curves page while a slider is dragged or a curve is pointed at."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import streamlit as st

from dpcore.figures import curves as figures
from dpcore.figures.deck import Deck, differences
from dpcore.mechanisms import MECHANISMS
from dpcore.profiles import PrivacyProfile, curves
from pages.components import controls, live
from pages.components.words import number
from pages.understand.privacy_curves.views import CHARTS, ORDER_RANGE, CurveView, Marked, marked, sampling

ORDERS, TARGETS = controls.round_values(*ORDER_RANGE), [float(f"1e{exponent}") for exponent in range(-15, 0)]
POINT = "pc_point"  # the frames of what the pointer is at


def offers(view: CurveView, shown: Sequence[str], prefix: str) -> dict[str, live.Offer]:
    """What moves with the sliders of each mechanism, and with that of ε."""
    still = replace(view, epsilon=0.0)
    found: dict[str, live.Offer] = {
        f"{prefix}_epsilon": (epsilon_decks, still),
        f"{prefix}_alpha": (order_decks, replace(view, order=ORDERS[0])),
        f"{prefix}_delta": (target_decks, replace(view, delta=TARGETS[0])),
        POINT: (point_decks, still),
    }
    for key in shown:
        entry = MECHANISMS[key]
        values = {p.name: st.session_state[f"{prefix}_{key}_{p.name}"] for p in entry.parameters}
        for moved in entry.parameters:
            fixed = tuple((name, value) for name, value in values.items() if name != moved.name)
            still = replace(view, mechanisms={**view.mechanisms, entry.name: None})
            found[f"{prefix}_{key}_{moved.name}"] = (mechanism_decks, still, key, moved.name, fixed)
    return found


def taken(follows: dict[str, live.Offer], key: str, prefix: str) -> live.Taken | None:
    """Figures taken away move with the first parameter of a mechanism."""
    first = MECHANISMS[key].parameters[0]
    return live.taken(follows, f"{prefix}_{key}_{first.name}", f"{first.symbol} =", CHARTS)


def rings(view: CurveView) -> dict[str, tuple[str, int]]:
    """For each chart, the frames to show where it is pointed at, and the trace of its ring, which says where that is."""
    count = len(view.mechanisms)
    return {key: (POINT, count + (3 if chart == "Trade-off" else 0)) for chart, key in CHARTS.items()}


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


def order_decks(view: CurveView) -> Iterator[live.Dealt | None]:
    """The line in the Rényi chart at each order, and the curves where its axis widens."""
    chart, names, known = "Rényi divergence", list(view.mechanisms), {}
    frames, touching = [], []
    for order in ORDERS:
        sample, ends = sampling(replace(view, order=order), chart)
        if ends not in known:
            shown = [sample(name, view.mechanisms[name], *ends, direction=view.direction) for name in names]
            known[ends] = shown, marked(view, [view.epsilon], shown[0])[1][0]
            yield None
        frames.append(known[ends][0])
        touching.append(known[ends][1])
    tracks = figures.renyi_tracks(frames, figures.palette(names), touching, ORDERS)
    yield CHARTS[chart], Deck(tuple(map(number, ORDERS)), tracks)


def target_decks(view: CurveView) -> Iterator[live.Dealt | None]:
    """The line of the target in the privacy profile at each δ, and the axis where it must reach lower."""
    chart, names = "Privacy profile", list(view.mechanisms)
    sample, ends = sampling(view, chart)
    shown = []
    for name in names:
        shown.append(sample(name, view.mechanisms[name], *ends, direction=view.direction))
        yield None
    colors, drawn = figures.palette(names), []
    for target in TARGETS:
        drawn.append(
            figures.delta_figure(
                shown, "light", colors=colors, log_scale=view.log_scale, target=target, look_at=view.point
            )
        )
        yield None
    yield CHARTS[chart], Deck(tuple(map(number, TARGETS)), differences(drawn))


def point_decks(view: CurveView) -> Iterator[live.Dealt | None]:
    """The same at the ε of each attack that somebody may point at: evenly along the axis of ε, and along that of δ."""
    first, direction = view.first[1], view.direction
    start = float(first.delta(0.0, direction=direction))
    known = first.epsilon([start * 10 ** (-k / 8) for k in range(96)], direction=direction).tolist()
    yield None
    even = [view.epsilon_max * i / 80 for i in range(81)]
    values = sorted({value for value in known + even if math.isfinite(value)})
    yield from decks([replace(view, epsilon=value) for value in values], tuple(map(number, values)))


def decks(views: Sequence[CurveView], labels: tuple[str, ...]) -> Iterator[live.Dealt | None]:
    """What differs between the charts of these views."""
    colors = figures.palette(list(views[0].mechanisms))
    at = []
    for view in views:
        at.append(view.point)
        yield None
    pins = [curves.pin(*point, one_sided=view.one_sided) for point, view in zip(at, views, strict=True)]
    touching: Marked = ([], [])
    for chart in reversed(CHARTS):
        sample, ends = sampling(views[0], chart)
        known: dict[tuple[str, PrivacyProfile], curves.Curve] = {}
        for view in views:
            for pair in view.mechanisms.items():
                if pair not in known:
                    known[pair] = sample(pair[0], pair[1], *ends, direction=view.direction)
                    yield None
        frames = [[known[pair] for pair in view.mechanisms.items()] for view in views]
        if chart == "Rényi divergence":
            for pair, group in groupby(views, lambda view: view.first):
                same = list(group)
                found = marked(same[0], [view.epsilon for view in same], known[pair])
                touching = (touching[0] + found[0], touching[1] + found[1])
                yield None
            tracks = figures.renyi_tracks(frames, colors, touching[1])
        elif chart == "Trade-off":
            tracks = figures.tradeoff_tracks(frames, colors, pins, touching[0])
        else:
            tracks = figures.delta_tracks(frames, colors, at, log_scale=views[0].log_scale, target=views[0].delta)
        yield CHARTS[chart], Deck(labels, tracks)
