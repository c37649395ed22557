"""The home page: the game, its score and ceiling, the threshold's errors, a file dropped there; numbers are the mechanism's."""

import re

import pytest
from scipy.stats import norm

import dpcore as dp
from dpcore.exhibits.home import study as home
from pages.components.words import number
from pages.server import uploads
from tests.individual.staff import staff_csv
from tests.pages.tabs import at, cards, press, run, said, switch

PAGE = "understand/home"


def test_home_numbers_are_those_of_the_mechanism():
    app = run(PAGE)
    app.select_slider(key="home_sigma").set_value(2.0).run()
    app.slider(key="home_threshold").set_value(101.5).run()
    mechanism, found = dp.Gaussian(2.0), home.threshold(2.0, 101.5)
    shown = cards(app)
    assert shown["ε at δ = 10⁻⁵"] == number(float(mechanism.epsilon(1e-5)))
    assert [one.delta for one in app.metric if one.label == "ε at δ = 10⁻⁵"] == ["nats"]
    assert app.title[0].value == f"The best guess about Ada is right {100 * norm.cdf(0.25):.1f}\u00a0% of the time"
    assert shown["Detected"] == f"{100 * (1 - float(mechanism.tradeoff(0.05))):.1f} %"
    assert shown["False alarms"] == f"{100 * found.false_alarms:.1f} %"
    assert shown["Misses"] == f"{100 * found.misses:.1f} %"


@pytest.mark.thorough
def test_ten_rounds_end_in_a_score_beside_the_ceiling_of_the_noise_played():
    app = run(PAGE, home_seed=5, home_sigma=2.0)
    game = home.deal(2.0, 5)
    for played in range(home.ROUNDS):
        assert cards(app)[f"Published, round {played + 1} of 10"] == f"{game.answers[played]:.1f}"
        app.button(key="home_guess_1" if played < 7 else "home_guess_2").click().run()
        if played < 9:
            known = f"{100 * home.belief(2.0, game.answers[played]):.0f} % that she was in"
            assert known in said(app, "caption")
        if played == 3:  # noise moved in mid-game is for the next one
            app.select_slider(key="home_sigma").set_value(5.0).run()
    right = sum(game.present[:7]) + sum(not one for one in game.present[7:])
    shown, top = cards(app), home.ceiling(dp.Gaussian(2.0))
    assert shown["You were right"] == f"{right} of 10"
    assert shown["Ceiling, in the long run"] == f"{100 * top:.1f} %"
    found, blamed = game.outcome((True,) * 7 + (False,) * 3)
    assert f"in **{found}** of {sum(game.present)} rounds" in said(app)
    assert f"in **{blamed}** of {10 - sum(game.present)} others" in said(app)
    (told,) = re.findall(r"ε = (\S+) promises it beforehand", said(app, "caption"))
    assert told == number(float(dp.Gaussian(2.0).epsilon(1e-5))), "the noise played, and the one meaning of ε here"
    app.button(key="home_again").click().run()
    assert app.session_state["home_seed"] != 5
    assert "σ = 5.00" in said(app)


def test_another_session_is_dealt_other_counts():
    assert run(PAGE).session_state["home_seed"] != run(PAGE).session_state["home_seed"]


@pytest.mark.parametrize("address", [{}, {"home_threshold": "102.0", "home_sigma": "2.00"}], ids=["plain", "a state"])
def test_a_file_dropped_here_arrives_on_the_per_instance_page(address, monkeypatch):
    read, drop = [], uploads.drop_bytes
    monkeypatch.setattr(uploads, "drop_bytes", lambda upload: (read.append(upload), drop(upload)))
    app = at(PAGE)
    app.query_params.update(address)
    app.run()
    app.file_uploader[0].set_value(("staff.csv", staff_csv(), "text/csv")).run()
    assert (app.caption[0].value, app.selectbox(key="source").value) == ("Per-instance privacy", "upload")
    assert any("300 rows, 7 columns" in one.label for one in app.expander)
    assert not any("staff" in str(value) for value in app.query_params.values())
    assert [upload.getvalue() for upload in read] == [b""]
    press(app, "Forget my data")
    assert not any("300 rows" in one.label for one in app.expander)


def test_a_file_that_cannot_be_read_is_refused_here():
    app = run(PAGE)
    app.file_uploader[0].set_value(("empty.csv", b"", "text/csv")).run()
    assert (app.caption[0].value, len(app.error)) == ("See differential privacy", 1)
    assert len(switch(switch(app, "your_data/per_instance"), PAGE).error) == 0  # it is the other page's to say
