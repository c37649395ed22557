"""The four steps: what is released, what is enforced, and what every record then has."""

import numpy as np
import pytest
from scipy import special

from dpcore.exhibits.paper_figures.conversion import conversion
from dpcore.exhibits.paper_figures.study import PAPER_DELTA, paper_data
from tests.errata.oracles import four_phis, gaussian_delta


@pytest.mark.thorough
@pytest.mark.parametrize("kappa", [1.5, 0.2])
def test_each_step_hands_its_number_to_the_next(kappa):
    n, d, target = 2_000, 3, 4.0
    found = conversion(n, d, 0.1, 0, target, kappa)
    X = paper_data(n, d, 0.1, 0).X
    assert found.eigenvalue == pytest.approx(np.linalg.svd(X, compute_uv=False)[-1] ** 2)
    assert found.target == pytest.approx(n / (d * kappa))
    noise = (found.released - found.secured - 1) / -special.ndtri(PAPER_DELTA / 3)
    assert gaussian_delta(target / 2, 1 / noise) == pytest.approx(PAPER_DELTA / 3, rel=1e-3)
    assert found.lam == pytest.approx(max(0.0, found.target - found.secured))
    assert (found.lam > 0) == (kappa == 0.2)
    assert found.secured + found.lam >= found.target * (1 - 1e-12)
    assert found.epsilon <= target * (1 + 1e-9)
    assert found.median < found.everyone < found.bounded
    smallest = found.eigenvalue
    residual = 1 + np.sqrt(n / smallest)
    reached = [four_phis(mu, residual, found.gamma, found.bounded) for mu in np.geomspace(1e-3, 1, 60) / smallest]
    assert max(reached) == pytest.approx(PAPER_DELTA / 3, rel=0.02)
    assert "no worst-case" in found.unregularised
    assert (np.diff(found.curve.y) < 0).all()
