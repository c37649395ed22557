"""The density of a minimiser is one: it has mass 1, and the mass of a set is that of the noises that lead into it."""

import numpy as np
import pytest

from dpcore.exhibits.objective_perturbation.change_of_variables import SmallModel, X, Y

MODEL = SmallModel(sigma=1.0, lam=1.5, lipschitz=1.0, smoothness=2.0)
GENTLE = SmallModel(sigma=1.0, lam=1.5, lipschitz=1.0, smoothness=0.4)  # a grid can follow it


def test_the_densities_have_mass_one_and_their_ratio_is_the_ratio_on_screen():
    """A sum over a grid of θ: without the determinants the mass is far from 1, with either data set."""
    side = np.linspace(-3.6, 3.6, 17)
    cell = (side[1] - side[0]) ** 2
    found = [GENTLE.at((a, b)) for a in side for b in side]
    for name in ("whole", "rest"):
        densities = np.exp([getattr(one, name).log_density for one in found])
        assert densities.sum() * cell == pytest.approx(1, abs=1e-3)
        bare = np.exp([getattr(one, name).log_noise_density for one in found])
        assert abs(bare.sum() * cell - 1) > 0.3
    for one in found[::19]:
        assert one.whole.log_density - one.rest.log_density == pytest.approx(one.log_ratio, abs=1e-12)


@pytest.mark.parametrize(
    "model",
    [MODEL, SmallModel(0.1, 0.01, 0.1, 10.0), SmallModel(1000.0, 5.0, 10.0, 0.01)],
    ids=["plain", "steep", "flat"],
)
def test_refits_agree(model):
    unit = model.sigma / model.lam
    for place in ((0.5, 0.5), (-1.0, 0.2)):
        found = model.at((place[0] * unit, place[1] * unit))
        assert found.refit_log_ratio == pytest.approx(found.log_ratio, abs=2e-5)
        assert found.volume == pytest.approx(-np.log1p(-found.leverage), rel=1e-9)
        assert 0 <= found.volume <= np.log1p(model.smoothness / model.lam)
        assert np.hypot(*found.gradient) <= model.lipschitz


def test_the_lattice_leads_where_it_says():
    """At every minimiser drawn the gradient of J, written out, is the noise it was drawn for."""
    for noise, *minimisers in MODEL.lattice():
        for first, theta in enumerate(minimisers):
            pull = -Y[first:] / (1 + np.exp(8 * Y[first:] * (theta @ X[first:].T)))
            np.testing.assert_allclose(pull @ X[first:] + 1.5 * theta, -noise, atol=1e-4)
            found = MODEL.at(theta[0])
            np.testing.assert_allclose((found.whole, found.rest)[first].noise, noise[0], atol=1e-4)
