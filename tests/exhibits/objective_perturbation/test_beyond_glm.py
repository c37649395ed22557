"""A loss that is no generalised linear model: its profile by releases that are drawn, and by the density in one parameter."""

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import dpcore as dp
from dpcore.exhibits.objective_perturbation.beyond_glm import RoundLoss

SETTING = {"sigma": 3.0, "lam": 5.0, "lipschitz": 1.0, "smoothness": 2.0}


def test_in_one_parameter_it_is_the_density_of_the_minimiser_and_a_glm():
    """p(θ) = φ(J'(θ)/σ) J''(θ)/σ on the line, by adaptive quadrature; the curve for GLMs is not exceeded there."""
    loss = RoundLoss(**SETTING, dimension=1)

    def density(t, present):
        slope, bend = 5 * t, 5.0
        if present:
            slope, bend = slope + t / np.hypot(t, 0.5), bend + 0.25 / np.hypot(t, 0.5) ** 3
        return stats.norm.pdf(slope / 3) * bend / 3

    for direction, first in (("add", False), ("remove", True)):
        for epsilon in (0.0, 0.1):
            beyond = lambda t, e=epsilon, p=first: max(density(t, p) - np.exp(e) * density(t, not p), 0)  # noqa: E731
            expected = 2 * integrate.quad(beyond, 0, 8, limit=400)[0]
            assert loss.delta(epsilon, direction=direction) == pytest.approx(expected, rel=1e-5)
    tight = dp.ObjectivePerturbation(**SETTING, monotone=False)
    grid = np.linspace(0, 1, 11)
    assert (loss.delta(grid) <= tight.delta(grid)).all()
    assert loss.pull == pytest.approx(np.sqrt(2 / np.pi))


def test_in_ten_parameters_it_exceeds_what_a_glm_could():
    """δ at least what one event shows: ‖θ‖ ≤ c, which a record pulls θ into, counted among draws of both releases."""
    loss, rng = RoundLoss(**SETTING, dimension=10), np.random.default_rng(0)
    absent, pulled = 3 * np.linalg.norm(rng.standard_normal((2, 20_000, 10)), axis=2)
    grid = np.linspace(0, 10, 20_001)
    present = np.interp(pulled, 5 * grid + grid / np.hypot(grid, 0.5), grid)  # λ‖θ‖ + L‖θ‖/√(‖θ‖² + s²) = ‖b‖
    shown = lambda c: float(np.mean(present <= c) - np.mean(absent / 5 <= c))  # noqa: E731
    cut = optimize.minimize_scalar(lambda c: -shown(c), bounds=(1.4, 2.2), method="bounded").x
    assert loss.delta(0.0) == pytest.approx(shown(cut), abs=0.012)
    assert loss.pull == pytest.approx(stats.chi(10).mean())
    at, wide = (10.0, 5.0, 1.0, 1.0), RoundLoss(10.0, 5.0, 1.0, 1.0, 10)
    tight, general = (dp.ObjectivePerturbation(*at, bound, False, dimension=10) for bound in ("tight", "non_glm"))
    assert wide.delta(0.5) > 100 * tight.delta(0.5)
    for epsilon in (0.5, 1.0, 2.0, 3.0):
        assert wide.delta(epsilon) <= general.delta(epsilon)
    with pytest.raises(dp.ParameterError, match="dimension must"):
        RoundLoss(10.0, 5.0, 1.0, 1.0, 0)
