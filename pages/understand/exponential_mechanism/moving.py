"""What moves on the exponential-mechanism page while ε is dragged."""

from collections.abc import Iterator

from dpcore.exhibits.exponential_mechanism import figure as figures
from dpcore.figures.deck import Deck
from pages.components import controls, live
from pages.components.words import number
from pages.understand.exponential_mechanism.views import EPSILONS, ExponentialView

VALUES = controls.round_values(*EPSILONS)
LABELS = tuple(map(number, VALUES))
CHARTS = {"Selection": "em_finite", "Landscape": "em_landscape", "Excess risk": "em_risk"}
MOST = {"line": 500, "finite": 250}  # draws or classifiers that move; of more, the frames would be too large to send


def offers(state: ExponentialView) -> dict[str, live.Offer]:
    """What moves with ε."""
    return {"em_epsilon": (epsilon_decks, state.at(EPSILONS[0]))}


def taken(follows: dict[str, live.Offer]) -> live.Taken | None:
    """Figures taken away move with ε."""
    return live.taken(follows, "em_epsilon", "ε =", CHARTS)


def epsilon_decks(state: ExponentialView) -> Iterator[live.Dealt | None]:
    """Law or density of the output and draws from it; in the chart of risks the line at ε."""
    if state.view != "finite":
        yield "em_risk", Deck(LABELS, figures.epsilon_tracks(VALUES))
    states = [state.at(value) for value in VALUES]
    if state.view == "finite" and state.hypotheses <= MOST["finite"]:
        laws = []
        for one in states:
            laws.append(one.finite())
            yield None
        yield "em_finite", Deck(LABELS, figures.finite_tracks(laws))
    if state.view == "line" and state.draws <= MOST["line"]:
        densities, rains = [], []
        for one in states:
            densities.append(one.densities())
            rains.append(one.rain())
            yield None
        yield "em_landscape", Deck(LABELS, figures.line_tracks(densities, rains))
