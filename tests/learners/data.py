"""Small data sets with a public domain, and learners with some of their methods replaced."""

import dataclasses

import numpy as np

import dpcore as dp


def classes(n=300, d=4, seed=0, domain=None):
    """Rows of norm R and labels that depend on them."""
    domain = dp.Domain() if domain is None else domain
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X *= domain.row_norm * (1 - 1e-12) / np.linalg.norm(X, axis=1, keepdims=True)
    theta = 4 * rng.standard_normal(d)
    y = np.where(X @ theta + rng.logistic(size=n) > 0, 1.0, -1.0)
    return dp.Dataset.from_arrays(X, y, domain=domain)


def numbers(n=300, d=4, seed=0, bound=1.0):
    """Rows of norm 1 and targets within the bound."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X *= (1 - 1e-12) / np.linalg.norm(X, axis=1, keepdims=True)
    y = bound * np.clip(X @ rng.standard_normal(d) / 3 + 0.1 * rng.standard_normal(n), -1, 1)
    return dp.Dataset.from_arrays(X, y, domain=dp.Domain(target_bound=bound))


def replaced(base, **changed):
    """A frozen learner like `base` with some of its methods, or of its defaults, replaced."""
    annotations = {name: "object" for name in changed if name in base.__dataclass_fields__}
    return dataclasses.dataclass(frozen=True)(
        type(f"Changed{base.__name__}", (base,), {**changed, "__annotations__": annotations})
    )
