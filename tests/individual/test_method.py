"""What an ε is, exact, an expansion or a bound, travels with it into every summary, picture, table and file."""

import pandas as pd
import pyarrow.parquet as pq
import pytest

import dpcore as dp
from dpcore.data import Domain
from dpcore.exhibits.per_instance import rows_figure as figures
from dpcore.exhibits.per_instance import story_figure as story
from dpcore.exhibits.privacy_map.figure import variant_map
from dpcore.exhibits.privacy_map.variants import variants
from dpcore.individual.all_rows import exactly
from dpcore.individual.all_rows.pictured import histogram, points
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.passes.file import stream_privacy
from dpcore.individual.rows.composed import compose_rows
from dpcore.individual.rows.group_privacy import group_privacy
from dpcore.individual.rows.groups import whole
from dpcore.interfaces.command import main
from dpcore.interfaces.report import number, report_html
from tests.contracts.exposures import model_data
from tests.interfaces.test_report import cells, words

EXACT, EXPANSION, UPPER = EpsilonMethod.EXACT, EpsilonMethod.EXPANSION, EpsilonMethod.UPPER
RELEASES = {
    EXACT: ("numeric", dp.OutputPerturbation(0.5, 1.0)),
    EXPANSION: ("binary", dp.OutputPerturbation(0.5, 1.0, loss="logistic")),
}


@pytest.fixture(scope="module", params=RELEASES, ids=str)
def result(request):
    kind, mechanism = RELEASES[request.param]
    return dp.individual_privacy(model_data(kind), mechanism, 1e-5)


def expected(result) -> EpsilonMethod:
    return next(method for method, (_, mechanism) in RELEASES.items() if mechanism == result.mechanism)


def test_a_result_says_how_its_numbers_were_found(result):
    method = expected(result)
    assert result.method is method
    assert result.is_expansion == (method is EXPANSION)
    assert ExposureSummary.of(result).method is method
    bound = dp.individual_privacy(model_data("numeric"), RELEASES[EXACT][1], 0.1, "bound")
    assert (bound.method, bound.is_expansion) == (UPPER, False)


def test_pictures_carry_it_to_their_axes_and_hovers(result):
    method = expected(result)
    binned, shown, group = histogram(result), points(result), whole(result, "all")
    assert {binned.method, shown.method, group.method} == {method}
    drawn = [
        figures.epsilon_histogram(binned, [], "light"), figures.exposure_scatter(shown, "light"),
        story.boxes([group], "rows", "light"), story.resampled((0.0, 1.0), (3,), 0.5, "light", method=method),
        story.cells([], 0.5, "light", method=method),
    ]  # fmt: skip
    marked = [any(sign in figure.to_json() for sign in ("by expansion", "\\u03b5 \\u2248", "ε ≈")) for figure in drawn]
    assert marked == [method is EXPANSION] * len(drawn)


def test_definitions_several_releases_and_groups_keep_it(result):
    method = expected(result)
    by_name = {variant.name: variant.method for variant in variants(result, 0, repeats=2)}
    names = ("Per-instance DP", "Random DP", "pDP for all", "On-average KL privacy")
    assert {by_name[name] for name in names} == {method}
    assert by_name["Approximate DP"] is (UPPER if method is EXPANSION else EXACT)
    figure = variant_map(variants(result, 0, repeats=2), "light").to_json()
    assert "e+" not in figure  # large values are written with a power of ten
    assert ("Per-instance DP: ≈" in figure or "Per-instance DP: \\u2248" in figure) == (method is EXPANSION)
    assert compose_rows([(result, 3)], 1e-5).method is method
    assert group_privacy(result.dataset, result.mechanism, [0, 1], 1e-5).method is EXACT  # fits without the rows
    other = dp.PosteriorSampling(1.0, 1.0, **({"loss": "logistic"} if method is EXPANSION else {}))
    sampled = dp.individual_privacy(result.dataset, other, 1e-5)
    assert compose_rows([(sampled, 3)], 1e-5).method is (EXPANSION if method is EXPANSION else UPPER)
    assert group_privacy(result.dataset, other, [0, 1], 1e-5).method is (EXPANSION if method is EXPANSION else UPPER)


def test_a_report_marks_what_is_not_exact(result):
    method = expected(result)
    html = report_html(ExposureSummary.of(result), hashes={})
    table = {row[0]: row[1] for row in cells(html) if len(row) > 1}
    mark = "≈ " if method is EXPANSION else ""
    assert table["Median row"] == f"{mark}{number(float(result.quantiles(0.5)))}"
    assert table["Most exposed row"] == f"{mark}{number(float(result.epsilon.max()))}"
    assert table["pDP for all"] == f"{mark}{number(result.for_all.epsilon)}"
    assert table["row"] == ("ε ≈" if mark else "ε")
    name = "residual on the probability scale" if mark else "residual"
    (heading,) = [row for row in cells(html) if row[:1] == ["row"]]
    most = ", at most" if mark else ""
    assert heading[-4:] == [f"{name} r′", f"recognised of 100{most}", f"guessed of 100{most}", "stands out by"]
    assert f"by its leverage or its {name} where" in words(html)
    reasons = {row[-1] for row in cells(html) if len(row) == len(heading)} - {"stands out by"}
    assert reasons <= {"leverage", "both", "neither", name}
    assert ("≈: ε of every row is an expansion around the fit, neither exact nor a bound." in words(html)) == bool(mark)


@pytest.fixture
def people(tmp_path):
    """A file of labelled rows."""
    rows = model_data("binary")
    pd.DataFrame(rows.X, columns=["a", "b"]).assign(label=rows.y).to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def test_a_file_read_in_pieces_says_it_in_its_summary_and_its_rows(people, tmp_path):
    mechanism, domain = RELEASES[EXPANSION][1], Domain()
    for ending in ("parquet", "csv"):
        out = tmp_path / f"rows.{ending}"
        found = stream_privacy(people, "label", mechanism, 1e-5, domain=domain, rows=out).summary
    assert found.method is found.histogram.method is found.points.method is EXPANSION
    assert found.points.residual_name == "residual on the probability scale"
    assert "other numbers are exact" not in report_html(found, hashes={})
    assert "an expansion around the fit" in (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()[0]
    assert b"an expansion around the fit" in pq.read_schema(tmp_path / "rows.parquet").metadata[b"epsilon"]


def test_the_command_says_it_on_standard_output(people, tmp_path, monkeypatch, capsys):
    options = ["--target", "label", "--mechanism", "output_perturbation", "--sigma", "0.5", "--quiet", "--force"]
    for model, seconds, mark in (("logistic", 0.0, True), ("logistic", 1e3, False), ("linear", 0.0, False)):
        monkeypatch.setattr(exactly, "_BUDGET", seconds)  # for the rows without the expansion
        files = [str(people), "--out", str(tmp_path / "report.html")]
        assert main(["report", *files, *options, "--model", model]) == 0
        said = capsys.readouterr().out
        assert ("median ≈ " in said) == mark
        assert ("ε of every row is an expansion around the fit, neither exact nor a bound. " in said) == mark
