"""Large data on the per-instance page: stopped and computed again, paged through, and the report's button."""

import pytest

import dpcore as dp
from pages.your_data.per_instance import large_data
from tests.pages.tabs import at, box, cards, press

PAGE = "your_data/per_instance"


def test_large_data_show_the_same_numbers_and_once_stopped_nothing_until_asked_for_again(monkeypatch):
    small = cards(at(PAGE).run())
    monkeypatch.setattr(large_data, "LARGE", 1)
    app = at(PAGE).run()
    assert cards(app) == small
    assert app.session_state["private_data"]["large_result"].epsilon.shape == (442,)
    data, mechanism = dp.load_sample("diabetes"), dp.PosteriorSampling(gamma=1.0, lam=1.0)
    key = app.session_state["private_data"]["large_key"]
    assert key == (data.sha256, data.provenance, f"PosteriorSampling:{mechanism!r}", 1e-6)
    app.session_state["private_data"] = {"generation": 0, "large_stopped": key}
    app.run()
    assert not app.metric
    assert any("Stopped" in info.value for info in app.info)
    assert cards(press(app, "Compute again")) == small


@pytest.mark.thorough
def test_all_rows_are_paged_and_sorted():
    app = at(PAGE).run()
    result = dp.individual_privacy(dp.load_sample("diabetes"), dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    frame = result.frame()
    box(app, "Browse all rows").set_value(True).run()
    for sort in ("loo_residual", "row"):
        box(app, "Sort by").set_value(sort).run()
        number = next(box for box in app.number_input if box.label.startswith("Page"))
        number.set_value(int(number.max)).run()
        first = (int(number.max) - 1) * large_data.PAGE
        expected = frame if sort == "row" else frame.sort_values(sort, key=abs, ascending=False, kind="stable")
        shown = next(table.value for table in app.dataframe if list(table.value.columns) == list(frame.columns))
        assert shown["row"].tolist() == expected["row"].tolist()[first:]
        assert any(f"Rows {first + 1:,} to" in caption.value for caption in app.caption)
