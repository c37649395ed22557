"""Limits that hold before any work: width, bytes that a Parquet file expands to, and files of nothing."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from dpcore.data import read_table
from dpcore.data.ingest import dialect
from dpcore.data.ingest import parquet as parquet_files
from dpcore.data.ingest.table import MAX_COLUMNS
from dpcore.data.stream.chunks import ChunkedFile
from dpcore.errors import DataError
from tests.refusals import refuses


def from_bytes(content: bytes, folder):
    return read_table(content)


def in_pieces(content: bytes, folder):
    path = folder / "people.csv"
    path.write_bytes(content)
    return ChunkedFile(path).head


BOTH = pytest.mark.parametrize("read", [from_bytes, in_pieces])


def packed(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table, sink, **options)
    return sink.getvalue()


def wide(columns: int, quote: str = "") -> bytes:
    names = ",".join(f"{quote}c{number}{quote}" for number in range(columns))
    return f"{names}\n{','.join('1' * columns)}\n{','.join('2' * columns)}\n".encode()


@BOTH
@pytest.mark.parametrize("quote", ["", '"'])
def test_too_many_columns_are_refused_before_a_cell_is_read(read, quote, tmp_path, monkeypatch):
    assert len(read(wide(MAX_COLUMNS, quote), tmp_path).columns) == MAX_COLUMNS
    monkeypatch.setattr(dialect, "_numbers", lambda cells: pytest.fail("cells are looked at"))
    refuses(
        DataError, f"has {MAX_COLUMNS + 1} columns; at most {MAX_COLUMNS}", read, wide(MAX_COLUMNS + 1, quote), tmp_path
    )


@BOTH
def test_too_many_columns_of_a_parquet_file_are_refused_by_its_schema(read, tmp_path, monkeypatch):
    data = packed(pa.table({f"c{number}": [1, 2] for number in range(MAX_COLUMNS + 1)}))
    monkeypatch.setattr(parquet_files, "_chunks", lambda file: pytest.fail("columns are looked at"))
    refuses(DataError, f"has {MAX_COLUMNS + 1} columns; at most {MAX_COLUMNS}", read, data, tmp_path)


NOTHING = {
    "line ends": (b"\n" * 9, "only empty lines;"),
    "more than is read at first": (b"\r\n" * 5_000_000, "only empty lines;"),
    "separators": (b",,,\n,,,\n,,,\n", "only empty lines and separators;"),
    "other blanks": ("\u00a0\n\u3000\n".encode(), "only empty lines and separators;"),
    "a declared separator": (b"sep=;\n\n\n", "only empty lines and separators;"),
    "two bytes a letter": ("\n\n\n".encode("utf-16"), "only empty lines;"),
}


@BOTH
@pytest.mark.parametrize("case", NOTHING)
def test_a_file_of_nothing_is_named_rightly(case, read, tmp_path):
    content, sentence = NOTHING[case]
    refuses(DataError, f"^The file holds {sentence}", read, content, tmp_path)


@pytest.mark.parametrize("lead", [b"\n" * 70_000, b" \r\n" * 2_000_000, b"\n" * 65_535])
def test_empty_lines_before_the_names_do_no_harm(lead):
    table = read_table(lead + b"  a,y\n1,2\n3,5\n4,4\n")
    assert (table.names, list(table.frame["y"])) == (("a", "y"), [2, 5, 4])
    numbered = read_table(lead + b"1,2\n3,5\n4,4\n")
    assert list(numbered.frame["column 2"]) == [2, 5, 4]


def test_a_large_file_that_begins_with_megabytes_of_nothing_says_so(tmp_path):
    content = b"\n" * 9_000_000 + b"a,y\n1,2\n3,4\n"
    refuses(DataError, "The first 8 MB of the file hold only empty lines; remove them", in_pieces, content, tmp_path)


def repeated(text: str, rows: int) -> pa.Table:
    codes = pa.array(np.zeros(rows, dtype=np.int32))
    return pa.table({"s": pa.DictionaryArray.from_arrays(codes, pa.array([text])), "y": np.arange(rows)})


BOMBS = {  # made when they are packed: half a GB each
    "one number": lambda: pa.table({f"c{k}": np.zeros(4_000_000, dtype=np.int8) for k in range(10)}),
    "one long text": lambda: repeated("x" * 100_000, 10_000),
    "one long text as it is": lambda: pa.table({"s": ["x" * 100_000] * 5_000, "y": np.arange(5_000)}),
}


@pytest.fixture
def was_read(monkeypatch) -> list[pa.Table]:
    """What Arrow was asked for, as it came."""
    tables, original = [], parquet.ParquetFile.read

    def read(self, *arguments, **options):
        tables.append(original(self, *arguments, **options))
        return tables[-1]

    monkeypatch.setattr(parquet.ParquetFile, "read", read)
    return tables


@pytest.mark.parametrize("case", BOMBS)
def test_a_small_file_that_expands_too_far_is_refused_unexpanded(case, was_read):
    data = packed(BOMBS[case]())
    assert len(data) < 2**20
    refuses(DataError, r"would expand to [0-9\u202f]{3,6} MB in memory; at most 256 MB", read_table, data)
    assert sum(table.nbytes for table in was_read) < 2**20


def test_dates_in_even_steps_are_counted_as_the_texts_they_become():
    dates = pa.table({"d": pa.array(np.arange(3_000_000), pa.timestamp("s")), "y": np.zeros(3_000_000)})
    stepwise = packed(dates, use_dictionary=["y"], column_encoding={"d": "DELTA_BINARY_PACKED"})
    refuses(DataError, "would expand to 309 MB", read_table, stepwise)


def stepwise_texts(count: int) -> bytes:
    table = pa.table({"s": ["x" * 10_000 + f"{number:04}" for number in range(count)], "y": np.arange(float(count))})
    return packed(table, use_dictionary=False, column_encoding={"s": "DELTA_BYTE_ARRAY", "y": "PLAIN"})


def test_texts_stored_as_what_changes_are_read_no_further_than_the_limit(monkeypatch):
    data, needed, check = stepwise_texts(2_000), [], parquet_files._check_bytes
    monkeypatch.setattr(parquet_files, "FREE_BYTES", 2**20)
    monkeypatch.setattr(parquet_files, "GROWTH", 1)
    monkeypatch.setattr(parquet_files, "_check_bytes", lambda *given: (needed.append(given[0]), check(*given)))
    assert len(data) < 2**18
    refuses(DataError, "would expand", read_table, data)
    assert max(needed) < 2**22


@BOTH
def test_texts_stored_as_what_changes_come_out_whole(read, tmp_path, monkeypatch):
    whole = read(stepwise_texts(60), tmp_path)
    monkeypatch.setattr(parquet_files, "FREE_BYTES", 2**20)
    table = read(stepwise_texts(60), tmp_path)
    assert table.n_rows == 60
    assert table.frame.equals(whole.frame)
    assert table.frame["s"].iloc[59].endswith("x0059")


def test_texts_under_one_name_are_bounded_by_what_they_could_be():
    column = repeated("x" * 1_000_000, 3_000)["s"]
    data = packed(pa.Table.from_arrays([column, column], names=["s", "s"]), store_schema=False)
    refuses(DataError, "would expand", read_table, data)


def test_the_limit_grows_with_the_file(monkeypatch):
    rng = np.random.default_rng(0)
    data = packed(pa.table({"x": rng.normal(size=4_000), "y": rng.normal(size=4_000)}))
    need = 16 * 4_000
    for limits, fits in (({"FREE_BYTES": 2, "GROWTH": 2}, True), ({"GROWTH": 0}, False), ({"FREE_BYTES": 2 * need}, True),
                         ({"MAX_BYTES": need}, False)):  # fmt: skip
        for name, value in limits.items():
            monkeypatch.setattr(parquet_files, name, value)
        assert read_table(data).n_rows == 4_000 if fits else refuses(DataError, "would expand", read_table, data)


def test_in_pieces_a_long_text_that_repeats_is_refused_too(tmp_path):
    refuses(DataError, "would expand to 954 MB", in_pieces, packed(repeated("x" * 100_000, 10_000)), tmp_path)


@BOTH
def test_nested_columns_are_named_and_left_unread(read, was_read, tmp_path):
    lists = pa.ListArray.from_arrays(pa.array([0, 20_000_000, 20_000_000, 20_000_000]), pa.array(np.zeros(20_000_000)))
    data = packed(pa.table({"l": lists, "x": [1.0, 2.0, 4.0], "b": [b"1", b"2", b"3"], "y": [1.5, 2.5, 3.0]}))
    table = read(data, tmp_path)
    assert all(found.column_names == ["x", "y"] for found in was_read)
    assert [column.kind for column in table.columns] == ["text", "numeric", "text", "numeric"]
    assert "list<element: double>" in table.column("l").note
    assert list(table.frame["y"]) == [1.5, 2.5, 3.0]
    alone = read_table(packed(pa.table({"l": [[1], [2, 3], []], "m": [[1], [2], [3]]})))
    assert (alone.n_rows, alone.columns[0].kind) == (3, "text")


@pytest.mark.parametrize("pieces", [1, 3])
def test_dates_and_texts_of_several_row_groups_come_out_as_they_went_in(pieces, tmp_path):
    days = pd.to_datetime(["2020-01-01", None, "2020-01-01", "2021-05-06"] * 3)
    frame = pd.DataFrame({"day": days, "city": ["Ulm", "Bonn", None, "Köln"] * 3, "y": np.arange(12.0)})
    data = packed(pa.Table.from_pandas(frame), row_group_size=12 // pieces)
    for read in (from_bytes, in_pieces):
        table = read(data, tmp_path)
        assert table.column("day").kind == "date"
        assert [str(day)[:10] for day in table.frame["day"][:4]] == ["2020-01-01", "nan", "2020-01-01", "2021-05-06"]
        assert table.column("city").levels == ("Bonn", "Köln", "Ulm")
        assert list(table.frame["city"][:2]) == ["Ulm", "Bonn"]
