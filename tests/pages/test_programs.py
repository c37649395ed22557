"""The code of views that pages do not open with: `import dpcore as dp` is all it needs, and it makes the numbers on screen."""

import pytest

import dpcore as dp
from pages.components.words import number
from pages.understand.learn.words import LESSONS
from tests.contracts.page import alone
from tests.pages.tabs import code, opened, program

ON_SCREEN = [
    *(("understand/learn", "learn_tab", {"learn_lesson": key, f"learn_{key}_step": "Answer"}) for key in LESSONS),
    ("understand/exponential_mechanism", "em_tab", {"em_view": "plane"}),
    ("understand/exponential_mechanism", "em_tab", {"em_view": "finite"}),
    ("understand/log_concave", "lc_tab", {"lc_mode": "draw"}),
    ("understand/learning_limits", "ll_tab", {"ll_view": "packing"}),
    *(("sources/noise_augmentation", "na_tab", {"na_view": view}) for view in ("rows", "private", "realised", "sizes")),
]
TRAINING = {"tr_data": "linear", "tr_n": 200, "tr_d": 2}
ELSEWHERE = [  # what these say is in the figure or the text, or comes from a run
    ("understand/objective_perturbation", "op_tab", {"op_view": "calibration"}),
    ("understand/objective_perturbation", "op_tab", {"op_view": "variables"}),
    ("understand/objective_perturbation", "op_tab", {"op_view": "sampled"}),
    ("understand/learning_limits", "ll_tab", {"ll_view": "convexity"}),
    ("understand/learning_limits", "ll_tab", {"ll_view": "convexity", "ll_shape": "drawn"}),
    ("your_data/private_training", "tr_tab", TRAINING),
    ("your_data/private_training", "tr_tab", TRAINING | {"tr_how": "hand"}),
    ("sources/noise_augmentation", "na_tab", {"na_view": "paths"}),
    ("sources/noise_augmentation", "na_tab", {"na_view": "paths", "na_variant": "moor"}),
    ("verify/audit", "au_tab", {"au_subject": "learner"}),
    ("verify/audit", "au_tab", {"au_subject": "rows"}),
    ("verify/audit", "au_tab", {"au_subject": "napp"}),
]
LONG = [("your_data/private_training", "tr_tab", {"tr_view": view}) for view in ("study", "solvers")]


@pytest.mark.parametrize(("page", "tab", "state"), ON_SCREEN)
def test_it_makes_a_number_on_screen(page, tab, state):
    app = opened(page, tab, "Code", **state)
    cards = [metric.value.split("ε = ")[-1].removesuffix(" nats").removesuffix(" extra") for metric in app.metric]
    values = [value for array in alone(program(app)[0]) for value in array.tolist()]
    assert set(cards) & {text for value in values for text in (number(value), f"{100 * value:.1f} %")}, cards


@pytest.mark.parametrize(("page", "tab", "state"), ELSEWHERE)
def test_it_runs(page, tab, state):
    said, names = program(opened(page, tab, "Code", **state), dataset=dp.load_sample("diabetes"))
    assert said or "result" in names


@pytest.mark.parametrize(("page", "tab", "state"), LONG)
def test_what_takes_long_asks_for_what_is_there(page, tab, state):
    assert code(opened(page, tab, "Code", **state)).body
