"""Records in exactly the layout and vocabulary of Adult, drawn at random: nobody's data."""

from __future__ import annotations

import numpy as np

LEVELS = {
    "workclass": "Federal-gov Local-gov Never-worked Private Self-emp-inc Self-emp-not-inc State-gov Without-pay",
    "education": "10th 11th 12th 1st-4th 5th-6th 7th-8th 9th Assoc-acdm Assoc-voc Bachelors Doctorate HS-grad Masters "
    "Preschool Prof-school Some-college",
    "marital-status": "Divorced Married-AF-spouse Married-civ-spouse Married-spouse-absent Never-married Separated Widowed",
    "occupation": "Adm-clerical Armed-Forces Craft-repair Exec-managerial Farming-fishing Handlers-cleaners "
    "Machine-op-inspct Other-service Priv-house-serv Prof-specialty Protective-serv Sales Tech-support Transport-moving",
    "relationship": "Husband Not-in-family Other-relative Own-child Unmarried Wife",
    "race": "Amer-Indian-Eskimo Asian-Pac-Islander Black Other White",
    "sex": "Female Male",
    "native-country": "Cambodia Canada China Columbia Cuba Dominican-Republic Ecuador El-Salvador England France Germany "
    "Greece Guatemala Haiti Holand-Netherlands Honduras Hong Hungary India Iran Ireland Italy Jamaica Japan Laos Mexico "
    "Nicaragua Outlying-US(Guam-USVI-etc) Peru Philippines Poland Portugal Puerto-Rico Scotland South Taiwan Thailand "
    "Trinadad&Tobago United-States Vietnam Yugoslavia",
}
ENDS = {
    "age": (17, 90),
    "fnlwgt": (12_285, 1_490_400),
    "education-num": (1, 16),
    "capital-gain": (0, 99_999),
    "capital-loss": (0, 4_356),
    "hours-per-week": (1, 99),
}
COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
WITH_GAPS = ("workclass", "occupation", "native-country")


def adult_rows(n: int, rng: np.random.Generator, gaps: float = 0.02) -> list[list[str]]:
    """Cells of n records that hold every level; schooling and age decide most of the income."""
    columns = {name: rng.integers(low, high + 1, n) for name, (low, high) in ENDS.items()}
    columns["capital-gain"] *= rng.random(n) < 0.08
    score = columns["education-num"] / 8 + columns["age"] / 40 + rng.logistic(size=n) / 2
    texts = {name: np.resize(levels.split(), n)[rng.permutation(n)] for name, levels in LEVELS.items()}
    for name in WITH_GAPS:
        texts[name] = np.where(rng.random(n) < gaps, "?", texts[name])
    texts["income"] = np.where(score > 2.8, ">50K", "<=50K")
    return [[str(cell) for cell in row] for row in zip(*({**columns, **texts}[name] for name in COLUMNS), strict=True)]


def as_published(rows: list[list[str]], test: bool = False) -> bytes:
    """The bytes of adult.data, or of adult.test with its comment line and full stops, and a blank line at the end."""
    lines = [", ".join(row) + ("." if test else "") for row in rows]
    return ("|1x3 Cross validator\n" * test + "\n".join(lines) + "\n\n").encode()


def with_header(rows: list[list[str]], names: tuple[str, ...] = COLUMNS, separator: str = ",") -> bytes:
    """A CSV file with a line of names."""
    return "\n".join(separator.join(row) for row in [list(names), *rows]).encode()
