"""What the exponential-mechanism page says about what it shows."""

from dpcore.exhibits.exponential_mechanism.study import pure_temperature
from dpcore.mechanisms.selection import SELECTION_MECHANISMS, excess_error_bound
from pages.components import say
from pages.components.say import md
from pages.components.words import programs
from pages.understand.exponential_mechanism.views import ExponentialView

_sentence, _program = say.sentences(__file__), programs(__file__)


def observations(state: ExponentialView) -> list[str]:
    """Sentences computed from what is on the screen."""
    if state.view == "finite":
        found = state.finite()
        best = min(SELECTION_MECHANISMS, key=found.excess)
        bound = excess_error_bound(len(found.errors), state.epsilon, 0.05)
        return [
            _sentence("loses_least_here", SELECTION_MECHANISMS[best], found.excess(best)),
            _sentence("union_bound_generous", bound, len(found.errors)),
            _sentence("all_weight_goes_on"),
        ]
    found, mechanism = state.landscape(), state.mechanism()
    real = found.pair_epsilon(mechanism.k, mechanism.mu, state.delta)
    pure = state.dimension / pure_temperature(state.epsilon, state.n)
    bound = mechanism.excess_risk(state.dimension, 1.0)
    return [
        _sentence("temperature", mechanism.k),
        _sentence("pair_loses_less_than", real, state.epsilon),
        _sentence(
            "smaller_bound",
            "Pure ε-DP has the smaller bound here"
            if pure < bound
            else "The regularised mechanism has the smaller bound here",
            pure,
            bound,
        ),
        md("**Rates are not bounds**: the dash-dotted lines drop their constants and may lie below what is measured."),
    ]


def program(state: ExponentialView) -> str:
    """The lines of dpcore that make these numbers."""
    return _program(state.view, state=state, mechanism=state.mechanism())
