"""Read CSV and Parquet files into a typed table; every failure raises an error with a full sentence."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.ingest.dialect import Dialect, find_dialect
from dpcore.data.ingest.encode import make_dataset
from dpcore.data.ingest.parquet import read_parquet
from dpcore.data.ingest.parse import parse_body
from dpcore.data.ingest.source import check_unchanged, open_source
from dpcore.data.ingest.table import Table, build_table
from dpcore.data.ingest.text import Text, as_utf8
from dpcore.data.ingest_report import Note


def read_table(path_or_bytes: Any, name: str | None = None) -> Table:
    """Read a CSV file (or a Parquet file, recognised by its first and last four bytes) as a typed table.

    Encoding (UTF-8, UTF-16, Windows-1252), separator (comma, semicolon, tab, pipe), decimal mark and the kind of
    every column are detected. Numbers are the doubles nearest to their text. A cell such as "NA", "?" or "" is
    missing, and so is an infinite one.

    Parameters
    ----------
    path_or_bytes : bytes, str or Path of a file, or an object with `read()`
    name : name of the table in messages; by default the name of the file

    Raises
    ------
    DataError
        If this is not a table of at least two rows. The text says what is wrong, where, and what to do.
    """
    source = open_source(path_or_bytes, name)
    if source.is_parquet:
        names, arrays = read_parquet(source.data)
        table = build_table(arrays, names, source.name)
    else:
        text = as_utf8(source)
        table = read_text(text, find_dialect(text.data), source.name)
    digest = hashlib.sha256(memoryview(source.data)).hexdigest()
    check_unchanged(source)
    return replace(table, sha256=digest)


def load_csv(
    path_or_bytes: Any,
    target: str,
    features: Sequence[str] | None = None,
    domain: Domain | None = None,
    missing: str = "drop",
    intercept: bool = False,
    *,
    max_categories: int = 50,
    label: str | None = None,
    positive: Any = None,
    counts: bool = False,
) -> Dataset:
    """`make_dataset(read_table(path_or_bytes), …)`: from a file to a validated data set in one call.

    Parameters
    ----------
    path_or_bytes : path, bytes or open file of a CSV or Parquet table
    target : name of the column to predict
    features : names to use; by default every usable column
    domain : public bounds, see `Domain`
    missing : "drop", "mean", "median" or "zero"
    intercept : whether to add a constant column
    max_categories : most levels a column may have
    label : column with the owner's own name of each row; "" for none
    positive : the level of the target that is told from all others
    counts : whether the target is kept as counts

    `make_dataset` explains each of them in detail.
    """
    table = read_table(path_or_bytes)
    return make_dataset(
        table, target, features, domain, missing, intercept, max_categories, label, positive=positive, counts=counts
    )


def read_text(text: Text, dialect: Dialect, name: str) -> Table:
    """The table in a CSV text; `name` is the name of its file."""
    notes = []
    if text.encoding not in ("utf-8", "utf-16-le", "utf-16-be"):
        what = f"The text is not UTF-8 and was read as {text.encoding}; check letters with accents."
        notes.append(Note("info", what))
    if not dialect.has_header:
        what = "The first line holds no names but data, so it was read as data and the columns were numbered."
        notes.append(Note("warning", what))
    arrays, names = parse_body(text.data, dialect), dialect.names
    if dialect.trailing_separator:
        arrays, names = arrays[:-1], names[:-1]
    return build_table(arrays, names, name, dialect.separator, text.encoding, dialect.decimal, notes)
