"""Every registered loss against every contract of losses, and the contracts against losses that are wrong on purpose."""

import dataclasses
from functools import partial

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


UNMEANT = wrong(
    Logistic, clipped_mean=lambda self, y: dataclasses.replace(Logistic.clipped_mean(self, y), target=y)
)  # another form for compiled code
UNSCORED = dataclasses.replace(Huber.scores[0], higher_is_better=True)  # grows with the error
WRONG = {  # what a check must refuse
    "slope_is_the_derivative_of_the_value": {
        "a third of its slope": wrong(Logistic, derivative=lambda self, u, y: Logistic.derivative(self, u, y) / 3),
        "too large by a millionth": wrong(Squared, derivative=lambda self, u, y: (u - y) * (1 + 1e-6)),
    },
    "curvature_is_the_derivative_of_the_slope": {
        "half its curvature": wrong(
            Huber, second_derivative=lambda self, u, y: Huber.second_derivative(self, u, y) / 2
        ),
        "labels taken for numbers": wrong(Logistic, target=NUMERIC),
    },
    "curvature_grows_no_faster_than_its_rate": {"faster than it says": wrong(Logistic, bend_rate=0.9)},
    "is_convex": {
        "not convex": wrong(Huber, derivative=lambda self, u, y: (u - y) * np.exp(-np.square(u - y) / 2)),
    },
    "slope_bound_is_the_supremum": {
        "too small": wrong(Huber, slope_bound=lambda self, bound=1.0: 0.99),
        "too large": wrong(Huber, slope_bound=lambda self, bound=1.0: 1.01),
        "without the target": partial(
            wrong(Squared, slope_bound=lambda self, bound=1.0: self.predictor_bound + 1.0), predictor_bound=2.0
        ),
    },
    "curvature_bound_is_the_supremum": {
        "too small": wrong(SmoothedHinge, curvature_bound=lambda self, bound=1.0, limit=np.inf: 0.99),
        "too large": wrong(Logistic, curvature_bound=lambda self, bound=1.0, limit=np.inf: 0.25),
        "said to be unbounded": wrong(Huber, curvature_bound=lambda self, bound=1.0, limit=np.inf: np.inf),
    },
    "constants_are_those_of_the_worst_record": {
        "without the norm of a row": wrong(
            Huber, constants=lambda self, domain, clip=None: dp.glm.LossConstants(1.0, 1.0, False)
        ),
    },
    "monotone_says_whether_the_slope_keeps_its_sign": {
        "said to be monotone": wrong(Huber, monotone=True),
        "not said to be monotone": wrong(Logistic, monotone=False),
    },
    "predictor_at_a_slope": {
        "minus the slope": wrong(Huber, predictor_at=lambda self, slope, y: Huber.predictor_at(self, -slope, y)),
    },
    "minimiser": {"one of its own": wrong(Squared, minimiser=lambda self, y: y + 0.01)},
    "form_for_compiled_code": {"another": UNMEANT},
    "solvers_agree_or_refuse_in_a_sentence": {"a form that SAG cannot solve": UNMEANT},
    "targets_are_those_of_its_kind": {
        "any number taken for a count": wrong(Poisson, check_target=lambda self, y: None),
    },
    "says_what_it_is": {"no title": wrong(Huber, title=" "), "the card of another": wrong(Huber, title="Mine")},
    "scores_judge_predictions": {"a score that grows with the error": wrong(Huber, scores=(UNSCORED,))},
    "refuses_parameters_out_of_range": {"a parameter unchecked": wrong(Huber, __post_init__=lambda self: None)},
}


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(("check", "name"), [(check, name) for check, losses in WRONG.items() for name in losses])
def test_a_wrong_loss_fails_its_contract(check, name):
    with pytest.raises((AssertionError, dp.DPError, pytest.fail.Exception)):
        getattr(contracts, f"check_{check}")(WRONG[check][name]())


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_clipped_value_that_jumps_fails_its_contract(monkeypatch):
    monkeypatch.setattr(Clipped, "value", lambda self, u, y: self.loss.value(u, y))
    with pytest.raises(AssertionError):
        contracts.check_clipped_form(Huber())
