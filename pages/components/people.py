"""What a privacy curve means in people: two sliders and a paragraph, the same on every page that shows a curve."""

from typing import Any

import streamlit as st

import dpcore as dp
from dpcore.profiles.in_people import of_people
from pages.components import cache, running_order, say, state
from pages.components.say import md

ALARMS = (1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
PRIORS = (1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
_ALARMS = "Of those not in the data, wrongly accused"
_PRIOR = "Of all people, in the data"
USUAL = (0.05, 0.5)


def _share(label: str, shares: tuple[float, ...], default: float, key: str) -> float:
    return say.select_slider(label, shares, default, format_func=of_people, key=key)


def _control(label: str, shares: tuple[float, ...], default: float, when: state.When) -> Any:
    return state.control(
        default, lambda asked, key: _share(label, shares, default, key), positions=lambda: shares, label=label, place="people",
        when=lambda asked: when(asked) and not running_order.covered(),
    )  # fmt: skip


def false_alarms(when: state.When = lambda asked: True) -> Any:
    """The control of how many an attacker may accuse wrongly, below the figures."""
    return _control(_ALARMS, ALARMS, USUAL[0], when)


def prior(when: state.When = lambda asked: True) -> Any:
    """The control of how many are in the data, below the figures."""
    return _control(_PRIOR, PRIORS, USUAL[1], when)


def ask(prefix: str) -> tuple[float, float]:
    """Both controls at the current place, for a page that shows them in a tab."""
    with st.container(horizontal=True):
        return (
            _share(_ALARMS, ALARMS, USUAL[0], f"{prefix}_false_alarms"),
            _share(_PRIOR, PRIORS, USUAL[1], f"{prefix}_prior"),
        )


def told(profile: dp.PrivacyProfile | dp.Bracket, asked: Any, of: str = "") -> str:
    """The paragraph on a profile, at the values of both controls; `of` names what has the profile."""
    found = cache.shared(dp.in_people, profile, asked.false_alarms, asked.prior)
    return md("**{}.** {}", f"{of}, in people" if of else "In people", found.said)
