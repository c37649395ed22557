"""The command line: what it writes, what it says, and the code it ends with."""

import os
import re
import shlex
import signal
import subprocess
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.individual import ExactRows, IndividualPrivacy
from dpcore.individual.rows.group_privacy import group_privacy
from dpcore.interfaces import command, options
from dpcore.interfaces.command import DATA, INTERRUPTED, OK, USAGE, main

ROOT = Path(__file__).resolve().parents[2]
DIABETES = str(ROOT / "sample_data" / "diabetes.csv")
RANGES_FILE = str(ROOT / "sample_data" / "diabetes_ranges.csv")
STATED = dp.read_ranges(RANGES_FILE)
SAMPLE = ["--mechanism", "posterior_sampling"]
PEOPLE = "a,b,y\n" + "".join(f"{i % 7},{i % 11 + i % 3},{i % 5}\n" for i in range(40))
RANGES = ("--range", "a=0:6", "--range", "b=0:12", "--range", "y=0:4")
each_way = pytest.mark.parametrize("stream", [(), ("--stream",)], ids=["in memory", "streamed"])


def report(tmp_path, *options: str, file: str = DIABETES, target: str = "progression") -> int:
    ranges = ["--ranges", RANGES_FILE] if file == DIABETES else []
    return main(["report", file, "--target", target, *ranges, "--out", str(tmp_path / "report.html"), *options])


def run(*arguments: str) -> subprocess.CompletedProcess:
    command_line = [sys.executable, "-m", "dpcore", *arguments]
    return subprocess.run(command_line, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_the_examples_of_the_readme_give_the_numbers_of_the_sample(tmp_path, monkeypatch):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    line = re.search(r"^\S+python -m dpcore (report .*?[^\\])\n", readme, flags=re.S | re.M).group(1)
    assert main(shlex.split(line.replace("\\\n", " "))) == OK
    names = {"dp": dp}
    exec(re.search(r"^ranges = .*?\nresult = .*?\n", readme, flags=re.S | re.M).group(), names)
    sample = dp.individual_privacy(dp.load_sample("diabetes"), dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    np.testing.assert_allclose(names["result"].epsilon, sample.epsilon, rtol=1e-12)
    np.testing.assert_allclose(pd.read_parquet("rows.parquet")["epsilon"], sample.epsilon, rtol=1e-12)
    assert f"median ε {np.median(sample.epsilon):.3f}" in readme


@pytest.mark.thorough
def test_failures_in_a_process_of_its_own(tmp_path):
    missing = run("report", "nowhere.csv", "--target", "y", *SAMPLE, "--out", str(tmp_path / "r.html"))
    assert (missing.returncode, missing.stdout) == (DATA, "")
    assert (OK, USAGE, DATA, INTERRUPTED) == (0, 2, 3, 130)  # scripts rely on them
    assert missing.stderr.splitlines()[-1].startswith("dpcore: error: There is no file 'nowhere.csv'")
    assert "Traceback" not in missing.stderr


@each_way
def test_options_reach_the_mechanism_and_the_domain(stream, tmp_path, capsys):
    rows = tmp_path / "rows.csv"
    code = report(
        tmp_path, "--mechanism", "output_perturbation", "--sigma", "0.5", "--lam", "2", "--shape", "gram",
        "--features", "bmi, bp,age", "--row-norm", "2", "--target-bound", "3", "--rows", "normalize", "--intercept",
        "--range", "progression=0:300", "--range", "bmi=10:70", "--csv", str(rows), "--delta", "1e-5", *stream,
    )  # fmt: skip
    assert code == OK
    domain = dp.Domain(2.0, 3.0, rows="normalize", ranges={**STATED, "progression": (0, 300), "bmi": (10, 70)})
    data = dp.load_csv(DIABETES, "progression", ["bmi", "bp", "age"], domain, intercept=True)
    result = dp.individual_privacy(data, dp.OutputPerturbation(sigma=0.5, lam=2.0, shape="gram"), 1e-5)
    epsilon = pd.read_csv(rows, comment="#")["epsilon"]
    np.testing.assert_allclose(epsilon, result.epsilon, rtol=1e-12, atol=1e-14)
    assert rows.read_text(encoding="utf-8").startswith("# These numbers")
    assert "no known" not in capsys.readouterr().err


USAGE_ERRORS = {
    "no mechanism": (),
    "unknown mechanism": ("--mechanism", "magic"),
    "no penalty of the objective": ("--mechanism", "objective_perturbation", "--sigma", "1", "--lam", "0"),
    "delta 0": (*SAMPLE, "--delta", "0"),
    "lam nan": (*SAMPLE, "--lam", "nan"),
    "range without ends": (*SAMPLE, "--range", "bmi"),
    "ending of the rows": (*SAMPLE, "--parquet", "rows.txt"),
    "folder of the rows": (*SAMPLE, "--parquet", "no/where/rows.parquet"),
    "too many rows": (*SAMPLE, "--top", "101"),
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


@each_way
@pytest.mark.parametrize(("content", "options", "sentence"), [
    (PEOPLE, ("--target", "z"), "There is no target 'z'"),
    (PEOPLE, ("--features", "aa"), "There is no feature 'aa'"),
    (PEOPLE, ("--range", "weight=1:2"), "There is no column with a public range 'weight'"),
    ("", (), "empty"),
    ("a,y\n1,2\n", (), "only one data row"),
    ("a,b,y\n" + "".join(f"{i % 7},{2 * (i % 7)},{i % 5}\n" for i in range(40)), ("--lam", "0"), "collinear"),
    ("a,y\n" + "".join(f"word{i},{i % 5}\n" for i in range(40)), (), "No usable feature"),
    ("a,y\n" + "".join(f"{i},{'x' if i == 9 else i % 5}\n" for i in range(40)), (), "numbers except 1 cell"),
], ids=["target", "feature", "ranged column", "empty", "one row", "collinear", "words", "one word in the target"])  # fmt: skip
def test_bad_files_are_sentences_with_code_3(content, options, sentence, stream, tmp_path, capsys):
    folder = tmp_path / "out"
    folder.mkdir()
    file = tmp_path / "people.csv"
    file.write_text(content)
    extra = ("--parquet", str(folder / "rows.parquet"))
    assert report(folder, *SAMPLE, *options, *stream, *extra, file=str(file), target="y") == DATA
    said = capsys.readouterr()
    assert (sentence in said.err, said.out) == (True, "")
    assert list(folder.iterdir()) == []


def test_large_files_are_streamed_without_being_asked(tmp_path, monkeypatch):
    used, original = [], command.stream_privacy
    monkeypatch.setattr(options, "STREAM_FROM", 1)
    monkeypatch.setattr(command, "stream_privacy", lambda *a, **k: used.append(1) or original(*a, **k))
    assert report(tmp_path, *SAMPLE, "--quiet") == OK
    assert used == [1]
    for needs_all_rows in (["--missing", "mean"], ["--ranges-from-data"]):
        assert report(tmp_path, *SAMPLE, "--quiet", "--force", *needs_all_rows) == OK
        assert used == [1]


def test_features_with_a_comma_are_given_one_by_one(tmp_path, capsys):
    file, numbers = tmp_path / "people.csv", np.random.default_rng(0).normal(size=(30, 3))
    pd.DataFrame(numbers, columns=["a,b", "c", "y"]).to_csv(file, index=False)
    code = report(tmp_path, *SAMPLE, "--features", "a,b", "--features", "c", file=str(file), target="y")
    assert code == OK, capsys.readouterr().err
    assert "2 features" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_cell_far_beyond_all_others_is_asked_about(tmp_path, capsys):
    file, frame = tmp_path / "people.csv", pd.read_csv(DIABETES)
    frame.loc[56, "bp"] = 1e9
    frame.to_csv(file, index=False)
    for more, wanted, words in (
        ((), DATA, "--range bp=LOW:HIGH"), (("--range", "bp=40:180"), OK, ""), (("--extremes", "cap"), OK, ""),
        (("--extremes", "keep"), OK, "set the range of their column"),
    ):  # fmt: skip
        assert report(tmp_path, *SAMPLE, "--ranges-from-data", *more, "--force", file=str(file)) == wanted
        said = "".join(capsys.readouterr())
        assert words in said
        assert ("'bp' is 1000000000 in row 57" in said) == (more[:1] != ("--range",))
    assert "'bp' is 1000000000 in row 57" in unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    kept = dp.load_csv(file, "progression", domain=dp.Domain(from_data="keep"))
    line = options.report_arguments(kept, dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    assert {"--ranges-from-data", "--extremes=keep"} <= set(line)
    assert report(tmp_path, *SAMPLE, "--extremes", "cap", "--force") == USAGE
    assert "--extremes belongs to --ranges-from-data" in capsys.readouterr().err


def test_rows_that_repeat_another_are_counted_and_a_person_has_an_epsilon(tmp_path, capsys):
    lines = Path(DIABETES).read_text(encoding="utf-8").splitlines()
    file = tmp_path / "people.csv"
    file.write_text("\n".join([*lines, *lines[10:30]]))
    columns = [*SAMPLE, "--ranges", RANGES_FILE]
    assert report(tmp_path, *columns, file=str(file)) == OK
    page, said = unescape((tmp_path / "report.html").read_text(encoding="utf-8")), capsys.readouterr().out
    data = dp.load_csv(file, "progression", domain=dp.Domain(ranges=STATED))
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    twice = max(range(9, 29), key=lambda row: result.epsilon[row])
    together = group_privacy(data, result.mechanism, [twice, twice + 433], 1e-6).epsilon
    assert all("20 rows are exact copies of an earlier row" in text for text in (said, page))
    assert f"One person with rows {twice + 1} and {twice + 434}: ε ≤ {together:.4g}" in said
    assert f"<td>rows {twice + 1} and {twice + 434}</td><td class='number'>≤ {together:.4g}</td>" in page
    assert report(tmp_path, *columns, "--stream", "--force", file=str(file)) == OK
    assert "Copies of rows and ids that repeat are not looked for" in capsys.readouterr().out


INTERRUPTED_AT = """
import os, runpy, signal, sys
class At:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, At())
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background a shell has it ignored
runpy.run_module("dpcore", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("module", ["numpy", "pandas", "dpcore.interfaces.report"])
def test_interrupted_while_it_is_loaded_it_says_nothing(module):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_AT, module], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, b"", b"")


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A folder of the user's with a table in it, and with links to the table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "sub").mkdir()
    (tmp_path / "soft.csv").symlink_to("people.csv")
    (tmp_path / "nowhere.csv").symlink_to("later.csv")
    os.link(tmp_path / "people.csv", tmp_path / "hard.csv")
    (tmp_path / "old.html").write_text("kept")
    (tmp_path / "old.csv").write_text("kept")
    os.mkfifo(tmp_path / "pipe.csv")
    return tmp_path


def on_people(*options: str, file: str = "people.csv", out: tuple[str, ...] = ("--out", "r.html")) -> int:
    return main(["report", file, "--target", "y", *SAMPLE, *RANGES, *out, *options])


def state(folder: Path) -> dict[str, str]:
    return {entry.name: entry.read_text() for entry in folder.iterdir() if entry.is_file()}


DESTRUCTIVE = {
    "the input": (("--csv", "people.csv"), "is FILE, which is read"),
    "the input by a detour": (("--csv", "sub/../people.csv"), "is FILE"),
    "the input by a symbolic link": (("--csv", "soft.csv"), "is FILE"),
    "the input by a hard link": (("--csv", "hard.csv"), "is FILE"),
    "the input as the report": (("--out", "people.csv"), "is FILE"),
    "two outputs": (("--out", "new.csv", "--csv", "new.csv"), "--out and --csv are the same file"),
    "two outputs by a link to come": (("--out", "later.csv", "--csv", "nowhere.csv"), "are the same file"),
    "two outputs in other letters": (("--out", "NEW.csv", "--csv", "new.csv"), "differ in capital letters only"),
    "a folder": (("--out", "sub"), "is a folder"),
    "no name": (("--out", ""), "is a folder"),
    "a missing folder": (("--out", "no/where/r.html"), "there is no folder"),
    "a pipe": (("--csv", "pipe.csv"), "not an ordinary file"),
    "where nobody can write": (("--out", "/proc/r.html"), "--out"),
    "rows on standard output": (("--csv", "-"), "cannot be written to standard output"),
}


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "with force"])
@pytest.mark.parametrize("case", DESTRUCTIVE)
def test_nothing_is_touched_where_an_output_would_destroy_something(case, force, people, capsys):
    paths, sentence = DESTRUCTIVE[case]
    before, names = state(people), sorted(os.listdir(people))
    out = () if "--out" in paths else ("--out", "r.html")
    assert on_people(*paths, *force, out=out) == USAGE
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.err.startswith("dpcore: error: ")
    assert (said.out, len(said.err.splitlines())) == ("", 1)
    assert (state(people), sorted(os.listdir(people))) == (before, names)


def test_an_input_that_is_the_unfinished_output_of_another_name_is_left_alone(people):
    (people / "rows.csv.part").write_text(PEOPLE)
    assert on_people("--csv", "rows.csv", file="rows.csv.part") == OK
    assert (people / "rows.csv.part").read_text() == PEOPLE


@pytest.mark.parametrize("path", ["--out old.html", "--csv old.csv"])
def test_a_file_that_exists_is_replaced_on_request_only(path, people, capsys):
    option, file = path.split()[0], people / path.split()[1]
    file.chmod(0o600)
    given, out = ((), path.split()) if option == "--out" else (path.split(), ("--out", "r.html"))
    assert on_people(*given, out=out) == USAGE
    assert "exists already; give --force" in capsys.readouterr().err
    assert file.read_text() == "kept"
    assert on_people(*given, "--force", out=out) == OK
    assert (file.read_text() != "kept", file.stat().st_mode & 0o777) == (True, 0o600)


def test_a_link_is_followed_not_replaced(people):
    (people / "link.csv").symlink_to("old.csv")
    assert on_people("--csv", "link.csv", "--force") == OK
    assert (people / "link.csv").is_symlink()
    assert (people / "old.csv").read_text().startswith("# These numbers")


def test_a_write_protected_file_is_told_apart(people, monkeypatch, capsys):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert on_people("--csv", "old.csv", "--force") == USAGE
    assert "write-protected" in capsys.readouterr().err


@each_way
@pytest.mark.parametrize("interrupted", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_at_the_end_it_leaves_the_files_as_they_were(interrupted, stream, people, monkeypatch):
    def fail(*_):
        signal.raise_signal(interrupted)

    before, names = state(people), sorted(os.listdir(people))
    monkeypatch.setattr(command.Outputs, "commit", fail)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process begun in the background ignores it
    try:
        assert on_people("--csv", "old.csv", "--force", *stream, out=("--out", "old.html")) == INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, handler)
    assert (state(people), sorted(os.listdir(people))) == (before, names)


def test_a_full_disk_is_a_sentence(people, monkeypatch, capsys):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(command.RowSink, "write", fail)
    assert on_people("--csv", "rows.csv") == USAGE
    assert "No space left on device" in capsys.readouterr().err
    assert not (people / "rows.csv").exists()


def test_the_report_alone_goes_to_standard_output(people, capfd):
    names = sorted(os.listdir(people))
    assert on_people(out=("--out", "-")) == OK
    said = capfd.readouterr()
    assert re.fullmatch("<!doctype html>.*</body></html>\n", said.out, flags=re.S)
    assert ("40 rows" in said.err, "wrote" in said.err) == (True, False)
    assert sorted(os.listdir(people)) == names


def test_standard_input_is_refused(people, capsys):
    assert on_people(file="-") == USAGE
    assert "standard input cannot be read" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_reader_that_stops_early_is_a_sentence(people):
    arguments = ["report", "people.csv", "--target", "y", *SAMPLE, *RANGES, "--out", "-"]
    process = subprocess.Popen(
        [sys.executable, "-m", "dpcore", *arguments], cwd=people, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    process.stdout.close()
    said = process.stderr.read()
    assert (process.wait(60), "Traceback" in said, "Exception" in said) == (USAGE, False, False)
    assert "could not be read or written" in said
    process.stderr.close()


@each_way
def test_what_was_done_to_the_data_is_said_on_stderr(stream, people, capsys):
    (people / "gaps.csv").write_text(PEOPLE + "1,inf,2\n3,,1\n")
    assert on_people("--quiet", *stream, file="gaps.csv") == OK
    said = capsys.readouterr()
    used = "40 of 42 rows used; left out for a missing cell: rows 41 and 42"
    assert all(words in said.err for words in (f"note: {used}", "warning: Column 'b' holds 1 infinite value(s)"))
    assert all(words in said.out for words in ("Target: 'y'.", used, "Ranges are stated, not read off this file."))
    html = unescape((people / "r.html").read_text(encoding="utf-8"))
    assert used in html.split("<h2>")[0]
    assert "no guarantee" not in (said.out + html).lower()
    assert "warning" not in said.out
    assert not said.err.endswith(" s\n")  # nor how long it took


LEAKS = {
    "ranges": (("--ranges-from-data",), "warning: The range of 'a' and 'b' was taken", "the ranges of 'a', 'b' and 'y' are"),
    "of the target": (("--ranges-from-data", *RANGES[:4]), "The range of the target 'y'", "the ranges of 'y' are"),
    "means": ((*RANGES, "--missing", "mean"), "filled with the mean", "missing cells of 'b' are filled in"),
}  # fmt: skip


@pytest.mark.parametrize("case", LEAKS)
def test_where_rows_decide_the_scaling_there_is_no_guarantee(case, people, capsys):
    given, warning, reason = LEAKS[case]
    (people / "gaps.csv").write_text(PEOPLE + "3,,1\n")
    assert main(["report", "gaps.csv", "--target", "y", *SAMPLE, "--out", "r.html", *given]) == OK
    said = capsys.readouterr()
    assert warning in said.err
    assert said.out.splitlines()[0].endswith("(no guarantee)")
    assert f"No guarantee: {reason}" in said.out
    html = unescape((people / "r.html").read_text(encoding="utf-8"))
    assert html.count(f"no guarantee: {reason}") == 2
    for label in ("pDP for all", "DP worst case"):
        assert re.search(f"<td>{label}</td>.*?<td>no guarantee: ", html)


def test_of_many_rows_left_out_the_first_twenty_are_listed(people, capsys):
    (people / "gaps.csv").write_text("a,b,y\n" + ",1,1\n" * 25 + PEOPLE.partition("\n")[2])
    assert on_people(file="gaps.csv") == OK
    listed = ", ".join(f"{number}" for number in range(1, 21))
    for said in capsys.readouterr():
        assert f"40 of 65 rows used; left out for a missing cell: rows {listed} and 5 more" in said


def test_accuracy_that_was_not_reached_is_said_on_stderr(people, monkeypatch, capsys):
    def missing(result, rows, *_, **__):
        k = np.full(len(rows), 0.5)
        return ExactRows(np.array(rows), k, 0.02 * k, k, k, 0.002 * k)

    def refused(*_, **__):
        raise dp.UnsupportedError("too few draws")

    monkeypatch.setattr(IndividualPrivacy, "exact", missing)
    monkeypatch.setattr(IndividualPrivacy, "for_all_exactly", refused)
    assert on_people("--quiet", "--model", "huber", "--clip", "none") == OK
    said = capsys.readouterr().err
    assert "note: The error bars of 40 of 40 rows are wider than asked for (± 0.01 instead of ± 0.001)" in said
    assert "note: the most exposed record is known by the expansion only: too few draws" in said
    assert "added to these data; known by the expansion only" in (people / "r.html").read_text(encoding="utf-8")
    unbounded = dp.load_csv(PEOPLE.encode(), "y", domain=dp.Domain(from_data=True))
    monkeypatch.delattr(IndividualPrivacy, "for_all_exactly")
    result = dp.individual_privacy(unbounded, dp.OutputPerturbation(1.0, 1.0, loss="huber"))
    known = command._exactly(result, lambda *_: None)
    assert known.exactly is not None, "no guarantee: as on the page, no record is confirmed"
