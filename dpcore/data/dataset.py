"""The validated, read-only data set every learner and every per-instance analysis takes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.data.arrays import as_numbers, check_sizes, finite_array
from dpcore.data.domain import Domain
from dpcore.data.ingest_report import IngestReport
from dpcore.data.names import unique_names
from dpcore.data.scaling import row_norms
from dpcore.errors import DataError
from dpcore.extras import told

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.data.encoding.encoder import Encoder
    from dpcore.data.ingest.origin import Origin


_ROUND_OFF = 1e-12  # a row may exceed the domain by this relative amount


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Features X, target y and where they come from.

    Two data sets are equal exactly when their names, target, domain and numbers are equal.

    Parameters
    ----------
    X : array, shape (n_samples, n_features), float64, C-contiguous, read-only
    y : array, shape (n_samples,), float64, read-only
    names : column names of X
    target : name of y
    domain : the public domain every row lies in, or None where none was stated
    report : what was done to the raw table
    row_labels : array, shape (n_samples,), numbers of the rows in the file: the first line after the header is 1
    origin : the table the rows come from, and how they were made of it; not part of equality

    Raises
    ------
    DataError
        If shapes disagree, a number is missing or infinite, or a row lies outside the domain.
    """

    X: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    target: str = "y"
    domain: Domain | None = None
    report: IngestReport = field(default_factory=IngestReport)
    row_labels: np.ndarray = None  # type: ignore[assignment]  # if None, they become 1, 2, …
    origin: Origin | None = None

    def __post_init__(self) -> None:
        X = finite_array("X", self.X, 2, copy=not _is_frozen(self.X))
        y = finite_array("y", self.y, 1, copy=not _is_frozen(self.y))
        check_sizes(X, y)
        names = _names(self.names, X.shape[1], self.target)
        labels = np.arange(1, len(X) + 1) if self.row_labels is None else np.array(self.row_labels, dtype=np.int64)
        if labels.shape != y.shape:
            raise DataError(f"There are {labels.size} row labels for {len(y)} rows; give one label per row.")
        if self.domain is not None:
            _check_domain(X, y, labels, self.domain)
        for array in (X, y, labels):
            array.setflags(write=False)
        values = {"X": X, "y": y, "names": names, "row_labels": labels}
        for key, value in values.items():
            object.__setattr__(self, key, value)

    @classmethod
    def from_arrays(
        cls, X: Any, y: Any, names: Sequence[str] | None = None, *, target: str = "y", domain: Domain | None = None
    ) -> Dataset:
        """A data set from arrays. They are copied and validated; nothing is scaled and no intercept is added.

        Parameters
        ----------
        X : array-like of finite numbers, shape (n_samples, n_features), at least 1 × 1
        y : array-like of finite numbers, shape (n_samples,)
        names : column names; by default those of a data frame, or x1, x2, … for other arrays
        domain : if given, every row must lie in it.
        target : name of y

        Raises
        ------
        DataError
        """
        columns = getattr(X, "columns", None)
        X, y = as_numbers("X", X, copy=True), as_numbers("y", y, copy=True)
        for array in (X, y):
            array.setflags(write=False)
        if names is None:
            width = X.shape[1] if X.ndim == 2 else 0
            names = [f"x{j + 1}" for j in range(width)] if columns is None else [str(name) for name in columns]
        return cls(X=X, y=y, names=tuple(names), target=target, domain=domain)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 digest of the numbers, the names, the target and the domain."""
        about = self.X.shape, self.names, self.target, self.domain
        digest = hashlib.sha256(repr(about).encode("utf-8", "surrogatepass"))
        for array in (self.X, self.y):
            digest.update(np.ascontiguousarray(array, dtype="<f8").data)
        return digest.hexdigest()

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of columns of X, the intercept included."""
        return self.X.shape[1]

    @cached_property
    def encoder(self) -> Encoder:
        """The rules by which a record in original units becomes a row of X and an entry of y."""
        if self.origin is not None:
            return self.origin.encoder
        from dpcore.data.encoding.encoder import Encoder

        target, *names = unique_names((self.target, *self.names))[0]
        return Encoder.plain(names, target)

    def original(self, positions: Any = slice(None)) -> pd.DataFrame:
        """Target and features of some rows as in the table: original columns in original units.

        Parameters
        ----------
        positions : slice or array of positions; all rows by default
        """
        with told():
            import pandas as pd

        columns = [self.encoder.target, *self.encoder.features]
        if self.origin is not None:
            return self.origin.frame(positions, columns)
        values = np.column_stack([self.y[positions], self.X[positions]])
        return pd.DataFrame(values, columns=columns)

    def encode(self, records: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """X (n_records, n_features) and y (n_records,) of records as in `original`, by the rules of this data set.

        Ranges, fill values and levels are already fixed, so no other record is looked at.

        Raises
        ------
        DataError
            If a column or a cell is missing, or a text is not a known level.
        """
        return self.encoder.encode(records)

    def row_name(self, position: int) -> str:
        """The number of a row in the file and, if there is a label column, its label: "row 23 (id K-0077)"."""
        return (
            f"row {self.row_labels[position]}"
            if self.origin is None
            else self.origin.name(self.row_labels[position] - 1)
        )

    def row_ids(self, positions: Any = slice(None)) -> list[str]:
        """The labels of some rows from the label column, or "" for each row if there is no label column."""
        return [""] * len(self.row_labels[positions]) if self.origin is None else self.origin.ids(positions)

    def position(self, number: int) -> int:
        """Position in X of the row with this number in the file.

        Raises
        ------
        DataError
            If there is no such row, or it was left out.
        """
        found = np.flatnonzero(self.row_labels == number)
        if found.size:
            return int(found[0])
        total = int(self.row_labels.max()) if self.origin is None else self.origin.table.n_rows
        if self.origin is None or not 1 <= number <= total:
            raise DataError(f"There is no row {number}; the rows are numbered from 1 to {total}.")
        name = self.origin.name(number - 1)
        raise DataError(f"R{name[1:]} was left out {self.origin.why_left_out(number - 1)}.")

    @property
    def provenance(self) -> str:
        """The digest of the file and the label column, or "" where unknown. Equal data sets may differ in it."""
        return "" if self.origin is None else f"{self.origin.table.sha256} {self.origin.label}"

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for array in (self.X, self.y, self.row_labels):
            array.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        return self.sha256 == other.sha256 if isinstance(other, Dataset) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __repr__(self) -> str:
        return (
            f"Dataset(n_samples={self.n_samples}, n_features={self.n_features}, target={self.target!r}, "
            f"sha256='{self.sha256}')"
        )


def _is_frozen(value: Any) -> bool:
    """Whether an array can be kept without a copy: float64, C-contiguous, read-only and owner of its memory."""
    if type(value) is not np.ndarray or value.dtype != np.float64:
        return False
    return value.flags.c_contiguous and value.flags.owndata and not value.flags.writeable


def _names(names: Any, width: int, target: Any) -> tuple[str, ...]:
    names = tuple(names)
    if not all(isinstance(name, str) for name in (*names, target)):
        raise DataError("Column names and the name of the target must be text.")
    if len(names) != width:
        raise DataError(f"There are {len(names)} names for {width} columns; give one name per column.")
    repeated = {name for name in names if names.count(name) > 1} if len(set(names)) < width else set()
    if repeated:
        raise DataError(f"The column name {sorted(repeated)[0]!r} is used more than once; every name must be unique.")
    return names


def _check_domain(X: np.ndarray, y: np.ndarray, labels: np.ndarray, domain: Domain) -> None:
    norms = row_norms(X)
    worst = int(norms.argmax())
    if norms[worst] > domain.row_norm * (1 + _ROUND_OFF):
        raise DataError(
            f"Row {labels[worst]} (the first is 1) has norm {norms[worst]:.6g}, but the domain allows {domain.row_norm:.6g}; "
            "scale the rows or state a larger row_norm."
        )
    worst = int(np.abs(y).argmax())
    if abs(y[worst]) > domain.target_bound * (1 + _ROUND_OFF):
        raise DataError(
            f"The target of row {labels[worst]} (the first is 1) is {y[worst]:.6g}, but the domain allows "
            f"|y| <= {domain.target_bound:.6g}; clip the target or state a larger target_bound."
        )
