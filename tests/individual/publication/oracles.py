"""Truth for bounds on rows, from refits in plain numpy, and data sets that are hard for them."""

import numpy as np

from tests.individual.conftest import in_ball


def ridge_truth(X, y, lam):
    """Per row: leverage μ against the others, |y − xᵀθ̂| under all rows, ‖H₋⁻¹x‖; each by leaving the row out."""
    width = X.shape[1]
    theta = np.linalg.solve(X.T @ X + lam * np.eye(width), X.T @ y)
    found = []
    for i in range(len(X)):
        rest = np.delete(X, i, axis=0)
        moved = np.linalg.solve(rest.T @ rest + lam * np.eye(width), X[i])
        found.append((X[i] @ moved, abs(y[i] - X[i] @ theta), np.linalg.norm(moved)))
    return np.array(found).T


def adversarial(name, rng):
    """Data sets that bounds on rows find hard: (X, y) inside the unit domain."""
    if name == "one row":
        return np.array([[1.0, 0.0]]), np.array([1.0])
    if name == "an outlier":
        X = np.vstack([np.tile([1.0, 0.0], (80, 1)), [[0.0, 1.0]]])
        return X, np.append(np.ones(80), -1.0)
    if name == "two camps":
        X = np.tile([[0.6, 0.8]], (100, 1))
        return X, np.where(np.arange(100) % 2, 1.0, -1.0)
    if name == "almost collinear":
        X = np.tile([[0.7, 0.7]], (200, 1)) + 1e-3 * rng.normal(size=(200, 2))
        return X, np.sign(rng.normal(size=200))
    X = in_ball(rng.normal(size=(400, 3)))
    return X, np.clip(X @ [0.5, -0.3, 0.2] + 0.2 * rng.normal(size=400), -1, 1)


KINDS = ("one row", "an outlier", "two camps", "almost collinear", "plain")
