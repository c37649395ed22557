"""The game on noise-augmented training: its draws follow the exact laws, and the verdicts are those of quadrature."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate

import dpcore as dp
from dpcore.audit import audit, napp_game
from dpcore.audit.napp import Scenario, attack, law, laws
from dpcore.audit.napp_pairs import minimisers

VARIANTS = ("certified", "moor", "vs_plus")
SCENARIOS = (
    Scenario(1.0, 0.5), Scenario(2.0, 1.0, target=2.0, others=2, others_target=-0.3), Scenario(2.0, 2.0, target=2.0, share=0.3),
)  # fmt: skip


def objective(scenario, variant, present, b, theta):
    """The realised objective itself: integrals of the clipped gradient, the penalty, and the noise."""
    huber = lambda r: np.where(np.abs(r) <= 1, r**2 / 2, np.abs(r) - 0.5)  # noqa: E731
    total = scenario.others * huber(theta - scenario.others_target)
    total = total + (huber(theta - scenario.target) if present else 0.0)
    size, floor, push = np.abs(theta), scenario.floor, scenario.strength
    if variant == "moor":
        edge = push / (2 * floor)
        penalty = np.where(size <= edge, push * size, push * edge + floor * (size**2 - edge**2))
    else:
        penalty = push * size + floor * size**2
    return total + penalty + b * (size if variant == "vs_plus" else theta)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("present", [False, True])
def test_draws_minimise_the_objective(scenario, variant, present):
    rng = np.random.default_rng(3)
    b = rng.exponential(1 / scenario.rate, 40) * (1 if variant == "vs_plus" else rng.choice([-1, 1], 40))
    found = minimisers(scenario, variant, present, b)
    grid = np.linspace(-12, 12, 24_001)
    for noise, theta in zip(b, found, strict=True):
        values = objective(scenario, variant, present, noise, grid)
        assert objective(scenario, variant, present, noise, np.array(theta)) <= values.min() + 1e-9
    assert (found == 0).any()


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("present", [False, True])
def test_draws_follow_the_law(scenario, variant, present):
    count = 40_000
    pair = napp_game(scenario, variant).pair
    theta = (pair.present if present else pair.absent)(count, np.random.default_rng(5))[:, 0]
    exact = law(scenario, variant, present)
    edges = [-np.inf, -2.0, -0.4, -1e-9, 1e-9, 0.3, 1.2, np.inf]
    total = 0.0
    for low, high in pairwise(edges):
        inside = sorted(
            {max(low, -60.0), min(high, 60.0), *(x for x in exact.breaks if max(low, -60) < x < min(high, 60))}
        )
        at = lambda x: float(exact.density(np.array([x]))[0])  # noqa: E731
        mass = sum(integrate.quad(at, u, v, limit=200)[0] for u, v in pairwise(inside))
        mass = exact.atom if low < 0 < high else mass
        total += mass
        share = np.mean((theta > low) & (theta <= high))
        assert share == pytest.approx(mass, abs=5 * np.sqrt(max(mass * (1 - mass), 1e-5) / count))
    assert total == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_picture_of_the_laws_holds_their_bulk(scenario, variant):
    pictured = laws(scenario, variant)
    assert pictured.theta[0] == -pictured.theta[-1]
    for density, atom in zip((pictured.absent, pictured.present), pictured.atoms, strict=True):
        assert 0.9 < integrate.trapezoid(density, pictured.theta) + atom < 1.05
        middle = np.where(np.abs(pictured.theta) < pictured.theta[-1] / 2, density, 0.0)
        assert variant == "vs_plus" or integrate.trapezoid(density - middle, pictured.theta) > 1e-3


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_attack_is_the_hockey_stick_of_both_laws(scenario, variant):
    one, other = (law(scenario, variant, present) for present in (False, True))
    breaks, factor = sorted({*one.breaks, *other.breaks}), np.exp(0.5 * scenario.epsilon)
    found = attack(scenario, variant, 0.5 * scenario.epsilon)
    for value, p, q in ((found.add, one, other), (found.remove, other, one)):
        cells = np.concatenate([np.linspace(*ends, 20_001)[:-1] for ends in pairwise(breaks)])
        middle = cells + 0.5 * np.diff(cells, append=breaks[-1])
        gained = np.maximum(p.density(middle) - factor * q.density(middle), 0.0)
        atom = max(p.atom - factor * q.atom, 0.0)
        assert value == pytest.approx(gained @ np.diff(cells, append=breaks[-1]) + atom, abs=1e-6)


@pytest.mark.parametrize(("variant", "refuted"), [("certified", False), ("moor", True), ("vs_plus", True)])
def test_claims_fall_and_the_certified_form_stands(variant, refuted):
    scenario = Scenario(1.0, 0.5)
    game = napp_game(scenario, variant)
    for seed in range(4):
        result = audit(game, 2000, seed, epsilon=1.0)
        assert result.refuted == refuted
        assert result.delta_lower <= attack(scenario, variant).delta
    assert (result.delta_lower > 0) == refuted


def test_a_claim_that_depends_on_the_output_is_no_game():
    with pytest.raises(dp.UnsupportedError, match="quadrature"):
        napp_game(Scenario(), "retrieval")
    with pytest.raises(dp.ParameterError, match="variant"):
        napp_game(Scenario(), "other")
