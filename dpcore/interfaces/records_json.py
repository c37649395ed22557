"""The exposure of every row as JSON that another program reads; `docs/records.schema.json` is its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dpcore import __version__
from dpcore.data.dataset import Dataset
from dpcore.individual.exposure import analysis_of
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.reasons import reasons
from dpcore.individual.result import IndividualPrivacy

# Relative difference of log δ up to which both directions count as equal. Doubled, directions that differ in the
# ninth digit count as equal.
_EQUAL = 1e-9


def records_json(result: IndividualPrivacy, hashes: Mapping[str, str]) -> str:
    """One object a row, with what disclosure control asks of a regression: its degrees of freedom and smallest cells.

    Confidential. A number that is infinite or unknown is null.

    Parameters
    ----------
    result : with the best known ε of each row
    hashes : name of what was hashed → SHA-256, as hexadecimal digits
    """
    data, mechanism = result.dataset, result.mechanism
    parameters = analysis_of(mechanism).parameters(mechanism)
    about = {
        "format": "dpcore records 1",
        "version": __version__,
        "confidentiality": result.confidentiality,
        "sha256": dict(hashes),
        "mechanism": type(mechanism).__name__,
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "delta": result.delta,
        "target": data.target,
        "n_records": data.n_samples,
        "residual_degrees_of_freedom": data.n_samples - int(np.linalg.matrix_rank(data.X)),
        "smallest_cells": smallest_cells(data),
    }
    head = json.dumps(about, ensure_ascii=False, allow_nan=False, indent=1).removesuffix("\n}")
    records = ",\n".join(json.dumps(record, ensure_ascii=False, allow_nan=False) for record in _records(result))
    return f'{head},\n "records": [\n{records}\n ]\n}}\n'


def smallest_cells(dataset: Dataset) -> dict[str, Any]:
    """The fewest rows that share a level of each column of levels, and a combination of the levels of all of them.

    `together` is None if no column has levels. Levels that no row has are not counted.
    """
    names = [name for name in (dataset.encoder.target, *dataset.encoder.features) if dataset.encoder.levels.get(name)]
    frame = dataset.original()[names].astype(object)
    found = []
    for name in names:
        counts = frame[name].value_counts(dropna=False)
        found.append({"column": name, "level": str(counts.index[-1]), "rows": int(counts.iloc[-1])})
    together = int(frame.groupby(names, dropna=False).size().min()) if names else None
    return {"by_column": found, "together": together}


def directions(result: IndividualPrivacy) -> np.ndarray:
    """Of every row, the direction whose δ at its ε is the larger: "add", "remove", or "both" if they are equal (n,).

    "add" compares the law without the row to the law with it. Where the ε is infinite, it is "both".
    """
    at = np.where(np.isfinite(result.epsilon), result.epsilon, 0.0)
    add, remove = (result.exposures.one_way(at, direction) for direction in ("add", "remove"))
    equal = np.isclose(add, remove, rtol=_EQUAL, atol=0.0) | ~np.isfinite(result.epsilon)
    return np.where(equal, "both", np.where(add > remove, "add", "remove"))


def _records(result: IndividualPrivacy) -> Iterator[dict[str, Any]]:
    data, known = result.dataset, {}
    if result.exactly is not None:
        known = dict(zip(result.exactly.rows.tolist(), result.exactly.error.tolist(), strict=True))
    columns = zip(data.row_labels.tolist(), data.row_ids(), result.epsilon.tolist(), directions(result).tolist(),
                  reasons(result.leverage).tolist(), strict=True)  # fmt: skip
    for place, (row, name, epsilon, direction, reason) in enumerate(columns):
        method = result.method_of(place)
        error = known.get(place, 0.0 if method is EpsilonMethod.EXACT else None)
        yield {
            "row": row, "id": name, "epsilon": _plain(epsilon), "delta": result.delta, "direction": direction,
            "error": None if error is None else _plain(error), "method": method.value, "reason": reason,
        }  # fmt: skip


def _plain(value: Any) -> Any:
    """A number, text, flag or None as it is; what JSON has no word for as null (not finite) or text."""
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)
