"""The sample tables that come with the app; their origin is told in `sample_data/README.md`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.ingest.csv import read_table
from dpcore.data.ingest.encode import make_dataset
from dpcore.data.ingest.table import Table
from dpcore.records import from_table, tables

_HERE = Path(__file__).resolve()
# In a package the folder `files`, which in a source checkout is a link to `sample_data`; not every system keeps links.
FOLDER = next(
    (path for path in (_HERE.with_name("files").resolve(), _HERE.parents[3] / "sample_data") if path.is_dir()),
    _HERE.parent,
)
_PATH = Path(__file__).with_name("samples.toml")


@dataclass(frozen=True)
class Sample:
    """A sample table. `domain` states public ranges from knowledge of the quantities, not from the rows.

    sha256 : digest of the bytes of the file.
    """

    key: str
    title: str
    file: str
    target: str
    domain: Domain
    sha256: str

    @property
    def path(self) -> Path:
        """Path of the file."""
        return FOLDER / self.file


def _sample(key: str, given: dict[str, Any]) -> Sample:
    domain = Domain(rows=given.pop("rows", "clip"), ranges=given.pop("ranges", None))
    return from_table(Sample, {"key": key, "domain": domain} | given, f"{_PATH.name}, {key}")


SAMPLES = {key: _sample(key, given) for key, given in tables(_PATH, ("sample",))["sample"].items()}


def read_sample(key: str) -> Table:
    """The sample as a table.

    Raises
    ------
    ParameterError
        If there is no sample of that name.
    """
    sample = SAMPLES[validation.choice("key", key, SAMPLES)]
    return read_table(sample.path)


def load_sample(key: str) -> Dataset:
    """The sample as a data set in its public domain; rows with a missing cell are left out."""
    table = read_sample(key)
    return make_dataset(table, SAMPLES[key].target, domain=SAMPLES[key].domain)
