"""Fig. 6 as printed: the split in file order, Λ₀ = 1/ε and T iterations, by a re-weighted ridge written out."""

from types import SimpleNamespace

import numpy as np
import pytest

from dpcore.errors import DataError
from dpcore.exhibits.noise_augmentation import adult
from dpcore.exhibits.noise_augmentation.settings import SETTINGS, case_of
from dpcore.exhibits.noise_augmentation.simulation import Protocol, Simulation, summarise_simulation
from tests.learners.napp.test_fixed_points import linear_data


def test_protocol_is_a_reweighted_ridge_on_the_first_records():
    """m₁ = Λ₀, then max(Λ/(2|θ|), Λ₀), three ridges in all; the error on the records after the first forty."""
    X, y = linear_data(n=70, p=16)
    case = case_of("", SETTINGS["linear"], X, y)
    study = Simulation(case, 40, (0.8,), (1.5,), 2, protocol=Protocol(ordered=True, floor=1.0, limit=3))
    points = {point.key: point for point in study.run({})}
    summary = summarise_simulation(study, points)
    weights = np.full(16, 1 / 0.8)
    for _ in range(3):
        theta = np.linalg.solve(X[:40].T @ X[:40] + 2 * np.diag(weights), X[:40].T @ y[:40])
        weights = np.maximum(1.5 / (2 * np.abs(theta)), 1 / 0.8)
    error = np.mean((X[40:] @ theta - y[40:]) ** 2)
    for repeat in range(2):
        row = points[0.8, repeat].scores[1, 0]  # MOOR without noise
        assert row[2] == pytest.approx(error, rel=1e-6)
    assert summary.of("NAPP", "prediction error", 0.8)[0] != pytest.approx(error, rel=1e-3)
    assert study.key != Simulation(case, 40, (0.8,), (1.5,), 2).key


def test_the_source_s_split_is_counted_or_refused():
    y = np.full(45_222, -1.0)
    y[:7508] = y[30_162 : 30_162 + 3700] = 1.0
    case = SimpleNamespace(y=y)
    assert adult.source_split(case) == (7508, 3700)
    assert adult.same_split(case)
    assert not adult.same_split(SimpleNamespace(y=y[::-1]))
    with pytest.raises(DataError, match=r"45222 rows\. This file has 45221"):
        adult.source_split(SimpleNamespace(y=y[1:]))
    assert Protocol(ordered=True, floor=1.0, limit=80) == adult.AS_IN_SOURCE
    assert adult.PRINTED_RATES == {"VS+": 0.155, "lasso": 0.152}
