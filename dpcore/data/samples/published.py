"""The data sets of published comparisons: generated as their authors did, or fetched where the network allows."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.ingest.csv import read_table
from dpcore.data.ingest.encode import make_dataset
from dpcore.data.ingest.source import open_source
from dpcore.data.names import quoted
from dpcore.data.scaling import scale_rows
from dpcore.errors import DataError

ADULT_COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
ADULT_RANGES = {
    "age": (17, 90),
    "fnlwgt": (0, 1_500_000),
    "education-num": (1, 16),
    "capital-gain": (0, 100_000),
    "capital-loss": (0, 5_000),
    "hours-per-week": (0, 99),
}
ADULT_OFFLINE = (
    "The Adult data set could not be fetched from OpenML: there is no network connection, or it is blocked. Download it "
    "elsewhere (adult.data and adult.test, or a CSV file with a header line) and upload that."
)
_ADULT_OTHER_NAMES = {
    "class": "income", "salary": "income", "target": "income", "income-per-year": "income", "educational-num": "education-num",
    "gender": "sex", "country": "native-country", "hours": "hours-per-week",
}  # fmt: skip
INTERCEPT = 0.2  # length of the constant column in rows of norm 1


def synthetic_l(n_samples: int = 10_000, seed: int = 1000, intercept: bool = True) -> Dataset:
    """Synthetic-L: two classes in 40 features, 30 of them informative, every row scaled to norm 1, labels −1 and +1.

    Parameters
    ----------
    n_samples : whole number ≥ 2
    seed : whole number ≥ 0; the published data set has 1000
    intercept : adds a constant column of 0.2 and scales the rest to √(1 − 0.2²), so that rows keep norm 1: an intercept
        that costs 2 % of the signal, where a column of 1 as in the source costs √2 in noise

    References: redberg-koskela-wang-2023 (Table 1).
    """
    from sklearn.datasets import make_classification

    n_samples = validation.integer("n_samples", n_samples, minimum=2)
    seed = validation.integer("seed", seed, minimum=0)
    X, y = make_classification(n_samples, n_features=40, n_informative=30, class_sep=2.0, random_state=seed)
    share = INTERCEPT if intercept else 0.0
    scale_rows(X, Domain(row_norm=float(np.sqrt(1 - share**2)), rows="normalize"))
    names = [f"x{j + 1}" for j in range(X.shape[1])]
    if intercept:
        X, names = np.column_stack([X, np.full(len(X), share)]), [*names, "intercept"]
    domain = Domain(rows="normalize")
    return Dataset.from_arrays(X, np.where(y > 0, 1.0, -1.0), names, target="class", domain=domain)


def adult(source: Any = None) -> Dataset:
    """Adult: whether a person earns more than 50 000 dollars a year, rows with missing cells dropped, rows scaled to norm 1.

    Numeric columns are mapped by public ranges stated here, categories become one column per level, and a constant
    column of 0.2 is added as in `synthetic_l`. Of the 48 842 records 45 222 are complete; 105 columns come of them.

    Parameters
    ----------
    source : bytes, path or upload of a CSV file: the UCI repository's adult.data or adult.test (or both, one after the
        other), which have no header line, or a file with the 15 columns' names in any of their usual spellings; or a data
        frame as OpenML gives it; fetched from there if not given

    Raises
    ------
    DataError
        If it cannot be fetched, or is not Adult.

    References: redberg-koskela-wang-2023 (Table 2).
    """
    if source is None:
        source = _fetch()
    if hasattr(source, "to_csv"):
        text = io.StringIO()
        source.to_csv(text, index=False)
        source = text.getvalue().encode("utf-8")
    table = read_table(_adult_text(open_source(source).data.to_pybytes()), "adult.csv")
    missing = [name for name in ADULT_COLUMNS if name not in table]
    if missing:
        raise DataError(
            f"This is not the Adult data set: it has no column {', '.join(map(quoted, missing))}. Upload adult.data or "
            "adult.test of the UCI repository, or a CSV file with the same 15 columns."
        )
    domain = Domain(row_norm=float(np.sqrt(1 - INTERCEPT**2)), rows="normalize", ranges=ADULT_RANGES)
    found = make_dataset(table, "income", ADULT_COLUMNS[:-1], domain)
    X = np.column_stack([found.X, np.full(found.n_samples, INTERCEPT)])
    return Dataset(
        X, found.y, (*found.names, "intercept"), "income", Domain(rows="normalize"), found.report, found.row_labels
    )


def _adult_text(data: bytes) -> bytes:
    """The file with a header line of `ADULT_COLUMNS`, without comment lines and the full stops behind test labels."""
    lines = [line for line in data.splitlines() if line.strip() and not line.startswith(b"|")]
    lines = [re.sub(rb"50K\.", b"50K", line) for line in lines]
    if lines and lines[0][:1].isdigit():
        return b"\n".join([",".join(ADULT_COLUMNS).encode(), *lines])
    return b"\n".join([re.sub(rb"[^,;\t\"]+", _adult_name, line) for line in lines[:1]] + lines[1:])


def _adult_name(match: re.Match[bytes]) -> bytes:
    name = re.sub(r"[^a-z]+", "-", match.group().decode("utf-8", "replace").strip().lower())
    return _ADULT_OTHER_NAMES.get(name, name).encode()


def _fetch() -> Any:
    from sklearn.datasets import fetch_openml

    try:
        return fetch_openml("adult", version=2, as_frame=True, parser="auto", n_retries=1, delay=0.1).frame
    except (OSError, ValueError) as error:
        raise DataError(ADULT_OFFLINE) from error


PUBLISHED = {"synthetic_l": ("Synthetic-L", synthetic_l), "adult": ("Adult", adult)}
