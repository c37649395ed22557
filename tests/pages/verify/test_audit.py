"""The audit page: guesses are scored, the machine's verdict is dpcore's, and no setting breaks it."""

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

import dpcore as dp
from dpcore.audit import Match
from dpcore.audit.napp import GAME_VARIANTS, Scenario, attack
from pages.verify.audit import machine, sidebar
from tests.pages.tabs import press, run, said, uploaded

PAGE = "verify/audit"


def finish(app: AppTest) -> AppTest:
    app.button(key="au_run").click().run(timeout=120)
    return app


def board(app: AppTest):
    return app.session_state["data_audit_board"]


def test_guesses_are_scored_against_the_limit_of_the_claim():
    app = run(PAGE)
    assert app.metric[2].value == f"{100 * 0.5 * (1 + float(dp.Gaussian(1.0).delta(0.0))):.1f} %"
    assert app.title[0].value == f"Was the record in? The claim: at most {app.metric[2].value} right guesses"
    game = app.session_state["data_audit_guess"][1]
    right = 0
    assert len(app.get("plotly_chart")) == 2  # no score before there is one
    assert [app.button(key=key).proto.shortcut for key in ("au_with", "au_without")] == ["1", "2"]
    for i in range(4):
        app.button(key="au_with" if i % 2 else "au_without").click().run()
        was_right = game.history[-1].present == bool(i % 2)
        right += was_right
        assert any(f"**{'Right' if was_right else 'Wrong'}**, it was" in block.value for block in app.markdown)
    assert app.session_state["data_audit_guess"][1] is game
    assert len(app.get("plotly_chart")) == 3
    assert (app.metric[0].delta, app.metric[0].value) == (f"{right} of 4", f"{100 * right / 4:.0f} %")
    app.button(key="au_reset").click().run()
    assert app.metric[0].value == "no guess yet"


@pytest.mark.thorough
@pytest.mark.parametrize(("preset", "verdict"), [("Honest Gaussian", "not refuted"), ("Half the noise", "refuted")])
def test_the_machine_refutes_only_the_cheat(preset, verdict):
    app = run(PAGE)
    app.button(key=f"au_preset_{preset}").click().run()
    app.select_slider(key="au_alpha").set_value(0.001).run(timeout=120)
    audit = board(app).audits[0]
    assert app.metric[3].value == verdict == ("refuted" if audit.refuted else "not refuted")
    assert any(audit.verdict in unescape(block.value) for block in app.markdown)
    assert audit.runs == 2000
    assert any("By quadrature" in block.value for block in app.markdown)


@pytest.fixture
def watched(monkeypatch):
    """Runs played, whether it runs on, and the curve at each picture of an attack; the board given to it stops it."""
    seen, stop_after, show = [], [10**9], machine.show

    def look(board):
        chart = show(board)
        seen.append((board.played, board.running, chart.figure.data))
        if len(seen) == stop_after[0]:
            machine._set(board, False)
        return chart

    monkeypatch.setattr(machine, "show", look)
    return seen, stop_after


def test_an_attack_is_stopped_between_two_pictures_and_gives_no_verdict(watched):
    seen, stop_after = watched
    stop_after[0] = 4
    app = finish(run(PAGE)).run()
    assert 0 < board(app).played == seen[3][0] < board(app).total
    assert app.button(key="au_run").label == "Continue"
    assert board(app).audits is None
    assert app.metric[3].value == "none yet"
    assert "no verdict" in app.get("progress")[0].proto.text
    assert Match(board(app).matches[0].game, 100).verdict() is None


@pytest.mark.parametrize("key", dp.MECHANISMS)
def test_every_mechanism_can_be_attacked(key):
    app = run(PAGE, au_mechanism=key, au_runs_True=100)
    assert app.selectbox(key="au_mechanism").value == key
    finish(app)
    assert board(app).audits is not None


@pytest.mark.parametrize("key", sidebar.ATTACKABLE)
def test_every_learner_can_be_attacked(key):
    app = run(PAGE, au_subject="learner", source="synthetic_linear_gaussian", au_learner=key)
    assert (app.selectbox(key="au_learner").value, len(app.metric)) == (key, 4)
    assert any("as confidential as the data" in block.value for block in app.caption)


def test_the_exposed_row_is_attacked_beside_a_typical_one():
    app = run(PAGE)
    app.button(key="au_preset_Exposed row").click().run(timeout=120)
    exposed, typical = board(app).audits
    assert [exposed.refuted, typical.refuted] == [False, False]
    assert exposed.game.claim.epsilon(1e-6) > typical.game.claim.epsilon(1e-6)
    hits = [100 * audit.roc.hits_at(0.05) for audit in (exposed, typical)]
    assert hits[0] > hits[1]
    assert all(words in said(app) for words in (f"in {hits[0]:.0f} %", "Exposure is real"))


def test_a_learner_is_attacked_through_the_worst_row_of_an_upload():
    rows = [f"{i % 11},{(i * 7) % 13},{i % 11 + (i * 7) % 13}" for i in range(60)]
    rows[37] = "10,12,0"  # contradicts all others
    app = uploaded(PAGE, "people.csv", "\n".join(["salary,age,sick_days", *rows]), au_subject="learner")
    assert any("Attacked: row 38, the most exposed, of 60" in block.value for block in app.caption)
    assert len(board(app).matches) == 1
    press(app, "Forget my data")
    left = app.session_state.to_dict()
    assert "salary" not in str(left)
    assert not [key for key in left if str(key).startswith("data_audit")]


@pytest.mark.thorough
@pytest.mark.parametrize("variant", ["moor", "certified"])
def test_noise_augmentation_is_attacked_beside_its_certified_form(variant):
    app = run(PAGE)
    app.button(key="au_preset_A claim that falls").click().run()
    app.button_group(key="au_napp_variant").set_value(variant).run(timeout=120)
    audits = board(app).audits
    assert [audit.refuted for audit in audits] == ([False] if variant == "certified" else [True, False])
    assert app.metric[3].value == ("not refuted" if variant == "certified" else "refuted")
    table = app.dataframe[0].value.set_index("variant")
    for key, name in GAME_VARIANTS.items():
        budget = Scenario(1.0, 0.5).certified.pure_epsilon if key == "certified" else 1.0
        found = table.loc[name]
        assert found["pure ε"] == pytest.approx(budget)
        assert found["δ by quadrature"] == pytest.approx(attack(Scenario(1.0, 0.5), key, budget).delta, abs=1e-9)
        assert found["verdict"] == ("not refuted" if key == "certified" else "refuted")
