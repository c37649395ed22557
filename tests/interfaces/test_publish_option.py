"""--publish-epsilon: off by default; what it prints and writes is the released statement, drawn once."""

import re
from html import unescape
from pathlib import Path

import pytest

import dpcore as dp
from dpcore.interfaces.command import OK, UNSUPPORTED, USAGE, main

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
FILE = [str(SAMPLES / "diabetes.csv"), "--target", "progression", "--mechanism", "posterior_sampling", "--lam", "30"]
RANGES = ["--ranges", str(SAMPLES / "diabetes_ranges.csv")]


def report(tmp_path, *options):
    return main(["report", *FILE, "--quiet", "--force", "--out", str(tmp_path / "report.html"), *options])


@pytest.mark.parametrize("pieces", [[], ["--stream"]], ids=["in memory", "in pieces"])
def test_the_report_and_the_console_say_the_same_and_no_more_than_was_released(pieces, tmp_path, capsys):
    assert report(tmp_path, *RANGES) == OK
    assert "May be published" not in capsys.readouterr().out
    assert "What may be said" not in (tmp_path / "report.html").read_text(encoding="utf-8")
    asked = ["--publish-epsilon", "3", "--publish-delta", "1e-5", "--public-rows"]
    assert report(tmp_path, *RANGES, *asked, *pieces) == OK
    (said,) = re.findall(r"^May be published: (.*)$", capsys.readouterr().out, flags=re.M)
    assert "cost ε = 3 at δ = 1e-05" in said
    assert "at most 442 rows" in said
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    (quoted,) = re.findall(r"<blockquote>(.*?)</blockquote>", page)
    assert unescape(quoted) == said
    bounds = [float(one) for one in re.findall(r"rows have ε ≤ ([\d.e+]*\d)", said)]
    sample = dp.individual_privacy(dp.load_sample("diabetes"), dp.PosteriorSampling(1.0, 30.0))
    assert len(bounds) == 3
    assert all(bound >= sample.quantiles(q) for bound, q in zip(bounds, (0.5, 0.9, 0.99), strict=True))


@pytest.mark.parametrize(("options", "code", "words"), [
    ([*RANGES, "--publish-epsilon", "0"], USAGE, "--publish-epsilon must be > 0"),
    ([*RANGES, "--publish-epsilon", "1", "--publish-delta", "0"], USAGE, "--publish-delta"),
    ([*RANGES, "--public-rows"], USAGE, "belongs to --publish-epsilon"),
    ([*RANGES, "--publish-epsilon", "1", "--stream", "--lam", "0"], UNSUPPORTED, "lam = 0"),
    (["--ranges-from-data", "--publish-epsilon", "1"], UNSUPPORTED, "can be published with a guarantee"),
])  # fmt: skip
def test_what_cannot_be_published_leaves_no_file(tmp_path, capsys, options, code, words):
    assert report(tmp_path, *options) == code
    assert words in capsys.readouterr().err
    assert not (tmp_path / "report.html").exists()
