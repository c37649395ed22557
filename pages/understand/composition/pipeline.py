"""The pipeline builder: rows of mechanism × count, kept in the link."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from dpcore.accountants.parts import Parts
from dpcore.data.names import grouped
from dpcore.mechanisms import STEPS, Parameter
from dpcore.profiles import PrivacyProfile
from pages.components import controls, say
from pages.components.words import number
from pages.understand.composition import saved

PREFIX = "co"
MOST_ROWS = saved.MOST_ROWS
_FIRST, _FURTHER = (10.0, 1), (20.0, 100)  # σ and count of the first step and of a further one, all Gaussian at first


@dataclass(frozen=True)
class Row:
    """One line of the pipeline."""

    kind: str
    values: Mapping[str, float]
    count: int

    def mechanism(self, factor: float = 1.0) -> PrivacyProfile:
        """The mechanism, its noise multiplied by `factor` (a pure budget is divided by it)."""
        built = STEPS[self.kind].build(**self.values)
        return built if factor == 1 else built.with_noise(factor)

    @property
    def noise(self) -> tuple[Parameter, ...]:
        """The parameters that say how much noise there is."""
        return tuple(p for p in STEPS[self.kind].parameters if p.noise)

    @property
    def label(self) -> str:
        words = STEPS[self.kind].label({name: number(value) for name, value in self.values.items()})
        return words if self.count == 1 else f"{grouped(self.count)} × {words}"


def parts(rows: tuple[Row, ...], factor: float = 1.0) -> Parts:
    """The pipeline as `dp.compose` takes it."""
    return tuple((row.mechanism(factor), row.count) for row in rows)


def _key(index: int, *names: str) -> str:
    return "_".join([PREFIX, str(index), *names])


def _remove(index: int, shown: int) -> None:
    for here in range(index, shown - 1):
        kind = st.session_state[_key(here + 1, "kind")]
        names = ["kind", "count", *(f"{kind}_{p.name}" for p in STEPS[kind].parameters)]
        for name in names:
            st.session_state[_key(here, name)] = st.session_state[_key(here + 1, name)]
    st.session_state[f"{PREFIX}_rows"] = shown - 1


def builder(asked: Any, key: str) -> tuple[Row, ...]:
    """Show the rows of mechanism × count, with a field for their number and a button that removes each."""
    file = saved.box()
    shown = int(say.number_input("Steps in the pipeline", 1, MOST_ROWS, 1, key=key))
    rows = tuple(_row(index, shown, asked.view, asked.hand) for index in range(shown))
    saved.offer(file, [(row.kind, dict(row.values), row.count) for row in rows])
    return rows


def _row(index: int, shown: int, view: str, hand: Any) -> Row:
    """Show one step. The first step's count stands under the figure, except in the view "loss", which has k there."""
    sigma, default_count = _FURTHER if index else _FIRST
    with st.container(border=True, gap="small"):
        left, right = st.columns([5, 1], vertical_alignment="bottom", gap="small")
        kind = say.selectbox(
            f"Step {index + 1}", list(STEPS), index=list(STEPS).index("gaussian"),
            format_func=lambda key: STEPS[key].name, key=_key(index, "kind"), on=left,
        )  # fmt: skip
        say.button(
            "", icon=":material/close:", key=_key(index, "remove"), disabled=shown == 1,
            help=f"Remove step {index + 1}", on_click=_remove, args=(index, shown), on=right,
        )  # fmt: skip
        values = {}
        for parameter in STEPS[kind].parameters:
            if (kind, parameter.name) == ("gaussian", "sigma"):
                parameter = replace(parameter, default=sigma)
            values[parameter.name] = controls.parameter_control(parameter, key=_key(index, kind, parameter.name))
        beside = index > 0 or view == "loss"
        with nullcontext() if beside else hand:
            label = "Count" if beside else "How often the first step is done, k"
            count = controls.count_slider(label, 1_000_000, default_count, key=_key(index, "count"))
    return Row(kind, values, count)
