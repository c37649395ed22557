"""What headlines say: the numbers marked in the figure below, closed forms, printed numbers."""

import re
from html import unescape

import numpy as np
import pytest

import dpcore as dp
from pages.components.words import number
from tests.pages.tabs import figure_in, run
from tests.pages.test_live import numbers as values


def numbers(page: str, **state) -> list[float]:
    (title,) = run(page, **state).title
    return [float(one.replace("−", "-")) for one in re.findall(r"(?<![A-Za-z])[−-]?\d+(?:\.\d+)?", title.value)]


@pytest.mark.parametrize(("page", "state"), [
    ("understand/exponential_mechanism", {"em_epsilon": 8.0}),
    ("understand/objective_perturbation", {}),
    ("understand/privacy_curves", {}),
    ("sources/errata", {"er_record": "pdp-lemma4"}),
    ("sources/errata", {"er_record": "lib-opacus-floor"}),
    ("sources/noise_augmentation", {"na_view": "rows"}),
])  # fmt: skip
def test_each_number_marked_in_the_figure_is_the_place_of_its_mark_and_in_the_headline(page, state):
    app = run(page, **state)
    marks = figure_in(app)["data"][-1]
    for x, y, text in zip(marks["x"], marks["y"], marks["text"], strict=True):
        marked = re.fullmatch("<b>(?:.*[: ])?(.+)</b>", text)[1]
        assert marked in {number(x), number(y)}
        assert marked in unescape(app.title[0].value)


def test_the_shaded_areas_of_a_log_concave_pair_are_the_numbers_above_them_and_in_the_headline():
    app = run("understand/log_concave")
    drawn = figure_in(app)
    curves = [{axis: np.array(values(one[axis])) for axis in "xy"} for one in drawn["data"][:6]]
    for (_, allowed, held), title in zip((curves[:3], curves[3:]), drawn["layout"]["annotations"][:2], strict=True):
        area = np.trapezoid(np.maximum(held["y"] - allowed["y"], 0.0), held["x"])
        told = re.search(r"leaks? (.+)</b>", title["text"])[1]
        assert float(told) == pytest.approx(area, rel=2e-3)
        assert told in app.title[0].value


def test_what_was_charged_and_what_is_true():
    """Both mechanisms have oracles of their own; here it is which numbers are shown, and the share between them."""
    losses = {"sigma": 10.0, "lam": 5.0, "lipschitz": 1.0, "smoothness": 1.0, "monotone": True}
    bounds = (dp.ObjectivePerturbation(**losses, bound=one) for one in ("hockey_stick", "tight"))
    charged, true = (float(bound.epsilon(1e-5)) for bound in bounds)
    found = numbers("understand/objective_perturbation")
    assert found[:2] == pytest.approx([charged, true], rel=5e-3)
    assert found[2] == round(100 * (1 - true / charged))


def test_what_a_record_gives_away_is_the_shaded_area_of_the_story():
    """At Λ = 3 and ε = 1 the law without the record is 0 between 0 and 3/2, where the excess is all of the other law."""
    shaded, without, _ = figure_in(run("sources/noise_augmentation"))["data"][-3:]
    theta, excess = (np.asarray(values(shaded[name])) for name in "xy")
    assert numbers("sources/noise_augmentation")[0] == pytest.approx(np.trapezoid(excess, theta), rel=0.05)
    inside = (theta > 0) & (theta < 1.49)
    assert np.asarray(values(without["y"]))[inside].max() == 0
    assert np.ptp(theta[excess > 0]) == pytest.approx(0.5, abs=0.05)  # outputs from y − ζ = 1 to 3/2


def test_digits_that_agree():
    """The least count in the headline is that of the figure, where digits of both lines are compared by hand."""
    app = run("verify/cross_check", cc_epsilon=2.0)
    _, digits = numbers("verify/cross_check", cc_epsilon=2.0)
    same, other = (np.array(one["z"], dtype=float) for one in figure_in(app)["data"][:2])
    upper, lower = (np.where(np.isnan(same), other, same)[start::2] for start in (0, 1))
    shared = np.cumprod(upper == lower, axis=1).sum(axis=1)
    assert shared.min() == digits > 10
    assert upper[0, :3].tolist() == [2, 0, 9]  # the Gaussian δ(2) at σ = 1 is 0.0209


def test_what_a_source_prints_before_there_are_data():
    """Algorithm 1 in Table 2 of Redberg et al. at ε = 1, and the lower bar of Fig. 6 of Li and Liu."""
    (training,) = run("your_data/private_training", tr_data="adult").title
    assert training.value == "On Adult ε = 1 buys 83.18 %, as printed"
    (rows,) = run(
        "sources/noise_augmentation", na_view="study", na_figure="budget", na_data="upload", source="upload"
    ).title
    assert rows.value == "On Adult lasso errs on 15.2 % at ε = 1, as printed"
