"""The command line: what it writes, what it says, and the code it ends with."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore import command
from dpcore.command import DATA, INTERRUPTED, OK, USAGE, main

ROOT = Path(__file__).resolve().parent.parent
DIABETES = str(ROOT / "sample_data" / "diabetes.csv")
SAMPLE = ["--mechanism", "posterior_sampling"]


def report(tmp_path, *options: str, file: str = DIABETES, target: str = "progression") -> int:
    return main(["report", file, "--target", target, "--out", str(tmp_path / "report.html"), *options])


def run(*arguments: str) -> subprocess.CompletedProcess:
    command_line = [sys.executable, "-m", "dpcore", *arguments]
    return subprocess.run(command_line, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_in_a_process_of_its_own(tmp_path):
    out, rows = tmp_path / "report.html", tmp_path / "rows.parquet"
    done = run(
        "report",
        DIABETES,
        "--target",
        "progression",
        *SAMPLE,
        "--delta",
        "1e-6",
        "--out",
        str(out),
        "--parquet",
        str(rows),
    )
    assert (done.returncode, done.stdout.count("confidential")) == (OK, 2)
    assert "computing 100%" in done.stderr
    data = dp.load_csv(DIABETES, "progression", domain=dp.Domain())
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), delta=1e-6)
    frame = pd.read_parquet(rows)
    np.testing.assert_array_equal(frame["epsilon"], result.epsilon)
    assert f"row {result.epsilon.argmax()}" in done.stdout
    assert dp.read_table(DIABETES).sha256 in out.read_text(encoding="utf-8")


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out.strip()) == (OK, f"dpcore {dp.__version__}")


def test_failures_in_a_process_of_its_own(tmp_path):
    missing = run("report", "nowhere.csv", "--target", "y", *SAMPLE, "--out", str(tmp_path / "r.html"))
    assert (missing.returncode, missing.stdout) == (DATA, "")
    assert missing.stderr.splitlines()[-1].startswith("dpcore: error: There is no file 'nowhere.csv'")
    assert "Traceback" not in missing.stderr


@pytest.mark.parametrize("stream", [(), ("--stream",)], ids=["in memory", "streamed"])
def test_options_reach_the_mechanism_and_the_domain(stream, tmp_path, capsys):
    rows = tmp_path / "rows.csv"
    code = report(
        tmp_path, "--mechanism", "output_perturbation", "--sigma", "0.5", "--lam", "2", "--shape", "gram",
        "--features", "bmi, bp,age", "--row-norm", "2", "--target-bound", "3", "--rows", "normalize", "--intercept",
        "--range", "progression=0:400", "--range", "bmi=10:60", "--csv", str(rows), "--delta", "1e-5", *stream,
    )  # fmt: skip
    assert code == OK
    domain = dp.Domain(2.0, 3.0, rows="normalize", ranges={"progression": (0, 400), "bmi": (10, 60)})
    data = dp.load_csv(DIABETES, "progression", ["bmi", "bp", "age"], domain, intercept=True)
    result = dp.individual_privacy(data, dp.OutputPerturbation(sigma=0.5, lam=2.0, shape="gram"), 1e-5)
    epsilon = pd.read_csv(rows, comment="#")["epsilon"]
    np.testing.assert_allclose(epsilon, result.epsilon, rtol=1e-12, atol=1e-14)
    assert rows.read_text(encoding="utf-8").startswith("# These numbers")
    assert "no known" not in capsys.readouterr().err


@pytest.mark.parametrize("stream", [(), ("--stream",)], ids=["in memory", "streamed"])
def test_objective_perturbation_has_the_numbers_of_the_library_and_no_worst_case(stream, tmp_path, capsys):
    rows = tmp_path / "rows.parquet"
    options = ("--mechanism", "objective_perturbation", "--sigma", "0.7", "--lam", "2", "--parquet", str(rows))
    assert report(tmp_path, *options, *stream) == OK
    mechanism = dp.ObjectivePerturbation(sigma=0.7, lam=2.0, lipschitz=1.0, loss="squared")
    result = dp.individual_privacy(dp.load_csv(DIABETES, "progression", domain=dp.Domain()), mechanism, 1e-6)
    np.testing.assert_allclose(pd.read_parquet(rows)["epsilon"], result.epsilon, rtol=1e-12)
    assert capsys.readouterr().out.splitlines()[0].endswith("worst case none")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Objective perturbation of linear regression, one record" in html
    assert "there is no worst-case guarantee" in html
    assert "lipschitz" not in html


def test_ranges_from_the_data_are_told_as_a_leak(tmp_path):
    assert report(tmp_path, *SAMPLE, "--ranges-from-data", "--csv", str(tmp_path / "rows.csv")) == OK
    data = dp.load_csv(DIABETES, "progression", domain=dp.Domain(from_data=True))
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    epsilon = pd.read_csv(tmp_path / "rows.csv", comment="#")["epsilon"]
    np.testing.assert_allclose(epsilon, result.epsilon, rtol=1e-14)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The domain was taken from the data" in html
    assert "no guarantee covers this step" in html


USAGE_ERRORS = {
    "no mechanism": (),
    "unknown mechanism": ("--mechanism", "magic"),
    "no sigma": ("--mechanism", "output_perturbation"),
    "no sigma of the objective": ("--mechanism", "objective_perturbation"),
    "no penalty of the objective": ("--mechanism", "objective_perturbation", "--sigma", "1", "--lam", "0"),
    "shape of the other": ("--mechanism", "objective_perturbation", "--sigma", "1", "--shape", "gram"),
    "gamma of the objective": ("--mechanism", "objective_perturbation", "--sigma", "1", "--gamma", "2"),
    "sigma of the other": (*SAMPLE, "--sigma", "1"),
    "gamma of the other": ("--mechanism", "output_perturbation", "--sigma", "1", "--gamma", "1"),
    "negative sigma": ("--mechanism", "output_perturbation", "--sigma", "-1"),
    "delta 0": (*SAMPLE, "--delta", "0"),
    "delta word": (*SAMPLE, "--delta", "small"),
    "lam nan": (*SAMPLE, "--lam", "nan"),
    "row norm 0": (*SAMPLE, "--row-norm", "0"),
    "range without ends": (*SAMPLE, "--range", "bmi"),
    "range without name": (*SAMPLE, "--range", "=1:2"),
    "empty range": (*SAMPLE, "--range", "bmi=2:2"),
    "ending of the rows": (*SAMPLE, "--parquet", "rows.txt"),
    "folder of the rows": (*SAMPLE, "--parquet", "no/where/rows.parquet"),
    "too many rows": (*SAMPLE, "--top", "101"),
    "no rows": (*SAMPLE, "--top", "0"),
    "date": (*SAMPLE, "--date", "yesterday"),
    "ranges from data in pieces": (*SAMPLE, "--stream", "--ranges-from-data"),
    "mean in pieces": (*SAMPLE, "--stream", "--missing", "mean"),
    "two row files in pieces": (*SAMPLE, "--stream", "--csv", "a.csv", "--parquet", "a.parquet"),
}


@pytest.mark.parametrize("case", USAGE_ERRORS)
def test_usage_errors_are_sentences_with_code_2(case, tmp_path, capsys):
    try:
        code = report(tmp_path, *USAGE_ERRORS[case])
    except SystemExit as error:  # argparse ends by itself
        code = error.code
    said = capsys.readouterr()
    assert (code, said.out) == (USAGE, "")
    assert "error: " in said.err.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


DATA_ERRORS = {
    "target": ("target", "There is no target", ()),
    "feature": ("progression", "There is no feature 'bmii'; did you mean|There is no feature", ("--features", "bmii")),
    "ranged column": ("progression", "public range", ("--range", "weight=1:2")),
}


@pytest.mark.parametrize("stream", [(), ("--stream",)], ids=["in memory", "streamed"])
@pytest.mark.parametrize("case", DATA_ERRORS)
def test_data_errors_are_sentences_with_code_3(case, stream, tmp_path, capsys):
    target, sentence, options = DATA_ERRORS[case]
    assert report(tmp_path, *SAMPLE, *options, *stream, target=target) == DATA
    said = capsys.readouterr()
    assert re.search(sentence, said.err)
    assert said.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stream", [(), ("--stream",)], ids=["in memory", "streamed"])
@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ("", (), "empty"),
        ("a,y\n1,2\n", (), "only one data row"),
        ("a,b,y\n" + "".join(f"{i % 7},{2 * (i % 7)},{i % 5}\n" for i in range(40)), ("--lam", "0"), "collinear"),
        ("a,y\n" + "".join(f"word{i},{i % 5}\n" for i in range(40)), (), "No usable feature"),
        ("a,y\n" + "".join(f"{i},{'x' if i == 9 else i % 5}\n" for i in range(40)), (), "numbers except 1 cell"),
    ],
    ids=["empty", "one row", "collinear", "words", "one word in the target"],
)
def test_bad_files_are_sentences_with_code_3(content, options, sentence, stream, tmp_path, capsys):
    folder = tmp_path / "out"
    folder.mkdir()
    file = tmp_path / "people.csv"
    file.write_text(content)
    extra = ("--parquet", str(folder / "rows.parquet"))
    assert report(folder, *SAMPLE, *options, *stream, *extra, file=str(file), target="y") == DATA
    assert sentence in capsys.readouterr().err
    assert list(folder.iterdir()) == []


def test_large_files_are_streamed_without_being_asked(tmp_path, monkeypatch, capsys):
    used = []
    original = command.stream_privacy
    monkeypatch.setattr(command, "STREAM_FROM", 1)
    monkeypatch.setattr(command, "stream_privacy", lambda *a, **k: used.append(1) or original(*a, **k))
    assert report(tmp_path, *SAMPLE, "--quiet") == OK
    assert used == [1]
    assert report(tmp_path, *SAMPLE, "--quiet", "--missing", "mean") == OK
    assert used == [1]
    assert capsys.readouterr().err == ""


def test_features_with_a_comma_are_given_one_by_one(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=["a,b", "c", "y"])
    file = tmp_path / "people.csv"
    frame.to_csv(file, index=False)
    code = report(tmp_path, *SAMPLE, "--features", "a,b", "--features", "c", file=str(file), target="y")
    assert code == OK, capsys.readouterr().err
    assert "2 features" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_interrupted_it_leaves_nothing_behind(tmp_path):
    rng = np.random.default_rng(0)
    file, folder = tmp_path / "people.csv", tmp_path / "out"
    folder.mkdir()
    with file.open("w") as text:
        text.write("a,b,c,y\n")
        block = "".join(f"{a:.3f},{b:.3f},{c:.3f},{a:.2f}\n" for a, b, c in rng.normal(size=(20_000, 3)))
        for _ in range(60):
            text.write(block)
    process = subprocess.Popen(
        [sys.executable, "-m", "dpcore", "report", str(file), "--target", "y", *SAMPLE, "--stream",
         "--out", str(folder / "report.html"), "--csv", str(folder / "rows.csv")],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    seen = ""
    while "computing" not in seen:
        seen = process.stderr.readline()
        assert seen, "it ended before it could be interrupted"
    time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED, said
    assert "interrupted" in said
    assert "Traceback" not in said
    assert list(folder.iterdir()) == []
