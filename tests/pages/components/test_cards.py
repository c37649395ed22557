"""Cards: four in sight, the rest under More."""

from streamlit.testing.v1 import AppTest


def _seven():
    from pages.components import cards

    cards.metric_row([cards.Metric(f"card {i}", str(i)) for i in range(7)])


def test_the_fifth_card_and_what_follows_are_under_more():
    app = AppTest.from_function(_seven).run()
    assert not app.exception
    assert [expander.label for expander in app.expander] == ["More"]
    assert [metric.value for metric in app.expander[0].metric] == ["4", "5", "6"]
    assert len(app.metric) == 7
