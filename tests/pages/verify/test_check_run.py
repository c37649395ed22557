"""The page that checks a run: what is pasted or dropped, what its address holds, and what it refuses."""

import json
from pathlib import Path

import numpy as np

from dpcore.exhibits.check_run.study import RECORDED
from tests.pages.tabs import cards, run, said

PAGE = "verify/check_run"
CHECKPOINT = Path(__file__).parents[2] / "runs" / "recorded" / "checkpoint.pt"
STATE = json.dumps({"history": [[1.2, 0.05, 40]], "mechanism": "rdp"})


def test_a_pasted_run_is_checked_and_a_short_one_is_its_address():
    app = run(PAGE, ck_run="yours", ck_pasted=STATE)
    assert app.title[0].value.startswith("Opacus said ")
    assert "does not say how batches were drawn" in said(app, "caption")
    assert app.query_params["ck_pasted"] == STATE
    again = run(PAGE, link={"ck_run": "yours", "ck_pasted": STATE})
    assert cards(again) == cards(app)


def test_a_long_run_stays_out_of_the_address_and_is_checked_all_the_same():
    history = [[1.2 + i / 1000, 0.05, 2] for i in range(100)]
    app = run(PAGE, ck_run="yours", ck_pasted=json.dumps({"history": history, "mechanism": "prv"}))
    assert "ck_pasted" not in app.query_params
    assert app.title[0].value.startswith("ε lies in ")


def test_a_dropped_checkpoint_fills_the_field_with_its_numbers():
    app = run(PAGE, ck_run="yours")
    assert app.title[0].value == "Paste a run, or drop its file"
    app.file_uploader[0].set_value(("model.pt", CHECKPOINT.read_bytes(), "application/octet-stream")).run()
    assert json.loads(app.text_area[0].value) == {"history": [[1.2, 1 / 12, 24]], "mechanism": "rdp"}
    assert app.title[0].value == "Opacus said 2.67; the truth lies in 2.270–2.271"


def test_what_is_no_run_is_a_sentence_and_no_file_of_the_server_is_read():
    for text, words in (
        ("hello", "no run of a known format"),
        (str(CHECKPOINT), "no run of a known format"),
        ("{", "begins like JSON"),
    ):
        app = run(PAGE, ck_run="yours", ck_pasted=text)
        assert words in app.error[0].value


def test_a_refuted_claim_is_a_cross_and_any_other_a_ring():
    for name in RECORDED:
        app = run(PAGE, ck_run=name)
        traces = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
        symbols = {one.get("marker", {}).get("symbol") for one in traces}
        assert ("x" in symbols) == (name in ("shuffled", "gdp"))
        assert ("refuted: too small" in [one.delta for one in app.metric]) == ("x" in symbols)
        assert len(app.title[0].value) <= 58


def test_a_claim_at_its_own_delta_is_not_in_the_headline_of_another():
    app = run(PAGE, ck_run="tf_privacy", ck_delta=-9)
    assert app.title[0].value.startswith("ε lies in ")
    assert "the claim is for δ = 1e-05" in said(app, "caption")
    assert np.isclose(float(app.metric[2].value), 21.9)
