"""`python -m dpcore check`: what it prints, and its exit codes."""

import io
import json
import sys

import pytest

from dpcore.interfaces.command import main

STATE = {"history": [[1.0, 0.01, 1000]], "mechanism": "rdp", "poisson_sampling": True}


def test_a_run_is_printed_with_both_sides_and_every_flag(tmp_path, capsys):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(STATE), encoding="utf-8")
    assert main(["check", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Opacus said ε = 2.10137 at δ = 1e-05; certified: ε from 1.82823 to 1.82824 at δ = 1e-05"
    assert all(line.startswith("- ") for line in lines[1:])
    assert "gives away 1.1 ×" in lines[1]
    path.write_text(json.dumps({**STATE, "poisson_sampling": False}), encoding="utf-8")
    assert main(["check", str(path), "--delta", "1e-6"]) == 1
    assert "Refuted: at δ = 1e-06" in capsys.readouterr().out


def test_standard_input_is_read(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"PureDPBudget(epsilon=1)")))
    assert main(["check", "-"]) == 0
    assert capsys.readouterr().out.startswith("Tumult said ε = 1 ")


@pytest.mark.parametrize(("text", "code", "said"), [
    ("no run", 3, "no run of a known format"),
    ('["dp_accounting.dp_event", "NonPrivateDpEvent"]', 4, "no finite ε"),
])  # fmt: skip
def test_what_cannot_be_checked_is_a_sentence_and_a_code(text, code, said, tmp_path, capsys):
    path = tmp_path / "run.txt"
    path.write_text(text, encoding="utf-8")
    assert main(["check", str(path)]) == code
    assert said in capsys.readouterr().err


def test_a_file_that_is_not_there_and_a_delta_out_of_range(tmp_path, capsys):
    assert main(["check", str(tmp_path / "none")]) == 3
    path = tmp_path / "run.json"
    path.write_text(json.dumps(STATE), encoding="utf-8")
    assert main(["check", str(path), "--delta", "2"]) == 2
    assert "delta must be in (0, 1)" in capsys.readouterr().err
