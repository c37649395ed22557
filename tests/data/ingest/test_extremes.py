"""A range read off the file is not set by a cell or a few far beyond all others, unless somebody says so; tails may be long."""

import re

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.data import file_ranges
from dpcore.data.ingest.extremes import ExtremeValues, extremes_of
from dpcore.individual.rows.edits import edits
from tests.refusals import refuses


def incomes(n: int = 400, spread: float = 0.5, seed: int = 0) -> np.ndarray:
    return np.round(30_000 * np.exp(spread * np.random.default_rng(seed).normal(size=n)))


def people(**cells: float) -> bytes:
    """A file in which row 57 holds these cells."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"income": incomes(), "age": rng.integers(18, 90, 400), "visits": rng.poisson(2, 400)})
    frame["score"] = np.round(5 + frame["age"] / 20 + rng.normal(size=400), 2)
    for name, cell in cells.items():
        frame.loc[56, name] = cell
    return frame.to_csv(index=False).encode()


def load(data: bytes, rule=True, target: str = "score", **options) -> dp.Dataset:
    return dp.load_csv(data, target, domain=dp.Domain(from_data=rule, **options.pop("domain", {})), **options)


ABSURD = {
    "incomes with a long tail": (incomes(3000, 1.0), [1e8]),
    "a few": (incomes(), [1e9, 2e9, 1e12]),
    "ages": (np.random.default_rng(1).integers(18, 91, 200), [999]),
    "both ends": (np.random.default_rng(1).integers(18, 91, 200), [-999, 9999]),
    "mostly zero": (np.where(np.arange(400) % 10 == 0, np.arange(400) % 7, 0), [5000]),
    "as large as numbers are": (np.arange(40.0), [1.7e308, -1.7e308]),
    "a dozen rows": (incomes(12), [1e9]),
}
NO_TAIL = {
    "normal": lambda rng, n: rng.normal(size=n),
    "log-normal": lambda rng, n: np.exp(rng.normal(size=n)),
    "overdispersed counts": lambda rng, n: rng.negative_binomial(0.3, 0.02, n),
    "gains, mostly zero": lambda rng, n: np.where(rng.random(n) < 0.95, 0, np.round(np.exp(8 + rng.normal(size=n)))),
    "gains, capped": lambda rng, n: np.where(rng.random(n) < 0.92, 0, np.where(rng.random(n) < 0.06, 99_999, 4e4 * rng.random(n))),
    "rare flag": lambda rng, n: 1000.0 * (np.arange(n) == 7),
    "constant": lambda rng, n: np.full(n, 3.0),
    "nothing": lambda rng, n: np.full(n, np.nan),
}  # fmt: skip


@pytest.mark.parametrize("case", ABSURD)
def test_absurd_cells_are_found_wherever_they_stand(case):
    bulk, absurd = ABSURD[case]
    for place in (0, len(bulk) // 2, len(bulk)):
        values = np.insert(bulk.astype(float), place, absurd)
        values = np.append(values, np.nan)
        for sign in (1.0, -1.0):
            found = extremes_of("a", sign * values)
            assert found.positions == tuple(range(place, place + len(absurd)))
            assert sorted(found.others) == sorted((sign * float(bulk.min()), sign * float(bulk.max())))


@pytest.mark.parametrize("law", NO_TAIL)
@pytest.mark.parametrize("n", [5, 100, 400, 20_000])
def test_tails_are_no_absurd_cells(law, n):
    rng = np.random.default_rng(n)
    assert [extremes_of("a", NO_TAIL[law](rng, n).astype(float)) for _ in range(20)] == [None] * 20


@pytest.mark.parametrize(("cells", "options", "said"), [
    ({"income": 1e9}, {}, "'income' is 1000000000 in row 57, where all others lie between "),
    ({"score": 1e6}, {}, "'score' is 1000000 in row 57"),
    ({"visits": 5000}, {"target": "visits", "counts": True}, "'visits' is 5000 in row 57, where all others lie between 0 and "),
    ({"income": 1e9, "age": -999.0}, {}, "; 'age' is -999 in row 57"),
])  # fmt: skip
def test_nothing_is_made_of_them_until_somebody_says_what_they_are(cells, options, said):
    data = people(**cells)
    refuses(ExtremeValues, re.escape(said), load, data, **options)
    for rule, done in (("keep", "set the range"), ("cap", "are cut off")):
        report = load(data, rule, **options).report
        assert all(words in report.extremes for words in (done, said))
        assert any(note.level == "warning" and note.text == report.extremes for note in report.notes)


def test_what_was_said_is_done():
    data, name = people(income=1e9), "income"
    ends = {"keep": (incomes().min(), 1e9), "cap": (np.delete(incomes(), 56).min(), np.delete(incomes(), 56).max())}
    for rule, (low, high) in ends.items():
        stated = load(data, domain={"ranges": {name: (low, high)}})
        assert stated.report.extremes == ""
        np.testing.assert_array_equal(load(data, rule).X, stated.X)
        assert file_ranges(dp.read_table(data), "score", from_data=rule)[name] == (low, high)
    assert load(people()) == load(people(), True)
    assert load(people(), "cap").report.extremes == ""


def test_a_row_left_out_sets_no_range_and_moves_no_number():
    lines = people(income=1e9).decode().split("\n")
    lines[3] = lines[3].rsplit(",", 1)[0] + ","  # row 3 has no score
    refuses(ExtremeValues, "in row 57,", load, "\n".join(lines).encode())
    lines[57] = lines[57].rsplit(",", 1)[0] + ","
    assert load("\n".join(lines).encode()).report.extremes == ""


def test_a_change_of_the_column_leaves_the_cell_cut_off():
    dataset = load(people(income=1e9), "cap")
    result = dp.individual_privacy(dataset, dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    (cell,) = (one for one in dp.exposing_cells(result, 56) if one.column == "income")
    changes = [edit for family in edits(dataset, dataset.original(), 56, cell) for edit in family]
    rounded = [edit.apply().dataset for edit in changes if edit.text.startswith("round")]
    assert rounded
    assert all(changed.X[:, 0].std() > 0.1 for changed in rounded)
