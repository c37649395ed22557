"""The extremal loss found by direct search earns what the closed evaluation says."""

import numpy as np
import pytest

from dpcore.exhibits.objective_perturbation.study import extremal_curves
from dpcore.mechanisms.objective_perturbation.extremal import extremal_removal
from dpcore.mechanisms.objective_perturbation.tight import log_tight

SETTINGS = [
    (0.0, 0.2, 0.05), (0.5, 0.2, 0.05), (0.1, 0.1, 0.2), (0.5, 0.1, 0.2),
    (0.0, 1.0, 5.0), (4.0, 1.0, 5.0), (1.0, 2.0, 0.5), (3.0, 2.0, 0.5),
]  # fmt: skip


@pytest.mark.parametrize(("epsilon", "shift", "kappa"), SETTINGS)
def test_an_admissible_map_has_the_area_of_the_tight_profile(epsilon, shift, kappa):
    found = extremal_removal(epsilon, shift, kappa)
    tight = float(np.exp(log_tight(np.array(epsilon), np.array(shift), np.array(kappa), "remove", True)))
    assert found.delta == pytest.approx(tight, rel=3e-5)
    inside = np.isfinite(found.u)
    assert (found.e[0], found.e[-1]) == (0, pytest.approx(shift))
    z = (found.u + found.e / kappa)[inside]
    assert (np.diff(z) <= 1e-9 * np.maximum(1, np.abs(z[1:]))).all()
    assert (found.reward >= 0).all()
    assert 0 <= found.join <= shift


@pytest.mark.parametrize(("epsilon", "shift", "kappa"), SETTINGS)
def test_curves_to_draw_are_finite_and_few(epsilon, shift, kappa):
    sigma, lam = 3.0, 2.0
    drawn = extremal_curves(epsilon, sigma, lam, sigma * shift, lam * kappa)
    for curve in (drawn.shift, drawn.other_direction, drawn.noise, drawn.reward, drawn.loss):
        assert np.isfinite([curve.x, curve.y]).all()
    assert drawn.reward.x.size <= 400
    bell = np.exp(-(drawn.noise.x**2) / 2)
    assert drawn.noise.y == pytest.approx(shift * bell / bell.max())
    assert (np.diff(drawn.shift.y) <= 1e-12).all()
    slopes = np.diff(drawn.loss.y) / np.diff(drawn.loss.x)
    noise = -lam / sigma * drawn.loss.x  # the minimiser of λθ²/2 + σuθ is −σu/λ
    assert noise[[-1, 0]] == pytest.approx(drawn.shift.x[[0, -1]])
    pulled = sigma * np.interp(noise, drawn.shift.x, drawn.shift.y)
    assert slopes == pytest.approx((pulled[1:] + pulled[:-1]) / 2, abs=1e-9)
    assert ((slopes >= -1e-12) & (slopes <= sigma * shift * (1 + 1e-9))).all()
    assert (np.diff(slopes) >= -1e-9 * sigma * shift).all()
    assert (np.diff(slopes) <= lam * kappa * np.diff(drawn.loss.x)[1:] * 1.01 + 1e-9).all()
