"""What is computed for many mechanisms at once is what each of them says alone."""

import numpy as np
import pytest

from dpcore.exhibits.objective_perturbation.study import swept_curves, swept_epsilons, swept_log_deltas
from dpcore.mechanisms import ObjectivePerturbation
from dpcore.mechanisms.objective_perturbation import SWEPT


def mechanisms(bound, monotone):
    """With either sign of the logarithm, between which β ≥ λ tells."""
    options = {"bound": bound, "monotone": monotone, "log_term": "plus" if monotone else "minus"}
    return [
        ObjectivePerturbation(sigma=sigma, lam=lam, lipschitz=1.5, smoothness=1.0, **options)
        for sigma, lam in ((0.1, 2.0), (3.0, 0.6), (30.0, 20.0))
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("bound", SWEPT)
def test_each_is_found_as_alone(bound, monotone):
    many = mechanisms(bound, monotone)
    for delta in (1e-12, 0.3):
        alone = [one.epsilon(delta) for one in many]
        np.testing.assert_allclose(swept_epsilons(many, delta), alone, rtol=1e-11)
    alone = [one.log_delta(np.array([0.0, 0.7, 30.0])) for one in many]
    np.testing.assert_allclose(swept_log_deltas(many, [0.0, 0.7, 30.0]), alone, rtol=1e-12)
    for one, curve in zip(many, swept_curves(bound, many, 3.0, points=4), strict=True):
        delta = one.delta(curve.x)
        shown = np.where((delta == 0) | (delta == 1), np.nan, delta)  # nothing is drawn where nothing is said
        np.testing.assert_allclose(curve.y, shown, rtol=1e-12)
