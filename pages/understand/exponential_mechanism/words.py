"""What the exponential-mechanism page says about what it shows."""

from dpcore.exhibits.exponential_mechanism.study import pure_temperature
from dpcore.mechanisms.selection import SELECTION_MECHANISMS, excess_error_bound
from pages.components import say
from pages.components.say import md
from pages.components.words import number, script
from pages.understand.exponential_mechanism.views import ExponentialView

_sentence = say.sentences(__file__)


def observations(state: ExponentialView) -> list[str]:
    """Sentences computed from what is on the screen."""
    if state.view == "finite":
        found = state.finite()
        best = min(SELECTION_MECHANISMS, key=found.excess)
        bound = excess_error_bound(len(found.errors), state.epsilon, 0.05)
        return [
            _sentence("loses_least_here", SELECTION_MECHANISMS[best], number(found.excess(best))),
            _sentence("union_bound_generous", number(bound), len(found.errors)),
            _sentence("all_weight_goes_on"),
        ]
    found, mechanism = state.landscape(), state.mechanism()
    real = found.pair_epsilon(mechanism.k, mechanism.mu, state.delta)
    pure = state.dimension / pure_temperature(state.epsilon, state.n)
    bound = mechanism.excess_risk(state.dimension, 1.0)
    return [
        _sentence("temperature", number(mechanism.k)),
        _sentence("pair_loses_less_than", *map(number, (real, state.epsilon))),
        _sentence(
            "smaller_bound",
            "Pure ε-DP has the smaller bound here"
            if pure < bound
            else "The regularised mechanism has the smaller bound here",
            *map(number, (pure, bound)),
        ),
        md("**Rates are not bounds**: the dash-dotted lines drop their constants and may lie below what is measured."),
    ]


def program(state: ExponentialView) -> str:
    """The lines of dpcore that make these numbers."""
    if state.view == "finite":
        return script(
            "study = dp.exhibits.exponential_mechanism.study",
            f"found = study.finite_landscape({state.n}, {state.hypotheses}, {state.noise!r}, {state.epsilon!r})",
            'found.excess("exponential"), found.excess("permute_and_flip"), found.laws',
        )
    make = (
        f"dp.exhibits.exponential_mechanism.study.plane_landscape({state.n}, {state.noise!r})"
        if state.view == "plane"
        else f"dp.exhibits.exponential_mechanism.study.line_landscape({state.n}, {state.centre!r}, 0.3)"
    )
    return script(
        f"mechanism = dp.{state.mechanism()!r}",
        f"shown = {make}",
        f"shown.excess(mechanism.k, mechanism.mu), mechanism.excess_risk({state.dimension}, radius=1.0)",
        f"shown.pair_epsilon(mechanism.k, mechanism.mu, {state.delta!r}), mechanism.epsilon({state.delta!r})",
    )
