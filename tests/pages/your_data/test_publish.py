"""What may be said: the worst case for nothing, a distribution drawn once for each request, and nothing confidential in it."""

import json

import dpcore as dp
from dpcore.individual.publication.statement import at_most
from pages.components.words import number
from tests.pages.tabs import cards, opened, said

TAB = "What may be said"


def page(**state):
    return opened("your_data/per_instance", "pi_tab", TAB, **state)


def draws(app):
    return [found for _, found in app.session_state["data_published"]]


def test_noise_is_drawn_once_for_each_request_and_what_leaves_is_what_was_released():
    app = page(pi_lambda=10.0)
    assert draws(app) == []
    app.button(key="pi_publish_draw").click().run()
    (first,) = draws(app)
    assert app.code[-1].value == first.statement
    assert not app.error
    shown = cards(app)
    result = dp.individual_privacy(dp.load_sample("diabetes"), dp.PosteriorSampling(1.0, 10.0))
    (row,), (own,) = result.most_exposed(1), app.session_state["data_published_own"].values()
    assert shown[f"{result.dataset.row_name(row)} may be told"] == f"ε ≤ {at_most(own[row])}"
    assert shown["Stays confidential"] == f"ε = {number(result.epsilon[row])}"
    assert own[row] > result.epsilon[row]
    assert json.loads(first.to_json())["counts"] == first.frame()["noisy count"].tolist() == list(first.counts)
    assert all(first.quantile(share) >= result.quantiles(share) for share in (0.5, 0.9, 0.99))
    for tab in (TAB, "Subgroups", TAB):
        app.session_state["pi_tab"] = app.query_params["pi_tab"] = tab
        app.run()
    assert (draws(app), app.code[-1].value) == ([first], first.statement)
    app.button(key="pi_publish_draw").click().run()
    again = one, two = draws(app)
    assert one.counts != two.counts
    assert app.code[-1].value == two.statement
    together = "session: 2. **Together they cost at most ε = 2.00 at δ = 2.0\u00a0×\u00a010⁻⁶**"
    assert together in said(app, "caption")
    app.session_state["pi_lambda"] = 31.6
    app.run()
    assert two.statement not in [item.value for item in app.code], "shown for another release than it is of"
    assert draws(app) == again


def test_worst_case_costs_nothing_and_the_number_of_rows_is_asked_for():
    app = page()
    assert any("number of rows" in item.value for item in app.info)
    app.toggle(key="pi_publish_rows").set_value(True).run()
    domain = dp.load_sample("diabetes").domain
    assert app.code[0].value == dp.worst_case_statement(dp.PosteriorSampling(1.0, 1.0), domain, 1e-6, 442)
    assert draws(app) == []


def test_ranges_read_off_the_file_are_refused():
    app = page(data_diabetes_scaling="data")
    assert any("read off this file" in item.value for item in app.info)
    app.button(key="pi_publish_draw").click().run()
    assert any("can be published with a guarantee" in item.value for item in app.error)
    assert draws(app) == []
