"""Reading tables, checked against Python's csv module and float()."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import pickle
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from dpcore.data import Table, read_table
from dpcore.data.ingest import csv as csv_files
from dpcore.data.ingest import parse
from dpcore.errors import DataError
from tests.refusals import refuses


def kinds(table: Table) -> dict[str, str]:
    return {column.name: column.kind for column in table.columns}


def column_of(*cells: str, name: str = "v") -> tuple[list, str, Table]:
    """Values and kind of one column, quoted as needed, beside a numeric one."""
    sink = io.StringIO(newline="")
    writer = csv.writer(sink)
    writer.writerow([name, "other"])
    writer.writerows([cell, f"{i * i + 0.5}"] for i, cell in enumerate(cells))
    table = read_table(sink.getvalue().encode())
    return list(table.frame.iloc[:, 0]), table.columns[0].kind, table


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252", "utf-32"])
@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_any_separator_encoding_and_line_ending(separator, encoding, ending):
    rng = np.random.default_rng(3)
    words = ["Köln", "Zürich", 'a "b" c', f"x{separator} y", f"line{ending}break"]
    rows = [
        [repr(x), str(rng.integers(1000) + 10**6), words[i % 5]] for i, x in enumerate(rng.normal(size=40).tolist())
    ]
    sink = io.StringIO(newline="")
    csv.writer(sink, delimiter=separator, lineterminator=ending).writerows([["größe", "n", "ort"], *rows])
    table = read_table(sink.getvalue().encode(encoding))
    oracle = list(csv.reader(io.StringIO(sink.getvalue(), newline=""), delimiter=separator))
    assert (table.names, table.separator) == (tuple(oracle[0]), separator)
    assert table.encoding == {"utf-16": "utf-16-le", "utf-8-sig": "utf-8", "utf-32": "utf-32-le"}.get(
        encoding, encoding
    )
    assert any("not UTF-8" in note.text for note in table.notes) == (encoding in ("cp1252", "utf-32"))
    assert list(table.frame["größe"]) == [float(row[0]) for row in oracle[1:]]
    assert list(table.frame["n"]) == [int(row[1]) for row in oracle[1:]]
    assert list(table.frame["ort"]) == [row[2] for row in oracle[1:]]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_two_bytes_a_letter_are_known_where_half_of_the_letters_are_greek(encoding):
    """Digits and separators have a zero byte, Greek letters have none."""
    table = read_table(("πόλη,χρόνος\n" + "".join(f"Πάτρα,{10 + i}.5\n" for i in range(20))).encode(encoding))
    assert (table.encoding, table.names) == (encoding, ("πόλη", "χρόνος"))
    assert list(table.frame["χρόνος"]) == [10.5 + i for i in range(20)]


NUMERIC_CELLS = (
    ["1", "2.5", "-3e-5", "1e308", "5e-324", " 7 ", "+8", "NA", "", "nan"],
    ["12345678901234567", "9007199254740993", "-1", "0", "00012"],
    ["1", "2", "inf", "-Infinity", "1e400", "1e-400"],
    ["1", "2", "x"],
    ["1", "2", "1,5"],
)


@pytest.mark.parametrize("cells", NUMERIC_CELLS)
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("separator", [",", ";"])
def test_the_size_of_the_pieces_does_not_change_a_table(cells, last, separator, monkeypatch, tmp_path):
    """Cells of another kind come late, where the type of a column seems settled."""
    rng = np.random.default_rng(11)
    rows = [[str(rng.choice(cells[:2] if i < 30 else cells)), f"{x:.6f}"] for i, x in enumerate(rng.normal(size=60))]
    text = "\n".join(separator.join(row[::-1] if last else row) for row in [["a", "b"], *rows])
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    seen = []
    for size in (2**22, 128):
        monkeypatch.setattr(parse, "_CACHED", size)
        monkeypatch.setattr(parse, "LONGEST_ROW", size)
        for source in (text.encode(), path):
            try:
                seen.append(read_table(source))
            except DataError as error:
                seen.append(str(error))
    for other in seen[1:]:
        if isinstance(other, str):
            assert other == seen[0]
        else:
            assert other.columns == seen[0].columns
            pd.testing.assert_frame_equal(other.frame, seen[0].frame, check_exact=True)


@pytest.mark.parametrize(("cells", "expected"), [
    (["1,234.56", "-7", "+12,345,678"], [1234.56, -7, 12345678]),
    (["1\u202f234", "12\u00a0345", "6"], [1234, 12345, 6]),
    (["1.234.567", "2.345.678", "1.000.000"], [1234567, 2345678, 1000000]),
    (["1'234.5", "2’345.5", "6"], [1234.5, 2345.5, 6]),
    (["−5", "6", "−7.5"], [-5, 6, -7.5]),
    (["12%", "7.5%", "100 %"], [12, 7.5, 100]),
    (["$1,200.50", "$3", "-$4"], [1200.5, 3, -4]),
    (["3,50 €", "1.200,00 €", "7 €"], [3.5, 1200, 7]),
    ([" 1.5", "2.5 ", " 3 "], [1.5, 2.5, 3]),
])  # fmt: skip
def test_number_notations(cells, expected):
    values, kind, _ = column_of(*cells)
    assert kind == "numeric"
    assert values == expected


def test_the_cells_in_another_currency_are_named():
    table = read_table(("a,b\n" + "".join(f"{i % 7},{'$' if i == 8 else '€ '}{i}\n" for i in range(30))).encode())
    assert table.column("b").note == "numbers except 1 cell(s), first '$8' in data row 9"


@pytest.mark.parametrize(("data", "columns"), [
    (b"a;b;c\n1,234;1.234,5;1\n2,5;12,5;2\n3,75;0,5;3,5\n", [[1.234, 2.5, 3.75], [1234.5, 12.5, 0.5], [1, 2, 3.5]]),
    (b"a;b\n1;2,5\n2;3,5\n4;1,5\n", [[1, 2, 4], [2.5, 3.5, 1.5]]),  # one comma a line makes it no separator
    (b"a;b\n1,5;1.234\n2,5;2.345\n3,25;3.456\n", [[1.5, 2.5, 3.25], [1234, 2345, 3456]]),
])  # fmt: skip
def test_a_semicolon_file_has_decimal_commas_and_points_that_group_thousands(data, columns):
    table = read_table(data)
    assert (table.separator, table.decimal) == (";", ",")
    assert list(table.frame.to_dict("list").values()) == columns


MISSING = (
    "", "NA", "na", "N/A", "n/a", "null", "NULL", "Null", "None", "?", "-", ".", "nan", "NaN", "NAN", "k.A.", "#N/A", " ", " NA ",
)  # fmt: skip


@pytest.mark.parametrize("token", MISSING)
def test_missing_cells(token):
    for cells, rest in ((["1.5", token, "2.5"], [1.5, 2.5]), (["red", token, "blue", "red"], ["red", "blue", "red"])):
        values, kind, table = column_of(*cells)
        assert kind in ("numeric", "boolean")
        assert pd.isna(values[1])
        assert [value for value in values if not pd.isna(value)] == rest
        assert table.columns[0].missing == 1


@pytest.mark.parametrize("word", ["none", "Nil", "unknown"])
def test_a_word_for_nothing_is_a_level_among_texts_and_missing_among_numbers(word):
    numbers, kind, _ = column_of("1,5", word, "2,5", "30 €")
    assert kind == "numeric"
    np.testing.assert_array_equal(numbers, [1.5, math.nan, 2.5, 30])
    texts = ["mild", word, "severe", word]
    values, kind, table = column_of(*texts)
    assert (values, kind, table.columns[0].missing) == (texts, "categorical", 0)


@pytest.mark.parametrize("token", ["inf", "-inf", "Infinity", "1e400", "∞"])
def test_infinite_cells_count_as_missing_and_are_reported(token):
    values, kind, table = column_of("1.5", token, "2.5")
    assert (values[0], math.isnan(values[1]), values[2]) == (1.5, True, 2.5)
    assert kind == "numeric"
    assert table.columns[0].missing == table.columns[0].infinite == 1
    assert any("infinite value" in note.text and note.level == "warning" for note in table.notes)


@pytest.mark.parametrize(("cells", "levels"), [
    (["yes", "no", "yes"], ("no", "yes")),
    (["TRUE", "false", "TRUE"], ("false", "true")),
    (["Ja", "Nein", "Ja"], ("Nein", "Ja")),
    (["1", "0", "NA"], ()),
])  # fmt: skip
def test_two_levels_are_boolean_with_no_first(cells, levels):
    _, kind, table = column_of(*cells)
    assert (kind, table.columns[0].distinct) == ("boolean", 2)
    assert [level.lower() for level in table.columns[0].levels] == [level.lower() for level in levels]


@pytest.mark.parametrize("cells", [
    ["2020-01-01", "2021-12-31", "1999-05-05"],
    ["2020-01-01T12:30:00Z", "2021-12-31T00:00:00Z", "1999-05-05T23:59:00Z"],
    ["31.12.2020", "01.01.2021", "1.5.1999"],
    ["5 Jan 2020", "17 February 2021", "1-Mar-99"],
])  # fmt: skip
def test_dates_are_recognised(cells):
    assert column_of(*cells)[1] == "date"


@pytest.mark.parametrize(("name", "cells", "kind"), [
    ("v", range(100, 140), "id"),
    ("v", [3, 1, 2, 5, 4, 7, 6, 9, 8, 10, 12, 11], "id"),
    ("patientId", [7, 7, 9, 1000, 5], "id"),
    ("Unnamed: 0", [0, 1, 2, 3], "id"),
    ("paid", [7, 7, 9, 1000, 5], "numeric"),
    ("", [0, 1, 2, 3], "id"),
    ("key", [1, 5, 3, 1, 5, 3], "numeric"),
    ("v", [1520, 34, 977, 2301, 45, 8120, 312, 9, 7777, 2010, 64], "numeric"),
    ("v", ["r", "g", "b"] * 5, "categorical"),
    ("v", [f"word{i}" for i in range(40)] + ["word1"] * 10, "text"),
    ("v", [f"a long remark number {i} about the state of the room and its view" for i in range(30)], "text"),
    ("v", ["only", "only", "NA"], "constant"),
    ("v", ["", "NA", "?"], "empty"),
])  # fmt: skip
def test_kinds(name, cells, kind):
    assert column_of(*map(str, cells), name=name)[1] == kind


def test_duplicates_are_found_by_content_and_by_name():
    table = read_table(b"a,b,a,c,d,e\n1.5,x,1.5,x,1.50,2\n2.5,y,2.5,y,2.5,3\n3.5,z,3.5,x,3.5,4\n")
    assert table.names == ("a", "b", "a (2)", "c", "d", "e")
    assert kinds(table)["a (2)"] == kinds(table)["d"] == "duplicate"
    assert table.column("d").same_as == "a"
    assert kinds(table)["c"] == "categorical" or kinds(table)["c"] == "boolean"
    assert any("'a' is used more than once" in note.text for note in table.notes)


def test_quoted_fields_keep_line_breaks_separators_and_quotes_and_an_inch_mark_opens_none():
    table = read_table(b'name,v\n"a, b\nc ""d""",1\nplain,2\n"a, b\nc ""d""",3\n')
    assert table.frame.to_dict("list") == {"name": ['a, b\nc "d"', "plain", 'a, b\nc "d"'], "v": [1, 2, 3]}
    assert list(read_table(b'size,v\n5",1\n7,2\n5",3\n').frame["size"]) == ['5"', "7", '5"']


def test_a_file_without_names_gets_them():
    table = read_table(b"1.5,2\n3.5,4\n5.5,7\n")
    assert (table.names, table.n_rows) == (("column 1", "column 2"), 3)
    assert any(note.level == "warning" and "no names but data" in note.text for note in table.notes)


@pytest.mark.parametrize(("data", "has_names"), [
    (b"39, Private, <=50K\n50, Self-emp, >50K\n38, Private, <=50K\n", False),
    (b"Private;39,5\nSelf-emp;50\nPrivate;38,5\n", False),
    (b"country,2019,2020\nPeru,2019,7\nChad,2,2020\n", True),
    (b"name,class\nAnn,name\nBob,class\n", True),
    (b"Private,?\nPrivate,39\nPrivate,50\n", True),
    (b"3,Private\n4,Self-emp\n5,Federal\n", True),
])  # fmt: skip
def test_a_first_line_is_data_if_it_has_numbers_where_all_have_and_a_text_that_comes_again(data, has_names):
    table = read_table(data)
    assert (table.n_rows, table.names[0] == "column 1") == (data.count(b"\n") - has_names, not has_names)


@pytest.mark.parametrize(("data", "names"), [
    (b"a,b,\n1.5,2,\n3.5,4,\n", ("a", "b", "column 3")),
    (b"a,b\n1.5,2,\n3.5,4,\n", ("a", "b")),
    (b"a,b,\n1.5,2\n3.5,4\n", ("a", "b")),
    (b'"a","b"\n"r1",1.5,2\n"r2",3.5,4\n', ("column 1", "a", "b")),
    (b"sep=|\na|b\n1.5|2\n3.5|4\n", ("a", "b")),
    ("\u00a0\n\u3000\nsep=|\n\n\u00a0\n\na|b\n1.5|2\n3.5|4\n".encode(), ("a", "b")),
    (b"sep=;\nb;a,x\n1.5;7,8\n3.5;6,8\n", ("b", "a,x")),
    (b"x" * 500 + b",b\n1.5,2\n3.5,4\n", ("x" * 500, "b")),
    ("\u00a0\n1.5,2\n3.5,4\n".encode(), ("column 1", "column 2")),
    (b"\n\n  \na,b\n\n1.5,2\n\n3.5,4\n\n", ("a", "b")),
    (b'"a\nb","c\td"\n1.5,2\n3.5,4\n', ("a b", "c d")),
])  # fmt: skip
def test_common_shapes_of_header(data, names):
    table = read_table(data)
    assert table.names == names
    position = 1 if names == ("column 1", "a", "b") else 0
    assert list(table.frame.iloc[:, position]) == [1.5, 3.5]


def test_every_kind_of_source(tmp_path):
    data = b"a,b\n1.5,2\n2.5,4\n"
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    used = io.BytesIO(data)
    used.read()
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        sources = [data, memoryview(data), path, str(path), used, io.StringIO(data.decode()), binary, text]
        tables = [read_table(source) for source in sources]
    assert {table.sha256 for table in tables} == {hashlib.sha256(data).hexdigest()}
    assert len(set(tables)) == 1
    assert tables[2].name == tables[6].name == "t.csv"
    assert read_table(data, name="mine").name == "mine"
    assert all(list(table.frame["a"]) == [1.5, 2.5] for table in tables)


def test_a_table_shows_its_digest_and_not_its_rows():
    table = read_table(b"secretname,b\n1.5,2\n2.5,4\n")
    assert table.sha256 in repr(table)
    assert "secret" not in repr(table)
    assert table != read_table(b"secretname,b\n1.5,2\n2.5,5\n")


def test_parquet_gives_the_same_table(tmp_path):
    frame = pd.DataFrame(
        {
            "x": [1.5, None, 2.5],
            "n": np.array([1, 5, 3], dtype=np.uint8),
            "d": [Decimal("1.25"), Decimal("2.50"), None],
            "city": pd.Categorical(["Bonn", "Ulm", "Köln"]),
            "ok": [True, False, None],
            "day": [date(2020, 1, 1), date(2021, 1, 1), None],
            "text": ["3,5", "4,5", "n/a"],
            "list": [[1], [2, 3], []],
            "none": [None, None, None],
        }
    )
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    table = read_table(path)
    found = ["numeric"] * 3 + ["categorical", "boolean", "date", "numeric", "text", "empty"]
    assert list(kinds(table).values()) == found
    np.testing.assert_array_equal(table.frame["x"], [1.5, math.nan, 2.5])
    np.testing.assert_array_equal(table.frame["d"], [1.25, 2.5, math.nan])
    np.testing.assert_array_equal(table.frame["text"], [3.5, 4.5, math.nan])
    assert list(table.frame["n"]) == [1, 5, 3]
    assert table.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_that_is_changed_while_it_is_read_is_refused(tmp_path, monkeypatch):
    content = b"a,b\n" + b"1.25,2\n3.5,4\n" * 40_000
    path = tmp_path / "long.csv"
    path.write_bytes(content)
    table = read_table(path)
    assert pickle.loads(pickle.dumps(table)).sha256 == hashlib.sha256(content).hexdigest()
    build = csv_files.build_table
    monkeypatch.setattr(csv_files, "build_table", lambda *given: path.write_bytes(content + content) and build(*given))
    refuses(DataError, r"The file 'long.*' was changed", read_table, path)
