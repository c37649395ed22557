"""Test scores of private training on ten tables and Synthetic-L: the worst-case rule, the rule "best", and `Centred`.

Rows hold columns mapped by public ranges, or generated ones, at a norm of at most 1, and a constant column of 0.2. A
score is the share of test rows classified rightly, in per cent, or R². `docs/utility.md` keeps what this prints.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import datasets

import dpcore as dp
from dpcore.data import Domain
from dpcore.data.samples import SAMPLES, read_sample
from dpcore.data.samples.published import synthetic_l
from dpcore.data.scaling import scale_rows
from dpcore.exhibits.training import split
from dpcore.learners import Centred, Learner, ObjectivePerturbationLearner, rules

EPSILONS, DELTA, SPLITS, CONSTANT = (0.1, 1.0, 8.0), 1e-5, 10, 0.2
_WINE = ([16, 6, 4, 30, 170, 4, 6, 1, 4, 14, 2, 4, 2000], [10, *[0] * 12])
_HOUSES = ([15, 60, 30, 5, 10_000, 10, 42, -114], [0, 0, 0, 0, 0, 0, 32, -125])


def _table(X: Any, y: Any, high: Any = None, low: Any = 0.0, target: tuple[float, float] | None = None) -> dp.Dataset:
    """Columns mapped to [−1, 1] and divided by √d, or rows scaled to norm 1; targets mapped to [−1, 1], or signs."""
    X = np.array(X, dtype=float)
    if high is None:
        scale_rows(X, Domain(rows="normalize"))
    else:
        X = np.clip(2 * (X - low) / (np.asarray(high) - low) - 1, -1, 1) / np.sqrt(X.shape[1])
    y = np.where(y > 0, 1.0, -1.0) if target is None else np.clip(np.interp(y, target, (-1, 1)), -1, 1)
    whole = np.column_stack([X, np.full(len(X), CONSTANT)])
    return dp.Dataset.from_arrays(whole, y, domain=Domain(row_norm=float(np.hypot(1, CONSTANT)) * (1 + 1e-9)))


def _sample(name: str) -> dp.Dataset:
    target, ranges = SAMPLES[name].target, SAMPLES[name].domain.ranges
    frame = read_sample(name).frame
    features, y = frame.drop(columns=target), frame[target].to_numpy()
    if not ranges:
        return _table(features, y, target=(-1, 1))
    low, high = np.array([ranges[column] for column in features]).T
    return _table(features, y if target in ranges else np.where(y == min(y), 1, -1), high, low, ranges.get(target))


def _houses() -> dp.Dataset:
    """Rows that look like the 1990 census of California: skewed columns, and prices by income and place."""
    rng, n = np.random.default_rng(5), 20_000
    income, rooms, people = (np.exp(rng.normal(*law, n)) for law in ((1.3, 0.45), (1.65, 0.25), (1.05, 0.25)))
    age, crowd, bed = rng.uniform(1, 52, n), np.exp(rng.normal(7, 0.7, n)), rooms / np.exp(rng.normal(1.6, 0.15, n))
    north = rng.choice([34, 37.7], n) + rng.normal(0, 0.8, n)
    west = -119.5 - (north - 35.6) * 0.8 + rng.normal(0, 0.6, n)
    price = 0.45 * income + 0.008 * age - 0.4 * (north - 36) - 0.4 * (west + 119.5) - 0.2 * people + 0.6 * bed
    X = np.column_stack([income, age, rooms, bed, crowd, people, north, west])
    return _table(X, price + rng.normal(0, 0.6, n), *map(np.array, _HOUSES), (0, 6))


def _wine() -> dp.Dataset:
    X, (high, low) = datasets.load_wine().data, map(np.array, _WINE)
    return _table(X[:, 1:], X[:, 0], high[1:], low[1:], (10, 16))


def _digits() -> dp.Dataset:
    X, y = datasets.load_digits(return_X_y=True)
    return _table(X, y % 2 == 0, np.full(64, 16.0))


def _iris() -> dp.Dataset:
    X, y = datasets.load_iris(return_X_y=True)
    return _table(X, y == 2, [10.0, 6.0, 8.0, 4.0])


def _regression() -> dp.Dataset:
    return _table(*datasets.make_regression(3000, 20, n_informative=10, noise=50, random_state=7), target=(-500, 500))


TABLES: dict[str, Callable[[], dp.Dataset]] = {
    "wine, alcohol": _wine,
    "diabetes": lambda: _sample("diabetes"),
    "breast cancer": lambda: _sample("breast_cancer"),
    "digits, even": _digits,
    "iris, virginica": _iris,
    "houses, generated": _houses,
    "synthetic_linear_gaussian": lambda: _sample("synthetic_linear_gaussian"),
    "make_classification 5000 × 20": lambda: _table(
        *datasets.make_classification(5000, 20, n_informative=10, flip_y=0.05, random_state=3)
    ),
    "make_regression 3000 × 20": _regression,
    "make_friedman1 1500 × 12": lambda: _table(
        *datasets.make_friedman1(1500, 12, noise=1.0, random_state=2), np.ones(12), target=(0, 30)
    ),
    "Synthetic-L": synthetic_l,
}


def _worst_case(loss: str, epsilon: float, data: dp.Dataset) -> Learner:
    """The least bound on the excess risk at ‖θ*‖ = 1.5 √d s/R, whatever n: the former default."""
    facts, kind = dp.PublicFacts.of(data), dp.LOSSES[loss]
    clip = rules.public_clip(kind, facts.domain, None, "best")
    norm = 1.5 * np.sqrt(facts.n_features) / facts.domain.row_norm
    one = rules.bounded(kind, facts.domain, clip)
    found = dp.best_calibration(
        epsilon, DELTA, smoothness=one.smoothness, lipschitz=clip, clip=clip, dimension=facts.n_features,
        theta_norm=norm, n=facts.n_samples, monotone=one.monotone,
    )  # fmt: skip
    return ObjectivePerturbationLearner(loss, sigma=found.sigma, lam=found.lam, clip=clip)


def _score(u: np.ndarray, y: np.ndarray, loss: str) -> float:
    if loss == "logistic":
        return float(100 * np.mean((u > 0) == (y > 0)))
    return float(1 - np.sum((y - u) ** 2) / np.sum((y - y.mean()) ** 2))


def run() -> list[str]:
    """A table's rows: mean (standard deviation) over splits."""
    lines = ["| table | ε | worst-case rule | best | Centred |", "|---|---|---|---|---|"]
    for name, make in TABLES.items():
        data = make()
        loss = "logistic" if np.isin(data.y, (-1, 1)).all() else "squared"
        parts = [split(data, repeat=repeat) for repeat in range(SPLITS)]
        constant = float(data.X[0, -1] / data.domain.row_norm)
        for epsilon in EPSILONS:
            found = []
            for learner in (
                _worst_case(loss, epsilon, parts[0].train),
                dp.AMP(loss, epsilon, DELTA),
                Centred(loss, epsilon, DELTA, constant=constant),
            ):
                scores = [
                    _score(part.X_test @ learner.fit(part.train, seed).theta, part.y_test, loss)
                    for seed, part in enumerate(parts)
                ]
                digits = 1 if loss == "logistic" else 2
                found.append(f"{np.mean(scores):.{digits}f} ({np.std(scores):.{digits}f})")
            lines.append(f"| {name} | {epsilon:g} | {' | '.join(found)} |")
    return lines
