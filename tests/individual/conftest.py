import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Dataset, Domain
from dpcore.individual.publication.noisy_fit import Passes

OPS = dp.PosteriorSampling(gamma=0.5, lam=1.0)
OUTPUT = dp.OutputPerturbation(sigma=0.5, lam=1.0)
OBJECTIVE = dp.ObjectivePerturbation(sigma=0.8, lam=1.0, lipschitz=1.0, loss="squared")
MECHANISMS = [OPS, OUTPUT, OBJECTIVE]
IDS = ["posterior", "output", "objective"]


def in_ball(X: np.ndarray) -> np.ndarray:
    """Rows that are longer than 1 cut to that length."""
    return X / np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))


def random_data(seed: int, n: int, d: int, *, noise: float = 0.2, domain: Domain | None = None) -> Dataset:
    """Rows inside the unit ball, targets inside [−1, 1]."""
    rng = np.random.default_rng(seed)
    X = in_ball(rng.normal(size=(n, d)) * rng.uniform(0.2, 1.5, size=d))
    y = np.clip(X @ rng.normal(size=d) + noise * rng.normal(size=n), -1, 1)
    return Dataset.from_arrays(X, y, domain=domain)


def labelled(seed: int, n: int, d: int, **options: float) -> Dataset:
    """Rows inside the unit ball, labels −1 and 1."""
    data = random_data(seed, n, d, **options)
    return Dataset.from_arrays(data.X, np.where(data.y > 0, 1.0, -1.0), domain=Domain())


def passes(X: np.ndarray, y: np.ndarray) -> Passes:
    """How a publication passes over these rows."""
    return Passes.in_memory(X, y)


@pytest.fixture
def small() -> Dataset:
    return random_data(1, 60, 3, domain=Domain())
