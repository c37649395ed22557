"""Every page's script, run headless: no exception, the promised parts present, numbers equal to dpcore's."""

import pytest

from tests.pages.tabs import open_tab, run

PAGES = {
    "understand/home": "See differential privacy",
    "understand/learn": "Learn",
    "understand/teach": "Teach",
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
    "verify/gallery": "Gallery",
}
LECTURE = "understand/teach"  # leads to pages that show something, and shows nothing itself
TAB_KEYS = {
    "understand/learn": ["learn_tab"],
    "understand/privacy_curves": ["pc_tab"],
    "understand/composition": ["co_tab"],
    "understand/output_perturbation": ["out_tab"],
    "understand/objective_perturbation": ["op_tab"],
    "understand/exponential_mechanism": ["em_tab"],
    "understand/log_concave": ["lc_tab_Trade-off"],
    "your_data/per_instance": ["pi_tab"],
    "your_data/paper_figures": ["pf_tab"],
    "verify/audit": ["au_tab"],
    "verify/errata": ["er_tab"],
    "verify/gallery": ["ga_tab"],
    "your_data/private_training": ["tr_tab"],
    "your_data/noise_augmentation": ["na_tab"],
}  # of pages that make the content of a tab when it is opened


@pytest.mark.parametrize("script", [page for page in PAGES if page != LECTURE])
def test_page_opens_with_one_sentence_and_has_its_teaching_parts(script):
    app = run(script)
    assert app.title[0].value == PAGES[script]
    sentence = app.markdown[0].value
    assert 60 < len(sentence) < 320
    assert sentence.endswith(".")
    if script == "understand/learn":  # its numbers wait for the reader's guess
        app.button(key="learn_commit").click().run()
    assert len(app.metric) >= 2
    if script.startswith("understand/"):
        assert len(app.metric) - sum(len(more.metric) for more in app.expander) <= 4
    assert {"What to notice", "Formula", "Download and link"} <= {tab.label for tab in app.tabs}
    for key in TAB_KEYS.get(script, ()):
        open_tab(app, key, "Download and link")
        assert len(app.get("download_button")) > 1
        open_tab(app, key, "Formula")
    assert app.latex
