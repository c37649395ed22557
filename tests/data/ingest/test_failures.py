"""Every way to fail ends in a sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpcore.data import Domain, load_csv, make_dataset, read_table
from dpcore.data.stream.chunks import ChunkedFile
from dpcore.errors import DataError, ParameterError
from tests.refusals import refuses

REMARK = "a very long remark about this flat number"
GOOD = "city,size,rent,day,remark\n" + "".join(
    f"{'ABC'[i % 3]},{i * i % 17}.5,{i * 7 % 23},2020-01-{i + 1:02d},{REMARK} {i}\n" for i in range(20)
)


LEVELS = (
    ",".join(f"c{i}" for i in range(45))
    + ",y\n"
    + "".join(",".join(f"level{(i + j) % 45}" for j in range(45)) + f",{i % 7}\n" for i in range(90))
)


FILES = [
    ("empty", b"", "file is empty"),
    ("header only", b"a,b,c\n", "no data rows; add at least two rows"),
    ("one row", b"a,b\n1,2\n", "only one data row"),
    ("json", b'[{"a": 1}]', "JSON file"),
    ("page", b"<!DOCTYPE html><html>", "web page"),
    ("nul", b"a,b\n1,2\n3,\x004\n", r"NUL byte at position 10 \(line 3\)"),
    ("damaged utf-16", "a,b\n1,2\n3,4\n".encode("utf-16")[:-1], "UTF-16-LE text but is damaged"),
    ("short row", b"a,b\n1,2\n3\n4,5\n", r"Data row 2 has 1 cell\(s\), but the table has 2 column"),
    ("short row beside decimal commas", b"a;b\n1,5;2\n3,5;4\n5,5\n", r"Data row 3 has 1 cell\(s\).* separated by ';'"),
    ("long row", b"a,b\n1,2\n3,4\n4,5,6\n", r"Data row 3 has 3 cell\(s\)"),
    ("open quote", b'a,b\n1,2\n3,"x\n4,5\n6,7\n', "quotation mark opened in data line 2 is never closed"),
    ("open quote in header", b'"a,b\n1,2\n3,4\n', "column names opens a quotation mark"),
    ("huge field", b"a,b\n1,2\n" + b"x" * 9_000_000 + b",3\n", "longer than"),
    ("huge first line", b"x" * 20_000_000, "first line has more than"),
    ("huge name", b"x" * 9_000 + b",b\n1,2\n3,4\n", "name of column 1 has 9000 characters"),
]


@pytest.mark.parametrize(("data", "message"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_files_that_are_not_tables(data, message):
    refuses(DataError, message, read_table, data)


@pytest.mark.parametrize(("source", "message"), [
    ("no such file.csv", "no file 'no such file.csv'"),
    ("a,b\n1,2\n", "no file 'a,b 1,2'; check the path, or pass the content as bytes"),
    ("nul\0byte", "no file|could not be opened"),
    (42, "bytes, a path or an open file, not as 'int'"),
    (memoryview(b"abcdef")[::2], "not one contiguous block"),
])  # fmt: skip
def test_sources_that_cannot_be_read(source, message):
    refuses(DataError, message, read_table, source)


def test_a_folder_and_a_closed_file_are_refused(tmp_path):
    refuses(DataError, "is a folder", read_table, tmp_path)
    (tmp_path / "empty.csv").write_bytes(b"")
    refuses(DataError, "file is empty", read_table, tmp_path / "empty.csv")
    closed = (tmp_path / "empty.csv").open("rb")
    closed.close()
    refuses(DataError, "could not be read", read_table, closed)


CHOICES = [
    ({"target": "rnt"}, "no target 'rnt' in the table; did you mean 'rent'"),
    ({"target": "zzzz"}, "the columns are 'city', 'size', 'rent', 'day' and 'remark'"),
    ({"target": "city"}, "target 'city' holds 3 levels \\('A', 'B' and 'C'\\)"),
    ({"target": "rent", "features": ["size", "sze"]}, "no feature 'sze' in the table; did you mean 'size'"),
    ({"target": "rent", "features": ["size", "rent"]}, "target 'rent' is also among the features"),
    ({"target": "rent", "features": []}, "list of features is empty"),
    ({"target": "rent", "features": ["day"]}, "feature 'day' cannot be used as numbers: it is of the kind date"),
    ({"target": "rent", "features": ["city"], "max_categories": 2}, "feature 'city' has 3 levels, more than 2"),
    ({"target": "rent", "domain": Domain(ranges={"siz": (0, 1)})}, "no column with a public range 'siz'"),
]


@pytest.mark.parametrize(("options", "message"), CHOICES)
def test_choices_that_cannot_work(options, message):
    refuses(DataError, message, make_dataset, read_table(GOOD.encode()), **options)


@pytest.mark.parametrize(("data", "message"), [
    (b"x,y\n1,NA\n2,\n3,?\n", "target 'y' has no value in any row"),
    (b"x,y\n1,5\n2,5\n3,5\n", "target 'y' is always 5, so there is nothing to predict"),
    (b"x,y\nNA,5\n2,NA\nNA,6\n3,NA\n", "Only 0 of 4 rows"),
    (b"x,y\n7,5\n7,6\n7,8\n", "No usable feature remains .*'x': constant"),
    (b"x,y\n5,5\n6,6\n8,8\n", "No usable feature .* same content as the target"),
    (b"x,y\n1,5\n2,6\n3,6.5\n4,oops\n5,3\n6,2.5\n", "numbers except 1 cell.*first 'oops' in data row 4"),
    (LEVELS.encode(), "has 2025 columns; at most 2000"),
])  # fmt: skip
def test_tables_that_give_no_data_set(data, message):
    refuses(DataError, message, load_csv, data, target="y")


def test_parameters_outside_their_range():
    table = read_table(GOOD.encode())
    refuses(ParameterError, "missing must be one of", make_dataset, table, "rent", missing="guess")
    refuses(ParameterError, "max_categories must be >= 2", make_dataset, table, "rent", max_categories=1)
    refuses(ParameterError, "intercept must be True or False", make_dataset, table, "rent", intercept="yes")


def test_a_parquet_file_cut_off_is_called_one(tmp_path):
    pd.DataFrame({"a": np.arange(500.0), "y": np.arange(500.0) % 7}).to_parquet(tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for size in (4, 12, len(whole) - 1):
        (tmp_path / "cut").write_bytes(whole[:size])
        for read in (read_table, ChunkedFile):
            refuses(DataError, "starts as a Parquet file but does not end as one", read, str(tmp_path / "cut"))
    (tmp_path / "text.csv").write_text("PAR1,y\n1,2\n2,5\n")  # a column may have that name
    assert read_table(tmp_path / "text.csv").names == ChunkedFile(tmp_path / "text.csv").head.names == ("PAR1", "y")
