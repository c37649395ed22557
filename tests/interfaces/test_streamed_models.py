"""Every model on the command line has the same numbers whether the file is read at once or in pieces."""

import numpy as np
import pandas as pd
import pytest

from dpcore.data.stream import chunks
from dpcore.interfaces import command
from dpcore.interfaces.command import OK, USAGE, main
from tests.individual.passes.test_file import small_pieces
from tests.individual.passes.test_glm import FEATURES, people

NOISE = ("--mechanism", "output_perturbation", "--sigma", "0.5")


def epsilon(folder, *options: str) -> np.ndarray:
    arguments = ["report", str(folder / "people.csv"), "--features", ",".join(FEATURES), *NOISE, *options]
    files = ["--out", str(folder / "report.html"), "--csv", str(folder / "rows.csv"), "--force"]
    assert main([*arguments, *files]) == OK
    return pd.read_csv(folder / "rows.csv", comment="#")["epsilon"].to_numpy()


@pytest.fixture(autouse=True)
def by_expansion_alone(monkeypatch):
    """A stream has rows by the expansion only, so the whole file is read as if none could be computed without it."""
    monkeypatch.setattr(command, "best_known", lambda result, progress: (result, {}))


@pytest.mark.parametrize("options", [
    ("--target", "label", "--model", "logistic", "--clip", "0.3"),
    ("--target", "label"),
    ("--target", "kind", "--positive", "b", "--model", "smoothed_hinge"),
    ("--target", "visits", "--counts", "--target-bound", "20"),
], ids=["named", "guessed", "one level", "counts"])  # fmt: skip
def test_the_model_and_its_numbers_are_those_of_the_whole_file(options, tmp_path, monkeypatch, capsys):
    people().to_csv(tmp_path / "people.csv", index=False)
    expected, said = epsilon(tmp_path, *options), capsys.readouterr().out
    small_pieces(monkeypatch, head=4_000)
    np.testing.assert_allclose(epsilon(tmp_path, *options, "--stream"), expected, rtol=1e-8)
    found = capsys.readouterr()
    model = [next(line for line in out.splitlines() if line.startswith("Model: ")) for out in (said, found.out)]
    assert model[1] == model[0] if "--model" in options else model[1] == f"{model[0][:-1]} in the first rows."
    assert "its expansion around the fit, neither exact nor a bound" in found.err
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "it is an expansion around the fit, neither exact nor a bound.</p>" in html


def test_first_rows_that_do_not_tell_the_model_ask_for_it(tmp_path, monkeypatch, capsys):
    people().sort_values("label").to_csv(tmp_path / "people.csv", index=False)
    expected = epsilon(tmp_path, "--target", "label", "--clip", "none")
    monkeypatch.setattr(chunks, "HEAD_BYTES", 2_000)
    arguments = ["report", str(tmp_path / "people.csv"), "--target", "label", *NOISE, "--stream"]
    assert main([*arguments, "--out", str(tmp_path / "other.html")]) == USAGE
    assert "name --model and --clip" in capsys.readouterr().err
    found = epsilon(tmp_path, "--target", "label", "--stream", "--model", "logistic", "--clip", "none")
    np.testing.assert_allclose(found, expected, rtol=1e-8)
