"""A file read in pieces gives the numbers, the sentences and the report of the same file read at once."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import dpcore as dp
from dpcore.data.encoding.target import TargetNumbers
from dpcore.data.ingest import parquet as parquet_files
from dpcore.data.ingest import parse
from dpcore.data.stream import chunks
from dpcore.data.stream.facts import NumberFacts
from dpcore.errors import Cancelled, DataError, ParameterError, UnsupportedError
from dpcore.individual.all_rows.pictured import points
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.passes import file, gathered
from dpcore.individual.passes.file import stream_privacy
from dpcore.individual.passes.gathered import RunningQuantiles
from dpcore.mechanisms.objective_perturbation.linear_regression import objective_of

MECHANISMS = {
    "sample": dp.PosteriorSampling(gamma=1.0, lam=1.0),
    "output": dp.OutputPerturbation(sigma=0.5, lam=0.1),
    "objective": objective_of(0.5, 0.1),
    "gram": dp.OutputPerturbation(sigma=0.5, lam=0.1, shape="gram"),
}


def table(n=400, d=4, seed=0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.2, 2, size=d)
    y = X @ rng.normal(size=d) * 0.3 + 0.3 * rng.normal(size=n)
    return pd.DataFrame({**{f"x{j}": X[:, j] for j in range(d)}, "y": y})


def saved(frame: pd.DataFrame, folder, suffix: str, **options):
    path = folder / f"people{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path, index=False, **options)
    else:
        frame.to_csv(path, index=False)
    return path


def small_pieces(monkeypatch, head=2_000, cells=300) -> None:
    """Heads and batches so small that a small file is read in many."""
    monkeypatch.setattr(chunks, "HEAD_BYTES", head)
    monkeypatch.setattr(chunks, "_HEAD_ROWS", 40)
    monkeypatch.setattr(parquet_files, "_BATCH_CELLS", cells)
    monkeypatch.setattr(parquet_files, "_FEWEST_ROWS", 7)
    monkeypatch.setattr(parse, "LONGEST_ROW", 2_048)


def whole(path, target, mechanism, **options):
    dataset = dp.load_csv(path, target, **options)
    return dataset, dp.individual_privacy(dataset, mechanism, 1e-6)


def assert_same(path, target, mechanism, folder, suffix=".parquet", **options) -> None:
    dataset, result = whole(path, target, mechanism, **options)
    out = folder / f"rows{suffix}"
    streamed = stream_privacy(path, target, mechanism, 1e-6, rows=out, **options)
    rows = pd.read_parquet(out) if suffix == ".parquet" else pd.read_csv(out, comment="#")
    frame = result.frame()
    assert rows["row"].tolist() == frame["row"].tolist()
    for name in ("epsilon", "in_sample", "out_of_sample", "residual", "loo_residual"):
        np.testing.assert_allclose(rows[name], frame[name], rtol=1e-12, atol=1e-13, err_msg=name)
    summary, expected = streamed.summary, ExposureSummary.of(result)
    assert summary.report == dataset.report
    assert (summary.names, summary.target, summary.n_samples) == (dataset.names, dataset.target, dataset.n_samples)
    assert streamed.sha256 == dp.read_table(path).sha256
    np.testing.assert_allclose(streamed.fit.theta, result.leverage.theta, rtol=1e-11, atol=1e-13)
    assert summary.top["row"].tolist() == expected.top["row"].tolist()
    np.testing.assert_allclose(summary.mean, expected.mean, rtol=1e-12)
    assert summary.largest == pytest.approx(expected.largest, rel=1e-12)
    for level, value in expected.quantiles.items():
        assert summary.quantiles[level] == pytest.approx(value, rel=1.01 * summary.precision, abs=1e-13)
    assert summary.worst_case == expected.worst_case
    assert summary.unknown.keys() == expected.unknown.keys()
    if expected.for_all is not None:
        np.testing.assert_allclose(summary.for_all, expected.for_all, rtol=1e-9)
    assert summary.points.rows.tolist() == expected.points.rows.tolist()
    assert summary.histogram.counts.sum() + summary.histogram.zeros + summary.histogram.infinite == dataset.n_samples


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_numbers_are_those_of_the_data_in_memory(name, suffix, tmp_path, monkeypatch):
    path = saved(table(), tmp_path, suffix)
    small_pieces(monkeypatch)
    assert not chunks.ChunkedFile(path).complete
    assert_same(path, "y", MECHANISMS[name], tmp_path, domain=dp.Domain())


def mixed(n=300) -> pd.DataFrame:
    frame = table(n, 3, seed=5)
    rng = np.random.default_rng(6)
    frame["color"] = rng.choice(["red", "green"], size=n)
    frame.loc[n - 5 :, "color"] = "blue"  # a category of the last rows only
    frame["late"] = 0.0
    frame.loc[n - 9 :, "late"] = 1.5  # constant until then
    frame["flat"] = 3.0
    frame["twin"] = frame["x0"]
    frame["almost_twin"] = frame["x1"]
    frame.loc[n - 1, "almost_twin"] += 0.25
    frame["gaps"] = np.where(np.arange(n) % 17 == 4, np.nan, frame["x2"] + 1)
    frame["answer"] = np.where(np.arange(n) < n - 4, "no", "yes")  # the target's second level comes last
    return frame


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("target", ["y", "answer", "late"])
@pytest.mark.parametrize("missing", ["drop", "zero"])
def test_what_later_rows_say_counts(target, missing, suffix, tmp_path, monkeypatch):
    path = saved(mixed(), tmp_path, suffix)
    small_pieces(monkeypatch)
    assert_same(path, target, MECHANISMS["output"], tmp_path, domain=dp.Domain(), missing=missing)


def test_numbers_that_turn_into_words_far_down(tmp_path, monkeypatch):
    frame = table(300, 3)
    lines = frame.to_csv(index=False).splitlines()
    cells = lines[250].split(",")
    lines[250] = ",".join([cells[0], "broken", *cells[2:]])
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    small_pieces(monkeypatch)
    assert_same(path, "y", MECHANISMS["sample"], tmp_path, domain=dp.Domain())
    with pytest.raises(DataError) as in_memory:
        dp.load_csv(path, "y", ["x0", "x1"])
    with pytest.raises(DataError) as streamed:
        stream_privacy(path, "y", MECHANISMS["sample"], features=["x0", "x1"])
    assert str(streamed.value) == str(in_memory.value)
    assert "'broken' in data row 250" in str(streamed.value)


HOSTILE = {
    "empty": b"",
    "header only": b"a,b,y\n",
    "ragged": b"a,b,y\n" + b"1,2,3\n" * 400 + b"1,2\n" + b"4,5,6\n" * 9,
    "ragged and long": b"a,b,y\n" + b"1,2,3\n" * 400 + b"1,2,3,4,5\n",
    "NUL": b"a,b,y\n" + b"1,2,3\n2,1,4\n" * 300 + b"1,\x002,3\n",
    "damaged Parquet": b"PAR1" + bytes(range(256)) * 40 + b"PAR1",
    "missing column": b"a,b,c\n" + b"1,2,3\n2,3,5\n" * 300,
    "constant target": b"a,b,y\n" + b"".join(b"%d,%d,3\n" % (i % 7, i % 5) for i in range(600)),
    "no numbers": b"a,y\n" + b"".join(b"w%d,v%d\n" % (i, i) for i in range(600)),
    "overflow": b"a,b,y\n" + b"1e300,2,3\n2,1,-1e308\n3,5,1\n" * 200,
    "mostly missing": b"a,b,y\n" + b"1,2,\n,1,4\n3,,5\n" * 200,
    "collinear columns": b"a,b,c,y\n"
    + b"".join(b"%d,%d,%d,%d\n" % (i % 7, i % 5, i % 7 + i % 5, i % 3) for i in range(600)),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_gets_the_sentence_it_gets_in_memory(case, tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    path.write_bytes(HOSTILE[case])
    without_penalty = dp.PosteriorSampling(gamma=1.0, lam=0.0)
    with pytest.raises(DataError) as in_memory:
        whole(path, "y", without_penalty)
    small_pieces(monkeypatch)
    with pytest.raises(DataError) as streamed:
        stream_privacy(path, "y", without_penalty, rows=tmp_path / "rows.csv")
    assert str(streamed.value) == str(in_memory.value)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["people.csv"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "cp1252", "utf-8-sig"])
def test_a_file_in_another_encoding_is_read_in_pieces_too(encoding, tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    frame = table(200, 2).rename(columns={"x0": "größe"})
    path.write_bytes(frame.to_csv(index=False).encode(encoding))
    assert_same(path, "y", MECHANISMS["sample"], tmp_path, domain=dp.Domain())
    small_pieces(monkeypatch)
    assert_same(path, "y", MECHANISMS["sample"], tmp_path, domain=dp.Domain())


@pytest.mark.parametrize(("encoding", "end"), [("utf-8", b"3,5,\xfc\n"), ("utf-16", b"\x00")])
def test_a_file_damaged_far_down_is_called_that(encoding, end, tmp_path, monkeypatch):
    path = tmp_path / "late.csv"
    path.write_bytes(("a,b,y\n" + "1,2,3\n2,1,4\n" * 400).encode(encoding) + end)
    small_pieces(monkeypatch)
    with pytest.raises(DataError, match=f"looks like {encoding.upper()}.* text but is damaged"):
        stream_privacy(path, "y", MECHANISMS["sample"])


def decisive(n=260) -> pd.DataFrame:
    """One row alone knows a column, and another all but knows one."""
    frame = table(n, 3)
    frame["rare"], frame["sparse"] = 0.0, 0.0
    frame.loc[77, "rare"] = 4e3
    frame.loc[[30, n - 20], "sparse"] = [2e4, 1.0]
    return frame


def test_rows_that_decide_the_fit_alone(tmp_path, monkeypatch):
    path = saved(decisive(), tmp_path, ".csv")
    small_pieces(monkeypatch)
    mechanism = dp.PosteriorSampling(gamma=1.0, lam=1e-3)
    _, result = whole(path, "y", mechanism)
    assert len(result.leverage.refits.rows) == 2
    assert_same(path, "y", mechanism, tmp_path)
    assert_same(path, "y", dp.OutputPerturbation(sigma=1.0, lam=1e-3), tmp_path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("stage", ["reading", "fitting, pass 1", "computing"])
def test_progress_and_cancelling(stage, suffix, tmp_path, monkeypatch):
    path = saved(table(), tmp_path, ".parquet")
    small_pieces(monkeypatch)
    seen: list[tuple[str, float]] = []
    mechanism = dp.OutputPerturbation(sigma=1.0, lam=0.5, loss="huber")
    stream_privacy(path, "y", mechanism, progress=lambda *now: seen.append(now))
    for name in ("reading", "fitting, pass 1", "computing"):
        shares = [share for at, share in seen if at == name]
        assert shares == sorted(shares)
        assert shares[-1] == 1.0
        assert len(shares) > 3
    reached: list[str] = []
    with pytest.raises(Cancelled):
        stream_privacy(
            path, "y", mechanism, rows=tmp_path / f"rows{suffix}",
            progress=lambda at, share: reached.append(at), cancelled=lambda: reached.count(stage) >= 2,
        )  # fmt: skip
    assert reached[-1] == stage
    assert [entry.name for entry in tmp_path.iterdir()] == ["people.parquet"]


def test_parameters_are_checked_before_anything_is_read(tmp_path):
    path = saved(table(20), tmp_path, ".csv")
    mechanism = MECHANISMS["sample"]
    for options, error in (
        ({"missing": "mean"}, ParameterError),
        ({"domain": dp.Domain(from_data=True)}, ParameterError),
        ({"rows": tmp_path / "rows.txt"}, ParameterError),
        ({"rows": tmp_path / "nowhere" / "rows.csv"}, ParameterError),
        ({"mechanism": dp.Gaussian(1.0, 1.0)}, UnsupportedError),
        ({"mechanism": dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0)}, UnsupportedError),
        ({"path": tmp_path / "none.csv"}, DataError),
        ({"features": ["x0", "x9"]}, DataError),
    ):
        with pytest.raises(error):
            stream_privacy(**{"path": path, "target": "y", "mechanism": mechanism, **options})


def test_parquet_with_repeated_names_and_other_types(tmp_path, monkeypatch):
    frame = table(120, 2)
    group, at = pa.array(np.where(np.arange(120) % 3, "a", "b")).dictionary_encode(), np.arange(120)
    narrow = pa.array(frame["x1"].astype("float32")), pa.array(at % 7, pa.uint8())
    columns = [pa.array(frame["x0"]), *narrow, group, pa.array(at % 2 == 0), pa.array(frame["y"])]
    path, names = tmp_path / "people.parquet", ["x", "x", "count", "group", "flag", "y"]
    parquet.write_table(pa.Table.from_arrays(columns, names), path, row_group_size=50)
    small_pieces(monkeypatch)
    assert_same(path, "y", MECHANISMS["sample"], tmp_path, domain=dp.Domain())


def test_running_quantiles_are_within_their_precision():
    rng = np.random.default_rng(3)
    values = np.concatenate([np.exp(rng.normal(size=5_000) * 4), np.zeros(500), np.full(3, np.inf)])
    running = RunningQuantiles()
    for part in np.array_split(rng.permutation(values), 7):
        running.add(part)
    for q in (0.0, 0.05, 0.2, 0.5, 0.9, 0.999):
        exact = np.quantile(values, q, method="higher")
        np.testing.assert_allclose(running.quantile(q), exact, rtol=1.01 * running.precision)
    assert running.quantile(1.0) == np.inf
    assert (running.zeros, running.infinite) == (500, 3)
    histogram = running.histogram()
    np.testing.assert_array_equal(histogram.counts.sum(), 5_000)
    inside = values[(values > 0) & np.isfinite(values)]
    exact_counts, _ = np.histogram(inside, histogram.edges)
    np.testing.assert_array_equal(exact_counts, histogram.counts)


def test_many_rows_are_drawn_as_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(gathered, "ROWS_DRAWN", 60)

    path = saved(table(), tmp_path, ".parquet")
    small_pieces(monkeypatch)
    _, result = whole(path, "y", MECHANISMS["sample"])
    drawn = stream_privacy(path, "y", MECHANISMS["sample"]).summary.points
    expected = points(result, 60)
    for name in ("rows", "labels"):
        np.testing.assert_array_equal(getattr(drawn, name), getattr(expected, name))
    np.testing.assert_allclose(drawn.epsilon, expected.epsilon, rtol=1e-12)
    assert not drawn.complete
    assert file.PASSES[0] == "reading"


@pytest.mark.parametrize("cells", [[2, 0, 1, 5.5, 3, np.inf, 4, 7, 1, 3], [2, 1, 4, np.inf, 0, 3, 1, 2, 6, 5.5]])
@pytest.mark.parametrize("merged", [False, True])
def test_facts_of_a_column_do_not_depend_on_its_pieces(cells, merged):
    """Only some pieces hold the fraction, the infinite cell and the word, and rows are numbered from the first piece."""
    numbers, words = NumberFacts(), NumberFacts()
    for row in range(0, 10, 3):
        piece = slice(row, row + 3)
        texts = ["word" if i >= 7 else str(i) for i in range(10)][piece]
        for facts, array in ((numbers, pa.array(np.array(cells, float)[piece])), (words, pa.array(texts))):
            into = NumberFacts() if merged else facts
            into.add(row, array)
            if merged:
                facts.merge(into)
    assert numbers.first_infinite == cells.index(np.inf)
    finite = sorted({float(cell) for cell in cells if cell != np.inf})
    assert numbers.known == TargetNumbers(tuple(finite), finite[0], finite[-1], whole=False)
    assert (words.odd, words.first_odd) == (3, (7, "word"))


def test_rows_left_out_are_named_up_to_a_thousand_whatever_the_pieces(tmp_path, monkeypatch):
    small_pieces(monkeypatch, head=4_000, cells=600)
    rng = np.random.default_rng(3)
    values = rng.uniform(-1, 1, (3_000, 2))
    gone = rng.random(3_000) < 0.5
    text = "\n".join(f"{'' if out else repr(a)},{b!r}" for out, (a, b) in zip(gone, values.tolist(), strict=True))
    path = tmp_path / "gaps.csv"
    path.write_text(f"x,y\n{text}\n")
    found = stream_privacy(path, "y", dp.PosteriorSampling(gamma=1.0, lam=1.0), domain=dp.Domain()).summary.report
    assert found.rows_dropped == gone.sum() > 1_000
    assert found.dropped_rows == tuple(1 + np.flatnonzero(gone)[:1_000])
    assert found == dp.load_csv(path, "y", domain=dp.Domain()).report
