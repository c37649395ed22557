"""Small problems and an objective written without `dpcore`."""

import numpy as np

import dpcore as dp
from tests.oracles import LOSSES

LOSS_NAMES = tuple(dp.LOSSES)


def rows(n, d, seed=0, norm=1.0):
    """Rows on a sphere."""
    X = np.random.default_rng(seed).standard_normal((n, d))
    return norm * X / np.linalg.norm(X, axis=1, keepdims=True)


def targets(loss, X, seed=0):
    """Targets that suit the loss and depend on the rows."""
    rng = np.random.default_rng(seed + 1000)
    u = X @ rng.standard_normal(X.shape[1])
    if dp.LOSSES[loss].target.labels:
        return np.where(u + rng.logistic(size=len(u)) > 0, 1.0, -1.0)
    if dp.LOSSES[loss].target.name == "count":
        return rng.poisson(np.exp(u)).astype(float)
    return u + rng.standard_normal(len(u))


def problem(loss, n=200, d=5, seed=0, *, lam=1.0, noise=1.0, **options):
    """A problem with a random linear term."""
    X = rows(n, d, seed)
    b = noise * np.random.default_rng(seed + 2000).standard_normal(d)
    return dp.Problem(loss, X, targets(loss, X, seed), lam=lam, linear=b, **options)


def objective(loss, X, y, penalty, b, limit=np.inf):
    """J and ∇J in extended precision, row by row; `limit` clips every row's gradient norm."""
    X, y, penalty, b = (np.asarray(a, dtype=np.longdouble) for a in (X, y, penalty, b))
    f, slope = LOSSES[loss][:2]

    def value(theta):
        return f(X @ theta, y).sum() + (penalty * theta**2).sum() / 2 + b @ theta

    def gradient(theta):
        theta = np.asarray(theta, dtype=np.longdouble)
        each = slope(X @ theta, y)[:, None] * X
        norms = np.sqrt((each**2).sum(axis=1, keepdims=True))
        each = each * np.minimum(1, limit / np.where(norms == 0, 1, norms))
        return each.sum(axis=0) + penalty * theta + b

    return value, gradient


def true_norm(loss, problem, theta, limit=np.inf):
    """‖∇J(θ)‖ of a problem, from the independent objective."""
    _, gradient = objective(loss, problem.X, problem.y, problem.lam * problem.weights, problem.linear, limit)
    return float(np.linalg.norm(gradient(theta).astype(float)))
