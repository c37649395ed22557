"""What a curator chooses about the data is kept from page to page, and forgotten with them."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.test_pages import ROOT

CSV = b"salary,age,sick_days\n" + b"".join(f"{i % 7},{20 + i},{i % 3}\n".encode() for i in range(40))


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
