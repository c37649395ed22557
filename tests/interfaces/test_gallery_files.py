"""`python -m dpcore figures`: files with a manifest, and a sentence for every folder that cannot be written."""

import json

import numpy as np
import pandas as pd
import pytest

from dpcore.exhibits.gallery import EXHIBITS
from dpcore.interfaces.command import DATA, OK, USAGE, main

KEYS = ("redberg-fig-3b", "redberg-table-2", "redberg-table-5")


def figures(out, *words: str) -> int:
    return main(["figures", "--out", str(out), *words])


def test_each_figure_is_written_with_its_data_and_the_code_that_makes_them(tmp_path, capsys):
    out = tmp_path / "gallery"
    assert figures(out, *(word for key in KEYS for word in ("--only", key))) == OK
    said = capsys.readouterr()
    assert said.out == f"wrote 3 figures and tables to {out}: 1 cannot be reproduced, 2 reproduced\n"
    assert [f"{k}/3 {key}" for k, key in enumerate(KEYS, 1)] == said.err.splitlines()
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert {"numpy", "plotly"} <= set(manifest["libraries"])
    entries = {entry["key"]: entry for entry in manifest["figures"]}
    assert list(entries) == list(KEYS)
    assert entries["redberg-fig-3b"]["parameters"] == {"sigma": 10.0, "lam": 1.0, "other": 1.0}
    assert [check["holds"] for check in entries["redberg-fig-3b"]["checks"]] == [True] * 2
    assert entries["redberg-table-2"]["reason"] == EXHIBITS["redberg-table-2"].missing
    assert {path.name for path in out.iterdir()} == {
        "manifest.json", "plotly.min.js", *(name for entry in entries.values() for name in entry["files"]),
    }  # fmt: skip
    names = {}
    exec((out / "redberg-fig-3b.py").read_text(encoding="utf-8"), names)
    written, made = pd.read_csv(out / "redberg-fig-3b.csv"), names["shown"].drawing.frame()
    np.testing.assert_allclose(written["order α"], made["order α"], rtol=1e-9)
    assert 'src="plotly.min.js"' in (out / "redberg-fig-3b.html").read_text(encoding="utf-8")


def test_an_empty_folder_is_filled_and_quietly_if_asked(tmp_path, capsys):
    (tmp_path / "out").mkdir()
    assert figures(tmp_path / "out", "--only", KEYS[1], "--quiet") == OK
    assert {"manifest.json", f"{KEYS[1]}.py"} <= {path.name for path in (tmp_path / "out").iterdir()}
    assert capsys.readouterr().err == ""


WANTED = {
    "full": "holds files",
    "file": "is a file",
    "absent/below": "make it first",
    "unknown": "is no figure of the gallery",
}


@pytest.mark.parametrize("place", WANTED)
def test_what_cannot_be_written_is_said_and_nothing_is(place, tmp_path, capsys):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    words = ["--only", "no-such-figure"] if place == "unknown" else ["--only", KEYS[2]]
    assert figures(tmp_path / place, *words) == USAGE
    assert WANTED[place] in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"full", "file"}


def test_a_file_that_is_not_there_or_is_another_is_said_and_nothing_is_written(tmp_path, capsys):
    assert figures(tmp_path / "out", "--only", "redberg-table-2", "--adult", str(tmp_path / "adult.data")) == DATA
    assert "there is no file" in capsys.readouterr().err
    wrong = tmp_path / "gisette_scale"
    wrong.write_text("1 1:2 2:3\n-1 1:4\n")
    assert figures(tmp_path / "out", "--only", "redberg-fig-2-gisette", "--gisette", str(wrong), str(wrong)) == DATA
    assert "not the Gisette data set" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"gisette_scale"}
