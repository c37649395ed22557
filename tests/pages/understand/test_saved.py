"""A pipeline saved by Composition sets the same controls when it is loaded, and is a run that can be checked."""

import dpcore as dp
from pages.understand.composition.saved import written
from tests.pages.tabs import cards, run

PAGE = "understand/composition"
STEPS = [("gaussian", {"sigma": 22.0}, 200), ("laplace", {"scale": 18.0}, 30)]
ROWS = {
    "co_view": "accountants", "co_rows": 2, "co_0_kind": "gaussian", "co_0_gaussian_sigma": 22.0, "co_0_count": 200,
    "co_1_kind": "laplace", "co_1_laplace_scale": 18.0, "co_1_count": 30,
}  # fmt: skip


def loaded(text):
    app = run(PAGE, co_view="accountants")
    return app.file_uploader[0].set_value(("pipeline.yaml", text.encode(), "application/yaml")).run(timeout=120)


def test_a_saved_pipeline_is_loaded_as_it_was():
    app = loaded(written(STEPS))
    assert {key: app.session_state[key] for key in ROWS} == ROWS
    assert cards(app) == cards(run(PAGE, **ROWS))
    assert dp.check_run(written(STEPS)).pipeline == ((dp.Gaussian(22.0), 200), (dp.Laplace(18.0), 30))


def test_a_value_that_no_control_has_is_said_and_sets_nothing():
    app = loaded(written([("gaussian", {"sigma": 1.2345}, 3)]))
    assert "no control has sigma = 1.2345, the nearest is" in app.error[0].value
    assert app.session_state["co_0_gaussian_sigma"] == 10.0
    assert "the controls hold 6 steps, the file has 8" in loaded(written(STEPS * 4)).error[0].value
