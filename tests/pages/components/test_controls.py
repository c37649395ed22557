"""Controls say what their symbols are."""

import ast
from pathlib import Path

from streamlit.testing.v1 import AppTest

from dpcore.errata import ERRATA

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
    said = {ast.unparse(call.args[0]) for call in calls if call.args and not isinstance(call.args[0], ast.Name)}
    assert said == {"md('Look at δ =')", "md('Bound ε at δ =')", "'Claimed δ'"}
    labels = {one.words for erratum in ERRATA.values() for one in erratum.parameters if one.symbol == "δ"}
    assert labels == {"δ of (ε, δ)", "P(|log p/p'| > t)"}  # the second is the probability itself
