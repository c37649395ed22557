"""The noise of a whole pipeline: one factor on the noise of every step, so that the pipeline meets a target."""

from __future__ import annotations

import pandas as pd
import streamlit as st

import dpcore as dp
from pages.components import cache, controls, say
from pages.components.say import md
from pages.components.words import number
from pages.understand.composition import pipeline
from pages.understand.composition.state import State

_sentence = say.sentences(__file__)

_FACTORS = (1e-2, 1e4)


def section(asked: State) -> None:
    """Show a target ε, a button, and the noise of every step with which the pipeline reaches the target."""
    say.markdown(_sentence("every_step"))
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    answer, _ = st.columns([3, 2])
    with left:
        target = controls.log_slider("Target ε of the pipeline", 0.05, 20.0, 1.0, key="co_target")
    if not say.button(f"Find the noise for δ = {number(asked.delta)}", key="co_find", on=right):
        return
    try:
        with say.spinner("Composing at many noise levels"):
            factor = cache.shared(smallest_factor, asked.rows, target, asked.delta)
    except dp.DPError as error:
        say.error(f"No factor between {_FACTORS[0]:g} and {_FACTORS[1]:g} meets the target: {error}.")
        return
    reached = dp.compose(pipeline.parts(asked.rows, factor)).epsilon(asked.delta)
    rows = [
        {"step": row.label, "parameter": parameter.name, "now": row.values[parameter.name],
         "needed": row.values[parameter.name] * factor**parameter.noise}
        for row in asked.rows
        for parameter in row.noise
    ]  # fmt: skip
    with answer:
        say.markdown(
            md("Factor **{}**: ε = {} at δ = {!n}.", number(factor, 5), number(float(reached[1]), 5), asked.delta)
        )
        say.table(pd.DataFrame(rows), hide_index=True)


def smallest_factor(rows: tuple[pipeline.Row, ...], epsilon: float, delta: float) -> float:
    """The smallest factor on all noise with which the composed pipeline is (ε, δ)-DP."""
    return float(
        dp.calibrate(
            lambda factor: dp.compose(pipeline.parts(rows, factor)).upper,
            epsilon=epsilon, delta=delta, bracket=_FACTORS,
        )
    )  # fmt: skip
