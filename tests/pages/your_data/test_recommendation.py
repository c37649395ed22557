"""Three questions and one recommendation on screen: the same by command, in force and taken back by a click."""

import shlex

import pytest
from streamlit.testing.v1 import AppTest

import dpcore as dp
from dpcore.interfaces.command import main
from pages.components.words import number
from pages.your_data.per_instance import exact
from tests.decisions.files import SMALL, Case, adult, outliers, patients
from tests.pages.tabs import box, cards, press, said, uploaded

PAGE = "your_data/per_instance"


def dropped(case: Case) -> AppTest:
    """The page after the file is dropped, its ranges stated, its target read as the case says, and a person named."""
    app = uploaded(PAGE, case.name, case.data, pi_tab="Recommendation", pi_decide_epsilon=case.epsilon)
    stated = {name: {"low": low, "high": high} for name, (low, high) in case.ranges.items()}
    app.session_state["private_data"]["ranges"] = stated
    box(app, "Target").set_value(case.target)
    app.run()
    if "positive" in case.options:
        box(app, "Level told from all others").set_value(case.options["positive"]).run()
    if case.options.get("counts"):
        box(app, "Read the target as").set_value("count").run()
    if case.person:
        box(app, "Who may appear more than once?").set_value(case.person).run()
    return slowly(app, "Recommend") if "Recommend" in {one.label for one in app.button} else app


def slowly(app: AppTest, label: str) -> AppTest:
    """The page after a click on the button that says this, however long it takes."""
    return next(one for one in app.button if one.label == label).click().run(timeout=1_000)


def held(app: AppTest) -> dict:
    return app.session_state["private_data"]


@pytest.mark.parametrize("make", [*SMALL, pytest.param(adult, marks=pytest.mark.thorough)])
def test_from_a_dropped_file_to_the_recommendation_of_the_command_and_to_what_it_promised(
    make, tmp_path, monkeypatch, capsys
):
    case = make()
    if make is adult:  # rows without the expansion, minutes of work, have tests of their own
        monkeypatch.setattr(exact, "fill", lambda *given: None)
    app = dropped(case)
    found = held(app)["proposal"]
    assert f"**{found.sentences[0]}" in said(app)
    shown = cards(app)
    assert shown["Largest of anybody"] == f"ε {found.sign} {number(found.after.largest)}"
    (command,) = (one.value for one in app.code if " decide " in one.value)
    (tmp_path / case.name).write_bytes(case.data)
    monkeypatch.chdir(tmp_path)
    assert main([*shlex.split(command.replace("\\\n", " "))[3:], "--quiet"]) == 0
    assert capsys.readouterr().out.splitlines()[1 : 1 + len(found.sentences)] == list(found.sentences)
    address = dict(app.query_params)
    slowly(app, "Apply and re-run")
    assert "This run finds the promised largest ε again" in said(app)
    assert dict(app.query_params).items() <= address.items()
    dataset = held(app)["dataset"]
    result = dp.individual_privacy(dataset, found.mechanism, found.answers.delta)
    if not case.person:
        assert result.epsilon.max() == pytest.approx(found.after.largest, rel=1e-9, abs=1e-9)
    assert cards(app)[f"Median of {dataset.n_samples:,} rows".replace(",", "\u202f")].endswith(
        number(result.quantiles(0.5))
    )


def test_undo_gives_back_the_file_the_features_and_the_release():
    app = dropped(patients())
    before = cards(app)
    assert (
        before["Median of 240 rows"]
        == cards(press(press(app, "Apply and re-run"), "Undo the recommendation"))["Median of 240 rows"]
    )
    assert cards(app) == before
    assert box(app, "Features").value == []
    assert "applied" not in held(app)


def test_controls_of_the_release_stay_live_while_it_is_in_force_and_go_with_the_data():
    app = press(dropped(outliers()), "Apply and re-run")
    slider = next(one for one in app.select_slider if one.key.endswith("_pi_gamma"))
    assert slider.value == held(app)["applied"].proposal.mechanism.gamma
    slider.set_value(8.0).run()
    assert "Promised was a largest ε of" in said(app)
    assert "gamma" not in " ".join(app.query_params)
    assert slider.key in app.session_state
    press(app, "Forget my data")
    assert set(held(app)) == {"generation"}
    assert slider.key not in app.session_state


def test_what_cannot_be_met_is_said_on_screen():
    app = dropped(outliers())
    app.select_slider(key="pi_decide_epsilon").set_value(0.01).run()
    assert not [one for one in app.button if one.label == "Apply and re-run"] or "no use" in said(app)
