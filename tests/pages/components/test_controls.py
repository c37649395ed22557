"""Controls say what their symbols are."""

import ast
from pathlib import Path

from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parents[3] / "pages"


def shown() -> None:
    from pages.components import controls

    controls.delta_slider(key="delta")


def test_delta_is_not_called_a_probability_of_failure():
    """δ weighs each loss beyond ε: less than the probability that ε is exceeded."""
    (slider,) = AppTest.from_function(shown).run().select_slider
    assert slider.label == "δ of (ε, δ)"
    assert "not the probability" in slider.help
    calls = [node for path in PAGES.rglob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
             if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("delta_slider", "state.delta"))]  # fmt: skip
    assert len(calls) > 8
    assert all({keyword.arg for keyword in call.keywords}.isdisjoint({"label", "help"}) for call in calls)
