"""Every page's script, run headless: no exception, the promised parts present, numbers equal to dpcore's."""

import pytest

import dpcore as dp
from pages.components.words import number
from tests.pages.tabs import open_tab, run

PAGES = {
    "understand/home": "See differential privacy",
    "understand/learn": "Learn",
    "understand/privacy_curves": "Privacy curves",
    "understand/composition": "Composition",
    "understand/output_perturbation": "Output perturbation",
    "understand/objective_perturbation": "Objective perturbation",
    "understand/exponential_mechanism": "Exponential mechanism",
    "understand/log_concave": "Log-concave pairs",
    "understand/learning_limits": "Learning limits",
    "your_data/per_instance": "Per-instance privacy",
    "your_data/privacy_map": "Privacy definitions on a map",
    "your_data/paper_figures": "Figures of the per-instance paper",
    "your_data/private_training": "Private training",
    "your_data/noise_augmentation": "Noise augmentation",
    "verify/cross_check": "Cross-check",
    "verify/audit": "Audit",
    "verify/errata": "Errata",
}
TAB_KEYS = {
    "understand/privacy_curves": ["pc_tab"],
    "understand/composition": ["co_tab"],
    "understand/output_perturbation": ["out_tab"],
    "understand/objective_perturbation": ["op_tab"],
    "understand/exponential_mechanism": ["em_tab"],
    "understand/log_concave": ["lc_tab_Trade-off"],
    "your_data/per_instance": ["pi_tab"],
    "your_data/paper_figures": ["pf_tab"],
    "verify/audit": ["au_tab"],
    "your_data/private_training": ["tr_tab"],
    "your_data/noise_augmentation": ["na_tab"],
}  # of pages that make the content of a tab when it is opened


@pytest.mark.parametrize("script", PAGES)
def test_page_runs_and_opens_with_one_sentence(script):
    app = run(script)
    assert app.title[0].value == PAGES[script]
    sentence = app.markdown[0].value
    assert 60 < len(sentence) < 320
    assert sentence.endswith(".")
    assert len(app.metric) >= 2


@pytest.mark.parametrize("script", PAGES)
def test_page_has_its_teaching_parts(script):
    app = run(script)
    labels = [tab.label for tab in app.tabs]
    assert {"What to notice", "Formula", "Download and link"} <= set(labels)
    for key in TAB_KEYS.get(script, ()):
        open_tab(app, key, "Download and link")
        assert len(app.get("download_button")) > 1
        open_tab(app, key, "Formula")
    assert app.latex


def test_home_numbers_are_those_of_the_mechanism():
    app = run("understand/home")
    app.select_slider(key="home_sigma").set_value(2.0).run()
    mechanism = dp.Gaussian(2.0)
    assert app.metric[0].value == number(float(mechanism.epsilon(1e-5)))
    assert app.metric[1].value == f"{100 * (1 - float(mechanism.tradeoff(0.05))):.1f} %"


@pytest.mark.parametrize("key", dp.MECHANISMS)
def test_each_mechanism_alone_answers_in_four_numbers(key):
    app = run("understand/privacy_curves")
    app.button_group(key="pc_show").set_value([key]).run()
    assert not app.exception
    mechanism = dp.MECHANISMS[key].default()
    shown = [metric.value for metric in app.metric]
    assert shown[1] == number(float(mechanism.epsilon(1e-5)))
    assert shown[3] == f"{number(float(mechanism.renyi(8.0)))} nats"


def test_presets_run():
    app = run("understand/privacy_curves")
    for preset in ("Equal ε", "Pure budgets", "Subsampling"):
        next(button for button in app.button if button.label == preset).click().run()
        assert not app.exception, preset
        assert len(app.metric) >= 2


def test_equal_epsilon_preset_is_nearly_equal():
    app = run("understand/privacy_curves")
    next(button for button in app.button if button.label == "Equal ε").click().run()
    values = [float(metric.value) for metric in app.metric]
    assert max(values) < 1.15 * min(values)


@pytest.mark.parametrize("view", ["profile", "renyi", "calibration", "walk"])
def test_objective_perturbation_views(view):
    app = run("understand/objective_perturbation")
    app.button_group(key="op_view").set_value(view).run()
    assert not app.exception
    tight = dp.ObjectivePerturbation(sigma=10.0, lam=5.0, lipschitz=1.0, smoothness=1.0)
    published = dp.ObjectivePerturbation(sigma=10.0, lam=5.0, lipschitz=1.0, smoothness=1.0, bound="hockey_stick")
    assert [metric.value for metric in app.metric][:2] == [
        number(float(tight.delta(0.5))),
        number(float(published.delta(0.5))),
    ]
    assert app.metric[3].value == number(float(tight.epsilon(1e-5)))


def test_objective_perturbation_says_where_bounds_say_nothing():
    app = run("understand/objective_perturbation")
    app.select_slider(key="op_lambda").set_value(0.5).run()
    assert not app.exception
    assert app.metric[1].value == "no guarantee"
    assert any("none of the published bounds applies" in block.value for block in app.markdown)


def test_objective_perturbation_presets_are_the_papers_figures():
    app = run("understand/objective_perturbation")
    for preset, sigma, lam in (("Fig. 1 left", 5.0, 20.0), ("Fig. 3a", 100.0, 10.0), ("Fig. 3d", 1.0, 1.0)):
        next(button for button in app.button if button.label == preset).click().run()
        assert not app.exception, preset
        assert app.select_slider(key="op_sigma").value == sigma
        assert app.select_slider(key="op_lambda").value == lam


def test_the_sources_bound_stands_beside_the_exact_value():
    app = run("your_data/per_instance")
    app.toggle(key="pi_bound").set_value(True).run()
    assert not app.exception
    table = next(frame.value for frame in app.dataframe if "bound" in frame.value)
    data = dp.load_sample("diabetes")
    mechanism = dp.PosteriorSampling(gamma=1.0, lam=1.0)
    exact = dp.individual_privacy(data, mechanism, delta=1e-6).epsilon
    bound = dp.individual_privacy(data, mechanism, delta=1e-6, method="bound").epsilon
    assert table["epsilon"].iloc[0] == pytest.approx(exact.max())
    assert table["bound"].iloc[0] == pytest.approx(bound[exact.argmax()])
    assert (table["bound ÷ exact"] > 1).all()
