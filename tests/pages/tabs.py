"""A page with one of its tabs open, run without a browser."""

from streamlit.testing.v1 import AppTest

from tests.pages.test_pages import ROOT


def opened(page: str, tab_key: str, tab: str, **state) -> AppTest:
    """The page (a file below pages/) after one run with this tab and these widget values."""
    app = AppTest.from_file(str(ROOT / "pages" / page), default_timeout=120)
    for key, value in {tab_key: tab, **state}.items():
        app.session_state[key] = value
    app.run()
    assert not app.exception, app.exception
    return app


def said(app: AppTest) -> str:
    """All of its prose."""
    return " ".join(item.value for item in app.markdown)
