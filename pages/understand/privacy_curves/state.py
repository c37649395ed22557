"""The choices on the privacy-curves page: mechanisms of the registry, their parameters, and the ε, δ, α to look at."""

from collections.abc import Callable
from dataclasses import dataclass, make_dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from dpcore.mechanisms import MECHANISMS, Parameter
from dpcore.profiles import PrivacyProfile, curves, marks
from pages.components import cache, people, say, state
from pages.components.page import NothingToShowError
from pages.components.say import md


@dataclass(frozen=True)
class Chosen:
    """Which mechanisms are shown."""

    show: tuple[str, ...] = state.several_of(
        "Mechanisms", {key: entry.name for key, entry in MECHANISMS.items()}, ["gaussian", "laplace"]
    )


def _slider(mechanism: str, parameter: Parameter) -> Any:
    """The control of one parameter. If several mechanisms are shown, its mechanism's name stands above the first."""
    entry = MECHANISMS[mechanism]

    def name(asked: Any) -> None:
        if len(asked.show) > 1 and parameter is entry.parameters[0]:
            say.markdown(md("**{}**", entry.name))

    return state.parameter(parameter, name, when=lambda asked: mechanism in asked.show)


Parameters = make_dataclass(
    "Parameters",
    [(f"{key}_{p.name}", float, _slider(key, p)) for key, entry in MECHANISMS.items() for p in entry.parameters],
    bases=(Chosen,),
    frozen=True,
)


def _look_at(asked: Any, key: str) -> float:
    """Ask for the ε to look at, below a dividing line."""
    st.divider()
    return say.slider(md("Look at ε ="), 0.0, 8.0, 1.0, step=0.05, key=key)


@dataclass(frozen=True)
class State(Parameters):
    """The choices made in the sidebar."""

    epsilon: float = state.control(1.0, _look_at, positions=lambda: [i / 20 for i in range(161)], label="ε")
    delta: float = state.delta(md("Look at δ ="))
    alpha: float = state.log(md("Look at Rényi order α ="), 1.1, 100.0, 8.0)
    direction: str = state.direction()
    epsilon_max: float = state.log("ε axis up to", 0.1, 100.0, 5.0)
    log: bool = state.toggle("Logarithmic δ", default=True)
    false_alarms: float = people.false_alarms()
    prior: float = people.prior()

    @cached_property
    def mechanisms(self) -> dict[str, PrivacyProfile]:
        """The chosen mechanisms by their names."""
        entries = {key: MECHANISMS[key] for key in self.show}
        return {
            entry.name: entry.build(**{p.name: getattr(self, f"{key}_{p.name}") for p in entry.parameters})
            for key, entry in entries.items()
        }

    def answer(self, mechanism: PrivacyProfile, question: str, at: float) -> float:
        """What a mechanism says at one value, such as its "epsilon" at a δ, in the chosen direction."""
        return cache.answer(mechanism, question, at, direction=self.direction)

    @property
    def first(self) -> tuple[str, PrivacyProfile]:
        return next(iter(self.mechanisms.items()))

    @cached_property
    def point(self) -> tuple[float, float]:
        """(ε, δ) of the first mechanism at the chosen ε."""
        return self.epsilon, float(self.first[1].delta(self.epsilon, direction=self.direction))

    @property
    def one_sided(self) -> bool:
        """Whether δ(ε) in the chosen direction gives only one of the two tangents to the trade-off curve."""
        return marks.mirrored(self.first[1], self.direction)

    @property
    def pinned(self) -> tuple[curves.Segment, curves.Segment]:
        """What the single point (ε, δ) implies for the trade-off curve."""
        return curves.pin(*self.point, one_sided=self.one_sided)

    def _sampled(self, sample: Callable[..., curves.Curve], *ends: float) -> list[curves.Curve]:
        """One curve for each mechanism."""
        return [
            cache.shared(sample, name, mechanism, *ends, direction=self.direction)
            for name, mechanism in self.mechanisms.items()
        ]

    @cached_property
    def profiles(self) -> list[curves.Curve]:
        return self._sampled(curves.delta_curve, self.epsilon_max)

    @cached_property
    def tradeoffs(self) -> list[curves.Curve]:
        return self._sampled(curves.tradeoff_curve)

    @cached_property
    def renyi(self) -> list[curves.Curve]:
        return self._sampled(curves.renyi_curve, max(64.0, 2 * self.alpha))

    @cached_property
    def marked(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The attack on the first mechanism that attains δ at ε: (false alarms, misses), and (order, divergence)."""
        mechanism = self.first[1]
        attack = marks.attacks(mechanism, [self.epsilon], self.direction)
        order, divergence = marks.best_order(self.renyi[0], mechanism, [self.epsilon], self.direction)
        return ((float(attack.false_alarms[0]), float(attack.misses[0])), (float(order[0]), float(divergence[0])))


def checked(asked: State) -> State:
    """The choices, if at least one mechanism is chosen; else an error that asks for one."""
    if not asked.show:
        raise NothingToShowError("Choose at least one mechanism in the sidebar to draw its curves.")
    return asked
