"""Noisy sums: their sensitivity, their noise, and that what they bound of each row holds."""

import numpy as np
import pytest

from dpcore.data.domain import Domain
from dpcore.errors import ParameterError
from dpcore.individual.publication.noisy_fit import NoisyFit
from tests.individual.conftest import passes
from tests.individual.publication.oracles import KINDS, adversarial, ridge_truth


def drawn(X, y, seed=0, sigma=3.0, lam=2.0, row_norm=1.0, target_bound=1.0, beta=0.05):
    domain = Domain(row_norm=row_norm, target_bound=target_bound)
    return NoisyFit.draw(passes(X, y), domain, np.random.default_rng(seed), sigma=sigma, lam=lam, beta=beta)


@pytest.mark.parametrize(("row_norm", "target_bound"), [(1.0, 1.0), (2.0, 5.0), (3.0, 0.1)])
def test_one_record_moves_the_sums_by_at_most_the_sensitivity(row_norm, target_bound):
    """With the same noise, the extreme record moves what is released by 1/σ of its noise, and no other by more."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 3))
    X *= row_norm * rng.uniform(0, 1, size=(20, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    y = target_bound * rng.uniform(-1, 1, size=20)
    before = drawn(X, y, row_norm=row_norm, target_bound=target_bound, sigma=3.0)
    moves = []
    for length, level in ((1.0, 1.0), (1.0, -1.0), (0.7, 1.0), (1.0, 0.0)):
        x = rng.normal(size=3)
        x *= length * row_norm / np.linalg.norm(x)
        more = np.vstack([X, x]), np.append(y, level * target_bound)
        after = drawn(*more, row_norm=row_norm, target_bound=target_bound)
        scaled = (after.moment - before.moment) * row_norm / target_bound
        moves.append(np.sqrt(np.sum((after.gram - before.gram) ** 2) + np.sum(scaled**2)) / before.sigma)
    assert max(moves) <= 1 / 3
    assert moves[0] == pytest.approx(1 / 3, rel=1e-6)


def test_noise_is_as_wide_as_it_says():
    draws = [drawn(np.zeros((1, 4)), np.zeros(1), seed, target_bound=2.0) for seed in range(300)]
    grams, moments = np.array([one.gram for one in draws]), np.array([one.moment for one in draws])
    sigma = draws[0].sigma
    assert sigma == pytest.approx(3 * np.sqrt(2), rel=1e-6)
    assert np.einsum("kii->ki", grams).std() == pytest.approx(sigma, rel=0.06)
    assert grams[:, 0, 1].std() == pytest.approx(sigma / np.sqrt(2), rel=0.12)
    assert moments.std() == pytest.approx(2 * sigma, rel=0.06)
    assert (grams == grams.transpose(0, 2, 1)).all()


def test_nothing_below_the_grid_is_released():
    rng = np.random.default_rng(0)
    found = drawn(rng.uniform(-0.5, 0.5, size=(50, 3)), rng.uniform(-1, 1, size=50))
    step = found.sigma * 2.0**-30
    for released in (np.diag(found.gram), found.moment, found.gram[0, 1:] * np.sqrt(2)):
        assert np.abs(released / step - np.rint(released / step)).max() < 1e-4


def test_allowance_for_the_noise_covers_it_and_not_much_more():
    """Without data ‖E‖ ≤ τ and ‖e‖ ≤ κ in all but β of the draws, and neither is twice too large."""
    beta, failed, norms = 0.2, 0, []
    for seed in range(400):
        found = drawn(np.zeros((1, 6)), np.zeros(1), seed, beta=beta)
        values = np.linalg.eigvalsh(found.gram)
        tau = found.sigma * (np.sqrt(12) + np.sqrt(2 * np.log(3 / beta)) + 0.05)
        lowest = values[0] - tau
        assert found._known.lowest[0] == pytest.approx(lowest)
        failed += max(-values[0], values[-1]) > tau
        norms.append(max(-values[0], values[-1]) / tau)
    assert failed <= beta * 400
    assert np.mean(norms) > 0.5


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_hold_for_every_row(kind):
    for seed in range(12):
        X, y = adversarial(kind, np.random.default_rng(seed))
        for sigma, lam in ((0.02, 0.5), (0.5, 5.0), (6.0, 1.0)):
            fit = drawn(X, y, seed, sigma=sigma, lam=lam)
            found, top = fit.bounds(X, y), fit.largest()
            for part, truth in zip(("leverage", "residual", "pull"), ridge_truth(X, y, lam), strict=True):
                bound, limit = getattr(found, part), getattr(top, part)
                assert ((truth <= bound * (1 + 1e-9) + 1e-12) & (bound <= limit * (1 + 1e-9))).all()


def test_noise_beyond_the_grid_is_refused():
    with pytest.raises(ParameterError, match="too large to be drawn"):
        drawn(np.zeros((1, 2)), np.zeros(1), sigma=1e9)
