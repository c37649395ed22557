"""How every sample table is made, byte for byte."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from dpcore.data.samples.synthetic import linear_gaussian

SEED = 20190618
_FLATS = 96
_DISTRICTS = ("Altstadt", "Nordstadt", "Südstadt", "Weststadt")


def diabetes() -> bytes:
    """Ten raw measurements of 442 patients and the progression of the disease."""
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False)
    columns = [*data.data.T, data.target]
    return _text([*data.feature_names, "progression"], zip(*columns, strict=True))


def breast_cancer() -> bytes:
    """Thirty measurements of 569 tumours and the diagnosis in words."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    diagnosis = data.target_names[data.target]
    return _text([*data.feature_names, "diagnosis"], zip(*data.data.T, diagnosis, strict=True))


def synthetic_linear_gaussian() -> bytes:
    """The linear Gaussian model with 1 000 rows, ten dimensions and noise 0.25, to ten decimals."""
    dataset = linear_gaussian(1000, 10, 0.25, np.random.default_rng(SEED)).dataset
    X, y = np.round(dataset.X, 10), np.round(dataset.y, 10)
    return _text([*dataset.names, dataset.target], zip(*X.T, y, strict=True))


def messy() -> bytes:
    """Invented flats with common faults of spreadsheets; the rent depends on area, distance, balcony and district."""
    rng = np.random.default_rng(SEED)
    area = np.round(rng.gamma(9.0, 8.0, _FLATS).clip(18, 180), 1)
    rooms = np.clip(np.round(area / 28 + rng.normal(0, 0.5, _FLATS)), 1, 7).astype(int)
    distance = np.round(rng.gamma(2.0, 3.0, _FLATS).clip(0.2, 28), 2)
    year = rng.integers(1890, 2024, _FLATS)
    balcony = rng.random(_FLATS) < 0.6
    district = rng.integers(0, len(_DISTRICTS), _FLATS)
    day = rng.integers(1, 29, _FLATS)
    month = rng.integers(1, 13, _FLATS)
    rent = 180 + 13.5 * area - 17 * distance + 60 * balcony + 45 * district + rng.normal(0, 90, _FLATS)
    gap = rng.random((4, _FLATS)) < 0.06
    empty = ("", "NA", "n/a", "?")
    rows = []
    for i in range(_FLATS):
        size = empty[i % 4] if gap[0, i] else _comma(area[i], 1)
        rows.append(
            (
                10_501 + i,
                f"{day[i]:02d}.{month[i]:02d}.2024",
                size,
                empty[i % 4] if gap[1, i] else rooms[i],
                "yes" if balcony[i] else "no",
                empty[i % 4] if gap[2, i] else _DISTRICTS[district[i]],
                _comma(distance[i], 2),
                year[i],
                size,
                "EUR",
                "",
                f"Flat no. {i + 1}; {'quiet, near the park' if i % 3 else 'please ring'}, seen on day {day[i]}",
                empty[i % 4] if gap[3, i] else _comma(max(rent[i], 250.0), 2, grouped=True),
            )
        )
    header = ["listing_id", "viewed on", "area_m2", "rooms", "balcony", "district", "=distance_km*1"]
    header += ["<b>year built</b>", "area_m2", "currency", "", "remarks", "rent_eur"]
    return _text(header, rows, ";")


MAKERS: dict[str, Callable[[], bytes]] = {
    "diabetes": diabetes,
    "breast_cancer": breast_cancer,
    "synthetic_linear_gaussian": synthetic_linear_gaussian,
    "messy": messy,
}


def _comma(value: float, digits: int, grouped: bool = False) -> str:
    text = f"{value:,.{digits}f}" if grouped else f"{value:.{digits}f}"
    return text.translate(str.maketrans(",.", ".,"))


def _text(header: Sequence[str], rows: Iterable[Sequence], separator: str = ",") -> bytes:
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return sink.getvalue().encode("utf-8")


def _cell(value: object) -> object:
    """Shortest text that reads back as the same double; whole numbers without a point."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(float(value))
    return value
