"""Controls say what their symbols are."""

from streamlit.testing.v1 import AppTest


def shown() -> None:
    from pages.components import controls

    controls.delta_slider(key="delta")


def test_delta_is_not_called_a_probability_of_failure():
    """δ weighs each loss beyond ε: less than the probability that ε is exceeded."""
    (slider,) = AppTest.from_function(shown).run().select_slider
    assert slider.label == "δ of (ε, δ)"
    assert "not the probability" in slider.help
