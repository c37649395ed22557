"""The sample tables that come with the app, and where they are from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.ingest.csv import read_table
from dpcore.data.ingest.encode import make_dataset
from dpcore.data.ingest.table import Table
from dpcore.data.samples.sources import MAKERS

FOLDER = Path(__file__).resolve().parents[3] / "sample_data"


@dataclass(frozen=True)
class Sample:
    """A sample table. `domain` states public ranges from knowledge of the quantities, not from the rows.

    sha256 : of the bytes of the file.
    """

    key: str
    title: str
    description: str
    file: str
    target: str
    domain: Domain
    origin: str
    licence: str
    sha256: str

    @property
    def path(self) -> Path:
        """Where the file lies in a source checkout."""
        return FOLDER / self.file


_DIABETES = {
    "age": (0, 100),
    "sex": (1, 2),
    "bmi": (10, 60),
    "bp": (40, 180),
    "s1": (50, 400),
    "s2": (0, 300),
    "s3": (10, 120),
    "s4": (1, 12),
    "s5": (3, 7),
    "s6": (40, 200),
    "progression": (0, 400),
}
_CELL_NUCLEI = {
    "radius": ((0, 40), (0, 4), (0, 50)),
    "texture": ((0, 50), (0, 6), (0, 60)),
    "perimeter": ((0, 250), (0, 30), (0, 300)),
    "area": ((0, 3000), (0, 600), (0, 5000)),
    "smoothness": ((0, 0.25), (0, 0.05), (0, 0.3)),
    "compactness": ((0, 0.5), (0, 0.2), (0, 1.5)),
    "concavity": ((0, 0.5), (0, 0.5), (0, 1.5)),
    "concave points": ((0, 0.3), (0, 0.1), (0, 0.4)),
    "symmetry": ((0, 0.4), (0, 0.1), (0, 0.8)),
    "fractal dimension": ((0, 0.15), (0, 0.05), (0, 0.3)),
}
_BREAST_CANCER = {
    label: spread
    for quantity, spreads in _CELL_NUCLEI.items()
    for label, spread in zip((f"mean {quantity}", f"{quantity} error", f"worst {quantity}"), spreads, strict=True)
}
_FLATS = {
    "area_m2": (10, 200),
    "rooms": (1, 8),
    "=distance_km*1": (0, 30),
    "<b>year built</b>": (1850, 2030),
    "rent_eur": (0, 4000),
}

_ALL = (
    Sample(
        key="diabetes",
        title="Diabetes progression",
        description="442 patients, ten measurements at the start, disease progression one year later (regression).",
        file="diabetes.csv",
        target="progression",
        domain=Domain(rows="normalize", ranges=_DIABETES),
        origin="scikit-learn load_diabetes(scaled=False); Efron, Hastie, Johnstone, Tibshirani: Least Angle "
        "Regression, Annals of Statistics 32, 2004",
        licence="Published with the article for free use; distributed with scikit-learn (BSD-3-Clause)",
        sha256="9193026b7622ff944f0a6855a10107b24caf50dad69787c46e6890e69c27faca",
    ),
    Sample(
        key="breast_cancer",
        title="Breast cancer diagnosis",
        description="569 tumours, thirty measurements of cell nuclei, benign or malignant (classification).",
        file="breast_cancer.csv",
        target="diagnosis",
        domain=Domain(rows="normalize", ranges=_BREAST_CANCER),
        origin="scikit-learn load_breast_cancer(); Wolberg, Mangasarian, Street, Street: Breast Cancer Wisconsin "
        "(Diagnostic), UCI Machine Learning Repository, 1995, https://doi.org/10.24432/C5DW2B",
        licence="CC BY 4.0 (UCI); distributed with scikit-learn (BSD-3-Clause)",
        sha256="af399a019264f7999e6b395ee90576e46564867aa4c8a40797c96be87dc1be55",
    ),
    Sample(
        key="synthetic_linear_gaussian",
        title="Synthetic linear Gaussian model",
        description="1 000 rows on the unit sphere in ten dimensions, a linear model with noise, targets clipped to "
        "[−1, 1] (regression).",
        file="synthetic_linear_gaussian.csv",
        target="y",
        domain=Domain(rows="normalize"),
        origin="dpcore.data.samples.synthetic.linear_gaussian(1000, 10, noise=0.25, rng=numpy.random.default_rng(20190618))",
        licence="CC0 1.0",
        sha256="e153f8fcc8c444ed85f34181ac2b87a476f04689a37eaac01148b3465b48d7c2",
    ),
    Sample(
        key="messy",
        title="A messy table of flats",
        description="96 invented flats with everything that goes wrong in a spreadsheet: semicolons, decimal commas, "
        "gaps, repeated and constant columns, an identifier, dates, yes/no, categories, odd headers (regression).",
        file="messy.csv",
        target="rent_eur",
        domain=Domain(ranges=_FLATS),
        origin="dpcore.data.samples.sources.messy(), invented for this project",
        licence="CC0 1.0",
        sha256="b2ebd62cd79ae9f7e9f2bacc453ebc44804f816c83b78d2ac43c9be049159950",
    ),
)

SAMPLES: dict[str, Sample] = {sample.key: sample for sample in _ALL}


def read_sample(key: str) -> Table:
    """The sample as a table; made again from its origin where the file is not installed.

    Raises
    ------
    ParameterError
        If there is no sample of that name.
    """
    sample = SAMPLES[validation.choice("key", key, SAMPLES)]
    content = sample.path.read_bytes() if sample.path.is_file() else MAKERS[key]()
    return read_table(content, name=sample.file)


def load_sample(key: str) -> Dataset:
    """The sample as a data set in its public domain; rows with a missing cell are left out."""
    table = read_sample(key)
    return make_dataset(table, SAMPLES[key].target, domain=SAMPLES[key].domain)
