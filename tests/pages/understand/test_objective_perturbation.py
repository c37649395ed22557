"""The objective-perturbation page: its numbers are those of the library or of oracles, and bounds that say nothing say so."""

import html
import re

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chi

import dpcore as dp
from dpcore.exhibits.objective_perturbation.beyond_glm import RoundLoss
from dpcore.exhibits.objective_perturbation.change_of_variables import SmallModel
from pages.components.words import number, times
from tests.errata.oracles import gaussian_delta, gaussian_epsilon
from tests.exhibits.objective_perturbation.test_stopped_solver import convolved, theorem_4_1
from tests.pages.tabs import figure_in, on_cards, run, said

PAGE = "understand/objective_perturbation"


TIGHT, PUBLISHED, RENYI = (
    dp.ObjectivePerturbation(sigma=10.0, lam=5.0, lipschitz=1.0, smoothness=1.0, bound=bound)
    for bound in ("tight", "hockey_stick", "renyi")
)


def cards(view):
    app = run(PAGE, op_view=view)
    assert len(app.metric) == 4
    return on_cards(app), [metric.delta for metric in app.metric]


def test_the_cards_of_the_profile():
    deltas = (float(TIGHT.delta(0.5)), float(PUBLISHED.delta(0.5)), gaussian_delta(0.5, 0.1))
    assert cards("profile")[0] == [number(one) for one in (*deltas, float(TIGHT.epsilon(1e-5)))]


def test_the_story_says_what_was_charged_what_it_costs_and_what_the_noise_alone_would():
    words = said(run(PAGE)).replace("\u00a0", " ")
    exact, least = re.search(
        r"ε = \*\*([\d.]+)\*\* at δ = 10⁻⁵[^.]*(?:\.\d[^.]*)*\. It is exact for these losses; no loss with this σ costs less than "
        r"([\d.]+), as the Gaussian mechanism does\.", words,
    ).groups()  # fmt: skip
    assert (exact, least) == (number(float(TIGHT.epsilon(1e-5))), number(gaussian_epsilon(0.1, 1e-5)))
    assert float(least) < float(exact)
    assert f"δ is **{float(PUBLISHED.delta(0.5)) / float(TIGHT.delta(0.5)):.0f} ×** less" in words
    assert f"ε = **{number(float(PUBLISHED.epsilon(1e-5)))}" in words
    assert "nothing**: it needs λ" in said(run(PAGE, op_lambda=0.5))


@pytest.mark.thorough
def test_the_cards_of_the_renyi_view():
    values, notes = cards("renyi")
    first, second = (float(note.removeprefix("at α = ")) for note in notes[:2])
    ratios = TIGHT.renyi(first) / (first / 200), RENYI.renyi(second) / TIGHT.renyi(second)
    assert [float(value.removesuffix("\u00a0×")) for value in values[:2]] == pytest.approx(ratios, rel=0.05)
    assert values[2:] == [number(float(one.epsilon(1e-5))) for one in (RENYI, TIGHT)]


@pytest.mark.thorough
def test_the_cards_of_a_stopped_solver():
    """Theorem 4.1 from its formula at the best order, and the tight curve by a sum over the second loss."""
    shift = 2 * 0.01 / (5 * 0.15)
    values, notes = cards("stopping")
    expected = (float(TIGHT.epsilon(1e-5)), convolved(TIGHT, shift), theorem_4_1(shift), shift)
    assert values == [number(one) for one in expected]
    assert notes[0] == "tight"
    early = run(PAGE, op_view="stopping", op_tau=1.0, op_sigma_out=0.001, op_lambda=0.01)
    assert "stop the solver later" in early.error[0].value


@pytest.mark.thorough
def test_the_cards_of_the_calibration():
    values, _ = cards("calibration")
    for value, bound in zip(values, ("hockey_stick", "tight"), strict=False):
        rule = dp.paper_rule(1.0, 1e-5, bound=bound, lipschitz=1.0, smoothness=1.0)
        assert value == number(rule.lam)
        assert float(rule.delta(1.0)) <= 1e-5
    best = dp.best_calibration(1.0, 1e-5, dimension=40, theta_norm=3.0, n=10_000, lipschitz=1.0, smoothness=1.0)
    assert values[2:] == [number(best.lam), number(best.predicted_risk / 10_000)]


def test_the_point_of_least_risk_stands_on_its_contour_for_the_clipped_loss_too():
    """The plane is that of the unclipped loss: σ over L, which the guarantee depends on, is what the axis shows."""
    app = run(PAGE, op_view="calibration", op_clip=0.2)
    traces = figure_in(app)["data"]
    (star,) = (trace for trace in traces if trace.get("name") == "least predicted risk")
    (sigma,), (lam,) = star["x"], star["y"]
    point = dp.ObjectivePerturbation(sigma, lam, lipschitz=1.0, smoothness=1.0)
    assert 0.9e-5 <= float(point.delta(1.0)) <= 1e-5 * (1 + 1e-9)


def test_the_cards_of_the_worst_loss():
    values, _ = cards("walk")
    assert values[0] == values[1] == number(float(TIGHT.delta(0.5, direction="remove")))
    assert values[2:] == ["0.100", "0.200"]


def test_objective_perturbation_says_where_bounds_say_nothing():
    app = run(PAGE)
    app.select_slider(key="op_lambda").set_value(0.5).run()
    assert app.metric[1].value == "no guarantee"
    assert app.metric[1].delta.startswith("needs λ")
    assert "Theorems 3.1 and 3.2 do not apply" in said(app)
    app.toggle(key="op_sharper").set_value(True).run()
    of = {"sigma": 10.0, "lam": 0.5, "lipschitz": 1.0, "smoothness": 1.0, "log_term": "plus"}
    sharper, tight = (dp.ObjectivePerturbation(**of, bound=bound) for bound in ("hockey_stick", "tight"))
    assert app.metric[1].value == number(float(sharper.delta(0.5)))
    charged, true = (number(float(one.delta(0.0))) for one in (sharper, tight))
    assert f"charges δ = {charged}, where the truth is {true}." in html.unescape(said(app))


def test_the_cards_of_a_loss_that_is_no_glm():
    values, notes = cards("beyond")
    loss = RoundLoss(10.0, 5.0, 1.0, 1.0, 10)
    tight = dp.ObjectivePerturbation(10.0, 5.0, 1.0, 1.0, monotone=False)
    assert values[:2] == [number(float(loss.delta(0.5))), number(float(tight.delta(0.5)))]
    assert values[3] == number(float(chi(10).mean()))
    assert notes[0] == f"{times(float(loss.delta(0.5) / tight.delta(0.5)))} the GLM curve"
    assert notes[1] == "exceeded"


def test_the_steps_of_the_change_of_variables():
    """Cards and steps at one θ are the model's, which its own tests hold against refits and masses."""
    found = SmallModel(sigma=1.0, lam=2.0, lipschitz=1.0, smoothness=1.0).at((-0.25, 0.75))
    state = {"op_view": "variables", "op_sigma": 1.0, "op_lambda": 2.0, "op_place1": -0.5, "op_place2": 1.5}
    app = run(PAGE, **state)
    terms = (found.volume, found.noise, found.log_ratio, found.refit_log_ratio)
    assert on_cards(app) == [number(one) for one in terms]
    assert app.metric[0].delta == f"at most {number(np.log(1.5))}"
    (first,) = [block.value for block in app.markdown if "for one noise only" in block.value]
    assert all(f"({number(b[0])}, {number(b[1])})" in first for b in (found.whole.noise, found.rest.noise))
    check = run(PAGE, **state, op_step="5 · Check")
    (last,) = [block.value for block in check.markdown if "fitted again" in block.value]
    assert all(number(side.area) in last for side in (found.whole, found.rest))


def test_the_cards_of_a_sample():
    """ε by roots of the amplified profile, δ = q δ(log(1 + (e^ε − 1)/q)) in the worse direction, with σ, λ and with qσ, qλ."""
    values, _ = cards("sampled")

    def spent(mechanism):
        def gap(epsilon):
            return 0.1 * float(mechanism.delta(np.log1p(np.expm1(epsilon) / 0.1), direction="remove")) - 1e-5

        return brentq(gap, 1e-4, 5)

    scaled = dp.ObjectivePerturbation(1.0, 0.5, 1.0, 1.0)
    assert values == [number(one) for one in (float(TIGHT.epsilon(1e-5)), spent(TIGHT), spent(scaled), -np.log(0.9))]
