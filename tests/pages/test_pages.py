"""Every page's script, run headless: no exception, the promised parts present, numbers equal to dpcore's."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import dpcore as dp
from pages.components.words import number

ROOT = Path(__file__).parents[2]
PAGES = {
    "pages/understand/home.py": "See differential privacy",
    "pages/understand/learn.py": "Learn",
    "pages/understand/privacy_curves.py": "Privacy curves",
    "pages/understand/composition.py": "Composition",
    "pages/understand/output_perturbation.py": "Output perturbation",
    "pages/understand/objective_perturbation.py": "Objective perturbation",
    "pages/understand/exponential_mechanism.py": "Exponential mechanism",
    "pages/understand/log_concave.py": "Log-concave pairs",
    "pages/understand/learning_limits.py": "Learning limits",
    "pages/your_data/per_instance.py": "Per-instance privacy",
    "pages/your_data/privacy_map.py": "Privacy definitions on a map",
    "pages/your_data/paper_figures.py": "Figures of the per-instance paper",
    "pages/your_data/private_training.py": "Private training",
    "pages/your_data/noise_augmentation.py": "Noise augmentation",
    "pages/verify/cross_check.py": "Cross-check",
    "pages/verify/audit.py": "Audit",
    "pages/verify/errata.py": "Errata",
}
TAB_KEYS = {
    "pages/understand/privacy_curves.py": ["pc_tab"],
    "pages/understand/composition.py": ["co_tab"],
    "pages/understand/output_perturbation.py": ["out_tab"],
    "pages/understand/objective_perturbation.py": ["op_tab"],
    "pages/understand/exponential_mechanism.py": ["em_tab"],
    "pages/understand/log_concave.py": ["lc_tab_Trade-off"],
    "pages/your_data/per_instance.py": ["pi_tab"],
    "pages/your_data/paper_figures.py": ["pf_tab"],
    "pages/verify/audit.py": ["au_tab"],
    "pages/your_data/private_training.py": ["tr_tab"],
    "pages/your_data/noise_augmentation.py": ["na_tab"],
}  # of pages that make the content of a tab when it is opened


def run(script: str) -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    app = (app if "home" in script else app.switch_page(script)).run()
    assert not app.exception, app.exception
    return app


def open_tab(app: AppTest, key: str, title: str) -> AppTest:
    app.session_state[key] = title
    app.run()
    assert not app.exception, app.exception
    return app


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
    app = run("pages/understand/home.py")
    app.select_slider(key="home_sigma").set_value(2.0).run()
    mechanism = dp.Gaussian(2.0)
    assert app.metric[0].value == number(float(mechanism.epsilon(1e-5)))
    assert app.metric[1].value == f"{100 * (1 - float(mechanism.tradeoff(0.05))):.1f} %"


@pytest.mark.parametrize("key", dp.MECHANISMS)
def test_each_mechanism_alone_answers_in_four_numbers(key):
    app = run("pages/understand/privacy_curves.py")
    app.button_group(key="pc_show").set_value([key]).run()
    assert not app.exception
    mechanism = dp.MECHANISMS[key].default()
    shown = [metric.value for metric in app.metric]
    assert shown[1] == number(float(mechanism.epsilon(1e-5)))
    assert shown[3] == f"{number(float(mechanism.renyi(8.0)))} nats"


def test_presets_run():
    app = run("pages/understand/privacy_curves.py")
    for preset in ("Equal ε", "Pure budgets", "Subsampling"):
        next(button for button in app.button if button.label == preset).click().run()
        assert not app.exception, preset
        assert len(app.metric) >= 2


def test_equal_epsilon_preset_is_nearly_equal():
    app = run("pages/understand/privacy_curves.py")
    next(button for button in app.button if button.label == "Equal ε").click().run()
    values = [float(metric.value) for metric in app.metric]
    assert max(values) < 1.15 * min(values)


@pytest.mark.parametrize("view", ["profile", "renyi", "calibration", "walk"])
def test_objective_perturbation_views(view):
    app = run("pages/understand/objective_perturbation.py")
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
    app = run("pages/understand/objective_perturbation.py")
    app.select_slider(key="op_lambda").set_value(0.5).run()
    assert not app.exception
    assert app.metric[1].value == "no guarantee"
    assert any("none of the published bounds applies" in block.value for block in app.markdown)


def test_objective_perturbation_presets_are_the_papers_figures():
    app = run("pages/understand/objective_perturbation.py")
    for preset, sigma, lam in (("Fig. 1 left", 5.0, 20.0), ("Fig. 3a", 100.0, 10.0), ("Fig. 3d", 1.0, 1.0)):
        next(button for button in app.button if button.label == preset).click().run()
        assert not app.exception, preset
        assert app.select_slider(key="op_sigma").value == sigma
        assert app.select_slider(key="op_lambda").value == lam


def test_the_sources_bound_stands_beside_the_exact_value():
    app = run("pages/your_data/per_instance.py")
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
