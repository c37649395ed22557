"""The data sets of published comparisons: generated as their authors did, fetched from the network, or uploaded."""

import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.ingest.csv import read_table
from dpcore.data.ingest.encode import make_dataset
from dpcore.data.ingest.source import open_source
from dpcore.data.ingest.table import Table
from dpcore.data.names import quoted
from dpcore.data.scaling import scale_rows
from dpcore.errors import DataError
from dpcore.records import tables

_ADULT = tables(Path(__file__).with_suffix(".toml"), ("adult",))["adult"]
ADULT_RANGES = _ADULT["ranges"]
INTERCEPT = 0.2  # value of the constant column in rows of norm 1; doubled, 8 % of the signal are lost instead of 2 %
ROW_FORMS = {
    "own": "a constant column of 0.2 inside rows of norm 1: an intercept that costs 2 % of the signal",
    "published": "a constant column of 1 beside rows of norm 1, as published: an intercept that costs √2 in noise",
    "rows": "rows of norm 1 and no constant column",
}
_ROWS = {"own": float(np.sqrt(1 - INTERCEPT**2)), "published": 1.0, "rows": 1.0}
_CONSTANTS = {"own": INTERCEPT, "published": 1.0}
_GISETTE_COLUMNS = 5_000
_GISETTE = (
    "Upload gisette_train.data together with gisette_train.labels of the UCI repository, or gisette_scale of the LIBSVM "
    "collection alone."
)


def synthetic_l(n_samples: int = 10_000, seed: int = 1000, form: str = "own") -> Dataset:
    """Synthetic-L: two classes in 40 features, 30 of them informative, every row scaled to norm 1, labels −1 and +1.

    Parameters
    ----------
    n_samples : whole number ≥ 2
    seed : whole number ≥ 0; the published data set has 1000
    form : name in `ROW_FORMS`

    References: redberg-koskela-wang-2023 (Table 1).
    """
    from sklearn.datasets import make_classification

    n_samples = validation.integer("n_samples", n_samples, minimum=2)
    seed = validation.integer("seed", seed, minimum=0)
    X, y = make_classification(n_samples, n_features=40, n_informative=30, class_sep=2.0, random_state=seed)
    return _two_classes(X, y, form)


def synthetic_h(form: str = "own") -> Dataset:
    """Synthetic-H: two classes, 2 000 rows of 2 000 features, 10 of them informative, scaled as in `synthetic_l`.

    Parameters
    ----------
    form : name in `ROW_FORMS`

    References: redberg-koskela-wang-2023 (Figure 2).
    """
    from sklearn.datasets import make_classification

    X, y = make_classification(2000, n_features=2000, n_informative=10, n_redundant=0, class_sep=2.0, random_state=1)
    return _two_classes(X, y, form)


def gisette(*sources: Any, form: str = "published") -> Dataset:
    """Gisette: the digits 4 and 9 in 5 000 columns, from the user's files, scaled as in `synthetic_l`.

    Parameters
    ----------
    sources : bytes, paths or uploads: the data and the labels of the UCI repository in any order, or one file in the
        format of LIBSVM
    form : name in `ROW_FORMS`

    Raises
    ------
    DataError
        If the files are not Gisette.

    References: redberg-koskela-wang-2023 (Figure 2).
    """
    from sklearn.datasets import load_svmlight_file

    files = [io.BytesIO(open_source(source).data.to_pybytes()) for source in sources]
    try:
        if len(files) == 1:
            X, y = load_svmlight_file(files[0], n_features=_GISETTE_COLUMNS)
            X = X.toarray()
        else:
            found = [pd.read_csv(file, sep=r"\s+", header=None).to_numpy(np.float64) for file in files]
            labels, X = sorted(found, key=lambda table: table.shape[1])
            y = labels[:, 0]
    except (ValueError, IndexError) as error:
        raise DataError(f"This is not the Gisette data set. {_GISETTE}") from error
    if X.shape[1] != _GISETTE_COLUMNS or len(y) != len(X) or set(np.unique(y)) != {-1.0, 1.0}:
        raise DataError(
            f"This is not the Gisette data set: {len(X)} rows of {X.shape[1]} columns and {len(y)} labels, where it has "
            f"{_GISETTE_COLUMNS} columns and a label of −1 or 1 for each row. {_GISETTE}"
        )
    return _two_classes(X, y, form)


def _two_classes(X: np.ndarray, y: np.ndarray, form: str) -> Dataset:
    """A data set in one of `ROW_FORMS`: rows scaled, constant column added, labels −1 and +1. X is overwritten."""
    validation.choice("form", form, ROW_FORMS)
    scale_rows(X, Domain(row_norm=_ROWS[form], rows="normalize"))
    X, names, domain = _with_constant(X, [f"x{j + 1}" for j in range(X.shape[1])], form)
    return Dataset.from_arrays(X, np.where(y > 0, 1.0, -1.0), names, target="class", domain=domain)


def _with_constant(X: np.ndarray, names: Iterable[str], form: str) -> tuple[np.ndarray, tuple[str, ...], Domain]:
    """Scaled rows with the constant column of a form, the names of the columns, and the domain of such rows."""
    if form not in _CONSTANTS:
        return X, tuple(names), Domain(rows="normalize")
    norm = 1.0 if form == "own" else float(np.sqrt(2))
    whole = np.column_stack([X, np.full(len(X), _CONSTANTS[form])])
    return whole, (*names, "intercept"), Domain(row_norm=norm, rows="normalize")


def adult(source: Any = None, form: str = "own") -> Dataset:
    """Adult: whether a person earns more than 50 000 dollars a year, rows with missing cells dropped, rows scaled to norm 1.

    Numeric columns are mapped by public ranges stated here (in the published form they are divided by their largest
    value), and categories become one column per level. 45 222 of the 48 842 records are complete; they have 105
    columns.

    Parameters
    ----------
    source : bytes, path or upload of a CSV file: the UCI repository's adult.data or adult.test (or both, one after the
        other), which have no header line, or a file with the names of the 15 columns in any usual spelling; or a data
        frame as from OpenML; by default the data are fetched from OpenML
    form : name in `ROW_FORMS`

    Raises
    ------
    DataError
        If the data cannot be fetched, or are not Adult.

    References: redberg-koskela-wang-2023 (Table 2).
    """
    return adult_in_forms(source, (form,))[form]


def adult_in_forms(source: Any, forms: Iterable[str]) -> dict[str, Dataset]:
    """`adult` in several forms from a source that is read once."""
    table = _adult_table(source)
    return {form: _adult_in(table, form) for form in forms}


def _adult_table(source: Any) -> Table:
    if source is None:
        source = _fetch()
    if hasattr(source, "to_csv"):
        text = io.StringIO()
        source.to_csv(text, index=False)
        source = text.getvalue().encode("utf-8")
    table = read_table(_adult_text(open_source(source).data.to_pybytes()), "adult.csv")
    missing = [name for name in _ADULT["columns"] if name not in table]
    if missing:
        raise DataError(
            f"This is not the Adult data set: it has no column {', '.join(map(quoted, missing))}. Upload adult.data or "
            "adult.test of the UCI repository, or a CSV file with the same 15 columns."
        )
    return table


def _adult_in(table: Table, form: str) -> Dataset:
    validation.choice("form", form, ROW_FORMS)
    ranges = {name: (-top, top) for name, top in _ADULT["largest"].items()} if form == "published" else ADULT_RANGES
    domain = Domain(row_norm=_ROWS[form], rows="normalize", ranges=ranges)
    found = make_dataset(table, "income", _ADULT["columns"][:-1], domain)
    X, names, whole = _with_constant(found.X, found.names, form)
    return Dataset(X, found.y, names, "income", whole, found.report, found.row_labels)


def _adult_text(data: bytes) -> bytes:
    """The file with a header line of the columns' names, without comment lines and without the full stops after labels."""
    lines = [line for line in data.splitlines() if line.strip() and not line.startswith(b"|")]
    lines = [re.sub(rb"50K\.", b"50K", line) for line in lines]
    if lines and lines[0][:1].isdigit():
        return b"\n".join([",".join(_ADULT["columns"]).encode(), *lines])
    return b"\n".join([re.sub(rb"[^,;\t\"]+", _adult_name, line) for line in lines[:1]] + lines[1:])


def _adult_name(match: re.Match[bytes]) -> bytes:
    name = re.sub(r"[^a-z]+", "-", match.group().decode("utf-8", "replace").strip().lower())
    return _ADULT["other_names"].get(name, name).encode()


def _fetch() -> Any:
    from sklearn.datasets import fetch_openml

    try:
        return fetch_openml("adult", version=2, as_frame=True, parser="auto", n_retries=1, delay=0.1).frame
    except (OSError, ValueError) as error:
        raise DataError(_ADULT["offline"]) from error
