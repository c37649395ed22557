"""The report: its numbers are the result's, nothing in the data can act inside it, and it is written whole or not."""

import datetime
import re
from dataclasses import replace
from html import escape, unescape

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.data.samples import SAMPLES
from dpcore.decisions.answers import Answers
from dpcore.decisions.proposal import propose
from dpcore.exhibits.per_instance.report_figure import drawing, summary_figures
from dpcore.figures.theme import DARK, SEQUENTIAL
from dpcore.individual import ExactRows
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.people import MEANING, PEOPLE
from dpcore.interfaces import findings as tried
from dpcore.interfaces.findings import Findings
from dpcore.interfaces.report import number, report_html
from tests.individual.staff import EXECUTIVE, staff_csv

HASHES = {"the file": "ab" * 32}
NASTY = '</script><script>alert(1)</script><img src=x onerror="alert(2)">'


def summary_of(dataset, mechanism=None, method="exact", **options) -> ExposureSummary:
    mechanism = mechanism or dp.PosteriorSampling(gamma=1.0, lam=1.0)
    return ExposureSummary.of(dp.individual_privacy(dataset, mechanism, 1e-6, method), **options)


def words(html: str) -> str:
    """The text of the page without scripts and styles."""
    bare = re.sub(r"<(script|style)>.*?</\1>", " ", html, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", bare)).split())


def cells(html: str) -> list[list[str]]:
    return [
        [unescape(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", html)
    ]


@pytest.mark.parametrize("sample", SAMPLES)
def test_numbers_are_those_of_the_result(sample):
    data = dp.load_sample(sample)
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    html = report_html(ExposureSummary.of(result), hashes=HASHES, source="people.csv", rows=7)
    rows = {row[0]: row for row in cells(html) if row}
    assert rows["Median row"][1] == number(float(np.median(result.epsilon)))
    assert rows["Most exposed row"][1] == number(float(result.epsilon.max()))
    assert rows["pDP for all"][1] == number(result.for_all.epsilon)
    assert rows["DP worst case"][1].removeprefix("≤ ") == number(result.worst_case_epsilon)
    top = [row for row in cells(html) if len(row) in (7, 8) and row[0].isdigit()]
    expected = result.frame().nlargest(7, "epsilon")
    assert [int(row[0]) for row in top] == expected["row"].tolist()
    for place, name in ((-6, "epsilon"), (-3, "recognised_of_100"), (-2, "guessed_of_100")):
        assert [row[place] for row in top] == [number(value) for value in expected[name]]
    assert [row[-1] for row in top] == expected["reason"].tolist()
    text, notes = words(html), (" ".join(note.text.split()) for note in data.report.notes)
    assert not any(said in text for said in ("without the expansion, ±", "but for the rows computed without it"))
    for said in (
        HASHES["the file"],
        "people.csv",
        dp.__version__,
        "Confidential.",
        "sensitive",
        "gamma",
        "1e-06",
        *notes,
    ):
        assert said in text


def test_the_date_is_printed_only_where_given():
    summary = summary_of(dp.load_sample("diabetes"))
    plain = words(report_html(summary, hashes=HASHES))
    dated = words(report_html(summary, hashes=HASHES, date=datetime.date(2031, 2, 3)))
    assert "2031-02-03" in dated
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", plain)


def test_hostile_names_stay_text():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=[NASTY, "a\u202eb", "x"])
    frame["y" + NASTY] = rng.normal(size=60)
    data = dp.make_dataset(dp.read_table(frame.to_csv(index=False).encode()), "y" + NASTY, domain=dp.Domain())
    html = report_html(summary_of(data), hashes={NASTY: NASTY}, source=NASTY)
    assert NASTY not in html
    assert "<img" not in re.sub(r"<script>.*?</script>", "", html, flags=re.S)
    assert html.count("<script>") == html.count("</script>") == 2
    assert escape(NASTY)[:60] in html
    assert "\u202e" not in html


def test_text_of_a_figure_cannot_end_the_script():
    figure = summary_figures(summary_of(dp.load_sample("diabetes")))["Distribution of exposure"]
    figure.update_layout(title=NASTY + "\u2028")
    script = drawing([figure], ["place"])
    assert "<" not in script
    assert "\u2028" not in script
    assert "alert(1)" in script


def test_figures_of_the_dark_theme_are_drawn_in_the_light_one():
    summary = summary_of(dp.load_sample("diabetes"))
    scripts = [drawing(list(summary_figures(summary, mode).values()), ["a", "b"]) for mode in ("light", "dark")]
    for script in scripts:
        assert SEQUENTIAL["light"][0][1] in script
        assert SEQUENTIAL["dark"][0][1] not in script
        assert DARK.panel not in script


def test_nothing_is_asked_of_the_network():
    html = report_html(summary_of(dp.load_sample("diabetes")), hashes=HASHES)
    outside = re.sub(r"<script>.*?</script>", "", html, flags=re.S)
    assert not re.search(r"(src|href|action)\s*=\s*['\"]?(https?:)?//", outside)
    assert "default-src 'none'" in outside
    assert '"scattergl"' not in html.rsplit("<script>", 1)[1]


def test_where_there_is_no_guarantee_the_reason_is_given():
    data = dp.load_sample("diabetes")
    html = report_html(summary_of(data, dp.PosteriorSampling(gamma=1.0, lam=0.0)), hashes=HASHES)
    row = next(row for row in cells(html) if row and row[0] == "DP worst case")
    assert (row[1], "lam" in row[3]) == ("none", True)
    gram = summary_of(data, dp.OutputPerturbation(sigma=1.0, lam=1.0, shape="gram"))
    for summary, said in (
        (gram, "not a privacy guarantee"),
        (summary_of(data, method="bound"), "published upper bound"),
    ):
        assert said in words(report_html(summary, hashes=HASHES))


def test_figures_draw_lines_of_other_records_only_with_a_guarantee():
    people = staff_csv()
    from_file = summary_of(dp.load_csv(people, "satisfaction", domain=dp.Domain(from_data=True)))
    assert from_file.worst_case > from_file.largest
    assert from_file.histogram.edges[-1] < from_file.worst_case
    ranges = {"salary": (0, 100_000), "years": (0, 50), "satisfaction": (0, 10)}
    stated = summary_of(dp.load_csv(people, "satisfaction", domain=dp.Domain(ranges=ranges)))
    for summary, lines in (
        (from_file, {"median row"}),
        (stated, {"median row", "worst record, these data", "worst record, any data"}),
    ):
        figure = summary_figures(summary)["Distribution of exposure"]
        assert {
            name
            for name in ("median row", "worst record, these data", "worst record, any data")
            if name in figure.to_json()
        } == lines


def test_rows_carry_the_owners_ids():
    data = dp.load_csv(staff_csv(), "satisfaction", domain=dp.Domain(from_data=True))
    summary = ExposureSummary.of(dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0)))
    html = report_html(summary, hashes={})
    assert f"<td class='number'>147</td><td>{EXECUTIVE}</td><td class='number'>6.01</td>" in html
    assert f"<td>row 147 (id {EXECUTIVE})</td>" in html
    without = dp.load_csv(staff_csv(), "satisfaction", domain=dp.Domain(from_data=True), label="")
    assert "K-0" not in report_html(ExposureSummary.of(dp.individual_privacy(without, summary.mechanism)), hashes={})


@pytest.mark.thorough
def test_rows_without_the_expansion_say_what_their_accuracy_rests_on():
    data, k = dp.load_sample("breast_cancer"), np.full(2, 50.0)
    for mechanism, effective, tolerance, said, other in (
        (dp.PosteriorSampling, 0.75, 1.0, "Effective sample size: at least 75 %", "wider than asked for"),
        (
            dp.OutputPerturbation,
            np.nan,
            1e-3,
            "2 of 2 rows are wider than asked for (± 0.01 instead of ± 0.001)",
            "Effective",
        ),
    ):
        result = dp.individual_privacy(data, mechanism(1.0, 1.0, loss="logistic"))
        exactly = ExactRows(result.most_exposed(2), k, 0.01 + 0 * k, k, effective + 0 * k, tolerance + 0 * k)
        html = report_html(ExposureSummary.of(result.with_exact(exactly)), hashes=HASHES)
        for first in ("Most exposed row", f"{1 + exactly.rows[0]}"):
            assert [line[1] for line in cells(html) if line[:1] == [first]] == ["50 ± 0.01"]
        assert "2 rows computed without it, to ± 0.01: there it is off by at most 0.01 %" in words(html)
        assert "but for the rows computed without it" in words(html)
        assert (said in words(html), other in words(html)) == (True, False)


def test_what_the_worst_case_and_each_row_mean_in_people_is_said_with_the_side_it_is_on():
    data = dp.load_sample("diabetes")
    summary = ExposureSummary.of(dp.individual_privacy(data, dp.OutputPerturbation(sigma=2.0, lam=1.0), 1e-6))
    html = report_html(summary, hashes=HASHES)
    assert dp.in_people(summary.mechanism.worst_case(summary.domain, data.n_samples)).said in words(html)
    assert " ".join(MEANING.split()) in words(html)
    assert ["recognised of 100", "guessed of 100", "stands out by"] in [row[-3:] for row in cells(html)]
    alone = replace(summary, top=summary.top.drop(columns=list(PEOPLE)))  # as of a file that is read in pieces
    header, first, *_ = (row for row in cells(report_html(alone, hashes=HASHES)) if len(row) >= 7)
    assert header[-3:-1] == ["recognised of 100, at most", "guessed of 100, at most"]
    assert first[-3] == number(100 * dp.in_people((float(alone.top.epsilon.iloc[0]), 1e-6)).detected)


def test_what_was_tried_out_is_in_the_report_with_its_price():
    data = dp.load_sample("diabetes")
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0))
    proposal = propose(data, Answers(epsilon=0.5), result.mechanism)
    found = Findings.of(result, result, 5, 0.5, lambda: proposal)
    html = report_html(
        ExposureSummary.of(result), hashes=HASHES, rows=5, findings=found, command="python -m dpcore report x.csv"
    )
    rows, text = cells(html), words(html)
    assert all(" ".join(said.split()) in text for said in proposal.sentences)
    assert "python -m dpcore report x.csv" in text
    assert text.endswith("Name Date Signature")
    top = result.most_exposed(5)
    shown = [row[-1] for row in rows if len(row) in (8, 9) and row[0].isdigit()]
    for row, said in zip(top, shown, strict=True):
        cell = dp.exposing_cells(result, row)[0]
        assert said == f"{cell.column} {cell.value}, typical {cell.typical}: {100 * cell.share:.0f}\u00a0%"
    advice = {row[0]: row[1:4] for row in rows if row[2:3] in (["yes"], ["no"])}
    options = dp.advise(result, int(top[0]), 0.5).options
    meeting = {option.text for option in options if option.meets}
    assert meeting < set(advice)
    assert len(advice) == len(meeting) + 3
    for option in options:
        if option.text in advice:
            price = "" if option.accuracy is None else number(option.accuracy.value)
            assert advice[option.text] == [number(option.epsilon), "yes" if option.meets else "no", price]
    compared = {
        row[0]: row[1:] for row in rows if row and row[0].startswith(("posterior sample (", "output perturbation ("))
    }
    assert len(compared) == 2
    for one in found.compared[:2]:
        (line,) = (line for name, line in compared.items() if name.startswith(one.name.lower()))
        assert line == [number(value) for value in (one.largest, one.median, one.worst_case, one.accuracy.value)]


def test_what_could_not_be_tried_out_says_why(monkeypatch):
    data = dp.load_sample("diabetes")
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0))

    def none() -> None:
        raise dp.UnsupportedError("no release meets it")

    found = Findings.of(result, result, 5, 10.0, none)
    text = words(report_html(ExposureSummary.of(result), hashes=HASHES, findings=found))
    assert "Recommendation None: no release meets it." in text
    assert "What would bring row 170 to ε ≤ 10 Nothing need be done." in text
    monkeypatch.setattr(tried, "TRIED_UP_TO", 100)
    found = Findings.of(result, result, 5, 0.5, none)
    text = words(report_html(ExposureSummary.of(result), hashes=HASHES, findings=found))
    assert text.count(": changes are tried out up to 100 rows.") == 3
    asked_nothing = Findings.of(result, result, 5)
    text = words(report_html(ExposureSummary.of(result), hashes=HASHES, findings=asked_nothing))
    assert "Recommendation" not in text
    assert "What would bring" not in text
