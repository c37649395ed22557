"""What pure noise costs, against draws and closed forms."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.pure_noise import study


@pytest.mark.parametrize(("epsilon", "answers"), [(0.3, 1), (1.0, 7), (6.0, 1), (2.0, 200)])
def test_errors_are_those_of_draws_that_keep_the_budget(epsilon, answers):
    rng, errors = np.random.default_rng(0), study.errors(epsilon, answers, 1e-6)
    for name, step in study.steps(epsilon, answers, 1e-6).items():
        noise = np.abs(step.pair().absent(100_000, rng))
        assert errors[name] == pytest.approx(noise.mean(), abs=5 * noise.std() / 100_000**0.5)
        all_together = dp.compose([(step, answers)], method="basic" if name != "Gaussian" else "pld")
        spent = float(all_together.upper.epsilon(0.0 if name != "Gaussian" else 1e-6))
        assert spent == pytest.approx(epsilon, rel=2e-3)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_gaussian_noise_pays_from_that_number_of_answers_on(epsilon):
    turn = study.enough(epsilon, 1e-5)
    for answers, less in ((turn, True), (turn - 1, False)):
        if answers:
            found = study.errors(epsilon, answers, 1e-5)
            assert (found["Gaussian"] < found["Laplace"]) == less
    assert study.enough(0.2, 1e-300, most=100) is None


def test_densities_integrate_to_what_lies_within_three_mean_errors():
    for name, curve in zip(study.NAMES, study.densities(1.5, 2, 1e-5, points=20_001), strict=True):
        step = study.steps(1.5, 2, 1e-5)[name]
        draws = step.pair().absent(200_000, np.random.default_rng(1))
        inside = float((np.abs(draws) < curve.x[-1]).mean())
        assert float(np.trapezoid(curve.y, curve.x)) == pytest.approx(inside, abs=4e-3)
