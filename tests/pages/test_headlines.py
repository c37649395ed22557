"""What headlines say: the numbers marked in the figure below, closed forms, printed numbers."""

import re
from html import unescape

import pytest

import dpcore as dp
from pages.components.words import number
from tests.pages.tabs import figure_in, run


def numbers(page: str, **state) -> list[float]:
    (title,) = run(page, **state).title
    return [float(one.replace("−", "-")) for one in re.findall(r"(?<![A-Za-z])[−-]?\d+(?:\.\d+)?", title.value)]


@pytest.mark.parametrize(("page", "state"), [
    ("understand/exponential_mechanism", {"em_epsilon": 8.0}),
    ("understand/log_concave", {}),
    ("understand/objective_perturbation", {}),
    ("understand/privacy_curves", {}),
    ("sources/errata", {"er_record": "pdp-lemma4"}),
    ("sources/noise_augmentation", {}),
])  # fmt: skip
def test_each_number_marked_in_the_figure_is_the_place_of_its_mark_and_in_the_headline(page, state):
    app = run(page, **state)
    marks = figure_in(app)["data"][-1]
    for x, y, text in zip(marks["x"], marks["y"], marks["text"], strict=True):
        marked = re.fullmatch("<b>(?:.*[: ])?(.+)</b>", text)[1]
        assert marked in {number(x), number(y)}
        assert marked in unescape(app.title[0].value)


def test_what_was_charged_and_what_is_true():
    """Both mechanisms have oracles of their own; here it is which numbers are shown, and the share between them."""
    losses = {"sigma": 10.0, "lam": 5.0, "lipschitz": 1.0, "smoothness": 1.0, "monotone": True}
    bounds = (dp.ObjectivePerturbation(**losses, bound=one) for one in ("hockey_stick", "tight"))
    charged, true = (float(bound.epsilon(1e-5)) for bound in bounds)
    found = numbers("understand/objective_perturbation")
    assert found[:2] == pytest.approx([charged, true], rel=5e-3)
    assert found[2] == round(100 * (1 - true / charged))


def test_digits_that_agree():
    app = run("verify/cross_check", cc_tab="All digits")
    (digits,) = (int(one) for one in re.findall(r"(\d+) digits", app.title[0].value))
    largest = max(frame.value["relative difference"].astype(float).max() for frame in app.dataframe)
    assert 10.0**-digits >= largest > 10.0 ** -(digits + 1) or largest < 1e-15


def test_what_a_source_prints_before_there_are_data():
    """Algorithm 1 in Table 2 of Redberg et al. at ε = 1, and the lower bar of Fig. 6 of Li and Liu."""
    (training,) = run("your_data/private_training", tr_data="adult").title
    assert training.value == "On Adult ε = 1 buys 83.18 %, as printed"
    (rows,) = run(
        "sources/noise_augmentation", na_view="study", na_figure="budget", na_data="upload", source="upload"
    ).title
    assert rows.value == "On Adult lasso errs on 15.2 % at ε = 1, as printed"
