"""ε of a stopped solver against the noise on its result: Theorem 4.1 written out, and the tight curve convolved by hand."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

import dpcore as dp
from dpcore.exhibits.objective_perturbation.stopped_solver import OUTPUT_NOISES, budget_by_output_noise, stopped

SETTING = {"sigma": 10.0, "lam": 5.0, "lipschitz": 1.0, "smoothness": 1.0}
TAU, DELTA = 0.01, 1e-5


def theorem_4_1(shift):
    """ε at δ: −log(1 − β/λ) + Δ²/2 + the half-normal's moment + αs²/2, s = 2τ/(λσ_out), at the best order."""
    order = 1 + np.geomspace(1e-2, 1e5, 20_001)
    t = order - 1
    divergence = -np.log1p(-0.2) + 0.005 + (np.log(2) + (0.1 * t) ** 2 / 2 + norm.logcdf(0.1 * t)) / t
    divergence += order * shift**2 / 2
    return (divergence + np.log1p(-1 / order) - (np.log(DELTA) + np.log(order)) / t).min()


def convolved(tight, shift):
    """ε at δ of the tight profile and a Gaussian release, by a sum over the loss of the second."""
    z = np.linspace(-8, 8, 201)

    def excess(epsilon):
        left = epsilon - shift * z - shift**2 / 2
        return 0.08 * max(tight.delta(left, direction=one) @ norm.pdf(z) for one in ("add", "remove")) - DELTA

    return brentq(excess, 0.05, 5, xtol=1e-5)


def test_the_budget_at_every_noise():
    published, tight = (dp.ObjectivePerturbation(**SETTING, bound=bound) for bound in ("renyi", "tight"))
    curve = budget_by_output_noise("Thm 4.1", published, TAU, DELTA, 3)
    assert (curve.x[0], curve.x[-1]) == pytest.approx(OUTPUT_NOISES)
    for noise, found in zip(curve.x, curve.y, strict=True):
        assert found == pytest.approx(theorem_4_1(2 * TAU / (5 * noise)), rel=2e-3)
    sharper = budget_by_output_noise("Tight", tight, TAU, DELTA, 3)
    assert sharper.bound is dp.Bound.UPPER
    for noise, found in zip(sharper.x[1:], sharper.y[1:], strict=True):
        least = convolved(tight, 2 * TAU / (5 * noise))
        assert least * (1 - 1e-4) <= found <= least * 1.01
    assert (sharper.y < curve.y).all()


def test_nothing_is_drawn_where_the_second_release_shows_nearly_everything():
    tight = dp.ObjectivePerturbation(**SETTING)
    early = budget_by_output_noise("Tight", tight, 1.0, DELTA, 3)  # 2τ/(λσ_out) = 400, 4, 0.04
    assert np.isnan(early.y).tolist() == [True, False, False]
    whole = stopped(tight, TAU, 0.15)
    assert (whole.second_shift, whole.exact) == (pytest.approx(2 * TAU / (5 * 0.15)), tight)
    for bad in ({"tau": -1.0}, {"delta": 0.0}, {"points": 1}):
        with pytest.raises(dp.ParameterError, match=next(iter(bad))):
            budget_by_output_noise("", tight, **({"tau": TAU, "delta": DELTA, "points": 3} | bad))
