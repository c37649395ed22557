"""Every registered loss against every contract of losses, and the contracts against losses that are wrong on purpose."""

import dataclasses

import numpy as np
import pytest

import dpcore as dp
from dpcore.glm import Clipped, Huber, Logistic, Poisson, SmoothedHinge, Squared
from dpcore.glm.losses.targets import NUMERIC
from tests import every
from tests.contracts import loss as contracts

VARIANTS = {
    f"{name}-{i}": variant for name, loss in dp.LOSSES.items() for i, variant in enumerate(contracts.variants(loss))
}


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("name", VARIANTS)
def test_contract(name):
    every.hold(lambda check: check(VARIANTS[name]), {check.__name__: check for check in contracts.CHECKS})


def wrong(base, **changed):
    """A frozen loss like `base` with some of its methods or attributes replaced."""
    return dataclasses.dataclass(frozen=True)(type(f"Wrong{base.__name__}", (base,), changed))


WRONG = {
    "a third of its slope": (
        wrong(Logistic, derivative=lambda self, u, y: Logistic.derivative(self, u, y) / 3),
        "check_slope_is_the_derivative_of_the_value",
    ),
    "a slope a millionth too large": (
        wrong(Squared, derivative=lambda self, u, y: Squared.derivative(self, u, y) * (1 + 1e-6)),
        "check_slope_is_the_derivative_of_the_value",
    ),
    "half its curvature": (
        wrong(Huber, second_derivative=lambda self, u, y: Huber.second_derivative(self, u, y) / 2),
        "check_curvature_is_the_derivative_of_the_slope",
    ),
    "a curvature that changes faster than it says": (
        wrong(Logistic, bend_rate=0.9),
        "check_curvature_grows_no_faster_than_its_rate",
    ),
    "not convex": (
        wrong(Huber, derivative=lambda self, u, y: (u - y) * np.exp(-np.square(u - y) / 2)),
        "check_is_convex",
    ),
    "a slope bound too small": (
        wrong(Huber, slope_bound=lambda self, bound=1.0: 0.99),
        "check_slope_bound_is_the_supremum",
    ),
    "a slope bound too large": (
        wrong(Huber, slope_bound=lambda self, bound=1.0: 1.01),
        "check_slope_bound_is_the_supremum",
    ),
    "a slope bound without the target": (
        wrong(Squared, slope_bound=lambda self, bound=1.0: self.predictor_bound + 1.0),
        "check_slope_bound_is_the_supremum",
    ),
    "a curvature bound too small": (
        wrong(SmoothedHinge, curvature_bound=lambda self, bound=1.0, limit=np.inf: 0.99),
        "check_curvature_bound_is_the_supremum",
    ),
    "a curvature bound too large": (
        wrong(Logistic, curvature_bound=lambda self, bound=1.0, limit=np.inf: 0.25),
        "check_curvature_bound_is_the_supremum",
    ),
    "a curvature said to be unbounded": (
        wrong(Huber, curvature_bound=lambda self, bound=1.0, limit=np.inf: np.inf),
        "check_curvature_bound_is_the_supremum",
    ),
    "constants that forget the norm of a row": (
        wrong(Huber, constants=lambda self, domain, clip=None: dp.glm.LossConstants(1.0, 1.0, False)),
        "check_constants_are_those_of_the_worst_record",
    ),
    "said to be monotone": (wrong(Huber, monotone=True), "check_monotone_says_whether_the_slope_keeps_its_sign"),
    "not said to be monotone": (
        wrong(Logistic, monotone=False),
        "check_monotone_says_whether_the_slope_keeps_its_sign",
    ),
    "a predictor at minus the slope": (
        wrong(Huber, predictor_at=lambda self, slope, y: Huber.predictor_at(self, -slope, y)),
        "check_predictor_at_a_slope",
    ),
    "a minimiser of its own": (wrong(Squared, minimiser=lambda self, y: y + 0.01), "check_minimiser"),
    "another form for compiled code": (
        wrong(Logistic, clipped_mean=lambda self, y: dataclasses.replace(Logistic.clipped_mean(self, y), target=y)),
        "check_form_for_compiled_code",
    ),
    "a form that SAG cannot solve": (
        wrong(Logistic, clipped_mean=lambda self, y: dataclasses.replace(Logistic.clipped_mean(self, y), target=y)),
        "check_solvers_agree_or_refuse_in_a_sentence",
    ),
    "labels taken for numbers": (wrong(Logistic, target=NUMERIC), "check_curvature_is_the_derivative_of_the_slope"),
    "any number taken for a count": (
        wrong(Poisson, check_target=lambda self, y: None),
        "check_targets_are_those_of_its_kind",
    ),
    "no title": (wrong(Huber, title=" "), "check_says_what_it_is"),
    "the card of another": (wrong(Huber, title="Mine"), "check_says_what_it_is"),
    "a score that grows with the error": (
        wrong(Huber, scores=(dataclasses.replace(Huber.scores[0], higher_is_better=True),)),
        "check_scores_judge_predictions",
    ),
    "a parameter unchecked": (wrong(Huber, __post_init__=lambda self: None), "check_refuses_parameters_out_of_range"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_loss_fails_its_contract(name):
    kind, check = WRONG[name]
    loss = kind(predictor_bound=2.0) if name == "a slope bound without the target" else kind()
    with pytest.raises((AssertionError, dp.DPError, pytest.fail.Exception)):
        getattr(contracts, check)(loss)


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_clipped_value_that_jumps_fails_its_contract(monkeypatch):
    monkeypatch.setattr(Clipped, "value", lambda self, u, y: self.loss.value(u, y))
    with pytest.raises(AssertionError):
        contracts.check_clipped_form(Huber())
