"""Per-row results, written block by block to Parquet or CSV; an unfinished file never has the final name."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from dpcore.data.names import quoted
from dpcore.errors import ParameterError
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.result import IndividualPrivacy

SUFFIXES = (".parquet", ".csv")


def beside(path: Path) -> Path:
    """An unused name in the same folder, under which to write until the file is complete."""
    return path.with_name(f".{uuid.uuid4().hex}{path.suffix}")


class RowSink:
    """A context that writes columns block by block; the file appears when the context is left without an error.

    It can be entered again, which writes the file anew.

    Parameters
    ----------
    path : file ending in .parquet or .csv, in a folder that exists
    method : what the ε are; the file says so
    said : sentences on what the ε are and how large their errors may be, if more is known than the method

    Raises
    ------
    ParameterError
        If the file has another ending, or cannot be written.
    """

    def __init__(self, path: Any, method: EpsilonMethod = EpsilonMethod.EXACT, said: str = "") -> None:
        self.path, self._nature, self._said = Path(path), said or method.nature, said or method.said
        if self.path.suffix.lower() not in SUFFIXES:
            raise ParameterError(f"rows can be written to a file ending in .parquet or .csv, got {quoted(path, 120)}")
        if not self.path.parent.is_dir():
            raise ParameterError(f"there is no folder {quoted(self.path.parent, 120)} to write the rows to")
        self._part = beside(self.path)
        self._writer: Any = None
        self._file: Any = None

    def __enter__(self) -> RowSink:
        return self

    def write(self, values: dict[str, np.ndarray]) -> None:
        """Append one block of rows."""
        table = pa.table(values)
        if self._writer is None:
            self._writer = self._open(table.schema)
        self._writer.write_table(table)

    def restart(self) -> None:
        """Drop what has been written."""
        self._close()
        self._part.unlink(missing_ok=True)

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is not None:
            self.restart()
            return
        self._close()
        if self._part.exists():
            self._part.replace(self.path)

    def _close(self) -> None:
        for handle in (self._writer, self._file):
            if handle is not None:
                handle.close()
        self._writer = self._file = None

    def _open(self, schema: pa.Schema) -> Any:
        notice = IndividualPrivacy.confidentiality
        try:
            if self.path.suffix.lower() == ".parquet":
                schema = schema.with_metadata({"confidentiality": notice, "epsilon": self._nature})
                return parquet.ParquetWriter(self._part, schema, use_dictionary=False)
            self._file = pa.OSFile(str(self._part), "wb")
            self._file.write(f"# {notice} {self._said}".rstrip().encode() + b"\n")
            return arrow_csv.CSVWriter(self._file, schema)
        except OSError as error:
            raise ParameterError(f"the rows cannot be written to {quoted(self.path, 120)}: {error}") from error
