"""ε of a pipeline that is run k times, by every accountant; the curves are drawn while they are computed."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import streamlit as st

import dpcore as dp
from dpcore.accountants.published import published_epsilon
from dpcore.exhibits import composition
from dpcore.exhibits.composition import figure as figures
from dpcore.profiles import Bound, curves
from pages.components import cache, cards, say
from pages.components.charts import Chart, place
from pages.understand.composition.state import CERTIFIED, METHODS, State

COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)

# Least time in seconds between two drawings of the unfinished curves. Doubled, the chart is renewed half as often.
_EVERY = 0.3
_ALT = "Epsilon at the target delta against the number of repetitions"


def draw(asked: State, methods: Iterable[str], refused: list[str]) -> tuple[list[curves.Curve], Chart]:
    """Draw the chart while it is computed; `refused` gets a sentence for each accountant and k without an answer."""
    spot, bar, seen = st.empty(), say.progress(0.0, "Composing"), time.monotonic()
    epsilon: dict[str, list[float]] = {method: [] for method in methods}
    for done, times_run in enumerate(COUNTS):
        say.progress(done / len(COUNTS), f"Composing, k = {times_run}", on=bar)
        for method, values in epsilon.items():
            try:
                values.append(cache.shared(composition.repeated_epsilon, asked.parts, method, times_run, asked.delta))
            except dp.UnsupportedError as error:
                refused.append(f"{METHODS[method]} at k = {times_run}: {error}.")
                values.append(math.nan)
        if times_run < COUNTS[-1] and time.monotonic() - seen > _EVERY:
            _show(spot, _known(epsilon), f"co_chart_growth_{times_run}")
            seen = time.monotonic()
    bar.empty()
    sampled = _known(epsilon) + _published(asked)
    return sampled, _show(spot, sampled, "co_chart_growth")


def _known(epsilon: dict[str, list[float]]) -> list[curves.Curve]:
    """A curve for each accountant. Values not yet known are NaN, so that the axis of k stays the same."""
    found = []
    for method, values in epsilon.items():
        bound = Bound.ESTIMATE if method == "saddle" else Bound.UPPER
        padded = values + [math.nan] * (len(COUNTS) - len(values))
        curve = composition.growth_curve(METHODS[method], bound, COUNTS, padded)
        found.append(replace(curve, note=CERTIFIED) if method == "pld" else curve)
    return found


def _show(spot: Any, sampled: list[curves.Curve], key: str) -> Chart:
    drawn = Chart("Growth", lambda: figures.growth_figure(sampled, cards.theme_mode()), _ALT, key)
    with spot:
        place(drawn)
    return drawn


def _published(asked: State) -> list[curves.Curve]:
    """The source's own composition of its bound, if the pipeline consists of that one step; else no curve."""
    row = asked.rows[0]
    if len(asked.rows) > 1 or row.kind != "objective_published" or row.values["lam"] <= row.values["smoothness"]:
        return []
    jump = -math.log1p(-row.values["smoothness"] / row.values["lam"])
    try:
        values = [
            cache.shared(published_epsilon, 1 / row.values["sigma"], jump, row.count * times_run, asked.delta)
            for times_run in COUNTS
        ]
    except dp.DPError:
        return []
    return [composition.growth_curve("Source, D.11", Bound.UPPER, COUNTS, values)]
