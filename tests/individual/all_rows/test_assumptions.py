"""What numbers assume, in sentences, and when nothing is known about other records."""

from __future__ import annotations

import pytest

import dpcore as dp
from dpcore.data import Dataset, Domain, load_csv
from dpcore.individual.all_rows.assumptions import assumptions, assumptions_of
from dpcore.individual.all_rows.summary import ExposureSummary

ROWS = [f"{k % 7},{k % 5},{k % 11}" for k in range(30)]
GAPS = "\n".join(["a,b,y", *(",1,2" if k in (4, 11) else row for k, row in enumerate(ROWS))]).encode()
ALL = {"a": (0, 10), "b": (0, 10), "y": (0, 20)}


def test_rows_used_and_left_out_are_counted_and_named():
    found = assumptions_of(load_csv(GAPS, "y", domain=Domain(ranges=ALL)))
    assert (found.target, found.used, found.read, found.dropped) == ("y", 28, 30, (5, 12))
    assert found.rows.startswith("28 of 30 rows used; left out for a missing cell: rows 5 and 12 (rows are numbered")
    assert found.sentences == ("Target: 'y'.", found.rows, "Ranges are stated, not read off this file.")


@pytest.mark.parametrize(
    ("options", "ranges", "reason"),
    [
        ({"domain": None}, "No ranges are stated and nothing is scaled.", ""),
        ({"domain": Domain()}, "No ranges are stated: columns keep their units", ""),
        ({"domain": Domain(ranges={"a": (0, 10)})}, "Ranges are stated for 1 of 3 numeric columns", ""),
        ({"domain": Domain(ranges=ALL, from_data=True)}, "Ranges are stated, not read", ""),
        (
            {"domain": Domain(ranges={"a": (0, 10), "b": (0, 10)}, from_data=True)},
            "Ranges of 'y' are read off this file.",
            "the ranges of 'y' are read off this file",
        ),
        ({"domain": Domain(ranges=ALL), "missing": "mean"}, "Ranges are stated", "missing cells of 'a' are filled in"),
        ({"domain": Domain(ranges=ALL), "missing": "zero"}, "Ranges are stated", ""),
    ],
)
def test_where_ranges_come_from_decides_whether_there_is_a_guarantee(options, ranges, reason):
    found = assumptions_of(load_csv(GAPS, "y", **options))
    assert ranges in found.ranges
    assert found.no_guarantee.startswith(reason)
    assert bool(found.no_guarantee) == bool(reason)
    filled = {
        "mean": "2 missing cells of 'a' are filled in from the other rows.",
        "zero": "2 missing cells are filled with 0.",
    }
    assert found.fills == filled.get(options.get("missing"), "")


def test_arrays_have_no_file():
    data = Dataset.from_arrays([[0.1], [0.2]], [0.0, 1.0], domain=dp.Domain())
    found = assumptions(data.report, data.domain, data.target, data.n_samples)
    assert (found.used, found.read, found.dropped, found.no_guarantee) == (2, 2, (), "")


def test_no_record_is_searched_for_where_nothing_is_known_of_others():
    rows = "".join(f"{k % 7}.5,{(k * k) % 11},{'yes' if k % 3 else 'no'}\n" for k in range(60))
    data = dp.load_csv(f"a,b,y\n{rows}".encode(), "y", domain=dp.Domain(from_data=True))
    result = dp.individual_privacy(data, dp.PosteriorSampling(1.0, 1.0, loss="logistic"), delta=1e-6)
    summary = ExposureSummary.of(result)
    assert (summary.for_all, "for_all" in vars(result)) == (None, False)
    assert summary.unknown["for_all"] == f"no guarantee: {summary.assumptions.no_guarantee}"
