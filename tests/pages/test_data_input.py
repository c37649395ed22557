"""What a curator chooses about the data is kept from page to page, and forgotten with them."""

from html import unescape

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.components import public_ranges, say
from tests.pages.test_pages import ROOT

CSV = b"salary,age,sick_days\n" + b"".join(f"{i % 7},{20 + i % 30},{i % 3}\n".encode() for i in range(40))


def at(page: str) -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    app.switch_page(f"pages/your_data/{page}.py").run()
    assert not app.exception, app.exception
    return app


def box(app: AppTest, label: str) -> object:
    return next(element for element in [*app.selectbox, *app.multiselect, *app.toggle] if element.label == label)


def uploaded(app: AppTest) -> AppTest:
    box(app, "Data").set_value("upload").run()
    app.file_uploader[0].set_value(("people.csv", CSV, "text/csv")).run()
    assert not app.exception, app.exception
    return app


def held(app: AppTest) -> dict[str, str]:
    """Everything the session still refers to, as text; its parts are private to Streamlit."""
    inner = object.__getattribute__(app.session_state, "_state")
    inner = getattr(inner, "_state", inner)
    return {
        f"{part}: {name}": repr(value)
        for part in ("_old_state", "_new_session_state")
        for name, value in getattr(inner, part).items()
    }


@pytest.mark.parametrize("other", ["privacy_map", "private_training"])
def test_an_uploads_choices_survive_a_change_of_page(other):
    app = uploaded(at("per_instance"))
    box(app, "Target").set_value("salary").run()
    box(app, "Missing cells").set_value("zero").run()
    app.switch_page(f"pages/your_data/{other}.py").run()
    app.switch_page("pages/your_data/per_instance.py").run()
    assert not app.exception, app.exception
    assert box(app, "Target").value == "salary"
    assert box(app, "Missing cells").value == "zero"


def test_forgetting_leaves_neither_rows_nor_choices():
    app = uploaded(at("per_instance"))
    box(app, "Target").set_value("salary").run()
    next(button for button in app.button if button.label == "Forget my data").click().run()
    assert not app.exception
    assert app.session_state["private_data"] == {"generation": 1}
    assert not [name for name in held(app) if "salary" in held(app)[name]]


def test_ranges_that_the_curator_states_scale_the_columns_and_leak_nothing(monkeypatch):
    def typed(table, **options):
        if "low" not in table:
            return editor(table, **options)  # the what-if record's
        table = table.copy()
        table.loc["age"] = (0.0, 100.0)
        table.loc["salary", "low"] = 0.0
        return editor(table, **options)

    editor = public_ranges.st.data_editor
    app = uploaded(at("per_instance"))
    box(app, "Target").set_value("salary").run()
    assert [note.level for note in app.session_state["private_data"]["dataset"].report.notes].count("leak") > 0
    monkeypatch.setattr(public_ranges.st, "data_editor", typed)
    box(app, "Scale columns by").set_value("public").run()
    assert not app.exception, app.exception
    assert any("one end is missing: salary" in caption.value for caption in app.caption)
    dataset = app.session_state["private_data"]["dataset"]
    assert dataset.domain.ranges == {"age": (0.0, 100.0)}
    assert not [note for note in dataset.report.notes if note.level == "leak"]
    np.testing.assert_allclose(dataset.X[::3, 0], (20 + np.arange(0, 40, 3) % 30) / 50 - 1, rtol=0, atol=1e-12)
    monkeypatch.undo()
    app.switch_page("pages/your_data/privacy_map.py").run().run()  # the first run of AppTest does not know the address
    assert app.session_state["private_data"]["dataset"].domain.ranges == {"age": (0.0, 100.0)}
    assert "salary" not in str(dict(app.query_params))


def test_a_range_upside_down_gets_a_sentence_and_nothing_is_lost(monkeypatch):
    editor = public_ranges.st.data_editor

    def typed(table, **options):
        return editor(table.fillna({"low": 5.0, "high": 1.0}), **options)

    monkeypatch.setattr(public_ranges.st, "data_editor", typed)
    app = uploaded(at("per_instance"))
    box(app, "Scale columns by").set_value("public").run()
    assert not app.exception, app.exception
    assert any("must have low < high" in unescape(message.value) for message in app.error)
    box(app, "Scale columns by").set_value("none").run()
    assert any("are longer than any stated ranges could make them" in unescape(error.value) for error in app.error)
    box(app, "Scale columns by").set_value("data").run()
    assert app.metric


def test_a_range_with_one_end_names_its_column_and_reads_nothing_of_the_name():
    app = AppTest.from_function(half_stated).run()
    assert not app.exception
    said = next(block.value for block in app.caption if "one end is missing" in block.value)
    assert "http" not in said.replace("http&#58;", "")
    assert said == f":material/edit: Not used yet, one end is missing: {say.shown(HALF)}."


HALF = "![t](http://host/x.png)"


def half_stated():
    from pages.components.public_ranges import state_ranges
    from tests.pages.test_data_input import HALF

    state_ranges((HALF,), {"ranges": {HALF: {"low": 1.0}}}, key="ranges")
