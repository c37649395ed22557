"""The first words of the objective-perturbation page: the finding, and the story in three steps."""

import math

from pages.components import cache, say
from pages.components.say import md
from pages.components.words import number, times_from_log
from pages.understand.objective_perturbation.state import LOOSER, State

_sentence = say.sentences(__file__)


def epsilons(state: State) -> tuple[float, ...]:
    """ε exactly, as published, and the least of any loss."""
    return tuple(
        cache.answer(state.mechanism(bound), "epsilon", state.delta) for bound in ("tight", "hockey_stick", "lower")
    )


def headline(state: State) -> str:
    """What was charged, and what it truly costs."""
    tight, charged, _ = epsilons(state)
    if charged == 0:
        return "Charged ε = 0, and truly nothing is lost"
    if math.isfinite(charged):
        return f"Charged ε = {number(charged)}, truly {number(tight)}: {100 * (1 - tight / charged):.0f} % was wasted"
    return f"Theorem 3.1 proves nothing here; the truth is ε = {number(tight)}"


def steps(state: State) -> tuple[str, str, str]:
    """A model trained on a noisy objective; what the published bound charges for it; what it truly costs."""
    tight, charged, least = epsilons(state)
    trained = _sentence("noisy_objective", state)
    share = md("")
    if math.isfinite(charged):
        published = _sentence("charged", charged, state.delta)
        share = md(", {} % of the charge{}", number(100 * tight / charged, 2), _less(state)) if charged else md("")
    else:
        why = f": it needs λ > β = {number(state.beta)}" if state.too_little else " at this δ"
        published = _sentence("charged_nothing", why)
    return trained, published, _sentence("what_truly_costs", tight, state.delta, share, least)


def _less(state: State) -> str:
    """How much smaller the exact δ at ε is than the charged δ; empty if the published bound says nothing there."""
    if state.log_delta("hockey_stick") >= 0:
        return md("")
    gap = state.log_delta("hockey_stick") - state.log_delta("tight")
    if gap < LOOSER:
        return md("")
    return md("; at ε\u00a0=\u00a0{!n} its δ is **{}** less", state.epsilon, times_from_log(gap))
