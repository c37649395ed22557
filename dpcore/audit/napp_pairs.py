"""The membership game for noise-augmented training in one dimension: draws of b, their exact minimisers, and both output laws."""

import numpy as np

from dpcore.audit.game import Game
from dpcore.audit.napp import GAME_VARIANTS, Law, Scenario, law
from dpcore.errors import UnsupportedError
from dpcore.learners.napp.guarantee import Claimed
from dpcore.learners.napp.weights import SMALLEST
from dpcore.mechanisms.pairs import Pair, Sampler


def napp_game(scenario: Scenario, variant: str) -> Game:
    """Is the record in the data behind one noise-augmented fit? The claim is the source's, or what is proven ("certified").

    Parameters
    ----------
    scenario : Scenario
    variant : "certified", "moor" or "vs_plus"

    Raises
    ------
    UnsupportedError
        For "retrieval", whose claim differs from output to output: `dpcore.audit.napp.attack` computes its δ.
    """
    absent, present = law(scenario, variant, False), law(scenario, variant, True)
    if variant == "retrieval":
        raise UnsupportedError(
            "the budget said to be returned differs from output to output, so there is no one claim to play against; "
            "dpcore.audit.napp.attack gives its δ by quadrature"
        )
    toward = np.copysign(1.0, scenario.target)
    pair = Pair(
        _draws(scenario, variant, False),
        _draws(scenario, variant, True),
        lambda outputs: _log_density(present, outputs[:, 0]) - _log_density(absent, outputs[:, 0]),
        lambda outputs: toward * outputs[:, 0],
    )
    claim = scenario.certified if variant == "certified" else Claimed(scenario.epsilon)
    name = GAME_VARIANTS[variant][0].upper() + GAME_VARIANTS[variant][1:]
    return Game(name, pair, claim, "one record joins the others, in one dimension")


def _log_density(one: Law, theta: np.ndarray) -> np.ndarray:
    """log density, or log probability of the atom at 0; −∞ where the law gives no such output."""
    with np.errstate(divide="ignore"):
        return np.where(theta == 0, np.log(one.atom), np.log(one.density(theta)))


def _draws(scenario: Scenario, variant: str, present: bool) -> Sampler:
    def sample(count: int, rng: np.random.Generator) -> np.ndarray:
        size = rng.exponential(1 / scenario.rate, count)
        b = size if variant == "vs_plus" else np.where(rng.random(count) < 0.5, -size, size)
        return minimisers(scenario, variant, present, b)[:, None]

    return sample


def minimisers(scenario: Scenario, variant: str, present: bool, b: np.ndarray) -> np.ndarray:
    """The minimiser for each b (n_e → ∞, T → ∞), read off the b that each output needs; shape of b."""
    known = law(scenario, variant, present)
    nodes = np.array(sorted([at for at in known.breaks if at] + [-SMALLEST, SMALLEST], reverse=True))
    if variant == "vs_plus":  # noise that weighs |θ| leaves it on the side to which the data pull
        nodes = nodes[nodes * scenario.slope(np.zeros(1), present) < 0]
        nodes = nodes[np.argsort(-np.abs(nodes))]
    theta = np.interp(b, known.needed(nodes), nodes) if nodes.size else np.zeros_like(b)
    return np.where(np.abs(theta) <= SMALLEST, 0.0, theta)
