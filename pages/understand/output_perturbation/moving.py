"""What moves on the output-perturbation page while λ or ε is dragged."""

from collections.abc import Iterator

from dpcore.data import Dataset
from dpcore.exhibits.output_perturbation import figure as figures
from dpcore.figures.deck import Deck
from pages.components import controls, live
from pages.components.words import number
from pages.understand.output_perturbation import sweeps, views

LIVE_CELLS = 20_000  # above, a sweep for each ε takes too long to be ready for a drag


def offers(dataset: Dataset, loss: str, delta: float, rho: float, both: bool = False) -> dict[str, live.Offer]:
    """What moves with λ, and with ε on data that are fitted quickly; not where every ε means new minimisers.

    Parameters
    ----------
    dataset, loss, delta, rho : of the study
    both : whether objective perturbation stands beside it, whose minimisers depend on ε
    """
    found: dict[str, live.Offer] = {"out_lambda": (lambda_decks,)}
    if not both and dataset.n_samples * dataset.n_features <= LIVE_CELLS:
        found["out_epsilon"] = (epsilon_decks, dataset, loss, delta, rho)
    return found


def taken(follows: dict[str, live.Offer]) -> live.Taken | None:
    """Figures taken away move with λ."""
    return live.taken(follows, "out_lambda", "λ =", views.CHARTS)


def lambda_decks() -> Iterator[live.Dealt]:
    """The line in both charts at each λ."""
    values = controls.round_values(*sweeps.LAMBDA_RANGE)
    deck = Deck(tuple(map(number, values)), figures.place_tracks(values))
    yield from ((key, deck) for key in views.CHARTS.values())


def epsilon_decks(dataset: Dataset, loss: str, delta: float, rho: float) -> Iterator[live.Dealt | None]:
    """Both charts at each ε."""
    values, changes, risks = controls.round_values(*views.EPSILONS), [], []
    for epsilon in values:
        found = sweeps.study(dataset, loss, epsilon, delta, rho)
        changes.append(found.change_curves())
        risks.append(found.risk_curves())
        yield None
    for key, frames in zip(views.CHARTS.values(), (changes, risks), strict=True):
        yield key, Deck(tuple(map(number, values)), figures.budget_tracks(frames))
