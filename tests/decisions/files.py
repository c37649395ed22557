"""Files as curators bring them, each made anew from a seed: as bytes, the target, and ranges known without the file."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

import dpcore as dp
from tests.individual.staff import staff_csv


@dataclass(frozen=True)
class Case:
    """A file, how it is read, and what is wanted."""

    name: str
    data: bytes
    target: str
    ranges: dict[str, tuple[float, float]]
    epsilon: float
    options: dict[str, object] = field(default_factory=dict)
    person: str = ""

    def dataset(self) -> dp.Dataset:
        domain = dp.Domain(ranges=self.ranges)
        return dp.load_csv(self.data, self.target, domain=domain, intercept=True, **self.options)


def _csv(**columns) -> bytes:
    return pd.DataFrame(columns).to_csv(index=False).encode()


def staff() -> Case:
    ranges = {"salary": (0.0, 200_000.0), "years": (0.0, 50.0), "satisfaction": (0.0, 10.0)}
    return Case("staff.csv", staff_csv(), "satisfaction", ranges, 2.0)


def visits() -> Case:
    """Visits to a doctor within a year: counts."""
    rng = np.random.default_rng(1)
    age, distance, chronic = rng.integers(18, 90, 400), rng.exponential(5, 400).round(1), rng.random(400) < 0.2
    count = rng.poisson(np.exp(0.2 + 0.015 * (age - 40) + 0.7 * chronic - 0.03 * distance)).clip(0, 20)
    words = np.where(chronic, "yes", "no")
    data = _csv(age=age, distance=distance, chronic=words, visits=count)
    ranges = {"age": (0.0, 120.0), "distance": (0.0, 50.0), "visits": (0.0, 20.0)}
    return Case("visits.csv", data, "visits", ranges, 4.0, {"counts": True})


def levels() -> Case:
    """A target with three levels, of which one is told from the others."""
    rng = np.random.default_rng(2)
    size, weight = rng.normal(30, 6, 600).clip(5, 60).round(1), rng.normal(70, 15, 600).clip(30, 150).round(1)
    kind = np.select(
        [size + rng.normal(0, 3, 600) > 34, weight + rng.normal(0, 8, 600) > 75], ["large", "heavy"], "small"
    )
    data = _csv(
        size=size, weight=weight, colour=rng.choice(["red", "blue", "green"], 600, p=[0.6, 0.39, 0.01]), kind=kind
    )
    return Case("kinds.csv", data, "kind", {"size": (0.0, 60.0), "weight": (0.0, 200.0)}, 1.0, {"positive": "large"})


def outliers() -> Case:
    """Incomes of which three are far beyond all others, in a direction that no other row looks into."""
    rng = np.random.default_rng(3)
    hours, age = rng.normal(38, 5, 300).clip(10, 60).round(), rng.integers(20, 65, 300).astype(float)
    wealth = rng.lognormal(3, 0.4, 300).round(1)
    income = (1_000 + 40 * hours + 25 * age + rng.normal(0, 300, 300)).round()
    wealth[[17, 130, 255]], income[[17, 130, 255]] = [900.0, 950.0, 1_000.0], [300.0, 9_000.0, 200.0]
    data = _csv(hours=hours, age=age, wealth=wealth, income=income)
    ranges = {"hours": (0.0, 80.0), "age": (0.0, 100.0), "wealth": (0.0, 1_000.0), "income": (0.0, 10_000.0)}
    return Case("outliers.csv", data, "income", ranges, 1.0)


def patients() -> Case:
    """Several rows of most persons, named by a column of whole numbers."""
    rng = np.random.default_rng(4)
    patient = np.sort(rng.integers(1, 90, 240))
    age, dose = (20 + patient * 0.7 + rng.integers(0, 2, 240)).round(), rng.uniform(0, 10, 240).round(2)
    pressure = (90 + 0.5 * age + 2 * dose + rng.normal(0, 6, 240)).round(1)
    data = _csv(patient=patient, age=age, dose=dose, pressure=pressure)
    ranges = {"age": (0.0, 120.0), "dose": (0.0, 10.0), "pressure": (50.0, 250.0), "patient": (0.0, 100.0)}
    return Case("patients.csv", data, "pressure", ranges, 4.0, {}, "patient")


def adult(n: int = 45_000) -> Case:
    """Like the census extract: many categories with long tails, a heavy-tailed gain, and a binary target."""
    rng = np.random.default_rng(0)
    columns: dict[str, np.ndarray] = {
        "age": rng.integers(17, 91, n), "education_num": rng.integers(1, 17, n),
        "capital_gain": np.where(rng.random(n) < 0.08, np.exp(rng.normal(8.5, 1, n)).round(), 0).clip(0, 99_999).astype(int),
        "hours_per_week": rng.normal(40, 12, n).round().clip(1, 99).astype(int),
    }  # fmt: skip
    widths = {
        "workclass": 8,
        "education": 16,
        "marital": 7,
        "occupation": 14,
        "relationship": 6,
        "race": 5,
        "sex": 2,
        "country": 40,
    }
    for name, width in widths.items():
        weight = 1 / np.arange(1, width + 1) ** 1.3
        columns[name] = np.array([f"{name}-{k:02d}" for k in range(width)])[
            rng.choice(width, n, p=weight / weight.sum())
        ]
    score = 0.04 * (columns["age"] - 40) + 0.3 * (columns["education_num"] - 10) + columns["capital_gain"] / 5_000 - 1.2
    columns["income"] = np.where(rng.random(n) < 1 / (1 + np.exp(-score)), ">50K", "<=50K")
    ranges = {
        "age": (0.0, 120.0),
        "education_num": (1.0, 16.0),
        "capital_gain": (0.0, 1e5),
        "hours_per_week": (0.0, 100.0),
    }
    return Case("adult.csv", _csv(**columns), "income", ranges, 0.5)


SMALL = (staff, visits, levels, outliers, patients)
