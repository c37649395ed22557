"""The data sets of published comparisons: generated as their authors did, or fetched where the network allows."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.data.csv import read_table
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.encode import make_dataset
from dpcore.data.scaling import scale_rows
from dpcore.errors import DataError

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
    "elsewhere as a CSV file with a header line and upload that."
)


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


def adult(frame: Any = None) -> Dataset:
    """Adult: whether a person earns more than 50 000 dollars a year, rows with missing cells dropped, rows scaled to norm 1.

    Numeric columns are mapped by public ranges stated here, categories become one column per level.

    Parameters
    ----------
    frame : data frame as OpenML gives it (target "class"); fetched if not given

    Raises
    ------
    DataError
        If it cannot be fetched.

    References: redberg-koskela-wang-2023 (Table 2).
    """
    if frame is None:
        frame = _fetch()
    text = io.StringIO()
    frame.to_csv(text, index=False)
    table = read_table(text.getvalue().encode("utf-8"), "adult.csv")
    ranges = {name: ends for name, ends in ADULT_RANGES.items() if name in table.names}
    return make_dataset(table, "class", domain=Domain(rows="normalize", ranges=ranges))


def _fetch() -> Any:
    from sklearn.datasets import fetch_openml

    try:
        return fetch_openml("adult", version=2, as_frame=True, parser="auto", n_retries=1, delay=0.1).frame
    except (OSError, ValueError) as error:
        raise DataError(ADULT_OFFLINE) from error


PUBLISHED = {"synthetic_l": ("Synthetic-L", synthetic_l), "adult": ("Adult (fetched from OpenML)", adult)}
